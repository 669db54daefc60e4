"""The contract of every journal for classes, for each implementation."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from noughts.journal import Journal, StoredClass
from support.writes import player


async def made(journal: Journal, *entries: str, most: int = 9) -> StoredClass:
    """A class of player 1, with so many guests beside."""
    for number in range(1, 5):
        await journal.people.add_guest(player(number))
    assert await journal.classes.make("c-1", "p-1", "Class B", entries, most)
    found = await journal.classes.find("c-1")
    assert found is not None
    return found


async def names(journal: Journal) -> list[tuple[str, bool, str]]:
    members = await journal.classes.members("c-1")
    return sorted((one.entry, one.bot, one.player.id) for one in members if one.left_at is None)


async def test_a_class_is_kept_as_it_was_made(journal: Journal) -> None:
    classes = journal.classes
    found = await made(journal, "Ada", "Ben", most=1)
    assert found == StoredClass("c-1", 1, "p-1", "Class B", ("Ada", "Ben"), None, None, found.made_at)
    assert not await classes.make("c-1", "p-2", "Other", ["Eve"], 9), "it is there already"
    assert not await classes.make("c-2", "p-1", "Class C", ["Eve"], 1), "it is one too many"
    assert await classes.find("c-2") is None
    assert await classes.of("p-1") == [found]
    assert await classes.of("p-2") == []


async def test_a_name_is_taken_once_by_a_person_and_once_by_a_bot(journal: Journal) -> None:
    classes, found = journal.classes, await made(journal, "Ada", "Ben")
    assert await classes.join(found, "Ada", "p-2", bot=False)
    assert not await classes.join(found, "Ada", "p-3", bot=False), "it is taken"
    assert not await classes.join(found, "Ben", "p-2", bot=False), "nobody has two"
    assert await classes.join(found, "Ada", "p-3", bot=True)
    assert await names(journal) == [("Ada", False, "p-2"), ("Ada", True, "p-3")]
    assert await classes.of("p-2") == [found]
    assert await classes.free("c-1", "Ada", bot=False) == "p-2"
    assert await classes.free("c-1", "Ada", bot=False) is None
    assert await classes.join(found, "Ada", "p-4", bot=False)
    assert await names(journal) == [("Ada", False, "p-4"), ("Ada", True, "p-3")]


async def test_who_had_a_name_stays_among_its_former_members(journal: Journal) -> None:
    classes, found = journal.classes, await made(journal, "Ada", "Ben")
    await classes.join(found, "Ada", "p-2", bot=False)
    (first,) = await classes.members("c-1")
    await classes.free("c-1", "Ada", bot=False)
    assert await classes.of("p-2") == []
    await classes.join(found, "Ada", "p-3", bot=False)
    former, now = await classes.members("c-1")
    assert (former.player.id, former.joined_at, now.player.id, now.left_at) == ("p-2", first.joined_at, "p-3", None)
    assert former.left_at is not None
    assert not await classes.join(found, "Ada", "p-2", bot=False), "somebody else has it now"
    await classes.free("c-1", "Ada", bot=False)
    assert await classes.join(found, "Ada", "p-2", bot=False)
    again = next(one for one in await classes.members("c-1") if one.player.id == "p-2")
    assert (again.joined_at, again.left_at) == (first.joined_at, None), "as if it had never left"


async def test_of_two_who_take_a_name_at_once_one_gets_it(nodes: list[Journal]) -> None:
    found = await made(nodes[0], "Ada")
    tries = [nodes[number % 2].classes.join(found, "Ada", f"p-{number}", bot=False) for number in (1, 2, 3, 4)]
    assert sum(await asyncio.gather(*tries)) == 1
    assert len(await names(nodes[0])) == 1


async def test_who_has_a_name_is_a_student_and_never_forgotten(journal: Journal) -> None:
    found = await made(journal, "Ada")
    before = await journal.people.find("p-2")
    assert before is not None
    assert not before.student
    assert await journal.classes.join(found, "Ada", "p-2", bot=False)
    (changed,) = await journal.people.changed(0, ["p-2"])
    assert changed.student
    assert changed.known
    await journal.forget(journal.now() + 1)
    assert await journal.people.find("p-2") is not None
    assert await journal.people.find("p-3") is None, "a guest like any other"


async def test_a_change_counts_once_and_takes_back_the_names_that_are_gone(journal: Journal) -> None:
    classes, before = journal.classes, await made(journal, "Ada", "Ben")
    for entry, who in (("Ada", "p-2"), ("Ben", "p-3")):
        assert await classes.join(before, entry, who, bot=False)
    after = replace(before, title="Class C", entries=("Ben", "Cleo"), puzzle_set="s-1", tournament="t-1")
    assert await classes.change(before, after)
    assert await classes.find("c-1") == replace(after, version=2)
    assert not await classes.change(before, before), "it is not what is stored any more"
    assert await names(journal) == [("Ben", False, "p-3")]
    assert not await classes.join(before, "Ada", "p-4", bot=False), "the name is gone"


async def test_a_class_that_is_deleted_leaves_no_name(journal: Journal) -> None:
    classes, found = journal.classes, await made(journal, "Ada")
    await classes.join(found, "Ada", "p-2", bot=False)
    assert not await classes.drop("c-1", "p-2"), "it is another's"
    assert len(await names(journal)) == 1
    assert await classes.drop("c-1", "p-1")
    assert await classes.find("c-1") is None
    assert await names(journal) == []
    assert await classes.of("p-2") == []


async def test_of_a_player_who_is_deleted_no_class_and_no_name_remains(journal: Journal) -> None:
    classes, found = journal.classes, await made(journal, "Ada", "Ben")
    await classes.join(found, "Ada", "p-2", bot=False)
    await classes.join(found, "Ben", "p-3", bot=False)
    await journal.people.delete("p-2")
    assert await names(journal) == [("Ben", False, "p-3")]
    await journal.people.delete("p-1")
    assert await classes.find("c-1") is None
    assert await names(journal) == []
