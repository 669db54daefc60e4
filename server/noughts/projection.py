"""What the journal stores of a room in addition to its records: its row in the index, and its result."""

from __future__ import annotations

from pydantic_core import to_json

from noughts.games import Reason, Side
from noughts.journal import GameResult, IndexRow
from noughts.protocol import listing
from noughts.rooms import Room, pool_of


def index_row(room: Room, listed: bytes | None = None) -> IndexRow:
    """The row of ``room`` in the journal's index; ``listed`` is its ``listing``, if it is encoded already."""
    seats = ((Side.FIRST, room.first), (Side.SECOND, room.second))
    people = [side for side, seat in seats if seat is not None and seat.kind != "computer"]
    attended = not room.away.issuperset(people)
    return IndexRow(
        game=room.game.key,
        by=room.by,
        status=room.status,
        # A room that everybody has left is not offered to players or spectators.
        public=not room.options.private and (attended or not people),
        due_at=room.due_at,
        thinking=room.computer_to_move is not None,
        attended=attended and room.status != "over",
        listing=listed or to_json(listing(room)),
    )


def result_of(room: Room, before: Room | None) -> GameResult | None:
    """The result of ``room`` if the event after ``before`` ended its game, else None.

    None too for a game without a result: aborted, or abandoned by both. A result is rated only if each side has moved:
    before that a player may never have been there.
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
