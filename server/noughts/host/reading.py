"""Reads rooms from the journal: whole ones, and what other nodes have stored meanwhile."""

from __future__ import annotations

import asyncio
from collections import deque

from noughts.host.live_room import Failed, Listeners, LiveRoom, RoomUpdate
from noughts.host.retry import Retry
from noughts.journal import Journal
from noughts.projection import room_of
from noughts.protocol.records import from_record
from noughts.rooms import Event, Opened, Rematched, evolve

NO_ROOM = "There is no room with that id."


class Reading:
    """Brings rooms up to date, and tells ``listeners`` what was read. Its methods raise JournalError."""

    def __init__(self, journal: Journal, retry: Retry, listeners: Listeners) -> None:
        self._journal = journal
        self._retry = retry
        self._listeners = listeners
        self._replaying = False
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def load(self, live: LiveRoom, asker: str) -> None:
        """Load a room from the journal, for ``asker``: see :meth:`Host.submit`. Raises Failed for an unknown one."""
        records = await self._retry.read(live.id)
        if not records:
            raise Failed("unknown_room", NO_ROOM)
        first, replayed = from_record(records[0]), records
        if not isinstance(first, Opened):
            await self._restore(live, first)
            replayed = records[1:]
        # Replaying a long game takes some 5 ms, so no more than one is replayed in a turn of the event loop.
        await self._turn(asker)
        try:
            await asyncio.sleep(0)
            for record in replayed:
                event = from_record(record)
                live.advance(RoomUpdate(event, evolve(live.room, event)))
        finally:
            self._next_turn()
        assert live.room is not None
        self._listeners.loaded(live.room)

    async def _turn(self, asker: str) -> None:
        """Wait until no other room is replayed, and it is the turn of ``asker``: one room of each in rotation."""
        if not self._replaying:
            self._replaying = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(asker, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was given the turn already
                self._next_turn()
            raise

    def _next_turn(self) -> None:
        while self._waiting:
            asker, turns = next(iter(self._waiting.items()))
            del self._waiting[asker]
            turn = turns.popleft()
            if turns:
                self._waiting[asker] = turns  # behind the others
            if not turn.done():
                turn.set_result(None)
                return
        self._replaying = False

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
        remains = await self._retry.call(lambda: self._journal.index.remains(live.id))
        assert remains is not None
        live.room = room_of(live.id, remains, event.at)
