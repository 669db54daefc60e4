"""The devices on which a player is signed in, each by a token of its own, and codes by which another gets in."""

from __future__ import annotations

from dataclasses import replace

from noughts.gateway import replies
from noughts.gateway.accounts import limit_changes, make_sure_stored
from noughts.gateway.client import Client
from noughts.gateway.profiles import limit_pages
from noughts.gateway.registry import check_ban
from noughts.gateway.replies import Problem, answer, ok, player_info
from noughts.gateway.services import Services
from noughts.journal import StoredPlayer, StoredToken
from noughts.journal.tokens import JOIN_MS, Purpose
from noughts.players.tokens import code_hash, device_id, new_join_code, new_recovery_code, new_token, token_hash
from noughts.protocol import requests
from noughts.protocol.messages import DeviceInfo
from noughts.protocol.render import timestamp


async def handle_devices(services: Services, client: Client, request: requests.ListDevices) -> None:
    """Answer with the player's devices, and when its recovery code was made."""
    limit_pages(services, client)
    player, tokens = client.player, services.host.journal.tokens
    devices = [_device_info(token, player.token_hash) for token in await tokens.of(player.id)]
    made = await tokens.recovery_made(player.id)
    if client.open:
        recovery_at = None if made is None else timestamp(made)
        client.send(answer("devices", request.id, {"devices": devices, "recovery_at": recovery_at}))


async def handle_add_device(services: Services, client: Client, request: requests.AddDevice) -> None:
    """Make a code with which another device can sign in as the player, within minutes and once."""
    limit_changes(services, client)
    host, limit = services.host, services.settings.devices_per_player
    if len(await host.journal.tokens.of(client.player.id)) >= limit:
        raise _too_many(services, client)
    code = new_join_code()
    await _put_code(services, client, "join", code)
    if client.open:
        client.send(ok(request.id, code=code, expires_at=timestamp(host.journal.now() + JOIN_MS)))


async def handle_recovery_code(services: Services, client: Client, request: requests.MakeRecoveryCode) -> None:
    """Make a code with which the player can sign in when all devices are lost. It replaces the one before."""
    limit_changes(services, client)
    code = new_recovery_code()
    await _put_code(services, client, "recovery", code)
    if client.open:
        client.send(ok(request.id, code=code))


async def handle_redeem(services: Services, client: Client, request: requests.Redeem) -> None:
    """Give a token of the player who made a code, or only say who that is. The client itself stays who it is."""
    attempts = services.codes.of(client.address)
    if wait_s := attempts.take(services.time()):
        client.monitor.limit("codes_per_minute", client.who)
        raise Problem(replies.TOO_MANY_CODES, retry_after_s=wait_s)
    tokens, retry, code = services.host.journal.tokens, services.host.retry, code_hash(request.code)
    player = await tokens.find_by_code(code)
    if player is None:
        raise Problem(replies.BAD_CODE)
    attempts.spend(services.time(), -1)  # only wrong codes count: a class may sit behind one address
    check_ban(player, services.host.journal.now())
    if request.preview:
        client.send(ok(request.id, player=player_info(player)))
        return
    limit_changes(services, client)
    token, label, limit = new_token(), request.client or "", services.settings.devices_per_player
    async with services.sessions.changing:
        if not await retry.call(lambda: tokens.redeem(code, token_hash(token), label, limit)):
            if await tokens.find_by_code(code) is None:
                raise Problem(replies.BAD_CODE)
            raise _too_many(services, client)
        await _tokens_changed(services, player)
    if client.open:
        client.send(ok(request.id, player=player_info(player), token=token))


async def handle_renew_token(services: Services, client: Client, request: requests.RenewToken) -> None:
    """Give the client a new token in place of its own."""
    limit_changes(services, client)
    async with services.sessions.changing:
        if not client.open:
            return
        await make_sure_stored(services, client)
        token, player, host = new_token(), client.player, services.host
        before, after = player.token_hash, token_hash(token)

        async def put() -> bool:
            # The hash is new, so whoever has it got it in an earlier attempt, whose answer was lost.
            renewed = await host.journal.tokens.renew(player.id, before, after)
            return renewed or await host.journal.people.find_by_token(after) is not None

        if not await host.retry.call(put):
            raise Problem(replies.TOKEN_ENDED)
        client.identify(replace(player, token_hash=after))
        await _tokens_changed(services, player)
        client.send(ok(request.id, token=token))


async def handle_sign_out(services: Services, client: Client, request: requests.SignOut) -> None:
    """Take tokens from the player: the connections that came with them end."""
    limit_changes(services, client)
    async with services.sessions.changing:
        if not client.open:
            return
        await make_sure_stored(services, client)
        player, tokens, retry = client.player, services.host.journal.tokens, services.host.retry
        mine = player.token_hash
        match request.device:
            case "others":
                await retry.call(lambda: tokens.end_all(player.id, mine, but=mine))
            case "all":
                await retry.call(lambda: tokens.end_all(player.id, mine))
            case device:
                hashed = mine if device == "this" else await _find(services, player, device)
                await retry.call(lambda: tokens.end(player.id, mine, hashed))
        client.send(ok(request.id))
        await _tokens_changed(services, player)


async def _find(services: Services, player: StoredPlayer, device: str) -> bytes:
    for token in await services.host.journal.tokens.of(player.id):
        if device_id(token.hash) == device:
            return token.hash
    raise Problem(replies.UNKNOWN_DEVICE)


async def _put_code(services: Services, client: Client, purpose: Purpose, code: str) -> None:
    """Store a code of the client's player. Raises a problem if the client's token has been taken elsewhere."""
    async with services.sessions.changing:
        await make_sure_stored(services, client)
        player, tokens, hashed = client.player, services.host.journal.tokens, code_hash(code)
        if not await services.host.retry.call(lambda: tokens.put_code(player.id, player.token_hash, purpose, hashed)):
            raise Problem(replies.TOKEN_ENDED)


async def _tokens_changed(services: Services, player: StoredPlayer) -> None:
    """End the connections of the player that came with a token that is no longer valid."""
    held = await services.host.retry.call(lambda: services.host.journal.tokens.held([player.id]))
    services.sessions.changed(player, held[player.id])


def _too_many(services: Services, client: Client) -> Problem:
    client.monitor.limit("devices_per_player", client.who)
    return Problem(replies.TOO_MANY_DEVICES, count=services.settings.devices_per_player)


def _device_info(token: StoredToken, mine: bytes) -> DeviceInfo:
    return {
        "device": device_id(token.hash),
        "label": token.label,
        "added_at": timestamp(token.added) if token.added else None,
        "used_at": timestamp(token.used) if token.used else None,
        "this": token.hash == mine,
    }
