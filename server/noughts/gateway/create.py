"""Opening a room: who sits there, and whether the player may open one more."""

from __future__ import annotations

import asyncio

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.gateway import replies
from noughts.gateway.client import Client, Result
from noughts.gateway.commands import as_player, options_of, origin_of
from noughts.gateway.play import bytes_of_computers, check_may_watch, enter, opener_for
from noughts.gateway.replies import Problem, counted
from noughts.gateway.services import Services
from noughts.host import Done
from noughts.players.ids import new_id, room_id_for
from noughts.players.names import COMPUTER_NAME
from noughts.protocol import requests
from noughts.rooms import Open, Player


async def handle_create(services: Services, client: Client, request: requests.Create) -> None:
    """Open a room. With a key it is the same room every time."""
    _check_levels(request)
    if not {request.seats.first, request.seats.second} & {"me", "open"}:
        await _open_for_computers(services, client, request)
    else:
        await _open(services, client, request)


async def _open_for_computers(services: Services, client: Client, request: requests.Create) -> None:
    """Open a room in which only computers play; each player may have a few."""
    host, player, most = services.host, client.player.id, services.settings.computer_rooms_per_player
    opening = services.opening_for_computers
    opening[player] += 1
    try:
        stored = await host.journal.open_sleepers(player)
        if stored + opening[player] > most and not await _is_open(services, client, request):
            client.monitor.limit("computer_rooms_per_player", client.who, "refused to open a room")
            raise Problem(replies.OPENED_TOO_MANY_FOR_COMPUTERS, rooms=counted(most, "unfinished room"))
        await _open(services, client, request)
    finally:
        opening[player] -= 1
        if not opening[player]:
            del opening[player]


async def _is_open(services: Services, client: Client, request: requests.Create) -> bool:
    """Whether this request has opened its room before."""
    journal = services.host.journal
    return request.key is not None and bool(
        await journal.read(room_id_for(journal.secret, client.player.id, request.key))
    )


async def _open(services: Services, client: Client, request: requests.Create) -> None:
    host, player = services.host, client.player
    async with services.open_rooms.opening(client) as limit:
        if not client.open:
            return
        services.costs.check(client)
        services.costs.check_write(client)
        room_id = new_id() if request.key is None else room_id_for(host.journal.secret, player.id, request.key)
        check_may_watch(services, client, room_id)
        if limit is not None and not (request.key and await host.journal.read(room_id)):
            raise services.open_rooms.refusal(client, limit)
        first, second = _seat(request.seats.first, client), _seat(request.seats.second, client)
        command = Open(room_id, request.game, player.id, first, second, options_of(request, services.settings))
        answered = asyncio.Event()
        entered = enter(services, client, request.id, room_id)

        def reply(result: Result) -> None:
            answered.set()
            if isinstance(result, Done) and result.stored:
                client.written += bytes_of_computers(result.room)
            entered(result)

        players = (player,) if "me" in (request.seats.first, request.seats.second) else ()
        origin = origin_of(client, host.journal.secret)
        host.submit(room_id, command, reply, players, opener_for(services, client), origin=origin)
        await answered.wait()


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
