"""A room's row in the journal's index."""

from __future__ import annotations

from pydantic_core import to_json

from noughts.games import Side
from noughts.journal import Index
from noughts.protocol import listing
from noughts.rooms import Room


def index_of(room: Room, listed: bytes | None = None) -> Index:
    """The row of ``room`` in the journal's index; ``listed`` is its ``listing``, where it is encoded already."""
    seats = ((Side.FIRST, room.first), (Side.SECOND, room.second))
    return Index(
        game=room.game.key,
        by=room.by,
        status=room.status,
        public=not room.options.private and not _deserted(room),
        due_at=room.due_at,
        thinking=room.computer_to_move is not None,
        attended=room.status != "over"
        and any(seat is not None and seat.kind != "computer" and side not in room.away for side, seat in seats),
        listing=listed or to_json(listing(room)),
    )


def _deserted(room: Room) -> bool:
    """Whether all people and bots who sit there have gone: then nobody is to be sent there, to play or to watch."""
    seats = ((Side.FIRST, room.first), (Side.SECOND, room.second))
    there = [side for side, seat in seats if seat is not None and seat.kind != "computer"]
    return bool(there) and room.away.issuperset(there)
