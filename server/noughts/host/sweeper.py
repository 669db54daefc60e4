"""Background work of a host: ending games whose time is up, or which the operator wants closed; finding missed events;
deleting what has lapsed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from functools import partial
from itertools import islice

from noughts.games import Side
from noughts.host.host import Host
from noughts.host.seen_time import seen_since
from noughts.journal import JournalError
from noughts.projection import ABORTED_MS, is_spent
from noughts.rooms import DRAW, Adjudicate, Close, Expire

POLL_ROOMS = 1000
"""The number of rooms one poll of the journal asks about."""

GUEST_MS = 24 * 3_600_000
"""The time a guest who never took a seat is kept."""

DUE_AT_ONCE = 1200
"""The number of rooms one sweep of a node expires, which takes it about half a second of processor time."""

DUE_IN_A_TURN = 20
"""The number of them that are begun in one turn of the event loop."""

DUE_LOOKED_AT = 6000
"""Among how many it chooses them, if so many are due, as after an outage."""

SEEK_MS = 5 * 60_000
"""The time a lapsed seek is kept: longer than most outages, since until then it can be renewed."""


STRIPPED_AT_ONCE = 200
"""Of how many rooms the records are deleted in one transaction, which takes some milliseconds."""


async def sweep(host: Host) -> None:
    """End games whose time is up, and delete lapsed seeks, guests, and records of aborted rooms; for ever.

    At the start, find out what the registered names look like, if another version has not.
    """
    loop, journal, timing = asyncio.get_running_loop(), host.journal, host.timing
    forget_seeks_at = forget_guests_at = strip_at = loop.time()
    looks_are_new = False
    while True:
        try:
            await _end_due(host)
            if not looks_are_new:
                await journal.people.renew_looks()
                looks_are_new = True
            at = loop.time()
            if at >= min(forget_seeks_at, forget_guests_at, strip_at):
                outages = await host.heartbeat.all_outages_since(0)
                now = journal.now()
                seen = partial(seen_since, outages, now)
                if at >= forget_seeks_at:
                    await journal.seeks.forget(seen(SEEK_MS))
                    forget_seeks_at = loop.time() + timing.forget_seeks_s
                if at >= forget_guests_at:
                    await journal.forget(seen(GUEST_MS))
                    forget_guests_at = loop.time() + timing.forget_guests_s
                if at >= strip_at:
                    kept, due_at = _aborted_and_watched(host, now - ABORTED_MS // 2), seen(ABORTED_MS) + ABORTED_MS
                    if await journal.strip(due_at, kept, now + ABORTED_MS, STRIPPED_AT_ONCE) < STRIPPED_AT_ONCE:
                        strip_at = loop.time() + timing.strip_s
        except JournalError:
            pass  # it was logged, and the next sweep does it
        await asyncio.sleep(timing.sweep_s)


async def _end_due(host: Host) -> None:
    """End games whose time is up, or which the operator wants closed. Raises JournalError."""
    journal = host.journal
    due = await host.retry.once(journal.index.due(journal.now(), DUE_LOOKED_AT + len(host.unreadable)))
    due = [room_id for room_id in due if room_id not in host.unreadable]
    verdicts = await host.retry.once(journal.index.to_close(DUE_LOOKED_AT)) if due else {}
    # At random, so that of many each node takes others.
    for number, room_id in enumerate(random.sample(due, DUE_AT_ONCE) if len(due) > DUE_AT_ONCE else due, 1):
        if number % DUE_IN_A_TURN == 0:
            await asyncio.sleep(0)
        host.submit(room_id, _closing(verdicts[room_id]) if room_id in verdicts else Expire())


def _closing(verdict: str | None) -> Close | Adjudicate:
    """The command by which a room ends as the operator wants."""
    return Close() if verdict is None else Adjudicate(None if verdict == DRAW else Side(verdict))


def _aborted_and_watched(host: Host, before: int) -> list[str]:
    """The watched rooms that were aborted before that time, ms since the epoch. All nodes keep theirs."""
    rooms = [host.room(room_id) for room_id in host.in_memory() if host.watched(room_id)]
    return [room.id for room in rooms if room is not None and room.at < before and is_spent(room)]


async def poll_journal(host: Host) -> None:
    """Read the events of other nodes that the bus may have lost; for ever."""
    loop, followed, woken = asyncio.get_running_loop(), set[str](), asyncio.Event()

    def on_followed(rooms: Sequence[str]) -> None:
        followed.update(rooms)
        woken.set()

    host.bus.on_followed.append(on_followed)
    polled_at = loop.time()
    while host.journal.shared:
        poll_s = host.timing.poll_s if host.bus.connected else host.timing.poll_without_bus_s
        try:
            async with asyncio.timeout_at(polled_at + poll_s):
                await woken.wait()
                await asyncio.sleep(host.timing.poll_followed_s)
            rooms, all_rooms = iter([*followed]), False
        except TimeoutError:
            rooms, all_rooms, polled_at = iter(host.in_memory()), True, loop.time()
        woken.clear()
        followed.clear()
        try:
            while chunk := list(islice(rooms, POLL_ROOMS)):
                for room_id, version in (await host.retry.once(host.journal.index.heads(chunk))).items():
                    if host.behind(room_id, version) and room_id not in host.unreadable:
                        host.refresh(room_id)
                        if all_rooms:  # a node may not know that this one follows the room
                            host.bus.follow(room_id)
        except JournalError:
            pass  # it was logged
