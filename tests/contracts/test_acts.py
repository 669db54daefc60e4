"""The contract of every journal for the acts of the operator, for each implementation."""

from __future__ import annotations

import asyncio

from noughts.journal import Act, Journal


async def test_acts_are_found_in_their_order_and_by_kind(journal: Journal) -> None:
    acts = journal.acts
    assert await acts.revision() == 0
    assert await acts.since(0, 9) == await acts.last(9) == []
    await acts.put("root", "ban", "203.0.113.0/24", "forever")
    await acts.put("root", "announce", detail="Hello")
    await acts.put("eve", "ban", "p-1")
    found = await acts.since(0, 9)
    assert [act.revision for act in found] == [1, 2, 3]
    assert found[0] == Act(1, found[0].at, "root", "ban", "203.0.113.0/24", "forever")
    assert abs(found[0].at - journal.now()) < 60_000
    assert await acts.since(1, 1) == [found[1]]
    assert await acts.last(2) == [found[2], found[1]]
    assert await acts.last(9, "ban") == [found[2], found[0]]
    assert await acts.revision() == 3


async def test_each_act_has_a_revision_of_its_own(nodes: list[Journal]) -> None:
    await asyncio.gather(*(each.acts.put("root", "ban", str(n)) for n in range(4) for each in (nodes[0], nodes[-1])))
    assert [act.revision for act in await nodes[0].acts.since(0, 99)] == list(range(1, 9))
