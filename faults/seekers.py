"""Players who find each other by ``seek``, on whichever nodes they are, and some who think better of it or vanish."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

from faults.clients import Guest, come, now_ms
from faults.clocks import Json
from faults.desertion import Stayer
from faults.ledger import Ledger
from faults.load import HASTY, STEADY, Progress, Table
from faults.pairings import Seek

WITHDRAWN = 0.08
"""The share of seeks that are taken back at once."""

VANISHED = 0.04
"""The share of seekers who go away while they wait, by chance or when their connection is lost."""

AWAY_S = 20.0
"""How long who vanishes stays away at most: longer than the seek of a dead node lasts."""

PAUSE_S = 1.0
"""How long one rests between two games at most."""

LATE_S = 2.0
"""Within which time who takes a seek back learns that it had been paired before."""


@dataclass(frozen=True)
class Wish:
    """What somebody seeks."""

    clock: Json | None = None
    rated: bool = False


WISHES = (Wish(), Wish(STEADY, rated=True), Wish(HASTY, rated=True))


class Seeker(Stayer):
    """Seeks what it wishes for and plays, game after game; ``name`` is the guest's, who comes back to ``url``."""

    def __init__(
        self, guest: Guest, progress: Progress, rng: random.Random, *, wish: Wish, name: str, url: str
    ) -> None:
        super().__init__(guest, None, progress, rng)
        self._wish = wish
        self._name = name
        self._url = url
        self._keys = itertools.count(1)
        self._known: set[str] = set()

    async def run(self, hall: Hall) -> None:
        """Meet others in ``hall`` until there are enough games."""
        try:
            while not self._progress.over:
                room = await self._seek()
                if room is not None:
                    self._known.add(room)
                    await self._play_there(room, hall)
                await asyncio.sleep(self._rng.uniform(0, PAUSE_S))
        finally:
            await self.guest.__aexit__()

    async def _play_there(self, room: str, hall: Hall) -> None:
        ledger, state = self.guest.ledger, self.guest.states[room]
        side = self.side(state)
        assert side is not None, f"{self._name} was brought to {room}, where others sit"
        ledger.seat(room, self.guest.id, side)
        if self._wish.clock is HASTY:
            ledger.hasty.add(room)
        if side == "first":
            self._progress.begun += 1
            await hall.announce(room)
        await self.play(room)
        self._progress.ended += side == "first"
        await self.guest.leave(room)

    async def _seek(self) -> str | None:
        """Seek an opponent; the room, None for who has taken it back or vanished, or needs none any more."""
        guest = self.guest
        seek = Seek(guest.id, self._wish.clock, self._wish.rated, now_ms())
        guest.ledger.seeks.append(seek)
        request = {"type": "seek", "game": "tictactoe", "key": f"{next(self._keys)}"}
        room = None
        while room is None:
            lost = guest.lost
            if await guest.ask(**request, clock=self._wish.clock, rated=self._wish.rated) is None:
                return None  # the refusal was noted, and the audit judges it
            seek.asked_again_at = waits_since = now_ms()
            withdraws = self._rng.random() < WITHDRAWN
            while room is None and not withdraws and guest.lost == lost:
                room = await guest.newcomer(self._known, 0.5)
                withdraws = self._progress.over
            seek.waits.append((waits_since, now_ms()))
            if room is None and self._rng.random() < VANISHED:
                await self._vanish(seek)
                return None
            if room is None and withdraws:
                await guest.ask(type="unseek")
                room = await guest.newcomer(self._known, LATE_S)
                if guest.lost == lost:
                    break
                # Another node knows nothing of the seek unless it is asked for again: it may have been paired.
        seek.room, seek.until = room, now_ms()
        return room

    async def _vanish(self, seek: Seek) -> None:
        """Go away without a word, and come back some time later."""
        token = self.guest.token
        await self.guest.__aexit__()
        seek.vanished, seek.until = True, now_ms()
        back_at = seek.until + self._rng.uniform(0, AWAY_S) * 1000
        while now_ms() < back_at and not self._progress.over:  # noqa: ASYNC110
            await asyncio.sleep(0.5)
        self.guest = await come(self.guest.ledger, self._name, self._url, token)


class Hall(Table):
    """Where players of one wish meet."""

    def __init__(self, ledger: Ledger, progress: Progress, seekers: Sequence[Seeker], rng: random.Random) -> None:
        super().__init__(ledger, progress, seekers, rng)
        self._seekers = seekers

    async def run(self) -> None:
        """Play games until there are enough."""
        await asyncio.gather(*(seeker.run(self) for seeker in self._seekers))
        await self._close()

    async def announce(self, room: str) -> None:
        """Tell the spectators of a new room."""
        self.room = room
        await self._announce(room, rematch=False)
