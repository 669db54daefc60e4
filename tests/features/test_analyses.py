from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any, get_args

import pytest

from noughts.engine import Analysis, MoveValue
from noughts.features.analyses import BURST, OWN_GAME, Analyses
from noughts.games import GAMES
from noughts.protocol.contract import MESSAGES
from noughts.rooms import may_be_analysed
from noughts.rooms.room import Status
from noughts.timing import Timing
from support import eventually
from support.client import Client, Json, connected
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.server import running_gateway, running_server

SEARCHED = ("nodes", "seconds")


class Engine:
    """Leaves each analysis to the test."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, tuple[str, ...], asyncio.Future[Analysis]]] = []

    def analyse(self, game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
        future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self.requests.append((game, moves, future))
        return future

    async def requested(self, count: int) -> None:
        await eventually.soon(lambda: len(self.requests) >= count)


FOUND = Analysis(3, False, {"1": MoveValue(3, False, None, ("1", "5"))}, ("1",), 12, 2, 0.25)


def instant(game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
    """Answers at once, without a search."""
    future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
    future.set_result(FOUND)
    return future


async def analysed(client: Client, room: str, **more: Any) -> Json:
    """The answer to ``analyse``, which must be a message of the protocol."""
    answer = await client.request(type="analyse", room=room, **more)
    assert answer["type"] == "analysis", answer
    MESSAGES.validate_python(answer, strict=True)
    return answer


async def game(first: Client, second: Client, moves: str) -> str:
    """A room after ``moves``."""
    room = await first.create()
    await second.join(room)
    for turn, move in enumerate(moves):
        assert (await (first, second)[turn % 2].play(room, turn, move))["type"] == "ok"
    return room


async def test_players_of_a_game_between_people_are_told_no_values_before_its_end() -> None:
    async with (
        running_gateway(analyse=instant) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        connected(node.url, "eve") as eve,
    ):
        room = await game(ann, bob, "152")
        for player, ply in ((ann, None), (bob, None), (bob, 0)):
            refusal = await player.request(type="analyse", room=room, ply=ply)
            assert (refusal["code"], refusal["message"]) == ("not_allowed", OWN_GAME.message)
        assert (await analysed(eve, room))["ply"] == 3, "who only watches is told"
        await bob.ok(type="resign", room=room)
        for player in (ann, bob):
            assert (await analysed(player, room))["ply"] == 3
        room = await ann.create(second="computer:easy")
        assert (await analysed(ann, room))["ply"] == 0, "against the computer it helps nobody against a person"


async def test_spectators_get_the_value_of_every_move() -> None:
    async with (
        running_server() as url,
        connected(url, "ann") as ann,
        connected(url, "bob") as bob,
        connected(url, "eve") as eve,
        connected(url, "joe") as joe,
    ):
        room = await game(ann, bob, "152")
        answers = [await analysed(client, room) for client in (eve, joe)]
        for answer in answers:
            for name in ("id", *SEARCHED):
                assert answer.pop(name) is not None
        assert answers[0] == answers[1]
        moves = answers[0].pop("moves")
        assert answers[0] == {
            "type": "analysis",
            "room": room,
            "game": "tictactoe",
            "ply": 3,
            "turn": 3,
            "to_move": "second",
            "value": 0,
            "exact": True,
            "best": ["3"],
            "verdict": "proved",
            "depth": 6,
        }
        # X threatens to win on 3, so every other move loses in 2 plies.
        assert {move: worth["value"] for move, worth in moves.items()} == {
            "3": 0,
            **dict.fromkeys("46789", -8),
        }
        assert moves["4"] == {"value": -8, "exact": True, "distance": 2, "line": ["4", "3"]}


async def test_an_analysis_is_of_the_position_before_the_move_that_follows_it() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        await ann.send(type="analyse", id="analysis", room=room)
        await ann.send(type="play", id="move", room=room, turn=0, move="2")
        answer = await ann.push("analysis")
        assert (answer["ply"], answer["to_move"]) == (0, "first")


async def test_any_ply_of_a_game_can_be_analysed() -> None:
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


async def test_a_waiting_room_can_be_analysed() -> None:
    async with running_gateway(analyse=instant) as node, connected(node.url) as ann:
        assert (await analysed(ann, await ann.create()))["ply"] == 0


async def test_impossible_requests_are_refused() -> None:
    async with running_gateway(analyse=instant) as node, connected(node.url) as ann:
        room = await ann.create()
        assert await ann.refused(type="analyse", room="aaaaaaaaaaaaa") == "unknown_room"
        assert await ann.refused(type="analyse", room="no such/room") == "unknown_room"
        assert await ann.refused(type="analyse", room=room, ply=1) == "stale"
        assert await ann.refused(type="analyse", room=room, ply=2**53) == "stale"
        for wrong in (-1, 2**53 + 1, True, "1", 1.5, [0]):
            assert await ann.refused(type="analyse", room=room, ply=wrong) == "bad_message"
        assert await ann.refused(type="analyse") == "bad_message"
        assert (await analysed(ann, room))["ply"] == 0, "a refused analysis is over"


def test_rated_games_may_be_analysed_after_their_end() -> None:
    allowed = {
        (status, rated)
        for status in get_args(Status)
        for rated in (False, True)
        if may_be_analysed(status, rated=rated)
    }
    assert allowed == {("waiting", False), ("playing", False), ("over", False), ("over", True)}


async def test_a_rated_game_is_refused_before_its_end() -> None:
    async with (
        running_gateway(analyse=instant) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
    ):
        for client in (ann, bob):
            await client.ok(type="register")
        seats, clock = {"first": "me", "second": "open"}, {"initial_s": 300, "increment_s": 0}
        room = (await ann.ok(type="create", game="tictactoe", seats=seats, clock=clock, rated=True))["room"]
        await bob.ok(type="join", room=room)
        for turn, move in enumerate("1528"):
            await (ann, bob)[turn % 2].play(room, turn, move)
        assert await ann.refused(type="analyse", room=room) == "not_allowed"
        assert await bob.refused(type="analyse", room=room, ply=0) == "not_allowed"
        await ann.play(room, 4, "3")
        assert (await analysed(bob, room))["ply"] == 5


async def test_a_player_has_one_analysis_at_a_time() -> None:
    engine = Engine()
    async with (
        running_gateway(analyse=engine.analyse, analyse_s=3) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
    ):
        room = await ann.create()
        await ann.send(type="analyse", id="first", room=room)
        await engine.requested(1)
        refusal = await ann.request(type="analyse", room=room)
        assert (refusal["code"], refusal["retry_after_s"]) == ("rate_limited", 3)
        await bob.send(type="analyse", id="his", room=room)
        await engine.requested(2)
        engine.requests[0][2].set_result(FOUND)
        answer = await ann.receive()
        assert (answer["id"], answer["value"], answer["depth"], answer["seconds"]) == ("first", 3, 2, 0.25)
        await ann.send(type="analyse", id="second", room=room)
        await engine.requested(3)


async def test_the_analyses_of_a_player_are_limited() -> None:
    async with (
        running_gateway(analyse=instant, analyses_per_s=0.01) as node,
        connected(node.url) as ann,
        connected(node.url) as bob,
    ):
        room = await ann.create()
        for _ in range(BURST):
            await analysed(ann, room)
        refusal = await ann.request(type="analyse", room=room)
        assert refusal["code"] == "rate_limited"
        assert 90 < refusal["retry_after_s"] <= 100
        await analysed(bob, room)
        assert (await ann.play(room, 0, "5"))["code"] == "not_allowed", "other requests are not limited"


async def test_a_client_that_disconnects_leaves_no_search_behind() -> None:
    engine = Engine()
    async with running_gateway(analyse=engine.analyse) as node:
        async with connected(node.url) as ann:
            await ann.send(type="analyse", id=1, room=await ann.create())
            await engine.requested(1)
        await eventually.soon(engine.requests[0][2].cancelled)


async def test_nothing_is_searched_for_a_client_that_disconnects_while_the_room_is_loaded() -> None:
    engine, journal = Engine(), MemoryJournal()
    read = Faulty(journal, "read")
    async with running_gateway(journal, analyse=engine.analyse) as node:
        async with connected(node.url) as ann:
            room = await ann.create()
            await ann.ok(type="leave", room=room)
            read.gate.clear()
            await ann.send(type="analyse", id=1, room=room)
            await eventually.soon(lambda: bool(read.calls))
        await eventually.soon(lambda: not node.server.sessions._sessions)
        read.gate.set()
        async with connected(node.url, token=ann.token) as again:
            await again.ok(type="watch", room=room)
            assert engine.requests == []
            await again.send(type="analyse", id="again", room=room)
            await engine.requested(1)


async def test_the_connections_of_a_player_share_its_limits() -> None:
    async with running_gateway(analyse=instant, analyses_per_s=0.01) as node, connected(node.url) as ann:
        room = await ann.create()
        for _ in range(BURST):
            async with connected(node.url, None, token=ann.token) as again:
                await analysed(again, room)
        assert await ann.refused(type="analyse", room=room) == "rate_limited"
        async with connected(node.url, None, token=ann.token) as again:
            assert await again.refused(type="analyse", room=room) == "rate_limited"
    engine = Engine()
    async with (
        running_gateway(analyse=engine.analyse) as node,
        connected(node.url) as ann,
        connected(node.url, None, token=ann.token) as again,
    ):
        room = await ann.create()
        await ann.send(type="analyse", id="first", room=room)
        await engine.requested(1)
        assert await again.refused(type="analyse", room=room) == "rate_limited", "one is under way"
        engine.requests[0][2].set_result(FOUND)
        assert (await ann.receive())["id"] == "first"


async def test_idle_players_lose_their_analysis_limits() -> None:
    async with running_gateway(analyses_per_s=1) as node:
        analyses = node.part(Analyses)
        now = 100.0
        analyses._time = lambda: now
        busy = analyses._begin("busy")
        for number in range(50):
            analyses._begin(f"player {number}").busy = False
        assert len(analyses._allowances) == 51
        now = 100.5
        analyses._begin("late").busy = False
        assert len(analyses._allowances) == 52
        busy.busy = False
        now = 102
        analyses._begin("later").busy = False
        assert list(analyses._allowances) == ["later"]


async def test_an_earlier_position_is_not_replayed_in_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(*_: object) -> None:
        raise AssertionError("this could take long")

    engine = Engine()
    async with (
        running_gateway(analyse=engine.analyse) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        connected(node.url, "eve") as eve,
    ):
        room = await game(ann, bob, "1528")
        monkeypatch.setattr(type(GAMES["tictactoe"].start), "play", play)
        for ply, to_move in enumerate(["first", "second", "first", "second", "first"]):
            await eve.send(type="analyse", id=ply, room=room, ply=ply)
            await engine.requested(ply + 1)
            engine.requests[ply][2].set_result(FOUND)
            while (answer := await eve.receive()).get("id") != ply:
                pass
            assert (answer["ply"], answer["to_move"]) == (ply, to_move)
            assert engine.requests[ply][1] == tuple("1528"[:ply])


async def test_an_analysis_that_waits_too_long_is_refused() -> None:
    engine, timing = Engine(), Timing(analysis_queue_s=0.05)
    async with (
        running_gateway(analyse=engine.analyse, timing=timing, analyse_s=0.05) as node,
        connected(node.url) as ann,
    ):
        room = await ann.create()
        refusal = await ann.request(type="analyse", room=room)
        assert (refusal["code"], refusal["retry_after_s"]) == ("rate_limited", 0.05)
        assert engine.requests[0][2].cancelled()
        await ann.send(type="analyse", id="again", room=room)
        await engine.requested(2)


async def test_a_search_that_fails_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine()
    async with running_gateway(analyse=engine.analyse) as node, connected(node.url) as ann:
        room = await ann.create()
        for count in (1, 2):
            await ann.send(type="analyse", id=f"number {count}", room=room)
            await engine.requested(count)
            engine.requests[-1][2].set_exception(MemoryError("no"))
            answer = await ann.receive()
            assert (answer["id"], answer["code"]) == (f"number {count}", "internal")
    assert "a request failed" in caplog.text


async def test_the_computer_moves_while_analyses_are_under_way() -> None:
    """There is one worker, and four analyses of Gomoku wait for it, each for a minute."""
    async with running_server(search_workers=1, analyse_s=60) as url, AsyncExitStack() as stack:
        ann, *watchers = [await stack.enter_async_context(connected(url)) for _ in range(4)]
        for number, watcher in enumerate(watchers):
            answer = await watcher.ok(type="create", game="gomoku", seats={"first": "me", "second": "open"})
            await watcher.send(type="analyse", id=f"analysis {number}", room=answer["room"])
        seats = {"first": "computer:perfect", "second": "computer:easy"}
        await ann.ok(type="create", game="tictactoe", seats=seats)
        async with asyncio.timeout(40):
            while (await ann.push())["state"]["status"] != "over":
                pass


async def test_a_line_without_a_room_is_analysed() -> None:
    async with running_server() as url, connected(url) as ann:
        answer = await ann.request(type="analyse", game="tictactoe", start="xx./oo./...", moves=["9"])
        MESSAGES.validate_python(answer, strict=True)
        assert (answer["room"], answer["ply"], answer["to_move"]) == ("", 1, "second")
        assert answer["best"] == ["6"]
        assert await ann.refused(type="analyse", game="tictactoe", moves=["1", "1"]) == "illegal_move"
        assert await ann.refused(type="analyse", game="tictactoe", start="?") == "not_allowed"
        assert await ann.refused(type="analyse", game="chess", setup={"size": 3}) == "not_allowed"
        assert await ann.refused(type="analyse", game="nine", moves=[]) == "unknown_game"
        assert await ann.refused(type="analyse", game="tictactoe", room="x") == "bad_message"
        assert await ann.refused(type="analyse", game="tictactoe", ply=1) == "bad_message"


async def test_nobody_gets_help_while_a_game_between_people_is_under_way() -> None:
    line = {"type": "analyse", "game": "tictactoe", "moves": ["5"]}
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await ann.create()
        assert (await ann.request(**line))["type"] == "analysis", "it has not begun"
        await bob.join(room)
        assert (await ann.request(**line))["message"].startswith("You play Tic-tac-toe, in a game")
        assert (await ann.request(type="analyse", game="connect4", moves=["4"]))["type"] == "analysis"
        await ann.play(room, 0, "5")
        await bob.ok(type="resign", room=room)
        assert (await ann.request(**line))["type"] == "analysis"


async def test_a_long_line_costs_its_player() -> None:
    async with running_server(answer_bytes_per_player=2000) as url, connected(url) as ann:
        for _ in range(20):
            answer = await ann.request(type="analyse", game="tictactoe", moves=["1", "4", "2", "5"])
            if answer["type"] == "error":
                break
        assert answer["code"] == "rate_limited"
        assert answer["message"].startswith("You or others")
