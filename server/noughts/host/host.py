"""One command at a time per room: decide, store, publish.

The host keeps watched rooms in memory and loads any other room from the journal when it is needed. A command is decided
in the call that brings it, unless something must be read first, and the journal calls back when its event is stored. No
task of a connection waits for that, so a client that disconnects during a write changes nothing.

In a cluster every node may decide, and the journal accepts one event per version. A node learns of the others' events
from the bus, and in any case from the journal: once a second, and before it refuses a command.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Collection, Container
from dataclasses import replace
from functools import partial
from time import perf_counter

from noughts.bus import Appended, Bus, Hint
from noughts.host.computer_time import is_up, searched_until, unless_unsearched
from noughts.host.heartbeat import Heartbeat
from noughts.host.live_room import Done, Failed, Listeners, LiveRoom, QueuedCommand, Reply, RoomUpdate
from noughts.host.pulse import Pulse
from noughts.host.rated_pairs import RatedPairs
from noughts.host.reading import NO_ROOM, Reading
from noughts.host.retry import Retry
from noughts.host.seating import join_with_rating, registered_players, with_ratings
from noughts.host.seen_time import outlasts_outages
from noughts.journal import Append, Journal, JournalError, StoredPlayer
from noughts.monitor import Monitor
from noughts.players.ids import log_name
from noughts.players.names import DELETED_NAME
from noughts.projection import called, index_row, result_of
from noughts.protocol.records import UnknownRecord, fields_json, from_record, to_record
from noughts.protocol.render import Pieces
from noughts.rooms import (
    Command,
    Ended,
    Expire,
    Join,
    NoChange,
    Open,
    Pause,
    Play,
    Played,
    Refused,
    Rematched,
    Room,
    decide,
    evolve,
    rematch_of,
)
from noughts.timing import Timing

log = logging.getLogger(__name__)

_ROOM_ID = re.compile("[A-Za-z0-9_-]{1,64}")  # the bus makes topics of ids, so they must not contain wildcards

SLICE_S = 0.001
"""The time for which the commands that wait for one room may keep the event loop in one turn."""


def _ignore(_: Done | Refused | Failed) -> None:
    """The reply to a command whose result nobody needs."""


def _opened(item: QueuedCommand, room: Room) -> RoomUpdate:
    """The opening of the rematch's room, which ``item`` has agreed in ``room``."""
    opening = with_ratings(rematch_of(room, room.at, item.unrated_because), item.ratings)
    return RoomUpdate(opening, evolve(None, opening), ours=True)


def _write_of(opened: RoomUpdate, opener: bytes) -> Append:
    row, calls = index_row(opened.room, opener=opener), called(opened.event, opened.room)
    return Append(opened.room.id, 1, to_record(opened.event), row, calls=calls)


def without_names(room: Room, players: Collection[str]) -> Room:
    """``room`` without the names of players with these ids; the same if it has none of them."""
    first, second = (
        replace(seat, name=DELETED_NAME)
        if seat is not None and seat.id in players and seat.name != DELETED_NAME
        else seat
        for seat in (room.first, room.second)
    )
    return room if first is room.first and second is room.second else replace(room, first=first, second=second)


def _public_record(item: QueuedCommand) -> bytes:
    """The record that other nodes are sent: without a bot's note, which is secret until the game is over."""
    event = item.update.event
    if isinstance(event, Played) and event.note is not None:
        return to_record(replace(event, note=None))
    return item.write.record


class Host:
    """Runs rooms over a journal that other nodes may write to as well; ``bus`` reaches those nodes.

    ``listen``, ``publish`` and ``on_loaded`` are those of :class:`~noughts.host.live_room.Listeners`. ``watched`` says
    whether a room has watchers, and so stays in memory. ``lost`` is called with a room whose stored events disappeared
    from the journal: its watchers need a new snapshot. ``at_hand`` are the rooms that are in memory or being read.
    ``unreadable`` are rooms written by a newer server. All parts count with ``monitor``.
    """

    def __init__(self, journal: Journal, bus: Bus, timing: Timing = Timing()) -> None:
        self.journal = journal
        self.bus = bus
        self.timing = timing
        self.monitor = Monitor()
        self._listeners = Listeners(self.log_name)
        self.listen = self._listeners.listen
        self.publish = self._listeners.publish
        self.on_loaded = self._listeners.on_loaded
        self.watched: Callable[[str], bool] = lambda _: False
        self.lost: Callable[[str], None] = lambda _: None
        self.unreadable: set[str] = set()
        self.retry = Retry(journal, timing)
        self.rated_pairs = RatedPairs(journal, self.retry, self.monitor)
        self._reading = Reading(journal, self.retry, self._listeners)
        self.pulse = Pulse(journal.now)
        self.heartbeat = Heartbeat(journal, self.retry, self._pause_games, timing, lambda: self.pulse.busy_ms)
        self.retry.overdue = lambda: self.heartbeat.overdue
        self._rooms: dict[str, LiveRoom] = {}
        self._backlogs: deque[LiveRoom] = deque()
        self.at_hand: Container[str] = self._rooms
        self._timed: QueuedCommand | None = None
        self._timed_at = 0.0
        self._closing = False
        self._idle = asyncio.Event()

    def __len__(self) -> int:
        """The number of rooms in memory."""
        return len(self._rooms)

    def log_name(self, room_id: str) -> str:
        """The log's name for a room; see :func:`~noughts.players.ids.log_name`."""
        return log_name(self.journal.secret, room_id)

    @property
    def answering(self) -> bool:
        """True if the journal answered the last call, and stores heartbeats."""
        return self.retry.answering

    def submit(
        self,
        room_id: str,
        command: Command | None,
        reply: Reply = _ignore,
        players: tuple[StoredPlayer, ...] = (),
        opener: bytes = b"",
        *,
        origin: bytes = b"",
        asker: str = "",
        now: int | None = None,
    ) -> None:
        """Queue ``command`` for the room; None only brings the room up to date.

        ``reply`` is called once, within the event loop and after the listeners; before this returns where the journal
        has nothing to say or to store. ``players`` are stored together with the event. ``Open`` with the id of an
        existing room returns that room. ``opener`` is a keyed hash of the address from which a room is opened,
        ``origin`` the sender's, if it may decide whether a game is rated: see :class:`~noughts.journal.pairs.Pairs`.
        Rooms that must be read are replayed for each ``asker`` in rotation, such as an address; empty for the server.
        ``now`` is the journal's time, if the caller has just asked for it.
        """
        live = self._rooms.get(room_id)
        if live is None:
            if not _ROOM_ID.fullmatch(room_id):
                reply(Failed("unknown_room", NO_ROOM))
                return
            live = self._rooms[room_id] = LiveRoom(room_id)
            if command is None or isinstance(command, Open | Join):
                self._follow(live)  # before it is read, so that no event is missed in between
        item = QueuedCommand(command, reply, players, opener)
        if origin or asker:
            item.origin, item.asker = origin, asker
        if live.busy:
            live.queue.append(item)
            return
        self._decide(live, item, now)
        if not live.busy:
            self._proceed(live)

    def _proceed(self, live: LiveRoom) -> None:
        """Carry out the commands of a room until one has to wait for the journal, or too many have waited."""
        began = 0.0
        while not live.busy:
            if live.queue:
                if began and perf_counter() - began > SLICE_S:
                    self._go_on_later(live)
                    return
                item = live.queue.popleft()
                if live.queue:
                    began = began or perf_counter()
            elif live.announced and live.announced > live.version > 0 and not live.uncertain:
                item = QueuedCommand(None, _ignore)
            else:
                self._rest(live)
                return
            self._decide(live, item)

    def _go_on_later(self, live: LiveRoom) -> None:
        """Leave the room busy until it is its turn again: one room with many commands goes on in a turn of the loop."""
        live.busy = True
        if not self._backlogs:
            asyncio.get_running_loop().call_soon(self._go_on)
        self._backlogs.append(live)

    def _go_on(self) -> None:
        live = self._backlogs.popleft()
        if self._backlogs:
            asyncio.get_running_loop().call_soon(self._go_on)
        self._end(live)
        self._proceed(live)

    def _rest(self, live: LiveRoom) -> None:
        """No command is left."""
        if live.room is None or not self.watched(live.id):
            self._forget(live)
            return
        if not live.followed:
            self._follow(live)
        if live.room.clocks is not None:
            self._set_alarm(live)

    def _must_ask(self, live: LiveRoom, item: QueuedCommand) -> bool:
        """True if the journal must be asked for anything before the command can be decided."""
        room, command = live.room, item.command
        if room is None:
            return not isinstance(command, Open) or bool(registered_players(None, command))
        if live.uncertain or live.announced > room.version or (command is None and self.journal.shared):
            return True
        if isinstance(command, Expire) and outlasts_outages(room, self.journal.now()):
            return True
        if room.clocks is None and not room.away:
            return False
        if room.waits_for_somebody and self.heartbeat.may_have_stopped(room):
            return True
        if isinstance(command, Expire):
            return is_up(room, self.journal.now())
        return command is not None and bool(registered_players(room, command))

    async def searched_until(self, room: Room) -> int:
        """Until when a node searches or searched for the computer's move, or a wait for that is stored; 0 for never.

        In ms since the epoch. Raises JournalError.
        """
        turn_began, live = room.plies[-1].version if room.plies else 1, self._rooms.get(room.id)
        leased_until = await self.retry.call(lambda: self.journal.leased_until(room.id, turn_began))
        return searched_until(leased_until, () if live is None else reversed(live.history))

    async def _ask(self, live: LiveRoom, item: QueuedCommand) -> None:
        """Learn from the journal what the command needs, decide it, and go on with the next."""
        await self._ask_and_decide(live, item)
        self._proceed(live)

    async def _ask_and_decide(self, live: LiveRoom, item: QueuedCommand) -> None:
        """Learn from the journal what the command needs, and decide it."""
        try:
            if live.room is None:
                if not isinstance(item.command, Open):
                    await self._reading.load(live, item.asker)
                    item.fresh = True
            elif live.uncertain or live.announced > live.room.version or (self.journal.shared and item.command is None):
                await self._reading.catch_up(live)
                item.fresh = True
            live.uncertain = False
            if item.command is not None and (players := registered_players(live.room, item.command)):
                item.ratings = await self.retry.call(lambda: self.journal.results.ratings(players))
                item.unrated_because = await self.rated_pairs.judge(live.room, item.command, item.origin)
            if live.room is not None and isinstance(item.command, Expire):
                item.missed_ms = await self.heartbeat.missed_ms(live.room)
            if live.room is not None and live.room.waits_for_somebody:
                # Neither clock runs while no server is up. The pause is stored first, then the command comes again.
                if outages := await self.heartbeat.outages_of(live.room):
                    live.queue.appendleft(item)
                    item = QueuedCommand(Pause(outages), partial(self._paused, live, item))
                elif isinstance(item.command, Expire) and is_up(live.room, self.journal.now()):
                    now, until = self.journal.now(), await self.searched_until(live.room)
                    item.command = unless_unsearched(live.room, now, until, self.timing.lease_s * 1000)
        except Exception as error:
            self._fail(live, item, error)
        else:
            self._decide(live, item, asked=True)

    def _paused(self, live: LiveRoom, item: QueuedCommand, result: Done | Refused | Failed) -> None:
        """If the pause before ``item`` could not be stored, ``item`` fails too: it would be paused for again."""
        if not isinstance(result, Done) and item in live.queue:
            live.queue.remove(item)
            self._reply(live, item, result)

    def _decide(self, live: LiveRoom, item: QueuedCommand, now: int | None = None, *, asked: bool = False) -> None:
        """Decide the command and send its event to the journal; or reply that it changes nothing, or is refused.

        If the journal must be ``asked`` before, that is begun. ``now`` is the journal's time, None to look.
        """
        live.busy = True
        room, command = live.room, item.command
        timeless = room is not None and room.clocks is None and not room.away
        if type(command) is not Play or not timeless or live.uncertain or live.announced:  # else it needs nothing else
            if not asked and self._must_ask(live, item):
                live.task = asyncio.create_task(self._ask(live, item))
                return
            if room is not None and (command is None or isinstance(command, Open)):
                self._finish(live, item, Done(room.version, room, live.history))
                return
            assert command is not None
            if isinstance(command, (Open, Join, Expire)):
                command = self._completed(live, item, command)
        try:
            step = decide(room, command, self.journal.now() if now is None else now)
            if isinstance(step, NoChange):
                assert room is not None
                self._finish(live, item, Done(step.version, room, live.history))
                return
            event, after = step.event, step.room
            fields = fields_json(event)
            item.update = RoomUpdate(event, after, True, fields, live.pieces)
            item.opened = _opened(item, after) if isinstance(event, Rematched) else None
            item.write = Append(
                live.id,
                after.version,
                to_record(event, fields),
                live.index_row(after, item.opener),
                item.players,
                None if after.outcome is None else result_of(after, room),
                None if item.opened is None else _write_of(item.opened, item.opener),
                None if after.clocks is None else called(event, after),
            )
            if self._timed is None:  # one write at a time: about one for each commit
                self._timed, self._timed_at = item, perf_counter()
            self.journal.put(item.write, partial(self._stored, live, item))
        except Refused as refusal:
            if self.journal.shared and not item.fresh and room is not None:
                # Another node may have stored an event that makes the command right.
                live.uncertain = True
                live.task = asyncio.create_task(self._ask(live, item))
            else:
                self._finish(live, item, refusal)
        except Exception as error:
            self._fail(live, item, error)

    def _completed(self, live: LiveRoom, item: QueuedCommand, command: Open | Join | Expire) -> Command:
        """The command with what was learnt for it: ratings, whether its game is rated, and time that does not count."""
        room = live.room
        if isinstance(command, Open):
            return replace(with_ratings(command, item.ratings), unrated_because=item.unrated_because)
        assert room is not None
        if isinstance(command, Join):
            return replace(join_with_rating(command, room, item.ratings), unrated_because=item.unrated_because)
        lost = self.pulse.lost_since(room.moved_at)  # a move in time may still wait to be read
        return Expire(lost + item.missed_ms)

    def _stored(self, live: LiveRoom, item: QueuedCommand, outcome: bool | Exception) -> None:
        """The event is durable: publish it, and reply. Otherwise find out what became of it."""
        if self._timed is item:
            self._timed = None
            self.monitor.append_s.observe(perf_counter() - self._timed_at)
        if outcome is not True:
            live.task = asyncio.create_task(self._recover(live, item, outcome))
            return
        update, write = item.update, item.write
        room = update.room
        if not self.retry.answered_last:
            self.retry.answered()
        if type(update.event) is Played:
            self.monitor.moves[room.game.key] += 1
        live.room, live.indexed = room, True
        live.history.append(update)
        self.publish(update)
        if self.journal.shared:
            self.bus.send(Appended(live.id, room.version, _public_record(item)))
        stored = len(write.record)
        if write.opening is not None:
            stored += len(write.opening.record)
        try:
            item.reply(Done(room.version, room, live.history, stored))
        except Exception:
            log.exception("room %s: a reply failed", self.log_name(live.id))
        if item.opened is not None:
            self.adopt(item.opened)
            self.release(item.opened.room.id)
        live.busy = False
        if self._closing:
            self._idle.set()
        if live.queue or live.announced or not live.followed or room.clocks is not None or not self.watched(live.id):
            self._proceed(live)

    async def _recover(self, live: LiveRoom, item: QueuedCommand, outcome: bool | Exception) -> None:
        """An event was not stored, or nobody knows whether it was: find out. Then publish it, or decide again."""
        loop = asyncio.get_running_loop()
        try:
            if isinstance(outcome, JournalError):
                self.retry.failed(outcome)
                if isinstance(item.update.event, Ended):
                    # While the journal was away nobody could move or come back, so the game may not be over after all.
                    item.give_up_at = item.give_up_at or loop.time() + self.timing.journal_give_up_s
                    await asyncio.sleep(self.timing.end_retry_s)
                    await self.heartbeat.beat_soon()
                else:
                    outcome = await self.retry.append_again(item.write)
            elif isinstance(outcome, Exception):
                raise outcome
            if outcome is True:
                self._stored(live, item, True)
                return
            await self._settle(live, item, refused=outcome is False)
        except Exception as error:
            self._fail(live, item, error)
        self._proceed(live)

    async def _settle(self, live: LiveRoom, item: QueuedCommand, *, refused: bool) -> None:
        """Another node was faster, or our own earlier attempt arrived after all."""
        records = await self._reading.catch_up(live)
        if not records and refused:
            log.error("room %s: the journal has lost events that it had confirmed", self.log_name(live.id))
            live.room = None
            live.history.clear()
            self.lost(live.id)
            raise JournalError("the journal has lost events of the room")
        if records and records[0] == item.write.record:
            assert live.room is not None
            self._finish(live, item, Done(item.update.room.version, live.room, live.history))
            return
        if not records and item.give_up_at is not None and asyncio.get_running_loop().time() > item.give_up_at:
            raise JournalError("the end could not be stored")
        item.fresh = True
        await self._ask_and_decide(live, item)

    def _finish(self, live: LiveRoom, item: QueuedCommand, result: Done | Refused | Failed) -> None:
        """Reply to a command. The caller goes on with the next."""
        self._reply(live, item, result)
        self._end(live)

    def _reply(self, live: LiveRoom, item: QueuedCommand, result: Done | Refused | Failed) -> None:
        try:
            item.reply(result)
        except Exception:
            log.exception("room %s: a reply failed", self.log_name(live.id))

    def _end(self, live: LiveRoom) -> None:
        """All replies have been given: the room is free for the next command."""
        live.busy = False
        if self._closing:
            self._idle.set()

    def _fail(self, live: LiveRoom, item: QueuedCommand, error: Exception) -> None:
        """Reply to a command that ended with ``error``."""
        failed = self._failure(live, error)
        if failed.code != "unknown_room":
            live.announced = 0  # or it would be read again at once; the next poll finds what is missing
        answered = [item]
        if failed.code == "overloaded":  # the commands behind it would wait as long, one after the other
            answered += live.queue
            live.queue.clear()
        for each in answered:
            self._reply(live, each, failed)
        self._end(live)

    def _failure(self, live: LiveRoom, error: Exception) -> Failed:
        match error:
            case Failed():
                return error
            case JournalError():
                live.uncertain = True
                if not live.rechecking:
                    live.rechecking = True
                    asyncio.get_running_loop().call_later(self.timing.room_recheck_s, self._recheck, live)
                return Failed("overloaded", "The journal is not responding; the outcome is unknown.")
            case UnknownRecord():
                if live.id not in self.unreadable:
                    log.warning("room %s cannot run here: %s", self.log_name(live.id), error)
                self.unreadable.add(live.id)
                return Failed("internal", f"This room cannot run here: {error}.")
            case _:
                log.error("room %s: a command failed", self.log_name(live.id), exc_info=error)
                return Failed("internal", "The server made a mistake; it was logged.")

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
        if room is None or room.clocks is None or room.due_at is None or room.status == "waiting" or self._closing:
            return
        wait_s = max(self.timing.alarm_min_s, (room.due_at - self.journal.now()) / 1000)
        live.alarm = asyncio.get_running_loop().call_later(wait_s, self.submit, live.id, Expire())

    def _pause_games(self) -> None:
        """There was an outage: pause the games that somebody watches now."""
        for live in list(self._rooms.values()):
            if live.room is not None and live.room.waits_for_somebody and not live.busy:
                self.submit(live.id, Pause(()))

    def _follow(self, live: LiveRoom) -> None:
        live.followed = True
        self.bus.follow(live.id)

    def _forget(self, live: LiveRoom) -> None:
        del self._rooms[live.id]
        if live.alarm is not None:
            live.alarm.cancel()
        self.bus.unfollow(live.id)

    def after(self, room_id: str, do: Callable[[], None]) -> None:
        """Call ``do`` after the commands queued for the room so far; at once where there is none."""
        live = self._rooms.get(room_id)
        if live is None or not live.busy:
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

    def live_rooms(self) -> list[LiveRoom]:
        """All rooms in memory, and those that are being loaded."""
        return list(self._rooms.values())

    def in_memory(self) -> list[str]:
        """The ids of the rooms in memory."""
        return [live.id for live in self._rooms.values() if live.room is not None]

    def behind(self, room_id: str, version: int) -> bool:
        """True if an idle room in memory has not reached ``version``."""
        live = self._rooms.get(room_id)
        return live is not None and not live.busy and live.version < version

    def release(self, room_id: str) -> None:
        """Remove a room that nobody watches from memory."""
        live = self._rooms.get(room_id)
        if live is not None and not live.busy and not self.watched(room_id):
            self._forget(live)

    def adopt(self, opened: RoomUpdate) -> Done | None:
        """Take in and publish a room that was stored without a command, as by matchmaking.

        Add a watcher afterwards, or release it. A room that somebody has asked for meanwhile stays as it is, and may be
        past its opening. None while that is being read: submit a command to wait for it.
        """
        live = self._rooms.get(opened.room.id)
        if live is None:
            live = self._rooms[opened.room.id] = LiveRoom(opened.room.id)
            self._follow(live)
            live.advance(opened)
            self._set_alarm(live)
        self.publish(opened)
        return None if live.room is None else Done(live.version, live.room, live.history)

    def on_hint(self, hint: Hint) -> None:
        """Another node stored an event."""
        if not isinstance(hint, Appended):
            return
        live = self._rooms.get(hint.room)
        if live is None or hint.version <= max(live.version, live.announced):
            return
        if live.room is not None and hint.version == live.version + 1 and not live.busy and not live.uncertain:
            try:
                event = from_record(hint.record)
                room = evolve(live.room, event)
            except Exception:
                event = None  # reading the journal will say what is wrong
            if event is not None and not isinstance(event, Rematched):
                self.publish(live.advance(RoomUpdate(event, room)))
                return
        live.announced = hint.version
        if not live.busy:  # otherwise it catches up afterwards
            self.refresh(live.id)

    def forget_names(self, players: Collection[str]) -> tuple[list[Room], bool]:
        """Leave out the names of players with these ids in the rooms in memory.

        Returns the rooms that have changed, and whether others are to be changed that are busy now.
        """
        changed, left = [], False
        for live in self._rooms.values():
            if live.room is None or (shown := without_names(live.room, players)) is live.room:
                continue
            if live.busy:
                left = True
                continue
            live.room, live.indexed = shown, False
            live.history.clear()  # whoever has missed something gets the whole room
            live.pieces = Pieces()
            changed.append(shown)
        return changed, left

    async def close(self) -> None:
        """Wait until all commands are carried out; call it after the last ``submit``."""
        self._closing = True
        for live in self._rooms.values():
            self._set_alarm(live)
        while any(live.busy for live in self._rooms.values()):
            self._idle.clear()
            await self._idle.wait()
        await self.heartbeat.close()
