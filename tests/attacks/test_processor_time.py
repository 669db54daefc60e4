"""Requests that take the event loop's processor time, from many addresses at once: they delay their senders alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from attacks.bystander import Bystander, Report, bystander
from attacks.storm import Connection, connections, frame
from attacks.test_requests import SIZE, long_game
from attacks.victim import limits_in_log, loaded, victim
from support.client import connected
from support.server import ServerProcess

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

Record = Callable[[str, object], None]

WAIT_S = 0.25
"""The delay by the attack that 99 of 100 requests of a bystander may have."""

BUSY = 10
"""The number of times that it may wait for a processor, on a machine that has too few for the server, the attack and
the rest."""

GROWTH = 100_000_000
"""The memory in bytes that the server may take beyond what it has in an attack."""

EACH = 60
"""The number of connections an address has."""

QUIET_S = 5.0
ATTACK_S = 60.0
"""The time the bystander is observed before an attack, and during it at most."""


def moves() -> list[str]:
    """224 moves of Gomoku in which nobody gets five in a row."""
    cells: dict[bool, list[str]] = {True: [], False: []}
    for row in range(SIZE):
        for column in range(SIZE):
            cells[(column + 2 * row) % 4 < 2].append(f"{chr(ord('a') + column)}{row + 1}")
    return [cells[turn % 2 == 0][turn // 2] for turn in range(2 * min(map(len, cells.values())))]


def text(payload: str) -> bytes:
    """A text frame of a client."""
    size = len(payload)
    return bytes((0x81, 0xFE)) + size.to_bytes(2, "big") + bytes(4) + payload.encode()


REPLAY = {"type": "replay", "game": "gomoku", "moves": moves()}
WRONG_MOVES = {"type": "replay", "game": "gomoku", "moves": [0] * 5300}
WRONG_CLOCK = {"type": "create", "game": "gomoku", "clock": {f"{n:x}": 0 for n in range(1500)}}
ARRAY = text("[" + "0," * 5300 + "0]")
WIDE_TREE = {"type": "trace", "tree": "[" + ",".join(["1"] * 1500) + "]"}


def addresses(number: int) -> list[str]:
    """So many addresses of this machine, none of them the bystander's."""
    return [f"127.0.3.{host + 1}" for host in range(number)]


@dataclass(frozen=True)
class Attacked:
    """A server and its bystander. ``quiet`` is what that saw without an attack."""

    server: ServerProcess
    bystander: Bystander
    quiet: Report

    async def check(
        self,
        name: str,
        attack: Callable[[], Any],
        record: Record,
        *,
        limit: str = "processor_time",
        named: str | None = "127.0.3.",
    ) -> None:
        """Run ``attack``; assert that the bystander is not disturbed, and that an attacker is named at ``limit``."""
        before, peaks = self.server.memory(), []

        async def watch() -> None:
            while True:
                peaks.append(self.server.memory())
                await asyncio.sleep(0.1)

        await self.bystander.report()
        watching = asyncio.create_task(watch())
        await attack()
        report = await self.bystander.report()
        watching.cancel()
        allowed_s, grown = WAIT_S + BUSY * max(report.late_s, self.quiet.p99_s), max(peaks) - before
        slowest_s = report.move_s[len(report.move_s) * 99 // 100]
        record(name, {**asdict(report), "grown": grown, "allowed_s": allowed_s, "quiet": asdict(self.quiet)})
        print(f"{name}: moves p99 {slowest_s * 1000:.0f} ms of {len(report.move_s)}, pings", end=" ")
        print(f"{report.p99_s * 1000:.0f} ms of {report.pings}, allowed {allowed_s * 1000:.0f} ms;", end=" ")
        print(f"{grown / 1e6:.0f} MB; {limits_in_log(self.server)}")
        assert not report.failures
        assert slowest_s < allowed_s
        assert report.p99_s < allowed_s
        assert not report.paused_ms
        assert grown < GROWTH
        assert "no clock ran" not in self.server.output()
        assert "Traceback" not in self.server.output()
        if named is not None:
            assert re.search(rf"limit {limit} stopped (\S+ at )?{re.escape(named)}", self.server.output())


@asynccontextmanager
async def attacked(directory: Path, **options: Any) -> AsyncIterator[Attacked]:
    """A server that has loaded what it needs, and its bystander."""
    async with victim(directory, ("-m", "noughts"), **options) as server, bystander(server.url) as quiet:
        await loaded(server)
        await quiet.report()
        await asyncio.sleep(QUIET_S)
        yield Attacked(server, quiet, await quiet.report())


async def settled(over: list[Connection], answers: int) -> None:
    """Wait until each connection that is still open has got so many answers."""
    async with asyncio.timeout(ATTACK_S):
        while any(not one.lost and sum(one.seen.values()) < answers for one in over):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


ANSWERS = (b'"positions"', b'"error"', b'"steps"')


async def burst(
    url: str, frames: list[bytes], number: int, *, each: int = EACH, words: tuple[bytes, ...] = ANSWERS
) -> None:
    """Send ``frames`` over ``each`` connections of so many addresses at once, and wait for the answers.

    Each answer has one of the ``words``, once.
    """
    from_ = addresses(number)
    async with connections(url, [None] * (each * number), from_, words=words) as attackers:
        for attacker in attackers:
            attacker.transport.write(b"".join(frames))
        await settled(attackers, len(frames))


def framed(request: Mapping[str, Any], times: int) -> list[bytes]:
    return [frame({"id": number, **request}) for number in range(times)]


@pytest.mark.parametrize("number", [1, 10, 20])
async def test_replays(number: int, tmp_path: Path, record_property: Record) -> None:
    async with attacked(tmp_path) as server:
        await server.check(
            f"replays from {number}", lambda: burst(server.server.url, framed(REPLAY, 5), number), record_property
        )


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("arrays", [ARRAY] * 20),
        ("wrong moves", framed(WRONG_MOVES, 20)),
        ("wrong clocks", framed(WRONG_CLOCK, 5)),
        ("mixed", [frame(one) for one in (REPLAY, WRONG_MOVES, WRONG_CLOCK, WIDE_TREE, REPLAY)] + [ARRAY] * 10),
    ],
)
async def test_frames_that_are_slow_to_read(
    name: str, frames: list[bytes], tmp_path: Path, record_property: Record
) -> None:
    async with attacked(tmp_path) as server:
        await server.check(name, lambda: burst(server.server.url, frames, 10), record_property)


async def test_replays_for_clients_that_do_not_read(tmp_path: Path, record_property: Record) -> None:
    async def attack() -> None:
        async with connections(url, [None] * (10 * EACH), addresses(10), reading=False) as attackers:
            for attacker in attackers:
                attacker.transport.write(b"".join(framed(REPLAY, 5)))
            await asyncio.sleep(QUIET_S)

    async with attacked(tmp_path) as server:
        url = server.server.url
        await server.check("replays that are not read", attack, record_property)


async def test_replays_for_clients_that_are_gone(tmp_path: Path, record_property: Record) -> None:
    """Nobody waits for their answers, so they are not made."""

    async def attack() -> None:
        for start in (0, 5, 10):  # an address may have 100 new players at once
            async with connections(url, [None] * (5 * EACH), addresses(15)[start : start + 5]) as attackers:
                for attacker in attackers:
                    attacker.transport.write(b"".join(framed(REPLAY, 5)))
                await asyncio.sleep(0.2)

    async with attacked(tmp_path) as server:
        url = server.server.url
        await server.check("replays for nobody", attack, record_property, named=None)


async def test_replays_from_many_ipv6_networks_of_one_site(tmp_path: Path, record_property: Record) -> None:
    async def attack() -> None:
        networks = [f"2001:db8:7:{number:x}::1" for number in range(100)]
        async with connections(url, [None] * 300, networks, words=ANSWERS) as attackers:
            for attacker in attackers:
                attacker.transport.write(b"".join(framed(REPLAY, 5)))
            await settled(attackers, 5)

    async with attacked(tmp_path, trusted_proxies=["127.0.0.1"]) as server:
        url = server.server.url
        await server.check("replays from one site", attack, record_property, named="2001:db8:7:")


async def long_games(url: str, number: int) -> list[str]:
    """So many long games, resigned at the end."""
    async with connected(url) as one, connected(url) as two:
        rooms = []
        for _ in range(number):
            rooms.append(await long_game(one, two))
            await one.ok(type="resign", room=rooms[-1])
        return rooms


async def test_long_rooms_that_are_watched_from_their_beginning(tmp_path: Path, record_property: Record) -> None:
    """600 connections ask for what they have missed of two rooms: 224 updates each time, until they may not."""
    async with victim(tmp_path, ("-m", "noughts"), messages_per_s=1000) as making:
        rooms = await long_games(making.url, 2)
    async with attacked(tmp_path) as server:
        requests = [{"type": "watch", "room": rooms[number % 2], "since": 1} for number in range(6)]
        frames = [frame({"id": number, **request}) for number, request in enumerate(requests)]
        attack = partial(burst, server.server.url, frames, 10, words=(b'"ok"', b'"error"'))
        await server.check("watch since", attack, record_property, limit="update_backlog_bytes")


async def test_a_lobby_that_many_ask_for_at_once(tmp_path: Path, record_property: Record) -> None:
    """600 connections watch a full list, which changes with the rooms that they open."""
    requests: list[Mapping[str, Any]] = [
        {"type": "lobby", "watch": True},
        {"type": "create", "game": "gomoku"},
        {"type": "lobby"},
    ]
    async with attacked(tmp_path) as server:
        url = server.server.url
        async with connected(url) as one, connected(url) as two:
            for client in (one, two):
                for _ in range(50):
                    await client.create()
            frames = [frame({"id": number, **request}) for number, request in enumerate(requests)]
            attack = partial(burst, url, frames, 10, words=(b'"ok"', b'"error"'))
            await server.check("lobby", attack, record_property, limit="lobby")


async def test_reviews_from_many_addresses(tmp_path: Path, record_property: Record) -> None:
    """600 connections ask for reviews of three long games, and are sent each move of them as it gets done."""
    async with victim(tmp_path, ("-m", "noughts"), messages_per_s=1000) as making:
        rooms = await long_games(making.url, 3)
    async with attacked(tmp_path) as server:
        requests = [{"type": "review", "room": room} for room in rooms + rooms]
        frames = [frame({"id": number, **request}) for number, request in enumerate(requests)]
        attack = partial(burst, server.server.url, frames, 10, words=(b'"review"', b'"error"'))
        await server.check("reviews", attack, record_property)
