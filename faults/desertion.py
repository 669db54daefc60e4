"""Tables where one player leaves in the middle of each game, and the other claims it."""

from __future__ import annotations

import asyncio
import math
import random
from datetime import datetime

from faults.clients import connect_client, now_ms
from faults.clocks import Json
from faults.load import Player, Progress, Table

CLOCKS = (None, {"initial_s": 60, "increment_s": 0})

RETURNING = 0.5
"""Share of leaving players that return, within ``RETURN_S`` seconds: in time or too late."""
RETURN_S = 6.0

THINKING_S = (0.0, 4.0)
"""The time a returning player waits before it moves."""

EARLY_CLAIMS = 0.3
"""Share of claims that are first tried too early."""
LATE_S = 3.0
"""Longest delay of a claim after it becomes possible."""


class RemainingPlayer(Player):
    """Plays while the opponent is there, and claims or aborts the game when it has left."""

    async def play(self, room: str, until: float = math.inf) -> None:
        """Play the game to its end, or until turn ``until``."""
        known = -1
        while True:

            def news(state: Json, known: int = known) -> bool:
                return state["status"] == "over" or state["turn"] > known or self._alone(state)

            state = await self.client.until(room, lambda state: state["status"] != "waiting" and news(state))
            if state["status"] == "over" or state["turn"] >= until:
                return
            if state["turn"] > known:
                known = state["turn"]
                if state["to_move"] == self.side(state):
                    await self._move(room, state)
            elif state["ply"] < 2:
                if await self.client.request(type="abort", room=room) is not None:
                    await self.client.until(room, lambda state: state["status"] == "over")
            else:
                await self._wait_and_claim(room, state)

    async def _wait_and_claim(self, room: str, state: Json) -> None:
        claimable_at = self._claimable_at(state)
        claimers = [self.client, *([self._twin] if self._twin else [])]
        request = {"type": "claim", "room": room, "result": self._rng.choice(["win", "win", "draw"])}
        assert claimable_at is not None, state
        if self._rng.random() < EARLY_CLAIMS:
            await self._rng.choice(claimers).request(**request)
        wait_s = (claimable_at - now_ms()) / 1000 + self._rng.uniform(0.2, LATE_S)
        try:
            async with asyncio.timeout(max(0, wait_s)):
                await self.client.until(room, lambda state: self._claimable_at(state) != claimable_at)
        except TimeoutError:
            if await self._rng.choice(claimers).request(**request) is not None:
                await self.client.until(room, lambda state: state["status"] == "over")

    def _alone(self, state: Json) -> bool:
        return not all(seat["online"] for side, seat in state["seats"].items() if seat and side != self.side(state))

    def _claimable_at(self, state: Json) -> int | None:
        """When the opponent's game may be claimed, in ms since the epoch; None if it has not left."""
        others = [seat for side, seat in state["seats"].items() if seat and side != self.side(state)]
        at = next((seat["claimable_at"] for seat in others if "claimable_at" in seat), None)
        return None if at is None else round(datetime.fromisoformat(at).timestamp() * 1000)


class DesertedTable(Table):
    """A table of ``remaining`` and a player called ``name`` who connects to ``url`` and leaves."""

    def __init__(self, progress: Progress, remaining: RemainingPlayer, rng: random.Random, name: str, url: str):
        super().__init__(remaining.client.ledger, progress, [remaining], rng)
        self._remaining = remaining
        self._name = name
        self._url = url
        self._token: str | None = None

    async def run(self) -> None:
        """Play games until there are enough."""
        while not self._progress.over:
            self._progress.begun += 1
            leaver = await self._connect()
            try:
                self._players = [self._remaining, leaver]
                self._clock = self._rng.choice(CLOCKS)
                room = self.room = await self._anew(None)
                await asyncio.gather(self._remaining.play(room), self._desert(leaver, room))
            finally:
                await leaver.client.__aexit__()
            await self._remaining.client.leave(room)
            self._progress.ended += 1
        await self._close()

    async def _desert(self, leaver: Player, room: str) -> None:
        await leaver.play(room, self._rng.randint(2, 4))
        await leaver.client.__aexit__()
        if self._rng.random() >= RETURNING:
            return
        await asyncio.sleep(self._rng.uniform(0, RETURN_S))
        again = await self._connect()
        try:
            if await again.client.request(type="watch", room=room) is not None:
                await asyncio.sleep(self._rng.choice(THINKING_S))
                await again.play(room)
        finally:
            await again.client.__aexit__()

    async def _connect(self) -> Player:
        client = await connect_client(self._ledger, self._name, self._url, self._token)
        self._token = client.token
        return Player(client, None, self._progress, self._rng)
