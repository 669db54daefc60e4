"""The load of a run: tables where two play one game after the other, and spectators who go from room to room."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from faults.clients import Guest
from faults.clocks import SIDES, Json
from faults.ledger import Ledger

REMATCH = 0.3
"""The share of games that are followed by a rematch instead of a new room."""

MISCHIEF = 0.15
"""The share of turns at which a player sends something that should be refused, or sends twice."""


STEADY = {"initial_s": 20, "increment_s": 1}
"""A clock on which nobody loses who moves at once, whatever breaks for as long as it may."""

HASTY = {"per_move_s": 2}
"""A clock on which one does lose."""

DAWDLING = 0.1
"""The share of turns on a hasty clock at which a player does not move at all."""


@dataclass
class Progress:
    """How far the load is. ``games`` are wanted, and as many more as come to an end before ``enough`` is set.

    Those against a computer do not count.
    """

    games: int
    enough: asyncio.Event
    begun: int = 0
    ended: int = 0
    answers_s: list[float] = field(default_factory=list)
    across_s: list[float] = field(default_factory=list)
    sent_at: dict[tuple[str, int], float] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether no more games are to be begun."""
        return self.begun >= self.games and self.enough.is_set()


class Player:
    """Plays with ``guest``; ``twin`` is a connection of the same player to another node, if there is one."""

    def __init__(self, guest: Guest, twin: Guest | None, progress: Progress, rng: random.Random) -> None:
        self.guest = guest
        self._twin = twin
        self._progress = progress
        self._rng = rng

    async def play(self, room: str, until: float = math.inf) -> None:
        """Play the game to its end, or to the turn ``until``."""
        known = -1
        while True:
            state = await self.guest.until(room, _goes_on_after(known))
            if known >= 0:
                self._arrived(room, state)
            known = state["turn"]
            if state["status"] == "over" or known >= until:
                return
            if state["to_move"] == self.side(state):
                await self._move(room, state)
            elif self._rng.random() < MISCHIEF:
                await self.guest.play(room, state["turn"], self._rng.choice(state["legal_moves"]))

    async def _move(self, room: str, state: Json) -> None:
        turn, move = state["turn"], self._rng.choice(state["legal_moves"])
        if room in self.guest.ledger.hasty and turn > 1 and self._rng.random() < DAWDLING:
            return
        if self._rng.random() < MISCHIEF:
            await self._mischief(room, turn, state)
        if self._twin is not None and self._rng.random() < MISCHIEF:
            # The same move by two nodes, or two moves at the same turn.
            other = self._rng.choice([move, *state["legal_moves"]])
            await asyncio.gather(self.guest.play(room, turn, move), self._twin.play(room, turn, other))
            return
        began = self._progress.sent_at[room, turn] = time.monotonic()
        if await self.guest.play(room, turn, move):
            self._progress.answers_s.append(time.monotonic() - began)

    async def _mischief(self, room: str, turn: int, state: Json) -> None:
        """Send what cannot be taken: a move of the past, or one to a cell that is taken."""
        if not state["moves"]:
            return
        if self._rng.random() < 0.5:
            await self.guest.play(room, turn, self._rng.choice(state["moves"]))
        else:
            await self.guest.play(room, turn - 1, self._rng.choice(state["legal_moves"]))

    def _arrived(self, room: str, state: Json) -> None:
        """Note how long the other's move took to come here."""
        sent = self._progress.sent_at.get((room, state["turn"] - 1))
        if sent is not None and state["to_move"] == self.side(state):
            self._progress.across_s.append(time.monotonic() - sent)

    def side(self, state: Json) -> str | None:
        """Where the player sits."""
        seats = state["seats"]
        return next((side for side in SIDES if seats[side] and seats[side]["id"] == self.guest.id), None)


def _goes_on_after(turn: int) -> Callable[[Json], bool]:
    """Whether there is something to do for who has seen ``turn``."""
    return lambda state: bool(state["status"] == "over" or (state["status"] == "playing" and state["turn"] > turn))


class Table:
    """Two players, or one and a computer, and all their rooms, announced to spectators as they come.

    ``room`` is the one in play. All have the ``clock``.
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

    async def spectate(self, guest: Guest) -> None:
        """Follow the table's rooms with ``guest``, each to its end; who is slow leaves some out."""
        looked_at: str | None = None
        known = 0
        while True:
            rooms = await self._announced(known)
            if not rooms:
                return
            known += len(rooms)
            for room, rematch in rooms:
                if looked_at and rematch and looked_at not in guest.late:
                    # Nobody asks for this room: the audience is taken along.
                    await guest.until(room, lambda _: True)
                    guest.forget(looked_at)
                    looked_at = room
                elif looked_at:
                    await guest.leave(looked_at)
                    looked_at = None
            if looked_at is None:
                looked_at = rooms[-1][0]
                if await guest.ask(type="watch", room=looked_at) is None:
                    return  # the refusal was noted, and the audit judges it
            await guest.until(looked_at, lambda state: state["status"] == "over")

    async def _anew(self, before: str | None) -> str:
        """A new room, opened by one player and joined by the other; both leave the one before."""
        opener, *joiners = self._rng.sample(self._players, len(self._players))
        side = self._rng.choice(SIDES)
        opponent = "open" if joiners else "computer:easy"
        seats = {"first": opponent, "second": opponent, side: "me"}
        answer = await opener.guest.ask(type="create", game="tictactoe", seats=seats, clock=self._clock)
        assert answer is not None, "to create a room was refused"
        room = answer["room"]
        if self._clock is HASTY:
            self._ledger.hasty.add(room)
        self._ledger.seat(room, opener.guest.id, side)
        await self._announce(room, rematch=False)
        for joiner in joiners:
            answer = await joiner.guest.ask(type="join", room=room)
            if answer is not None:
                self._ledger.seat(room, joiner.guest.id, str(answer["seat"]))
        if before:
            await asyncio.gather(*(player.guest.leave(before) for player in self._players))
        return room

    async def _again(self, before: str) -> str:
        """The rematch of a room; a computer always agrees to it."""
        first, *others = self._rng.sample(self._players, len(self._players))
        await first.guest.ask(type="offer_rematch", room=before)
        for other in others:
            await other.guest.until(before, lambda state: state["offers"] or state["next"])
            await other.guest.ask(type="accept_rematch", room=before)
        room = ""
        for player in self._players:
            state = await player.guest.until(before, lambda state: state["next"] is not None)
            room = state["next"]
            await player.guest.until(room, lambda _: True)
            player.guest.forget(before)
        self._ledger.rooms.add(room)
        if self._clock is HASTY:
            self._ledger.hasty.add(room)
        await self._announce(room, rematch=True)
        return room

    async def _close(self) -> None:
        """There will be no more rooms."""
        self.room = None
        async with self._news:
            self._closed = True
            self._news.notify_all()

    async def _announced(self, known: int) -> list[tuple[str, bool]]:
        """The rooms beyond the first ``known``, as soon as there are any; none when the table is closed."""
        async with self._news:
            await self._news.wait_for(lambda: self._closed or len(self._rooms) > known)
            return self._rooms[known:]

    async def _announce(self, room: str, *, rematch: bool) -> None:
        async with self._news:
            self._rooms.append((room, rematch))
            self._news.notify_all()
