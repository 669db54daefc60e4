"""One command at a time per room: decide, store, evolve, publish.

The host keeps watched rooms in memory and loads any other room from the journal when it is needed. Commands run in
the host's own tasks, never in a connection's, so a client that disconnects during a write changes nothing.

In a cluster every node may decide, and the journal accepts one event per version. A node learns of the others' events
from the bus, and in any case from the journal: once a second, and before it refuses a command.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar, get_args

from noughts.bus import Appended, Bus, Hint
from noughts.host.heartbeat import Heartbeat
from noughts.host.live_room import Done, Failed, LiveRoom, QueuedCommand, Reply, RoomUpdate
from noughts.host.rematches import open_rematch, rematch_missing
from noughts.host.retry import Retry
from noughts.host.seating import join_with_rating, with_ratings
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
from noughts.timing import Timing

log = logging.getLogger(__name__)

T = TypeVar("T")
Listener = Callable[[RoomUpdate], None]

NO_ROOM = "There is no room with that id."

_ROOM_ID = re.compile("[A-Za-z0-9_-]{1,64}")  # the bus makes topics of ids, so they must not contain wildcards


class GameOver:
    """Stands for every event that ends a game; see :meth:`Host.listen`."""


def _ignore(_: Done | Refused | Failed) -> None:
    """The reply to a command whose result nobody needs."""


class Host:
    """Runs rooms over a journal that other nodes may write to as well; ``bus`` reaches those nodes.

    ``on_loaded`` are called with each room that was loaded from the journal, as listeners are with updates: in order,
    within the event loop, so they must not block. ``watched`` says whether a room has watchers,
    and so stays in memory. ``lost`` is called with a room whose stored events disappeared from the journal: its
    watchers need a new snapshot. ``unreadable`` are rooms written by a newer server.
    """

    def __init__(self, journal: Journal, bus: Bus, timing: Timing = Timing()) -> None:
        self.journal = journal
        self.bus = bus
        self.timing = timing
        self._listeners: dict[type, list[Listener]] = {event: [] for event in (*get_args(Event), GameOver)}
        self.on_loaded: list[Callable[[Room], None]] = []
        self.watched: Callable[[str], bool] = lambda _: False
        self.lost: Callable[[str], None] = lambda _: None
        self.unreadable: set[str] = set()
        self.retry = Retry(journal, timing)
        self.heartbeat = Heartbeat(journal, self.retry, self._pause_games, timing)
        self._rooms: dict[str, LiveRoom] = {}
        self._closing = False

    def __len__(self) -> int:
        """How many rooms are in memory."""
        return len(self._rooms)

    @property
    def answering(self) -> bool:
        """Whether the journal answered the last call."""
        return self.retry.answering

    def listen(self, listener: Listener, *events: type) -> None:
        """Call ``listener`` with the updates of rooms in memory: those with these events, or all if none are named.

        :class:`GameOver` stands for every event that ends a game. Listeners are called in the order of their addition.
        """
        for event in events or get_args(Event):
            self._listeners[event].append(listener)

    def submit(
        self,
        room_id: str,
        command: Command | None,
        reply: Reply = _ignore,
        players: tuple[StoredPlayer, ...] = (),
    ) -> None:
        """Queue ``command`` for the room; None only brings the room up to date.

        ``reply`` is called once, within the event loop and after the listeners; for a room that is up to date and
        None, before this returns. ``players`` are stored together with the event. ``Open`` with the id of an existing
        room returns that room.
        """
        live = self._rooms.get(room_id)
        if live is None:
            if not _ROOM_ID.fullmatch(room_id):
                reply(Failed("unknown_room", NO_ROOM))
                return
            live = self._rooms[room_id] = LiveRoom(room_id)
            if command is None or isinstance(command, Open | Join):
                self._follow(live)  # before it is read, so that no event is missed in between
        idle = live.task is None and not live.uncertain
        if command is None and live.room is not None and idle and not self.journal.shared:
            reply(Done(live.room.version, live.room, live.history))
            return
        live.queue.append(QueuedCommand(command, reply, players))
        if live.task is None:
            live.task = asyncio.create_task(self._run(live))

    async def _run(self, live: LiveRoom) -> None:
        """Carry out the commands of a room until none is left."""
        while live.queue or (live.announced and live.announced > live.version > 0 and not live.uncertain):
            item = live.queue.popleft() if live.queue else QueuedCommand(None, _ignore)
            answered = [item]
            result: Done | Refused | Failed
            try:
                result = await self._execute(live, item)
            except Refused as refusal:
                result = refusal
            except Exception as error:
                result = self._failure(live, error)
                if result.code == "overloaded":  # the commands behind it would wait as long, one after the other
                    answered += live.queue
                    live.queue.clear()
            for each in answered:
                try:
                    each.reply(result)
                except Exception:
                    log.exception("room %s: a reply failed", live.id)
        live.task = None
        if live.room is None or not self.watched(live.id):
            self._forget(live)
            return
        if not live.followed:
            self._follow(live)
        if live.room.clocks is not None:
            self._set_alarm(live)

    async def _execute(self, live: LiveRoom, item: QueuedCommand) -> Done:
        """Carry out one command. Raises Refused, Failed, JournalError and UnknownRecord."""
        command, shared, fresh = item.command, self.journal.shared, False
        if live.room is None:
            if not isinstance(command, Open):
                await self._load(live)
                fresh = True
        elif live.uncertain or live.announced > live.room.version or (shared and command is None):
            await self._catch_up(live)
            fresh = True
        live.uncertain = False
        if isinstance(command, Open) and live.room is None:
            command = await with_ratings(command, self._ratings)
        elif isinstance(command, Join) and live.room is not None:
            command = await join_with_rating(command, live.room, self._ratings)
        give_up_at = asyncio.get_running_loop().time() + self.timing.journal_give_up_s
        while True:
            if live.room is not None and (live.room.clocks is not None or live.room.away):
                await self._pause_for_outages(live)
            if live.room is not None and (command is None or isinstance(command, Open)):
                return Done(live.room.version, live.room, live.history)
            assert command is not None
            try:
                event = decide(live.room, command, self.journal.now())
            except Refused:
                # Another node may have stored an event that makes the command right. And if the journal was away when
                # it was read, the pause for that outage may do so.
                if fresh or not shared:
                    raise
                await self._catch_up(live)
                fresh = True
                continue
            if isinstance(event, NoChange):
                assert live.room is not None
                return Done(event.version, live.room, live.history)
            version = 1 if live.room is None else live.room.version + 1
            if await self._store(live, event, item.players):
                assert live.room is not None
                return Done(version, live.room, live.history)
            if isinstance(event, Ended) and asyncio.get_running_loop().time() > give_up_at:
                raise JournalError("the end could not be stored")

    async def _store(self, live: LiveRoom, event: Event, players: tuple[StoredPlayer, ...] = ()) -> bool:
        """Append ``event`` as the room's next version, and publish it.

        False when another event was stored at that version, or when nobody knows whether the end of a game was stored;
        the room has caught up then, and the command must be decided again.
        """
        room = evolve(live.room, event)
        record = to_record(event)
        result = None if room.outcome is None else result_of(room, live.room)
        write = Append(live.id, room.version, record, live.index_row(room), players, result)
        stored = await (self._append_end(write) if isinstance(event, Ended) else self.retry.append(write))
        if stored:
            await self._advance(live, event, room, ours=True)
        else:
            # Another node was faster, or our own earlier attempt arrived after all.
            records = await self._catch_up(live)
            if not records and stored is None:
                return False
            if not records:
                log.error("room %s: the journal has lost events that it had confirmed", live.id)
                live.room = None
                live.history.clear()
                self.lost(live.id)
                raise JournalError("the journal has lost events of the room")
            if records[0] != record:
                return False
        if self.journal.shared:
            if isinstance(event, Played) and event.note is not None:
                record = to_record(replace(event, note=None))  # secret until the game is over
            self.bus.send(Appended(live.id, room.version, record))
        return True

    async def _append_end(self, write: Append) -> bool | None:
        """Append the end of a game, in one attempt; None when its outcome is unknown and the journal answers again.

        While the journal was away nobody could move or come back, so the game may not be over after all.
        """
        try:
            return await self.retry.once(self.journal.append(write))
        except JournalError:
            await asyncio.sleep(self.timing.end_retry_s)
            await self.heartbeat.beat_soon()
            return None

    async def _advance(self, live: LiveRoom, event: Event, room: Room, *, ours: bool = False) -> None:
        """Go on to ``room``, the room after the stored ``event``, and publish it.

        A rematch is announced only once its room exists.
        """
        opening: RoomUpdate | None = None
        if isinstance(event, Rematched):
            opening = await open_rematch(room, self.journal, self.retry, self._ratings)
        self.publish(live.advance(event, room, ours=ours))
        if opening is not None:
            self.publish(opening)

    def publish(self, update: RoomUpdate) -> None:
        """Pass a stored event on to the listeners."""
        listeners = self._listeners[type(update.event)]
        if isinstance(update.event, Played | Ended) and update.room.outcome is not None:
            listeners = listeners + self._listeners[GameOver]
        for listener in listeners:
            try:
                listener(update)
            except Exception:
                log.exception("room %s: a listener failed", update.room.id)

    async def _load(self, live: LiveRoom) -> None:
        """Load a room from the journal. Raises Failed for an unknown one."""
        for record in await self.retry.read(live.id):
            event = from_record(record)
            live.advance(event, evolve(live.room, event))
        if live.room is None:
            raise Failed("unknown_room", NO_ROOM)
        if await rematch_missing(live.room, self.journal, self.retry):
            await open_rematch(live.room, self.journal, self.retry, self._ratings)
        for listener in self.on_loaded:
            try:
                listener(live.room)
            except Exception:
                log.exception("room %s: a listener failed", live.id)

    async def _catch_up(self, live: LiveRoom) -> list[bytes]:
        """Read and publish the events after the version in memory; their records."""
        announced = live.announced
        records = await self.retry.read(live.id, live.version)
        for record in records:
            event = from_record(record)
            await self._advance(live, event, evolve(live.room, event))
        if live.announced == announced:  # no newer one was announced during the read
            live.announced = 0
        return records

    async def _pause_for_outages(self, live: LiveRoom) -> None:
        """Store a pause for the time in which no server was up, so that neither clock runs in it."""
        while live.room is not None and live.room.waits_for_somebody:
            outages = await self.heartbeat.outages_since(live.room.at)
            event = decide(live.room, Pause(outages), self.journal.now())
            if isinstance(event, NoChange) or await self._store(live, event):
                return

    def _failure(self, live: LiveRoom, error: Exception) -> Failed:
        """The reply to a command that ended with ``error``."""
        match error:
            case Failed():
                failed = error
            case JournalError():
                failed = Failed("overloaded", "The journal is not responding; the outcome is unknown.")
                live.uncertain = True
                if not live.rechecking:
                    live.rechecking = True
                    asyncio.get_running_loop().call_later(self.timing.room_recheck_s, self._recheck, live)
            case UnknownRecord():
                if live.id not in self.unreadable:
                    log.warning("room %s cannot run here: %s", live.id, error)
                self.unreadable.add(live.id)
                failed = Failed("internal", f"This room cannot run here: {error}.")
            case _:
                log.error("room %s: a command failed", live.id, exc_info=error)
                failed = Failed("internal", "The server made a mistake; it was logged.")
        if failed.code != "unknown_room":
            live.announced = 0  # or it would be read again at once; the next poll finds what is missing
        return failed

    def _recheck(self, live: LiveRoom) -> None:
        """Read a room whose last write may have been stored after all."""
        live.rechecking = False
        if self._rooms.get(live.id) is live:
            self.refresh(live.id)

    def _set_alarm(self, live: LiveRoom) -> None:
        """Check the clocks of a room in memory when time runs out; the sweeper does so for all others."""
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None
        room = live.room
        if room is None or room.clocks is None or room.due_at is None or self._closing:
            return
        wait_s = max(self.timing.alarm_min_s, (room.due_at - self.journal.now()) / 1000)
        live.alarm = asyncio.get_running_loop().call_later(wait_s, self.submit, live.id, Expire())

    def _pause_games(self) -> None:
        """There was an outage: pause the games that somebody watches now."""
        for live in list(self._rooms.values()):
            if live.room is not None and live.room.waits_for_somebody and live.task is None:
                self.submit(live.id, Pause(()))

    def _follow(self, live: LiveRoom) -> None:
        live.followed = True
        self.bus.follow(live.id)

    def _forget(self, live: LiveRoom) -> None:
        del self._rooms[live.id]
        if live.alarm is not None:
            live.alarm.cancel()
        self.bus.unfollow(live.id)

    async def _ratings(self, players: Sequence[str]) -> list[StoredRating]:
        return await self.retry.call(lambda: self.journal.results.ratings(players))

    def after(self, room_id: str, do: Callable[[], None]) -> None:
        """Call ``do`` after the commands queued for the room so far; at once where there is none."""
        live = self._rooms.get(room_id)
        if live is None or live.task is None:
            do()
        else:
            live.queue.append(QueuedCommand(None, lambda _: do()))

    def refresh(self, room_id: str) -> None:
        """Bring a room up to date; load it if it is not in memory."""
        self.submit(room_id, None)

    def room(self, room_id: str) -> Room | None:
        """The room as it is now, if it is in memory. Watched rooms are."""
        live = self._rooms.get(room_id)
        return None if live is None else live.room

    def in_memory(self) -> list[str]:
        """The ids of the rooms in memory."""
        return [live.id for live in self._rooms.values() if live.room is not None]

    def behind(self, room_id: str, version: int) -> bool:
        """Whether an idle room in memory has not reached ``version``."""
        live = self._rooms.get(room_id)
        return live is not None and live.task is None and live.version < version

    def release(self, room_id: str) -> None:
        """Remove a room that nobody watches from memory."""
        live = self._rooms.get(room_id)
        if live is not None and live.task is None and not self.watched(room_id):
            self._forget(live)

    def adopt(self, event: Opened) -> Done:
        """Take in and publish a room that was stored without a command, as by matchmaking.

        Add a watcher afterwards, or release it.
        """
        live = self._rooms[event.room] = LiveRoom(event.room)
        self._follow(live)
        update = live.advance(event, evolve(None, event), ours=True)
        self._set_alarm(live)
        self.publish(update)
        return Done(1, update.room, live.history)

    def on_hint(self, hint: Hint) -> None:
        """Another node stored an event."""
        if not isinstance(hint, Appended):
            return
        live = self._rooms.get(hint.room)
        if live is None or hint.version <= max(live.version, live.announced):
            return
        if live.room is not None and hint.version == live.version + 1 and live.task is None and not live.uncertain:
            try:
                event = from_record(hint.record)
            except UnknownRecord:
                event = None  # reading the journal will say so
            if event is not None and not isinstance(event, Rematched):
                self.publish(live.advance(event, evolve(live.room, event)))
                return
        live.announced = hint.version
        if live.task is None:  # otherwise the task catches up before it ends
            self.refresh(live.id)

    async def close(self) -> None:
        """Wait until all commands are carried out; call it after the last ``submit``."""
        self._closing = True
        for live in self._rooms.values():
            self._set_alarm(live)
        while tasks := [live.task for live in self._rooms.values() if live.task is not None]:
            await asyncio.wait(tasks)
