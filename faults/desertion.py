"""Tables that one of the players leaves in the midst of each game, for a while or for good, and the other claims it."""

from __future__ import annotations

import asyncio
import math
import random
from datetime import datetime

from faults.clients import come, now_ms
from faults.clocks import Json
from faults.load import Player, Progress, Table

CLOCKS = (None, {"initial_s": 60, "increment_s": 0})

BACK = 0.5
"""The share of those who leave that come back, and do so within ``BACK_S`` seconds: in time or too late."""
BACK_S = 6.0

PENSIVE_S = (0.0, 4.0)
"""How long who is back looks at the board at first."""

EARLY = 0.3
"""The share of claims that are first tried before their time."""
LATE_S = 3.0
"""How much later than it may a claim is made, at most."""


class Stayer(Player):
    """Plays on for as long as the other is there, and claims the game of who has left, or aborts it in time."""

    async def play(self, room: str, until: float = math.inf) -> None:
        """Play the game to its end, or to the turn ``until``."""
        known = -1
        while True:

            def news(state: Json, known: int = known) -> bool:
                return state["status"] == "over" or state["turn"] > known or self._alone(state)

            state = await self.guest.until(room, lambda state: state["status"] != "waiting" and news(state))
            if state["status"] == "over" or state["turn"] >= until:
                return
            if state["turn"] > known:
                known = state["turn"]
                if state["to_move"] == self.side(state):
                    await self._move(room, state)
            elif state["ply"] < 2:
                if await self.guest.ask(type="abort", room=room) is not None:
                    await self.guest.until(room, lambda state: state["status"] == "over")
            else:
                await self._wait_and_claim(room, state)

    async def _wait_and_claim(self, room: str, state: Json) -> None:
        claimable_at = self._claimable_at(state)
        claimers = [self.guest, *([self._twin] if self._twin else [])]
        request = {"type": "claim", "room": room, "result": self._rng.choice(["win", "win", "draw"])}
        assert claimable_at is not None, state
        if self._rng.random() < EARLY:
            await self._rng.choice(claimers).ask(**request)
        wait_s = (claimable_at - now_ms()) / 1000 + self._rng.uniform(0.2, LATE_S)
        try:
            async with asyncio.timeout(max(0, wait_s)):
                await self.guest.until(room, lambda state: self._claimable_at(state) != claimable_at)
        except TimeoutError:
            if await self._rng.choice(claimers).ask(**request) is not None:
                await self.guest.until(room, lambda state: state["status"] == "over")

    def _alone(self, state: Json) -> bool:
        return not all(seat["online"] for side, seat in state["seats"].items() if seat and side != self.side(state))

    def _claimable_at(self, state: Json) -> int | None:
        """From when on the other's game may be claimed, ms since the epoch; None while it may not."""
        others = [seat for side, seat in state["seats"].items() if seat and side != self.side(state)]
        at = next((seat["claimable_at"] for seat in others if "claimable_at" in seat), None)
        return None if at is None else round(datetime.fromisoformat(at).timestamp() * 1000)


class Deserted(Table):
    """A table of ``stayer`` and somebody called ``name``, whose connections lead to ``url``."""

    def __init__(self, progress: Progress, stayer: Stayer, rng: random.Random, name: str, url: str):
        super().__init__(stayer.guest.ledger, progress, [stayer], rng)
        self._stayer = stayer
        self._name = name
        self._url = url
        self._token: str | None = None

    async def run(self) -> None:
        """Play games until there are enough."""
        while not self._progress.over:
            self._progress.begun += 1
            leaver = await self._come()
            try:
                self._players = [self._stayer, leaver]
                self._clock = self._rng.choice(CLOCKS)
                room = self.room = await self._anew(None)
                await asyncio.gather(self._stayer.play(room), self._desert(leaver, room))
            finally:
                await leaver.guest.__aexit__()
            await self._stayer.guest.leave(room)
            self._progress.ended += 1
        await self._close()

    async def _desert(self, leaver: Player, room: str) -> None:
        await leaver.play(room, self._rng.randint(2, 4))
        await leaver.guest.__aexit__()
        if self._rng.random() >= BACK:
            return
        await asyncio.sleep(self._rng.uniform(0, BACK_S))
        again = await self._come()
        try:
            if await again.guest.ask(type="watch", room=room) is not None:
                await asyncio.sleep(self._rng.choice(PENSIVE_S))
                await again.play(room)
        finally:
            await again.guest.__aexit__()

    async def _come(self) -> Player:
        guest = await come(self._ledger, self._name, self._url, self._token)
        self._token = guest.token
        return Player(guest, None, self._progress, self._rng)
