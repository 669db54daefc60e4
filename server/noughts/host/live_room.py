"""A room in memory: its state, its latest updates, who hears of them, and the commands that wait for it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from noughts.journal import Append, IndexRow, StoredPlayer, StoredRating
from noughts.projection import STEPS, index_row
from noughts.protocol.render import Pieces, listing_json, update_json
from noughts.rooms import Command, Ended, Event, Played, Refused, Room, Unrated
from noughts.value import value

log = logging.getLogger(__name__)

REPLAY_LIMIT = 256
"""The number of a room's latest updates that can be sent again; a client that missed more gets a snapshot."""


@dataclass(slots=True, eq=False)
class RoomUpdate:
    """An event, the room after it, and both as an ``update`` message. ``ours``: this node stored the event.

    ``fields`` are the event's ``fields_json``, if they are known already; ``pieces`` are those of the room in memory.
    """

    event: Event
    room: Room
    ours: bool = False
    fields: str | None = field(default=None, repr=False)
    pieces: Pieces | None = field(default=None, repr=False)
    _data: bytes | None = field(default=None, init=False, repr=False)
    _short: bytes | None = field(default=None, init=False, repr=False)

    @property
    def data(self) -> bytes:
        """The ``update`` message, encoded once: the same bytes for everybody who wants ``legal_moves``."""
        if self._data is None:
            self._data = update_json(self.event, self.room, self.fields, self.pieces)
        return self._data

    @property
    def short(self) -> bytes:
        """The ``update`` message without ``legal_moves``, encoded once."""
        if self._short is None:
            self._short = update_json(self.event, self.room, self.fields, self.pieces, legal_moves=False)
        return self._short


Listener = Callable[[RoomUpdate], None]


class GameOver:
    """Stands for every event that ends a game; see :meth:`Listeners.listen`."""


class WithComputer:
    """Stands for every event of a room in which a computer sits."""


class InDays:
    """Stands for every event of a room with days for each move."""


class Listeners:
    """Passes on what happens, in order and within the event loop, so a listener must not block.

    ``on_loaded`` are called with each room that was loaded from the journal. A listener that fails is logged, with the
    room as ``log_name`` calls it, and the others are called all the same.
    """

    def __init__(self, log_name: Callable[[str], str]) -> None:
        self.on_loaded: list[Callable[[Room], None]] = []
        self._added: list[tuple[Listener, tuple[type, ...]]] = []
        # By the type of an event, whether it ends a game, whether a computer sits there, and whether moves have days.
        self._listeners: dict[tuple[type, bool, bool, bool], list[Listener]] = {}
        self.log_name = log_name

    def listen(self, listener: Listener, *events: type) -> None:
        """Call ``listener`` with the updates of rooms in memory: those with these events, or all if none are named.

        :class:`GameOver` stands for every event that ends a game, :class:`WithComputer` for all of rooms in which a
        computer sits, :class:`InDays` for all of rooms with days for each move. Listeners are called in the order of
        their addition, and those to :class:`GameOver` last.
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
        which = type(event), over, computer, room.clocks is not None and room.correspondence
        for listener in self._listeners.get(which) or self._of(*which):
            try:
                listener(update)
            except Exception:
                log.exception("room %s: a listener failed", self.log_name(room.id))

    def _of(self, event: type, over: bool, computer: bool, days: bool) -> list[Listener]:
        """Those who hear of an event of this type, remembered for the next."""
        at_once = {event, *([WithComputer] if computer else ()), *([InDays] if days else ())}
        found = [listener for listener, events in self._added if not at_once.isdisjoint(events)]
        if over:
            found += [listener for listener, events in self._added if GameOver in events]
        self._listeners[event, over, computer, days] = found
        return found

    def loaded(self, room: Room) -> None:
        """Pass on a room that was loaded from the journal."""
        for listener in self.on_loaded:
            try:
                listener(room)
            except Exception:
                log.exception("room %s: a listener failed", self.log_name(room.id))


class Failed(Exception):
    """A command could not be carried out. ``overloaded`` means that its outcome is unknown."""

    def __init__(self, code: Literal["unknown_room", "overloaded", "internal"], message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


@value
class Done:
    """A command was carried out at ``version``. ``room`` is the room as it is now.

    ``stored`` is the length of the records that were stored for it, in bytes; 0 if it changed nothing.
    """

    version: int
    room: Room
    history: deque[RoomUpdate]
    stored: int = 0

    def since(self, version: int) -> list[RoomUpdate] | None:
        """The updates after ``version``, in order; None for a version in the future, and when too many were missed."""
        missed = self.room.version - version
        if missed < 0 or missed > len(self.history):
            return None
        return [self.history[i] for i in range(len(self.history) - missed, len(self.history))]


Reply = Callable[[Done | Refused | Failed], None]


class QueuedCommand:
    """A command that waits for its room; None only brings the room up to date. ``opener`` is that of a room it opens.

    ``origin`` and ``asker`` are the sender's. ``fresh``: the room was read from the journal for this command, so a
    refusal is final.
    ``ratings`` are those that the command needs; ``unrated_because`` is the verdict on the game that it begins. After
    ``give_up_at``, in seconds of the event loop, it is not decided again. ``missed_ms``: how much later the room's time
    is up, because of outages.
    Once it is decided, ``write`` is what is on its way to the journal, and ``update`` what will be told then; with a
    rematch ``opened`` is the opening of the next room.
    """

    origin = b""
    asker = ""
    fresh = False
    ratings: Sequence[StoredRating] = ()
    unrated_because: Unrated | None = None
    give_up_at: float | None = None
    missed_ms = 0
    update: RoomUpdate
    write: Append
    opened: RoomUpdate | None = None

    def __init__(
        self,
        command: Command | None,
        reply: Reply,
        players: tuple[StoredPlayer, ...] = (),
        opener: bytes = b"",
    ) -> None:
        self.command = command
        self.reply = reply
        self.players = players
        self.opener = opener


class LiveRoom:
    """A room in memory. ``room`` is None until it is loaded or opened.

    ``busy``: a command is under way; ``task`` is the latest in which the journal was asked for it.
    ``indexed``: the journal's index row is that of ``room``, not of a state before it.
    ``uncertain``: the outcome of the last write is unknown; ``rechecking``: it will be read again soon.
    ``announced``: the newest version that another node announced, 0 for none. ``followed``: the bus sends its hints.
    ``pieces`` are of its updates.
    """

    __slots__ = (
        "_listing",
        "alarm",
        "announced",
        "busy",
        "followed",
        "history",
        "id",
        "indexed",
        "pieces",
        "queue",
        "rechecking",
        "room",
        "task",
        "uncertain",
    )

    def __init__(self, room_id: str) -> None:
        self.id = room_id
        self.room: Room | None = None
        self.history: deque[RoomUpdate] = deque(maxlen=REPLAY_LIMIT)
        self.pieces = Pieces()
        self.queue: deque[QueuedCommand] = deque()
        self.busy = False
        self.task: asyncio.Task[None] | None = None
        self.alarm: asyncio.TimerHandle | None = None
        self.indexed = False
        self.uncertain = False
        self.rechecking = False
        self.announced = 0
        self.followed = False
        self._listing: tuple[object, bytes] | None = None

    @property
    def version(self) -> int:
        """The room's version in memory, 0 until it is loaded or opened."""
        return 0 if self.room is None else self.room.version

    def advance(self, update: RoomUpdate) -> RoomUpdate:
        """Replace the room by the one after ``update``, which is returned."""
        self.room = update.room
        self.history.append(update)
        return update

    def index_row(self, room: Room, opener: bytes) -> IndexRow | None:
        """The index row of ``room``, the next state; None if the one in the journal need not change.

        It need not after most moves of a game without a clock: the deadline moves on in steps.
        """
        before, first, second = self.room, room.first, room.second
        if (
            self.indexed
            and before is not None
            and room.clocks is None
            and before.status == room.status
            and before.first is first
            and before.second is second
            and before.away == room.away
            and before.next is room.next
            # If a computer comes to move, the index tells.
            and (first is None or first.kind != "computer")
            and (second is None or second.kind != "computer")
        ):
            sleeping_ms = room.options.sleeping_ms
            step = sleeping_ms // STEPS or 1
            if -(before.moved_at + sleeping_ms) // step == -(room.moved_at + sleeping_ms) // step:
                return None
        shown = (room.status, room.first, room.second, room.away, room.next)
        if self._listing is None or self._listing[0] != shown:  # a clock changes the row with each move, but not this
            self._listing = (shown, listing_json(room))
        return index_row(room, self._listing[1], opener)
