"""Identity: hello, and registered names."""

from __future__ import annotations

from dataclasses import replace

from noughts.gateway import replies
from noughts.gateway.client import Client
from noughts.gateway.guests import new_player, store_again
from noughts.gateway.registry import check_ban
from noughts.gateway.replies import Error, Problem, ok, player_info, welcome
from noughts.gateway.services import Services
from noughts.journal import StoredPlayer
from noughts.players.names import another_name, is_computers, is_invisible, is_reserved, name_key
from noughts.players.tokens import token_hash
from noughts.protocol import requests
from noughts.protocol.words import PROTOCOL


async def handle_hello(services: Services, client: Client, request: requests.Hello) -> None:
    """Identify the client by its token, or as a new player."""
    if request.protocol != PROTOCOL:
        raise Problem(replies.UNSUPPORTED_PROTOCOL, version=PROTOCOL)
    if request.token is None:
        player, token = await _new_player(services, client, request)
    else:
        player, token = await player_with(services, request.token), request.token
    client.identify(player)
    client.send_encoded(welcome(request.id, player, token, services.facts, services.host.journal.now()))


async def player_with(services: Services, token: str) -> StoredPlayer:
    """The player who has ``token``. Raises :class:`~noughts.gateway.replies.Problem` and JournalError."""
    player = await services.host.journal.people.find_by_token(token_hash(token))
    if player is None:
        raise Problem(replies.BAD_TOKEN)
    try:
        check_ban(player, services.host.journal.now())
    except Problem:
        services.host.monitor.limit("bans", player.id, "refused a hello")
        raise
    return player


async def handle_register(services: Services, client: Client, request: requests.Register) -> None:
    """Register the player's name: from now on nobody else can use it."""
    limit_changes(services, client)
    async with services.sessions.changing:
        if not client.open:
            return
        player, host = client.player, services.host
        people = host.journal.people
        name = player.name if request.name is None else request.name
        if player.registered and name_key(name) != name_key(player.name):
            raise Problem(replies.NAME_IS_FIXED, name=player.name)
        if is_invisible(name):
            raise Problem(replies.INVISIBLE_NAME)
        stays = player.registered and name == player.name  # though it may be reserved now, or look like another
        if not stays and is_reserved(name):
            raise Problem(replies.NAME_RESERVED, other=another_name(name))
        await make_sure_stored(services, client)
        if not await host.retry.call(lambda: people.register(player.id, name)):
            found = await host.retry.call(lambda: people.find(player.id))
            if found is not None and found.registered and name_key(found.name) != name_key(name):  # on another node
                raise Problem(replies.NAME_IS_FIXED, name=found.name)
            raise Problem(replies.NAME_TAKEN, other=another_name(name))
        registered = replace(player, name=name, registered=True)
        _changed(services, client, registered)
        client.send(ok(request.id, player=player_info(registered)))


async def make_sure_stored(services: Services, client: Client) -> None:
    """Store the client's player if the journal has forgotten it. Raises JournalError."""
    player, host = client.player, services.host
    stored = await host.retry.call(lambda: store_again(host.journal, player))
    if stored != player:
        _changed(services, client, stored)


async def _new_player(services: Services, client: Client, request: requests.Hello) -> tuple[StoredPlayer, str]:
    if request.name is not None and is_invisible(request.name):
        raise Problem(replies.INVISIBLE_NAME)
    if request.name is not None and is_computers(request.name):
        raise Problem(replies.NAME_OF_COMPUTER, other=another_name(request.name))
    _limit(services, client, replies.TOO_MANY_NEWCOMERS)
    found = await new_player(services.host.journal, request.name, bot=request.bot, label=request.client or "")
    if found is None:
        assert request.name is not None
        raise Problem(replies.NAME_TAKEN_AT_HELLO, other=another_name(request.name))
    return found


def _changed(services: Services, client: Client, player: StoredPlayer) -> None:
    client.identify(player)
    services.sessions.changed(player)


def limit_changes(services: Services, client: Client) -> None:
    """Limit changes of names, tokens and codes: each is stored, as new players are, so they share one limit."""
    _limit(services, client, replies.TOO_MANY_ACCOUNT_CHANGES)


def _limit(services: Services, client: Client, error: Error) -> None:
    if wait_s := client.newcomers.take(services.time()):
        client.monitor.limit("newcomers", client.who, "refused a new player, name or token")
        raise Problem(error, retry_after_s=wait_s)
