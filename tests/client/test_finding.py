import asyncio
import functools
import itertools
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from features.test_tournaments import opened
from noughts_client import BotError, BotState, Connection, ConnectionLost, meet, run_async
from noughts_client.connection import Pushed
from noughts_client.finding import play_and_leave
from noughts_client.playing import BotPlayer, play_games
from noughts_client.thinking import Thinker
from support.client import Client, connected
from support.eventually import soon
from support.proxy import proxied
from support.server import running_gateway, running_server

PATIENCE_S = 20


def lowest(state: BotState) -> str:
    return str(min(state["legal_moves"]))


def quiet(_: str) -> None:
    """Print nothing."""


async def test_two_bots_seek_each_other_for_several_timed_games() -> None:
    clocks: list[object] = []

    def bot(state: BotState) -> str:
        clocks.append(state["clock"] and state["clock"]["first_ms"])
        return lowest(state)

    printed: list[str] = []
    async with running_server() as url:
        games, other_games = await asyncio.gather(
            run_async(bot, url, against="anybody", clock="1+2", games=3, tell=printed.append),
            run_async(lowest, url, against="anybody", clock="1+2", games=3, tell=quiet),
        )
    swapped = {"won": "lost", "lost": "won", "drawn": "drawn"}
    assert [swapped[result] for result in games] == other_games
    assert len(games) == 3
    assert len({line for line in printed if line.startswith("Room ")}) == 3
    assert clocks[0] == 60_000


async def test_a_bot_says_which_tournament_it_has_entered() -> None:
    printed: list[str] = []
    async with running_server() as url, connected(url, "tea") as tea:
        await tea.ok(type="register")
        tournament = await opened(tea, name="Friday")
        playing = asyncio.create_task(run_async(lowest, url, tournament=tournament, tell=printed.append))
        await soon(lambda: printed == ["Entered Friday"])
        await tea.ok(type="end_tournament", tournament=tournament)
        async with asyncio.timeout(PATIENCE_S):
            assert await playing == []


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
        side = "X" if room["state"]["seats"]["second"]["id"] == other.id else "O"
        assert printed == [
            f"Room {room['room']}",
            f"Won as {side} against player-1, by resignation, in room {room['room']}",
        ]


async def test_a_seek_elsewhere_ends_this_one() -> None:
    async with running_server() as url, Connection(url, bot=True) as me:
        meeting = asyncio.create_task(meet(lowest, me, {"game": "tictactoe"}, tell=quiet))
        await me.request({"type": "ping"})  # answered after the seek
        async with connected(url, token=me.welcome["token"]) as elsewhere:
            await elsewhere.ok(type="seek", game="connect4")
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(ConnectionLost, match="You are looking for an opponent elsewhere"):
                    await meeting


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

        def bot(state: BotState) -> str:
            assert thinking.acquire(blocking=False), "it is asked about one game at a time"
            time.sleep(0.02)
            thinking.release()
            return str(max(state["legal_moves"]))

        told: list[str] = []
        running = asyncio.create_task(run_async(bot, url, token=token, games=2, tell=told.append))
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
        playing = functools.partial(run_async, lowest, url, token=token, against="easy", resume=False, tell=quiet)
        assert len(await playing()) == 1
        assert [game["room"] async for game in other.games()] == [room]


@pytest.mark.parametrize(("side", "ply"), [("first", 0), ("X", 0), ("second", 1), ("o", 1)])
async def test_a_side_can_be_named_as_the_game_names_it(side: str, ply: int) -> None:
    plies: list[int] = []

    def bot(state: BotState) -> str:
        plies.append(state["ply"])
        return lowest(state)

    async with running_server() as url:
        await run_async(bot, url, side=side, against="easy", tell=quiet)
    assert plies[0] == ply


async def test_a_bot_that_fails_in_one_of_its_unfinished_games_plays_the_others_to_their_ends() -> None:
    async with running_server(away_s=0.05) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        async with Connection(url, bot=True) as before:
            token = before.welcome["token"]
            rooms = []
            for opponent in (ann, bob):
                rooms.append(await opponent.create())
                await before.request({"type": "join", "room": rooms[-1]})
                await opponent.ok(type="play", room=rooms[-1], turn=0, move="1")

        def bot(state: BotState) -> str:
            return "" if state.room == rooms[0] else str(max(state["legal_moves"]))

        told: list[str] = []
        running = asyncio.create_task(run_async(bot, url, token=token, games=2, tell=told.append))
        await play_against(bob, rooms[1])
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(BotError, match=f"in room {rooms[0]}, .* it answered ''"):
                await running
    assert f"Lost as O against bob, to three in a row, in room {rooms[1]}" in told
    assert f"Lost as O against ann, by resignation, in room {rooms[0]}" in told


async def test_a_restarted_bot_waits_in_the_room_that_it_opened_before() -> None:
    clock = {"initial_s": 60, "increment_s": 0}
    others: tuple[dict[str, Any], ...] = (
        {"game": "tictactoe", "setup": {}},
        {"setup": {}},
        {"clock": clock},
        {"seats": {"first": "open", "second": "me"}},
    )
    async with running_server() as url, connected(url, "ann") as ann:
        async with Connection(url, bot=True) as before:
            token = before.welcome["token"]
            rooms = [
                (await before.request({"type": "create", "game": "breakthrough", "setup": {"size": 5}} | other))["room"]
                for other in (*others, {}, *others)
            ]
            room = rooms[len(others)]
        told: list[str] = []
        game = "breakthrough?size=5"
        running = asyncio.create_task(run_async(lowest, url, game=game, token=token, against="open", tell=told.append))
        await soon(lambda: bool(told))
        await ann.join(room)
        await ann.ok(type="resign", room=room)
        async with asyncio.timeout(PATIENCE_S):
            assert await running == ["won"]
        assert told[0] == f"Room {room}"


async def test_a_bot_plays_by_invitation() -> None:
    """One game after the other; an invitation to another game, or to a seat that is taken, comes to nothing."""
    async with running_gateway() as node, connected(node.url, "ann") as ann, connected(node.url, "ben") as ben:
        async with connected(node.url, "guest", bot=True) as guest:
            me, token = guest.id, guest.token
        printed: list[str] = []
        options: dict[str, Any] = {"token": token, "against": "invitations", "games": 2, "tell": printed.append}
        await soon(lambda: len(node.server.sessions) == 2)
        bot = asyncio.create_task(run_async(lowest, node.url, **options))
        await soon(lambda: len(node.server.sessions) == 3)
        reversi = await ann.ok(type="create", game="reversi")
        taken = await ann.create("open", "me")
        rooms = [await ann.create("open", "me"), await ann.create("me", "open")]
        for room in (reversi["room"], taken, *rooms):
            await ann.ok(type="invite", room=room, player=me)
            if room == taken:
                await ben.join(taken)
        async with asyncio.timeout(PATIENCE_S):
            for room in rooms:
                while (update := await ann.push("update"))["room"] != room or update["event"]["kind"] != "joined":
                    pass
                await ann.ok(type="resign", room=room)
            assert await bot == ["won", "won"]
        begun = [line for line in printed if line.startswith("Room")]
        assert begun == [f"Room {room}, by invitation" for room in rooms]


async def test_a_bot_that_waits_for_invitations_does_not_choose_its_side() -> None:
    with pytest.raises(ValueError, match="against invitations a bot does not choose its side"):
        await run_async(lowest, "127.0.0.1", against="invitations", side="first")


async def test_a_room_that_is_gone_does_not_end_the_other_games() -> None:
    async def lost(room: str) -> AsyncIterator[Pushed]:
        yield {"type": "gone", "room": room, "code": "unknown_room", "message": "There is no room with that id."}

    told: list[str] = []
    async with running_server() as url, Connection(url, bot=True) as me:
        player = BotPlayer(Thinker(lowest), me, told.append)
        assert await play_and_leave(player, "k3", lost("k3")) == []
        with pytest.raises(ConnectionLost, match="Room k3 is gone"):
            await play_games(player, lost("k3"), 1, rematches=True)
    assert told == ["Room k3 is gone: There is no room with that id."]
