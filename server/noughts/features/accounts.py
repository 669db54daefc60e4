"""Identity: hello, registered names, and the devices on which a player is signed in, each by a token of its own."""

from __future__ import annotations

from dataclasses import replace

from noughts.gateway.client import Client, check_ban
from noughts.gateway.feature import Feature
from noughts.gateway.guests import new_player, store_again
from noughts.gateway.registry import player_with
from noughts.gateway.replies import TOKEN_ENDED, Error, Problem, answer, ok, player_info, welcome
from noughts.gateway.server import Server
from noughts.journal import StoredPlayer, StoredToken
from noughts.journal.tokens import JOIN_MS, Purpose
from noughts.players.names import another_name, is_computers, is_invisible, is_reserved, name_key
from noughts.players.tokens import code_hash, device_id, new_join_code, new_recovery_code, new_token, token_hash
from noughts.protocol import requests
from noughts.protocol.player_messages import DeviceInfo
from noughts.protocol.render import timestamp
from noughts.protocol.words import PROTOCOL

HELLO_TWICE = Error("not_allowed", "You have already said hello.")
UNSUPPORTED_PROTOCOL = Error("unsupported_protocol", "This server speaks protocol {version}.")
INVISIBLE_NAME = Error("bad_message", "name: 1 to 32 visible characters, with no blank at either end")
NAME_TAKEN_AT_HELLO = Error(
    "name_taken",
    "That name is registered, or looks like one that is. Sign in with its token or choose another, such as {other}.",
)
NAME_TAKEN = Error(
    "name_taken",
    "That name, or one that looks like it, is registered to somebody else. Choose another, such as {other}.",
)
NAME_RESERVED = Error(
    "name_taken", "That name is reserved, or looks like one that is. Choose another, such as {other}."
)
NAME_OF_COMPUTER = Error(
    "name_taken", "That name looks like the computer's. Choose another, such as {other}, or give none."
)
NAME_IS_FIXED = Error("not_allowed", "Your registered name is {name}; it cannot be changed.")
BAD_CODE = Error("bad_code", "This code does not work: it was mistyped, has been used or replaced, or is too old.")
TOO_MANY_NEWCOMERS = Error("rate_limited", "Too many new players from your address. Wait, or send a token.")
TOO_MANY_CHANGES = Error("rate_limited", "Too many changes of names and tokens from your address. Wait.")
TOO_MANY_CODES = Error("rate_limited", "Too many wrong codes from your address. Wait before the next.")
TOO_MANY_DEVICES = Error("not_allowed", "A player has at most {count} devices. Sign out one of them first.")
UNKNOWN_DEVICE = Error("not_allowed", "You have no device with that id.")

NEWCOMERS_PER_S = 1.0
"""The number of new players an address may make a second, on average; at once as many as a burst of messages. Changes
of names, tokens and codes count as well: each is stored."""

STOPS = {
    "newcomers": "an address with too many new players, or changes of names, tokens and codes: "
    f"{NEWCOMERS_PER_S:g} a second, `--burst` at once"
}


def feature(server: Server) -> Feature:
    """Accounts: who players are, and how they prove it."""
    accounts = Accounts(server)
    return Feature(
        requests={
            requests.Hello: accounts.hello,
            requests.Register: accounts.register,
            requests.RenewToken: accounts.renew_token,
            requests.ListDevices: accounts.list_devices,
            requests.AddDevice: accounts.add_device,
            requests.Redeem: accounts.redeem,
            requests.Enter: accounts.enter,
            requests.SignOut: accounts.sign_out,
            requests.MakeRecoveryCode: accounts.make_recovery_code,
        }
    )


class Accounts:
    """Carries out requests about names, tokens and codes. One address may not make too many changes, or guesses."""

    def __init__(self, server: Server) -> None:
        settings = server.settings
        self._server = server
        self._host = server.host
        self._people = server.host.journal.people
        self._tokens = server.host.journal.tokens
        self._retry = server.host.retry
        self._sessions = server.sessions
        did = "refused a new player, name or token"
        self._newcomers = server.limit("newcomers", NEWCOMERS_PER_S, settings.burst, did)
        self._codes = server.limit(
            "codes_per_minute", settings.codes_per_minute / 60, settings.codes_per_minute, "refused a request"
        )

    async def hello(self, client: Client, request: requests.Hello) -> None:
        """Identify the client by its token, or as a new player."""
        if client.identified:
            raise Problem(HELLO_TWICE)
        if request.protocol != PROTOCOL:
            raise Problem(UNSUPPORTED_PROTOCOL, version=PROTOCOL)
        if request.token is None:
            player, token = await self._new_player(client, request)
        else:
            player, token = await player_with(self._host, request.token), request.token
        client.identify(player)
        client.legal_moves = request.legal_moves
        server = self._server
        facts = [server.facts, server.newcomer_facts(player)]
        if request.games:
            facts.insert(0, server.catalogue)
        client.send_encoded(welcome(request.id, player, token, facts, self._host.journal.now()))

    async def register(self, client: Client, request: requests.Register) -> None:
        """Register the player's name: from now on nobody else can use it."""
        self._newcomers.take(client.address, client.who, TOO_MANY_CHANGES)
        async with self._sessions.changing:
            if not client.open:
                return
            player, people, retry = client.player, self._people, self._retry
            name = player.name if request.name is None else request.name
            if player.registered and name_key(name) != name_key(player.name):
                raise Problem(NAME_IS_FIXED, name=player.name)
            if is_invisible(name):
                raise Problem(INVISIBLE_NAME)
            stays = player.registered and name == player.name  # though it may be reserved now, or look like another
            if not stays and is_reserved(name):
                raise Problem(NAME_RESERVED, other=another_name(name))
            await self._make_sure_stored(client)
            if not await retry.call(lambda: people.register(player.id, name)):
                found = await retry.call(lambda: people.find(player.id))
                if found is not None and found.registered and name_key(found.name) != name_key(name):  # on another node
                    raise Problem(NAME_IS_FIXED, name=found.name)
                raise Problem(NAME_TAKEN, other=another_name(name))
            registered = replace(player, name=name, registered=True)
            self._changed(client, registered)
            client.send(ok(request.id, player=player_info(registered)))

    async def list_devices(self, client: Client, request: requests.ListDevices) -> None:
        """Answer with the player's devices, and when its recovery code was made."""
        self._server.check_page(client)
        player, tokens = client.player, self._tokens
        devices = [_device_info(token, player.token_hash) for token in await tokens.of(player.id)]
        made = await tokens.recovery_made(player.id)
        if client.open:
            recovery_at = None if made is None else timestamp(made)
            client.send(answer("devices", request.id, {"devices": devices, "recovery_at": recovery_at}))

    async def add_device(self, client: Client, request: requests.AddDevice) -> None:
        """Make a code with which another device can sign in as the player, within minutes and once."""
        self._newcomers.take(client.address, client.who, TOO_MANY_CHANGES)
        if len(await self._tokens.of(client.player.id)) >= self._server.settings.devices_per_player:
            raise self._too_many(client)
        code = new_join_code()
        await self._put_code(client, "join", code)
        if client.open:
            client.send(ok(request.id, code=code, expires_at=timestamp(self._host.journal.now() + JOIN_MS)))

    async def make_recovery_code(self, client: Client, request: requests.MakeRecoveryCode) -> None:
        """Make a code with which the player can sign in when all devices are lost. It replaces the one before."""
        self._newcomers.take(client.address, client.who, TOO_MANY_CHANGES)
        code = new_recovery_code()
        await self._put_code(client, "recovery", code)
        if client.open:
            client.send(ok(request.id, code=code))

    async def redeem(self, client: Client, request: requests.Redeem) -> None:
        """Give a token of the player who made a code, or only say who that is. The client itself stays who it is."""
        self._codes.take(client.address, client.who, TOO_MANY_CODES)
        tokens, retry, code = self._tokens, self._retry, code_hash(request.code)
        player = await tokens.find_by_code(code)
        if player is None:
            raise Problem(BAD_CODE)
        self._codes.give_back(client.address)  # only wrong codes count: a class may sit behind one address
        check_ban(player, self._host.journal.now())
        if request.preview:
            client.send(ok(request.id, player=player_info(player)))
            return
        self._newcomers.take(client.address, client.who, TOO_MANY_CHANGES)
        token, label, limit = new_token(), request.client or "", self._server.settings.devices_per_player
        async with self._sessions.changing:
            if not await retry.call(lambda: tokens.redeem(code, token_hash(token), label, limit)):
                if await tokens.find_by_code(code) is None:
                    raise Problem(BAD_CODE)
                raise self._too_many(client)
            await self._tokens_changed(player)
        if client.open:
            client.send(ok(request.id, player=player_info(player), token=token))

    async def enter(self, client: Client, request: requests.Enter) -> None:
        """Let the client's player in by an invitation, where the server asks for one."""
        members, player, code = self._server.members, client.player, code_hash(request.code)
        if members.most(player) is not None:
            members.check_open()
            self._codes.take(client.address, client.who, TOO_MANY_CODES)
            async with self._sessions.changing:
                if not client.open:
                    return
                await self._make_sure_stored(client)
                used = await self._retry.call(lambda: self._host.journal.passes.use(code, player.id))
                # Used up, or by this player in an earlier attempt, whose answer was lost.
                found = None if used else await self._people.find(player.id)
                if not used and (found is None or not found.invited):
                    raise Problem(BAD_CODE)
                self._changed(client, replace(client.player, invited=True))
            self._codes.give_back(client.address)
        client.send(ok(request.id, player=player_info(client.player)))

    async def renew_token(self, client: Client, request: requests.RenewToken) -> None:
        """Give the client a new token in place of its own."""
        self._newcomers.take(client.address, client.who, TOO_MANY_CHANGES)
        async with self._sessions.changing:
            if not client.open:
                return
            await self._make_sure_stored(client)
            token, player = new_token(), client.player
            before, after = player.token_hash, token_hash(token)

            async def put() -> bool:
                # The hash is new, so whoever has it got it in an earlier attempt, whose answer was lost.
                renewed = await self._tokens.renew(player.id, before, after)
                return renewed or await self._people.find_by_token(after) is not None

            if not await self._retry.call(put):
                raise Problem(TOKEN_ENDED)
            client.identify(replace(player, token_hash=after))
            await self._tokens_changed(player)
            client.send(ok(request.id, token=token))

    async def sign_out(self, client: Client, request: requests.SignOut) -> None:
        """Take tokens from the player: the connections that came with them end."""
        self._newcomers.take(client.address, client.who, TOO_MANY_CHANGES)
        async with self._sessions.changing:
            if not client.open:
                return
            await self._make_sure_stored(client)
            player, tokens, retry = client.player, self._tokens, self._retry
            mine = player.token_hash
            match request.device:
                case "others":
                    await retry.call(lambda: tokens.end_all(player.id, mine, but=mine))
                case "all":
                    await retry.call(lambda: tokens.end_all(player.id, mine))
                case device:
                    hashed = mine if device == "this" else await self._find(player, device)
                    await retry.call(lambda: tokens.end(player.id, mine, hashed))
            client.send(ok(request.id))
            await self._tokens_changed(player)

    async def _find(self, player: StoredPlayer, device: str) -> bytes:
        for token in await self._tokens.of(player.id):
            if device_id(token.hash) == device:
                return token.hash
        raise Problem(UNKNOWN_DEVICE)

    async def _put_code(self, client: Client, purpose: Purpose, code: str) -> None:
        """Store a code of the client's player. Raises a problem if the client's token has been taken elsewhere."""
        async with self._sessions.changing:
            await self._make_sure_stored(client)
            player, tokens, hashed = client.player, self._tokens, code_hash(code)
            if not await self._retry.call(lambda: tokens.put_code(player.id, player.token_hash, purpose, hashed)):
                raise Problem(TOKEN_ENDED)

    async def _tokens_changed(self, player: StoredPlayer) -> None:
        """End the connections of the player that came with a token that is no longer valid."""
        held = await self._retry.call(lambda: self._tokens.held([player.id]))
        self._sessions.changed(player, held[player.id])

    async def _make_sure_stored(self, client: Client) -> None:
        """Store the client's player if the journal has forgotten it. Raises JournalError."""
        player = client.player
        stored = await self._retry.call(lambda: store_again(self._host.journal, player))
        if stored != player:
            self._changed(client, stored)

    async def _new_player(self, client: Client, request: requests.Hello) -> tuple[StoredPlayer, str]:
        if request.name is not None and is_invisible(request.name):
            raise Problem(INVISIBLE_NAME)
        if request.name is not None and is_computers(request.name):
            raise Problem(NAME_OF_COMPUTER, other=another_name(request.name))
        self._newcomers.take(client.address, client.who, TOO_MANY_NEWCOMERS)
        found = await new_player(self._host.journal, request.name, bot=request.bot, label=request.client or "")
        if found is None:
            assert request.name is not None
            raise Problem(NAME_TAKEN_AT_HELLO, other=another_name(request.name))
        return found

    def _changed(self, client: Client, player: StoredPlayer) -> None:
        client.identify(player)
        self._sessions.changed(player)

    def _too_many(self, client: Client) -> Problem:
        client.monitor.limit("devices_per_player", client.who)
        return Problem(TOO_MANY_DEVICES, count=self._server.settings.devices_per_player)


def _device_info(token: StoredToken, mine: bytes) -> DeviceInfo:
    return {
        "device": device_id(token.hash),
        "label": token.label,
        "added_at": timestamp(token.added) if token.added else None,
        "used_at": timestamp(token.used) if token.used else None,
        "this": token.hash == mine,
    }
