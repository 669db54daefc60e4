"""Keeps the ratings up with the games that end."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from noughts.host import Happening, Host
from noughts.journal import JournalError
from noughts.ratings import rate_all

LOOK_S = 1.0
"""How often games are looked for that other nodes have written."""


class Rater:
    """Rates on the node that leads; elsewhere it waits to do so."""

    def __init__(self, host: Host) -> None:
        self._journal = host.journal
        self._ended = asyncio.Event()
        host.listeners.append(self.tell)

    def tell(self, happening: Happening) -> None:
        """Something has happened in a room; what this node has ended need not be looked for."""
        if happening.ours and happening.room.rated and happening.room.status == "over":
            self._ended.set()

    async def run(self) -> None:
        """Rate for ever."""
        while True:
            self._ended.clear()
            with suppress(JournalError):  # the host says so, and what is not rated stays to be
                if await self._journal.lead():
                    await rate_all(self._journal)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._ended.wait()
