"""Single messages from the server: chat, spectators, the clock, and the values of the moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from noughts.protocol.render import snapshot, state
from noughts.rooms import Fischer, Resign, Room
from noughts_client.connection import Connection, Pushed
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.screen import LineQueue, Page, steady_ms
from noughts_client.terminal.text import plain
from noughts_client.terminal.viewer import TableViewer
from support.viewed import SPECTATOR, after, room, seen

NOW = "1970-01-01T00:00:00.000Z"


@dataclass
class FakeServer:
    """A server whose answers and pushed messages come from the test."""

    requested: list[str] = field(default_factory=list)
    answers: list[asyncio.Future[Any]] = field(default_factory=list)
    pushed: asyncio.Queue[Pushed] = field(default_factory=asyncio.Queue)
    on_delay: Callable[[str], None] = print
    remembered: list[str] = field(default_factory=list)

    async def request(self, message: dict[str, Any]) -> Any:
        assert message == {"type": "chat_history", "room": "room1"}
        return {"type": "chat_history", "lines": [_line(text) for text in self.remembered]}

    async def analyse(self, room: str) -> Any:
        assert all(answer.done() for answer in self.answers), "never two requests at once"
        self.requested.append(room)
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]

    def __aiter__(self) -> FakeServer:
        return self

    async def __anext__(self) -> Pushed:
        return await self.pushed.get()

    async def push(self, what: Room) -> None:
        event = {"kind": "played", "side": "first", "move": "1"}
        about = {"type": "update", "room": what.id, "version": what.version, "at": NOW, "event": event}
        await self._push(about, what)

    async def open(self, what: Room, previous: str) -> None:
        await self._push({**snapshot(what, 0, 0), "previous": previous}, what)

    async def chat(self, text: str) -> None:
        self.pushed.put_nowait(cast(Pushed, _line(text)))
        await settled()

    async def spectators(self, count: int) -> None:
        self.pushed.put_nowait({"type": "spectators", "room": "room1", "count": count})
        await settled()

    async def connection(self, change: str) -> None:
        self.pushed.put_nowait(cast(Pushed, {"type": "connection", "state": change}))
        await settled()

    async def _push(self, message: dict[str, Any], what: Room) -> None:
        self.pushed.put_nowait(cast(Pushed, {**message, "state": state(what)}))
        await settled()

    async def answer(self, what: Room, value: int = 0, **more: Any) -> None:
        """Answer the last request with the position of ``what``, where every move is worth ``value``."""
        shown = state(what)
        moves = {move: {"value": value, "exact": True, "distance": 1, "line": [move]} for move in shown["legal_moves"]}
        about = {"type": "analysis", "room": what.id, "turn": shown["turn"], "to_move": shown["to_move"]}
        found = {
            "value": value,
            "exact": True,
            "best": shown["legal_moves"],
            "moves": moves,
            "nodes": 1,
            "depth": 1,
            "seconds": 0.1,
        }
        self.answers[-1].set_result({**about, **found, **more})
        await settled()

    async def refuse(self, error: Exception) -> None:
        self.answers[-1].set_exception(error)
        await settled()


def _line(text: str) -> dict[str, str]:
    line = {"type": "chat", "room": "room1", "id": "p-2", "name": "player-2", "text": text, "at": NOW}
    return {**line, "to": "players"}


@dataclass
class FakeScreen:
    """A screen whose input comes from the test."""

    scripted: bool = False
    page: Page | None = None
    lines: LineQueue = field(default_factory=LineQueue)

    def show(self, page: Page) -> None:
        self.page = page

    def remark(self, text: str) -> None:
        raise AssertionError(f"no game remarks anything: {text}")

    async def line(self) -> str:
        return await self.lines.next()

    async def close(self) -> None:
        pass

    async def type(self, line: str) -> None:
        self.lines.add(line)
        await settled()

    @property
    def text(self) -> str:
        assert self.page is not None
        return f"{plain(self.page.body(80, 0))}\n{self.page.notice}"

    @property
    def chat(self) -> list[str]:
        assert self.page is not None
        return self.page.chat


async def settled() -> None:
    """Run the event loop until it is idle."""
    for _ in range(10):
        await asyncio.sleep(0)


@asynccontextmanager
async def watching(
    what: Room, remembered: Iterable[str] = (), **fields: Any
) -> AsyncIterator[tuple[FakeServer, FakeScreen]]:
    server, screen = FakeServer(remembered=list(remembered)), FakeScreen()
    game = TableViewer(cast(Connection, server), screen, seen(SPECTATOR, what, **fields))
    staying = asyncio.create_task(game.run())
    try:
        await settled()
        yield server, screen
        assert not staying.done()
    finally:
        staying.cancel()
        await asyncio.wait({staying})


REQUESTED = "room1"


@pytest.mark.parametrize("word", ["v", "values", " Values "])
async def test_values_are_requested_only_while_they_are_shown(word: str) -> None:
    async with watching(room("5")) as (server, screen):
        assert server.requested == []
        await screen.type(word)
        assert server.requested == [REQUESTED]
        assert "Best for O: searching" in screen.text
        await server.answer(room("5"), 7)
        assert "(1:  7)" in screen.text
        await screen.type(word)
        assert "The values are hidden." in screen.text
        assert "7)" not in screen.text
        await server.push(room("51"))
        assert server.requested == [REQUESTED]


async def test_each_position_is_requested_once() -> None:
    async with watching(room(), values=True) as (server, screen):
        for ply in range(5):
            assert server.requested == [REQUESTED] * (ply + 1)
            await server.answer(room("12345"[:ply]), ply)
            assert f"({ply})" in screen.text
            await server.push(room("12345"[: ply + 1]))
            assert f"({ply})" not in screen.text


async def test_an_answer_about_the_previous_position_is_dropped() -> None:
    async with watching(room(), values=True) as (server, screen):
        await server.push(room("5"))
        assert server.requested == [REQUESTED], "the first request is still under way"
        await server.answer(room(), 3)
        assert "searching" in screen.text
        assert server.requested == [REQUESTED] * 2
        await server.answer(room("5"), 4)
        assert "(4)" in screen.text


async def test_an_answer_about_another_turn_with_the_same_ply_is_dropped() -> None:
    """A takeback leads to another position with the same side to move."""
    async with watching(room("51"), values=True) as (server, screen):
        await server.answer(room("51"), 3, turn=0)
        assert "(3)" not in screen.text
        assert server.requested == [REQUESTED] * 2


async def test_an_answer_that_comes_before_its_update_waits_for_it() -> None:
    async with watching(room(), values=True) as (server, screen):
        await server.answer(room("5"), 4)
        assert "searching" in screen.text
        assert server.requested == [REQUESTED]
        await server.push(room("5"))
        assert "(4)" in screen.text
        assert server.requested == [REQUESTED]


async def test_hiding_and_showing_values_sends_no_new_request() -> None:
    async with watching(room(), values=True) as (server, screen):
        await screen.type("v")
        await server.answer(room(), 3)
        assert "  3)" not in screen.text
        await screen.type("v")
        assert "(1:  3)" in screen.text
        assert server.requested == [REQUESTED]


async def test_no_values_are_requested_after_the_end_until_the_rematch() -> None:
    over = after(room("5"), Resign("p-1"))
    async with watching(room("5"), values=True) as (server, screen):
        await server.push(over)
        await server.answer(over)
        assert "Best" not in screen.text
        assert server.requested == [REQUESTED]
        await server.open(replace(room(), id="room2"), "room1")
        assert server.requested == [REQUESTED, "room2"]


async def test_a_refusal_is_shown_once_and_hides_the_values() -> None:
    error = {"type": "error", "code": "not_allowed", "message": "This game is rated."}
    async with watching(room(), values=True) as (server, screen):
        await server.refuse(RequestError(cast(Any, error)))
        assert screen.text.endswith("This game is rated.")
        assert "searching" not in screen.text
        await server.push(room("5"))
        assert "This game is rated." not in screen.text
        assert server.requested == [REQUESTED]
        await screen.type("v")
        assert server.requested == [REQUESTED] * 2


async def test_values_are_requested_again_after_a_reconnect() -> None:
    async with watching(room(), values=True) as (server, screen):
        await server.connection("lost")
        await server.refuse(ConnectionLost("The connection was lost before the answer came."))
        assert server.requested == [REQUESTED]
        await server.connection("restored")
        assert server.requested == [REQUESTED] * 2
        await server.answer(room(), 3)
        assert "(3)" in screen.text


async def test_a_script_gets_the_values_before_its_next_line_is_read() -> None:
    server, screen = FakeServer(), FakeScreen(scripted=True)
    staying = asyncio.create_task(TableViewer(cast(Connection, server), screen, seen(SPECTATOR, room())).run())
    await screen.type("values")
    await screen.type("q")
    assert not staying.done()
    await server.answer(room(), 3)
    assert staying.done()
    assert "(3)" in screen.text


async def test_chat_is_separate_from_the_game_and_survives_its_events() -> None:
    async with watching(room()) as (server, screen):
        await server.chat("hello")
        assert screen.chat == ["player-2: hello"]
        before = screen.text
        await server.chat("still there?")
        assert screen.text == before
        await server.push(room("5"))
        assert screen.chat == ["player-2: hello", "player-2: still there?"]
        await server.open(replace(room(), id="room2"), "room1")
        assert len(screen.chat) == 2


async def test_the_chat_from_before_and_from_a_lost_connection_is_shown_once() -> None:
    async with watching(room(), remembered=["one", "two"]) as (server, screen):
        assert screen.chat == ["player-2: one", "player-2: two"]
        await server.chat("three")
        await server.connection("lost")
        server.remembered += ["three", "four"]
        await server.connection("restored")
        assert screen.chat == [f"player-2: {text}" for text in ("one", "two", "three", "four")]


async def test_the_number_of_spectators_is_updated() -> None:
    async with watching(room()) as (server, screen):
        await server.spectators(3)
        assert "room1, 3 watching" in screen.text
        await server.spectators(0)
        assert "watching" not in screen.text


async def test_the_fastest_message_sets_the_servers_time() -> None:
    what = room("51", clock=Fischer(60_000, 0))
    async with watching(what, ahead_ms=-(10.0**9)) as (server, screen):

        def shown(local_ms: float) -> str:
            assert screen.page is not None
            return plain(screen.page.body(80, local_ms))

        here = steady_ms()
        await server.push(what)  # sent at the epoch
        first = shown(here + 55_000)
        assert "[0:05.0]" in first or "[0:04." in first or "[0:05." in first
        await asyncio.sleep(0.15)
        await server.push(what)  # sent at the same time, this one took longer to arrive
        assert shown(here + 55_000) == first


async def test_the_help_is_shown_instead_of_the_board_until_the_next_line() -> None:
    async with watching(room("5")) as (server, screen):
        await screen.type("h")
        assert "Three in a row, across, down or diagonally, win." in screen.text
        assert "You are watching." in screen.text
        assert screen.page is not None
        assert screen.page.top
        assert screen.page.prompt == "Enter to go back: "
        await server.push(room("51"))
        assert "Three in a row" in screen.text, "what happens meanwhile does not close it"
        await screen.type("")
        assert "Three in a row" not in screen.text
        assert " 7 | 8 | 9" in screen.text


async def test_a_request_that_is_put_off_for_long_says_so() -> None:
    async with watching(room("5")) as (server, screen):
        server.on_delay("Too much. Trying again in 3 h.")
        assert screen.text.endswith("Too much. Trying again in 3 h.")


async def test_words_of_the_operator_and_a_move_due_elsewhere_are_below_the_board() -> None:
    async with watching(room()) as (server, screen):
        server.pushed.put_nowait({"type": "announcement", "text": "Restart at 8", "at": NOW})
        await settled()
        assert screen.text.endswith("\nThe operator: Restart at 8")
        due: Any = {"type": "your_move", "room": "room1", "opponent": "ben", "title": "Hex"}
        server.pushed.put_nowait(due)
        await settled()
        assert screen.text.endswith("\nThe operator: Restart at 8"), "one sees it on the board"
        server.pushed.put_nowait(due | {"room": "room2"})
        await settled()
        assert screen.text.endswith("\nIt is your move against ben in Hex: noughts games shows it.")
