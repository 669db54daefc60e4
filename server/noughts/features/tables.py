"""Tables: opening a room, taking a seat, watching and leaving, moves, offers and claims."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from pydantic_core import to_json

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.games.sentences import level_of
from noughts.gateway.address import site_of
from noughts.gateway.client import Client, Result, load_room, refuse
from noughts.gateway.commands import as_player, opener_for, options_of, origin_of
from noughts.gateway.feature import Feature
from noughts.gateway.replies import Error, Problem, answer, counted, ok
from noughts.gateway.server import Server
from noughts.host import Done
from noughts.journal import StoredPlayer
from noughts.players.ids import new_id, room_id_for
from noughts.players.names import COMPUTER_NAME
from noughts.protocol import requests
from noughts.protocol.room_messages import RequestId
from noughts.rooms import (
    Abort,
    AcceptDraw,
    AcceptRematch,
    AcceptTakeback,
    Claim,
    ClaimDraw,
    Command,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    Join,
    OfferDraw,
    OfferRematch,
    OfferTakeback,
    Open,
    Play,
    Player,
    Resign,
    Room,
)

OPENED_TOO_MANY_FOR_COMPUTERS = Error(
    "room_limit", "You have {rooms} in which only computers play. Finish one first, or take a seat."
)
NO_SUCH_LEVEL = Error("not_allowed", "The computer has no such level in {game}. Its levels are {levels}.")

MOVE_BYTES = 200
"""About the length of a move's record."""

_COMMANDS: dict[str, Callable[..., Command]] = {
    "resign": Resign,
    "abort": Abort,
    "claim_draw": ClaimDraw,
    "offer_draw": OfferDraw,
    "accept_draw": AcceptDraw,
    "decline_draw": DeclineDraw,
    "offer_takeback": OfferTakeback,
    "accept_takeback": AcceptTakeback,
    "decline_takeback": DeclineTakeback,
    "offer_rematch": OfferRematch,
    "accept_rematch": AcceptRematch,
    "decline_rematch": DeclineRematch,
}
_OFFERS = frozenset({"offer_draw", "offer_takeback", "offer_rematch", "accept_rematch"})
_REMATCHES = frozenset({"offer_rematch", "accept_rematch"})


def feature(server: Server) -> Feature:
    """Tables."""
    tables = Tables(server)
    return Feature(
        requests={
            requests.Create: tables.create,
            requests.Join: tables.join,
            requests.Watch: tables.watch,
            requests.Leave: tables.leave,
            requests.Play: tables.play,
            requests.AskLegalMoves: tables.tell_legal_moves,
            requests.TableRequest: tables.act,
            requests.Claim: tables.claim,
        }
    )


class Tables:
    """Carries out requests about rooms. Who acts is known from the client, never from the request."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._settings = server.settings
        self._host = server.host
        self._costs = server.costs
        self._open_rooms = server.open_rooms
        self._views = server.views
        self._lost_time = server.lost_time
        self._opening_for_computers: Counter[str] = Counter()
        """The number of rooms that each player is about to open in which only computers play."""

    def play(self, client: Client, request: requests.Play) -> None:
        """Play a move. Who plays is known from the client, never from the request."""
        player, room_id, host, now = client.player, request.room, self._host, self._host.journal.now()
        arrived = now if client.arrived_at is None else client.arrived_at
        note = request.note
        if note is not None and (player.muted_until > now or not self._costs.may_write(client)):
            note = None  # these take a player's words, not its moves
        if now > host.pulse.check_at:
            arrived -= self._lost_time.of(client, room_id)
        command = Play(player.id, request.turn, request.move, arrived, client.lag_ms, note)

        def reply(result: Result) -> None:
            if not isinstance(result, Done):
                refuse(client, request.id, result)
                return
            client.written += result.stored
            client.send_encoded(_done_json(request.id, result.version))
            if result.room.clocks is not None:
                client.measure_lag()  # for the next move

        if room_id in host.at_hand:
            host.submit(room_id, command, reply, now=now)
        else:
            self._submit(client, room_id, command, reply)

    async def tell_legal_moves(self, client: Client, request: requests.AskLegalMoves) -> None:
        """Answer with the moves that can be played now."""
        self._costs.check_reader(client)
        known = request.room in self._host.at_hand
        room = await self._costs.loaded(client, load_room(self._host, request.room, client), known=known)
        moves = () if room.to_move is None else room.position.legal_moves
        client.send(answer("legal_moves", request.id, {"room": room.id, "turn": room.turn, "moves": moves}))
        self._costs.settle(client)

    async def create(self, client: Client, request: requests.Create) -> None:
        """Open a room. With a key it is the same room every time."""
        _check_levels(request)
        if not {request.seats.first, request.seats.second} & {"me", "open"}:
            await self._open_for_computers(client, request)
        else:
            await self._open(client, request)

    async def _open_for_computers(self, client: Client, request: requests.Create) -> None:
        """Open a room in which only computers play; each player may have a few."""
        host, player, most = self._host, client.player.id, self._settings.computer_rooms_per_player
        opening = self._opening_for_computers
        opening[player] += 1
        try:
            stored = await host.journal.index.open_sleepers(player)
            if stored + opening[player] > most and not await self._is_open(client, request):
                client.monitor.limit("computer_rooms_per_player", client.who, "refused to open a room")
                raise Problem(OPENED_TOO_MANY_FOR_COMPUTERS, rooms=counted(most, "unfinished room"))
            await self._open(client, request)
        finally:
            opening[player] -= 1
            if not opening[player]:
                del opening[player]

    async def _is_open(self, client: Client, request: requests.Create) -> bool:
        """True if this request has opened its room before."""
        journal = self._host.journal
        return request.key is not None and bool(
            await journal.read(room_id_for(journal.secret, client.player.id, request.key))
        )

    async def _open(self, client: Client, request: requests.Create) -> None:
        host, player = self._host, client.player
        async with self._open_rooms.opening(client) as limit:
            if not client.open:
                return
            self._costs.check(client)
            self._costs.check_write(client)
            room_id = new_id() if request.key is None else room_id_for(host.journal.secret, player.id, request.key)
            self._server.check_may_watch(client, room_id)
            if limit is not None and not (request.key and await host.journal.read(room_id)):
                raise self._open_rooms.refusal(client, limit)
            game = GAMES.get(request.game)
            levels = () if game is None else levels_of(game)  # the room refuses a game that there is not
            first, second = (_seat(wish, client, levels) for wish in (request.seats.first, request.seats.second))
            options, setup = options_of(request, self._settings), tuple(request.setup.items())
            command = Open(room_id, request.game, player.id, first, second, options, setup=setup)
            answered = asyncio.Event()
            entered = self._enter(client, request.id, room_id)

            def reply(result: Result) -> None:
                answered.set()
                if isinstance(result, Done) and result.stored:
                    client.written += _bytes_of_computers(result.room)
                entered(result)

            players = (player,) if "me" in (request.seats.first, request.seats.second) else ()
            origin = origin_of(client, host.journal.secret)
            host.submit(room_id, command, reply, players, opener_for(client, self._host.journal.secret), origin=origin)
            await answered.wait()

    def join(self, client: Client, request: requests.Join) -> None:
        """Take a seat."""
        self._costs.check(client)
        self._costs.check_write(client)
        self._server.check_may_watch(client, request.room)
        command = Join(as_player(client.player), request.seat)
        reply = self._enter(client, request.id, request.room)
        self._submit(client, request.room, command, reply, players=(client.player,))

    def watch(self, client: Client, request: requests.Watch) -> None:
        """Watch a room: get the updates missed since ``request.since`` if they are at hand, or else the whole room."""
        self._costs.check(client)

        def reply(result: Result) -> None:
            if not isinstance(result, Done):
                refuse(client, request.id, result)
                return
            try:
                self._server.check_may_watch(client, request.room)
                self._costs.check(client)  # again: several may have been read at once
            except Problem as problem:
                refuse(client, request.id, problem)
                return
            if client.open:
                room, views, subscriber = result.room, self._views, client.subscriber
                client.send(ok(request.id, room=room.id, seat=_seat_name(room, client), version=room.version))
                views.watch(subscriber, room, preview=request.preview)
                missed = None if request.since is None else result.since(request.since)
                if missed is None:
                    views.show(subscriber, room, client.send_encoded)
                else:
                    views.replay(client, room, missed)
                self._costs.settle(client)

        self._submit(client, request.room, None, reply)

    def leave(self, client: Client, request: requests.Leave) -> None:
        """Stop watching a room."""

        def leave() -> None:
            self._server.left(client, request.room)
            client.send(ok(request.id))

        self._host.after(request.room, leave)  # in its turn, or it would overtake the ``watch`` before it

    def act(self, client: Client, request: requests.TableRequest) -> Coroutine[Any, Any, None] | None:
        """Resign, abort, offer, accept or decline."""
        if request.type in _OFFERS:
            self._costs.check_write(client)
        if request.type not in _REMATCHES:
            self._submit_table(client, request)
        elif release := self._open_rooms.reserve(client):
            try:
                self._submit_table(client, request, release)
            except Problem:
                release()
                raise
        else:
            return self._rematch(client, request)
        return None

    def claim(self, client: Client, request: requests.Claim) -> None:
        """Claim the game of an opponent who has gone."""
        command = Claim(client.player.id, request.result)
        self._submit(client, request.room, command, lambda result: _answer(client, request.id, result))

    async def _rematch(self, client: Client, request: requests.TableRequest) -> None:
        """Offer or accept a rematch, which opens a room too, of a player whose open rooms must be counted first."""
        async with self._open_rooms.opening(client) as limit:
            room = self._host.room(request.room)
            if limit is not None and (room is None or room.next is None):  # an agreed rematch opens no further room
                raise self._open_rooms.refusal(client, limit)
            answered = asyncio.Event()
            self._submit_table(client, request, answered.set)
            await answered.wait()

    def _submit_table(
        self, client: Client, request: requests.TableRequest, done: Callable[[], None] = lambda: None
    ) -> None:
        """Submit a request to a room, and call ``done`` when it is answered."""

        def reply(result: Result) -> None:
            done()
            if isinstance(result, Done) and result.stored and result.room.next is not None:
                client.written += _bytes_of_computers(result.room)
            _answer(client, request.id, result)

        command = _command(request, client.player.id)
        # Whoever asks for a rematch opens its room.
        opener = opener_for(client, self._host.journal.secret) if request.type in _REMATCHES else b""
        self._submit(client, request.room, command, reply, opener=opener)

    def _submit(
        self,
        client: Client,
        room_id: str,
        command: Command | None,
        reply: Callable[[Result], None],
        *,
        players: tuple[StoredPlayer, ...] = (),
        opener: bytes = b"",
    ) -> None:
        """As :meth:`Host.submit`; a client pays for a room that has to be read from the journal.

        Raises :class:`~noughts.gateway.replies.Problem` if it cannot.
        """
        host, origin = self._host, b""
        if isinstance(command, (Join, OfferRematch, AcceptRematch)):
            origin = origin_of(client, host.journal.secret)
        if room_id in host.at_hand:
            host.submit(room_id, command, reply, players, opener, origin=origin)
            return
        self._costs.check(client)

        def pay_and_reply(result: Result) -> None:
            self._costs.charge_load(client, host.room(room_id))
            reply(result)

        asker = site_of(client.address)
        host.submit(room_id, command, pay_and_reply, players, opener, origin=origin, asker=asker)

    def _enter(self, client: Client, request_id: RequestId, room_id: str) -> Callable[[Result], None]:
        """The reply to ``create`` and ``join``: the answer, then the whole room."""
        joining = client.subscriber.joining
        joining[room_id] += 1

        def reply(result: Result) -> None:
            joining[room_id] -= 1
            if not joining[room_id]:
                del joining[room_id]
            if not isinstance(result, Done):
                refuse(client, request_id, result)
                return
            client.written += result.stored
            if client.open:
                client.send(ok(request_id, room=room_id, seat=_seat_name(result.room, client)))
                self._views.watch(client.subscriber, result.room)
                self._views.show(client.subscriber, result.room, client.send_encoded)
            self._costs.settle(client)

        return reply


def _answer(client: Client, request_id: RequestId, result: Result) -> None:
    if isinstance(result, Done):
        client.written += result.stored
        client.send_encoded(_done_json(request_id, result.version))
    else:
        refuse(client, request_id, result)


def _done_json(request_id: RequestId, version: int) -> bytes:
    """The answer to a command that a room has carried out, as JSON: every move gets one."""
    if type(request_id) is int:
        return b'{"type":"ok","id":%d,"version":%d}' % (request_id, version)
    return to_json(ok(request_id, version=version))


def _seat_name(room: Room, client: Client) -> str | None:
    side = room.side_of(client.player.id)
    return None if side is None else side.value


def _bytes_of_computers(room: Room) -> int:
    """About what the moves of a room's computers will take in the journal: they count as their opponent's."""
    computers = [seat for seat in (room.first, room.second) if seat is not None and seat.kind == "computer"]
    return len(computers) * MOVE_BYTES * sum(map(len, room.game.layout)) // 2 if computers else 0


def _seat(wish: str, client: Client, levels: Sequence[str]) -> Player | None:
    """The player for a seat of a new room; ``wish`` is ``me``, ``open`` or ``computer:LEVEL``."""
    if wish == "me":
        return as_player(client.player)
    if wish == "open":
        return None
    level = wish.removeprefix("computer:")
    return Player(f"computer:{level_of(level, levels) or level}", COMPUTER_NAME, "computer")


def _check_levels(request: requests.Create) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` if the computer has no such level in this game."""
    game = GAMES.get(request.game)
    if game is None:
        return  # the room refuses it
    levels = levels_of(game)
    for wish in (request.seats.first, request.seats.second):
        kind, _, level = wish.partition(":")
        if kind == "computer" and level_of(level, levels) is None:
            raise Problem(NO_SUCH_LEVEL, game=game.title, levels=", ".join(levels))


def _command(request: requests.TableRequest, player: str) -> Command:
    """The command that ``request`` of the player with the id ``player`` is to a room."""
    make = _COMMANDS[request.type]
    return make(player, new_id()) if request.type in _REMATCHES else make(player)
