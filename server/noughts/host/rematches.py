"""The rooms of rematches: opened by whoever finds that they are to be."""

from __future__ import annotations

from noughts.host.retry import Retry
from noughts.host.seating import Ratings, with_ratings
from noughts.host.values import RoomUpdate
from noughts.journal import Append, Journal
from noughts.projection import index_row
from noughts.protocol import from_record, to_record
from noughts.rooms import Event, Room, evolve, rematch_of


class Rematches:
    """Opens in ``journal`` what rooms name as their ``next``. All raise JournalError."""

    def __init__(self, journal: Journal, retry: Retry, ratings: Ratings) -> None:
        self._journal = journal
        self._retry = retry
        self._ratings = ratings

    async def lacking(self, room: Room) -> bool:
        """Whether there is to be a rematch, and its room is not there.

        Not after so long that it would have been closed by now: then the game alone was taken from another journal.
        """
        if room.next is None or self._journal.now() > room.at + room.options.waiting_ms:
            return False
        return not await self._retry.once(self._journal.heads([room.next]))

    async def open(self, room: Room) -> RoomUpdate:
        """Open the room of the rematch, unless it is open already; its opening."""
        assert room.next is not None
        opened: Event = await with_ratings(rematch_of(room, self._journal.now()), self._ratings)
        next_room = evolve(None, opened)
        ours = await self._retry.append(Append(next_room.id, 1, to_record(opened), index_row(next_room)))
        if not ours:
            opened = from_record((await self._retry.read(next_room.id))[0])
        return RoomUpdate(opened, evolve(None, opened), ours=ours)
