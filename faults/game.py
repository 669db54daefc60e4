"""A room as its journal has it, judged by the rules of tic-tac-toe and of time.

Nothing here asks the server's code what a room is: the judge of a game is a few lines of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from faults.clocks import OTHER, SIDES, Json, Reckoning, claimable

LINES = ("123", "456", "789", "147", "258", "369", "159", "357")
NEAR_MS = 100
"""What two clocks of one machine may differ by where they are held against each other."""


@dataclass(frozen=True)
class Move:
    """A player's move as it was sent: what answers which turn of which room."""

    room: str
    player: str
    turn: int
    move: str


@dataclass(frozen=True)
class Refusal:
    """A request that a client was refused, with the code; ``sent`` is the request.

    It was refused between ``asked_at`` and ``told_at``, ms since the epoch.
    """

    player: str
    sent: Json
    code: str
    asked_at: float = 0
    told_at: float = 0


class Game:
    """A room as the journal has it. ``downs`` are the times when certainly no node could take a move, in ms."""

    def __init__(
        self,
        room: str,
        records: list[Json],
        wrong: Callable[[str], None],
        downs: Sequence[tuple[float, float]] = (),
    ) -> None:
        self.room = room
        self.records = records
        self._wrong = wrong
        self.seats: dict[str, str] = {}
        self.played: dict[int, tuple[int, Json]] = {}
        self.over_at: int | None = None
        self.time = Reckoning(lambda what: wrong(f"{room}: {what}"), downs)
        for version, record in enumerate(records, 1):
            self.time.take(record)
            if record["kind"] == "opened":
                self.seats |= {side: record[side]["id"] for side in SIDES if record[side]}
            elif record["kind"] == "joined":
                if record["side"] in self.seats:
                    wrong(f"{room}: the seat {record['side']} was taken twice")
                self.seats[record["side"]] = record["player"]["id"]
            elif record["kind"] == "played":
                if record["turn"] in self.played:
                    wrong(f"{room}: turn {record['turn']} was played twice")
                self.played[record["turn"]] = (version, record)
            if self.over_at is None and record.get("outcome"):
                self.over_at = version

    @property
    def wish(self) -> tuple[Json | None, bool]:
        """The terms on which it was opened, as a seek has them."""
        return _clock(self.records[0]["options"]), self.records[0]["options"]["rated"]

    @property
    def end(self) -> Json | None:
        """The record that ended the game, None while it goes on."""
        return None if self.over_at is None else self.records[self.over_at - 1]

    def absences(self) -> list[tuple[str, float, float]]:
        """Which side counted as gone in the game, from when and until when, in ms."""
        absences: list[tuple[str, float, float]] = []
        gone: dict[str, float] = {}
        for record in self.records[: self.over_at]:
            if record["kind"] == "disconnected":
                gone[record["side"]] = record["at"]
            elif record["kind"] == "returned":
                absences.append((record["side"], gone.pop(record["side"]), record["at"]))
        until = self.end["at"] if self.end else math.inf
        return absences + [(side, since, until) for side, since in gone.items()]

    def judge(self, *, ended: bool) -> None:
        """The game was played by the rules, each side in its turn, and to its end if it has ``ended``."""
        cells: dict[str, str] = {}
        won = False
        for turn in range(len(self.played)):
            if turn not in self.played:
                self._wrong(f"{self.room}: nobody played turn {turn}")
                return
            _, record = self.played[turn]
            side, move = record["side"], record["move"]
            if side != SIDES[turn % 2] or move in cells or won:
                self._wrong(f"{self.room}: turn {turn} was played against the rules")
            cells[move] = side
            won = any(all(cells.get(cell) == side for cell in line) for line in LINES)
        if [version for version, _ in self.played.values()] != sorted(version for version, _ in self.played.values()):
            self._wrong(f"{self.room}: its turns are out of order")
        # Otherwise than by a move a game ends by time and by claims alone, and of those Reckoning is the judge.
        by_move = not self.end or self.end["kind"] == "played"
        if ended and (self.end is None or (by_move and not (won or len(cells) == 9))):
            self._wrong(f"{self.room}: its game did not end, after {len(self.played)} moves")

    def holds(self, move: Move, version: int) -> bool:
        """Whether ``move`` is there, at ``version`` and nowhere else."""
        found = self.played.get(move.turn)
        if found is None:
            return False
        at, record = found
        return (at, record["move"], self.seats.get(record["side"])) == (version, move.move, move.player)

    def happened(self, version: int) -> tuple[str, Json] | None:
        """When and what version ``version`` is, as an ``update`` tells it."""
        if version > len(self.records):
            return None
        fields = dict(self.records[version - 1])
        del fields["schema"]
        at = moment(fields.pop("at"))
        if fields["kind"] == "opened":
            options = fields["options"]
            fields["options"] = {key: options[key] for key in ("private", "rated")} | {"clock": _clock(options)}
        return at, said(fields)

    def shown(self, version: int) -> Json | None:
        """What a state shows at ``version`` of the moves and of time; None beyond the end."""
        if version > len(self.records):
            return None
        moves = [record["move"] for record in self.records[:version] if record["kind"] == "played"]
        standing = self.time.standings[version - 1]
        clock: Json | None = None
        if standing.left:
            clock = {f"{side}_ms": standing.left[side] for side in SIDES}
            clock |= {"running": standing.running, "since": moment(standing.since) if standing.running else None}
        away = {side: at and moment(at) for side, at in standing.away.items()}
        return {"moves": moves, "clock": clock, "away": away}

    def contradicts(self, refusal: Refusal) -> str | None:
        """What in the journal shows that a refusal was false; None if it was true."""
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
                return None if len(self.played) > 1 else "it had not begun"
            case "claim" | "abort" if refusal.code == "game_over":
                return None if self.over_at else "it was not over"
            case "claim" if refusal.code == "not_allowed":
                for gone, since, until in claimable(self.records, self.time.standings):
                    early, late = refusal.asked_at - NEAR_MS, refusal.told_at + NEAR_MS
                    if side and gone == OTHER[side] and since <= early and late <= until:
                        return f"{gone} could be claimed from {since} until {until}"
                return None
            case "seek" | "unseek" | "register":
                return "it may always be asked for"
        return None if refusal.code == "not_allowed" else "nothing that was asked for is refused with this"

    def _contradicts_play(self, refusal: Refusal, side: str | None) -> str | None:
        turn, move = refusal.sent["turn"], refusal.sent["move"]
        answer = self.played[turn][1] if turn in self.played else None
        if answer and (self.seats[answer["side"]], answer["move"]) == (refusal.player, move):
            return "this very move was taken"
        match refusal.code:
            case "stale":
                true = answer is not None
            case "game_over":
                # The room was over when it decided; a turn that was answered may have been the last.
                true = self.over_at is not None and turn <= len(self.played)
            case "not_your_turn":
                true = side is not None and side != SIDES[turn % 2]
            case "illegal_move":
                true = move in [record["move"] for _, record in self.played.values() if record["turn"] < turn]
            case _:
                true = False
        return None if true else f"turn {turn} was answered with {answer}, {refusal.player} has the seat {side}"


def _clock(options: Json) -> Json | None:
    """A room's clock as the protocol has it."""
    return options["clock"] and {key.replace("_ms", "_s"): ms / 1000 for key, ms in options["clock"].items()}


def moment(at: float) -> str:
    """A time in ms since the epoch as the protocol writes it."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def said(value: Any) -> Any:
    """``value`` without what says nothing, which one side may leave out: false, and what is not there."""
    if isinstance(value, dict):
        return {key: said(item) for key, item in value.items() if item is not None and item is not False}
    return value


def showing(state: Json) -> Json:
    """What a state shows of the moves and of time, to be held against :meth:`Game.shown`."""
    seats = {side: state["seats"][side] for side in SIDES if state["seats"][side]}
    away = {side: seat.get("claimable_at") for side, seat in seats.items() if not seat["online"]}
    return {"moves": state["moves"], "clock": state["clock"], "away": away}
