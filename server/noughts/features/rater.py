"""Rates the games that end."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

from noughts.gateway.feature import Feature
from noughts.gateway.server import Server
from noughts.host import GameOver, RoomUpdate
from noughts.journal import Journal, JournalError
from noughts.ratings import rate_all
from noughts.timing import Timing


def feature(server: Server) -> Feature:
    """Ratings."""
    rater = Rater(server.host.journal, server.timing)
    return Feature(updates={GameOver: rater.on_update}, loops=(rater.run,))


class Rater:
    """Rates unrated games. Every node does, whichever node they ended on: see :func:`~noughts.ratings.rate_all`."""

    def __init__(self, journal: Journal, timing: Timing = Timing()) -> None:
        self._journal = journal
        self._every_s = timing.rating_s
        self._ended = asyncio.Event()

    def on_update(self, update: RoomUpdate) -> None:
        """Rate a game that has ended on this node now, instead of at the next interval."""
        if update.ours and update.room.rated and update.room.status == "over":
            self._ended.set()

    async def run(self) -> None:
        """Rate for ever."""
        while True:
            self._ended.clear()
            with suppress(JournalError):  # the host logs that; the games stay unrated until the next time
                await rate_all(self._journal)
            with suppress(TimeoutError):
                # At random, so that nodes do not keep doing this at the same moment.
                async with asyncio.timeout(self._every_s * random.uniform(0.5, 1.5)):
                    await self._ended.wait()
