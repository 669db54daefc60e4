"""Clocks, pauses, absences and claims of a room, computed from its records alone.

Independent of the server's code. All times are in ms, and times of day are since the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

SIDES = ("first", "second")
OTHER = {"first": "second", "second": "first"}

GRACE_MS = 1000
"""Delay before a flag falls, and the most lag compensation for one move where the options of the room name none."""

COMING_BACK_MS = 2000
NOTICED_MS = 2500
"""Neither clock runs during an outage of all nodes that lasts this long."""


@dataclass(frozen=True)
class ClockState:
    """The clocks after a record, as of ``since``, and for each side that is away, when its game may be claimed."""

    left: Mapping[str, int] | None
    running: str | None
    since: int
    away: Mapping[str, int | None]


@dataclass
class Timekeeper:
    """Follows the records of a room and calls ``report`` for each violation.

    ``outages`` are the times when certainly no node could accept a move.
    """

    report: Callable[[str], None]
    outages: Sequence[tuple[float, float]] = ()
    states: list[ClockState] = field(default_factory=list)
    _options: Json = field(default_factory=dict)
    _seated: set[str] = field(default_factory=set)
    _left: dict[str, int] | None = None
    _quota: dict[str, int] = field(default_factory=dict)
    _away: dict[str, int] = field(default_factory=dict)
    _plies: int = 0
    _at: int = 0
    _moved_at: int = 0
    _over: bool = False

    def take(self, record: Json) -> None:
        """Apply the next record."""
        if record["at"] < self._at:
            self.report(f"time went back, to {record}")
        self._check_outages(record)
        match record["kind"]:
            case "opened":
                self._open(record)
            case "joined":
                self._seated.add(record["side"])
                self._moved_at = record["at"]
            case "played":
                self._play(record)
            case "paused":
                self._pause(record)
            case "disconnected":
                self._away[record["side"]] = record["at"]
            case "returned":
                self._away.pop(record["side"], None)
            case "ended":
                self._end(record)
        self._at = record["at"]
        self._over = self._over or bool(record.get("outcome"))
        self.states.append(self._state())

    @property
    def _playing(self) -> bool:
        return len(self._seated) == 2 and not self._over

    @property
    def _running(self) -> str | None:
        return SIDES[self._plies % 2] if self._left and self._plies > 1 and self._playing else None

    def _claimable_at(self, side: str) -> int | None:
        if side not in self._away or self._plies < 2 or not self._playing:
            return None
        return int(self._away[side] + self._options["claim_ms"])

    def _state(self) -> ClockState:
        away = {side: self._claimable_at(side) for side in self._away}
        return ClockState(self._left and dict(self._left), self._running, self._moved_at, away)

    def _check_outages(self, record: Json) -> None:
        """After an outage, a room with running clocks must first record a pause that covers it."""
        if not self._playing or not (self._left or self._away):
            return
        missed = sum(
            until - max(since, self._at)
            for since, until in self.outages
            if until - since >= NOTICED_MS and self._at < until <= record["at"]
        )
        if missed > 0 and (record["kind"] != "paused" or "cause" in record or record["ms"] < missed):
            self.report(f"an outage of {missed:.0f} ms was followed by {record}")

    def _open(self, record: Json) -> None:
        self._options = record["options"]
        self._seated = {side for side in SIDES if record[side]}
        self._moved_at = record["at"]
        self._quota = dict.fromkeys(SIDES, 3 * self._options.get("lag_ms", GRACE_MS))
        if clock := self._options["clock"]:
            self._left = dict.fromkeys(SIDES, clock.get("initial_ms", clock.get("per_move_ms")))

    def _play(self, record: Json) -> None:
        if self._running and self._left:
            clock, side = self._options["clock"], record["side"]
            spent, given, thought = record["spent_ms"], record["compensated_ms"], record["thought_ms"]
            most = self._options.get("lag_ms", GRACE_MS)
            if not 0 <= spent <= max(0, record["at"] - self._moved_at):
                self.report(f"charged more than the time since {self._moved_at}: {record}")
            if not 0 <= given <= min(most, self._quota[side], spent) or thought != spent - given:
                self.report(f"wrong lag compensation, with a quota of {self._quota[side]}: {record}")
            if thought >= self._left[side]:
                self.report(f"accepted with {self._left[side]} ms left: {record}")
            increment = clock.get("increment_ms")
            self._left[side] = clock["per_move_ms"] if increment is None else self._left[side] - thought + increment
            self._quota[side] = min(3 * most, self._quota[side] - given + most // 2)
        self._plies += 1
        self._moved_at = record["at"]

    def _pause(self, record: Json) -> None:
        if record.get("cause") == "queue":
            if not 0 < record["ms"] <= record["at"] - self._moved_at:
                self.report(f"a wait longer than the time since {self._moved_at}: {record}")
        elif not COMING_BACK_MS < record["ms"] <= record["at"] - self._at + COMING_BACK_MS:
            self.report(f"a pause longer than the time since {self._at}: {record}")
        self._moved_at += record["ms"]
        self._away = {side: at + record["ms"] for side, at in self._away.items()}

    def _end(self, record: Json) -> None:
        side, running, outcome = record["side"], self._running, record["outcome"]
        at: int = record["at"]
        just = True
        match outcome["reason"]:
            case "time":
                just = running is not None and outcome["winner"] == OTHER[running]
                if running and self._left and self._left[running] > 0:
                    due_at = self._moved_at + self._left[running] + GRACE_MS
                    just = just and at >= due_at and self._charged(at) >= self._left[running]
            case "abandonment" | "draw" if side:
                claimable_at = self._claimable_at(OTHER[side])
                just = claimable_at is not None and at >= claimable_at
                just = just and outcome["winner"] == (side if outcome["reason"] == "abandonment" else None)
            case "abandonment":
                gone_at = [self._away.get(seat, at) for seat in SIDES]
                just = outcome["winner"] is None and at >= max(gone_at) + self._options["abandoned_ms"]
            case "aborted" if side:
                just = self._plies < 2
            case "aborted":
                waits_ms = self._options["first_move_ms" if self._playing else "waiting_ms"]
                just = self._plies < 2 and at >= self._moved_at + waits_ms
        if not just:
            self.report(f"wrong ending, with {self._state()}: {record}")
        if running and self._left:
            self._left[running] = max(0, self._left[running] - max(0, at - self._moved_at))

    def _charged(self, at: int) -> float:
        """The time the clock of the side to move has run at ``at``, not counting outages.

        A pause moves ``_moved_at`` forward, so earlier outages do not count twice.
        """
        outages = (
            max(0, min(until, at) - max(since, self._moved_at))
            for since, until in self.outages
            if until - since >= NOTICED_MS and until <= at  # nobody knows of one that goes on
        )
        return at - self._moved_at - sum(outages)


def claimable(records: Sequence[Json], states: Sequence[ClockState]) -> list[tuple[str, float, float]]:
    """The sides whose game could be claimed, each with start and end."""
    spans: list[tuple[str, float, float]] = []
    ends = [record["at"] for record in records[1:]] + [float("inf")]
    for state, end in zip(states, ends, strict=True):
        spans += [(side, since, end) for side, since in state.away.items() if since is not None and since < end]
    return spans
