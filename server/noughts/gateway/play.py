"""Rooms: open, join, watch, leave, play, offers and claims; and seeking an opponent for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.gateway import replies
from noughts.gateway.client import Client, Result, refuse
from noughts.gateway.commands import as_player, claim_command, options_of, table_command
from noughts.gateway.replies import Problem, ok
from noughts.gateway.services import Services
from noughts.host import Done
from noughts.players.ids import new_id, room_id_for
from noughts.players.names import COMPUTER_NAME
from noughts.protocol import RequestId, requests
from noughts.rooms import Join, Open, Play, Player, Room


def handle_play(services: Services, client: Client, request: requests.Play) -> None:
    """Play a move. Who plays is known from the client, never from the request."""
    player, now = client.player, services.host.journal.now()
    arrived = now if client.arrived_at is None else client.arrived_at
    note = None if player.muted_until > now else request.note  # a mute takes a player's words, not its moves
    command = Play(player.id, request.turn, request.move, arrived, client.lag_ms, note)

    def reply(result: Result) -> None:
        if not isinstance(result, Done):
            refuse(client, request.id, result)
            return
        client.send(ok(request.id, version=result.version))
        if result.room.clocks is not None:
            client.measure_lag()  # for the next move

    services.host.submit(request.room, command, reply)


async def handle_create(services: Services, client: Client, request: requests.Create) -> None:
    """Open a room. With a key it is the same room every time."""
    _check_levels(request)
    host, player = services.host, client.player
    async with client.opening:  # one at a time, or several at once would each find room for one more
        room_id = new_id() if request.key is None else room_id_for(host.journal.secret, player.id, request.key)
        check_may_watch(services, client, room_id)
        if not await may_open_another(services, client) and not (request.key and await host.journal.read(room_id)):
            raise opened_too_many(services)
        first, second = _seat(request.seats.first, client), _seat(request.seats.second, client)
        command = Open(room_id, request.game, player.id, first, second, options_of(request, services.settings))
        answered = asyncio.Event()
        enter = _enter(services, client, request.id, room_id)

        def reply(result: Result) -> None:
            answered.set()
            enter(result)

        host.submit(room_id, command, reply, (player,) if "me" in (request.seats.first, request.seats.second) else ())
        await answered.wait()


def handle_join(services: Services, client: Client, request: requests.Join) -> None:
    """Take a seat."""
    check_may_watch(services, client, request.room)
    command = Join(as_player(client.player), request.seat)
    reply = _enter(services, client, request.id, request.room)
    services.host.submit(request.room, command, reply, (client.player,))


def handle_watch(services: Services, client: Client, request: requests.Watch) -> None:
    """Watch a room: get the updates missed since ``request.since`` if they are at hand, or else the whole room."""

    def reply(result: Result) -> None:
        if not isinstance(result, Done):
            refuse(client, request.id, result)
            return
        try:
            check_may_watch(services, client, request.room)
        except Problem as problem:
            refuse(client, request.id, problem)
            return
        if client.open:
            room, views, subscriber = result.room, services.views, client.subscriber
            client.send(ok(request.id, room=room.id, seat=_seat_name(room, client), version=room.version))
            views.watch(subscriber, room)
            missed = None if request.since is None else result.since(request.since)
            if missed is None:
                views.show(subscriber, room, client.send)
            else:
                for update in missed:
                    client.send_encoded(update.data)
                views.show_spectators(subscriber, room, client.send)

    services.host.submit(request.room, None, reply)


def handle_leave(services: Services, client: Client, request: requests.Leave) -> None:
    """Stop watching a room."""

    def leave() -> None:
        services.views.unwatch(client.subscriber, request.room)
        client.send(ok(request.id))

    services.host.after(request.room, leave)  # in its turn, or it would overtake the ``watch`` before it


def handle_table_request(
    services: Services, client: Client, request: requests.TableRequest
) -> Coroutine[Any, Any, None] | None:
    """Resign, abort, offer, accept or decline."""
    if request.type in ("offer_rematch", "accept_rematch"):
        if client.open_rooms >= services.settings.rooms_per_player:
            return _rematch(services, client, request)
        client.open_rooms += 1
    _submit(services, client, request)
    return None


def handle_claim(services: Services, client: Client, request: requests.Claim) -> None:
    """Claim the game of an opponent who has gone."""
    command = claim_command(request, client.player.id)
    services.host.submit(request.room, command, lambda result: _answer(client, request.id, result))


async def handle_seek(services: Services, client: Client, request: requests.Seek) -> None:
    """Wait for an opponent. It will open a room, which the client must be able to watch."""
    if not client.can_seek:
        raise Problem(replies.CANNOT_SEEK)
    async with client.opening:
        check_may_watch(services, client, "")
        may_open = await may_open_another(services, client)
        if not await services.matchmaker.seek(client, request, may_open=may_open):
            raise opened_too_many(services)


async def handle_unseek(services: Services, client: Client, request: requests.Unseek) -> None:
    """Stop waiting for an opponent."""
    if not client.can_seek:
        raise Problem(replies.CANNOT_SEEK)
    async with client.opening:  # after the seek that was sent before it
        await services.matchmaker.unseek(client, request)


async def may_open_another(services: Services, client: Client) -> bool:
    """Whether the player may open one more room. It asks the journal only if this could be one too many."""
    most = services.settings.rooms_per_player
    if client.open_rooms >= most:
        client.open_rooms = await services.host.journal.open_rooms(client.player.id)
    client.open_rooms += 1
    return client.open_rooms <= most


def check_may_watch(services: Services, client: Client, room_id: str) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` if the client watches too many rooms to watch this one."""
    subscriber = client.subscriber
    watched = subscriber.rooms | subscriber.joining.keys()
    if room_id not in watched and len(watched) >= services.settings.rooms_per_connection:
        raise Problem(replies.WATCHES_TOO_MANY, count=len(subscriber.rooms))


def opened_too_many(services: Services) -> Problem:
    """The player has as many open rooms as it may have."""
    return Problem(replies.OPENED_TOO_MANY, count=services.settings.rooms_per_player)


async def _rematch(services: Services, client: Client, request: requests.TableRequest) -> None:
    """Offer or accept a rematch, which opens a room too, of a player who may have as many as allowed."""
    may_open = await may_open_another(services, client)
    room = services.host.room(request.room)
    if not may_open and (room is None or room.next is None):  # an agreed rematch opens no further room
        raise opened_too_many(services)
    _submit(services, client, request)


def _submit(services: Services, client: Client, request: requests.TableRequest) -> None:
    command = table_command(request, client.player.id)
    services.host.submit(request.room, command, lambda result: _answer(client, request.id, result))


def _answer(client: Client, request_id: RequestId, result: Result) -> None:
    if isinstance(result, Done):
        client.send(ok(request_id, version=result.version))
    else:
        refuse(client, request_id, result)


def _enter(services: Services, client: Client, request_id: RequestId, room_id: str) -> Callable[[Result], None]:
    """The reply to ``create`` and ``join``: the answer, then the whole room."""
    joining = client.subscriber.joining
    joining[room_id] += 1

    def reply(result: Result) -> None:
        joining[room_id] -= 1
        if not joining[room_id]:
            del joining[room_id]
        if not isinstance(result, Done):
            refuse(client, request_id, result)
        elif client.open:
            client.send(ok(request_id, room=room_id, seat=_seat_name(result.room, client)))
            services.views.watch(client.subscriber, result.room)
            services.views.show(client.subscriber, result.room, client.send)

    return reply


def _seat_name(room: Room, client: Client) -> str | None:
    side = room.side_of(client.player.id)
    return None if side is None else side.value


def _seat(wish: str, client: Client) -> Player | None:
    """The player for a seat of a new room; ``wish`` is ``me``, ``open`` or ``computer:LEVEL``."""
    if wish == "me":
        return as_player(client.player)
    return None if wish == "open" else Player(wish, COMPUTER_NAME, "computer")


def _check_levels(request: requests.Create) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` if the computer has no such level in this game."""
    game = GAMES.get(request.game)
    if game is None:
        return  # the room refuses it
    levels = levels_of(game)
    for wish in (request.seats.first, request.seats.second):
        kind, _, level = wish.partition(":")
        if kind == "computer" and level not in levels:
            raise Problem(replies.NO_SUCH_LEVEL, game=game.title, levels=", ".join(levels))
