"""What a host does unasked: what is due by time, and finding out what other nodes have written."""

from __future__ import annotations

import asyncio
from itertools import islice

from noughts.host.host import Host
from noughts.journal import JournalError
from noughts.rooms import Expire

POLLED = 1000
"""How many rooms are asked for at once."""

GUEST_MS = 24 * 3_600_000
"""How long a player is known who never took a seat."""

SEEK_MS = 5 * 60_000
"""How long a seek is known that is kept no more: longer than most outages, as it can be taken up again until then."""


async def sweep(host: Host) -> None:
    """Do what is due by time, for ever."""
    loop, journal, timing = asyncio.get_running_loop(), host.journal, host.timing
    forget_at = forget_guests_at = loop.time()
    while True:
        try:
            now, limit = journal.now(), 100 + len(host.unreadable)
            for room_id in await host.retry.once(journal.due(now, limit)):
                if room_id not in host.unreadable:
                    host.submit(room_id, Expire())
            if loop.time() >= forget_at:
                await journal.seeks.forget(now - SEEK_MS)
                forget_at = loop.time() + timing.forget_seeks_s
            if loop.time() >= forget_guests_at:
                await journal.forget(now - GUEST_MS)
                forget_guests_at = loop.time() + timing.forget_guests_s
        except JournalError:
            pass  # it was logged, and what is due waits
        await asyncio.sleep(timing.sweep_s)


async def poll_journal(host: Host) -> None:
    """Find out what the bus has not told, for ever."""
    while host.journal.shared:
        await asyncio.sleep(host.timing.poll_s if host.bus.connected else host.timing.poll_without_bus_s)
        in_memory = iter(host.in_memory())
        try:
            while chunk := list(islice(in_memory, POLLED)):
                for room_id, version in (await host.retry.once(host.journal.heads(chunk))).items():
                    if host.behind(room_id, version) and room_id not in host.unreadable:
                        host.refresh(room_id)
        except JournalError:
            pass  # it was logged
