"""The losses of a server with the default limits while one attacker after the other has a go at it.

    python -m bench.soak [--minutes N | --quick] [--nodes N]

The server is a process of its own, with an SQLite journal in a temporary directory. Of several nodes, with PostgreSQL
and a broker, the first is attacked, and the honest clients are on all, opponents on different ones. 60 honest clients
at 127.0.0.2, in another process, play each other (half of the pairs with clocks) and the computer, and watch, within
the limits; they reconnect now and then. Meanwhile each attack of tests/attacks that needs no broker goes on for the
same time from 127.0.0.1, in this process. All share the machine, so the times include the attackers' own use of the
processors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attacks.storm import tokens
from attacks.test_requests import long_game
from attacks.victim import SETTLE_S, limited, loaded, metrics_of, victim
from bench.soak.attackers import ATTACKS, Prey
from support.broker import running_broker
from support.client import connected
from support.postgres import database, postgres_server
from support.server import ServerProcess

SAMPLE_S = 10.0

WARM_UP_S = 60.0
"""The time the honest clients are alone before the first sample, so that the server has loaded what they need."""


@dataclass
class Sample:
    """The server at one moment: bytes, counts, and what its counters say. ``honest`` is since the sample before."""

    rss: int
    files: int
    threads: int
    journal: int
    wal: int
    tasks: int
    delays: dict[float, float]
    limited: Counter[str]
    honest: dict[str, Any]


class Watcher:
    """Samples the server while attacks go on."""

    def __init__(self, server: ServerProcess, clients: asyncio.subprocess.Process) -> None:
        self._server, self._clients = server, clients

    async def sample(self) -> Sample:
        """The server now."""
        assert self._clients.stdin
        assert self._clients.stdout
        self._clients.stdin.write(b"\n")
        seen = json.loads(await self._clients.stdout.readline())
        found = await asyncio.to_thread(metrics_of, self._server)
        process, journal = f"/proc/{self._server.pid}", str(self._server.journal)
        return Sample(
            self._server.memory(),
            len(os.listdir(f"{process}/fd")),
            len(os.listdir(f"{process}/task")),
            size(journal),
            size(f"{journal}-wal"),
            int(next(sample.value for sample in found if sample.name == "noughts_tasks")),
            {float(s.labels["le"]): s.value for s in found if s.name == "noughts_loop_delay_seconds_bucket"},
            limited(found),
            seen,
        )

    async def during(self, attack: Awaitable[None]) -> tuple[list[Sample], str]:
        """Samples from before an attack, every 10 s, and from after it; and how it failed, if it did."""
        samples, task = [await self.sample()], asyncio.ensure_future(attack)
        while not task.done():
            await asyncio.wait([task], timeout=SAMPLE_S)
            await asyncio.sleep(SETTLE_S if task.done() else 0)
            samples.append(await self.sample())
        return samples, repr(task.exception()) if task.exception() else ""


def size(file: str) -> int:
    """The size of a file in bytes; 0 if there is none."""
    return os.stat(file).st_size if os.path.exists(file) else 0


def share(values: list[float], part: float) -> float:
    """The value that ``part`` of the values do not exceed, in ms."""
    return 1000 * sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else float("nan")


def delay(first: Sample, last: Sample, part: float) -> str:
    """The upper bound of the loop's delay for ``part`` of the measurements between two samples."""
    since = {bound: count - first.delays[bound] for bound, count in last.delays.items()}
    return f"{next(bound for bound, count in since.items() if count >= part * since[float('inf')]) * 1000:g}"


def row(name: str, samples: list[Sample]) -> str:
    """A row of the table of attacks."""
    first, last, *_ = samples[0], samples[-1]
    waits: list[float] = []
    seen: Counter[str] = Counter()
    for sample in samples[1:]:
        waits += sample.honest["waits"]
        seen["errors"] += len(sample.honest["errors"])
        seen["pauses"] += len(sample.honest["paused"])
    p99 = max(samples[1:], key=lambda sample: share(sample.honest["waits"], 0.99))
    limits = ", ".join(name for name, _ in (last.limited - first.limited).most_common(2))
    return (
        f"| {name} | {share(waits, 0.5):.1f} | {share(waits, 0.99):.1f} | {share(p99.honest['waits'], 0.99):.1f} "
        f"| {share(waits, 1):.1f} | {len(waits)} | {delay(first, last, 0.99)} | {delay(first, last, 1)} "
        f"| {first.rss / 1e6:.0f} | {last.rss / 1e6:.0f} | {seen['errors']} | {seen['pauses']} | {limits} |"
    )


async def started(stack: AsyncExitStack, nodes: int) -> list[ServerProcess]:
    """A server on its own, or so many nodes of a cluster."""
    directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    if nodes == 1:
        return [await stack.enter_async_context(victim(directory, warm_up=True))]
    address = await stack.enter_async_context(database(stack.enter_context(postgres_server())))
    bus = stack.enter_context(running_broker()).url
    servers = []
    for number in range(nodes):
        (own := directory / f"{number}").mkdir()
        server = victim(own, journal=address, bus=bus, node=f"node-{number}", warm_up=True)
        servers.append(await stack.enter_async_context(server))
    return servers


async def soak(seconds: float, nodes: int) -> None:
    """Run all attacks on the first of so many nodes for ``seconds`` in all, and print the tables."""
    async with AsyncExitStack() as stack:
        servers = await started(stack, nodes)
        server = servers[0]
        clients = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.soak.honest", *(each.url for each in servers)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**26,
        )
        stack.callback(clients.kill)
        one = await stack.enter_async_context(connected(server.url, "one"))
        two = await stack.enter_async_context(connected(server.url, "two"))
        prey = Prey(server, await tokens(server.url, 90), one, await long_game(one, two))
        await asyncio.sleep(4)  # both have sent as much as they may at once
        for client in (one, two):
            await client.ok(type="leave", room=prey.room)  # so that it must be read again
        await asyncio.sleep(min(WARM_UP_S, seconds / 20))
        await loaded(server)
        watcher = Watcher(server, clients)
        await watcher.sample()
        every: list[Sample] = []
        began, rows = time.monotonic(), []
        for name, attack in ATTACKS.items():
            samples, failure = await watcher.during(attack(prey, seconds / len(ATTACKS)))
            rows.append(row(name, samples))
            every += samples
            print(f"{time.monotonic() - began:.0f} s: {rows[-1]} {failure}", flush=True)
        report(every, rows, servers)


def report(every: list[Sample], rows: list[str], servers: list[ServerProcess]) -> None:
    """Print what was found."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("noughts", "websockets", "uvloop"))
    print(f"Python {platform.python_version()}, {packages}; {os.cpu_count()} cores\n")
    print("| attack | p50 ms | p99 ms | worst 10 s | max ms | requests | loop p99 ms | loop max ms", end=" | ")
    print("RSS before MB | after | errors | pauses | limits |")
    print("|" + 13 * "---|", *rows, sep="\n", end="\n\n")
    print("| | RSS MB | descriptors | threads | tasks | journal MB | WAL MB |")
    print("|---|---|---|---|---|---|---|")
    for name, at in {"start": 0, "1/3": len(every) // 3, "2/3": len(every) * 2 // 3, "end": -1}.items():
        s = every[at]
        print(f"| {name} | {s.rss / 1e6:.0f} | {s.files} | {s.threads} | {s.tasks}", end=" | ")
        print(f"{s.journal / 1e6:.1f} | {s.wal / 1e6:.1f} |")
    print(f"\nerrors of honest clients: {Counter(e for s in every for e in s.honest['errors']).most_common(20)}")
    pauses = [f"{cause} {ms} ms" for s in every for cause, ms in s.honest["paused"]]
    print(f"pauses: {pauses}\ngames ended by: {dict(Counter(e for s in every for e in s.honest['ended']))}")
    print(f"tracebacks in the server's log: {sum(server.output().count('Traceback') for server in servers)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30, help="how long it takes, but for the start")
    parser.add_argument("--quick", action="store_true", help="half a minute, to check that it runs")
    parser.add_argument("--nodes", type=int, default=1, help="more than one need PostgreSQL and Mosquitto")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    asyncio.run(soak(30 if options.quick else 60 * options.minutes, options.nodes))
