import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import pytest

from noughts.league.seating import Guest, NoShow, Site, table
from noughts.league.state import LeagueError
from noughts_client.connection import Connection
from noughts_client.handshake import RequestError
from support.server import running_server

CLOCK = {"initial_s": 60.0, "increment_s": 1.0}
PLAYERS = {"first": "ann", "second": "bob"}


async def test_two_players_sit_down_in_a_public_room_and_play() -> None:
    async with running_server() as url, table(Site(url), "tictactoe", PLAYERS, CLOCK) as at:  # type: ignore[arg-type]
        async with Connection(url) as guest:
            listed = (await guest.request({"type": "lobby"}))["rooms"]
        assert [room["room"] for room in listed] == [at.room]
        for move in "14253":
            await at.play(move)
        assert at.over.done()
        assert at.state["outcome"] is not None
        assert at.state["outcome"]["winner"] == "first"


async def test_a_player_is_the_same_in_every_game() -> None:
    async with running_server() as url:
        site = Site(url)
        ids = []
        for _ in range(2):
            async with table(site, "tictactoe", PLAYERS, CLOCK) as at:  # type: ignore[arg-type]
                seat = at.state["seats"]["first"]
                assert seat is not None
                ids.append((seat["id"], seat["name"]))
                await at.seats["first"].request({"type": "resign", "room": at.room})
                await at.over
                assert at.state["outcome"] is not None
                assert (at.state["outcome"]["winner"], at.state["outcome"]["reason"]) == ("second", "resignation")
        assert ids[0] == ids[1]
        assert ids[0][1] == "ann"


async def test_a_seat_that_a_stranger_takes_does_not_stop_the_league() -> None:
    taken, freed = asyncio.Event(), asyncio.Event()

    class LateSite(Site):
        """Ann opens a room, and Bob comes late to the first: the stranger is in his seat."""

        @asynccontextmanager
        async def connected(self, name: str) -> AsyncIterator[Connection]:
            async with super().connected(name) as connection:
                request = connection.request

                async def late(message: dict[str, Any]) -> Any:
                    if name == "bob" and not taken.is_set():
                        await taken.wait()
                    return await request(message)

                connection.request = late  # type: ignore[method-assign]
                yield connection

    async def take_one(stranger: Connection) -> None:
        async for message in stranger:
            for room in message["rooms"] if message["type"] == "lobby" else ():
                if room["status"] == "waiting" and not taken.is_set():
                    await stranger.request({"type": "join", "room": room["room"]})
                    taken.set()
            if message["type"] == "update" and message["state"]["status"] == "over":
                freed.set()

    async with running_server() as url, Connection(url, name="stranger") as stranger:
        await stranger.request({"type": "lobby", "watch": True})
        taking = asyncio.create_task(take_one(stranger))
        async with table(LateSite(url), "tictactoe", PLAYERS, CLOCK) as at:  # type: ignore[arg-type]
            names = [seat and seat["name"] for seat in (at.state["seats"]["first"], at.state["seats"]["second"])]
            assert (taken.is_set(), names) == (True, ["ann", "bob"])
        async with asyncio.timeout(20):  # without a move the server would abort it after a minute
            await freed.wait()  # the room with the stranger was given up
        taking.cancel()


async def test_a_stranger_who_takes_every_open_seat_does_not_stop_the_league() -> None:
    taken, changed = set[str](), asyncio.Event()

    async def take_all(stranger: Connection) -> None:
        async for message in stranger:
            for room in message["rooms"] if message["type"] == "lobby" else ():
                if room["status"] == "waiting":
                    await stranger.request({"type": "join", "room": room["room"]})
                    taken.add(room["room"])
                    changed.set()

    async def come(guest: Connection) -> None:
        async for message in guest:
            if message["type"] == "invitation":
                listed = (await guest.request({"type": "lobby"}))["rooms"]
                while message["room"] in {room["room"] for room in listed} - taken:
                    changed.clear()
                    await changed.wait()
                with suppress(RequestError):
                    await guest.request({"type": "join", "room": message["room"]})

    async with running_server() as url, Connection(url) as stranger, Connection(url, name="cid", bot=True) as cid:
        await stranger.request({"type": "lobby", "watch": True})
        tasks = [asyncio.create_task(work) for work in (take_all(stranger), come(cid))]
        guest = Guest(cid.welcome["player"]["id"])
        async with table(Site(url), "tictactoe", {"first": "ann", "second": guest}, CLOCK) as at:
            assert at.state["seats"]["second"]["name"] == "cid"  # type: ignore[index]
        assert len(taken) == 1
        for task in tasks:
            task.cancel()


async def test_a_guest_who_does_not_come_is_named() -> None:
    async with running_server() as url, Connection(url, name="nobody") as nobody:
        guest = Guest(nobody.welcome["player"]["id"])
        site = Site(url, coming_s=0.3)
        for players, side in (
            ({"first": "ann", "second": guest}, "second"),
            ({"first": guest, "second": guest}, "first"),
        ):
            with pytest.raises(NoShow) as missing:
                async with table(site, "tictactoe", players, CLOCK):  # type: ignore[arg-type]
                    pass
            assert missing.value.side == side


async def test_guests_sit_where_they_should() -> None:
    async with running_server() as url, AsyncExitStack() as stack:
        guests = []
        for name in ("ann", "bob"):
            connection = await stack.enter_async_context(Connection(url, name=name))
            guests.append(Guest(connection.welcome["player"]["id"]))
            coming = asyncio.create_task(_come(connection))
            stack.callback(coming.cancel)
        for one, other in (guests, guests[::-1]):
            async with table(Site(url), "tictactoe", {"first": one, "second": other}, CLOCK) as at:
                sides = at.state["seats"]
                assert [sides["first"] and sides["first"]["id"], sides["second"] and sides["second"]["id"]] == [
                    one.player,
                    other.player,
                ]


async def _come(connection: Connection) -> None:
    async for message in connection:
        if message["type"] == "invitation":
            await connection.request({"type": "join", "room": message["room"]})


async def test_a_server_that_does_not_answer_or_refuses_is_an_error_of_the_league() -> None:
    site = Site("ws://127.0.0.1:9/ws")
    with pytest.raises(LeagueError, match=r"ann at ws://127\.0\.0\.1:9/ws: "):
        async with site.connected("ann"):
            pass
    async with running_server() as url:
        with pytest.raises(LeagueError, match="game"):
            async with table(Site(url), "shogi", PLAYERS, CLOCK):  # type: ignore[arg-type]
                pass
        with pytest.raises(LeagueError, match=f"ann at {url}"):
            async with Site(url, {"ann": "wrong"}).connected("ann"):
                pass


async def test_a_lost_server_ends_the_game_with_an_error() -> None:
    async def play_on() -> None:
        async with running_server() as url, table(Site(url), "tictactoe", PLAYERS, CLOCK) as at:  # type: ignore[arg-type]
            for connection in at.seats.values():
                await connection.close()
            await at.play("1")

    with pytest.raises(LeagueError, match="has ended"):
        await play_on()
