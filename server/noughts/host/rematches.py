"""Opening the room of a rematch, which any node may find missing."""

from __future__ import annotations

from noughts.host.live_room import RoomUpdate
from noughts.host.retry import Retry
from noughts.host.seating import Ratings, with_ratings
from noughts.journal import Append, Journal
from noughts.projection import index_row
from noughts.protocol import from_record, to_record
from noughts.rooms import Event, Room, evolve, rematch_of


async def rematch_missing(room: Room, journal: Journal, retry: Retry) -> bool:
    """Whether a rematch was agreed but its room never opened, since the node that stored the agreement died.

    False once the new room would have been closed for lack of players: then ``room`` was imported without it.
    Raises JournalError.
    """
    if room.next is None or journal.now() > room.at + room.options.waiting_ms:
        return False
    return not await retry.once(journal.heads([room.next]))


async def open_rematch(room: Room, journal: Journal, retry: Retry, ratings: Ratings) -> RoomUpdate:
    """Open the room of the rematch unless another node did; the update of its opening. Raises JournalError."""
    opened: Event = await with_ratings(rematch_of(room, journal.now()), ratings)
    next_room = evolve(None, opened)
    ours = await retry.append(Append(next_room.id, 1, to_record(opened), index_row(next_room)))
    if not ours:
        opened = from_record((await retry.read(next_room.id))[0])
    return RoomUpdate(opened, evolve(None, opened), ours)
