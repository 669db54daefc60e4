"""What the host tells: happenings, and the results of commands."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic_core import to_json

from noughts.protocol import update
from noughts.rooms import Event, Refused, Room


class RoomUpdate:
    """An event, the room after it, and both as an ``update`` message, encoded at most once.

    ``ours`` says that this node has written it, and nobody else needs to tell the other nodes.
    """

    __slots__ = ("_data", "event", "ours", "room")

    def __init__(self, event: Event, room: Room, *, ours: bool = False) -> None:
        self.event = event
        self.room = room
        self.ours = ours
        self._data: bytes | None = None

    @property
    def data(self) -> bytes:
        """The ``update`` message: the same bytes for everybody, now or later."""
        if self._data is None:
            self._data = to_json(update(self.event, self.room))
        return self._data


class Failed(Exception):
    """A command could not be carried out. ``overloaded`` means that its outcome is unknown."""

    def __init__(self, code: Literal["unknown_room", "overloaded", "internal"], message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Done:
    """A command was carried out at ``version``. ``room`` is the room as it is now."""

    version: int
    room: Room
    history: deque[RoomUpdate]

    def since(self, version: int) -> list[RoomUpdate] | None:
        """What happened after ``version``, in order; None beyond the head and when the gap is too long."""
        missed = self.room.version - version
        if missed < 0 or missed > len(self.history):
            return None
        return [self.history[i] for i in range(len(self.history) - missed, len(self.history))]


Reply = Callable[[Done | Refused | Failed], None]
Listener = Callable[[RoomUpdate], None]
