"""Bans of addresses: who is found in the list."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType
from typing import Any

import pytest

from noughts.gateway.bans import AT_ONCE, AddressBans
from noughts.journal import FOREVER
from noughts.journal.bans import Bans
from noughts.timing import Timing
from support.journals import MemoryJournal


@pytest.mark.parametrize(
    ("banned", "address", "found"),
    [
        ("203.0.113.9/32", "203.0.113.9", True),
        ("203.0.113.9/32", "203.0.113.8", False),
        ("203.0.113.0/24", "203.0.113.9", True),
        ("203.0.113.0/24", "203.0.114.9", False),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64", True),
        ("2001:db8:1::/48", "2001:db8:1:2::/64", True),
        ("2001:db8:2::/48", "2001:db8:1:2::/64", False),
        ("::/1", "203.0.113.9", False),
        ("203.0.113.0/24", "", False),
        ("203.0.113.0/24", "mqtt", False),
    ],
)
async def test_an_address_in_a_banned_network_is_banned(banned: str, address: str, found: bool) -> None:
    journal = MemoryJournal()
    bans = AddressBans(journal, Timing())
    await journal.bans.put("192.0.2.1/32", FOREVER)
    await journal.bans.put(banned, FOREVER)
    assert bans.problem(address) is None, "it has not looked"
    await bans.look()
    assert (bans.problem(address) is not None) is found


async def test_the_longest_ban_counts_and_a_ban_ends() -> None:
    now = 10**12
    journal = MemoryJournal(lambda: now)
    bans = AddressBans(journal, Timing())
    await journal.bans.put("203.0.113.0/24", now + 1000)
    await journal.bans.put("203.0.113.9/32", now + 2000)
    await bans.look()
    now += 1500
    problem = bans.problem("203.0.113.9")
    assert problem is not None
    assert problem.message == "Your address is banned from this server until 2001-09-09T01:46:42.000Z."
    now += 1000
    assert bans.problem("203.0.113.9") is None


async def test_a_lifted_ban_ends_and_a_lift_is_no_news_for_clients() -> None:
    journal = MemoryJournal()
    bans = AddressBans(journal, Timing())
    changes: list[None] = []
    bans.on_change = lambda: changes.append(None)
    await journal.bans.put("203.0.113.0/24", FOREVER)
    await bans.look()
    assert bans.problem("203.0.113.9") is not None
    await journal.bans.lift("203.0.113.0/24")
    await bans.look()
    assert bans.problem("203.0.113.9") is None
    assert len(changes) == 1


class Counted:
    """A journal's database that counts the rows it gives."""

    def __init__(self, journal: MemoryJournal) -> None:
        self._database = journal.database
        self.rows: list[int] = []

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        found = await self._database.fetch(sql, *parameters)
        self.rows.append(len(found))
        return found


async def test_only_what_has_changed_is_read_and_only_some_at_once() -> None:
    journal = MemoryJournal()
    counted = Counted(journal)
    number = 2 * AT_ONCE + 1
    for n in range(number):
        await journal.bans.put(f"10.0.{n >> 8}.{n & 255}/32", FOREVER)
    journal.bans = Bans(counted, journal.now)  # type: ignore[arg-type]
    bans = AddressBans(journal, Timing())
    await bans.look()
    assert counted.rows == [AT_ONCE, AT_ONCE, 1]
    assert all(bans.problem(f"10.0.{n >> 8}.{n & 255}") is not None for n in range(number))
    counted.rows.clear()
    await bans.look()
    assert counted.rows == [0]


async def test_the_work_of_a_check_does_not_grow_with_the_number_of_bans() -> None:
    def work(bans: AddressBans) -> int:
        """The number of functions a check calls."""
        calls: Counter[str] = Counter()

        def count(_frame: FrameType, event: str, _argument: object) -> None:
            calls[event] += 1

        sys.setprofile(count)
        try:
            assert bans.problem("203.0.113.9") is None
        finally:
            sys.setprofile(None)
        return calls.total()

    journal = MemoryJournal()
    bans = AddressBans(journal, Timing())
    found = []
    for n in range(1000):
        await journal.bans.put(f"10.{n >> 8}.{n & 255}.0/24", FOREVER)
        if n in (0, 999):
            await bans.look()
            found.append(work(bans))
    assert found[0] == found[1]
