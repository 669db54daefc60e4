"""One run: a cluster, a load, a fault, and a report."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from faults.clients import Client
from faults.desertion import DesertedTable, RemainingPlayer
from faults.faults import FAULTS, Fault
from faults.ledger import Conditions, Ledger
from faults.load import FAST, SLOW, Player, Progress, Table, Wait
from faults.ratings import audit_ratings
from faults.seekers import TERMS, Seeker, SeekerPool, Terms
from faults.target import Target
from support.cluster import NOUGHTS, cluster
from support.postgres import Postgres

TABLES = ("plain", "slow", "plain", "deserted", "plain", "fast")
"""Kinds of tables: without a clock, with a slow or a fast clock, and with a player who leaves in each game."""

PAIRING_S = 15.0
"""Within this time two players with the same terms are paired, plus the time a node may be cut off."""

CLAIM_S, AWAY_S = 3.0, 1.5
"""Shorter than by default, to keep runs short."""

CALM_S = (1.0, 6.0)
"""The time from the end of a fault to the next."""

SHORT_S = 2.0
"""The duration of every second fault."""


@dataclass(frozen=True)
class Scale:
    """The size of the load and of the fault.

    ``players`` sit in pairs at ``tables``, whose kinds repeat in a cycle. ``solo`` more play against a computer, and
    ``seekers`` more find their opponents by ``seek``. The fault strikes at least ``strikes`` times, for ``longest_s``
    seconds and for a short time in turn. The run gives up after ``timeout_s`` seconds.
    """

    games: int = 500
    players: int = 60
    solo: int = 6
    seekers: int = 18
    spectators: int = 200
    strikes: int = 6
    longest_s: float = 12.0
    timeout_s: float = 300.0
    tables: tuple[str, ...] = TABLES


@dataclass
class Report:
    """The result of a run. Times are in seconds.

    ``effects`` counts what the fault has done. ``recoveries_s``: for each strike, how long moves that waited when it
    was repaired waited on, to be acknowledged and to arrive at the opponent.
    """

    fault: str
    seed: int
    strikes: int = 0
    effects: Counter[str] = field(default_factory=Counter)
    games: int = 0
    paired: int = 0
    rated: int = 0
    moves: int = 0
    deliveries: int = 0
    reconnects: int = 0
    seconds: float = 0.0
    refusals: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    answers_s: list[float] = field(default_factory=list)
    across_s: list[float] = field(default_factory=list)
    recoveries_s: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    broken_count: int = 0

    @property
    def kept(self) -> bool:
        """True if every promise was kept."""
        return not self.broken_count


async def run(
    fault: str,
    directory: Path,
    postgres: Postgres,
    scale: Scale,
    seed: int,
    *,
    program: tuple[str, ...] = NOUGHTS,
    nodes: int = 3,
) -> Report:
    """Play on a new cluster while ``fault``, one of FAULTS, breaks and repairs it; then audit it.

    ``postgres`` must be running, and runs afterwards. Every node runs ``program``.
    """
    rng = random.Random(seed)
    chosen = FAULTS[fault]
    async with cluster(
        directory,
        postgres,
        nodes=nodes,
        wiring=chosen.wiring,
        programs=[program],
        broker_lines=chosen.broker_lines(directory),
        rng=rng,
        claim_s=CLAIM_S,
        away_s=AWAY_S,
    ) as target:
        return await Run(Target(target, rng), chosen, scale).run(Report(fault, seed))


class Run:
    """A load on ``target`` while ``fault`` breaks and repairs it."""

    def __init__(self, target: Target, fault: Fault, scale: Scale) -> None:
        self.ledger = Ledger()
        self.progress = Progress(scale.games, asyncio.Event())
        self._target = target.cluster
        self._broken = target
        self._fault = fault
        self._scale = scale
        self._rng = target.rng
        self._outages: list[tuple[float, float]] = []
        self._strikes: list[Wait] = []
        self._clients: list[Client] = []
        self._over = asyncio.Event()

    async def run(self, report: Report) -> Report:
        """Play to the end, audit, and fill in ``report``."""
        async with AsyncExitStack() as stack:
            # The library tries the first connection only once, so nothing is broken before all have connected.
            pairs = self._scale.players // 2
            kinds = itertools.islice(itertools.cycle(self._scale.tables), pairs)
            tables = [await self._table(stack, number, kind) for number, kind in enumerate(kinds)]
            tables += [await self._table(stack, pairs + number, "solo") for number in range(self._scale.solo)]
            seekers = self._scale.seekers // len(TERMS)
            tables += [await self._pool(stack, terms, seekers) for terms in TERMS if seekers]
            spectators = [
                # The spectators of a table are spread over the nodes, too.
                await self._client(stack, f"spectator-{number}", number + number // len(tables))
                for number in range(self._scale.spectators)
            ]
            began = time.monotonic()
            striking = asyncio.create_task(self._go_on_striking())
            try:
                await self._play(tables, spectators, striking)
                report.seconds = time.monotonic() - began
            finally:
                self._over.set()
                await asyncio.wait({striking})  # so that everything is repaired
        striking.result()
        if self._strikes and not self._broken.effects.total():
            self.ledger.report("the fault has broken nothing")
        report.answers_s, report.across_s = (
            [until - since for since, until in waits] for waits in (self.progress.answers, self.progress.across)
        )
        slowest_s = max(report.answers_s, default=0.0)  # allow for a busy machine
        unseen_s = self._fault.unseen_s
        conditions = Conditions(
            ended=not self.ledger.broken,
            outages=[(since * 1000, until * 1000) for since, until in self._outages],
            unseen_ms=None if unseen_s is None else (unseen_s + slowest_s) * 1000,
            longest_wait_ms=(PAIRING_S + self._scale.longest_s + slowest_s) * 1000,
        )
        games = self.ledger.audit(await self._journal(), conditions)
        report.rated = await audit_ratings(self._target, games, self.ledger.report)
        for error in self._target.logged_errors():
            self.ledger.report(error)
        report.strikes, report.effects = len(self._strikes), self._broken.effects
        report.recoveries_s = recoveries_s(self._strikes, [*self.progress.answers, *self.progress.across])
        report.reconnects = sum(client.lost for client in self._clients)
        report.paired = len(self.ledger.paired)
        report.games, report.moves, report.deliveries = (
            self.progress.ended,
            len(self.ledger.moves),
            self.ledger.deliveries,
        )
        report.refusals, report.ends = self.ledger.refused_by_code(), self.ledger.ends
        report.broken, report.broken_count = self.ledger.broken, self.ledger.broken_count
        return report

    async def _go_on_striking(self) -> None:
        if self._fault.make is None:
            self.progress.enough.set()
            return
        for lasts_s in itertools.cycle((self._scale.longest_s, SHORT_S)):
            await asyncio.sleep(self._rng.uniform(*CALM_S))
            if self._over.is_set() or self.progress.over:  # no faults during the last games
                return
            async with self._fault.make(self._broken):
                since, broken_at = time.time(), time.monotonic()
                if self._fault.lasts:
                    await asyncio.sleep(lasts_s)
                until, repaired_at = time.time(), time.monotonic()
            if self._fault.outage:
                self._outages.append((since, until))
            self._strikes.append((broken_at, time.monotonic() if self._fault.lasts else repaired_at))
            if len(self._strikes) >= self._scale.strikes:
                self.progress.enough.set()

    async def _play(self, tables: list[Table], spectators: list[Client], striking: asyncio.Task[None]) -> None:
        """Play until there are enough games, a promise is broken, or time is up."""

        async def everybody() -> None:
            async with asyncio.TaskGroup() as group:
                for table in tables:
                    group.create_task(table.run())
                for number, spectator in enumerate(spectators):
                    group.create_task(tables[number % len(tables)].spectate(spectator))

        playing = asyncio.create_task(everybody())
        give_up_at = time.monotonic() + self._scale.timeout_s
        while not playing.done() and not self.ledger.broken and not _failed(striking) and time.monotonic() < give_up_at:
            await asyncio.wait({playing}, timeout=0.5)
        if playing.done():
            if error := playing.exception():
                self.ledger.report(f"a client failed: {error!r}")
            return
        if not self.ledger.broken:
            stuck = ", ".join(table.room for table in tables if table.room) or "a spectator's"
            self.ledger.report(f"games did not end within {self._scale.timeout_s:.0f} s: {stuck}")
        playing.cancel()
        await asyncio.wait({playing})

    async def _table(self, stack: AsyncExitStack, number: int, kind: str) -> Table:
        """A table of one of the ``TABLES``, or of kind ``solo``, against a computer."""
        # Opponents connect to two nodes, and the second connection of a player to a third, if there are that many.
        client = await self._client(stack, f"player-{number}-0", number)
        twin = await self._client(stack, f"twin-{number}-0", number + 2, client.token)
        if kind == "deserted":
            remaining = RemainingPlayer(client, twin, self.progress, self._random())
            return DesertedTable(self.progress, remaining, self._random(), f"player-{number}-1", self._target.url)
        players = [Player(client, twin, self.progress, self._random())]
        if kind != "solo":
            client = await self._client(stack, f"player-{number}-1", number + 1)
            players.append(Player(client, None, self.progress, self._random()))
        clock = {"slow": SLOW, "fast": FAST}.get(kind)
        return Table(self.ledger, self.progress, players, self._random(), clock)

    async def _pool(self, stack: AsyncExitStack, terms: Terms, number: int) -> SeekerPool:
        seekers: list[Seeker] = []
        for seat in range(number):
            name = f"seeker-{TERMS.index(terms)}-{seat}"
            client = await self._client(stack, name, seat)
            await client.request(type="register")
            seekers.append(Seeker(client, self.progress, self._random(), terms=terms, name=name, url=self._target.url))
        return SeekerPool(self.ledger, self.progress, seekers, self._random())

    def _random(self) -> random.Random:
        return random.Random(self._rng.random())

    async def _client(self, stack: AsyncExitStack, name: str, node: int, token: str | None = None) -> Client:
        entries = self._target.entries
        entry = entries[node % len(entries)]
        self._clients.append(
            await stack.enter_async_context(Client(self.ledger, name, (entry, self._target.url), token))
        )
        return self._clients[-1]

    async def _journal(self) -> dict[str, list[bytes]]:
        """All rooms and their records, read from the database."""
        records: dict[str, list[bytes]] = {
            row["room"]: [] for row in await self._target.query("SELECT room FROM rooms")
        }
        stored = "SELECT rooms.room, record FROM records JOIN rooms ON number = records.room ORDER BY records.version"
        for row in await self._target.query(stored):
            records[row["room"]].append(row["record"])
        return records


def _failed(task: asyncio.Task[None]) -> bool:
    return task.done() and task.exception() is not None


def recoveries_s(strikes: Sequence[Wait], waits: Sequence[Wait]) -> list[float]:
    """For each strike, how long ``waits`` that began before it was repaired went on, at most until the next strike."""
    nexts = [*(broken_at for broken_at, _ in strikes), math.inf][1:]
    return [
        max((min(until, then) - repaired_at for since, until in waits if since < repaired_at < until), default=0.0)
        for (_, repaired_at), then in zip(strikes, nexts, strict=False)
    ]


def quantile(values: Sequence[float], percent: int) -> float:
    """A percentile of ``values``; 0 if there are too few."""
    return statistics.quantiles(values, n=100)[percent - 1] if len(values) > 1 else 0.0
