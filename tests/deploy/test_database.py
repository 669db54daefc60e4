"""PostgreSQL as in its container: who may log in, and what the journal's account may do."""

from __future__ import annotations

from collections.abc import Iterator

import asyncpg
import pytest

from deploy.stack import Database, running_postgres

pytestmark = pytest.mark.services

PASSWORD = """it's "$1" \\ and 50 %"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    password_file = tmp_path_factory.mktemp("secrets") / "journal_password"
    password_file.write_text(PASSWORD + "\n")
    with running_postgres(password_file) as running:
        yield running


async def log_in(database: Database, user: str, password: str, name: str) -> asyncpg.Connection:
    return await asyncpg.connect(
        host="127.0.0.1", port=database.port, user=user, password=password, database=name, timeout=20
    )


async def test_the_journals_account_needs_its_password(database: Database) -> None:
    connection = await log_in(database, "noughts", PASSWORD, "noughts")
    await connection.close()
    for password in ("", "noughts", PASSWORD[:-1]):
        with pytest.raises(asyncpg.InvalidPasswordError):
            await log_in(database, "noughts", password, "noughts")


async def test_the_superuser_cannot_log_in_over_the_network(database: Database) -> None:
    for password in ("", "postgres", PASSWORD):
        with pytest.raises(asyncpg.InvalidPasswordError):
            await log_in(database, "postgres", password, "postgres")


async def test_the_journals_account_owns_its_database_and_nothing_else(database: Database) -> None:
    connection = await log_in(database, "noughts", PASSWORD, "noughts")
    try:
        await connection.execute("CREATE TABLE tables (are integer)")
        for statement in (
            "CREATE ROLE another",
            "CREATE DATABASE another",
            "ALTER SYSTEM SET fsync = off",
            "COPY tables FROM PROGRAM 'echo 1'",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    finally:
        await connection.close()


async def test_commits_wait_for_the_disk(database: Database) -> None:
    settings = database.psql("-c", "SHOW fsync", "-c", "SHOW synchronous_commit", "-c", "SHOW full_page_writes")
    assert settings.split() == ["on"] * 3
