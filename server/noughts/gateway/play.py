"""Rooms: join, watch, leave, play, offers and claims; and seeking an opponent for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from noughts.gateway import replies
from noughts.gateway.address import site_of
from noughts.gateway.client import Client, Result, refuse
from noughts.gateway.commands import as_player, claim_command, origin_of, table_command
from noughts.gateway.replies import Problem, counted, ok
from noughts.gateway.services import Services
from noughts.host import Done
from noughts.journal import StoredPlayer
from noughts.players.ids import opener_of
from noughts.protocol import requests
from noughts.protocol.messages import RequestId
from noughts.rooms import AcceptRematch, Command, Join, OfferRematch, Play, Room

MOVE_BYTES = 200
"""About the length of a move's record."""

OPENING_BYTES = 1000
"""About what a room takes in the journal when a seek opens it."""

_OFFERS = frozenset({"offer_draw", "offer_takeback", "offer_rematch", "accept_rematch"})
_REMATCHES = frozenset({"offer_rematch", "accept_rematch"})


def handle_play(services: Services, client: Client, request: requests.Play) -> None:
    """Play a move. Who plays is known from the client, never from the request."""
    player, now = client.player, services.host.journal.now()
    arrived = now if client.arrived_at is None else client.arrived_at
    note = request.note
    if note is not None and (player.muted_until > now or not services.costs.may_write(client)):
        note = None  # these take a player's words, not its moves
    if now > services.host.pulse.check_at:
        arrived -= services.lost_time.of(client, request.room)
    command = Play(player.id, request.turn, request.move, arrived, client.lag_ms, note)

    def reply(result: Result) -> None:
        if not isinstance(result, Done):
            refuse(client, request.id, result)
            return
        client.written += result.stored
        client.send(ok(request.id, version=result.version))
        if result.room.clocks is not None:
            client.measure_lag()  # for the next move

    if request.room in services.host.at_hand:
        services.host.submit(request.room, command, reply)
    else:
        _submit(services, client, request.room, command, reply)


def handle_join(services: Services, client: Client, request: requests.Join) -> None:
    """Take a seat."""
    services.costs.check(client)
    services.costs.check_write(client)
    check_may_watch(services, client, request.room)
    command = Join(as_player(client.player), request.seat)
    reply = enter(services, client, request.id, request.room)
    _submit(services, client, request.room, command, reply, players=(client.player,))


def handle_watch(services: Services, client: Client, request: requests.Watch) -> None:
    """Watch a room: get the updates missed since ``request.since`` if they are at hand, or else the whole room."""
    services.costs.check(client)

    def reply(result: Result) -> None:
        if not isinstance(result, Done):
            refuse(client, request.id, result)
            return
        try:
            check_may_watch(services, client, request.room)
            services.costs.check(client)  # again: several may have been read at once
        except Problem as problem:
            refuse(client, request.id, problem)
            return
        if client.open:
            room, views, subscriber = result.room, services.views, client.subscriber
            client.send(ok(request.id, room=room.id, seat=_seat_name(room, client), version=room.version))
            views.watch(subscriber, room, preview=request.preview)
            missed = None if request.since is None else result.since(request.since)
            if missed is None:
                views.show(subscriber, room, client.send)
            else:
                views.replay(client, room, missed)
            services.costs.settle(client)

    _submit(services, client, request.room, None, reply)


def handle_leave(services: Services, client: Client, request: requests.Leave) -> None:
    """Stop watching a room."""

    def leave() -> None:
        services.reviews.leave(client, request.room)
        services.views.unwatch(client.subscriber, request.room)
        client.send(ok(request.id))

    services.host.after(request.room, leave)  # in its turn, or it would overtake the ``watch`` before it


def handle_table_request(
    services: Services, client: Client, request: requests.TableRequest
) -> Coroutine[Any, Any, None] | None:
    """Resign, abort, offer, accept or decline."""
    if request.type in _OFFERS:
        services.costs.check_write(client)
    if request.type not in _REMATCHES:
        _submit_table(services, client, request)
    elif release := services.open_rooms.reserve(client):
        try:
            _submit_table(services, client, request, release)
        except Problem:
            release()
            raise
    else:
        return _rematch(services, client, request)
    return None


def handle_claim(services: Services, client: Client, request: requests.Claim) -> None:
    """Claim the game of an opponent who has gone."""
    command = claim_command(request, client.player.id)
    _submit(services, client, request.room, command, lambda result: _answer(client, request.id, result))


async def handle_seek(services: Services, client: Client, request: requests.Seek) -> None:
    """Wait for an opponent. It will open a room, which the client must be able to watch."""
    if not client.can_seek:
        raise Problem(replies.CANNOT_SEEK)
    services.costs.check(client)
    services.costs.check_write(client)
    services.costs.charge_seek(client)
    async with services.open_rooms.opening(client) as limit:
        if not client.open:
            return
        check_may_watch(services, client, "")
        if not await services.matchmaker.seek(client, request, may_open=limit is None):
            assert limit is not None
            raise services.open_rooms.refusal(client, limit)
        client.written += OPENING_BYTES


async def handle_unseek(services: Services, client: Client, request: requests.Unseek) -> None:
    """Stop waiting for an opponent."""
    if not client.can_seek:
        raise Problem(replies.CANNOT_SEEK)
    services.costs.check(client)
    services.costs.charge_seek(client)
    async with services.open_rooms.opening(client):  # after the seek that was sent before it
        await services.matchmaker.unseek(client, request)


def check_may_watch(services: Services, client: Client, room_id: str) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` if the client watches too many rooms to watch this one."""
    subscriber = client.subscriber
    watched = subscriber.rooms | subscriber.joining.keys()
    if room_id not in watched and len(watched) >= services.settings.rooms_per_connection:
        client.monitor.limit("rooms_per_connection", client.who, "refused to show another room")
        raise Problem(replies.WATCHES_TOO_MANY, rooms=counted(len(subscriber.rooms), "room"))


async def _rematch(services: Services, client: Client, request: requests.TableRequest) -> None:
    """Offer or accept a rematch, which opens a room too, of a player whose open rooms must be counted first."""
    async with services.open_rooms.opening(client) as limit:
        room = services.host.room(request.room)
        if limit is not None and (room is None or room.next is None):  # an agreed rematch opens no further room
            raise services.open_rooms.refusal(client, limit)
        answered = asyncio.Event()
        _submit_table(services, client, request, answered.set)
        await answered.wait()


def _submit_table(
    services: Services, client: Client, request: requests.TableRequest, done: Callable[[], None] = lambda: None
) -> None:
    """Submit a request to a room, and call ``done`` when it is answered."""

    def reply(result: Result) -> None:
        done()
        if isinstance(result, Done) and result.stored and result.room.next is not None:
            client.written += bytes_of_computers(result.room)
        _answer(client, request.id, result)

    command = table_command(request, client.player.id)
    # Whoever asks for a rematch opens its room.
    opener = opener_for(services, client) if isinstance(command, OfferRematch | AcceptRematch) else b""
    _submit(services, client, request.room, command, reply, opener=opener)


def _submit(
    services: Services,
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
    host, origin = services.host, b""
    if isinstance(command, Join | OfferRematch | AcceptRematch):
        origin = origin_of(client, host.journal.secret)
    if room_id in host.at_hand:
        host.submit(room_id, command, reply, players, opener, origin=origin)
        return
    services.costs.check(client)

    def pay_and_reply(result: Result) -> None:
        services.costs.charge_load(client, host.room(room_id))
        reply(result)

    asker = site_of(client.address)
    host.submit(room_id, command, pay_and_reply, players, opener, origin=origin, asker=asker)


def bytes_of_computers(room: Room) -> int:
    """About what the moves of a room's computers will take in the journal: they count as their opponent's."""
    computers = sum(seat is not None and seat.kind == "computer" for seat in (room.first, room.second))
    return computers * MOVE_BYTES * sum(map(len, room.game.layout)) // 2


def opener_for(services: Services, client: Client) -> bytes:
    """The keyed hash of the address from which ``client`` opens a room; for IPv6 that of its site."""
    return opener_of(services.host.journal.secret, site_of(client.address))


def _answer(client: Client, request_id: RequestId, result: Result) -> None:
    if isinstance(result, Done):
        client.written += result.stored
        client.send(ok(request_id, version=result.version))
    else:
        refuse(client, request_id, result)


def enter(services: Services, client: Client, request_id: RequestId, room_id: str) -> Callable[[Result], None]:
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
            services.views.watch(client.subscriber, result.room)
            services.views.show(client.subscriber, result.room, client.send)
        services.costs.settle(client)

    return reply


def _seat_name(room: Room, client: Client) -> str | None:
    side = room.side_of(client.player.id)
    return None if side is None else side.value
