"""A room in memory, and the commands that wait for it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from pydantic_core import to_json

from noughts.host.values import Happening, Reply
from noughts.index import index_of
from noughts.journal import Index, StoredPlayer
from noughts.protocol import listing
from noughts.rooms import Command, Event, Room

REPLAYED = 256
"""How many of a room's last updates can be sent again; who has missed more gets the whole room."""


@dataclass(frozen=True, slots=True)
class Item:
    """A command that waits for its room, or with None a look at the room."""

    command: Command | None
    reply: Reply
    players: tuple[StoredPlayer, ...]


class Live:
    """A room in memory: what it is now, its last happenings, and the commands that wait for it.

    ``stale``: a write may have arrived whose outcome is unknown. ``looking``: another look at it is arranged.
    ``heard``: the newest version that others told of. ``alarm`` rings when the room is due by its clock.
    """

    __slots__ = ("_listed", "alarm", "heard", "history", "id", "items", "looking", "room", "stale", "task")

    def __init__(self, room_id: str) -> None:
        self.id = room_id
        self.room: Room | None = None
        self.history: deque[Happening] = deque(maxlen=REPLAYED)
        self.items: deque[Item] = deque()
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

    def index(self, room: Room) -> Index:
        """The row of ``room``, a state of this room. What the lobby shows of it changes with hardly any move."""
        shown = (room.status, room.first, room.second, room.away)
        if self._listed is None or self._listed[0] != shown:
            self._listed = (shown, to_json(listing(room)))
        return index_of(room, self._listed[1])

    def take(self, event: Event, room: Room, *, ours: bool = False) -> Happening:
        """Go on to ``room``, which is the room after ``event``."""
        self.room = room
        happening = Happening(event, room, ours=ours)
        self.history.append(happening)
        return happening
