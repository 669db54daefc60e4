"""The contract of every journal for invitations to the server, for each implementation."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from noughts.journal import FOREVER, Journal, StoredPass
from support.writes import player

CODE, OTHER = b"1" * 32, b"2" * 32


async def add(journal: Journal, *numbers: int) -> None:
    for number in numbers:
        assert await journal.people.add_guest(player(number))


async def test_as_many_players_come_by_an_invitation_as_it_is_for(journal: Journal) -> None:
    passes, people = journal.passes, journal.people
    await add(journal, 1, 2, 3)
    await passes.put(CODE, "Ann and Ben", FOREVER, 2)
    (listed,) = await passes.valid()
    assert listed == StoredPass(CODE, "Ann and Ben", listed.made, FOREVER, 2, 0)
    assert not await passes.use(OTHER, "p-1"), "there is no such invitation"
    assert not await passes.use(CODE, "p-9"), "there is no such player"
    assert await passes.use(CODE, "p-1")
    assert not await passes.use(CODE, "p-1"), "the player is invited already"
    assert await people.find("p-1") == replace(player(1), invited=True)
    assert (await passes.valid())[0].used == 1
    assert await passes.use(CODE, "p-2")
    assert not await passes.use(CODE, "p-3"), "it is used up"
    assert await people.find("p-3") == player(3)
    assert await passes.valid() == []
    assert await people.changed(0, ["p-1", "p-2", "p-3"]) == [
        replace(player(1), invited=True),
        replace(player(2), invited=True),
    ]


async def test_an_invitation_ends_by_time_or_by_the_operator(journal: Journal) -> None:
    passes = journal.passes
    await add(journal, 1)
    await passes.put(CODE, "", journal.now() - 1, 1)
    await passes.put(OTHER, "", FOREVER, 1)
    assert not await passes.use(CODE, "p-1")
    assert not await passes.end(CODE)
    assert await passes.end(OTHER)
    assert not await passes.end(OTHER)
    assert not await passes.use(OTHER, "p-1")
    assert await passes.valid() == []


async def test_players_who_are_invited_are_never_forgotten(journal: Journal) -> None:
    await add(journal, 1, 2)
    await journal.passes.put(CODE, "", FOREVER, 1)
    assert await journal.passes.use(CODE, "p-1")
    await journal.people.forget(journal.now() + 1)
    assert await journal.people.find("p-1") is not None
    assert await journal.people.find("p-2") is None


async def test_two_servers_do_not_let_in_more_than_an_invitation_is_for(nodes: list[Journal]) -> None:
    await add(nodes[0], *range(1, 7))
    await nodes[0].passes.put(CODE, "", FOREVER, 2)
    let_in = await asyncio.gather(*(nodes[n % 2 - 1].passes.use(CODE, f"p-{n}") for n in range(1, 7)))
    assert sum(let_in) == 2
