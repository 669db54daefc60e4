"""The contract of every journal for chat, mutes and reports, for each implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from noughts.journal import FOREVER, Journal
from noughts.journal.talk import LINES, MUTES, REPORTS, SIDE_BYTES
from support.journals import store
from support.writes import OVER, player, write


async def test_the_last_lines_of_each_side_of_a_room_are_kept(journal: Journal) -> None:
    await store(journal, write("one"), write("two"))
    for number in range(LINES + 3):
        await journal.talk.put("one", "p-ann", b"%d" % number, players=True)
    await journal.talk.put("one", "p-eve", b"a", players=False)
    await journal.talk.put("two", "p-ann", b"b", players=True)
    await journal.talk.put("nowhere", "p-ann", b"c", players=True)
    lines = journal.talk.lines
    assert await lines("one", "p-ben", players=True) == [b"%d" % number for number in range(3, LINES + 3)]
    assert await lines("one", "p-ben", players=False) == [b"a"]
    assert await lines("two", "p-ben", players=True) == [b"b"]
    assert await lines("nowhere", "p-ben", players=True) == []


async def test_a_side_has_so_many_bytes(journal: Journal) -> None:
    await store(journal, write("one"))
    size = SIDE_BYTES // 4
    for number in range(6):
        await journal.talk.put("one", "p-ann", bytes([number]) * size, players=True)
        await journal.talk.put("one", "p-eve", b"short", players=False)
    assert [line[0] for line in await journal.talk.lines("one", "", players=True)] == [2, 3, 4, 5]
    assert len(await journal.talk.lines("one", "", players=False)) == 6


async def test_chat_goes_with_the_records_of_an_aborted_room(journal: Journal) -> None:
    await store(journal, write("one", index=replace(OVER, due_at=FOREVER + 5)), write("two"))
    for room in ("one", "two"):
        await journal.talk.put(room, "p-ann", b"hello", players=True)
    assert await journal.strip(5, [], 9, 10) == 1
    assert [await journal.talk.lines(room, "", players=True) for room in ("one", "two")] == [[], [b"hello"]]


async def test_a_player_hears_nothing_of_whom_it_has_muted(nodes: list[Journal]) -> None:
    here, there = nodes[0], nodes[-1]
    await store(here, write("one"))
    ann, ben, cid = "p-1", "p-2", "p-3"
    for number, name in enumerate(("ann", "ben", "cid"), 1):
        await here.people.add_guest(player(number))
        await here.talk.put("one", f"p-{number}", name.encode(), players=True)
    for _ in range(2):
        assert await here.talk.mute(ann, cid)
    assert await there.talk.lines("one", ann, players=True) == [b"ann", b"ben"]
    assert await there.talk.lines("one", ben, players=True) == [b"ann", b"ben", b"cid"]
    assert await there.talk.who_muted(cid, [ann, ben]) == {ann}
    assert await there.talk.who_muted(cid, [ben]) == set()
    assert [one.name for one in await there.talk.muted(ann)] == ["player-3"]
    await there.talk.unmute(ann, cid)
    assert await here.talk.muted(ann) == []


async def test_a_player_may_mute_so_many(journal: Journal) -> None:
    for number in range(MUTES):
        assert await journal.talk.mute("p-ann", f"p-{number}")
    assert not await journal.talk.mute("p-ann", "p-another")
    assert await journal.talk.mute("p-ann", "p-0"), "again"
    assert await journal.talk.mute("p-ben", "p-another")


async def test_mutes_and_webhooks_go_with_their_guests(journal: Journal) -> None:
    for number in (1, 2):
        await journal.people.add_guest(player(number))
    assert await journal.people.register("p-2", "Ben")
    assert await journal.webhooks.set("p-1", "https://club.example/", b"secret")
    await journal.talk.mute("p-1", "p-2")
    await journal.talk.mute("p-2", "p-1")
    await journal.forget(journal.now() + 1)
    assert await journal.talk.who_muted("p-2", ["p-1"]) == set()
    assert await journal.talk.who_muted("p-1", ["p-2"]) == set()
    assert await journal.webhooks.of("p-1") is None
    assert await journal.webhooks.take(9, []) == []


async def test_reports_are_listed_and_the_latest_are_kept(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.journal.talk.REPORTS", 3)
    before = journal.now()
    numbers = [await journal.talk.report("one", "p-ben", "p-ann", f"reason {n}", b"[%d]" % n) for n in range(5)]
    found = await journal.talk.reports(10)
    assert [one.number for one in found] == numbers[:1:-1]
    last = found[0]
    assert (last.room, last.player, last.reporter, last.reason, last.lines) == (
        "one",
        "p-ben",
        "p-ann",
        "reason 4",
        b"[4]",
    )
    assert last.at >= before
    assert await journal.talk.reports(1) == [last]
    assert REPORTS >= 100
