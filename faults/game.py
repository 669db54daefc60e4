"""A room as stored in the journal, audited by the rules of tic-tac-toe and of time.

Independent of the server's code: the rules are a few lines of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from faults.clocks import OTHER, SIDES, Json, Timekeeper, claimable

LINES = ("123", "456", "789", "147", "258", "369", "159", "357")
NEAR_MS = 100
"""Largest difference between two clocks of one machine."""


@dataclass(frozen=True)
class Move:
    """A move as a player sent it."""

    room: str
    player: str
    turn: int
    move: str


@dataclass(frozen=True)
class Refusal:
    """A refused request, ``sent``, and the error code.

    It was refused between ``asked_at`` and ``answered_at``, in ms since the epoch.
    """

    player: str
    sent: Json
    code: str
    asked_at: float = 0
    answered_at: float = 0


class Game:
    """A room as stored. ``outages`` are the times in ms when certainly no node could accept a move."""

    def __init__(
        self,
        room: str,
        records: list[Json],
        report: Callable[[str], None],
        outages: Sequence[tuple[float, float]] = (),
    ) -> None:
        self.room = room
        self.records = records
        self._report = report
        self.seats: dict[str, str] = {}
        self.played: dict[int, tuple[int, Json]] = {}
        self.over_at: int | None = None
        self.time = Timekeeper(lambda what: report(f"{room}: {what}"), outages)
        for version, record in enumerate(records, 1):
            self.time.take(record)
            if record["kind"] == "opened":
                self.seats |= {side: record[side]["id"] for side in SIDES if record[side]}
            elif record["kind"] == "joined":
                if record["side"] in self.seats:
                    report(f"{room}: seat {record['side']} was taken twice")
                self.seats[record["side"]] = record["player"]["id"]
            elif record["kind"] == "played":
                if record["turn"] in self.played:
                    report(f"{room}: turn {record['turn']} was played twice")
                self.played[record["turn"]] = (version, record)
            if self.over_at is None and record.get("outcome"):
                self.over_at = version

    @property
    def terms(self) -> tuple[Json | None, bool]:
        """The clock, and whether the game is rated."""
        return _clock(self.records[0]["options"]), self.records[0]["options"]["rated"]

    @property
    def end(self) -> Json | None:
        """The record that ended the game; None while it goes on."""
        return None if self.over_at is None else self.records[self.over_at - 1]

    def absences(self) -> list[tuple[str, float, float]]:
        """When each side counted as away during the game: side, start and end in ms."""
        absences: list[tuple[str, float, float]] = []
        gone: dict[str, float] = {}
        for record in self.records[: self.over_at]:
            if record["kind"] == "disconnected":
                gone[record["side"]] = record["at"]
            elif record["kind"] == "returned":
                absences.append((record["side"], gone.pop(record["side"]), record["at"]))
        until = self.end["at"] if self.end else math.inf
        return absences + [(side, since, until) for side, since in gone.items()]

    def audit(self, *, ended: bool) -> None:
        """Check that the game follows the rules, and is over if it must have ``ended``."""
        cells: dict[str, str] = {}
        won = False
        for turn in range(len(self.played)):
            if turn not in self.played:
                self._report(f"{self.room}: turn {turn} is missing")
                return
            _, record = self.played[turn]
            side, move = record["side"], record["move"]
            if side != SIDES[turn % 2] or move in cells or won:
                self._report(f"{self.room}: turn {turn} breaks the rules")
            cells[move] = side
            won = any(all(cells.get(cell) == side for cell in line) for line in LINES)
        if [version for version, _ in self.played.values()] != sorted(version for version, _ in self.played.values()):
            self._report(f"{self.room}: turns are out of order")
        # Endings other than by a move are checked by the Timekeeper.
        by_move = not self.end or self.end["kind"] == "played"
        if ended and (self.end is None or (by_move and not (won or len(cells) == 9))):
            self._report(f"{self.room}: the game did not end, after {len(self.played)} moves")

    def holds(self, move: Move, version: int) -> bool:
        """True if ``move`` is stored, at ``version``."""
        found = self.played.get(move.turn)
        if found is None:
            return False
        at, record = found
        return (at, record["move"], self.seats.get(record["side"])) == (version, move.move, move.player)

    def event_at(self, version: int) -> tuple[str, Json] | None:
        """The time and event of ``version``, as in an ``update``; None beyond the end."""
        if version > len(self.records):
            return None
        fields = dict(self.records[version - 1])
        del fields["schema"]
        at = timestamp(fields.pop("at"))
        if fields["kind"] == "opened":
            options = fields["options"]
            fields["options"] = {key: options[key] for key in ("private", "rated")} | {"clock": _clock(options)}
            if (why := fields.get("unrated_because")) is not None:
                fields["options"] |= {"rated": False, "unrated_because": why}
        return at, without_defaults(fields)

    def state_at(self, version: int) -> Json | None:
        """Moves, clock and absences at ``version``, as in a state; None beyond the end."""
        if version > len(self.records):
            return None
        moves = [record["move"] for record in self.records[:version] if record["kind"] == "played"]
        state = self.time.states[version - 1]
        clock: Json | None = None
        if state.left:
            clock = {f"{side}_ms": state.left[side] for side in SIDES}
            clock |= {"running": state.running, "since": timestamp(state.since) if state.running else None}
        away = {side: at and timestamp(at) for side, at in state.away.items()}
        return {"moves": moves, "clock": clock, "away": away}

    def contradicts(self, refusal: Refusal) -> str | None:
        """The reason why the journal contradicts a refusal; None if the refusal was right."""
        sent, player = refusal.sent, refusal.player
        side = next((side for side, seat in self.seats.items() if seat == player), None)
        match sent["type"]:
            case "join":
                if refusal.code == "seat_taken" and player not in self.seats.values() and len(self.seats) == 2:
                    return None
                return f"its seats are {self.seats}"
            case "play":
                return self._contradicts_play(refusal, side)
            case "abort" if refusal.code == "not_allowed":
                return None if len(self.played) > 1 else "the game had not begun"
            case "claim" | "abort" if refusal.code == "game_over":
                return None if self.over_at else "the game was not over"
            case "claim" if refusal.code == "not_allowed":
                for gone, since, until in claimable(self.records, self.time.states):
                    early, late = refusal.asked_at - NEAR_MS, refusal.answered_at + NEAR_MS
                    if side and gone == OTHER[side] and since <= early and late <= until:
                        return f"{gone} could be claimed from {since} until {until}"
                return None
            case "seek" | "unseek" | "register":
                return "this request is never refused"
        return None if refusal.code == "not_allowed" else "no request of the runner is refused with this code"

    def _contradicts_play(self, refusal: Refusal, side: str | None) -> str | None:
        turn, move = refusal.sent["turn"], refusal.sent["move"]
        answer = self.played[turn][1] if turn in self.played else None
        if answer and (self.seats[answer["side"]], answer["move"]) == (refusal.player, move):
            return "this very move was accepted"
        match refusal.code:
            case "stale":
                true = answer is not None
            case "game_over":
                # The room was over by then; the turn may have been the last.
                true = self.over_at is not None and turn <= len(self.played)
            case "not_your_turn":
                true = side is not None and side != SIDES[turn % 2]
            case "illegal_move":
                true = move in [record["move"] for _, record in self.played.values() if record["turn"] < turn]
            case _:
                true = False
        return None if true else f"turn {turn} is {answer}, and {refusal.player} has the seat {side}"


def _clock(options: Json) -> Json | None:
    """A room's clock as in the protocol."""
    return options["clock"] and {key.replace("_ms", "_s"): ms / 1000 for key, ms in options["clock"].items()}


def timestamp(at: float) -> str:
    """A time in ms since the epoch as in the protocol."""
    timestamp = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return timestamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def without_defaults(value: Any) -> Any:
    """``value`` without fields that are null or false, which either side may omit."""
    if isinstance(value, dict):
        return {key: without_defaults(item) for key, item in value.items() if item is not None and item is not False}
    return value


def comparable(state: Json) -> Json:
    """The part of a state that :meth:`Game.state_at` computes."""
    seats = {side: state["seats"][side] for side in SIDES if state["seats"][side]}
    away = {side: seat.get("claimable_at") for side, seat in seats.items() if not seat["online"]}
    clock = state["clock"] and {name: value for name, value in state["clock"].items() if name != "first_move_by"}
    return {"moves": state["moves"], "clock": clock, "away": away}
