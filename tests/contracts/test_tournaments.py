"""The contract of every journal for tournaments, for each implementation."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from noughts.journal import Journal, TournamentRow

ROW = TournamentRow("t-1", "p-1", "open", True, b'{"tournament":"t-1"}')


async def test_records_are_read_in_their_order(journal: Journal) -> None:
    stored = journal.tournaments
    assert await stored.read("t-1") == []
    assert await stored.append(ROW, 1, b"one")
    assert await stored.append(replace(ROW, status="running"), 2, b"two")
    assert await stored.read("t-1") == [b"one", b"two"]
    assert await stored.read("t-1", 1) == [b"two"]
    assert await stored.read("t-1", 2) == []


async def test_records_that_another_stands_for_are_forgotten(journal: Journal) -> None:
    stored = journal.tournaments
    for version, record in enumerate((b"one", b"two", b"three"), 1):
        assert await stored.append(ROW, version, record)
    await stored.forget("t-1", 3)
    assert await stored.read("t-1") == await stored.read("t-1", 1) == [b"three"]
    assert not await stored.append(ROW, 2, b"another"), "a version that was forgotten is not written again"
    assert await stored.append(ROW, 4, b"four")


async def test_a_version_is_written_once_and_without_a_gap(journal: Journal) -> None:
    stored = journal.tournaments
    assert not await stored.append(ROW, 2, b"two"), "there is no first"
    assert await stored.append(ROW, 1, b"one")
    assert not await stored.append(ROW, 1, b"another")
    assert not await stored.append(ROW, 3, b"three")
    assert await stored.append(ROW, 2, b"two")
    assert not await stored.append(replace(ROW, status="finished"), 2, b"another")
    assert await stored.read("t-1") == [b"one", b"two"]
    assert await stored.unfinished() == {"t-1": 2}, "what is not stored does not change the row"


async def test_of_several_writers_one_succeeds(nodes: list[Journal]) -> None:
    await nodes[0].tournaments.append(ROW, 1, b"0")
    for version in range(2, 8):
        writes = [node.tournaments.append(ROW, version, b"%d" % each) for each in range(4) for node in nodes]
        assert sum(await asyncio.gather(*writes)) == 1
    assert len(await nodes[0].tournaments.read("t-1")) == 7
    both = [node.tournaments.append(replace(ROW, tournament="t-2"), 1, b"x") for node in nodes for _ in range(2)]
    assert sum(await asyncio.gather(*both)) == 1


async def test_public_ones_are_listed_those_under_way_first(journal: Journal) -> None:
    for name, status, public in (
        ("old", "finished", True),
        ("ended", "finished", True),
        ("entries", "open", True),
        ("secret", "running", False),
        ("now", "running", True),
    ):
        row = TournamentRow(name, "p-1", "open", public, name.encode())
        await journal.tournaments.append(row, 1, b"opened")
        await asyncio.sleep(0.002)  # its time is by the millisecond
        await journal.tournaments.append(replace(row, status=status), 2, b"changed")
    assert await journal.tournaments.listed(9) == [b"now", b"entries", b"ended", b"old"]
    assert await journal.tournaments.listed(1) == [b"now"]
    assert set(await journal.tournaments.unfinished()) == {"entries", "now", "secret"}
    assert await journal.tournaments.opened_by("p-1") == 3
    assert await journal.tournaments.opened_by("p-2") == 0
