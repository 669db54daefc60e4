"""Keeps the ratings up with the games that end."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

from noughts.host import Host, RoomUpdate
from noughts.journal import JournalError
from noughts.ratings import rate_all

LOOK_S = 3.0
"""How often, about, it is looked what is left: that other nodes have ended and did not come to rate, or gave up."""


class Rater:
    """Rates what there is to be rated. Every node does: see :func:`~noughts.ratings.rate_all`."""

    def __init__(self, host: Host) -> None:
        self._journal = host.journal
        self._ended = asyncio.Event()
        host.listeners.append(self.tell)

    def tell(self, happening: RoomUpdate) -> None:
        """Something has happened in a room; what this node has ended need not be looked for."""
        if happening.ours and happening.room.rated and happening.room.status == "over":
            self._ended.set()

    async def run(self) -> None:
        """Rate for ever."""
        while True:
            self._ended.clear()
            with suppress(JournalError):  # the host says so, and what is not rated stays to be
                await rate_all(self._journal)
            with suppress(TimeoutError):
                # By chance, so that not all nodes look at the same moment, time and again.
                async with asyncio.timeout(LOOK_S * random.uniform(0.5, 1.5)):
                    await self._ended.wait()
