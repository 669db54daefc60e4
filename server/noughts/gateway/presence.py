"""The presence of the players of a room. A player without a connection for some seconds counts as gone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from pydantic_core import from_json

from noughts.bus import Hint, Missing, Present
from noughts.games import Side
from noughts.gateway.client import Result
from noughts.gateway.subscribers import Subscribers
from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.protocol.room_messages import Listing
from noughts.rooms import Disconnect, Disconnected, Joined, Opened, Return, Room
from noughts.timing import Timing

log = logging.getLogger(__name__)

Key = tuple[str, str]
"""The ids of a room and of a player in it."""

AT_ONCE = 100
"""The number of players or rooms looked at before other tasks get a turn."""

STILL_COMING = 50
"""Players are still coming back while, each second, at least one in so many of those who are missing does."""


class Presence:
    """Turns the coming and going of connections into events of the room.

    A player may be connected to several nodes, so the others are asked before a player counts as gone. If they cannot
    be asked, a node that has the player says so afterwards. ``away_s`` is how long a player may be without a
    connection.
    """

    def __init__(self, host: Host, subscribers: Subscribers, away_s: float, timing: Timing) -> None:
        self._host = host
        self._subscribers = subscribers
        self._timing = timing
        self._answer_s = min(away_s, timing.presence_answer_s)
        self._ask_after_s = max(0, away_s - timing.presence_answer_s)
        # Players without a connection here, and when to ask for them; then, until when to wait for an answer. All of
        # them wait equally long, so the first is the next, and one timer will do.
        self._left: dict[Key, tuple[float, Room]] = {}
        self._asked: dict[Key, tuple[float, Room]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._doubted: dict[Key, None] = {}
        self._closed = False
        self._check_all = True

    def arrived(self, room: Room, player: str) -> None:
        """A connection of ``player`` watches ``room``."""
        key = room.id, player
        self._left.pop(key, None)
        self._asked.pop(key, None)
        if room.away and room.side_of(player) in room.away:
            self._host.submit(room.id, Return(player))

    def left(self, room: Room, player: str) -> None:
        """A connection of ``player`` no longer watches ``room``."""
        if room.next is None and self._matters(room) and room.side_of(player) is not None:
            self._await_return(room, player)

    def fell_silent(self, room: Room, player: str) -> None:
        """A connection of ``player`` is there and answers no more. It has had its time to come back."""
        if room.next is None and room.side_of(player) is not None and (room.id, player) not in self._left:
            self._ask(room, player)

    def on_update(self, update: RoomUpdate) -> None:
        """Note players who left before they had their seat, or came back just as they were noted as gone."""
        room = update.room
        match update.event:
            case Opened() | Joined() if update.ours:
                for player in self._absent(room):
                    self._await_return(room, player)
            case Disconnected(side=side):
                seat = room.seat(side)
                if seat is not None and self._subscribers.connections_of(seat.id, room.id):
                    self._host.submit(room.id, Return(seat.id))

    def on_hint(self, hint: Hint) -> None:
        """Another node asks for a player, or has one."""
        match hint:
            case Missing(room=room, player=player, node=node):
                if self._subscribers.connections_of(player, room):
                    self._host.bus.send(Present(room, player, node))
            case Present(room=room, player=player):
                self._asked.pop((room, player), None)
                self._doubted.pop((room, player), None)

    async def run(self) -> None:
        """Note the players whose node has died or was restarted, for ever. The leading node does it for all."""
        checking: asyncio.Task[None] | None = None
        try:
            while True:
                if checking is not None and checking.done():
                    checking = checking.result()
                with suppress(JournalError):
                    # A node that cannot ask the others leaves the lead to one that can.
                    if not self._host.bus.connected or not await self._host.journal.lead():
                        self._check_all = True
                    elif self._check_all and checking is None:
                        self._check_all = False
                        checking = asyncio.create_task(self._check_rooms())
                await asyncio.sleep(self._timing.lead_s)
        finally:
            if checking is not None:
                checking.cancel()

    def close(self) -> None:
        """Count nobody as gone any more: the server stops, not the players."""
        self._closed = True
        for waiting in (self._left, self._asked, self._doubted):
            waiting.clear()
        if self._timer is not None:
            self._timer.cancel()

    def on_node_left(self, _node: str) -> None:
        """Its players may be gone."""
        self._check_all = True

    async def _check_rooms(self) -> None:
        """See whether the players who count as connected are. What fails is done again later.

        The index says who counts so, and the other nodes say which of them they have. Only other rooms are loaded.
        """
        journal = self._host.journal
        try:
            await asyncio.sleep(self._ask_after_s + (0 if journal.shared else self._answer_s))
            self._doubted = dict.fromkeys(await self._missing(await self._online(await journal.index.attended())))
            if journal.shared and self._doubted:
                await self._ask_for_doubted()
            rooms = iter(dict.fromkeys(room_id for room_id, _ in self._doubted))
            while some := list(islice(rooms, AT_ONCE)):
                await asyncio.gather(*map(self._note_absent, some))
        except JournalError:
            self._check_all = True
        finally:
            self._doubted.clear()

    async def _online(self, rooms: Sequence[str]) -> list[Key]:
        """The players of ``rooms`` who count as connected."""
        online: list[Key] = []
        for chunk in (rooms[start : start + AT_ONCE] for start in range(0, len(rooms), AT_ONCE)):
            for listed in (await self._host.journal.index.listings(chunk)).values():
                shown: Listing = from_json(listed)
                seats = (shown["seats"]["first"], shown["seats"]["second"])
                people = [seat["id"] for seat in seats if seat and seat["online"] and seat["kind"] != "computer"]
                online += [(shown["room"], player) for player in people]
        return online

    async def _missing(self, players: list[Key]) -> list[Key]:
        """Those without a connection here, once hardly anybody comes back any more."""
        until = _time() + self._timing.players_return_s
        while True:
            before, missing = len(players), []
            for number, key in enumerate(players):
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)
                if not self._is_here(key):
                    missing.append(key)
            if (before - len(missing)) * STILL_COMING <= before or _time() > until:
                return missing
            players = missing
            await asyncio.sleep(self._timing.presence_answer_s)

    async def _ask_for_doubted(self) -> None:
        """Ask the other nodes for the doubted players, and doubt those no more whom they have."""
        # The link to the broker may be dead without anybody having noticed. Meanwhile more of them come back.
        for wait_s in (self._timing.broker_silence_s, self._answer_s):
            for number, (room_id, player) in enumerate(list(self._doubted)):
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)
                self._host.bus.send(Missing(room_id, player, self._host.bus.node))
            await asyncio.sleep(wait_s)
            if not self._host.bus.connected:
                self._check_all = True
                self._doubted.clear()

    async def _note_absent(self, room_id: str) -> None:
        """Load a room, and note those of the doubted players who are absent."""
        done = asyncio.Event()

        def reply(result: Result) -> None:
            done.set()
            if isinstance(result, Done):
                for player in self._absent(result.room):
                    if (room_id, player) in self._doubted and not self._closed:
                        self._host.submit(room_id, Disconnect(player))
            elif isinstance(result, Failed) and result.code == "overloaded":
                self._check_all = True

        self._host.submit(room_id, None, reply)
        await done.wait()

    def _absent(self, room: Room) -> list[str]:
        """The players who count as connected, but have no connection here that watches the room."""
        if room.status == "over" or room.correspondence:
            return []
        return [
            seat.id
            for side, seat in ((Side.FIRST, room.first), (Side.SECOND, room.second))
            if seat is not None
            and seat.kind != "computer"
            and side not in room.away
            and not self._subscribers.connections_of(seat.id, room.id)
        ]

    def _matters(self, room: Room) -> bool:
        """Not with days for each move. After the end, to those who still watch: they may offer a rematch in vain."""
        return not room.correspondence and (room.status != "over" or self._subscribers.is_watched(room.id))

    def _await_return(self, room: Room, player: str) -> None:
        key = (room.id, player)
        if not (self._closed or key in self._left or key in self._asked or self._is_here(key)):
            due = _time() + self._ask_after_s
            self._left[key] = (due, room)
            self._wake_at(due)

    def _ask(self, room: Room, player: str) -> None:
        """Ask the other nodes for a player, and wait for their answer."""
        key = (room.id, player)
        if not (self._closed or self._is_here(key)) and self._matters(room):
            self._host.bus.send(Missing(room.id, player, self._host.bus.node))
            due = _time() + self._answer_s
            self._asked[key] = (due, room)
            self._wake_at(due)

    def _note(self, room: Room, player: str) -> None:
        if self._matters(room) and not self._is_here((room.id, player)):
            self._host.submit(room.id, Disconnect(player))

    def _is_here(self, key: Key) -> bool:
        room_id, player = key
        return bool(self._subscribers.connections_of(player, room_id))

    def _wake_at(self, due: float) -> None:
        if self._timer is None or due < self._due:
            if self._timer is not None:
                self._timer.cancel()
            self._due = due
            self._timer = asyncio.get_running_loop().call_at(due, self._wake)

    def _wake(self) -> None:
        """Ask for those who have been gone for long enough, and note those whom no node has."""
        self._timer = None
        for waiting, act in ((self._left, self._ask), (self._asked, self._note)):
            for key, (due, room) in list(islice(waiting.items(), AT_ONCE)):
                if due > _time():
                    break
                del waiting[key]
                act(room, key[1])
            if waiting:
                self._wake_at(next(iter(waiting.values()))[0])


def _time() -> float:
    return asyncio.get_running_loop().time()
