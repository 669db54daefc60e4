"""What a player does about its own name and token."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noughts.gateway.answers import error, ok, player_info
from noughts.gateway.identity import NO_NAME, keep, new_token, no_token, reserved, shows_nothing, token_hash
from noughts.gateway.standing import GONE
from noughts.journal import JournalError, StoredPlayer
from noughts.players.names import name_key
from noughts.protocol import requests

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation


async def change_account(
    client: Conversation, request: requests.Register | requests.RenewToken | requests.RevokeToken
) -> None:
    """Carry out ``request`` and answer it, after those of others."""
    try:
        async with client.hall.standing.changing:
            if not client.open:
                return
            match request:
                case requests.Register():
                    await _register(client, request)
                case requests.RenewToken():
                    await _renew(client, request)
                case requests.RevokeToken():
                    await _revoke(client, request)
    except JournalError:
        client.unknown_outcome(request.id)


async def _register(client: Conversation, request: requests.Register) -> None:
    player, host = client.player, client.hall.host
    name = player.name if request.name is None else request.name
    if player.registered and name_key(name) != name_key(player.name):
        client.send(error(request.id, "not_allowed", f"You are {player.name} for good."))
        return
    if shows_nothing(name):
        client.send(error(request.id, "bad_message", NO_NAME))
        return
    if reserved(name):
        text = "Nobody has a name for good that could be the computer's, a guest's or an id; choose another."
        client.send(error(request.id, "name_taken", text))
        return
    kept = await host.retry.call(lambda: keep(host.journal, player))
    if kept != player:
        client.alter(kept)
        client.hall.standing.altered(kept)
    if not await host.retry.call(lambda: host.journal.people.register(player.id, name)):
        found = await host.retry.call(lambda: host.journal.people.find(player.id))
        if found is not None and found.registered and name_key(found.name) != name_key(name):  # since, elsewhere
            client.send(error(request.id, "not_allowed", f"You are {found.name} for good."))
            return
        client.send(error(request.id, "name_taken", "That name is another's for good; choose another."))
        return
    registered = replace(player, name=name, registered=True)
    client.alter(registered)
    client.hall.standing.altered(registered)
    client.send(ok(request.id, player=player_info(registered)))


async def _renew(client: Conversation, request: requests.RenewToken) -> None:
    token = new_token()
    renewed = await _give(client, request, token_hash(token))
    if renewed is not None:
        client.alter(renewed)
        client.hall.standing.altered(renewed)
        client.send(ok(request.id, token=token))


async def _revoke(client: Conversation, request: requests.RevokeToken) -> None:
    without = await _give(client, request, no_token())
    if without is not None:
        client.send(ok(request.id))
        client.hall.standing.altered(without)


async def _give(
    client: Conversation, request: requests.RenewToken | requests.RevokeToken, after: bytes
) -> StoredPlayer | None:
    """The player with ``after`` for its token's hash; None where that was refused. Raises JournalError."""
    host, player = client.hall.host, client.player
    people = host.journal.people

    async def put() -> bool:
        # The hash is new, so who has it already got it in an attempt before whose answer was lost.
        return (
            await people.change_token(player.id, player.token_hash, after)
            or await people.find_by_token(after) is not None
        )

    if not await host.retry.call(put):
        client.send(error(request.id, "bad_token", GONE))
        return None
    return replace(player, token_hash=after)
