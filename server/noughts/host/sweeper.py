"""Background work of a host: ending games whose time is up, finding missed events, deleting what has lapsed."""

from __future__ import annotations

import asyncio
from itertools import islice

from noughts.host.host import Host
from noughts.journal import JournalError
from noughts.rooms import Expire

POLL_ROOMS = 1000
"""How many rooms one poll of the journal asks about."""

GUEST_MS = 24 * 3_600_000
"""How long a guest who never took a seat is kept."""

SEEK_MS = 5 * 60_000
"""How long a lapsed seek is kept: longer than most outages, since until then it can be renewed."""


async def sweep(host: Host) -> None:
    """Expire rooms whose time is up, and delete lapsed seeks and guests; for ever."""
    loop, journal, timing = asyncio.get_running_loop(), host.journal, host.timing
    forget_seeks_at = forget_guests_at = loop.time()
    while True:
        try:
            now, limit = journal.now(), 100 + len(host.unreadable)
            for room_id in await host.retry.once(journal.due(now, limit)):
                if room_id not in host.unreadable:
                    host.submit(room_id, Expire())
            if loop.time() >= forget_seeks_at:
                await journal.seeks.forget(now - SEEK_MS)
                forget_seeks_at = loop.time() + timing.forget_seeks_s
            if loop.time() >= forget_guests_at:
                await journal.forget(now - GUEST_MS)
                forget_guests_at = loop.time() + timing.forget_guests_s
        except JournalError:
            pass  # it was logged, and the next sweep does it
        await asyncio.sleep(timing.sweep_s)


async def poll_journal(host: Host) -> None:
    """Read the events of other nodes that the bus may have lost; for ever."""
    while host.journal.shared:
        await asyncio.sleep(host.timing.poll_s if host.bus.connected else host.timing.poll_without_bus_s)
        in_memory = iter(host.in_memory())
        try:
            while chunk := list(islice(in_memory, POLL_ROOMS)):
                for room_id, version in (await host.retry.once(host.journal.heads(chunk))).items():
                    if host.behind(room_id, version) and room_id not in host.unreadable:
                        host.refresh(room_id)
        except JournalError:
            pass  # it was logged
