"""The cost of a move on one node and on several, in processor time, and how soon it is acknowledged and delivered.

    python -m bench.nodes [--quick] [--rooms N] [--per-node] [--long] [--before PYTHON]

Two players in each room play as fast as the server answers: on one node without and with a broker; on two and on four,
with both players of a room on the same node (together), or on different ones, so that every move crosses (apart); and
with all players on one of two nodes. Nodes without a broker know nothing of each other: what they cost above one node
is the price of more processes on one machine. ``--before`` is the interpreter of another installation of Noughts, whose
nodes are measured too. The servers are visited in turns of about a second, in random order. Nothing is pinned: nodes,
database, broker and load share the machine's cores, and their processor times show who used them. Linux only; needs
PostgreSQL and Mosquitto. Journals are created in TMPDIR.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import resource
import statistics
import subprocess
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Literal

import uvloop

from bench.gateway.connection import connect, stop_at_errors
from bench.gateway.load import Gate, Meter, Table
from bench.nodes.places import Cluster, Place, Syncs, opened
from support.postgres import programs
from support.programs import program

SETTLE_S = 1.5
"""PostgreSQL's processes publish their counters within this time, as long as something queries them every second."""


@dataclass(frozen=True)
class Way:
    """Players on a cluster: all on its first node, opponents ``together`` on each, or ``apart``."""

    cluster: Cluster
    players: Literal["all on one", "together", "apart"] = "together"


BUS = replace(Cluster(), bus=True)
ONE = "one node"
WAYS = {
    ONE: Way(Cluster()),
    "one node with a bus": Way(BUS),
    "two nodes without a bus": Way(replace(Cluster(), nodes=2)),
    "two nodes, all players on one": Way(replace(BUS, nodes=2), "all on one"),
    "two nodes, opponents together": Way(replace(BUS, nodes=2)),
    "two nodes, opponents apart": Way(replace(BUS, nodes=2), "apart"),
    "four nodes without a bus": Way(replace(Cluster(), nodes=4)),
    "four nodes, opponents together": Way(replace(BUS, nodes=4)),
    "four nodes, opponents apart": Way(replace(BUS, nodes=4), "apart"),
}
WITHOUT_VIEW = {
    f"{name}, no public view": Way(replace(way.cluster, view=False), way.players)
    for name, way in WAYS.items()
    if way.cluster.nodes == 2 and way.cluster.bus
}


@dataclass(frozen=True)
class Scale:
    """The size of a run: numbers of rooms, rounds at each, seconds per visit. ``per_node``: so many for each node.

    ``game``: as :class:`~bench.gateway.load.Table` has it. A game of tic-tac-toe opens a room for some 7.5 moves.
    """

    rooms: tuple[int, ...]
    rounds: int
    visit_s: float
    per_node: bool = False
    game: str = "tictactoe"


FULL = Scale(rooms=(20, 200), rounds=9, visit_s=1.0)
QUICK = Scale(rooms=(4,), rounds=2, visit_s=0.3)


@dataclass(frozen=True)
class Visit:
    """The results of one visit, and the CPU seconds of each part."""

    moves: int
    seconds: float
    latencies: list[float]
    deliveries: list[float]
    cpu: dict[str, float]

    @property
    def rate(self) -> float:
        """Moves per second."""
        return self.moves / self.seconds


class Rooms:
    """Rooms at one place, in each of which two players play as fast as the server answers."""

    def __init__(self, place: Place, players: str, rooms: int, game: str) -> None:
        self.place = place
        self._game = game
        self._players = players
        self._rooms = rooms
        self._gate = Gate(rooms)
        self._meter = Meter()

    async def prepare(self) -> None:
        rng = random.Random(1)
        ports = [node.port for node in self.place.nodes]
        for number in range(self._rooms):
            here = 0 if self._players == "all on one" else number
            there = here + 1 if self._players == "apart" else here
            first = await connect(ports[here % len(ports)], f"player-{2 * number + 1}")
            second = await connect(ports[there % len(ports)], f"player-{2 * number + 2}")
            Table(first, second, self._gate, self._meter, rng, game=self._game)

    async def visit(self, seconds: float) -> Visit:
        meter = self._meter
        meter.clear()
        cpu, began = self.place.cpu(), time.perf_counter()
        self._gate.open()
        await asyncio.sleep(seconds)
        await self._gate.shut()
        took = time.perf_counter() - began
        used = {
            part: sum(spent - cpu[part].get(pid, 0.0) for pid, spent in processes.items())
            for part, processes in self.place.cpu().items()
        }
        return Visit(meter.moves, took, meter.latencies, meter.deliveries, used)


@dataclass(frozen=True)
class Result:
    """The visits with one number of rooms. ``moves`` and ``syncs`` include the dropped first round."""

    visits: list[Visit]
    moves: int
    syncs: Syncs


async def measure(ways: dict[str, Way], places: dict[Cluster, Place], rooms: int, scale: Scale) -> dict[str, Result]:
    """Visit the places in turns, each round in another order. The first round is a warm-up and is dropped."""
    loads = {
        name: Rooms(places[way.cluster], way.players, rooms * (way.cluster.nodes if scale.per_node else 1), scale.game)
        for name, way in ways.items()
    }
    for load in loads.values():
        await load.prepare()
    visits: dict[str, list[Visit]] = {name: [] for name in ways}
    syncs = dict.fromkeys(ways, Syncs(0, 0.0))
    for _ in range(scale.rounds + 1):
        for name in random.sample(list(ways), len(ways)):
            place = loads[name].place
            before = await place.syncs()
            async with asyncio.timeout(60):
                visits[name].append(await loads[name].visit(scale.visit_s))
            await asyncio.sleep(SETTLE_S)
            after = await place.syncs()
            syncs[name] = Syncs(syncs[name].count + after.count - before.count, 0.0)
    return {
        name: Result(of_name[1:], sum(visit.moves for visit in of_name), syncs[name])
        for name, of_name in visits.items()
    }


def print_costs(rooms: int, results: dict[str, Result]) -> None:
    """Processor time of a move in us, in all, as a multiple of one node's, and by part; and how soon it was told."""
    head = ("servers", "us a move", "of one node", "nodes", "PostgreSQL", "broker", "syncs", "moves per second")
    print(f"\n{rooms} rooms\n")
    _print_row(*head, "`ok` p50 ms", "p99 ms", "delivery p50 ms", "p99 ms")
    print("|" + "---|" * (len(head) + 4))
    one = _cost(results[ONE])
    for name, result in results.items():
        ratios = [cost / other for cost, other in zip(_cost(result), one, strict=True)]
        moves, used = sum(visit.moves for visit in result.visits), Counter[str]()
        for visit in result.visits:
            used.update(visit.cpu)
        nodes = sum(seconds for part, seconds in used.items() if part.startswith("node"))
        parts = (nodes, used["PostgreSQL"], used["broker"])
        _print_row(
            name,
            f"{statistics.median(_cost(result)):.0f}",
            _spread(ratios),
            *(f"{part / moves * 1e6:.0f}" for part in parts),
            f"{result.syncs.count / result.moves:.2f}",
            f"{statistics.median(visit.rate for visit in result.visits):,.0f}",
            *_percentiles([latency for visit in result.visits for latency in visit.latencies]),
            *_percentiles([delivery for visit in result.visits for delivery in visit.deliveries]),
        )


def _cost(result: Result) -> list[float]:
    """The processor time of a move in us, of each visit."""
    return [sum(visit.cpu.values()) / visit.moves * 1e6 for visit in result.visits]


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


async def main(scale: Scale, before: str | None) -> None:
    stop_at_errors()
    names = ("noughts", "websockets", "uvloop", "asyncpg", "paho-mqtt")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    engines = f"{_version_of(programs() / 'postgres', '--version')}, {_version_of(program('mosquitto'), '-h')}"
    print(f"Python {platform.python_version()}, {packages}; {engines}; {os.cpu_count()} cores; {scale}")
    ways = dict(WAYS)
    if before is not None:
        earlier = {
            f"before: {name}": Way(replace(way.cluster, python=before), way.players) for name, way in ways.items()
        }
        ways = {name: way for pair in zip(earlier.items(), ways.items(), strict=True) for name, way in pair}
    ways |= WITHOUT_VIEW
    async with AsyncExitStack() as stack:
        clusters = dict.fromkeys(way.cluster for way in ways.values())
        places = {cluster: await stack.enter_async_context(opened(cluster)) for cluster in clusters}
        for rooms in scale.rooms:
            print_costs(rooms, await measure(ways, places, rooms, scale))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.nodes", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few seconds, to check that it runs")
    parser.add_argument("--rooms", type=int, help="this number of rooms alone")
    parser.add_argument("--per-node", action="store_true", help="so many rooms for each node, as for more players")
    parser.add_argument("--long", action="store_true", help="42 moves for each room: Connect Four, not tic-tac-toe")
    parser.add_argument("--before", metavar="PYTHON", help="the interpreter of an installation to compare with")
    options = parser.parse_args()
    chosen = QUICK if options.quick else FULL
    if options.rooms is not None:
        chosen = replace(chosen, rooms=(options.rooms,))
    chosen = replace(chosen, per_node=options.per_node, game="connect4" if options.long else "tictactoe")
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    uvloop.run(main(chosen, options.before))
