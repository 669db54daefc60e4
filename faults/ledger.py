"""A record of all that the clients of a run received, audited against the journal at the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from faults.clocks import Json
from faults.game import Game, Move, Refusal, comparable, without_defaults
from faults.pairings import Seek, audit_pairings

NAMED = 100
"""The number of broken promises described; more are only counted."""


@dataclass(frozen=True)
class Conditions:
    """The expectations of the audit of a run; times are in ms.

    ``ended``: all games must be over. ``outages`` are the times since the epoch when certainly no node could accept a
    move. ``unseen_ms``: for how long nodes may be unaware of each other's clients; None if a node may serve clients
    while it is cut off. ``longest_wait_ms``: how long two players with the same terms may both wait for an opponent.
    """

    ended: bool
    outages: Sequence[tuple[float, float]] = ()
    unseen_ms: float | None = None
    longest_wait_ms: float = float("inf")


@dataclass
class Ledger:
    """All that any client received. ``broken`` describes the broken promises.

    ``presence``: when each player had a connection that watched a room, in ms since the epoch. ``fast``: rooms with
    clocks so short that players do lose on time. ``paired``: rooms that seeks have led to.
    """

    broken: list[str] = field(default_factory=list)
    broken_count: int = 0
    events: dict[tuple[str, int], tuple[str, Json]] = field(default_factory=dict)
    states: dict[tuple[str, int], Json] = field(default_factory=dict)
    moves: dict[Move, int] = field(default_factory=dict)
    seats: dict[tuple[str, str], str] = field(default_factory=dict)
    rooms: set[str] = field(default_factory=set)
    refusals: list[Refusal] = field(default_factory=list)
    presence: dict[tuple[str, str], list[tuple[float, float]]] = field(default_factory=dict)
    fast: set[str] = field(default_factory=set)
    seeks: list[Seek] = field(default_factory=list)
    paired: set[str] = field(default_factory=set)
    ends: Counter[str] = field(default_factory=Counter)
    deliveries: int = 0

    def report(self, what: str) -> None:
        """Record a broken promise."""
        self.broken_count += 1
        if what not in self.broken and len(self.broken) < NAMED:
            self.broken.append(what)

    def refused_by_code(self) -> Counter[str]:
        """The number of times that each error code was received."""
        return Counter(refusal.code for refusal in self.refusals)

    def acknowledge(self, move: Move, version: int) -> None:
        """Record the ``ok`` to ``move``; the same move sent twice must get the same answer."""
        before = self.moves.setdefault(move, version)
        if before != version:
            self.report(f"{move} was acknowledged at version {before} and at {version}")

    def seat(self, room: str, player: str, side: str) -> None:
        """Record the ``ok`` to ``create`` or ``join``."""
        self.rooms.add(room)
        before = self.seats.setdefault((room, player), side)
        if before != side:
            self.report(f"{room}: {player} was given seat {before}, and then {side}")

    def record(self, message: Json) -> None:
        """Record an ``update`` or ``room``; all clients must see the same event and state for a version."""
        self.deliveries += 1
        key = (message["room"], message["version"])
        if message["type"] == "update":
            event = (message["at"], message["event"])
            if self.events.setdefault(key, event) != event:
                self.report(f"{key}: one client received {self.events[key]}, another {event}")
        state = self.states.setdefault(key, message["state"])
        if state != message["state"]:
            self.report(f"{key}: one client saw {state}, another {message['state']}")

    def audit(self, journal: Mapping[str, Sequence[bytes]], conditions: Conditions) -> dict[str, Game]:
        """Audit everything against the journal, the records of each room. Returns the games."""
        ended, outages = conditions.ended, conditions.outages
        games: dict[str, Game] = {}
        for room, records in journal.items():
            try:
                game = Game(room, [json.loads(record) for record in records], self.report, outages)
                game.audit(ended=ended)
                self._audit_end(game, conditions.unseen_ms)
            except (LookupError, TypeError, ValueError) as error:
                self.report(f"{room}: its records do not follow from each other: {error!r}")
            else:
                games[room] = game
        for (room, player), side in self.seats.items():
            if room not in games:
                self.report(f"{room}: acknowledged, and not in the journal")
            elif games[room].seats.get(side) != player:
                self.report(f"{room}: {player} was given seat {side}, which belongs to {games[room].seats.get(side)}")
        self.paired = audit_pairings(self.seeks, games, conditions.longest_wait_ms, self.report)
        for room in games.keys() - self.rooms - self.paired if ended else ():
            self.report(f"{room}: in the journal, but nobody requested it")
        nothing = Game("", [], self.report)
        for move, version in self.moves.items():
            if not games.get(move.room, nothing).holds(move, version):
                self.report(f"{move} was acknowledged at version {version}, but the journal does not have it there")
        for (room, version), (at, event) in self.events.items():
            if games.get(room, nothing).event_at(version) != (at, without_defaults(event)):
                self.report(f"{room}: version {version} was sent as {at} {event}, but the journal has another event")
        for (room, version), state in self.states.items():
            stored = games.get(room, nothing).state_at(version)
            if stored != comparable(state):
                self.report(f"{room}: version {version} was shown as {comparable(state)}, not {stored}")
        for refusal in self.refusals:
            why = games.get(refusal.sent.get("room", ""), nothing).contradicts(refusal)
            if why:
                self.report(f"a false refusal: {refusal}: {why}")
        return games

    def _audit_end(self, game: Game, unseen_ms: float | None) -> None:
        """A player who moves at once never loses on time, and a connected player does not count as away for long."""
        if game.end is not None:
            reason = game.end["outcome"]["reason"]
            self.ends[reason] += 1
            if reason == "time" and unseen_ms is not None and game.room not in self.fast:
                self.report(f"{game.room}: lost on time, although every player moved at once: {game.end}")
        if unseen_ms is None:
            return
        for side, gone_at, until in game.absences():
            for came_at, left_at in self.presence.get((game.room, game.seats[side]), ()):
                if min(until, left_at) - max(gone_at, came_at) > unseen_ms:
                    self.report(
                        f"{game.room}: {side} was connected {came_at} to {left_at}, but away {gone_at} to {until}"
                    )


class VersionCheck:
    """Checks that one client receives every version of each room once and in order."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self._ledger = ledger
        self._name = name
        self._last: dict[str, int] = {}

    def on_message(self, message: Json) -> None:
        """Check a message of any type."""
        if message["type"] not in ("room", "update"):
            return
        room, version = message["room"], message["version"]
        last = self._last.get(room)
        if message["type"] == "room":
            # A snapshot of a watched room may repeat its version, but must not skip any.
            if last is not None and version != last:
                self._ledger.report(f"{self._name}: {room} had a snapshot at version {version} after {last}")
        elif last is None:
            self._ledger.report(f"{self._name}: {room} began with an update to version {version}")
        elif version != last + 1:
            self._ledger.report(f"{self._name}: {room} went from version {last} to {version}")
        self._last[room] = version
        self._ledger.record(message)

    def forget(self, room: str) -> None:
        """Start over for a room that the client has left."""
        self._last.pop(room, None)
