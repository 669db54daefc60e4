"""One command at a time per room: decide, store, evolve, tell.

The host keeps in memory the rooms that somebody looks at, and all others can be had again from the journal at
any time. Commands run in the host's own tasks, never in a connection's: a client that goes away in the middle of
a write changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic_core import to_json

from noughts.index import index_of
from noughts.journal import Append, Index, Journal, JournalError, StoredPlayer
from noughts.protocol import UnknownRecord, from_record, listing, to_record, update
from noughts.rooms import (
    Already,
    Command,
    Event,
    Expire,
    Open,
    Refused,
    Rematched,
    Room,
    decide,
    evolve,
    rematch_of,
)

log = logging.getLogger(__name__)

T = TypeVar("T")

REPLAYED = 256
"""How many of a room's last updates can be sent again; who has missed more gets the whole room."""

RETRIES_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 3.2)
"""The waits between attempts to reach a journal that does not answer, 10 s in all."""

SWEEP_S = 1.0
"""How often the index is asked for what is due by time."""


class Happening:
    """An event, the room after it, and both as an ``update`` message, encoded at most once."""

    __slots__ = ("_data", "event", "room")

    def __init__(self, event: Event, room: Room) -> None:
        self.event = event
        self.room = room
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
    history: deque[Happening]

    def since(self, version: int) -> list[Happening] | None:
        """What happened after ``version``, in order; None beyond the head and when the gap is too long."""
        missed = self.room.version - version
        if missed < 0 or missed > len(self.history):
            return None
        return [self.history[i] for i in range(len(self.history) - missed, len(self.history))]


Reply = Callable[[Done | Refused | Failed], None]
Listener = Callable[[Happening], None]


def _ignore(_: Done | Refused | Failed) -> None:
    """The reply to a command that nobody waits for."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A command that waits for its room, or with None a look at the room."""

    command: Command | None
    reply: Reply
    players: tuple[StoredPlayer, ...]


class _Live:
    """A room in memory: what it is now, its last happenings, and the commands that wait for it."""

    __slots__ = ("_listed", "history", "id", "items", "looking", "room", "stale", "task")

    def __init__(self, room_id: str) -> None:
        self.id = room_id
        self.room: Room | None = None
        self.history: deque[Happening] = deque(maxlen=REPLAYED)
        self.items: deque[_Item] = deque()
        self.task: asyncio.Task[None] | None = None
        self.stale = False
        self.looking = False
        self._listed: tuple[object, bytes] | None = None

    def index(self, room: Room) -> Index:
        """The row of ``room``, a state of this room. What the lobby shows of it changes with hardly any move."""
        shown = (room.status, room.first, room.second, room.away)
        if self._listed is None or self._listed[0] != shown:
            self._listed = (shown, to_json(listing(room)))
        return index_of(room, self._listed[1])

    def take(self, event: Event, room: Room) -> Happening:
        """Go on to ``room``, which is the room after ``event``."""
        self.room = room
        happening = Happening(event, room)
        self.history.append(happening)
        return happening


class Host:
    """Runs rooms over a journal.

    ``listeners`` hear of everything that happens, ``finders`` of each room that was loaded from the journal;
    in order and within the loop, so they must not block.
    ``watched`` says whether somebody looks at a room, which is then kept in memory.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.listeners: list[Listener] = []
        self.finders: list[Callable[[Room], None]] = []
        self.watched: Callable[[str], bool] = lambda _: False
        self._rooms: dict[str, _Live] = {}
        self._unreadable: set[str] = set()

    def __len__(self) -> int:
        """How many rooms are in memory."""
        return len(self._rooms)

    def submit(
        self,
        room_id: str,
        command: Command | None,
        reply: Reply = _ignore,
        players: tuple[StoredPlayer, ...] = (),
    ) -> None:
        """Have ``command`` carried out, after those that wait for the room already.

        ``reply`` is called once, in the loop, after everybody was told, and at once where nothing has to be waited
        for. None as the command is a mere look at the room. ``players`` are stored with the event. ``Open`` gives
        the room that is there, if there is one.
        """
        live = self._rooms.get(room_id)
        if live is None:
            live = self._rooms[room_id] = _Live(room_id)
        if command is None and live.room is not None and live.task is None and not live.stale:
            reply(Done(live.room.version, live.room, live.history))  # nothing waits, so this need not either
            return
        live.items.append(_Item(command, reply, players))
        if live.task is None:
            live.task = asyncio.create_task(self._run(live))

    def look(self, room_id: str) -> None:
        """Load a room for the sake of ``finders``, if it is not in memory already."""
        self.submit(room_id, None)

    def room(self, room_id: str) -> Room | None:
        """The room as it is now, if it is in memory: so it is while somebody looks at it."""
        live = self._rooms.get(room_id)
        return None if live is None else live.room

    def release(self, room_id: str) -> None:
        """Forget a room that nobody looks at any more; it can be loaded again."""
        live = self._rooms.get(room_id)
        if live is not None and live.task is None and not self.watched(room_id):
            del self._rooms[room_id]

    async def sweep(self) -> None:
        """Do what is due by time, for ever."""
        while True:
            try:
                for room_id in await self.journal.due(self.journal.now(), limit=100 + len(self._unreadable)):
                    if room_id not in self._unreadable:
                        self.submit(room_id, Expire())
            except JournalError:
                log.warning("the journal does not answer: what is due by time waits")
            await asyncio.sleep(SWEEP_S)

    async def close(self) -> None:
        """Wait for the commands under way; call it after the last ``submit``."""
        while tasks := [live.task for live in self._rooms.values() if live.task is not None]:
            await asyncio.wait(tasks)

    async def _run(self, live: _Live) -> None:
        while live.items:
            item = live.items.popleft()
            result: Done | Refused | Failed
            try:
                result = await self._serve(live, item)
            except (Refused, Failed) as refusal:
                result = refusal
            except JournalError:
                result = Failed("overloaded", "The journal does not answer; what became of this is unknown.")
            except UnknownRecord as error:
                self._unreadable.add(live.id)
                log.warning("room %s cannot be run here: %s", live.id, error)
                result = Failed("internal", f"This room cannot be run here: {error}.")
            except Exception:
                log.exception("room %s: a command failed", live.id)
                result = Failed("internal", "The server made a mistake; it was noted.")
            answered = [item]
            if isinstance(result, Failed) and result.code == "overloaded":
                # Those that wait would wait as long, each in its turn.
                answered += live.items
                live.items.clear()
                self._doubt(live)
            for each in answered:
                try:
                    each.reply(result)
                except Exception:
                    log.exception("room %s: a reply failed", live.id)
        live.task = None
        if live.room is None or not self.watched(live.id):
            del self._rooms[live.id]

    def _doubt(self, live: _Live) -> None:
        """A write may have arrived after all: look again soon, and tell what it was."""
        live.stale = True
        if not live.looking:
            live.looking = True
            asyncio.get_running_loop().call_later(SWEEP_S, self._look_again, live)

    def _look_again(self, live: _Live) -> None:
        live.looking = False
        if self._rooms.get(live.id) is live:
            self.submit(live.id, None)

    async def _serve(self, live: _Live, item: _Item) -> Done:
        if live.stale and live.room is not None:
            await self._catch_up(live)
        live.stale = False
        if live.room is None and not isinstance(item.command, Open):
            await self._load(live)
        while True:
            if live.room is not None and (item.command is None or isinstance(item.command, Open)):
                return Done(live.room.version, live.room, live.history)
            assert item.command is not None
            decision = decide(live.room, item.command, self.journal.now())
            if isinstance(decision, Already):
                assert live.room is not None
                return Done(decision.version, live.room, live.history)
            version = 1 if live.room is None else live.room.version + 1
            if await self._store(live, decision, item.players):
                assert live.room is not None
                return Done(version, live.room, live.history)

    async def _store(self, live: _Live, event: Event, players: tuple[StoredPlayer, ...]) -> bool:
        """Write ``event`` as the room's next version, then evolve and tell.

        False when another was written in its place; then the room has caught up, and one must decide again.
        """
        room = evolve(live.room, event)
        record = to_record(event)
        write = Append(live.id, room.version, record, live.index(room), players)
        if await self._append(write):
            await self._take(live, event, room)
            return True
        # Refused by the journal: another was faster, or our own earlier attempt had arrived after all.
        return (await self._catch_up(live))[0] == record

    async def _catch_up(self, live: _Live) -> list[bytes]:
        """Take and tell what the journal holds beyond the room in memory; those records."""
        records = await self._read(live.id, live.room.version if live.room else 0)
        for record in records:
            event = from_record(record)
            await self._take(live, event, evolve(live.room, event))
        return records

    async def _take(self, live: _Live, event: Event, room: Room) -> None:
        """Go on to ``room``, the room after ``event``, which is stored, and tell it.

        Nobody hears of a rematch before its room is there.
        """
        opened = await self._open_next(room) if isinstance(event, Rematched) else None
        self._tell(live.take(event, room))
        if opened is not None:
            self._tell(opened)

    async def _append(self, write: Append) -> bool:
        for delay in RETRIES_S:
            try:
                return await self.journal.append(write)
            except JournalError as error:
                log.warning("room %s: the journal does not answer: %s", write.room, error)
                await asyncio.sleep(delay)
        return await self.journal.append(write)

    async def _read(self, room_id: str, since: int = 0) -> list[bytes]:
        for delay in RETRIES_S:
            try:
                return await self.journal.read(room_id, since)
            except JournalError:
                await asyncio.sleep(delay)
        return await self.journal.read(room_id, since)

    async def _load(self, live: _Live) -> None:
        for record in await self._read(live.id):
            event = from_record(record)
            live.take(event, evolve(live.room, event))
        if live.room is None:
            raise Failed("unknown_room", "There is no room of that id.")
        if live.room.next is not None:
            await self._open_next(live.room)
        self._call(self.finders, live.room, live.id)

    async def _open_next(self, room: Room) -> Happening:
        """Open the room of the rematch, unless it is open already; its opening."""
        assert room.next is not None
        opened: Event = rematch_of(room, self.journal.now())
        next_room = evolve(None, opened)
        if not await self._append(Append(next_room.id, 1, to_record(opened), index_of(next_room))):
            opened = from_record((await self._read(next_room.id))[0])
        return Happening(opened, evolve(None, opened))

    def _tell(self, happening: Happening) -> None:
        self._call(self.listeners, happening, happening.room.id)

    def _call(self, hearers: Iterable[Callable[[T], None]], what: T, room_id: str) -> None:
        for hearer in hearers:
            try:
                hearer(what)
            except Exception:
                log.exception("room %s: a listener failed", room_id)
