"""How time stands in a room, reckoned from its records alone: clocks, pauses, who is away, what may be claimed.

Nothing here asks the server's code. All times are in ms, those of day since the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

SIDES = ("first", "second")
OTHER = {"first": "second", "second": "first"}

GRACE_MS = 1000
"""How long after its time a flag falls, and the most that is given back for a move."""

QUOTA_MS, REFILL_MS = 3000, 500
COMING_BACK_MS = 2000
NOTICED_MS = 2500
"""An absence of all nodes that lasts so long is charged to nobody."""


@dataclass(frozen=True)
class Standing:
    """How time stands after a record: the clocks as at ``since``, and from when on who is away may lose by a claim."""

    left: Mapping[str, int] | None
    running: str | None
    since: int
    away: Mapping[str, int | None]


@dataclass
class Reckoning:
    """Goes through the records of a room; ``wrong`` is told what cannot be.

    ``downs`` are the times when certainly no node could take a move.
    """

    wrong: Callable[[str], None]
    downs: Sequence[tuple[float, float]] = ()
    standings: list[Standing] = field(default_factory=list)
    _options: Json = field(default_factory=dict)
    _seated: set[str] = field(default_factory=set)
    _left: dict[str, int] | None = None
    _quota: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, QUOTA_MS))
    _away: dict[str, int] = field(default_factory=dict)
    _plies: int = 0
    _at: int = 0
    _moved_at: int = 0
    _over: bool = False

    def take(self, record: Json) -> None:
        """Go on by a record."""
        if record["at"] < self._at:
            self.wrong(f"time went back, to {record}")
        self._weigh_downs(record)
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
        self.standings.append(self._standing())

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

    def _standing(self) -> Standing:
        away = {side: self._claimable_at(side) for side in self._away}
        return Standing(self._left and dict(self._left), self._running, self._moved_at, away)

    def _weigh_downs(self, record: Json) -> None:
        """Before anything else comes of a room whose players wait, they are spared the time without any node."""
        if not self._playing or not (self._left or self._away):
            return
        missed = sum(
            until - max(since, self._at)
            for since, until in self.downs
            if until - since >= NOTICED_MS and self._at < until <= record["at"]
        )
        if missed > 0 and (record["kind"] != "paused" or record["ms"] < missed):
            self.wrong(f"nobody was there for {missed:.0f} ms, and then came {record}")

    def _open(self, record: Json) -> None:
        self._options = record["options"]
        self._seated = {side for side in SIDES if record[side]}
        self._moved_at = record["at"]
        if clock := self._options["clock"]:
            self._left = dict.fromkeys(SIDES, clock.get("initial_ms", clock.get("per_move_ms")))

    def _play(self, record: Json) -> None:
        if self._running and self._left:
            clock, side = self._options["clock"], record["side"]
            spent, given, thought = record["spent_ms"], record["compensated_ms"], record["thought_ms"]
            if not 0 <= spent <= max(0, record["at"] - self._moved_at):
                self.wrong(f"more was charged than has passed since {self._moved_at}: {record}")
            if not 0 <= given <= min(GRACE_MS, self._quota[side], spent) or thought != spent - given:
                self.wrong(f"what is given back is wrong, out of {self._quota[side]}: {record}")
            if thought >= self._left[side]:
                self.wrong(f"it was taken with {self._left[side]} left: {record}")
            increment = clock.get("increment_ms")
            self._left[side] = clock["per_move_ms"] if increment is None else self._left[side] - thought + increment
            self._quota[side] = min(QUOTA_MS, self._quota[side] - given + REFILL_MS)
        self._plies += 1
        self._moved_at = record["at"]

    def _pause(self, record: Json) -> None:
        if not COMING_BACK_MS < record["ms"] <= record["at"] - self._at + COMING_BACK_MS:
            self.wrong(f"a pause of more than has passed since {self._at}: {record}")
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
            self.wrong(f"it was not to end so, with {self._standing()}: {record}")
        if running and self._left:
            self._left[running] = max(0, self._left[running] - max(0, at - self._moved_at))

    def _charged(self, at: int) -> float:
        """How long the side to move was charged at ``at``, without the absences that are to be spared it.

        A pause has moved ``_moved_at`` on, so none of those before counts twice.
        """
        downs = (
            max(0, min(until, at) - max(since, self._moved_at))
            for since, until in self.downs
            if until - since >= NOTICED_MS
        )
        return at - self._moved_at - sum(downs)


def claimable(records: Sequence[Json], standings: Sequence[Standing]) -> list[tuple[str, float, float]]:
    """Whose game could be claimed, from when and until when."""
    spans: list[tuple[str, float, float]] = []
    ends = [record["at"] for record in records[1:]] + [float("inf")]
    for standing, end in zip(standings, ends, strict=True):
        spans += [(side, since, end) for side, since in standing.away.items() if since is not None and since < end]
    return spans
