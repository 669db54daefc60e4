"""The contract of every journal for webhooks, for each implementation."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from noughts.journal import Append, Journal, Notice, StoredWebhook
from noughts.journal.webhooks import ATTEMPTS, RETRY_MS
from support.journals import store
from support.writes import OVER, player, result, write

HOOK = StoredWebhook("p-1", "https://example.org/x", b"s" * 32, None, None)


async def hooked(journal: Journal, number: int = 1) -> None:
    """The player has a webhook, which has been tried."""
    await journal.people.add_guest(player(number))
    assert await journal.webhooks.set(f"p-{number}", HOOK.url, HOOK.secret)
    for notice, _ in await journal.webhooks.take(9, []):
        await journal.webhooks.done(notice)


async def taken(journal: Journal) -> list[Notice]:
    return sorted([notice for notice, _ in await journal.webhooks.take(9, [])], key=lambda one: (one.room, one.player))


def call(room: str, version: int = 1, calls: str = "p-1") -> Append:
    return replace(write(room, version), calls=calls)


async def test_a_webhook_is_set_replaced_and_removed(journal: Journal) -> None:
    hooks = journal.webhooks
    assert not await hooks.set("p-1", HOOK.url, HOOK.secret), "there is no such player"
    await journal.people.add_guest(player(1))
    assert await hooks.of("p-1") is None
    assert await hooks.set("p-1", HOOK.url, HOOK.secret)
    assert await hooks.of("p-1") == HOOK
    assert await hooks.take(9, []) == [(Notice("p-1", "", 0, 1), HOOK)], "it is tried"
    await hooks.called(Notice("p-1", "", 0, 1), "it was refused (404)", final=False)
    stored = await hooks.of("p-1")
    assert stored is not None
    assert stored.outcome == "it was refused (404)"
    assert stored.tried_at is not None
    assert stored.tried_at > 0
    assert await hooks.set("p-1", "https://example.org/y", b"t" * 32)
    assert await hooks.of("p-1") == StoredWebhook("p-1", "https://example.org/y", b"t" * 32, None, None)
    await hooks.remove("p-1")
    assert await hooks.of("p-1") is None
    assert await taken(journal) == []


async def test_a_notice_is_stored_with_the_event_for_who_has_a_webhook(journal: Journal) -> None:
    await hooked(journal)
    await store(journal, call("one"), call("two", calls="p-2"), write("three"))
    assert not await journal.append(call("one", 3)), "it is not the next version"
    assert await taken(journal) == [Notice("p-1", "one", 1, 1)]
    assert await taken(journal) == [], "the next attempt comes later"


async def test_a_later_turn_takes_the_place_of_the_one_before(journal: Journal) -> None:
    """So no more wait than there are games."""
    await hooked(journal)
    await store(journal, call("one"))
    (first,) = await taken(journal)
    await store(journal, call("one", 2), call("one", 3))
    await journal.webhooks.done(first)
    assert await taken(journal) == [Notice("p-1", "one", 3, 1)]


async def test_a_rematch_and_the_end_of_a_game_may_call_too(journal: Journal) -> None:
    await hooked(journal)
    await hooked(journal, 2)
    rematch = replace(write("one", 2), opening=call("two"))
    await store(journal, write("one"), rematch, replace(write("three"), players=(player(3),), calls="p-2"))
    ended = replace(write("four", 2, index=OVER), finished=result("four"), calls="p-2")
    await store(journal, write("four"), ended)
    expected = [Notice("p-2", "four", 2, 1), Notice("p-2", "three", 1, 1), Notice("p-1", "two", 1, 1)]
    assert await taken(journal) == expected


async def test_attempts_come_later_and_later_and_end_by_done(journal: Journal) -> None:
    await hooked(journal)
    await store(journal, call("one"))
    start, waits = journal.now(), []
    for attempt in range(1, ATTEMPTS):
        ((notice, _),) = await journal.webhooks.take(1, [])
        assert notice.attempts == attempt
        rows = await journal.webhooks._database.fetch("SELECT due_at FROM notices WHERE room = 'one'")
        waits.append(round((rows[0][0] - start) / RETRY_MS))
        await journal.webhooks._database.execute("UPDATE notices SET due_at = 0")
    assert waits == [1, 4, 16, 64, 256, 1024]
    ((notice, _),) = await journal.webhooks.take(1, [])
    await journal.webhooks.called(notice, "told", final=True)
    assert await journal.webhooks._database.fetch("SELECT * FROM notices") == []


async def test_what_is_put_off_does_not_count_as_an_attempt(journal: Journal) -> None:
    await hooked(journal)
    await store(journal, call("one"))
    (notice,) = await taken(journal)
    await journal.webhooks.put_off(notice, journal.now() + 60_000)
    assert await taken(journal) == []
    await journal.webhooks.put_off(notice, 0)
    assert [one.attempts for one in await taken(journal)] == [0]


async def test_players_who_are_being_told_wait(journal: Journal) -> None:
    await hooked(journal, 1)
    await hooked(journal, 2)
    await store(journal, call("one"), call("two", calls="p-2"))
    assert [notice.player for notice, _ in await journal.webhooks.take(9, ["p-1"])] == ["p-2"]
    assert [notice.player for notice, _ in await journal.webhooks.take(9, [])] == ["p-1"]


async def test_two_servers_do_not_take_the_same_notice(nodes: list[Journal]) -> None:
    await hooked(nodes[0])
    await store(nodes[0], *(call(f"room-{number}") for number in range(20)))
    both = await asyncio.gather(*(one.webhooks.take(20, []) for one in (*nodes, *nodes)))
    rooms = [notice.room for found in both for notice, _ in found]
    assert sorted(rooms) == sorted(f"room-{number}" for number in range(20))


async def test_a_deleted_player_is_told_nothing(journal: Journal) -> None:
    await hooked(journal)
    await store(journal, call("one"))
    assert await journal.people.delete("p-1")
    assert await journal.webhooks.of("p-1") is None
    assert await taken(journal) == []
