"""What every journal must do for bans of addresses, for each implementation."""

from __future__ import annotations

from noughts.journal import FOREVER, Journal, StoredBan


async def test_bans_are_in_force_until_they_end_or_are_lifted(journal: Journal) -> None:
    now = journal.now()
    assert await journal.bans.in_force() == []
    await journal.bans.put("203.0.113.0/24", FOREVER)
    await journal.bans.put("2001:db8::/48", now + 60_000)
    await journal.bans.put("198.51.100.1/32", now - 1)
    bans = [StoredBan("2001:db8::/48", now + 60_000), StoredBan("203.0.113.0/24", FOREVER)]
    assert await journal.bans.in_force() == bans
    await journal.bans.put("203.0.113.0/24", now + 60_000)
    assert (await journal.bans.in_force())[1].until == now + 60_000
    assert await journal.bans.lift("203.0.113.0/24")
    assert not await journal.bans.lift("203.0.113.0/24")
    assert not await journal.bans.lift("198.51.100.1/32"), "it had ended"
    assert await journal.bans.in_force() == bans[:1]


async def test_other_servers_see_a_ban(nodes: list[Journal]) -> None:
    await nodes[0].bans.put("203.0.113.0/24", FOREVER)
    assert await nodes[1].bans.in_force() == [StoredBan("203.0.113.0/24", FOREVER)]
