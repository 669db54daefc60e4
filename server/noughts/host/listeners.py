"""Who hears of stored events, and of rooms that are loaded."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import get_args

from noughts.host.live_room import RoomUpdate
from noughts.rooms import Ended, Event, Played, Room

log = logging.getLogger(__name__)

Listener = Callable[[RoomUpdate], None]


class GameOver:
    """Stands for every event that ends a game; see :meth:`Listeners.listen`."""


class WithComputer:
    """Stands for every event of a room in which a computer sits."""


class Listeners:
    """Passes on what happens, in order and within the event loop, so a listener must not block.

    ``on_loaded`` are called with each room that was loaded from the journal. A listener that fails is logged, with the
    room as ``log_name`` calls it, and the others are called all the same.
    """

    def __init__(self, log_name: Callable[[str], str]) -> None:
        self.on_loaded: list[Callable[[Room], None]] = []
        self._added: list[tuple[Listener, tuple[type, ...]]] = []
        # By the type of an event, whether it ends a game, and whether a computer sits there.
        self._listeners: dict[tuple[type, bool, bool], list[Listener]] = {}
        self.log_name = log_name

    def listen(self, listener: Listener, *events: type) -> None:
        """Call ``listener`` with the updates of rooms in memory: those with these events, or all if none are named.

        :class:`GameOver` stands for every event that ends a game, :class:`WithComputer` for all of rooms in which a
        computer sits. Listeners are called in the order of their addition, and those to :class:`GameOver` last.
        """
        self._added.append((listener, events or get_args(Event)))
        self._listeners.clear()

    def publish(self, update: RoomUpdate) -> None:
        """Pass a stored event on to the listeners."""
        event, room = update.event, update.room
        first, second = room.first, room.second
        computer = (first is not None and first.kind == "computer") or (
            second is not None and second.kind == "computer"
        )
        over = room.outcome is not None and isinstance(event, (Played, Ended))
        which = type(event), over, computer
        for listener in self._listeners.get(which) or self._of(*which):
            try:
                listener(update)
            except Exception:
                log.exception("room %s: a listener failed", self.log_name(room.id))

    def _of(self, event: type, over: bool, computer: bool) -> list[Listener]:
        """Those who hear of an event of this type, remembered for the next."""
        at_once = {event, WithComputer} if computer else {event}
        found = [listener for listener, events in self._added if not at_once.isdisjoint(events)]
        if over:
            found += [listener for listener, events in self._added if GameOver in events]
        self._listeners[event, over, computer] = found
        return found

    def loaded(self, room: Room) -> None:
        """Pass on a room that was loaded from the journal."""
        for listener in self.on_loaded:
            try:
                listener(room)
            except Exception:
                log.exception("room %s: a listener failed", self.log_name(room.id))
