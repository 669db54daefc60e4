"""Who reads slowly gets less, who does not read is cut off, and nobody else is delayed by it."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from noughts.gateway import audience, lobby
from support.client import Client, Json, connected
from support.server import running_server
from support.table import served

PROMPT_S = 2.0
"""Others must be served within this time; a server that waited for the slow reader would take half a minute."""

REQUESTS = 1200
"""How many requests for 8 KB are sent by who does not read."""

LOOPS = ["asyncio", "uvloop"]


@asynccontextmanager
async def slow_reader(url: str, token: str | None = None) -> AsyncIterator[Client]:
    """A client with next to no buffers of its own, so that what it does not read stays with the server."""
    where = urlsplit(url)
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.setblocking(False)
    await asyncio.get_running_loop().sock_connect(narrow, (where.hostname, where.port))
    async with connect(url, sock=narrow, compression=None, max_queue=None, ping_interval=None, close_timeout=1) as end:
        client = Client(end)
        client.welcome = await client.request(type="hello", protocol=1, name="slow", token=token)
        yield client


def stop_reading(client: Client) -> None:
    client.socket.transport.pause_reading()


def read_again(client: Client) -> None:
    client.socket.transport.resume_reading()


async def ballast(one: Client, two: Client) -> str:
    """A room of which it takes 8 KB to tell all that has happened, and one short request to ask for it."""
    room = await one.create()
    await two.join(room)
    for turn, move in enumerate("123546879"):
        await (two if turn % 2 else one).play(room, turn, move)
    await caught_up(one, two)
    return room


async def clog(client: Client, room: str) -> None:
    """Stop reading, and ask for 9 MB: Linux holds up to 4 MB of them in the kernel, the rest is the server's."""
    stop_reading(client)
    for _ in range(REQUESTS):
        await client.send(type="watch", room=room, since=0)


async def taken(client: Client, other: Client) -> None:
    """Wait until the server has taken all that a client has sent that does not read: ``other`` sees the last of it."""
    await client.send(type="create", game="tictactoe")
    async with asyncio.timeout(PROMPT_S):
        while not any(listed["seats"]["first"]["id"] == client.id for listed in await lobby_of(other)):
            pass


async def lobby_of(client: Client) -> list[Json]:
    rooms: list[Json] = (await client.ok(type="lobby"))["rooms"]
    return rooms


async def caught_up(*clients: Client) -> None:
    """Drop all that was pushed until now."""
    for client in clients:
        await client.request(type="ping")
        client.pushed.clear()


async def play_promptly(players: tuple[Client, Client], others: list[Client], room: str, moves: str) -> int:
    """Play ``moves``, of which everybody else hears at once; the version after the last."""
    for turn, move in enumerate(moves):
        async with asyncio.timeout(PROMPT_S):
            assert (await players[turn % 2].play(room, turn, move))["type"] == "ok"
            for client in (*players, *others):
                update = await client.push("update")
                assert update["event"]["move"] == move
    return int(update["version"])


async def heard(client: Client, rooms: list[str], version: int) -> None:
    """Wait until the client has heard of a version of each room."""
    missing = set(rooms)
    while missing:
        message = await client.push("update")
        if message["version"] == version:
            missing.remove(message["room"])


@pytest.mark.parametrize("loop", LOOPS)
async def test_past_the_first_bound_updates_are_held_back(loop: str, tmp_path: Path) -> None:
    async with (
        served(loop, tmp_path, backlog_bytes=64 * 2**20) as server,
        connected(server.url, "one") as one,
        connected(server.url, "two") as two,
        connected(server.url, "other") as other,
        slow_reader(server.url) as slow,
    ):
        long = await ballast(one, two)
        room = await one.create()
        await two.join(room)
        for client in (other, slow):
            await client.ok(type="watch", room=room)
        await caught_up(one, two, other, slow)
        await clog(slow, long)
        await taken(slow, one)
        await play_promptly((one, two), [other], room, "5192")
        read_again(slow)
        answers = 0
        while (message := await slow.push()).get("room") != room:
            answers += message["type"] == "ok" and message["room"] == long
        # Every answer came, then the newest room instead of the updates on the way to it.
        assert answers == REQUESTS
        assert (message["type"], message["version"]) == ("room", 6)
        assert message["state"]["moves"] == list("5192")
        # And from then on it is like the others again.
        await slow.quiet()
        await one.play(room, 4, "3")
        assert (await slow.push())["event"]["move"] == "3"


@pytest.mark.parametrize("loop", LOOPS)
async def test_past_the_second_bound_the_connection_is_cut(loop: str, tmp_path: Path) -> None:
    async with (
        served(loop, tmp_path, backlog_bytes=2**20, away_s=0.2) as server,
        connected(server.url, "one") as one,
        connected(server.url, "two") as two,
        connected(server.url, "other") as other,
        slow_reader(server.url) as slow,
    ):
        long = await ballast(one, two)
        room = await one.create()
        await slow.join(room)
        await other.ok(type="watch", room=room)
        await caught_up(one, other)
        await clog(slow, long)
        for client in (one, other):
            async with asyncio.timeout(PROMPT_S):
                assert (await client.push("update"))["event"] == {"kind": "disconnected", "side": "second"}
                assert (await client.request(type="ping"))["type"] == "pong"
        read_again(slow)
        with suppress(ConnectionClosed):
            while True:
                await slow.receive()
        assert slow.socket.close_code == 1006
        # The seat is kept.
        async with connected(server.url, token=slow.token) as again:
            assert (await again.ok(type="watch", room=room))["seat"] == "second"
            assert (await one.push("update"))["event"]["kind"] == "returned"


@pytest.mark.parametrize("loop", LOOPS)
async def test_who_falls_behind_in_many_rooms_sees_the_end_of_each(loop: str, tmp_path: Path) -> None:
    async with (
        served(loop, tmp_path, backlog_bytes=64 * 2**20) as server,
        connected(server.url, "one") as one,
        connected(server.url, "two") as two,
        slow_reader(server.url) as slow,
    ):
        long = await ballast(one, two)
        rooms = [await one.create() for _ in range(50)]
        for room in rooms:
            await two.join(room)
            await slow.ok(type="watch", room=room)
        await caught_up(one, two, slow)
        stop_reading(slow)
        for turn, move in enumerate("123546879"):
            if turn == 3:
                await clog(slow, long)
                await taken(slow, one)
            for room in rooms:
                await (two if turn % 2 else one).send(type="play", room=room, turn=turn, move=move)
            async with asyncio.timeout(PROMPT_S):
                await asyncio.gather(*(heard(client, rooms, turn + 3) for client in (one, two)))
        read_again(slow)
        told: dict[str, list[tuple[str, int]]] = {room: [] for room in rooms}
        while not all(story and story[-1][1] == 11 for story in told.values()):
            message = await slow.push()
            if message.get("room") in told:
                told[message["room"]].append((message["type"], message["version"]))
        for story in told.values():
            assert story == [("update", 3), ("update", 4), ("update", 5), ("room", 11)]
        await slow.quiet()


async def test_who_never_catches_up_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audience, "PATIENCE_S", 0.5)
    async with (
        running_server(backlog_bytes=64 * 2**20) as url,
        connected(url, "one") as one,
        connected(url, "two") as two,
        slow_reader(url) as slow,
    ):
        long = await ballast(one, two)
        room = await one.create()
        await two.join(room)
        await slow.ok(type="watch", room=room)
        await caught_up(one, two)
        await clog(slow, long)
        await taken(slow, one)
        await play_promptly((one, two), [], room, "5")
        assert await spectators(one, room) == 1
        await asyncio.sleep(0.8)
        assert await spectators(one, room) == 0


async def test_who_does_not_read_the_lobby_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "CHANGES_S", 0.01)
    async with running_server(backlog_bytes=65_536) as url, connected(url, "one") as one:
        narrow(url)
        async with slow_reader(url) as slow:
            room = await one.create()
            await slow.ok(type="watch", room=room)
            await slow.ok(type="lobby", watch=True)
            stop_reading(slow)
            for _ in range(500):
                await one.create()
            assert await spectators(one, room) == 0


def narrow(url: str) -> None:
    """Give the connections that a server in this process takes from now on a small buffer in the kernel."""
    port = urlsplit(url).port
    for name in os.listdir("/dev/fd"):
        with suppress(OSError), socket.fromfd(int(name), socket.AF_INET, socket.SOCK_STREAM) as end:
            if end.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and end.getsockname()[1] == port:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)


async def spectators(client: Client, room: str) -> int:
    """How many watch a room."""
    await client.ok(type="watch", room=room)
    while (message := await client.push("room"))["room"] != room:
        pass
    return int(message["presence"]["spectators"])
