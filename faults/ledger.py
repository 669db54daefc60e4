"""What the clients of a run were told, written down as it comes, and held against the journal at the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from faults.clocks import Json
from faults.game import Game, Move, Refusal, said, showing
from faults.pairings import Seek, judge_pairs

NAMED = 100
"""How many broken promises are told in words; the others are counted."""


@dataclass(frozen=True)
class Circumstances:
    """What is known of a run besides what was told; times are in ms.

    ``ended``: all games must be over. ``downs`` are the times since the epoch when certainly no node could take a move.
    ``unseen_ms`` is for how long nodes may not know of each other's clients; None while a node may serve its clients
    and yet be cut off. Nobody is to wait for an opponent for longer than ``longest_wait_ms`` where there is one.
    """

    ended: bool
    downs: Sequence[tuple[float, float]] = ()
    unseen_ms: float | None = None
    longest_wait_ms: float = float("inf")


@dataclass
class Ledger:
    """All that any client was told. ``broken`` names what no client may ever be told.

    ``there`` is when each player had a connection that looked at a room, in ms since the epoch, and ``hasty`` are the
    rooms whose clocks are so short that one loses on time for little. ``met`` are the rooms that seeks have led to.
    """

    broken: list[str] = field(default_factory=list)
    broken_count: int = 0
    events: dict[tuple[str, int], tuple[str, Json]] = field(default_factory=dict)
    states: dict[tuple[str, int], Json] = field(default_factory=dict)
    moves: dict[Move, int] = field(default_factory=dict)
    seats: dict[tuple[str, str], str] = field(default_factory=dict)
    rooms: set[str] = field(default_factory=set)
    refusals: list[Refusal] = field(default_factory=list)
    there: dict[tuple[str, str], list[tuple[float, float]]] = field(default_factory=dict)
    hasty: set[str] = field(default_factory=set)
    seeks: list[Seek] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    ends: Counter[str] = field(default_factory=Counter)
    told: int = 0

    def wrong(self, what: str) -> None:
        """Note a broken promise."""
        self.broken_count += 1
        if what not in self.broken and len(self.broken) < NAMED:
            self.broken.append(what)

    def refused_by_code(self) -> Counter[str]:
        """How often each code was the answer."""
        return Counter(refusal.code for refusal in self.refusals)

    def acknowledge(self, move: Move, version: int) -> None:
        """``move`` was answered with ``ok``; the same move sent twice must have the same answer."""
        before = self.moves.setdefault(move, version)
        if before != version:
            self.wrong(f"{move} was acknowledged at version {before} and at {version}")

    def seat(self, room: str, player: str, side: str) -> None:
        """``create`` or ``join`` was answered with ``ok``."""
        self.rooms.add(room)
        before = self.seats.setdefault((room, player), side)
        if before != side:
            self.wrong(f"{room}: {player} was given the seat {before}, and then {side}")

    def tell(self, message: Json) -> None:
        """An ``update`` or ``room`` reached somebody: what it says of a version, it says to all."""
        self.told += 1
        key = (message["room"], message["version"])
        if message["type"] == "update":
            told = (message["at"], message["event"])
            if self.events.setdefault(key, told) != told:
                self.wrong(f"{key}: one client was told {self.events[key]}, another {told}")
        state = self.states.setdefault(key, message["state"])
        if state != message["state"]:
            self.wrong(f"{key}: one client was shown {state}, another {message['state']}")

    def audit(self, journal: Mapping[str, Sequence[bytes]], circumstances: Circumstances) -> dict[str, Game]:
        """Hold everything against the journal, the records of each of its rooms; the games that these are."""
        ended, downs = circumstances.ended, circumstances.downs
        games = {
            room: Game(room, [json.loads(record) for record in records], self.wrong, downs)
            for room, records in journal.items()
        }
        for game in games.values():
            game.judge(ended=ended)
            self._judge_end(game, circumstances.unseen_ms)
        for (room, player), side in self.seats.items():
            if room not in games:
                self.wrong(f"{room}: acknowledged, and not in the journal")
            elif games[room].seats.get(side) != player:
                self.wrong(f"{room}: {player} was given the seat {side}, which is {games[room].seats.get(side)}'s")
        self.met = judge_pairs(self.seeks, games, circumstances.longest_wait_ms, self.wrong)
        for room in games.keys() - self.rooms - self.met if ended else ():
            self.wrong(f"{room}: in the journal, and nobody asked for it")
        nothing = Game("", [], self.wrong)
        for move, version in self.moves.items():
            if not games.get(move.room, nothing).holds(move, version):
                self.wrong(f"{move} was acknowledged at version {version}, where the journal does not have it")
        for (room, version), (at, event) in self.events.items():
            if games.get(room, nothing).happened(version) != (at, said(event)):
                self.wrong(f"{room}: version {version} was told as {at} {event}, and the journal has something else")
        for (room, version), state in self.states.items():
            shown = games.get(room, nothing).shown(version)
            if shown != showing(state):
                self.wrong(f"{room}: version {version} was shown as {showing(state)}, and the journal has {shown}")
        for refusal in self.refusals:
            why = games.get(refusal.sent.get("room", ""), nothing).contradicts(refusal)
            if why:
                self.wrong(f"a false refusal: {refusal}: {why}")
        return games

    def _judge_end(self, game: Game, unseen_ms: float | None) -> None:
        """Nobody loses on time who moves at once, and nobody who is there counts as gone, to be claimed, for long."""
        if game.end is not None:
            reason = game.end["outcome"]["reason"]
            self.ends[reason] += 1
            if reason == "time" and unseen_ms is not None and game.room not in self.hasty:
                self.wrong(f"{game.room}: lost on time, and nobody had let it run out: {game.end}")
        if unseen_ms is None:
            return
        for side, gone_at, until in game.absences():
            for came_at, left_at in self.there.get((game.room, game.seats[side]), ()):
                if min(until, left_at) - max(gone_at, came_at) > unseen_ms:
                    self.wrong(
                        f"{game.room}: {side} was there from {came_at} to {left_at}, and gone from {gone_at} to {until}"
                    )


class Ear:
    """One client's messages as they come off the wire: of each room every version once and in order."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self._ledger = ledger
        self._name = name
        self._last: dict[str, int] = {}

    def hear(self, message: Json) -> None:
        """Take a message of any kind."""
        if message["type"] not in ("room", "update"):
            return
        room, version = message["room"], message["version"]
        last = self._last.get(room)
        if message["type"] == "room":
            # A room that is followed already may be shown as it is; what happened meanwhile may not be left out.
            if last is not None and version != last:
                self._ledger.wrong(f"{self._name}: {room} was shown at version {version} after {last}")
        elif last is None:
            self._ledger.wrong(f"{self._name}: {room} began with an update to version {version}")
        elif version != last + 1:
            self._ledger.wrong(f"{self._name}: {room} went from version {last} to {version}")
        self._last[room] = version
        self._ledger.tell(message)

    def forget(self, room: str) -> None:
        """The client has left the room: whatever comes of it now begins anew."""
        self._last.pop(room, None)
