"""Tells players that it is their move in a game of days: all their clients, and the URL that they have set.

A notice for the URL is stored with the event by which the player comes to move, so no crash loses one. Any node makes
the call, until one is answered with success or enough have failed: the receiver is told at least once, if it can be.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from secrets import token_bytes
from typing import Any

from pydantic_core import to_json

from noughts.bus import Invited
from noughts.gateway.client import Client, load_room
from noughts.gateway.feature import Feature, Reading
from noughts.gateway.replies import Error, Problem, answer
from noughts.gateway.server import Server
from noughts.host import Failed, InDays, RoomUpdate
from noughts.journal import JournalError, Notice, StoredWebhook
from noughts.journal.webhooks import ATTEMPTS
from noughts.projection import called
from noughts.protocol import requests
from noughts.protocol.render import timestamp, your_move
from noughts.webhook.call import CallFailed, post
from noughts.webhook.destination import BadDestination, Destination, destination
from noughts.webhook.signature import SECRET_BYTES, shown_secret, signed_headers

log = logging.getLogger(__name__)

NOT_HERE = Error("not_allowed", "The operator of this server allows no webhooks.")
BAD_URL = Error("not_allowed", "{why}")
TOO_MANY_CALLS = Error("rate_limited", "Too many calls of webhooks, yours or to that host. Wait.")
NO_PLAYER = Error("unknown_player", "There is no such player any more. Connect again.")

PER_PLAYER, PER_HOST = (1 / 60, 30), (2.0, 60)
"""The number of calls a second, and at once, on this node: for one player, and to one host."""

AT_ONCE = 16
"""The number of calls a node makes at the same time, no two of them for the same player: a slow receiver delays its
own."""

STOPS = {
    "webhook_calls": "a player with too many calls of its webhook, or a host that gets too many: 1 a minute, "
    "{} at once; {:g} a second, and {}. They are made later".format(PER_PLAYER[1], *PER_HOST)
}

HELLO = "Noughts will tell you here when it is your move."

Post = Callable[[Destination, bytes, dict[str, str]], Awaitable[None]]


def feature(server: Server) -> Feature:
    """Calls for players whose move it is."""
    calls = YourMove(server)
    return Feature(
        requests={requests.SetWebhook: calls.set, requests.ShowWebhook: calls.show},
        updates={InDays: calls.on_update},
        loops=(calls.run,) if server.settings.webhooks else (),
        close=calls.close,
        readings=(
            Reading("webhook_calls_total", "Calls of webhooks that were answered with success.", lambda: calls.made),
            Reading("webhook_failures_total", "Calls of webhooks that failed.", lambda: calls.failed),
            Reading("webhook_given_up_total", "Players not told: all calls had failed.", lambda: calls.given_up),
        ),
    )


class YourMove:
    """Pushes messages, and makes the calls that are due. ``send`` makes one call, and raises CallFailed."""

    def __init__(
        self,
        server: Server,
        *,
        per_player: tuple[float, int] = PER_PLAYER,
        per_host: tuple[float, int] = PER_HOST,
        send: Post = post,
    ) -> None:
        self.made = self.failed = self.given_up = 0
        self.send = send
        self._server = server
        self._host = server.host
        self._settings = server.settings
        self._sessions = server.sessions
        self._webhooks = server.host.journal.webhooks
        did = "held back the call of a webhook"
        self._by_player = server.limit("webhook_calls", *per_player, did)
        self._by_host = server.limit("webhook_calls", *per_host, did)
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._awake = asyncio.Event()

    def on_update(self, update: RoomUpdate) -> None:
        """Tell the clients of the player who has come to move, on all nodes, and have the webhook called."""
        if not update.ours or (player := called(update.event, update.room)) is None:
            return
        line = to_json(your_move(update.room))
        self._sessions.tell(player, line)
        self._host.bus.send(Invited(player, line))
        self._awake.set()

    async def set(self, client: Client, request: requests.SetWebhook) -> None:
        """Set or end the webhook of the client's player."""
        self._server.check_page(client)
        if request.url is None:
            await self._webhooks.remove(client.player.id)
        elif not self._settings.webhooks:
            raise Problem(NOT_HERE)
        else:
            try:
                destination(request.url, http=self._settings.webhooks_http)
            except BadDestination as error:
                raise Problem(BAD_URL, why=error) from None
            if not await self._webhooks.set(client.player.id, request.url, token_bytes(SECRET_BYTES)):
                raise Problem(NO_PLAYER)
            self._awake.set()
        await self._answer(client, request)

    async def show(self, client: Client, request: requests.ShowWebhook) -> None:
        """Answer with the webhook of the client's player."""
        self._server.check_page(client)
        await self._answer(client, request)

    async def _answer(self, client: Client, request: requests.SetWebhook | requests.ShowWebhook) -> None:
        hook = await self._webhooks.of(client.player.id)
        shown: dict[str, Any] = dict.fromkeys(("url", "secret", "tried_at", "outcome"))
        if hook is not None:
            shown |= {"url": hook.url, "secret": shown_secret(hook.secret), "outcome": hook.outcome}
            shown["tried_at"] = None if hook.tried_at is None else timestamp(hook.tried_at)
        if client.open:
            client.send(answer("webhook", request.id, shown))
            self._server.costs.settle(client)

    async def run(self) -> None:
        """Make the calls that are due, for ever: when a player comes to move here, and otherwise every few seconds."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._server.timing.webhooks_s):
                    await self._awake.wait()
            self._awake.clear()
            with suppress(JournalError):  # it was logged
                await self._look()

    async def close(self) -> None:
        """Give up the calls under way: they are made again, perhaps by another node."""
        for task in list(self._busy.values()):
            task.cancel()
        await asyncio.gather(*self._busy.values(), return_exceptions=True)

    async def _look(self) -> None:
        """Begin the calls that are due, as many as may be made at the same time. Raises JournalError."""
        free = AT_ONCE - len(self._busy)
        if free <= 0:
            return  # whichever ends first looks again
        by_player: dict[str, list[tuple[Notice, StoredWebhook]]] = {}
        for notice, hook in await self._host.retry.once(self._webhooks.take(free, sorted(self._busy))):
            by_player.setdefault(notice.player, []).append((notice, hook))
        for player, due in by_player.items():
            self._busy[player] = asyncio.create_task(self._tell_all(player, due))

    async def _tell_all(self, player: str, due: list[tuple[Notice, StoredWebhook]]) -> None:
        try:
            for notice, hook in due:
                await self._tell(notice, hook)
        except JournalError:
            pass  # it was logged, and the notices are due again
        except Exception:
            log.exception("the call of a webhook failed")
        finally:
            del self._busy[player]
            self._awake.set()

    async def _tell(self, notice: Notice, hook: StoredWebhook) -> None:
        """Make one call, unless the notice is out of date. Raises JournalError."""
        body = await self._body(notice)
        if body is None:
            await self._webhooks.done(notice)
            return
        try:
            to = destination(hook.url, http=self._settings.webhooks_http)
            for limit, key in ((self._by_player, notice.player), (self._by_host, to.host.lower())):
                limit.take(key, notice.player, TOO_MANY_CALLS)
        except Problem as problem:
            wait_ms = round(1000 * (problem.retry_after_s or 0))
            await self._webhooks.put_off(notice, self._host.journal.now() + wait_ms)
            return
        except BadDestination as error:  # the operator allows less than before
            await self._end(notice, str(error), final=True)
            return
        message_id = f"{notice.room or 'hello'}-{notice.version}-{notice.player}"
        try:
            await self.send(to, body, signed_headers(hook.secret, message_id, self._host.journal.now() // 1000, body))
        except CallFailed as failure:
            self.failed += 1
            await self._end(notice, str(failure), final=failure.gone or notice.attempts >= ATTEMPTS)
            if failure.gone:
                await self._webhooks.remove(notice.player)
        else:
            self.made += 1
            await self._webhooks.called(notice, "told", final=True)

    async def _end(self, notice: Notice, why: str, *, final: bool) -> None:
        """Note that a call failed; if it is ``final``, none follows. Raises JournalError."""
        await self._webhooks.called(notice, why, final=final)
        if final:
            self.given_up += 1
            log.warning("player %s is not told by webhook: %s, after %d calls", notice.player, why, notice.attempts)

    async def _body(self, notice: Notice) -> bytes | None:
        """The call to send for ``notice``; None if the player need not be told any more. Raises JournalError."""
        if not notice.room:
            return to_json({"type": "hello", "player": notice.player, "text": HELLO, "content": HELLO})
        try:
            room = self._host.room(notice.room) or await load_room(self._host, notice.room)
        except Failed as failure:
            if failure.code == "overloaded":
                raise JournalError(failure.message) from failure
            return None
        if room.to_move is None or (mover := room.seat(room.to_move)) is None or mover.id != notice.player:
            return None
        message: dict[str, Any] = {**your_move(room), "player": notice.player}
        url = self._settings.public_url
        link = f"{url.rstrip('/')}/rooms/{room.id}" if url else ""
        # What chat services take for a command must not come from a player's name.
        opponent = "".join(each for each in message["opponent"] if each.isalnum() or each in " .-")
        text = f"Your move in {message['title']} against {opponent or 'your opponent'}, until {message['deadline']}."
        text = f"{text} {link}" if link else text
        return to_json({**message, **({"link": link} if link else {}), "text": text, "content": text})
