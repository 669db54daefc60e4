"""One run: a cluster, a load on it, a fault, and what came of it."""

from __future__ import annotations

import asyncio
import itertools
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from faults.clients import Guest
from faults.desertion import Deserted, Stayer
from faults.faults import FAULTS, Down, Strike
from faults.ledger import Circumstances, Ledger
from faults.load import HASTY, STEADY, Player, Progress, Table
from faults.ratings import judge_ratings
from faults.seekers import WISHES, Hall, Seeker, Wish
from support.cluster import NOUGHTS, Cluster, cluster
from support.postgres import Postgres

TABLES = ("plain", "steady", "plain", "deserted", "plain", "hasty")
"""Kinds of tables: without a clock, with a steady or a hasty one, and such that a player deserts in each game."""

MEETING_S = 15.0
"""Within which time two who want the same are brought together, besides that for which a node may be cut off."""

CLAIM_S, AWAY_S = 3.0, 1.5
"""As short as a run's time asks for."""


@dataclass(frozen=True)
class Scale:
    """How much load there is, and how much of the fault.

    ``players`` sit in pairs; ``alone`` are those against a computer, and ``seekers`` those who seek each other,
    besides. The fault strikes at least ``strikes``
    times and lasts for at most ``longest_s`` seconds each time. All games may take ``patience_s`` seconds. ``tables``
    are the kinds of the tables for two, over and over.
    """

    games: int = 500
    players: int = 60
    alone: int = 6
    seekers: int = 18
    spectators: int = 200
    strikes: int = 6
    longest_s: float = 12.0
    patience_s: float = 300.0
    tables: tuple[str, ...] = TABLES


@dataclass
class Report:
    """What came of a run. Times are in seconds."""

    fault: str
    seed: int
    strikes: int = 0
    games: int = 0
    met: int = 0
    rated: int = 0
    moves: int = 0
    deliveries: int = 0
    reconnects: int = 0
    seconds: float = 0.0
    refusals: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    answers_s: list[float] = field(default_factory=list)
    across_s: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    broken_count: int = 0

    @property
    def kept(self) -> bool:
        """Whether every promise was kept."""
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
    """Play on a new cluster while ``fault``, one of FAULTS, breaks and mends it again and again; then audit it.

    ``postgres`` runs, and runs afterwards. ``program`` is what every node runs.
    """
    rng = random.Random(seed)
    chosen = FAULTS[fault]
    lines = chosen.broker_lines(directory)
    async with (
        cluster(
            directory,
            postgres,
            nodes=nodes,
            wiring=chosen.wiring,
            programs=[program],
            broker_lines=lines,
            rng=rng,
            claim_s=CLAIM_S,
            away_s=AWAY_S,
        ) as target,
        chosen.make(target, rng, scale.longest_s) as strike,
    ):
        return await Siege(target, strike, chosen.unseen_s, scale, rng).run(Report(fault, seed))


class Siege:
    """A load on ``target`` while ``strike`` breaks and mends it."""

    def __init__(
        self, target: Cluster, strike: Strike | None, unseen_s: float | None, scale: Scale, rng: random.Random
    ) -> None:
        self.ledger = Ledger()
        self.progress = Progress(scale.games, asyncio.Event())
        self.strikes = 0
        self._target = target
        self._strike = strike
        self._unseen_s = unseen_s
        self._scale = scale
        self._rng = rng
        self._downs: list[Down] = []
        self._guests: list[Guest] = []
        self._over = asyncio.Event()

    async def run(self, report: Report) -> Report:
        """Play to the end, hold what was told against the journal, and fill in ``report``."""
        async with AsyncExitStack() as stack:
            # To enter is one attempt, as the library has it, and so nothing is broken before all are there.
            pairs = self._scale.players // 2
            kinds = itertools.islice(itertools.cycle(self._scale.tables), pairs)
            tables = [await self._table(stack, number, kind) for number, kind in enumerate(kinds)]
            tables += [await self._table(stack, pairs + number, "alone") for number in range(self._scale.alone)]
            seekers = self._scale.seekers // len(WISHES)
            tables += [await self._hall(stack, wish, seekers) for wish in WISHES if seekers]
            spectators = [
                # Those of a table are spread over the nodes, too.
                await self._guest(stack, f"spectator-{number}", number + number // len(tables))
                for number in range(self._scale.spectators)
            ]
            began = time.monotonic()
            striking = asyncio.create_task(self._go_on_striking())
            try:
                await self._play(tables, spectators, striking)
                report.seconds = time.monotonic() - began
            finally:
                self._over.set()
                await asyncio.wait({striking})  # so that all is mended
        striking.result()
        slowest_s = max(self.progress.answers_s, default=0.0)  # the machine may have other things to do
        circumstances = Circumstances(
            ended=not self.ledger.broken,
            downs=[(since * 1000, until * 1000) for since, until in self._downs],
            unseen_ms=None if self._unseen_s is None else (self._unseen_s + slowest_s) * 1000,
            longest_wait_ms=(MEETING_S + self._scale.longest_s + slowest_s) * 1000,
        )
        games = self.ledger.audit(await self._journal(), circumstances)
        report.rated = await judge_ratings(self._target, games, self.ledger.wrong)
        for complaint in self._target.complaints():
            self.ledger.wrong(complaint)
        report.strikes = self.strikes
        report.reconnects = sum(guest.lost for guest in self._guests)
        report.met = len(self.ledger.met)
        report.games, report.moves, report.deliveries = self.progress.ended, len(self.ledger.moves), self.ledger.told
        report.refusals, report.ends = self.ledger.refused_by_code(), self.ledger.ends
        report.answers_s, report.across_s = self.progress.answers_s, self.progress.across_s
        report.broken, report.broken_count = self.ledger.broken, self.ledger.broken_count
        return report

    async def _go_on_striking(self) -> None:
        if self._strike is None:
            self.progress.enough.set()
            return
        while not self._over.is_set() and not self.progress.over:  # the last games end in peace
            down = await self._strike()
            if down is not None:
                self._downs.append(down)
            self.strikes += 1
            if self.strikes >= self._scale.strikes:
                self.progress.enough.set()

    async def _play(self, tables: list[Table], spectators: list[Guest], striking: asyncio.Task[None]) -> None:
        """Play until there are enough games, something is wrong, or it takes too long."""

        async def everybody() -> None:
            async with asyncio.TaskGroup() as group:
                for table in tables:
                    group.create_task(table.run())
                for number, spectator in enumerate(spectators):
                    group.create_task(tables[number % len(tables)].spectate(spectator))

        playing = asyncio.create_task(everybody())
        give_up_at = time.monotonic() + self._scale.patience_s
        while not playing.done() and not self.ledger.broken and not _failed(striking) and time.monotonic() < give_up_at:
            await asyncio.wait({playing}, timeout=0.5)
        if playing.done():
            if error := playing.exception():
                self.ledger.wrong(f"a client could not go on: {error!r}")
            return
        if not self.ledger.broken:
            stuck = ", ".join(table.room for table in tables if table.room) or "a spectator's"
            self.ledger.wrong(f"games did not end within {self._scale.patience_s:.0f} s: {stuck}")
        playing.cancel()
        await asyncio.wait({playing})

    async def _table(self, stack: AsyncExitStack, number: int, kind: str) -> Table:
        """A table of a kind of ``TABLES``, or for somebody ``alone`` against a computer."""
        # Opponents are at two nodes, and the second connection of a player at a third, where there are so many.
        guest = await self._guest(stack, f"player-{number}-0", number)
        twin = await self._guest(stack, f"twin-{number}-0", number + 2, guest.token)
        if kind == "deserted":
            stayer = Stayer(guest, twin, self.progress, self._random())
            return Deserted(self.progress, stayer, self._random(), f"player-{number}-1", self._target.url)
        players = [Player(guest, twin, self.progress, self._random())]
        if kind != "alone":
            guest = await self._guest(stack, f"player-{number}-1", number + 1)
            players.append(Player(guest, None, self.progress, self._random()))
        clock = {"steady": STEADY, "hasty": HASTY}.get(kind)
        return Table(self.ledger, self.progress, players, self._random(), clock)

    async def _hall(self, stack: AsyncExitStack, wish: Wish, number: int) -> Hall:
        seekers: list[Seeker] = []
        for seat in range(number):
            name = f"seeker-{WISHES.index(wish)}-{seat}"
            guest = await self._guest(stack, name, seat)
            await guest.ask(type="register")
            seekers.append(Seeker(guest, self.progress, self._random(), wish=wish, name=name, url=self._target.url))
        return Hall(self.ledger, self.progress, seekers, self._random())

    def _random(self) -> random.Random:
        return random.Random(self._rng.random())

    async def _guest(self, stack: AsyncExitStack, name: str, node: int, token: str | None = None) -> Guest:
        entries = self._target.entries
        entry = entries[node % len(entries)]
        self._guests.append(await stack.enter_async_context(Guest(self.ledger, name, (entry, self._target.url), token)))
        return self._guests[-1]

    async def _journal(self) -> dict[str, list[bytes]]:
        """All rooms and their records, from the database itself."""
        records: dict[str, list[bytes]] = {
            row["room"]: [] for row in await self._target.query("SELECT room FROM rooms")
        }
        stored = "SELECT rooms.room, record FROM records JOIN rooms ON number = records.room ORDER BY records.version"
        for row in await self._target.query(stored):
            records[row["room"]].append(row["record"])
        return records


def _failed(task: asyncio.Task[None]) -> bool:
    return task.done() and task.exception() is not None


def quantile(values: Sequence[float], percent: int) -> float:
    """A percentile of ``values``, 0 where there are too few."""
    return statistics.quantiles(values, n=100)[percent - 1] if len(values) > 1 else 0.0
