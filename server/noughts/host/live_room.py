"""A room in memory, and the commands that wait for it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from pydantic_core import to_json

from noughts.host.values import Reply, RoomUpdate
from noughts.journal import IndexRow, StoredPlayer
from noughts.projection import index_row
from noughts.protocol import listing
from noughts.rooms import Command, Event, Room

REPLAYED = 256
"""How many of a room's last updates can be sent again; who has missed more gets the whole room."""


@dataclass(frozen=True, slots=True)
class QueuedCommand:
    """A command that waits for its room, or with None a look at the room."""

    command: Command | None
    reply: Reply
    players: tuple[StoredPlayer, ...]


class LiveRoom:
    """A room in memory: what it is now, its last happenings, and the commands that wait for it.

    ``stale``: a write may have arrived whose outcome is unknown. ``looking``: another look at it is arranged.
    ``heard``: the newest version that others told of. ``alarm`` rings when the room is due by its clock.
    """

    __slots__ = ("_listed", "alarm", "heard", "history", "id", "items", "looking", "room", "stale", "task")

    def __init__(self, room_id: str) -> None:
        self.id = room_id
        self.room: Room | None = None
        self.history: deque[RoomUpdate] = deque(maxlen=REPLAYED)
        self.items: deque[QueuedCommand] = deque()
        self.task: asyncio.Task[None] | None = None
        self.stale = False
        self.looking = False
        self.heard = 0
        self.alarm: asyncio.TimerHandle | None = None
        self._listed: tuple[object, bytes] | None = None

    @property
    def version(self) -> int:
        """The room's version in memory, 0 where it has not been loaded."""
        return 0 if self.room is None else self.room.version

    def index(self, room: Room) -> IndexRow:
        """The row of ``room``, a state of this room. What the lobby shows of it changes with hardly any move."""
        shown = (room.status, room.first, room.second, room.away)
        if self._listed is None or self._listed[0] != shown:
            self._listed = (shown, to_json(listing(room)))
        return index_row(room, self._listed[1])

    def take(self, event: Event, room: Room, *, ours: bool = False) -> RoomUpdate:
        """Go on to ``room``, which is the room after ``event``."""
        self.room = room
        happening = RoomUpdate(event, room, ours=ours)
        self.history.append(happening)
        return happening
