"""What a client is told of the moves' worth: over real sockets, by a real engine where not said otherwise."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, get_args

import pytest

from noughts.app import make_gateway
from noughts.bus import MemoryBus
from noughts.engine import Analysis, MoveValue
from noughts.games import GAMES
from noughts.gateway import analyses
from noughts.host import Host, Reply
from noughts.journal import StoredPlayer
from noughts.protocol import MESSAGES
from noughts.rooms import Command, Room, may_be_analysed
from noughts.rooms.room import Status
from support import eventually
from support.client import Client, Json, connected
from support.journals import MemoryJournal
from support.server import running_server, settings

SEARCHED = ("nodes", "seconds")


class Engine:
    """Has each position analysed by the test."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...], asyncio.Future[Analysis]]] = []

    def analyse(self, game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
        future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self.asked.append((game, moves, future))
        return future

    async def soon(self, count: int) -> None:
        await eventually.soon(lambda: len(self.asked) >= count)


FOUND = Analysis(3, False, {"1": MoveValue(3, False, None, ("1", "5"))}, ("1",), 12, 2, 0.25)


class Slow(Host):
    """A host whose replies to those who want no more than the room may be held back; ``let`` sends them all."""

    def __init__(self) -> None:
        super().__init__(MemoryJournal(), MemoryBus("node"))
        self.holding = False
        self.held: list[Callable[[], None]] = []

    def submit(
        self,
        room_id: str,
        command: Command | None,
        reply: Reply = lambda _: None,
        players: tuple[StoredPlayer, ...] = (),
    ) -> None:
        """See :class:`Host`."""
        if self.holding and command is None:
            self.held.append(partial(super().submit, room_id, command, reply, players))
        else:
            super().submit(room_id, command, reply, players)

    def let(self) -> None:
        """Reply."""
        self.holding = False
        while self.held:
            self.held.pop(0)()


@asynccontextmanager
async def scripted(host: Host | None = None, **overrides: object) -> AsyncIterator[tuple[str, Engine]]:
    engine = Engine()
    gateway = make_gateway(
        settings(**overrides), Host(MemoryJournal(), MemoryBus("node")) if host is None else host, engine.analyse
    )
    async with gateway.serving() as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws", engine


async def analysed(client: Client, room: str, **more: Any) -> Json:
    """The answer to ``analyse``, which must be a message of the protocol."""
    answer = await client.request(type="analyse", room=room, **more)
    assert answer["type"] == "analysis", answer
    MESSAGES.validate_python(answer, strict=True)
    return answer


async def game(first: Client, second: Client, moves: str) -> str:
    """A room in which ``moves`` were played."""
    room = await first.create()
    await second.join(room)
    for turn, move in enumerate(moves):
        assert (await (first, second)[turn % 2].play(room, turn, move))["type"] == "ok"
    return room


async def test_players_and_spectators_are_told_what_each_move_is_worth() -> None:
    async with (
        running_server() as url,
        connected(url, "ann") as ann,
        connected(url, "bob") as bob,
        connected(url, "eve") as eve,
    ):
        room = await game(ann, bob, "152")
        told = [await analysed(client, room) for client in (ann, bob, eve)]
        for answer in told:
            for name in ("id", *SEARCHED):
                assert answer.pop(name) is not None
        assert told[0] == told[1] == told[2]
        moves = told[0].pop("moves")
        assert told[0] == {
            "type": "analysis",
            "room": room,
            "game": "tictactoe",
            "ply": 3,
            "turn": 3,
            "to_move": "second",
            "value": 0,
            "exact": True,
            "best": ["3"],
            "depth": 6,
        }
        # X threatens 3: whoever does not see to it has lost with X's next move, 2 plies from here.
        assert {move: worth["value"] for move, worth in moves.items()} == {
            "3": 0,
            **dict.fromkeys("46789", -8),
        }
        assert moves["4"] == {"value": -8, "exact": True, "distance": 2, "line": ["4", "3"]}


async def test_any_ply_of_a_game_and_of_one_that_is_over() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await game(ann, bob, "15283")
        assert (await ann.push("update"))["state"]["status"] == "playing"
        end = await analysed(bob, room)
        assert (end["ply"], end["to_move"], end["moves"], end["best"], end["value"]) == (5, None, {}, [], -10)
        before = await analysed(bob, room, ply=4)
        assert (before["ply"], before["to_move"], before["value"], before["best"]) == (4, "first", 9, ["3"])
        assert before["moves"]["3"] == {"value": 9, "exact": True, "distance": 1, "line": ["3"]}
        assert (end["turn"], "turn" in before) == (5, False), "only the present position has a turn"
        start = await analysed(bob, room, ply=0)
        assert (start["ply"], start["to_move"], start["value"], len(start["moves"])) == (0, "first", 0, 9)


async def test_a_room_that_waits_is_analysed_too() -> None:
    async with running_server() as url, connected(url) as ann:
        assert (await analysed(ann, await ann.create()))["ply"] == 0


async def test_what_cannot_be_is_refused_in_words() -> None:
    async with running_server() as url, connected(url) as ann:
        room = await ann.create()
        assert await ann.refused(type="analyse", room="aaaaaaaaaaaaa") == "unknown_room"
        assert await ann.refused(type="analyse", room="no such/room") == "unknown_room"
        assert await ann.refused(type="analyse", room=room, ply=1) == "stale"
        assert await ann.refused(type="analyse", room=room, ply=2**53) == "stale"
        for wrong in (-1, 2**53 + 1, True, "1", 1.5, [0]):
            assert await ann.refused(type="analyse", room=room, ply=wrong) == "bad_message"
        assert await ann.refused(type="analyse") == "bad_message"
        assert (await analysed(ann, room))["ply"] == 0, "a refusal is no analysis under way"


def test_of_a_rated_game_nobody_is_told_before_its_end() -> None:
    allowed = {
        (status, rated)
        for status in get_args(Status)
        for rated in (False, True)
        if may_be_analysed(status, rated=rated)
    }
    assert allowed == {("waiting", False), ("playing", False), ("over", False), ("over", True)}


async def test_the_gate_keeps_to_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Room, "rated", True)
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await game(ann, bob, "1528")
        assert await ann.refused(type="analyse", room=room) == "not_allowed"
        assert await bob.refused(type="analyse", room=room, ply=0) == "not_allowed"
        await ann.play(room, 4, "3")
        assert (await analysed(bob, room))["ply"] == 5


async def test_a_client_has_one_under_way() -> None:
    async with scripted(analyse_s=3) as (url, engine), connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await ann.create()
        await ann.send(type="analyse", id="first", room=room)
        await engine.soon(1)
        refusal = await ann.request(type="analyse", room=room)
        assert (refusal["code"], refusal["retry_after_s"]) == ("rate_limited", 3)
        await bob.send(type="analyse", id="his", room=room)
        await engine.soon(2)
        engine.asked[0][2].set_result(FOUND)
        answer = await ann.receive()
        assert (answer["id"], answer["value"], answer["depth"], answer["seconds"]) == ("first", 3, 2, 0.25)
        await ann.send(type="analyse", id="second", room=room)
        await engine.soon(3)


async def test_a_client_has_so_many_in_a_time() -> None:
    async with running_server(analyses_per_s=0.01) as url, connected(url) as ann, connected(url) as bob:
        room = await ann.create()
        for _ in range(analyses.AT_ONCE):
            await analysed(ann, room)
        refusal = await ann.request(type="analyse", room=room)
        assert refusal["code"] == "rate_limited"
        assert 90 < refusal["retry_after_s"] <= 100
        await analysed(bob, room)
        assert (await ann.play(room, 0, "5"))["code"] == "not_allowed", "other requests are taken"


async def test_who_goes_away_leaves_no_search_behind() -> None:
    async with scripted() as (url, engine):
        async with connected(url) as ann:
            await ann.send(type="analyse", id=1, room=await ann.create())
            await engine.soon(1)
        await eventually.soon(engine.asked[0][2].cancelled, within_s=5)


async def test_who_goes_away_before_his_room_is_had_has_nothing_searched() -> None:
    host = Slow()
    async with scripted(host) as (url, engine):
        async with connected(url) as ann:
            room = await ann.create()
            host.holding = True
            await ann.send(type="analyse", id=1, room=room)
            await eventually.soon(lambda: bool(host.held))
        async with connected(url, None, token=ann.token) as again:
            assert (await again.request(type="ping"))["type"] == "pong"
            await eventually.soon(lambda: not host.watched(room))  # the first connection is gone for the server, too
            host.let()
            await again.ok(type="watch", room=room)
            assert engine.asked == []
            await again.send(type="analyse", id="again", room=room)
            await engine.soon(1)


async def test_a_players_connections_share_what_he_may_ask_for() -> None:
    async with running_server(analyses_per_s=0.01) as url, connected(url) as ann:
        room = await ann.create()
        for _ in range(analyses.AT_ONCE):
            async with connected(url, None, token=ann.token) as again:
                await analysed(again, room)
        assert await ann.refused(type="analyse", room=room) == "rate_limited"
        async with connected(url, None, token=ann.token) as again:
            assert await again.refused(type="analyse", room=room) == "rate_limited"
    async with scripted() as (url, engine), connected(url) as ann, connected(url, None, token=ann.token) as again:
        room = await ann.create()
        await ann.send(type="analyse", id="first", room=room)
        await engine.soon(1)
        assert await again.refused(type="analyse", room=room) == "rate_limited", "one is under way"
        engine.asked[0][2].set_result(FOUND)
        assert (await ann.receive())["id"] == "first"


def test_who_has_not_asked_for_a_while_is_forgotten() -> None:
    made = analyses.Analyses(settings(analyses_per_s=1), Engine().analyse)
    busy = made.begin("busy", 100)
    for number in range(50):
        made.begin(f"player {number}", 100).end()
    assert len(made._players) == 51
    made.begin("late", 100.5).end()
    assert len(made._players) == 52
    busy.end()
    made.begin("later", 102).end()
    assert list(made._players) == ["later"]


async def test_a_position_before_the_present_one_is_not_played_again_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(*_: object) -> None:
        raise AssertionError("it may take as long as the game likes")

    async with scripted() as (url, engine), connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await game(ann, bob, "1528")
        monkeypatch.setattr(type(GAMES["tictactoe"].start), "play", play)
        for ply, to_move in enumerate(["first", "second", "first", "second", "first"]):
            await bob.send(type="analyse", id=ply, room=room, ply=ply)
            await engine.soon(ply + 1)
            engine.asked[ply][2].set_result(FOUND)
            while (answer := await bob.receive()).get("id") != ply:
                pass
            assert (answer["ply"], answer["to_move"]) == (ply, to_move)
            assert engine.asked[ply][1] == tuple("1528"[:ply])


async def test_who_waits_too_long_for_his_turn_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "QUEUED_S", 0.05)
    async with scripted(analyse_s=0.05) as (url, engine), connected(url) as ann:
        room = await ann.create()
        refusal = await ann.request(type="analyse", room=room)
        assert (refusal["code"], refusal["retry_after_s"]) == ("rate_limited", 0.05)
        assert engine.asked[0][2].cancelled()
        await ann.send(type="analyse", id="again", room=room)
        await engine.soon(2)


async def test_a_search_that_fails_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async with scripted() as (url, engine), connected(url) as ann:
        room = await ann.create()
        for count in (1, 2):
            await ann.send(type="analyse", id=f"number {count}", room=room)
            await engine.soon(count)
            engine.asked[-1][2].set_exception(MemoryError("no"))
            answer = await ann.receive()
            assert (answer["id"], answer["code"]) == (f"number {count}", "internal")
    assert "an analysis failed" in caplog.text


async def test_moves_are_served_while_analyses_are_under_way() -> None:
    """One worker, with more analyses of Gomoku waiting for it than it can do in minutes."""
    async with (
        running_server(search_workers=1, analyse_s=60) as url,
        connected(url, "ann") as ann,
        connected(url, "bob") as bob,
        connected(url, "eve") as eve,
        connected(url, "zoe") as zoe,
    ):
        watchers = [bob, eve, zoe]
        for number, watcher in enumerate(watchers):
            answer = await watcher.ok(type="create", game="gomoku", seats={"first": "me", "second": "open"})
            await watcher.send(type="analyse", id=f"analysis {number}", room=answer["room"])
        await asyncio.sleep(0.5)
        answer = await ann.ok(
            type="create", game="tictactoe", seats={"first": "computer:perfect", "second": "computer:easy"}
        )
        begun = time.monotonic()
        while (await ann.push())["state"]["status"] != "over":
            pass
        assert time.monotonic() - begun < 30, "no analysis was waited for"
        first = await bob.push("analysis")
        assert not first["exact"]
        assert first["best"]
