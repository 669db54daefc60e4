"""kill -9 of a process that writes: no acknowledged write is lost.

This says nothing about a loss of power: the system's page cache survives a killed process.
"""

from __future__ import annotations

import asyncio
import random
import threading
from pathlib import Path

import pytest

from noughts.journal import SqliteJournal
from support.scripts import start

pytestmark = [pytest.mark.slow, pytest.mark.skipif("os.name != 'posix'", reason="kill -9 is POSIX")]

WRITER = """
import asyncio, importlib, os, pathlib, sys
from support.writes import write

async def play(journal, room):
    version = len(await journal.read(room))
    while True:
        version += 1
        assert await journal.append(write(room, version, f"{room} {version}".encode()))
        os.write(1, f"{room} {version}\\n".encode())

async def main():
    module, name, path = sys.argv[1:]
    journal = await getattr(importlib.import_module(module), name).open(pathlib.Path(path))
    await asyncio.gather(*(play(journal, f"room-{number}") for number in range(20)))

asyncio.run(main())
"""


def acknowledged_until_killed(journal: str, path: Path, after_s: float) -> dict[str, int]:
    """Each room's last acknowledged version; the writer is killed ``after_s`` seconds after the first."""
    module, name = journal.rsplit(".", 1)
    with start(WRITER, module, name, path) as writer:
        assert writer.stdout
        lines = [writer.stdout.readline()]
        killer = threading.Timer(after_s, writer.kill)
        killer.start()
        lines += writer.stdout
        killer.join()
    assert writer.returncode == -9
    return {room: int(version) for room, version in map(str.split, lines)}


async def lost_by_a_kill(journal: str, path: Path, after_s: float) -> int:
    """The number of lost acknowledged records. Checks that the others are whole and in order."""
    acknowledged = await asyncio.to_thread(acknowledged_until_killed, journal, path, after_s)
    assert acknowledged
    lost = 0
    reopened = await SqliteJournal.open(path)
    for room, version in acknowledged.items():
        records = await reopened.read(room)
        assert records == [f"{room} {number}".encode() for number in range(1, len(records) + 1)]
        lost += max(0, version - len(records))
    await reopened.close()
    return lost


async def test_no_acknowledged_append_is_lost_by_kill_9(tmp_path: Path) -> None:
    for _ in range(12):
        delay = random.uniform(0, 0.4)
        assert await lost_by_a_kill("noughts.journal.SqliteJournal", tmp_path / "journal.db", delay) == 0


async def test_the_test_detects_a_journal_that_acknowledges_before_it_commits(tmp_path: Path) -> None:
    lost = 0
    for _ in range(3):  # a kill may fall between a commit and the next acknowledgement
        delay = random.uniform(0.1, 0.4)
        lost += await lost_by_a_kill("support.early_ack.EarlyAckJournal", tmp_path / "journal.db", delay)
    assert lost > 0
