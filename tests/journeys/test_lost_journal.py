"""A server whose journal is removed, replaced or damaged while it runs, as its clients and its operator see it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from noughts.timing import Timing
from support.client import connected, farewell
from support.postgres import Postgres, database
from support.server import running_server

QUICK = Timing(journal_retries_s=(0.02,) * 5, journal_give_up_s=0.3)


async def readiness(url: str) -> tuple[int, dict[str, Any]]:
    """The status of /readyz and what it says."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /readyz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    async with asyncio.timeout(20):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return int(head.split()[1]), json.loads(body)


async def ready_when(url: str, journal: str) -> None:
    """Wait until /readyz says that the journal is so."""
    async with asyncio.timeout(60):
        while True:
            _, says = await readiness(url)
            if says["journal"] == journal:
                return
            await asyncio.sleep(0.02)


async def reason_not_ready(url: str) -> str:
    """The reason why the server is not ready, once it is not."""
    async with asyncio.timeout(60):
        while True:
            status, says = await readiness(url)
            if status == 503 and "reason" in says:
                return str(says["reason"])
            await asyncio.sleep(0.05)


def replace_by_backup(path: Path) -> None:
    with closing(sqlite3.connect(f"{path}-backup")) as backup, closing(sqlite3.connect(path)) as journal:
        journal.backup(backup)
    Path(f"{path}-backup").rename(path)


def spoil(path: Path) -> None:
    """Write nonsense into the middle."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xff" * 20_000)


async def test_moves_are_not_acknowledged_into_a_deleted_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "journal"
    async with (
        running_server(journal=str(path), timing=QUICK, node="here") as url,
        connected(url, "one") as one,
        connected(url, "two") as two,
    ):
        room = await one.create()
        await two.join(room)
        assert (await one.play(room, 0, "1"))["type"] == "ok"
        assert await readiness(url) == (200, {"ready": True, "node": "here", "journal": "ok", "bus": "none"})
        path.unlink()
        assert (await two.play(room, 1, "5"))["code"] == "overloaded"
        _, code, _ = await farewell(two)
        assert code == 1013
        status, says = await readiness(url)
        assert (status, says["ready"], says["journal"]) == (503, False, "failed")
        assert says["reason"] == "journal: the file is lost: journal was removed"
        assert [update["version"] for update in one.pushed if update["type"] == "update"] == [2, 3]
    assert [line for line in caplog.messages if "journal was removed" in line and str(path) in line]


async def test_an_idle_server_notices_within_seconds(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    async with running_server(journal=str(path), timing=QUICK) as url:
        replace_by_backup(path)
        found = await reason_not_ready(url)  # it may look between the two steps of a restore
        assert found.removeprefix("journal: the file is lost: ") in ("journal was replaced", "journal-wal was removed")


async def test_a_server_with_a_damaged_journal_says_so(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    async with running_server(journal=str(path)) as url, connected(url, "one") as one:
        for _ in range(300):
            await one.create()
    spoil(path)
    async with running_server(journal=str(path)) as url:
        reason = await reason_not_ready(url)
        assert reason.startswith("journal: the file is damaged: ")


async def test_a_server_whose_tables_a_newer_version_has_migrated_is_not_ready(postgres: Postgres) -> None:
    async with database(postgres) as journal, running_server(journal=journal, bus=None, timing=QUICK) as url:
        assert (await readiness(url))[0] == 200
        newer = await asyncpg.connect(journal)
        await newer.execute("UPDATE schema_version SET version = 999, readable_from = 999")
        await newer.close()
        moved = "journal: a newer version of noughts migrated its tables to schema 999"
        assert await reason_not_ready(url) == moved


async def test_a_server_is_not_ready_while_another_program_locks_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "journal"
    often = replace(QUICK, beat_s=0.05, beat_gap_s=0.3, sweep_s=0.02)  # it reads all the time, which the lock permits
    async with running_server(journal=str(path), timing=often) as url, connected(url, "one") as one:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await ready_when(url, "away")
            assert "the journal does not answer" not in caplog.text, "SQLite waits for 5 s, and clients waited with it"
            for _ in range(50):
                assert (await readiness(url))[0] == 503
                await asyncio.sleep(0.01)
        await ready_when(url, "ok")
        assert (await readiness(url))[0] == 200
        await one.create()
