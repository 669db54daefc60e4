"""Rooms as clients come to them: opened, joined, watched, left and played in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.gateway.answers import error, ok
from noughts.gateway.conversation import Conversation, Hall, Result
from noughts.gateway.identity import COMPUTER, new_id, room_id_for
from noughts.gateway.table import options_of, table_command
from noughts.host import Done
from noughts.journal import JournalError
from noughts.protocol import RequestId, requests
from noughts.rooms import Join, Open, Play, Player


class Entering(Conversation):
    """Has a client open rooms, and come and go."""

    def __init__(self, hall: Hall) -> None:
        super().__init__(hall)
        self._creating = asyncio.Lock()
        self._opened_at_most = hall.settings.rooms_per_player

    def _looks_at_too_many(self, another: str) -> bool:
        looked_at = self.rooms | self.joining.keys()
        return another not in looked_at and len(looked_at) >= self.hall.settings.rooms_per_connection

    def _refuse_another_room(self, request_id: RequestId) -> None:
        self.send(error(request_id, "room_limit", f"You look at {len(self.rooms)} rooms; leave some first."))

    async def _create(self, request: requests.Create) -> None:
        if refusal := _no_such_computer(request):
            self.send(error(request.id, "not_allowed", refusal))
            return
        # One after the other, or many sent at once would all find room for one more.
        async with self._creating:
            key = request.key
            room_id = new_id() if key is None else room_id_for(self._journal.secret, self.player.id, key)
            if self._looks_at_too_many(room_id):
                self._refuse_another_room(request.id)
                return
            try:
                # A key may stand for a room that is there already.
                may = await self._may_open_another() or (key is not None and await self._journal.read(room_id))
            except JournalError:
                self.unknown_outcome(request.id)
                return
            if not may:
                self._refuse_to_open_more(request.id)
                return
            await self._open(request, room_id)

    async def _may_open_another(self) -> bool:
        """Whether the player may have one more open room. The journal is asked only where it could be one too many."""
        most = self.hall.settings.rooms_per_player
        if self._opened_at_most >= most:
            self._opened_at_most = await self._journal.open_rooms(self.player.id)
        self._opened_at_most += 1
        return self._opened_at_most <= most

    def _refuse_to_open_more(self, request_id: RequestId) -> None:
        text = f"You have {self.hall.settings.rooms_per_player} rooms that are not over; end some first."
        self.send(error(request_id, "room_limit", text))

    async def _rematch(self, request: requests.TableRequest) -> None:
        """A rematch opens a room, too."""
        try:
            may = await self._may_open_another()
        except JournalError:
            self.unknown_outcome(request.id)
            return
        room = self.hall.host.room(request.room)
        if may or (room is not None and room.next is not None):  # what was agreed to needs no other room
            self._at_table(request)
        else:
            self._refuse_to_open_more(request.id)

    def _play(self, request: requests.Play, arrived: int | None) -> None:
        arrived = self._journal.now() if arrived is None else arrived
        # A mute takes a player's words, and not its moves.
        note = None if self.player.muted_until > self._journal.now() else request.note
        command = Play(self.player.id, request.turn, request.move, arrived, self._lag_ms(), note)
        answer = self._version_or_error(request.id)

        def reply(result: Result) -> None:
            answer(result)
            if isinstance(result, Done) and result.room.clocks is not None:
                self._measure_lag()

        self.hall.host.submit(request.room, command, reply)

    def _at_table(self, request: requests.TableRequest | requests.Claim) -> None:
        self.hall.host.submit(request.room, table_command(request, self.player.id), self._version_or_error(request.id))

    async def _open(self, request: requests.Create, room_id: str) -> None:
        settings = self.hall.settings
        first, second = self._seat(request.seats.first), self._seat(request.seats.second)
        command = Open(room_id, request.game, self.player.id, first, second, options_of(request, settings))
        seated = (self.player,) if self.as_player() in (first, second) else ()
        self.joining[room_id] += 1
        entered = self._entered(request.id, room_id)
        opened = asyncio.Event()

        def reply(result: Result) -> None:
            opened.set()
            entered(result)

        self.hall.host.submit(room_id, command, reply, seated)
        await opened.wait()

    def _join(self, request: requests.Join) -> None:
        if self._looks_at_too_many(request.room):
            self._refuse_another_room(request.id)
            return
        self.joining[request.room] += 1
        command = Join(self.as_player(), request.seat)
        self.hall.host.submit(request.room, command, self._entered(request.id, request.room), (self.player,))

    def _entered(self, request_id: RequestId, room_id: str) -> Callable[[Result], None]:
        """The reply to ``create`` and ``join``: the answer, then the room."""

        def reply(result: Result) -> None:
            self.joining[room_id] -= 1
            if not self.joining[room_id]:
                del self.joining[room_id]
            if not isinstance(result, Done):
                self._refuse(request_id, result)
            elif self.open:
                side = result.room.side_of(self.player.id)
                self.send(ok(request_id, room=room_id, seat=None if side is None else side.value))
                self._look_at(result)
                self.send_room(result)

        return reply

    def _watched(self, request: requests.Watch) -> Callable[[Result], None]:
        """The reply to ``watch``: the answer, then the missed updates or the room."""

        def reply(result: Result) -> None:
            if not isinstance(result, Done):
                self._refuse(request.id, result)
            elif self._looks_at_too_many(request.room):
                self._refuse_another_room(request.id)
            elif self.open:
                side = result.room.side_of(self.player.id)
                seat = None if side is None else side.value
                self.send(ok(request.id, room=result.room.id, seat=seat, version=result.room.version))
                self._look_at(result)
                missed = None if request.since is None else result.since(request.since)
                if missed is None:
                    self.send_room(result)
                else:
                    for happening in missed:
                        self.send_bytes(happening.data)
                    self.send_spectators(result.room)

        return reply

    def _left(self, request: requests.Leave) -> None:
        self._leave(request.room)
        self.send(ok(request.id))

    def _leave(self, room_id: str) -> None:
        if self._look_away(room_id):
            room = self.hall.host.room(room_id)
            if room is not None:
                self.hall.presence.left(room, self.player.id)
            self.hall.host.release(room_id)

    def _seat(self, wish: str) -> Player | None:
        if wish == "me":
            return self.as_player()
        if wish == "open":
            return None
        return Player(wish, COMPUTER, "computer")


def _no_such_computer(request: requests.Create) -> str:
    """Why the computer does not take the seats that it is to take, empty where it does."""
    game = GAMES.get(request.game)
    if game is None:
        return ""
    levels = levels_of(game)
    for wish in (request.seats.first, request.seats.second):
        kind, _, level = wish.partition(":")
        if kind == "computer" and level not in levels:
            return f"The computer does not play {game.title} at {level}, but at {', '.join(levels)}."
    return ""
