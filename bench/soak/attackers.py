"""The attacks of tests/attacks, each for as long as one likes."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from attacks import raw
from attacks.storm import connections, storm
from attacks.test_clocks import flood
from attacks.test_computers import crowd, play_on
from attacks.test_connections import SILENT, closed, load_page
from attacks.test_rooms import CREATE, of_player
from support.client import Client, Json, connected
from support.server import ServerProcess


@dataclass
class Prey:
    """The attackers' knowledge: the server, 90 guests of theirs, one client of theirs, and a long game."""

    server: ServerProcess
    guests: list[str]
    one: Client
    room: str


def frames(prey: Prey, seconds: float, piece: bytes, first: bytes = raw.HELLO, rate: int = 1_000_000) -> None:
    """Send ``piece`` again and again, on one connection after the other."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        with suppress(OSError, AssertionError), raw.shake_hands(prey.server.url, first) as connection:
            raw.flood(connection, piece, rate, min(3, left))
        time.sleep(0.1)


def silence(prey: Prey, seconds: float, *, dawdle: bool = False) -> None:
    """Keep connections open that say nothing, or a byte of the request every second."""
    held: dict[socket.socket, int] = {}
    end = time.monotonic() + seconds
    with ExitStack() as stack:
        while time.monotonic() < end:
            with suppress(OSError):
                while len(held) < SILENT // (5 if dawdle else 1):
                    held[stack.enter_context(raw.dial(prey.server.url))] = 0
            for connection, sent in list(held.items()):
                if closed(connection):
                    connection.close()
                    del held[connection]
                elif dawdle:
                    with suppress(OSError):
                        held[connection] += connection.send(raw.HANDSHAKE[sent : sent + 1])
            time.sleep(1)


async def ask(prey: Prey, seconds: float, whose: list[str], *requests: Json, reading: bool = True) -> None:
    """Storm the server with requests. Those who are cut off come back after 10 s."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        async with connections(prey.server.url, whose, reading=reading) as attackers:
            await storm(attackers, min(10, left), *requests)


async def browse(prey: Prey, seconds: float) -> None:
    """Ask for many pages."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await asyncio.gather(*(asyncio.to_thread(load_page, prey.server.url, 50) for _ in range(10)))


async def write(prey: Prey, seconds: float) -> None:
    """Open rooms, and abort them."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await ask(prey, 1, 20 * [prey.one.token], CREATE)
        for room in await of_player(prey.server, prey.one.id, prey.room):
            await prey.one.request(type="abort", room=room)
            prey.one.pushed.clear()


async def occupy(prey: Prey, seconds: float) -> None:
    """Play against the computer at fifty tables."""
    end = time.monotonic() + seconds
    async with connected(prey.server.url, None, token=prey.guests[0]) as client:
        await crowd(client, 50)
        await play_on(client, lambda: time.monotonic() > end)
        for room in await of_player(prey.server, client.id, prey.room):
            await client.request(type="resign", room=room)


LOBBY = ({"type": "lobby"}, {"type": "lobby", "watch": True})
KINDS = ("join", "leave", "resign", "abort", "offer_draw", "offer_rematch", "analyse", "chat", "seek", "unseek", "no")

ATTACKS: dict[str, Callable[[Prey, float], Awaitable[None]]] = {
    "nobody": lambda _, s: asyncio.sleep(s),
    "pings at 1 MB/s": lambda p, s: asyncio.to_thread(flood, p.server.url, s),
    "pongs at 1 MB/s": lambda p, s: asyncio.to_thread(frames, p, s, raw.PONG),
    "fragments": lambda p, s: asyncio.to_thread(
        frames, p, s, raw.PING, raw.HELLO + raw.frame(1, fin=False) + 4000 * raw.frame(0, fin=False), 10_000
    ),
    "silent connections": lambda p, s: asyncio.to_thread(silence, p, s),
    "slow handshakes": lambda p, s: asyncio.to_thread(silence, p, s, dawdle=True),
    "HTTP requests": browse,
    "the lobby": lambda p, s: ask(p, s, p.guests, *LOBBY),
    "the lobby, not reading": lambda p, s: ask(p, s, p.guests, *LOBBY, reading=False),
    "watch since": lambda p, s: ask(p, s, 10 * p.guests[:1], {"type": "watch", "room": p.room, "since": 1}),
    "replays": lambda p, s: ask(p, s, p.guests, {"type": "resign", "room": p.room}),
    "all kinds of requests": lambda p, s: ask(
        p, s, 10 * p.guests[1:2], *({"type": kind, "room": p.room} for kind in KINDS)
    ),
    "fifty computers": occupy,
    "a writer": write,
    "rooms of one player": lambda p, s: ask(p, s, 60 * p.guests[2:3], CREATE),
    "rooms of one address": lambda p, s: ask(p, s, p.guests, CREATE),
    "nobody again": lambda _, s: asyncio.sleep(s),
}
