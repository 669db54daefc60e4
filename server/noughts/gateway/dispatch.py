"""From a frame to the handler of its request. Nothing that a client sends raises here, or waits for the client."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from noughts.gateway import replies
from noughts.gateway.client import Client, refuse
from noughts.gateway.feature import Handler
from noughts.gateway.replies import CloseCode, Problem, error
from noughts.gateway.tasks import Tasks
from noughts.gateway.work import PARSED, REQUEST_BYTES, RETRY_S, Overloaded, Work
from noughts.host import Failed
from noughts.journal import JournalError
from noughts.monitor import Monitor
from noughts.protocol import requests
from noughts.protocol.parsing import Parser, id_of, parser_of
from noughts.protocol.room_messages import RequestId
from noughts.rooms import Refused

log = logging.getLogger(__name__)


class Dispatcher:
    """Takes the frames of all clients.

    ``handlers`` has the handler of each type of request. ``work`` shares the event loop's time among clients, ``tasks``
    keeps the requests that wait, ``monitor`` counts, and ``time`` is the event loop's.
    """

    def __init__(self, work: Work, tasks: Tasks, monitor: Monitor, time: Callable[[], float]) -> None:
        self.handlers: dict[type, Handler] = {}
        self._work = work
        self._tasks = tasks
        self._monitor = monitor
        self._time = time
        self._parser: Parser | None = None

    def add(self, handlers: Mapping[type, Handler]) -> None:
        """Take these requests, too. Raises ValueError if one of them is taken already."""
        for request, handler in handlers.items():
            if request in self.handlers:
                raise ValueError(f"{request.__name__} has two handlers")
            self.handlers[request] = handler
        self._parser = None

    async def greet(self, client: Client, frame: str | bytes) -> None:
        """Take a frame of a client that is not identified yet: only ``hello`` will do."""
        await self._work.driven(client.share, self._greet(client, frame), lambda: client.open)

    async def _greet(self, client: Client, frame: str | bytes) -> None:
        request = self.parse(client, frame)
        if isinstance(request, requests.Hello):
            self._monitor.requests[request.type] += 1
            hello = self.handlers[requests.Hello](client, request)
            assert hello is not None
            await self._finish(client, request.id, hello)
        elif request is not None:
            refuse(client, request.id, Problem(replies.NOT_IDENTIFIED))

    def dispatch(self, client: Client, request: Any, size: int) -> None:
        """Carry out a request of an identified client, which came in ``size`` bytes."""
        self._monitor.requests[request.type] += 1
        try:
            work = self.handlers[type(request)](client, request)
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
        self._tasks.spawn(driven).add_done_callback(lambda _: self._work.release(share, size))

    def parse(self, client: Client, frame: str | bytes) -> Any:
        """The request in ``frame``; None if it was answered with an error."""
        if wait_s := client.messages.take(self._time()):
            self._refuse_flood(client, frame, wait_s)
            return None
        parser = self._parser
        if parser is None:  # now all requests are known
            parser = self._parser = parser_of(tuple(self.handlers))
        try:
            return parser.validate(frame)
        except ValidationError as invalid:
            bad = parser.explain(frame, invalid)
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
