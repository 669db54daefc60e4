"""What the journal stores of a room besides its records: a row in the index, and the result."""

from __future__ import annotations

from pydantic_core import to_json

from noughts.games import Reason
from noughts.journal import GameResult, IndexRow
from noughts.protocol import listing
from noughts.rooms import Room, pool_of

STEPS = 32
"""The deadline of a game without a clock moves on with every move. The index has it rounded up, to this part of it."""


def index_row(room: Room, listed: bytes | None = None) -> IndexRow:
    """The row of ``room`` in the journal's index. ``listed`` is its encoded listing, if the caller has it."""
    people = room.people
    deserted = bool(people) and room.away >= people
    return IndexRow(
        game=room.game.key,
        by=room.by,
        status=room.status,
        public=not room.options.private and not deserted,
        due_at=_due_at(room),
        thinking=room.computer_to_move is not None,
        attended=room.status != "over" and bool(people) and not deserted,
        listing=listed or to_json(listing(room)),
    )


def same_row(before: Room, after: Room) -> bool:
    """Whether the two have the same index row, as before and after most moves of a game without a clock."""
    return (
        after.clocks is None
        and before.status == after.status
        and before.first is after.first
        and before.second is after.second
        and before.away == after.away
        and (before.moved_at == after.moved_at or _sleeps_at(before) == _sleeps_at(after))
        and not _has_computer(after)
    )


def _has_computer(room: Room) -> bool:
    """Whether a computer may come to move, which the index tells."""
    first, second = room.first, room.second
    return (first is not None and first.kind == "computer") or (second is not None and second.kind == "computer")


def _due_at(room: Room) -> int | None:
    """When to look at the room again: not before it is due, and for a game without a clock up to 3 % later."""
    due_at = room.due_at
    return due_at if due_at is None or room.clocks is not None or room.status != "playing" else _sleeps_at(room)


def _sleeps_at(room: Room) -> int:
    """When a game without a clock ends if nobody moves, in ms since the epoch, rounded up."""
    sleeping_ms = room.options.sleeping_ms
    step = sleeping_ms // STEPS or 1
    return -(-(room.moved_at + sleeping_ms) // step) * step


def result_of(room: Room, before: Room | None) -> GameResult | None:
    """The result of ``room`` if the event after ``before`` ended its game; it is stored with that event.

    None for a game without a result: aborted, or abandoned by both. Rated only if both sides moved: otherwise one of
    the players may never have been there.
    """
    outcome, control = room.outcome, room.options.clock
    if outcome is None or (before is not None and before.outcome is not None):
        return None
    if outcome.reason is Reason.ABORTED or (outcome.reason is Reason.ABANDONMENT and outcome.winner is None):
        return None
    if room.first is None or room.second is None:
        return None
    return GameResult(
        room=room.id,
        game=room.game.key,
        first=room.first.id,
        second=room.second.id,
        winner=None if outcome.winner is None else outcome.winner.value,
        reason=outcome.reason.value,
        public=not room.options.private,
        pool=pool_of(control) if room.rated and room.begun and control is not None else None,
        ended_at=room.at,
    )
