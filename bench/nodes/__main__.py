"""The cost and gain of several nodes: moves per second, and how soon a move is acknowledged and delivered.

    python -m bench.nodes [--quick]

Two players in each room play as fast as the server answers. The servers are: one node on SQLite; one on PostgreSQL, and
one with a broker besides; two on PostgreSQL and MQTT; and, as a control, two without a broker, which poll the journal
five times a second. With two nodes, the two players of a room are on different nodes, so that every move crosses. The
servers are visited in turns of about a second, in random order. Nothing is pinned: nodes, database, broker and load
share the machine's cores, and their CPU times show who used them. Linux only; needs PostgreSQL and Mosquitto. Journals
are created in TMPDIR.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import resource
import sqlite3
import statistics
import subprocess
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version

import uvloop

from bench.gateway.connection import connect, stop_at_errors
from bench.gateway.load import Gate, Meter, Table
from bench.nodes.places import PLACES, SQLITE, Place, Syncs, opened
from support.postgres import programs
from support.programs import program

PARTS = ("node 1", "node 2", "PostgreSQL", "broker", "load")

LATE_S = 0.5

SETTLE_S = 1.5
"""PostgreSQL's processes publish their counters within this time, as long as something queries them every second."""


@dataclass(frozen=True)
class Scale:
    """The size of a run: numbers of rooms, rounds at each, seconds per visit."""

    rooms: tuple[int, ...]
    rounds: int
    visit_s: float


FULL = Scale(rooms=(1, 20, 200), rounds=15, visit_s=1.0)
QUICK = Scale(rooms=(2,), rounds=2, visit_s=0.3)


@dataclass(frozen=True)
class Visit:
    """The results of one visit, and the CPU seconds of each part. ``idle`` is the idle time of all cores together."""

    moves: int
    seconds: float
    latencies: list[float]
    deliveries: list[float]
    cpu: dict[str, float]
    idle: float

    @property
    def rate(self) -> float:
        """Moves per second."""
        return self.moves / self.seconds


class Rooms:
    """Rooms at one place, in each of which two players play as fast as the server answers."""

    def __init__(self, place: Place, rooms: int) -> None:
        self.place = place
        self._rooms = rooms
        self._gate = Gate(rooms)
        self._meter = Meter()

    async def prepare(self) -> None:
        rng = random.Random(1)
        ports = [node.port for node in self.place.nodes]
        for number in range(self._rooms):
            first = await connect(ports[number % len(ports)], f"player-{2 * number + 1}")
            second = await connect(ports[(number + 1) % len(ports)], f"player-{2 * number + 2}")
            Table(first, second, self._gate, self._meter, rng)

    async def visit(self, seconds: float) -> Visit:
        meter = self._meter
        meter.clear()
        cpu, load, idle, began = self.place.cpu(), time.process_time(), _idle(), time.perf_counter()
        self._gate.open()
        await asyncio.sleep(seconds)
        await self._gate.shut()
        took = time.perf_counter() - began
        used = {
            part: sum(spent - cpu[part].get(pid, 0.0) for pid, spent in processes.items())
            for part, processes in self.place.cpu().items()
        }
        used["load"] = time.process_time() - load
        return Visit(meter.moves, took, meter.latencies, meter.deliveries, used, _idle() - idle)


@dataclass(frozen=True)
class Result:
    """All visits to a place with one number of rooms. ``syncs`` and ``moves`` include the dropped first round."""

    visits: list[Visit]
    moves: int
    syncs: Syncs

    @property
    def seconds(self) -> float:
        """The time the visits took."""
        return sum(visit.seconds for visit in self.visits)

    @property
    def cpu(self) -> Counter[str]:
        """CPU seconds of each part during the visits."""
        used: Counter[str] = Counter()
        for visit in self.visits:
            used.update(visit.cpu)
        return used


async def measure(places: dict[str, Place], rooms: int, scale: Scale) -> dict[str, Result]:
    """Visit the places in turns, each round in another order. The first round is a warm-up and is dropped."""
    loads = {name: Rooms(place, rooms) for name, place in places.items()}
    for load in loads.values():
        await load.prepare()
    before = await _all_syncs(places)
    visits: dict[str, list[Visit]] = {name: [] for name in places}
    for _ in range(scale.rounds + 1):
        for name in random.sample(list(places), len(places)):
            async with asyncio.timeout(60):
                visits[name].append(await loads[name].visit(scale.visit_s))
    after = await _all_syncs(places)
    return {
        name: Result(
            of_name[1:],
            sum(visit.moves for visit in of_name),
            Syncs(after[name].count - before[name].count, after[name].seconds - before[name].seconds),
        )
        for name, of_name in visits.items()
    }


async def _all_syncs(places: dict[str, Place]) -> dict[str, Syncs]:
    await asyncio.sleep(SETTLE_S)
    return {name: await place.syncs() for name, place in places.items()}


def _idle() -> float:
    """Idle seconds of all the machine's cores together, including waits for the disk."""
    with open("/proc/stat") as stat:
        fields = stat.readline().split()
    return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")


def print_rates(runs: dict[int, dict[str, Result]]) -> None:
    """A delivery is late half a second or more after the move was sent."""
    _print_head("moves per second", "relative to SQLite", "`ok` p50 ms", "p99 ms", "delivery p50 ms", "p99 ms", "late")
    for rooms, results in runs.items():
        sqlite = [visit.rate for visit in results[SQLITE].visits]
        for name, result in results.items():
            rates = [visit.rate for visit in result.visits]
            relative = [own / other for own, other in zip(rates, sqlite, strict=True)]
            deliveries = [delivery for visit in result.visits for delivery in visit.deliveries]
            ok = _percentiles([latency for visit in result.visits for latency in visit.latencies])
            late = sum(delivery >= LATE_S for delivery in deliveries) / len(deliveries)
            delivered = _percentiles(deliveries)
            _print_row(
                str(rooms), name, f"{statistics.median(rates):,.0f}", _spread(relative), *ok, *delivered, f"{late:.1%}"
            )


def print_use(runs: dict[int, dict[str, Result]]) -> None:
    """The number of cores that each part kept busy, that other programs kept busy, and that were idle."""
    _print_head(*(f"cores: {PARTS[0]}", *PARTS[1:], "others", "idle"))
    for rooms, results in runs.items():
        for name, result in results.items():
            seconds, used = result.seconds, result.cpu
            idle = sum(visit.idle for visit in result.visits)
            others = (os.cpu_count() or 1) * seconds - idle - used.total()
            parts = (*(used[part] for part in PARTS), others, idle)
            _print_row(str(rooms), name, *(f"{cores / seconds:.2f}" for cores in parts))


def print_costs(runs: dict[int, dict[str, Result]]) -> None:
    """The cost of 1000 moves, and the share of the time that PostgreSQL spent syncing its log to disk."""
    _print_head(
        "per 1000 moves: CPU ms of nodes",
        "PostgreSQL",
        "broker",
        "load",
        "PostgreSQL's syncs",
        "ms each",
        "share of time",
    )
    for rooms, results in runs.items():
        for name, result in results.items():
            used, moves, syncs = result.cpu, sum(visit.moves for visit in result.visits), result.syncs
            parts = (used["node 1"] + used["node 2"], used["PostgreSQL"], used["broker"], used["load"])
            share = syncs.seconds / result.moves * moves / result.seconds
            _print_row(
                str(rooms),
                name,
                *(f"{part / moves * 1e6:.0f}" for part in parts),
                f"{syncs.count / result.moves * 1e3:.0f}",
                f"{syncs.seconds / max(syncs.count, 1) * 1e3:.2f}",
                f"{share:.0%}",
            )


def _print_head(*columns: str) -> None:
    print()
    _print_row("rooms", "servers", *columns)
    print("|" + "---|" * (2 + len(columns)))


def _print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |")


def _percentiles(values: list[float]) -> list[str]:
    """The median and the 99th percentile, in ms."""
    in_order = sorted(values)
    return [f"{in_order[int(len(in_order) * share)] * 1e3:.2f}" for share in (0.5, 0.99)]


def _spread(values: list[float]) -> str:
    """The median, and the range of the middle half."""
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{median:.2f} ({low:.2f} to {high:.2f})"


def _version_of(*command: object) -> str:
    output = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False).stdout
    return output.partition("\n")[0]


async def main(scale: Scale) -> None:
    stop_at_errors()
    names = ("noughts", "websockets", "uvloop", "asyncpg", "paho-mqtt")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    engines = ", ".join(
        (
            f"SQLite {sqlite3.sqlite_version}",
            _version_of(programs() / "postgres", "--version"),
            _version_of(program("mosquitto"), "-h"),
        )
    )
    print(f"Python {platform.python_version()}, {packages}; {engines}; {scale}")
    async with AsyncExitStack() as stack:
        places = {name: await stack.enter_async_context(opened(name)) for name in PLACES}
        runs = {rooms: await measure(places, rooms, scale) for rooms in scale.rooms}
    print_rates(runs)
    print_use(runs)
    print_costs(runs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.nodes", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few seconds, to check that it runs")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    uvloop.run(main(QUICK if options.quick else FULL))
