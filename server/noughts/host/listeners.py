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


class Listeners:
    """Passes on what happens, in order and within the event loop, so a listener must not block.

    ``on_loaded`` are called with each room that was loaded from the journal. A listener that fails is logged, with the
    room as ``log_name`` calls it, and the others are called all the same.
    """

    def __init__(self, log_name: Callable[[str], str]) -> None:
        self.on_loaded: list[Callable[[Room], None]] = []
        self._listeners: dict[type, list[Listener]] = {event: [] for event in (*get_args(Event), GameOver)}
        self.log_name = log_name

    def listen(self, listener: Listener, *events: type) -> None:
        """Call ``listener`` with the updates of rooms in memory: those with these events, or all if none are named.

        :class:`GameOver` stands for every event that ends a game. Listeners are called in the order of their addition.
        """
        for event in events or get_args(Event):
            self._listeners[event].append(listener)

    def publish(self, update: RoomUpdate) -> None:
        """Pass a stored event on to the listeners."""
        listeners = self._listeners[type(update.event)]
        if isinstance(update.event, Played | Ended) and update.room.outcome is not None:
            listeners = listeners + self._listeners[GameOver]
        for listener in listeners:
            try:
                listener(update)
            except Exception:
                log.exception("room %s: a listener failed", self.log_name(update.room.id))

    def loaded(self, room: Room) -> None:
        """Pass on a room that was loaded from the journal."""
        for listener in self.on_loaded:
            try:
                listener(room)
            except Exception:
                log.exception("room %s: a listener failed", self.log_name(room.id))
