"""From a frame to the handler of its request. Nothing that a client sends raises here, or waits for the client."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from time import perf_counter
from typing import Any

from pydantic_core import from_json

from noughts.gateway import accounts, create, devices, links, my_games, play, profiles, replay, replies, taking
from noughts.gateway.client import Client, refuse
from noughts.gateway.replies import CloseCode, Problem, answer, error
from noughts.gateway.services import Services
from noughts.gateway.work import LONGEST_S, PARSED, REQUEST_BYTES, RETRY_S, TURN_S, Overloaded
from noughts.host import Failed
from noughts.journal import JournalError
from noughts.protocol import requests
from noughts.protocol.messages import RequestId
from noughts.protocol.parsing import BadRequest, id_of, parse
from noughts.protocol.render import timestamp
from noughts.protocol.requests import AnyRequest
from noughts.rooms import Refused

log = logging.getLogger(__name__)

Handler = Callable[[Client, Any], Coroutine[Any, Any, None] | None]
"""Carries out a request of a client and answers it. It may raise :class:`~noughts.gateway.replies.Problem`.

A handler that has to wait is a coroutine function, which runs in a task; it may raise JournalError as well.
"""


def handlers(services: Services) -> Mapping[type, Handler]:
    """The handler of each type of request."""
    return {
        requests.Hello: refuse_hello,
        requests.Ping: partial(handle_ping, services),
        requests.Play: partial(play.handle_play, services),
        requests.TableRequest: partial(play.handle_table_request, services),
        requests.Claim: partial(play.handle_claim, services),
        requests.Create: partial(create.handle_create, services),
        requests.Join: partial(play.handle_join, services),
        requests.Invite: services.invitations.handle_invite,
        requests.Watch: partial(play.handle_watch, services),
        requests.Leave: partial(play.handle_leave, services),
        requests.Seek: partial(play.handle_seek, services),
        requests.Take: partial(taking.handle_take, services),
        requests.Unseek: partial(play.handle_unseek, services),
        requests.Chat: services.chat.handle_chat,
        requests.ChatHistory: services.chat.handle_history,
        requests.Lobby: services.lobby.handle_lobby,
        requests.Analyse: services.analyses.handle_analyse,
        requests.MyGames: partial(my_games.handle_games, services),
        requests.Review: services.reviews.handle_review,
        requests.Trace: services.traces.handle_trace,
        requests.Replay: partial(replay.handle_replay, services),
        requests.AboutPlayer: partial(profiles.handle_player, services),
        requests.Leaderboard: partial(profiles.handle_leaderboard, services),
        requests.Register: partial(accounts.handle_register, services),
        requests.RenewToken: partial(devices.handle_renew_token, services),
        requests.ListDevices: partial(devices.handle_devices, services),
        requests.AddDevice: partial(devices.handle_add_device, services),
        requests.Redeem: partial(devices.handle_redeem, services),
        requests.SignOut: partial(devices.handle_sign_out, services),
        requests.MakeRecoveryCode: partial(devices.handle_recovery_code, services),
        requests.QrCode: partial(links.handle_qr, services),
    }


class Dispatcher:
    """Takes the frames of all clients."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._handlers = handlers(services)
        self._monitor = services.host.monitor
        self._work = services.work

    async def greet(self, client: Client, frame: str | bytes) -> None:
        """Take a frame of a client that is not identified yet: only ``hello`` will do."""
        await self._work.driven(client.share, self._greet(client, frame), lambda: client.open)

    async def _greet(self, client: Client, frame: str | bytes) -> None:
        request = self.parse(client, frame)
        if isinstance(request, requests.Hello):
            self._monitor.requests[request.type] += 1
            await self._finish(client, request.id, accounts.handle_hello(self._services, client, request))
        elif request is not None:
            refuse(client, request.id, Problem(replies.NOT_IDENTIFIED))

    def receive(self, client: Client, frame: str | bytes) -> None:
        """Take a frame of an identified client."""
        began = perf_counter()
        request = self.parse(client, frame)
        if request is not None:
            self.dispatch(client, request, len(frame))
        # What Work.note does, without a call: a move passes here.
        work, share, seconds = self._work, client.share, min(perf_counter() - began, LONGEST_S)
        work.spent += seconds
        if not share.used:
            work.users.append(share)
        share.used += seconds
        if work.full or work.spent > TURN_S:
            work.charge(share, seconds)

    def dispatch(self, client: Client, request: AnyRequest, size: int) -> None:
        """Carry out a request of an identified client, which came in ``size`` bytes."""
        self._monitor.requests[request.type] += 1
        try:
            work = self._handlers[type(request)](client, request)
        except Problem as problem:
            refuse(client, request.id, problem)
            return
        except Exception:
            log.exception("a request failed")
            refuse(client, request.id, Problem(replies.INTERNAL))
            return
        if work is not None:
            self._begin(client, request.id, work, REQUEST_BYTES + PARSED * size)

    def _begin(self, client: Client, request_id: RequestId, work: Coroutine[Any, Any, None], size: int) -> None:
        """Carry out a request in a task of its own, unless too much is to be done already."""
        share = client.share
        try:
            self._work.hold(share, size)
        except Overloaded:
            work.close()
            refuse(client, request_id, Problem(replies.TOO_MUCH_WORK, retry_after_s=RETRY_S))
            return
        driven = self._work.driven(share, self._finish(client, request_id, work), lambda: client.open)
        self._services.tasks.spawn(driven).add_done_callback(lambda _: self._work.release(share, size))

    def parse(self, client: Client, frame: str | bytes) -> AnyRequest | None:
        """The request in ``frame``; None if it was answered with an error."""
        wait_s = client.messages.take(self._services.time())
        if wait_s:
            self._refuse_flood(client, frame, wait_s)
            return None
        try:
            return parse(frame)
        except BadRequest as bad:
            self._monitor.refusals[bad.code] += 1
            client.send(error(bad.id, bad.code, bad.message))
            return None

    def _refuse_flood(self, client: Client, frame: str | bytes, wait_s: float) -> None:
        closes = client.messages.refusals > 2 * client.messages.burst
        self._monitor.limit("messages_per_s", client.who, "closed the connection" if closes else "refused a message")
        if closes:
            client.close(CloseCode.POLICY, "too many messages")
            return
        try:
            request_id = id_of(from_json(frame))
        except ValueError:
            request_id = None
        refuse(client, request_id, Problem(replies.TOO_MANY_MESSAGES, retry_after_s=wait_s))

    async def _finish(self, client: Client, request_id: RequestId, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (Problem, Refused, Failed) as problem:
            refuse(client, request_id, problem)
        except JournalError:
            refuse(client, request_id, Problem(replies.UNKNOWN_OUTCOME))
        except Exception:
            log.exception("a request failed")
            refuse(client, request_id, Problem(replies.INTERNAL))


def refuse_hello(_client: Client, _request: requests.Hello) -> None:
    """A client says hello once."""
    raise Problem(replies.HELLO_TWICE)


def handle_ping(services: Services, client: Client, request: requests.Ping) -> None:
    """Answer with the server's time."""
    client.send(answer("pong", request.id, {"now": timestamp(services.host.journal.now())}))
