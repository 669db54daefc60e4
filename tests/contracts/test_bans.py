"""The contract of every journal for bans of addresses, for each implementation."""

from __future__ import annotations

import asyncio

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


async def test_each_change_has_a_revision_of_its_own(nodes: list[Journal]) -> None:
    here, there = nodes[0].bans, nodes[-1].bans
    await asyncio.gather(*(each.put(f"192.0.2.{n}/32", FOREVER) for n in range(4) for each in (here, there)))
    found = await here.changed(0, 9)
    assert {ban.network for _, ban in found} == {f"192.0.2.{n}/32" for n in range(4)}
    revisions = [revision for revision, _ in found]
    assert revisions == sorted(set(revisions)), "in the order of the changes"
    assert revisions[0] > 0
    assert await there.changed(0, 2) == found[:2]
    assert await there.changed(revisions[1], 9) == found[2:]
    assert await there.changed(revisions[-1], 9) == []
    await here.put("192.0.2.1/32", 5)
    assert await there.lift("192.0.2.2/32")
    assert not await there.lift("192.0.2.9/32")
    changes = await here.changed(revisions[-1], 9)
    assert [ban for _, ban in changes] == [StoredBan("192.0.2.1/32", 5), StoredBan("192.0.2.2/32", 0)]
