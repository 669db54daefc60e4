"""Two PostgreSQL servers for tests: a primary, and a standby for which its commits wait."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from support.postgres import USER, Postgres, postgres_server

JOINED_S = 30.0
"""Within this time a new standby has received all of the primary's data."""

_STREAMING = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"


@dataclass
class Pair:
    """A primary and its standby, which change places at each promotion; use :func:`pair`."""

    primary: Postgres
    standby: Postgres

    def url(self, database: str = "postgres") -> str:
        """The address of ``database`` on whichever is the primary."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in sorted((self.primary.port, self.standby.port)))
        return f"postgresql://{USER}@{hosts}/{database}?target_session_attrs=primary"

    async def join(self) -> None:
        """Make the standby a copy of the primary anew, and let the primary's commits wait for it."""
        await asyncio.to_thread(self.standby.kill)
        await asyncio.to_thread(self.standby.follow, self.primary)
        connection = await asyncpg.connect(self.primary.url(), timeout=10, command_timeout=60)
        try:
            async with asyncio.timeout(JOINED_S):
                while not await connection.fetchval(_STREAMING):  # noqa: ASYNC110  it tells nobody
                    await asyncio.sleep(0.05)
            await connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            await connection.execute("SELECT pg_reload_conf()")
        finally:
            await connection.close()

    async def promote(self) -> None:
        """Make the standby the primary. Commits wait for no standby until the next ``join``."""
        await asyncio.to_thread(self.standby.promote)
        self.primary, self.standby = self.standby, self.primary


@asynccontextmanager
async def pair() -> AsyncIterator[Pair]:
    """A running primary and its standby, in temporary directories."""
    with ExitStack() as stack:
        directories = [stack.enter_context(tempfile.TemporaryDirectory(prefix="pg-")) for _ in range(2)]
        both = Pair(*(stack.enter_context(postgres_server(Path(one), syncs=False)) for one in directories))
        await both.join()
        yield both
