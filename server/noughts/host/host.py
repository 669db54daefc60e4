"""One command at a time per room: decide, store, evolve, tell.

The host keeps in memory the rooms that somebody looks at, and all others can be had again from the journal at
any time. Commands run in the host's own tasks, never in a connection's: a client that goes away in the middle of
a write changes nothing.

In a cluster any node may decide, and the journal says who was first. What another node has written is learnt from
the bus where it can be, and from the journal in any case: by asking once a second, and before anything is refused.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from noughts.bus import Appended, Bus, Hint
from noughts.host.heartbeat import Heartbeat
from noughts.host.live_room import LiveRoom, QueuedCommand
from noughts.host.rematches import Rematches
from noughts.host.retry import GIVE_UP_S, Retry
from noughts.host.seating import seated
from noughts.host.values import Done, Failed, Listener, Reply, RoomUpdate
from noughts.journal import Append, Journal, JournalError, StoredPlayer, StoredRating
from noughts.projection import result_of
from noughts.protocol import UnknownRecord, from_record, to_record
from noughts.rooms import (
    Command,
    Ended,
    Event,
    Expire,
    Join,
    NoChange,
    Open,
    Opened,
    Pause,
    Played,
    Refused,
    Rematched,
    Room,
    decide,
    evolve,
)

log = logging.getLogger(__name__)

T = TypeVar("T")

LOOK_AGAIN_S = 1.0
"""How soon a room is looked at again in which a write may have arrived after all."""

SOONEST_S = 0.05
"""The least wait until a room is looked at for what is due."""

END_AGAIN_S = 0.2
"""How long an end that could not be stored waits until it is decided anew."""

NO_ROOM = "There is no room of that id."

_ROOM_ID = re.compile("[A-Za-z0-9_-]{1,64}")  # the bus follows rooms by their names, which must not be patterns there


def _ignore(_: Done | Refused | Failed) -> None:
    """The reply to a command that nobody waits for."""


class Host:
    """Runs rooms over a journal that other nodes may write to as well; ``bus`` leads to those.

    ``listeners`` hear of everything that happens in the rooms in memory, ``on_loaded`` of each room that was loaded
    from the journal; in order and within the loop, so they must not block.
    ``watched`` says whether somebody looks at a room, which is then kept in memory. ``lost`` is told of a room that the
    journal does not hold any more as it was told: whoever looks at it must look anew. ``unreadable`` are rooms that a
    newer server has written. ``retry`` asks the journal, and again where it does not answer.
    """

    def __init__(self, journal: Journal, bus: Bus) -> None:
        self.journal = journal
        self.bus = bus
        self.listeners: list[Listener] = []
        self.on_loaded: list[Callable[[Room], None]] = []
        self.watched: Callable[[str], bool] = lambda _: False
        self.lost: Callable[[str], None] = lambda _: None
        self.retry = Retry(journal)
        self._rematches = Rematches(journal, self.retry, self.ratings)
        self.heartbeat = Heartbeat(journal, self.retry)
        self.heartbeat.found = self._look_at_clocks
        self._closing = False
        self._rooms: dict[str, LiveRoom] = {}
        self.unreadable: set[str] = set()
        bus.listeners.append(self.hear)

    def __len__(self) -> int:
        """How many rooms are in memory."""
        return len(self._rooms)

    @property
    def answering(self) -> bool:
        """Whether the journal answered when it was last asked."""
        return self.retry.answering

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
            if not _ROOM_ID.fullmatch(room_id):
                reply(Failed("unknown_room", NO_ROOM))
                return
            live = self._rooms[room_id] = LiveRoom(room_id)
            if command is None or isinstance(command, Open | Join):
                self.bus.follow(room_id)  # before it is read, lest something falls in between
        current = live.task is None and not live.stale and not self.journal.shared
        if command is None and live.room is not None and current:
            reply(Done(live.room.version, live.room, live.history))  # nothing waits, so this need not either
            return
        live.items.append(QueuedCommand(command, reply, players))
        if live.task is None:
            live.task = asyncio.create_task(self._run(live))

    def after(self, room_id: str, do: Callable[[], None]) -> None:
        """Call ``do`` after the commands that wait for the room already."""
        live = self._rooms.get(room_id)
        if live is None or live.task is None:
            do()
        else:
            live.items.append(QueuedCommand(None, lambda _: do(), ()))

    def look(self, room_id: str) -> None:
        """Load a room for the sake of ``on_loaded``, or see whether it has gone on."""
        self.submit(room_id, None)

    def room(self, room_id: str) -> Room | None:
        """The room as it is now, if it is in memory: so it is while somebody looks at it."""
        live = self._rooms.get(room_id)
        return None if live is None else live.room

    def in_memory(self) -> list[str]:
        """The rooms in memory."""
        return [live.id for live in self._rooms.values() if live.room is not None]

    def behind(self, room_id: str, version: int) -> bool:
        """Whether a room in memory, with which nothing is being done, has not come to ``version``."""
        live = self._rooms.get(room_id)
        return live is not None and live.task is None and live.version < version

    def release(self, room_id: str) -> None:
        """Forget a room that nobody looks at any more; it can be loaded again."""
        live = self._rooms.get(room_id)
        if live is not None and live.task is None and not self.watched(room_id):
            self._forget(room_id)

    def opened(self, event: Opened) -> Done:
        """Take a room that was opened otherwise than by a command, and has just been stored; tell of it.

        Have somebody look at it then, or release it.
        """
        live = self._rooms[event.room] = LiveRoom(event.room)
        self.bus.follow(live.id)
        happening = live.take(event, evolve(None, event), ours=True)
        self._set_alarm(live)
        self.tell(happening)
        return Done(1, happening.room, live.history)

    def hear(self, message: Hint) -> None:
        """Take what another node tells of a room in memory."""
        live = self._rooms.get(message.room) if isinstance(message, Appended) else None
        if live is None or not isinstance(message, Appended) or message.version <= max(live.version, live.heard):
            return
        if live.room is not None and message.version == live.version + 1 and live.task is None and not live.stale:
            try:
                event = from_record(message.record)
            except UnknownRecord:
                event = None  # reading the journal will say so
            if event is not None and not isinstance(event, Rematched):
                self.tell(live.take(event, evolve(live.room, event)))
                return
        live.heard = message.version
        if live.task is None:  # else it catches up at its end
            self.look(live.id)

    async def close(self) -> None:
        """Wait for the commands under way; call it after the last ``submit``."""
        self._closing = True
        for live in self._rooms.values():
            self._set_alarm(live)
        while tasks := [live.task for live in self._rooms.values() if live.task is not None]:
            await asyncio.wait(tasks)

    async def _run(self, live: LiveRoom) -> None:
        while live.items or (live.heard > live.version > 0 and not live.stale):
            item = live.items.popleft() if live.items else QueuedCommand(None, _ignore, ())
            result: Done | Refused | Failed
            try:
                result = await self._serve(live, item)
            except (Refused, Failed) as refusal:
                result = refusal
            except JournalError:
                result = Failed("overloaded", "The journal does not answer; what became of this is unknown.")
            except UnknownRecord as error:
                if live.id not in self.unreadable:
                    log.warning("room %s cannot be run here: %s", live.id, error)
                self.unreadable.add(live.id)
                result = Failed("internal", f"This room cannot be run here: {error}.")
            except Exception:
                log.exception("room %s: a command failed", live.id)
                result = Failed("internal", "The server made a mistake; it was noted.")
            answered = [item]
            if isinstance(result, Failed) and result.code != "unknown_room":
                live.heard = 0  # it cannot be had now; the next poll finds what is missing
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
            self._forget(live.id)
        else:
            self.bus.follow(live.id)
            self._set_alarm(live)

    def _set_alarm(self, live: LiveRoom) -> None:
        """Have a clock that runs out be noticed at once where the room is in memory; elsewhere the sweep finds it."""
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None
        room = live.room
        if room is None or room.clocks is None or room.due_at is None or self._closing:
            return
        wait_s = max(SOONEST_S, (room.due_at - self.journal.now()) / 1000)
        live.alarm = asyncio.get_running_loop().call_later(wait_s, self.submit, live.id, Expire())

    def _look_at_clocks(self) -> None:
        """There was an outage: tell those who look at a game under way what it means for the clocks."""
        for live in list(self._rooms.values()):
            if live.room is not None and live.room.waits_for_somebody and live.task is None:
                self.submit(live.id, Pause(()))

    def _forget(self, room_id: str) -> None:
        live = self._rooms.pop(room_id)
        if live.alarm is not None:
            live.alarm.cancel()
        self.bus.unfollow(room_id)

    def _doubt(self, live: LiveRoom) -> None:
        """A write may have arrived after all: look again soon, and tell what it was."""
        live.stale = True
        if not live.looking:
            live.looking = True
            asyncio.get_running_loop().call_later(LOOK_AGAIN_S, self._look_again, live)

    def _look_again(self, live: LiveRoom) -> None:
        live.looking = False
        if self._rooms.get(live.id) is live:
            self.look(live.id)

    async def _serve(self, live: LiveRoom, item: QueuedCommand) -> Done:
        shared = self.journal.shared
        fresh = False
        if live.room is None:
            if not isinstance(item.command, Open):
                await self._load(live)
                fresh = True
        elif live.stale or live.heard > live.version or (shared and item.command is None):
            await self._catch_up(live)
            fresh = True
        live.stale = False
        command = await seated(item.command, live.room, self.ratings)
        give_up_at = asyncio.get_running_loop().time() + GIVE_UP_S
        while True:
            await self._make_up(live)
            if live.room is not None and (command is None or isinstance(command, Open)):
                return Done(live.room.version, live.room, live.history)
            assert command is not None
            try:
                decision = decide(live.room, command, self.journal.now())
            except Refused:
                # By what this node knows; another may have made it right meanwhile. And where the journal was away when
                # it was asked, that time is charged to nobody.
                if fresh or not shared:
                    raise
                await self._catch_up(live)
                fresh = True
                continue
            if isinstance(decision, NoChange):
                assert live.room is not None
                return Done(decision.version, live.room, live.history)
            version = live.version + 1
            if await self._store(live, decision, item.players):
                assert live.room is not None
                return Done(version, live.room, live.history)
            if isinstance(decision, Ended) and asyncio.get_running_loop().time() > give_up_at:
                raise JournalError("the end could not be stored")

    async def _make_up(self, live: LiveRoom) -> None:
        """Before anything is decided, charge nobody with the time in which no server could take a move."""
        while live.room is not None and live.room.waits_for_somebody:
            outages = await self.heartbeat.outages_since(live.room.at)
            decision = decide(live.room, Pause(outages), self.journal.now())
            if isinstance(decision, NoChange) or await self._store(live, decision, ()):
                return

    async def _store(self, live: LiveRoom, event: Event, players: tuple[StoredPlayer, ...]) -> bool:
        """Write ``event`` as the room's next version, then evolve and tell.

        False when another was written in its place, or nobody knows what has become of an end that may be one by time;
        then the room has caught up, and one must decide again.
        """
        room = evolve(live.room, event)
        record = to_record(event)
        write = Append(live.id, room.version, record, live.index(room), players, result_of(room, live.room))
        stored = await self._end(write) if isinstance(event, Ended) else await self.retry.append(write)
        if stored:
            await self._take(live, event, room, ours=True)
        else:
            # Another was faster, or our own earlier attempt had arrived after all.
            records = await self._catch_up(live)
            if not records and stored is None:
                return False
            if not records:
                log.error("room %s: the journal has lost what it had confirmed", live.id)
                live.room = None
                live.history.clear()
                self.lost(live.id)
                raise JournalError("the room is behind what it was")
            if records[0] != record:
                return False
        if isinstance(event, Played) and event.note is not None:
            record = to_record(replace(event, note=None))  # the journal keeps it to itself while the game goes on
        self.bus.send(Appended(live.id, room.version, record))
        return True

    async def _end(self, write: Append) -> bool | None:
        """Append the end of a game, in one attempt; None when its outcome is unknown, and the journal answers again.

        In the time in which the journal was away nobody could move or come back, so what was due then may not be now.
        """
        try:
            return await self.retry.once(self.journal.append(write))
        except JournalError:
            await asyncio.sleep(END_AGAIN_S)
            await self.heartbeat.leave_sign()
            return None

    async def _catch_up(self, live: LiveRoom) -> list[bytes]:
        """Take and tell what the journal holds beyond the room in memory; those records."""
        heard = live.heard
        records = await self.retry.read(live.id, live.version)
        for record in records:
            event = from_record(record)
            await self._take(live, event, evolve(live.room, event))
        if live.heard == heard:  # no more was told of since
            live.heard = 0
        return records

    async def _take(self, live: LiveRoom, event: Event, room: Room, *, ours: bool = False) -> None:
        """Go on to ``room``, the room after ``event``, which is stored, and tell it.

        Nobody hears of a rematch before its room is there.
        """
        opened = await self._rematches.open(room) if isinstance(event, Rematched) else None
        self.tell(live.take(event, room, ours=ours))
        if opened is not None:
            self.tell(opened)

    async def _load(self, live: LiveRoom) -> None:
        for record in await self.retry.read(live.id):
            event = from_record(record)
            live.take(event, evolve(live.room, event))
        if live.room is None:
            raise Failed("unknown_room", NO_ROOM)
        if await self._rematches.lacking(live.room):
            await self._rematches.open(live.room)  # whoever wrote that it is to be has died before it was
        self._call(self.on_loaded, live.room, live.id)

    async def ratings(self, players: Sequence[str]) -> list[StoredRating]:
        """All ratings of these players, by id. Raises JournalError."""
        return await self.retry.call(lambda: self.journal.results.ratings(players))

    def tell(self, happening: RoomUpdate) -> None:
        """Tell the listeners of what has happened in a room, and is stored."""
        self._call(self.listeners, happening, happening.room.id)

    def _call(self, listeners: Iterable[Callable[[T], None]], what: T, room_id: str) -> None:
        for hearer in listeners:
            try:
                hearer(what)
            except Exception:
                log.exception("room %s: a listener failed", room_id)
