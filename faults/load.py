"""The load of a run: tables where two players play game after game, and spectators who follow them."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from faults.clients import Client
from faults.clocks import SIDES, Json
from faults.ledger import Ledger

REMATCH = 0.3
"""Share of games that are followed by a rematch instead of a new room."""

BAD_REQUESTS = 0.15
"""Share of turns at which a player sends a bad or a duplicate request."""


SLOW = {"initial_s": 20, "increment_s": 1}
"""A clock on which a player who moves at once never loses, whatever breaks."""

FAST = {"per_move_s": 2}
"""A clock on which players do lose."""

IDLE = 0.1
"""Share of turns on a fast clock at which a player does not move."""


Wait = tuple[float, float]
"""Start and end of a wait, by the monotonic clock, in seconds."""


@dataclass
class Progress:
    """Progress of the load: at least ``games`` games are played, and more until ``enough`` is set.

    Games against a computer do not count. ``answers`` and ``across``: how long moves waited for their ``ok``, and to
    arrive at the opponent.
    """

    games: int
    enough: asyncio.Event
    begun: int = 0
    ended: int = 0
    answers: list[Wait] = field(default_factory=list)
    across: list[Wait] = field(default_factory=list)
    sent_at: dict[tuple[str, int], float] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """True if no more games should begin."""
        return self.begun >= self.games and self.enough.is_set()


class Player:
    """Plays with ``client``; ``twin`` is a second connection of the same player, to another node."""

    def __init__(self, client: Client, twin: Client | None, progress: Progress, rng: random.Random) -> None:
        self.client = client
        self._twin = twin
        self._progress = progress
        self._rng = rng

    async def play(self, room: str, until: float = math.inf) -> None:
        """Play the game to its end, or until turn ``until``."""
        known = -1
        while True:
            state = await self.client.until(room, _goes_on_after(known))
            if known >= 0:
                self._arrived(room, state)
            known = state["turn"]
            if state["status"] == "over" or known >= until:
                return
            if state["to_move"] == self.side(state):
                await self._move(room, state)
            elif self._rng.random() < BAD_REQUESTS:
                await self.client.play(room, state["turn"], self._rng.choice(state["legal_moves"]))

    async def _move(self, room: str, state: Json) -> None:
        turn, move = state["turn"], self._rng.choice(state["legal_moves"])
        if room in self.client.ledger.fast and turn > 1 and self._rng.random() < IDLE:
            return
        if self._rng.random() < BAD_REQUESTS:
            await self._send_bad_move(room, turn, state)
        if self._twin is not None and self._rng.random() < BAD_REQUESTS:
            # The same move through two nodes, or two moves at the same turn.
            other = self._rng.choice([move, *state["legal_moves"]])
            await asyncio.gather(self.client.play(room, turn, move), self._twin.play(room, turn, other))
            return
        began = self._progress.sent_at[room, turn] = time.monotonic()
        if await self.client.play(room, turn, move):
            self._progress.answers.append((began, time.monotonic()))

    async def _send_bad_move(self, room: str, turn: int, state: Json) -> None:
        """Send a stale move, or a move to an occupied cell."""
        if not state["moves"]:
            return
        if self._rng.random() < 0.5:
            await self.client.play(room, turn, self._rng.choice(state["moves"]))
        else:
            await self.client.play(room, turn - 1, self._rng.choice(state["legal_moves"]))

    def _arrived(self, room: str, state: Json) -> None:
        """Record how long the opponent's move took to arrive."""
        sent = self._progress.sent_at.get((room, state["turn"] - 1))
        if sent is not None and state["to_move"] == self.side(state):
            self._progress.across.append((sent, time.monotonic()))

    def side(self, state: Json) -> str | None:
        """The player's side; None without a seat."""
        seats = state["seats"]
        return next((side for side in SIDES if seats[side] and seats[side]["id"] == self.client.id), None)


def _goes_on_after(turn: int) -> Callable[[Json], bool]:
    """A condition on states: the game is over or has passed ``turn``."""
    return lambda state: bool(state["status"] == "over" or (state["status"] == "playing" and state["turn"] > turn))


class Table:
    """Two players, or one and a computer, and all their rooms, which are announced to spectators.

    ``room`` is the current one. All rooms have ``clock``.
    """

    def __init__(
        self,
        ledger: Ledger,
        progress: Progress,
        players: Sequence[Player],
        rng: random.Random,
        clock: Json | None = None,
    ) -> None:
        self._ledger = ledger
        self._progress = progress
        self._players = players
        self._rng = rng
        self._clock = clock
        self.room: str | None = None
        self._rooms: list[tuple[str, bool]] = []
        self._news = asyncio.Condition()
        self._closed = False

    async def run(self) -> None:
        """Play games until there are enough."""
        room: str | None = None
        counts = len(self._players) > 1
        while not self._progress.over:
            self._progress.begun += counts
            room = self.room = await (self._again(room) if room and self._rng.random() < REMATCH else self._anew(room))
            await asyncio.gather(*(player.play(room) for player in self._players))
            self._progress.ended += counts
        await self._close()

    async def spectate(self, client: Client) -> None:
        """Follow the table's rooms with ``client``, each to its end; a slow spectator skips some."""
        looked_at: str | None = None
        known = 0
        while True:
            rooms = await self._announced(known)
            if not rooms:
                return
            known += len(rooms)
            for room, rematch in rooms:
                if looked_at and rematch and looked_at not in client.late:
                    # The server carries spectators over to a rematch.
                    await client.until(room, lambda _: True)
                    client.forget(looked_at)
                    looked_at = room
                elif looked_at:
                    await client.leave(looked_at)
                    looked_at = None
            if looked_at is None:
                looked_at = rooms[-1][0]
                if await client.request(type="watch", room=looked_at) is None:
                    return  # the ledger has the refusal for the audit
            await client.until(looked_at, lambda state: state["status"] == "over")

    async def _anew(self, before: str | None) -> str:
        """Open a new room with one player and join with the other; both leave the previous room."""
        opener, *joiners = self._rng.sample(self._players, len(self._players))
        side = self._rng.choice(SIDES)
        opponent = "open" if joiners else "computer:easy"
        seats = {"first": opponent, "second": opponent, side: "me"}
        answer = await opener.client.request(type="create", game="tictactoe", seats=seats, clock=self._clock)
        assert answer is not None, "creating a room was refused"
        room = answer["room"]
        if self._clock is FAST:
            self._ledger.fast.add(room)
        self._ledger.seat(room, opener.client.id, side)
        await self._announce(room, rematch=False)
        for joiner in joiners:
            answer = await joiner.client.request(type="join", room=room)
            if answer is not None:
                self._ledger.seat(room, joiner.client.id, str(answer["seat"]))
        if before:
            await asyncio.gather(*(player.client.leave(before) for player in self._players))
        return room

    async def _again(self, before: str) -> str:
        """Play a rematch of a room; a computer always agrees."""
        first, *others = self._rng.sample(self._players, len(self._players))
        await first.client.request(type="offer_rematch", room=before)
        for other in others:
            await other.client.until(before, lambda state: state["offers"] or state["next"])
            await other.client.request(type="accept_rematch", room=before)
        room = ""
        for player in self._players:
            state = await player.client.until(before, lambda state: state["next"] is not None)
            room = state["next"]
            await player.client.until(room, lambda _: True)
            player.client.forget(before)
        self._ledger.rooms.add(room)
        if self._clock is FAST:
            self._ledger.fast.add(room)
        await self._announce(room, rematch=True)
        return room

    async def _close(self) -> None:
        """Announce that there will be no more rooms."""
        self.room = None
        async with self._news:
            self._closed = True
            self._news.notify_all()

    async def _announced(self, known: int) -> list[tuple[str, bool]]:
        """Wait for rooms beyond the first ``known``. Returns none when the table is closed."""
        async with self._news:
            await self._news.wait_for(lambda: self._closed or len(self._rooms) > known)
            return self._rooms[known:]

    async def _announce(self, room: str, *, rematch: bool) -> None:
        async with self._news:
            self._rooms.append((room, rematch))
            self._news.notify_all()
