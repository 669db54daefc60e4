"""Work that grows with the number of rooms and of games that end, on PostgreSQL.

    python -m bench.nodes.crowds [--quick] [--before PYTHON] [--only FIGURE]

Five figures: how long a node looks for the searches it may make among rooms in which a computer is to move; rooms a
second whose time is up; how long a node takes to note the players of a dead one, from the first to the last; how soon
a new leader of the public view shows a room, and the transactions of the database in its first seconds; and games rated
a second. ``--before`` is the interpreter of another installation of Noughts, which is measured too, in turns. Linux
only; needs PostgreSQL and Mosquitto.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import asyncpg

from bench.gateway.servers import NOUGHTS, ServerProcess, started
from bench.nodes.places import ALL_CORES
from noughts.journal import Append, GameResult, StoredPlayer
from noughts.journal.postgres.journal import PostgresJournal
from noughts.mqtt.link import Link
from noughts.mqtt.subscriptions import Received
from noughts.projection import index_row
from noughts.protocol.records import to_record
from noughts.rooms import Command, Join, Open, Options, Player, Room, Step, decide
from support.broker import running_broker
from support.client import connected
from support.postgres import Postgres, database, postgres_server

AT_ONCE = 1000
HOUR_MS = 3_600_000
USUAL = Options()
PATIENCE_S = 300.0
WATCHED_S = 10.0
"""The time after its start in which a new leader is watched."""

_UNLEASED = """
import asyncio, statistics, sys, time
from noughts.journal.postgres.journal import PostgresJournal
async def main():
    journal, took = await PostgresJournal.open(sys.argv[1]), []
    for _ in range(20):
        began = time.perf_counter()
        assert len(await journal.unleased(4)) == 4
        took.append(time.perf_counter() - began)
    print(statistics.median(took))
    await journal.close()
asyncio.run(main())
"""
_RATE = """
import asyncio, sys, time
from noughts.journal.postgres.journal import PostgresJournal
from noughts.ratings import rate_all
async def main():
    journal, began = await PostgresJournal.open(sys.argv[1]), time.perf_counter()
    await rate_all(journal)
    print(time.perf_counter() - began)
    await journal.close()
asyncio.run(main())
"""


@dataclass(frozen=True)
class Scale:
    """The numbers of rooms that wait, that are due, that are shown; and of games to rate."""

    waiting: int
    due: int
    shown: int
    rated: int


FULL = Scale(10_000, 6000, 10_000, 1000)
QUICK = Scale(200, 50, 50, 20)


def person(number: int) -> Player:
    return Player(f"p-{number}", f"player-{number}", "human")


def stored(player: Player) -> StoredPlayer:
    return StoredPlayer(player.id, player.name, "human", player.id.encode().ljust(32))


async def fill(
    journal: PostgresJournal, rooms: int, commands: Callable[[int], Sequence[Command]], age_ms: int = 0
) -> list[Room]:
    """Store ``rooms`` rooms, each after its ``commands``, whose number is the same for all."""
    now, states = journal.now() - age_ms, list[Room | None]([None] * rooms)
    for turn in range(len(commands(0))):
        for start in range(0, rooms, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, rooms))
            writes = []
            for number in numbers:
                command = commands(number)[turn]
                step = decide(states[number], command, now)
                assert isinstance(step, Step)
                states[number] = room = step.room
                players = [seat for seat in (room.first, room.second) if seat is not None]
                row = index_row(room, opener=f"{number // 200}".encode().ljust(16))
                writes.append(Append(room.id, room.version, to_record(step.event), row, tuple(map(stored, players))))
            assert all(await asyncio.gather(*map(journal.append, writes)))
    return [room for room in states if room is not None]


def opening(number: int, options: Options = USUAL) -> Open:
    """Player 2n opens room n."""
    player = person(2 * number)
    return Open(f"room-{number}", "tictactoe", player.id, player, None, options)


def played(number: int) -> tuple[Command, Command]:
    """Players 2n and 2n+1 begin a game in room n."""
    return opening(number), Join(person(2 * number + 1))


@asynccontextmanager
async def journal_in(postgres: Postgres) -> AsyncIterator[tuple[str, PostgresJournal]]:
    async with database(postgres) as url:
        journal = await PostgresJournal.open(url)
        try:
            yield url, journal
        finally:
            await journal.close()


async def unleased(python: str, postgres: Postgres, scale: Scale) -> dict[str, str]:
    async with journal_in(postgres) as (url, journal):
        rooms = await fill(journal, scale.waiting, lambda number: (opening(number),))
        for start in range(0, len(rooms), AT_ONCE):
            rows = [
                (room.id, replace(index_row(room, opener=f"{number // 200}".encode().ljust(16)), thinking=True))
                for number, room in enumerate(rooms[start : start + AT_ONCE], start)
            ]
            assert all(await asyncio.gather(*(journal.append(Append(room, 2, b"{}", row)) for room, row in rows)))
        await analyse(url)
        return {f"to find 4 searches among {scale.waiting:,}, ms": f"{1e3 * await run(python, _UNLEASED, url):.1f}"}


async def due(python: str, postgres: Postgres, scale: Scale) -> dict[str, str]:
    async with journal_in(postgres) as (url, journal):
        await fill(journal, scale.due, lambda number: (opening(number, Options(waiting_ms=1000)),), HOUR_MS)
        async with started([*NOUGHTS, "--journal", url], ALL_CORES, python) as node:
            took, cpu = await until_counted(url, "SELECT count(*) FROM rooms WHERE status = 'over'", scale.due, node)
        return {
            "rooms a second whose time is up": f"{scale.due / took:,.0f}",
            "and ms of processor time each": f"{cpu / scale.due * 1e3:.2f}",
        }


async def ratings(python: str, postgres: Postgres, scale: Scale) -> dict[str, str]:
    async with journal_in(postgres) as (url, journal):
        games = [
            GameResult(f"room-{n}", "tictactoe", f"p-{n % 97}", f"p-{n % 89 + 97}", "first", "line", True, "blitz", n)
            for n in range(scale.rated)
        ]
        await journal.results.replace({game.room: game for game in games})
        return {"games rated a second": f"{scale.rated / await run(python, _RATE, url):,.0f}"}


async def gone(python: str, postgres: Postgres, scale: Scale) -> dict[str, str]:
    """The players of all rooms are on a dead node."""
    with running_broker() as broker:
        async with journal_in(postgres) as (url, journal):
            await fill(journal, scale.shown, played)
            async with started([*NOUGHTS, "--journal", url, "--bus", broker.url], ALL_CORES, python) as node:
                noted = "SELECT count(*) FROM records WHERE version > 2"
                took, cpu = await until_counted(url, noted, 2 * scale.shown, node)
    return {
        f"to note the players of {scale.shown:,} rooms, s": f"{took:.1f}",
        "and ms of processor time for each room": f"{cpu / scale.shown * 1e3:.2f}",
    }


async def lead(python: str, postgres: Postgres, scale: Scale) -> dict[str, str]:
    """The leader dies while the public view has all rooms."""
    cores, rooms = ALL_CORES, scale.shown * 99 // 100  # no more are shown than FULL has
    with running_broker("max_queued_messages 20000", "log_type warning") as broker:
        async with journal_in(postgres) as (url, journal):
            await fill(journal, rooms, played)
            # Nobody is connected, and should not be noted as gone, as then a room is not public.
            command = [*NOUGHTS, "--journal", url, "--bus", broker.url, "--away-s=3600", "--node"]
            shown = Shown(broker.url)
            async with shown.link:
                async with started([*command, "old"], cores, python):
                    await shown.until(lambda: len(shown.states) >= rooms)
                async with started([*command, "new"], cores, python) as node:
                    took, statements, slowest_ms = await take_over(url, node, shown)
    return {
        f"until a new leader of {rooms:,} rooms shows another, s": f"{took:.1f}",
        f"transactions in its first {WATCHED_S:g} s": f"{statements:,}",
        "slowest opening of a room meanwhile, ms": f"{slowest_ms:.0f}",
    }


class Shown:
    """The states of rooms that the broker has."""

    def __init__(self, broker: str) -> None:
        self.states: dict[str, float] = {}
        self.link = Link(broker, node="bench")
        self.link.subscribe("rooms/+/state", self._receive, no_local=False)

    def _receive(self, received: Received) -> None:
        if received.payload:
            self.states[received.topic.split("/")[1]] = time.perf_counter()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not done():  # noqa: ASYNC110  # the broker calls nobody back
                await asyncio.sleep(0.05)


async def take_over(url: str, node: ServerProcess, shown: Shown) -> tuple[float, int, float]:
    """Seconds until the first room opened now is shown, the database's transactions, and the slowest opening in ms."""
    before, began, slowest = await transactions(url), time.perf_counter(), 0.0
    first, opened_at = "", 0.0
    async with connected(f"ws://127.0.0.1:{node.port}/ws", "ann") as ann:
        while time.perf_counter() - began < WATCHED_S:
            asked = time.perf_counter()
            room = await ann.create()
            slowest = max(slowest, time.perf_counter() - asked)
            if not first:
                first, opened_at = room, asked
            await asyncio.sleep(0.2)
        await shown.until(lambda: first in shown.states)
    await asyncio.sleep(1)  # PostgreSQL's processes publish their counters with a delay
    return shown.states[first] - opened_at, await transactions(url) - before, slowest * 1e3


async def transactions(url: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        return int(
            await connection.fetchval("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        )
    finally:
        await connection.close()


async def until_counted(url: str, count: str, until: int, node: ServerProcess) -> tuple[float, float]:
    """Seconds from when the count grows until it is reached, and the processor time of the node meanwhile."""
    connection = await asyncpg.connect(url)
    began = cpu = last = 0.0
    try:
        async with asyncio.timeout(PATIENCE_S):
            while (counted := await connection.fetchval(count)) < until:
                if not counted:
                    began, cpu = time.perf_counter(), node.cpu()
                await asyncio.sleep(0.05)
        last = time.perf_counter()
        return last - began, node.cpu() - cpu
    finally:
        await connection.close()


async def analyse(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


async def run(python: str, script: str, url: str) -> float:
    """The seconds that ``script`` prints."""
    process = await asyncio.create_subprocess_exec(python, "-c", script, url, stdout=subprocess.PIPE)
    out, _ = await process.communicate()
    return float(out)


MEASURES = (unleased, due, ratings, gone, lead)


async def main(scale: Scale, pythons: dict[str, str], only: str | None) -> None:
    found: dict[str, dict[str, str]] = {}
    with postgres_server() as postgres:
        for measure in MEASURES if only is None else [one for one in MEASURES if one.__name__ == only]:
            for name, python in pythons.items():
                for figure, value in (await measure(python, postgres, scale)).items():
                    print(f"{name}: {figure}: {value}", flush=True)
                    found.setdefault(figure, {})[name] = value
    print(f"\n| | {' | '.join(pythons)} |\n|---|{'---|' * len(pythons)}")
    for figure, values in found.items():
        print(f"| {figure} | {' | '.join(values.get(name, '') for name in pythons)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.nodes.crowds", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rooms, to check that it runs")
    parser.add_argument("--before", metavar="PYTHON", help="the interpreter of an installation to compare with")
    parser.add_argument("--only", choices=[one.__name__ for one in MEASURES], help="one of them alone")
    options = parser.parse_args()
    both = {} if options.before is None else {"before": options.before}
    asyncio.run(main(QUICK if options.quick else FULL, {**both, "now": sys.executable}, options.only))
