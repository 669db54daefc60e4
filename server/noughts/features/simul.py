"""A simul: the organiser of a class plays the students who are there, all at once, each on a board of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_core import to_json

from noughts.bus import Invited
from noughts.games import Game, Side
from noughts.games.sentences import no_such_game
from noughts.gateway.client import Client, Result
from noughts.gateway.commands import as_player, game_of, opener_for, options_for, time_control_of
from noughts.gateway.replies import UNKNOWN_GAME, Error, Problem, player_info
from noughts.gateway.server import Server
from noughts.host import Done
from noughts.journal import ClassMember, StoredClass, StoredPlayer
from noughts.players.ids import new_id
from noughts.players.names import name_key
from noughts.protocol.class_messages import SimulCall
from noughts.protocol.class_requests import OpenSimul
from noughts.rooms import Open, Options
from noughts.rooms import decide as decide_room
from noughts.value import changed

NOBODY_THERE = Error("not_allowed", "Nobody of this class is there and free to play.")

BOARDS = 40
"""The most boards of a simul: each student waits for all others' moves."""

FIRST_MOVE_MS = 600_000
"""The time for the first move, which on the last board comes after those on all others."""

UNDER_WAY = 500
"""The most games under way of a class that are looked at."""

_OWN = {"first": (Side.FIRST, Side.FIRST), "second": (Side.SECOND, Side.SECOND), "alternate": (Side.FIRST, Side.SECOND)}
"""The organiser's side on every other board, by what was asked for."""


@dataclass(frozen=True, slots=True)
class _Boards:
    """The boards of a simul of ``teacher``, who has the sides ``own`` in turn. ``opener`` stands for the address."""

    of: StoredClass
    teacher: StoredPlayer
    game: Game
    options: Options
    own: tuple[Side, Side]
    opener: bytes


class Simul:
    """Opens games of an organiser against students, and calls these to their boards."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._host = server.host

    async def open(
        self, client: Client, request: OpenSimul, of: StoredClass, members: Sequence[ClassMember]
    ) -> list[str]:
        """Open a room against each student who is there and free, of those whom the request names if it names any.

        Returns the rooms, in the order of the class. Raises Problem, and Refused for what a room refuses.
        """
        boards = self._boards(client, request, of)
        chosen = await self._chosen(of, members, set(map(name_key, request.names)))
        if not chosen:
            raise Problem(NOBODY_THERE)
        async with self._server.open_rooms.opening(client) as limit:
            if limit is not None:
                raise self._server.open_rooms.refusal(client, limit)
            opening = (self._open(client, boards, number, student) for number, student in enumerate(chosen))
            opened = await asyncio.gather(*opening)
        return [room for room in opened if room is not None]

    async def room_of(self, of: StoredClass, player: StoredPlayer) -> str | None:
        """The room in which ``player`` plays the organiser now, the last opened."""
        for game in await self._host.journal.games.under_way([player.id], UNDER_WAY):
            if of.player in {game.first, game.second} and game.status == "playing":
                return game.room
        return None

    def _boards(self, client: Client, request: OpenSimul, of: StoredClass) -> _Boards:
        """The boards that a request asks for. Raises Problem, and Refused for what a room would refuse."""
        settings, host = self._server.settings, self._host
        if settings.offered_games and request.game not in settings.offered_games:
            raise Problem(UNKNOWN_GAME, problem=no_such_game(request.game, settings.offered_games))
        game = game_of(request)
        options = options_for(time_control_of(request.clock), settings, private=request.private, rated=False)
        options = changed(options, first_move_ms=max(options.first_move_ms, FIRST_MOVE_MS))
        opening = Open(new_id(), game.key, "", None, None, options, setup=game.setup)
        decide_room(None, opening, host.journal.now())
        opener = opener_for(client, host.journal.secret)
        return _Boards(of, client.player, game, options, _OWN[request.side], opener)

    async def _chosen(self, of: StoredClass, members: Sequence[ClassMember], names: set[str]) -> list[StoredPlayer]:
        """The students who are there and free, in the order of the class."""
        people = {one.entry: one.player for one in members if one.left_at is None and not one.bot}
        entries = [entry for entry in of.entries if not names or name_key(entry) in names]
        students = [people[entry] for entry in entries if entry in people and people[entry].id != of.player]
        ids = [each.id for each in students]
        here = self._server.attendance.among(ids)
        games = await self._host.journal.games.under_way(ids, UNDER_WAY) if ids else []
        # A game against a computer waits; one against somebody else would make that one wait.
        apart = [game for game in games if game.status == "playing" and game.first and game.second]
        busy = {player for game in apart for player in (game.first, game.second)}
        return [each for each in students if each.id in here and each.id not in busy][:BOARDS]

    async def _open(self, client: Client, boards: _Boards, number: int, student: StoredPlayer) -> str | None:
        """Open the room of a board against a student, and call the student; None if that was refused."""
        room, teacher, own = new_id(), boards.teacher, boards.own[number % 2]
        first, second = map(as_player, (teacher, student) if own is Side.FIRST else (student, teacher))
        game = boards.game
        command = Open(room, game.key, teacher.id, first, second, boards.options, setup=game.setup)
        opened: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def reply(result: Result) -> None:
            if isinstance(result, Done):
                client.written += result.stored
                self._call(boards, student, room, own.other)
            if not opened.done():
                opened.set_result(room if isinstance(result, Done) else None)

        self._host.submit(room, command, reply, (teacher, student), boards.opener)
        return await opened

    def _call(self, boards: _Boards, student: StoredPlayer, room: str, seat: Side) -> None:
        call: SimulCall = {
            "type": "simul_game",
            "class_id": boards.of.id,
            "title": boards.of.title,
            "game": boards.game.key,
            "room": room,
            "seat": seat.value,
            "opponent": player_info(boards.teacher),
        }
        line = to_json(call)
        self._server.sessions.tell(student.id, line)
        self._host.bus.send(Invited(student.id, line))
