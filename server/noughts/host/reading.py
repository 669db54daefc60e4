"""Reads rooms from the journal: whole ones, and what other nodes have stored meanwhile."""

from __future__ import annotations

import asyncio

from noughts.host.listeners import Listeners
from noughts.host.live_room import Failed, LiveRoom, RoomUpdate
from noughts.host.retry import Retry
from noughts.journal import Journal
from noughts.projection import room_of
from noughts.protocol import from_record
from noughts.rooms import Event, Opened, Rematched, evolve

NO_ROOM = "There is no room with that id."


class Reading:
    """Brings rooms up to date, and tells ``listeners`` what was read. Its methods raise JournalError."""

    def __init__(self, journal: Journal, retry: Retry, listeners: Listeners) -> None:
        self._journal = journal
        self._retry = retry
        self._listeners = listeners
        self._replaying = asyncio.Lock()

    async def load(self, live: LiveRoom) -> None:
        """Load a room from the journal. Raises Failed for an unknown one."""
        records = await self._retry.read(live.id)
        if not records:
            raise Failed("unknown_room", NO_ROOM)
        first, replayed = from_record(records[0]), records
        if not isinstance(first, Opened):
            await self._restore(live, first)
            replayed = records[1:]
        # Replaying a long game takes some 5 ms, so no more than one is replayed in a turn of the event loop.
        async with self._replaying:
            await asyncio.sleep(0)
            for record in replayed:
                event = from_record(record)
                live.advance(RoomUpdate(event, evolve(live.room, event)))
        assert live.room is not None
        self._listeners.loaded(live.room)

    async def catch_up(self, live: LiveRoom) -> list[bytes]:
        """Read and publish the events after the version in memory; their records."""
        announced = live.announced
        records = await self._retry.read(live.id, live.version)
        for record in records:
            event = from_record(record)
            if live.room is None and not isinstance(event, Opened):
                await self._restore(live, event)
                continue
            opening = await self._retry.read(event.next) if isinstance(event, Rematched) else []
            self._listeners.publish(live.advance(RoomUpdate(event, evolve(live.room, event))))
            if opening:
                opened = from_record(opening[0])
                self._listeners.publish(RoomUpdate(opened, evolve(None, opened)))
        if live.announced == announced:  # no newer one was announced during the read
            live.announced = 0
        return records

    async def _restore(self, live: LiveRoom, event: Event) -> None:
        """Restore a room whose records before ``event`` were deleted, from the index."""
        remains = await self._retry.call(lambda: self._journal.remains(live.id))
        assert remains is not None
        live.room = room_of(live.id, remains, event.at)
