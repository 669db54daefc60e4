"""What a host does unasked: what is due by time, and finding out what other nodes have written."""

from __future__ import annotations

import asyncio
from itertools import islice

from noughts.host.host import Host
from noughts.journal import JournalError
from noughts.rooms import Expire

SWEEP_S = 1.0
"""How often the index is asked for what is due by time."""

POLL_S = 1.0
"""How often the journal is asked for what the bus may have lost."""

QUICK_POLL_S = 0.2
"""How often it is asked while there is no bus."""

POLLED = 1000
"""How many rooms are asked for at once."""

GUEST_MS = 24 * 3_600_000
"""How long a player is known who never took a seat."""

SEEK_MS = 5 * 60_000
"""How long a seek is known that is kept no more: longer than most outages, as it can be taken up again until then."""

FORGET_S = 60.0
"""How often such seeks are forgotten: whoever looks for those that wait reads past them."""

FORGET_GUESTS_S = 3600.0
"""How often such players are."""


async def sweep(host: Host) -> None:
    """Do what is due by time, for ever."""
    loop, journal = asyncio.get_running_loop(), host.journal
    forget_at = forget_guests_at = loop.time()
    while True:
        try:
            now, limit = journal.now(), 100 + len(host.unreadable)
            for room_id in await host.retry.once(journal.due(now, limit)):
                if room_id not in host.unreadable:
                    host.submit(room_id, Expire())
            if loop.time() >= forget_at:
                await journal.seeks.forget(now - SEEK_MS)
                forget_at = loop.time() + FORGET_S
            if loop.time() >= forget_guests_at:
                await journal.forget(now - GUEST_MS)
                forget_guests_at = loop.time() + FORGET_GUESTS_S
        except JournalError:
            pass  # it was logged, and what is due waits
        await asyncio.sleep(SWEEP_S)


async def poll_journal(host: Host) -> None:
    """Find out what the bus has not told, for ever."""
    while host.journal.shared:
        await asyncio.sleep(POLL_S if host.bus.connected else QUICK_POLL_S)
        in_memory = iter(host.in_memory())
        try:
            while chunk := list(islice(in_memory, POLLED)):
                for room_id, version in (await host.retry.once(host.journal.heads(chunk))).items():
                    if host.behind(room_id, version) and room_id not in host.unreadable:
                        host.look(room_id)
        except JournalError:
            pass  # it was logged
