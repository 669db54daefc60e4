"""Journals for the suites that every kind of journal must pass."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import pytest

from noughts.journal import Journal
from noughts.journal.postgres.journal import PostgresJournal
from support.journals import Opener, in_memory, in_postgres, in_sqlite
from support.postgres import Postgres, database

KINDS = ["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.services)]


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest) -> Opener:
    """Opens a new journal of the kind under test."""
    match request.param:
        case "memory":
            return in_memory
        case "sqlite":
            return in_sqlite
        case _:
            return partial(in_postgres, request.getfixturevalue("postgres"))


@pytest.fixture
async def journal(opened: Opener) -> AsyncIterator[Journal]:
    async with opened() as journal:
        yield journal


@pytest.fixture(params=KINDS)
async def nodes(request: pytest.FixtureRequest) -> AsyncIterator[list[Journal]]:
    """The same journal twice: opened by two servers if that is possible, else by one."""
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        async with database(server) as url:
            first, second = await PostgresJournal.open(url), await PostgresJournal.open(url)
            yield [first, second]
            await first.close()
            await second.close()
    else:
        async with (in_memory if request.param == "memory" else in_sqlite)() as journal:
            yield [journal, journal]
