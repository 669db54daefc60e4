"""Players who find opponents by ``seek`` on any node; some withdraw, and some vanish."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

from faults.clients import Client, connect_client, now_ms
from faults.clocks import Json
from faults.desertion import RemainingPlayer
from faults.ledger import Ledger
from faults.load import FAST, SLOW, Progress, Table
from faults.pairings import Seek

WITHDRAWN = 0.08
"""Share of seeks that are withdrawn at once."""

VANISHED = 0.04
"""Share of waiting seekers who disconnect, at random or when their connection is lost."""

AWAY_S = 20.0
"""Longest absence of a vanished seeker: longer than a dead node's seek lasts."""

PAUSE_S = 1.0
"""Longest pause between two games."""

LATE_S = 2.0
"""Within this time a player who withdraws a seek learns that it was already paired."""


@dataclass(frozen=True)
class Terms:
    """A seeker's terms."""

    clock: Json | None = None
    rated: bool = False


TERMS = (Terms(), Terms(SLOW, rated=True), Terms(FAST, rated=True))


class Seeker(RemainingPlayer):
    """Seeks opponents with its terms and plays, game after game; reconnects as ``name`` to ``url``."""

    def __init__(
        self, client: Client, progress: Progress, rng: random.Random, *, terms: Terms, name: str, url: str
    ) -> None:
        super().__init__(client, None, progress, rng)
        self._terms = terms
        self._name = name
        self._url = url
        self._keys = itertools.count(1)
        self._known: set[str] = set()

    async def run(self, pool: SeekerPool) -> None:
        """Play in ``pool`` until there are enough games."""
        try:
            while not self._progress.over:
                room = await self._seek()
                if room is not None:
                    self._known.add(room)
                    await self._play_there(room, pool)
                await asyncio.sleep(self._rng.uniform(0, PAUSE_S))
        finally:
            await self.client.__aexit__()

    async def _play_there(self, room: str, pool: SeekerPool) -> None:
        ledger, state = self.client.ledger, self.client.states[room]
        side = self.side(state)
        assert side is not None, f"{self._name} was sent to {room} without a seat"
        ledger.seat(room, self.client.id, side)
        if self._terms.clock is FAST:
            ledger.fast.add(room)
        if side == "first":
            self._progress.begun += 1
            await pool.announce(room)
        await self.play(room)
        self._progress.ended += side == "first"
        await self.client.leave(room)

    async def _seek(self) -> str | None:
        """Seek an opponent. Returns the room; None if the seek was withdrawn or the player vanished."""
        client = self.client
        seek = Seek(client.id, self._terms.clock, self._terms.rated, now_ms())
        client.ledger.seeks.append(seek)
        request = {"type": "seek", "game": "tictactoe", "key": f"{next(self._keys)}"}
        room = None
        while room is None:
            lost = client.lost
            if await client.request(**request, clock=self._terms.clock, rated=self._terms.rated) is None:
                return None  # the ledger has the refusal for the audit
            seek.renewed_at = waits_since = now_ms()
            withdraws = self._rng.random() < WITHDRAWN
            while room is None and not withdraws and client.lost == lost:
                room = await client.new_room(self._known, 0.5)
                withdraws = self._progress.over
            seek.waits.append((waits_since, now_ms()))
            if room is None and self._rng.random() < VANISHED:
                await self._vanish(seek)
                return None
            if room is None and withdraws:
                await client.request(type="unseek")
                room = await client.new_room(self._known, LATE_S)
                if client.lost == lost:
                    break
                # The new node does not know the seek, which may have been paired: seek again.
        seek.room, seek.until = room, now_ms()
        return room

    async def _vanish(self, seek: Seek) -> None:
        """Disconnect without a word, and reconnect later."""
        token = self.client.token
        await self.client.__aexit__()
        seek.vanished, seek.until = True, now_ms()
        back_at = seek.until + self._rng.uniform(0, AWAY_S) * 1000
        while now_ms() < back_at and not self._progress.over:  # noqa: ASYNC110
            await asyncio.sleep(0.5)
        self.client = await connect_client(self.client.ledger, self._name, self._url, token)


class SeekerPool(Table):
    """All seekers with the same terms."""

    def __init__(self, ledger: Ledger, progress: Progress, seekers: Sequence[Seeker], rng: random.Random) -> None:
        super().__init__(ledger, progress, seekers, rng)
        self._seekers = seekers

    async def run(self) -> None:
        """Play games until there are enough."""
        await asyncio.gather(*(seeker.run(self) for seeker in self._seekers))
        await self._close()

    async def announce(self, room: str) -> None:
        """Announce a new room to the spectators."""
        self.room = room
        await self._announce(room, rematch=False)
