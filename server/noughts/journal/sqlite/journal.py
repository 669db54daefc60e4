"""The journal in SQLite."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Self

from noughts.journal import queries
from noughts.journal.acts import Acts
from noughts.journal.bans import Bans
from noughts.journal.callbacks import Done, awaited
from noughts.journal.classes import Classes
from noughts.journal.games import Games
from noughts.journal.index import Index, unleased
from noughts.journal.leases import Leases
from noughts.journal.pairs import Pairs
from noughts.journal.passes import Passes
from noughts.journal.people import People
from noughts.journal.puzzles import Puzzles
from noughts.journal.results import Results
from noughts.journal.seeks import Seeks
from noughts.journal.sqlite import statements
from noughts.journal.sqlite.database import SqliteDatabase
from noughts.journal.sqlite.schema import Connections, open_file, open_memory, open_unlocked
from noughts.journal.steady_clock import SteadyClock
from noughts.journal.talk import Talk
from noughts.journal.tokens import Tokens
from noughts.journal.tournaments import Tournaments
from noughts.journal.values import OUTAGES_MS, Append, Outage
from noughts.journal.webhooks import Webhooks

_THINKING = queries.UNLEASED.format(columns=f"room, {queries.LAST}", free="TRUE")
_THINKS = f"SELECT 1 FROM rooms WHERE room = $1 AND thinking AND status <> 'over' AND {queries.LAST} = $2"


class SqliteJournal:
    """A :class:`~noughts.journal.base.Journal` for one process and event loop: see ``open`` and ``in_memory``."""

    shared = False

    def __init__(self, connections: Connections, clock: Callable[[], int] | None = None) -> None:
        self.secret = connections.secret
        self._clock = SteadyClock(monotonic=monotonic) if clock is None else SteadyClock(clock)
        self._leases = Leases(self._clock)
        self.database = SqliteDatabase(connections)
        self.now: Callable[[], int] = self._clock
        self.put: Callable[[Append, Done], None] = self.database.writer.put
        self.close = self.database.writer.close
        self.check = self.database.check
        self.index = Index(self.database)
        self.people = People(self.database, self._clock)
        self.tokens = Tokens(self.database, self._clock)
        self.bans = Bans(self.database, self._clock)
        self.passes = Passes(self.database, self._clock)
        self.acts = Acts(self.database, self._clock)
        self.results = Results(self.database, self._clock)
        self.puzzles = Puzzles(self.database, self._clock)
        self.classes = Classes(self.database, self._clock)
        self.games = Games(self.database)
        self.seeks = Seeks(self.database, self._clock)
        self.pairs = Pairs(self.database, self._clock)
        self.talk = Talk(self.database, self._clock)
        self.tournaments = Tournaments(self.database, self._clock)
        self.webhooks = Webhooks(self.database, self._clock)

    @classmethod
    async def open(cls, path: Path, clock: Callable[[], int] | None = None, *, exclusive: bool = True) -> Self:
        """Open the journal at ``path``, creating it if it is not there; ``clock`` gives ms since the epoch.

        Without ``clock`` the time is the machine's, and goes on when that is set back.

        Not ``exclusive``: for a short while, even if a server has it open. The journal must exist then, and
        ``append`` is not allowed.

        Raises :class:`JournalInUse` if it is open already, here or in another process, and :class:`JournalError` if
        the file cannot be opened, is not a journal, belongs to a newer version, or if SQLite is too old.
        """
        connections = await asyncio.to_thread(open_file if exclusive else open_unlocked, path)
        journal = cls(connections, clock)
        await journal.people.look_for_deleted()
        return journal

    @classmethod
    def in_memory(cls, clock: Callable[[], int] | None = None) -> Self:
        """A new journal that ends with the process. Raises :class:`JournalError` if SQLite is too old."""
        return cls(open_memory(), clock)

    @property
    def trouble(self) -> str | None:
        return self.database.writer.trouble

    @property
    def clock_jumps(self) -> int:
        return self._clock.jumps

    async def append(self, write: Append) -> bool:
        stored: bool = await awaited(self.put, write)
        return stored

    async def read(self, room: str, since: int = 0) -> list[bytes]:
        since = min(since, queries.GREATEST_INTEGER)
        return [record for (record,) in await self.database.fetch(queries.READ, room, since)]

    async def unleased(self, limit: int) -> list[str]:
        rows = await unleased(self.database, _THINKING, limit + len(self._leases))
        return [room for room, version, _ in rows if not self._leases.held(room, version)][:limit]

    async def lease(self, room: str, version: int, by: str, for_ms: int) -> bool:
        return bool(await self.database.fetch(_THINKS, room, version)) and self._leases.take(room, version, by, for_ms)

    async def leased_until(self, room: str, version: int) -> int:
        self.database.check_open()
        return self._leases.until(room, version)

    async def strip(self, until: int, kept: Sequence[str], kept_until: int, limit: int) -> int:
        return await self.database.write(
            lambda connection: statements.strip(connection, until, kept, kept_until, limit)
        )

    async def forget(self, before: int) -> None:
        await self.seeks.forget(before)
        await self.people.forget(before)
        await self.pairs.forget(before)

    async def beat(self, gap_ms: int) -> list[Outage]:
        # The time is that of the write itself: the disk may not have answered for a while.
        await self.database.write(lambda connection: statements.beat(connection, self.now(), gap_ms))
        return await self.outages(self.now() - OUTAGES_MS)

    async def outages(self, since: int) -> list[Outage]:
        return [Outage(*row) for row in await self.database.fetch(queries.OUTAGES, since)]

    async def lead(self) -> bool:
        self.database.check_open()
        return True
