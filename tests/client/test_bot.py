import asyncio
import functools
import itertools
import random
import threading
import time
from contextlib import AsyncExitStack

import pytest

from noughts.protocol import State
from noughts.protocol.replay import replay
from noughts_client import Connection, ConnectionLost, RequestError, meet, play, run
from noughts_client.absence import AbsenceTiming
from noughts_client.terminal.records import fetch
from support.client import Client, connected
from support.ports import free_port
from support.proxy import proxied
from support.server import running_server

PATIENCE_S = 20


def lowest(state: State) -> str:
    return min(state["legal_moves"])


def quiet(_: str) -> None:
    """Print nothing."""


async def test_games_follow_each_other_with_the_sides_swapped() -> None:
    sides = []

    def bot(state: State) -> str:
        if state["ply"] < 2:
            sides.append(state["to_move"])
        return random.choice(state["legal_moves"])

    printed: list[str] = []
    async with running_server() as url:
        results = await asyncio.to_thread(run, bot, url, games=3, tell=printed.append)
    assert sides == ["first", "second", "first"]
    assert printed[0].startswith("Room ")
    # The computer plays perfectly.
    assert printed[1:] == [{"lost": "Lost by a line", "drawn": "Drawn"}[result] for result in results]
    assert len(results) == 3


async def test_two_bots_play_in_a_room_given_by_its_id() -> None:
    async with running_server() as url, AsyncExitStack() as stack:
        one = await stack.enter_async_context(Connection(url, bot=True))
        room = (await one.request({"type": "create", "game": "tictactoe"}))["room"]
        games, other_games = await asyncio.gather(
            play(lowest, one, games=2, tell=quiet),
            asyncio.to_thread(run, lowest, url, room=room, games=2, tell=quiet),
        )
    # The player who begins and always takes the lowest cell gets the diagonal of 3, 5 and 7.
    assert (games, other_games) == (["won", "lost"], ["lost", "won"])


async def test_a_bot_answers_each_turn_once_across_reconnects() -> None:
    turns: list[int] = []
    async with running_server(away_s=0.05) as url, proxied(url) as proxy, AsyncExitStack() as stack:
        me = await stack.enter_async_context(Connection(proxy.url, delays=lambda: itertools.repeat(0.2)))
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]

        def bot(state: State) -> str:
            turns.append(state["turn"])
            time.sleep(0.3)  # meanwhile the opponent comes and goes
            return min(state["legal_moves"])

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


@pytest.mark.parametrize("answer", [None, 5, ["5"]])
async def test_an_answer_that_is_not_a_move_raises_type_error(answer: object) -> None:
    async with running_server() as url, Connection(url, bot=True) as me:
        seats = {"first": "me", "second": "computer:easy"}
        await me.request({"type": "create", "game": "tictactoe", "seats": seats})
        with pytest.raises(
            TypeError, match=r"The bot returned .*; it must return a move as a string, here one of 1, 2, 3"
        ):
            await play(lambda _: answer, me, tell=quiet)  # type: ignore[arg-type, return-value]  # what the test is about


async def test_an_async_bot_raises_type_error() -> None:
    async def bot(state: State) -> str:
        return lowest(state)

    async with running_server() as url:
        with pytest.raises(TypeError, match=r"The bot returned <coroutine .*; a bot is a plain function"):
            await asyncio.to_thread(run, bot, url, tell=quiet)  # type: ignore[arg-type]  # what the test is about


@pytest.mark.parametrize(("side", "ply"), [("first", 0), ("X", 0), ("second", 1), ("o", 1)])
async def test_a_side_can_be_named_as_the_game_names_it(side: str, ply: int) -> None:
    plies: list[int] = []

    def bot(state: State) -> str:
        plies.append(state["ply"])
        return lowest(state)

    async with running_server() as url:
        await asyncio.to_thread(run, bot, url, side=side, against="easy", tell=quiet)
    assert plies[0] == ply


async def test_an_unknown_level_or_side_is_refused_with_the_known_ones() -> None:
    async with running_server() as url:
        with pytest.raises(
            ValueError, match="against is anybody, open or one of perfect, hard, medium, easy, not 'godlike'"
        ):
            await asyncio.to_thread(run, lowest, url, against="godlike", tell=quiet)
        with pytest.raises(ValueError, match="side is one of first, second, x, o, not 'z'"):
            await asyncio.to_thread(run, lowest, url, side="z", tell=quiet)


async def test_a_game_without_an_opponent_does_not_count() -> None:
    printed: list[str] = []
    async with running_server() as url, Connection(url, bot=True) as me:
        room = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        playing = asyncio.create_task(play(lowest, me, tell=printed.append))
        await me.request({"type": "abort", "room": room})
        async with asyncio.timeout(PATIENCE_S):
            assert await playing == []
    assert printed == ["Closed without a result"]


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


async def test_an_illegal_move_raises_an_error_with_the_legal_moves() -> None:
    async with running_server() as url, Connection(url, bot=True) as me:
        seats = {"first": "me", "second": "computer:easy"}
        await me.request({"type": "create", "game": "tictactoe", "seats": seats})
        with pytest.raises(RequestError, match="malformed_move") as refused:
            await play(lambda _: "x", me, tell=quiet)
        assert refused.value.__notes__ == ["The bot returned 'x'; the legal moves were 1, 2, 3, 4, 5, 6, 7, 8, 9."]


async def test_a_bot_must_play_at_least_one_game() -> None:
    async with running_server() as url, Connection(url, bot=True) as me:
        for games in (0, -1):
            with pytest.raises(ValueError, match="at least one game"):
                await play(lowest, me, games=games, tell=quiet)
            with pytest.raises(ValueError, match="at least one game"):
                await asyncio.to_thread(run, lowest, url, games=games, tell=quiet)


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


async def test_errors_reach_the_author_of_the_bot() -> None:
    def broken(state: State) -> str:
        raise ZeroDivisionError

    async with running_server() as url:
        with pytest.raises(RequestError, match="malformed_move"):
            await asyncio.to_thread(run, lambda _: "castle", url, tell=quiet)
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(run, broken, url, tell=quiet)
        with pytest.raises(RequestError, match="unknown_room"):
            await asyncio.to_thread(run, lowest, url, room="none", tell=quiet)
    with pytest.raises(ConnectionLost, match="No server answers") as lost:
        await asyncio.to_thread(run, lowest, f"ws://127.0.0.1:{free_port()}/ws", tell=quiet)
    assert lost.value.__cause__ is None
    assert lost.value.__suppress_context__


async def test_a_bot_with_a_token_plays_under_its_registered_name(monkeypatch: pytest.MonkeyPatch) -> None:
    seats = []

    def bot(state: State) -> str:
        seats.append(state["seats"]["first"])
        return lowest(state)

    async with running_server() as url, connected(url, "bot-1", bot=True) as known:
        await known.ok(type="register")
        await asyncio.to_thread(run, bot, url, against="easy", token=known.token, tell=quiet)
        monkeypatch.setenv("NOUGHTS_TOKEN", known.token)
        await asyncio.to_thread(run, bot, url, against="easy", name="another", tell=quiet)
    assert {(seat["id"], seat["registered"]) for seat in seats if seat} == {(known.id, True)}


async def test_two_bots_seek_each_other_for_several_timed_games() -> None:
    clocks: list[object] = []

    def bot(state: State) -> str:
        clocks.append(state["clock"] and state["clock"]["first_ms"])
        return lowest(state)

    printed: list[str] = []
    async with running_server() as url:
        games, other_games = await asyncio.gather(
            asyncio.to_thread(run, bot, url, against="anybody", clock="1+2", games=3, tell=printed.append),
            asyncio.to_thread(run, lowest, url, against="anybody", clock="1+2", games=3, tell=quiet),
        )
    swapped = {"won": "lost", "lost": "won", "drawn": "drawn"}
    assert [swapped[result] for result in games] == other_games
    assert len(games) == 3
    assert len({line for line in printed if line.startswith("Room ")}) == 3
    assert clocks[0] == 60_000


async def test_meet_seeks_another_opponent_after_an_aborted_game() -> None:
    async with running_server() as url, Connection(url, bot=True) as me, connected(url) as other:
        meeting = asyncio.create_task(meet(lowest, me, {"game": "tictactoe"}, tell=quiet))
        await other.ok(type="seek", game="tictactoe")
        room = await other.push("room")
        await other.ok(type="abort", room=room["room"])
        await other.ok(type="seek", game="tictactoe")
        while (room := await other.push("room"))["previous"] is not None or room["state"]["outcome"]:
            pass
        await other.ok(type="resign", room=room["room"])
        async with asyncio.timeout(PATIENCE_S):
            assert await meeting == ["won"]


async def test_a_seek_continues_after_a_reconnect() -> None:
    async with running_server() as url, proxied(url) as proxy, connected(url) as other, AsyncExitStack() as stack:
        delays = functools.partial(itertools.repeat, 0.05)
        me = await stack.enter_async_context(Connection(proxy.url, bot=True, delays=delays))
        meeting = asyncio.create_task(meet(lowest, me, {"game": "tictactoe"}, tell=quiet))
        while proxy.accepted < 4:
            proxy.cut()
            await asyncio.sleep(0.1)
        await other.ok(type="seek", game="tictactoe")
        await other.ok(type="resign", room=(await other.push("room"))["room"])
        async with asyncio.timeout(PATIENCE_S):
            assert await meeting == ["won"]


async def test_notes_are_in_the_record_of_the_game() -> None:
    def bot(state: State) -> tuple[str, str]:
        return lowest(state), f"{len(state['legal_moves'])} to choose from"

    printed: list[str] = []
    async with running_server() as url:
        await asyncio.to_thread(run, bot, url, against="easy", tell=printed.append)
        lines = await fetch(url, printed[0].removeprefix("Room "))
    assert lines is not None
    notes = [step.note for step in replay(lines) if step.note]
    assert notes[:2] == ["9 to choose from", "7 to choose from"]


async def test_a_long_note_is_cut_and_an_empty_one_is_not_sent() -> None:
    def bot(state: State) -> tuple[str, str]:
        return lowest(state), {0: "", 2: "x" + "é" * 1000}.get(state["ply"], "short")

    printed: list[str] = []
    async with running_server() as url:
        await asyncio.to_thread(run, bot, url, against="easy", tell=printed.append)
        lines = await fetch(url, printed[0].removeprefix("Room "))
    assert lines is not None
    assert [step.note for step in replay(lines) if step.note][:2] == ["x" + "é" * 511, "short"]


async def test_an_unknown_token_raises_value_error() -> None:
    async with running_server() as url:
        with pytest.raises(ValueError, match=r"the server at ws://.* does not know the token") as wrong:
            await asyncio.to_thread(run, lowest, url, token="A" * 43, tell=quiet)
    assert wrong.value.__suppress_context__


async def test_wrong_options_are_refused_before_connecting() -> None:
    with pytest.raises(ValueError, match="random: leave out side"):
        await asyncio.to_thread(run, lowest, "ws://127.0.0.1:1/ws", against="anybody", side="first")
    with pytest.raises(ValueError, match="Write a clock as"):
        await asyncio.to_thread(run, lowest, "ws://127.0.0.1:1/ws", against="anybody", clock="soon")


async def test_a_seek_ignores_rooms_that_were_known_before() -> None:
    async with running_server() as url, Connection(url, bot=True) as me, connected(url) as other:
        printed: list[str] = []
        mine = (await me.request({"type": "create", "game": "tictactoe"}))["room"]
        meeting = asyncio.create_task(meet(lowest, me, {"game": "tictactoe"}, tell=printed.append))
        await other.ok(type="join", room=mine)
        await me.request({"type": "watch", "room": mine})  # which sends it again
        await other.ok(type="seek", game="tictactoe")
        while (room := await other.push("room"))["room"] == mine:
            pass
        await other.ok(type="resign", room=room["room"])
        async with asyncio.timeout(PATIENCE_S):
            assert await meeting == ["won"]
        assert printed == [f"Room {room['room']}", "Won by resignation"]


async def test_a_seek_elsewhere_ends_this_one() -> None:
    async with running_server() as url, Connection(url, bot=True) as me:
        meeting = asyncio.create_task(meet(lowest, me, {"game": "tictactoe"}, tell=quiet))
        await me.request({"type": "ping"})  # answered after the seek
        async with connected(url, token=me.welcome["token"]) as elsewhere:
            await elsewhere.ok(type="seek", game="connect4")
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(ConnectionLost, match="You are looking for an opponent elsewhere"):
                    await meeting


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


async def test_a_restarted_bot_plays_its_unfinished_games_to_their_ends_first() -> None:
    async with running_server(away_s=0.05) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        async with Connection(url, bot=True) as before:
            token = before.welcome["token"]
            waiting = (await before.request({"type": "create", "game": "tictactoe"}))["room"]
            rooms = []
            for opponent in (ann, bob):
                rooms.append(await opponent.create())
                await before.request({"type": "join", "room": rooms[-1]})
                await opponent.ok(type="play", room=rooms[-1], turn=0, move="1")
        thinking = threading.Lock()

        def bot(state: State) -> str:
            assert thinking.acquire(blocking=False), "it is asked about one game at a time"
            time.sleep(0.02)
            thinking.release()
            return max(state["legal_moves"])

        told: list[str] = []
        running = asyncio.create_task(asyncio.to_thread(run, bot, url, token=token, games=2, tell=told.append))
        await asyncio.gather(*(play_against(opponent, room) for opponent, room in zip((ann, bob), rooms, strict=True)))
        async with asyncio.timeout(PATIENCE_S):
            assert await running == ["lost", "lost"]
        assert {words.split()[1].rstrip(",") for words in told if words.startswith("Room")} == set(rooms)
        await ann.ok(type="watch", room=waiting)
        while (shown := await ann.push())["room"] != waiting or shown["type"] != "room":
            pass
        assert shown["state"]["status"] == "waiting", "nobody has come there"


async def play_against(opponent: Client, room: str) -> None:
    """Win by the first row against a bot that always takes the highest cell."""
    for turn, move in ((2, "2"), (4, "3")):
        while (await opponent.push("update"))["state"]["turn"] != turn:
            pass
        await opponent.ok(type="play", room=room, turn=turn, move=move)


async def test_a_bot_can_leave_its_unfinished_games_to_another_program() -> None:
    async with running_server() as url, connected(url, "ann") as ann, Connection(url, bot=True) as other:
        room = await ann.create()
        await other.request({"type": "join", "room": room})
        token = other.welcome["token"]
        playing = functools.partial(run, lowest, url, token=token, against="easy", resume=False, tell=quiet)
        assert len(await asyncio.to_thread(playing)) == 1
        assert [game["room"] async for game in other.games()] == [room]


async def test_an_open_seek_is_found_and_taken() -> None:
    async with running_server() as url, Connection(url, name="ann") as ann, Connection(url, name="bob") as bob:
        await ann.request({"type": "seek", "game": "gomoku"})
        assert await ann.open_seeks() == []
        (found,) = await bob.open_seeks("gomoku")
        assert (found["player"]["name"], found["clock"]) == ("ann", None)
        room = await bob.take(found["seek"])
        for one in (ann, bob):
            message = await anext(one)
            assert message["type"] == "room"
            assert message["room"] == room
        with pytest.raises(RequestError, match="unknown_seek"):
            await bob.take(found["seek"].replace(".", ".x"))
