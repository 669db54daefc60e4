"""The CPU cost of a move and a delivery, compared with servers that store nothing.

    python -m bench.gateway [--quick] [--directory DIRECTORY]

The others are bytes on uvloop without JSON or rules (`floor.py`), a server as in the tutorials of `websockets`, with
small messages (`tutorial.py`), and the same with our messages (`plain.py`).

W1: 200 rooms of two players, each sending a move as soon as it can. W2: one room with 2000 spectators. The servers are
visited in turns of about a second, in random order, and their CPU time is compared within each round. Linux only, on
two cores: one for the servers, one for the load. The journal is created in DIRECTORY (by default the system's temporary
directory).
"""

from __future__ import annotations

import asyncio
import platform
import random
import sqlite3
import statistics
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench import alone
from bench.gateway.connection import Connection, connect, stop_at_errors
from bench.gateway.load import DRAWN, Gate, Meter, Table, Theatre
from bench.gateway.servers import ServerProcess, commands, started

PEERS = ("raw uvloop", "tutorial", "plain websockets")


@dataclass(frozen=True)
class Scale:
    """The size of a run: rooms, spectators, rounds of each workload, seconds per visit."""

    rooms: int
    spectators: int
    rounds: int
    visit_s: float


FULL = Scale(rooms=200, spectators=2000, rounds=15, visit_s=1.0)
QUICK = Scale(rooms=10, spectators=50, rounds=2, visit_s=0.2)


@dataclass(frozen=True)
class Visit:
    """A server's results in one visit: ``units`` of work; ``cpu`` and ``load_cpu`` in seconds."""

    units: int
    moves: int
    seconds: float
    cpu: float
    load_cpu: float
    latencies: list[float]

    @property
    def cost(self) -> float:
        """CPU time of the server, in ms per 1000 units."""
        return self.cpu / self.units * 1e6


class Stopwatch:
    """Adds up wall time and CPU time between ``start`` and ``stop``."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server
        self._started = (0.0, 0.0, 0.0)
        self.seconds = self.cpu = self.load_cpu = 0.0

    def start(self) -> None:
        self._started = (time.perf_counter(), self._server.cpu(), time.process_time())

    def stop(self) -> None:
        seconds, cpu, load_cpu = self._started
        self.seconds += time.perf_counter() - seconds
        self.cpu += self._server.cpu() - cpu
        self.load_cpu += time.process_time() - load_cpu


class Rooms:
    """W1 on one server. A unit is a move."""

    def __init__(self, server: ServerProcess, scale: Scale) -> None:
        self._server = server
        self._scale = scale
        self._gate = Gate(scale.rooms)
        self._meter = Meter()

    async def prepare(self) -> None:
        rng = random.Random(1)
        for number in range(self._scale.rooms):
            first = await connect(self._server.port, f"player-{2 * number + 1}")
            second = await connect(self._server.port, f"player-{2 * number + 2}")
            Table(first, second, self._gate, self._meter, rng)

    async def visit(self) -> Visit:
        meter, watch = self._meter, Stopwatch(self._server)
        meter.clear()
        watch.start()
        self._gate.open()
        await asyncio.sleep(self._scale.visit_s)
        await self._gate.shut()
        watch.stop()
        return Visit(meter.moves, meter.moves, watch.seconds, watch.cpu, watch.load_cpu, meter.latencies)


class Spectators:
    """W2 on one server. A unit is one move sent to one connection."""

    def __init__(self, server: ServerProcess, scale: Scale) -> None:
        self._server = server
        self._scale = scale
        self.bytes_each = 0.0

    async def prepare(self) -> None:
        port, spectators = self._server.port, self._scale.spectators
        first, second = await connect(port, "player-1"), await connect(port, "player-2")
        before = self._server.memory()
        connections: list[Connection] = [await connect(port, f"spectator-{i}") for i in range(spectators)]
        self._theatre = Theatre(first, second, connections)
        await self._theatre.open()
        self.bytes_each = (self._server.memory() - before) / spectators
        self._new = True

    async def visit(self) -> Visit:
        """Play whole games. Opening the next one is not measured."""
        theatre, watch = self._theatre, Stopwatch(self._server)
        latencies: list[float] = []
        while watch.seconds < self._scale.visit_s / 2 or not latencies:
            if not self._new:
                await theatre.open()
            self._new = False
            watch.start()
            latencies += [await theatre.play(turn) for turn in range(len(DRAWN))]
            watch.stop()
        moves = len(latencies)
        return Visit(moves * theatre.seats, moves, watch.seconds, watch.cpu, watch.load_cpu, latencies)


async def measure(
    workload: type[Rooms] | type[Spectators], names: list[str], scale: Scale, directory: Path
) -> tuple[dict[str, list[Visit]], dict[str, Rooms | Spectators]]:
    """Visit the servers in turns, each round in another order. The first round is a warm-up and is dropped."""
    visits: dict[str, list[Visit]] = {name: [] for name in names}
    places: dict[str, Rooms | Spectators] = {}
    async with AsyncExitStack() as stack:
        for name in names:
            server = await stack.enter_async_context(started(commands(directory)[name]))
            places[name] = workload(server, scale)
            await places[name].prepare()
        for _ in range(scale.rounds + 1):
            for name in random.sample(names, len(names)):
                async with asyncio.timeout(60):
                    visits[name].append(await places[name].visit())
    return {name: of_name[1:] for name, of_name in visits.items()}, places


def print_table(unit: str, visits: dict[str, list[Visit]]) -> None:
    print(
        f"| server | CPU ms per 1000 {unit} | raw uvloop = 1 | tutorial = 1 | plain = 1 | moves per second | p50 ms"
        " | p99 ms | server's core | load's core |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    peers = [[visit.cost for visit in visits[peer]] for peer in PEERS]
    for name, of_name in visits.items():
        cost = [visit.cost for visit in of_name]
        ratios = [[own / other for own, other in zip(cost, peer, strict=True)] for peer in peers]
        latencies = sorted(latency for visit in of_name for latency in visit.latencies)
        p50, p99 = (latencies[int(len(latencies) * share)] * 1e3 for share in (0.5, 0.99))
        seconds = sum(visit.seconds for visit in of_name)
        print(
            f"| {name} | {_spread(cost, 2)} | {' | '.join(_spread(ratio, 2) for ratio in ratios)}"
            f" | {statistics.median(visit.moves / visit.seconds for visit in of_name):,.0f} | {p50:.2f} | {p99:.2f}"
            f" | {sum(visit.cpu for visit in of_name) / seconds:.0%}"
            f" | {sum(visit.load_cpu for visit in of_name) / seconds:.0%} |"
        )


def _spread(values: list[float], digits: int) -> str:
    """The median, and the range of the middle half."""
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{median:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


async def main(scale: Scale, directory: Path) -> None:
    stop_at_errors()
    packages = ", ".join(f"{name} {version(name)}" for name in ("noughts", "websockets", "uvloop", "pydantic"))
    print(f"Python {platform.python_version()}, {packages}, SQLite {sqlite3.sqlite_version}; {scale}\n")
    names = list(commands(directory))
    visits, _ = await measure(Rooms, names, scale, directory)
    print(f"W1: {scale.rooms} rooms of two players in closed loop\n")
    print_table("moves", visits)
    visits, places = await measure(Spectators, names[:-1], scale, directory)
    print(f"\nW2: one room with {scale.spectators} spectators\n")
    print_table("deliveries", visits)
    print("\n| server | KiB per connection |\n|---|---|")
    for name, place in places.items():
        assert isinstance(place, Spectators)
        print(f"| {name} | {place.bytes_each / 1024:.1f} |")


if __name__ == "__main__":
    options = alone.parser("gateway", __doc__).parse_args()
    alone.run(lambda directory: main(QUICK if options.quick else FULL, directory), options.directory)
