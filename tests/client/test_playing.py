import asyncio
import itertools
import logging
import re
import threading
import time
from contextlib import AsyncExitStack
from typing import Any

import pytest

from noughts.games import GAMES
from noughts_client import BotError, BotState, Connection, ConnectionLost, play, playing, run_async
from noughts_client.failure import BotFailed, Failure
from noughts_client.playing import AbsenceTiming, deadline, insist
from support.client import connected
from support.proxy import proxied
from support.server import running_server

PATIENCE_S = 20


def lowest(state: BotState) -> str:
    return str(min(state["legal_moves"]))


def quiet(_: str) -> None:
    """Print nothing."""


async def test_two_bots_play_in_a_room_given_by_its_id() -> None:
    async with running_server() as url, AsyncExitStack() as stack:
        one = await stack.enter_async_context(Connection(url, bot=True))
        room = (await one.request({"type": "create", "game": "tictactoe"}))["room"]
        games, other_games = await asyncio.gather(
            play(lowest, one, games=2, tell=quiet),
            run_async(lowest, url, room=room, games=2, tell=quiet),
        )
    # The player who begins and always takes the lowest cell gets the diagonal of 3, 5 and 7.
    assert (games, other_games) == (["won", "lost"], ["lost", "won"])


async def test_a_bot_answers_each_turn_once_across_reconnects() -> None:
    turns: list[int] = []
    async with running_server(away_s=0.05) as url, proxied(url) as proxy, AsyncExitStack() as stack:
        me = await stack.enter_async_context(Connection(proxy.url, delays=lambda: itertools.repeat(0.2)))
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]

        def bot(state: BotState) -> str:
            turns.append(state["turn"])
            time.sleep(0.3)  # meanwhile the opponent comes and goes
            return str(min(state["legal_moves"]))

        playing = asyncio.create_task(play(bot, me, tell=quiet))
        async with connected(url) as other:
            token = other.token
            await other.join(room)
        for turn, move in ((1, "4"), (3, "6")):
            async with connected(url, token=token) as other:
                await other.ok(type="watch", room=room)
                while (await other.push())["state"]["turn"] != turn:
                    pass
                proxy.cut()
                assert (await other.play(room, turn, move))["type"] == "ok"
        async with asyncio.timeout(PATIENCE_S):
            assert await playing == ["won"]
    assert turns == [0, 2, 4]


async def test_a_game_without_an_opponent_does_not_count() -> None:
    printed: list[str] = []
    async with running_server() as url, Connection(url, bot=True) as me:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        playing = asyncio.create_task(play(lowest, me, tell=printed.append))
        await me.request({"type": "abort", "room": room})
        async with asyncio.timeout(PATIENCE_S):
            assert await playing == []
    assert printed == [f"Closed without a result as X, in room {room}"]


async def test_a_bot_does_not_wait_for_an_opponent_who_left_before_the_end() -> None:
    async with running_server(away_s=0.05) as url, Connection(url, bot=True) as me:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        async with connected(url) as other:
            await other.join(room)
        async for message in me:
            if message["type"] == "update" and message["event"]["kind"] == "disconnected":
                break
        await me.request({"type": "resign", "room": room})
        async with asyncio.timeout(PATIENCE_S):
            assert await play(lowest, me, games=2, tell=quiet) == ["lost"]


async def test_a_bot_stops_when_the_opponent_leaves() -> None:
    async with running_server(away_s=0.1) as url, Connection(url, bot=True) as me:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        async with connected(url) as other:
            await other.join(room)
            playing = asyncio.create_task(play(lowest, me, games=3, tell=quiet))
            await other.ok(type="resign", room=room)
        async with asyncio.timeout(PATIENCE_S):
            assert len(await playing) == 1


async def test_a_bot_stops_when_the_opponent_declines_a_rematch() -> None:
    async with running_server() as url, Connection(url, bot=True) as me, connected(url) as other:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        await other.join(room)
        playing = asyncio.create_task(play(lowest, me, games=2, tell=quiet))
        await other.ok(type="resign", room=room)
        while (await other.push("update"))["event"]["kind"] != "offered":
            pass
        await other.ok(type="decline_rematch", room=room)
        async with asyncio.timeout(PATIENCE_S):
            assert await playing == ["won"]


@pytest.mark.parametrize(("moves", "results"), [(1, []), (3, ["won"])])
async def test_a_game_that_the_opponent_left_is_ended(moves: int, results: list[str]) -> None:
    async with running_server(away_s=0.05, claim_s=1) as url, proxied(url) as proxy, AsyncExitStack() as stack:
        me = await stack.enter_async_context(Connection(proxy.url, bot=True))
        opened = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        playing = asyncio.create_task(play(lowest, me, tell=quiet, timing=AbsenceTiming(abort_s=0.3, retry_s=0.1)))
        async with connected(url) as other:
            await other.join(opened)
            while (await other.push("update"))["state"]["ply"] < 1:
                pass
            if moves > 1:
                assert (await other.play(opened, 1, "9"))["type"] == "ok"
        if moves > 1:
            proxy.cut()  # perhaps during a claim
        async with asyncio.timeout(PATIENCE_S):
            assert await playing == results


async def test_a_bot_is_told_all_about_its_game_and_after_a_takeback_too() -> None:
    states: list[BotState] = []
    start = GAMES["tictactoe"].start

    def bot(state: BotState) -> str:
        states.append(state)
        assert state.position.ply == state["ply"]
        return str(min(state["legal_moves"]))

    async with running_server() as url, Connection(url, bot=True) as me, connected(url, "ann") as ann:
        terms = {"game": "tictactoe", "clock": {"initial_s": 60, "increment_s": 0}}
        room = (await me.request({"type": "create", **terms, "seats": {"first": "open", "second": "me"}}))["room"]
        await ann.join(room)
        playing = asyncio.create_task(play(bot, me, tell=quiet))
        await ann.ok(type="play", room=room, turn=0, move="5")
        while (await ann.push("update"))["state"]["turn"] != 2:
            pass
        await ann.ok(type="offer_takeback", room=room)
        await me.request({"type": "accept_takeback", "room": room})
        await ann.ok(type="play", room=room, turn=4, move="9")
        while (await ann.push("update"))["state"]["turn"] != 6:
            pass
        await ann.ok(type="resign", room=room)
        async with asyncio.timeout(PATIENCE_S):
            assert await playing == ["won"]
    first, second = states
    assert (first.game, first.room, first.side, first.symbol) == ("tictactoe", room, "second", "o")
    assert first.control == {"initial_s": 60, "increment_s": 0}
    assert first.position == start.play("5")
    assert second.position == start.play("9")
    assert (second["turn"], second["ply"]) == (5, 1)
    assert first.deadline is not None
    assert 0 < first.deadline - time.monotonic() <= 60


def clock_message(at: str, since: str | None, running: str | None) -> Any:
    clock = {"first_ms": 5000, "second_ms": 9000, "running": running, "since": since}
    return {"type": "update", "at": f"2026-11-22T10:00:{at}Z", "state": {"clock": clock}}


def test_the_deadline_is_when_the_clock_runs_out() -> None:
    since = "2026-11-22T10:00:10Z"
    welcome = "2026-11-22T10:00:00Z"
    assert deadline(clock_message("10", since, "first"), "first", welcome, 100) == 105
    assert deadline(clock_message("10", since, "second"), "second", welcome, 100) == 109
    assert deadline(clock_message("12", since, "first"), "first", welcome, 100) == 103, "another event came after it"
    assert deadline(clock_message("10", None, None), "first", welcome, 100) == 105, "the clock does not run yet"
    missed = clock_message("10", since, "first")
    assert deadline(missed, "first", "2026-11-22T10:00:14Z", 100) == 101, "it was missed, and came after a reconnect"
    snapshot: Any = {**clock_message("10", since, "first"), "type": "room", "now": "2026-11-22T10:00:11Z"}
    assert deadline(snapshot, "first", welcome, 100) == 104
    missed["state"]["clock"] = None
    assert deadline(missed, "first", welcome, 100) is None


@pytest.mark.parametrize("is_async", [False, True])
async def test_the_end_of_a_game_is_noticed_while_the_bot_still_thinks(is_async: bool) -> None:
    thinking, cancelled, go_on = asyncio.Event(), [], threading.Event()
    loop = asyncio.get_running_loop()

    def bot(state: BotState) -> str:
        loop.call_soon_threadsafe(thinking.set)
        go_on.wait(60)
        return lowest(state)

    async def async_bot(state: BotState) -> str:
        thinking.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(state)
            raise
        return lowest(state)

    over: list[tuple[str, str | None]] = []

    async def note(room: str, result: str | None) -> None:
        assert len(cancelled) == is_async, "nobody thinks about the game any more"
        over.append((room, result))

    async with running_server() as url, Connection(url, bot=True) as me, connected(url, "ann") as ann:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        await ann.join(room)
        playing = asyncio.create_task(play(async_bot if is_async else bot, me, tell=quiet, over=note))
        async with asyncio.timeout(PATIENCE_S):
            await thinking.wait()
            await ann.ok(type="resign", room=room)
            assert await playing == ["won"]
        go_on.set()
    assert over == [(room, "won")]


async def test_a_bot_that_fails_resigns_so_that_its_opponent_does_not_wait() -> None:
    async def broken(_: BotState) -> str:
        raise KeyError("e4")

    told: list[str] = []
    async with running_server() as url, Connection(url, bot=True) as me, connected(url, "ann") as ann:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        await ann.join(room)
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(BotError, match="KeyError: 'e4'"):
                await play(broken, me, games=3, tell=told.append)
            while (outcome := (await ann.push("update"))["state"]["outcome"]) is None:
                pass
        await ann.quiet()
    assert (outcome["winner"], outcome["reason"]) == ("second", "resignation")
    assert told == [
        f"The bot failed in room {room} and resigns.",
        f"Lost as X against ann, by resignation, in room {room}",
    ]


async def test_a_program_that_fails_loses_one_game_and_plays_the_next() -> None:
    def bot(state: BotState) -> str:
        if state.side == "first":
            raise BotFailed(Failure("exit", "The bot ended with status 3."))
        return lowest(state)

    told: list[str] = []
    async with running_server() as url, Connection(url, bot=True) as me:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        async with asyncio.timeout(PATIENCE_S):
            results, _ = await asyncio.gather(
                play(bot, me, games=2, tell=told.append), run_async(lowest, url, room=room, games=2, tell=quiet)
            )
    assert results == ["lost", "lost"]
    assert told[0] == f"The bot failed in room {room} and resigns."


async def test_the_log_says_when_the_connection_is_lost_and_restored(caplog: pytest.LogCaptureFixture) -> None:
    async with running_server() as url, proxied(url) as proxy, AsyncExitStack() as stack:
        me = await stack.enter_async_context(Connection(proxy.url, bot=True, delays=lambda: itertools.repeat(0.05)))
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        with caplog.at_level(logging.WARNING, "noughts_client"):
            playing = asyncio.create_task(play(lowest, me, tell=quiet))
            proxy.cut()
            async with connected(url, "ann") as ann:
                await ann.join(room)
                while (await ann.push("update"))["state"]["turn"] != 1:
                    pass
                await ann.ok(type="resign", room=room)
                async with asyncio.timeout(PATIENCE_S):
                    assert await playing == ["won"]
    words = [record.getMessage() for record in caplog.records]
    assert words == [f"Lost the connection; reconnecting to {proxy.url}", f"Connected again to {proxy.url}"]


async def test_a_bot_is_not_asked_again_when_something_happens_while_it_thinks() -> None:
    asked: list[int] = []
    thinking, go_on = asyncio.Event(), asyncio.Event()

    async def bot(state: BotState) -> str:
        asked.append(state["turn"])
        if state["turn"] == 2:
            thinking.set()
            await go_on.wait()
        return lowest(state)

    async with running_server() as url, Connection(url, bot=True) as me, connected(url, "ann") as ann:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        await ann.join(room)
        playing = asyncio.create_task(play(bot, me, tell=quiet))
        async with asyncio.timeout(PATIENCE_S):
            while (await ann.push("update"))["state"]["turn"] != 1:
                pass
            await ann.ok(type="play", room=room, turn=1, move="9")
            await thinking.wait()
            await ann.ok(type="offer_draw", room=room)
            await me.request({"type": "ping"})  # answered after the offer
            go_on.set()
            while (await ann.push("update"))["state"]["turn"] != 3:
                pass
            await ann.ok(type="resign", room=room)
            assert await playing == ["won"]
    assert asked == [0, 2]


async def test_a_request_that_is_not_safe_to_repeat_is_sent_until_it_is_answered() -> None:
    async with running_server() as url, proxied(url) as proxy, connected(url, "ann") as ann, AsyncExitStack() as stack:
        me = await stack.enter_async_context(Connection(proxy.url, bot=True, delays=lambda: itertools.repeat(0.05)))
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        await ann.join(room)
        resigning = asyncio.create_task(insist(me, {"type": "resign", "room": room}))
        await asyncio.sleep(0)  # it is sent
        proxy.cut()
        async with asyncio.timeout(PATIENCE_S):
            await resigning
            while (outcome := (await ann.push("update"))["state"]["outcome"]) is None:
                pass
        assert outcome["reason"] == "resignation"
        await insist(me, {"type": "resign", "room": room})  # refused: it had arrived
        await me.close()
        assert me.ended
        with pytest.raises(ConnectionLost, match="has ended"):
            await insist(me, {"type": "resign", "room": room})


async def test_a_bot_that_goes_on_thinking_after_its_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "LATE_S", 0.2)
    late = threading.Event()

    def bot(state: BotState) -> str:
        if state["turn"] > 1:
            late.wait()
        return str(state["legal_moves"][0])

    told: list[str] = []
    async with running_server() as url:
        with pytest.raises(BotError, match=r"when its time was up, nor 0\.2 s later\.\nTraceback .*\n.*, in bot\n"):
            await run_async(bot, url, against="easy", clock="1s+0", games=2, tell=told.append)
    late.set()
    _, result, time_used = told
    assert "on time" in result
    assert re.fullmatch(r"It thought \d+\.\d s at turn 2, and had [01]\.\d s\.", time_used)
