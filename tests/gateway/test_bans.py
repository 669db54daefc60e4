"""Bans of addresses: who is found in the list."""

from __future__ import annotations

import pytest

from noughts.gateway.bans import AddressBans
from noughts.journal import FOREVER
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
