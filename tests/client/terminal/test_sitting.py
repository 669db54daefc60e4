"""What comes of single messages: talk, spectators, times, and when the values of a position's moves are asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from noughts.protocol import snapshot, state
from noughts.rooms import Fischer, Resign, Room
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.connection import Pushed
from noughts_client.terminal.screen import Page, steady_ms
from noughts_client.terminal.sitting import Sitting
from noughts_client.terminal.typed import Typed
from noughts_client.terminal.view import plain
from support.viewed import SPECTATOR, after, room, seen

NOW = "1970-01-01T00:00:00.000Z"


@dataclass
class Answers:
    """A server of which the test gives every answer and every push."""

    asked: list[str] = field(default_factory=list)
    answers: list[asyncio.Future[Any]] = field(default_factory=list)
    pushed: asyncio.Queue[Pushed] = field(default_factory=asyncio.Queue)

    async def analyse(self, room: str) -> Any:
        assert all(answer.done() for answer in self.answers), "never two at once"
        self.asked.append(room)
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]

    def __aiter__(self) -> Answers:
        return self

    async def __anext__(self) -> Pushed:
        return await self.pushed.get()

    async def push(self, what: Room) -> None:
        event = {"kind": "played", "side": "first", "move": "1"}
        about = {"type": "update", "room": what.id, "version": what.version, "at": NOW, "event": event}
        await self._tell(about, what)

    async def open(self, what: Room, previous: str) -> None:
        await self._tell({**snapshot(what, 0, 0), "previous": previous}, what)

    async def chat(self, text: str) -> None:
        line = {"type": "chat", "room": "room1", "id": "p-2", "name": "player-2", "text": text, "at": NOW}
        self.pushed.put_nowait(cast(Pushed, {**line, "to": "players"}))
        await settled()

    async def spectators(self, count: int) -> None:
        self.pushed.put_nowait({"type": "spectators", "room": "room1", "count": count})
        await settled()

    async def connection(self, change: str) -> None:
        self.pushed.put_nowait(cast(Pushed, {"type": "connection", "state": change}))
        await settled()

    async def _tell(self, message: dict[str, Any], what: Room) -> None:
        self.pushed.put_nowait(cast(Pushed, {**message, "state": state(what)}))
        await settled()

    async def answer(self, what: Room, value: int = 0, **more: Any) -> None:
        """Answer the last question for the position of ``what``, where every move is worth ``value``."""
        shown = state(what)
        moves = {move: {"value": value, "exact": True, "distance": 1, "line": [move]} for move in shown["legal_moves"]}
        about = {"type": "analysis", "room": what.id, "turn": shown["turn"], "to_move": shown["to_move"]}
        found = {"best": shown["legal_moves"], "moves": moves, "nodes": 1, "depth": 1, "seconds": 0.1}
        self.answers[-1].set_result({**about, **found, **more})
        await settled()

    async def refuse(self, error: Exception) -> None:
        self.answers[-1].set_exception(error)
        await settled()


@dataclass
class Glass:
    """A screen that shows what the test types, and what came of it."""

    patient: bool = False
    page: Page | None = None
    typed: Typed = field(default_factory=Typed)

    def show(self, page: Page) -> None:
        self.page = page

    async def line(self) -> str:
        return await self.typed.next()

    async def close(self) -> None:
        pass

    async def type(self, line: str) -> None:
        self.typed.add(line)
        await settled()

    @property
    def text(self) -> str:
        assert self.page is not None
        return f"{plain(self.page.body(80, 0))}\n{self.page.note}"

    @property
    def talk(self) -> list[str]:
        assert self.page is not None
        return self.page.talk


async def settled() -> None:
    """Let everybody do what they can."""
    for _ in range(10):
        await asyncio.sleep(0)


@asynccontextmanager
async def watching(what: Room, **fields: Any) -> AsyncIterator[tuple[Answers, Glass]]:
    server, screen = Answers(), Glass()
    sitting = Sitting(cast(Connection, server), screen, seen(SPECTATOR, what, **fields))
    staying = asyncio.create_task(sitting.last())
    try:
        await settled()
        yield server, screen
        assert not staying.done()
    finally:
        staying.cancel()
        await asyncio.wait({staying})


ASKED = "room1"


@pytest.mark.parametrize("word", ["v", "values", " Values "])
async def test_values_are_asked_for_when_they_are_wanted_and_no_longer(word: str) -> None:
    async with watching(room("5")) as (server, screen):
        assert server.asked == []
        await screen.type(word)
        assert server.asked == [ASKED]
        assert "Best for O: searching" in screen.text
        await server.answer(room("5"), 7)
        assert "(1:  7)" in screen.text
        await screen.type(word)
        assert "is not shown any more" in screen.text
        assert "7)" not in screen.text
        await server.push(room("51"))
        assert server.asked == [ASKED]


async def test_each_new_position_is_asked_for_once() -> None:
    async with watching(room(), values=True) as (server, screen):
        for ply in range(5):
            assert server.asked == [ASKED] * (ply + 1)
            await server.answer(room("12345"[:ply]), ply)
            assert f"({ply})" in screen.text
            await server.push(room("12345"[: ply + 1]))
            assert f"({ply})" not in screen.text


async def test_an_answer_that_comes_after_the_next_move_is_dropped_and_the_next_asked_for_then() -> None:
    async with watching(room(), values=True) as (server, screen):
        await server.push(room("5"))
        assert server.asked == [ASKED], "the first is not answered yet"
        await server.answer(room(), 3)
        assert "searching" in screen.text
        assert server.asked == [ASKED] * 2
        await server.answer(room("5"), 4)
        assert "(4)" in screen.text


async def test_an_answer_on_another_turn_with_as_many_moves_is_dropped_and_asked_for_anew() -> None:
    """So it is after a takeback: another position with the same side to move."""
    async with watching(room("51"), values=True) as (server, screen):
        await server.answer(room("51"), 3, turn=0)
        assert "(3)" not in screen.text
        assert server.asked == [ASKED] * 2


async def test_an_answer_that_comes_before_the_move_waits_for_it() -> None:
    async with watching(room(), values=True) as (server, screen):
        await server.answer(room("5"), 4)
        assert "searching" in screen.text
        assert server.asked == [ASKED]
        await server.push(room("5"))
        assert "(4)" in screen.text
        assert server.asked == [ASKED]


async def test_who_hides_the_values_and_shows_them_again_need_not_ask_again() -> None:
    async with watching(room(), values=True) as (server, screen):
        await screen.type("v")
        await server.answer(room(), 3)
        assert "  3)" not in screen.text
        await screen.type("v")
        assert "(1:  3)" in screen.text
        assert server.asked == [ASKED]


async def test_nothing_is_asked_of_a_game_that_is_over_and_the_rematch_is() -> None:
    over = after(room("5"), Resign("p-1"))
    async with watching(room("5"), values=True) as (server, screen):
        await server.push(over)
        await server.answer(over)
        assert "Best" not in screen.text
        assert server.asked == [ASKED]
        await server.open(replace(room(), id="room2"), "room1")
        assert server.asked == [ASKED, "room2"]


async def test_a_refusal_is_told_once_and_ends_it() -> None:
    error = {"type": "error", "code": "not_allowed", "message": "This game is rated."}
    async with watching(room(), values=True) as (server, screen):
        await server.refuse(RequestError(cast(Any, error)))
        assert screen.text.endswith("This game is rated.")
        assert "searching" not in screen.text
        await server.push(room("5"))
        assert "This game is rated." not in screen.text
        assert server.asked == [ASKED]
        await screen.type("v")
        assert server.asked == [ASKED] * 2


async def test_after_a_lost_connection_it_is_asked_again() -> None:
    async with watching(room(), values=True) as (server, screen):
        await server.connection("lost")
        await server.refuse(ConnectionLost("The connection was lost before the answer came."))
        assert server.asked == [ASKED]
        await server.connection("restored")
        assert server.asked == [ASKED] * 2
        await server.answer(room(), 3)
        assert "(3)" in screen.text


async def test_who_feeds_lines_from_a_file_gets_the_values_before_the_next_is_taken() -> None:
    server, screen = Answers(), Glass(patient=True)
    staying = asyncio.create_task(Sitting(cast(Connection, server), screen, seen(SPECTATOR, room())).last())
    await screen.type("values")
    await screen.type("q")
    assert not staying.done()
    await server.answer(room(), 3)
    assert staying.done()
    assert "(3)" in screen.text


async def test_what_is_said_is_kept_apart_from_the_game_and_over_its_events() -> None:
    async with watching(room()) as (server, screen):
        await server.chat("hello")
        assert screen.talk == ["player-2: hello"]
        before = screen.text
        await server.chat("still there?")
        assert screen.text == before
        await server.push(room("5"))
        assert screen.talk == ["player-2: hello", "player-2: still there?"]
        await server.open(replace(room(), id="room2"), "room1")
        assert len(screen.talk) == 2


async def test_how_many_watch_is_told_as_it_changes() -> None:
    async with watching(room()) as (server, screen):
        await server.spectators(3)
        assert "room1, 3 watching" in screen.text
        await server.spectators(0)
        assert "watching" not in screen.text


async def test_the_servers_time_is_what_came_fastest_tells() -> None:
    what = room("51", clock=Fischer(60_000, 0))
    async with watching(what, ahead_ms=-(10.0**9)) as (server, screen):

        def shown(here_ms: float) -> str:
            assert screen.page is not None
            return plain(screen.page.body(80, here_ms))

        here = steady_ms()
        await server.push(what)  # at the beginning of time, it says
        first = shown(here + 55_000)
        assert "[0:05.0]" in first or "[0:04." in first or "[0:05." in first
        await asyncio.sleep(0.25)
        await server.push(what)  # at the same time: this one was longer on its way
        assert shown(here + 55_000) == first
