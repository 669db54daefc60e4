"""Requests that have no answer yet, and what becomes of them when the connection breaks. Does no I/O."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import Any

from noughts.protocol.messages import Ok
from noughts_client.dial import ConnectionLost

REPEATABLE = frozenset(
    {"create", "join", "watch", "play", "seek", "register", "lobby", "analyse", "player", "leaderboard", "ping"}
)
"""Requests that may be sent twice: ``create`` and ``seek`` have their key, ``play`` its turn, the others change nothing
then."""

KEYED = frozenset({"create", "seek"})
"""Requests that may be sent twice because of a key, and get one where they have none."""


@dataclass
class Request:
    """A request without an answer yet; ``resumes`` is the room of a ``watch`` that is the connection's own doing."""

    message: dict[str, Any]
    resumes: str | None = None
    sent: bool = False
    answer: asyncio.Future[Ok] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def fail(self, error: Exception) -> None:
        """Have who waits for the answer get ``error`` instead."""
        if self.resumes is None and not self.answer.done():
            self.answer.set_exception(error)


class Pending:
    """The requests of a connection, by the number that each bears as its ``id``."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._requests: dict[int, Request] = {}

    def add(self, message: dict[str, Any], resumes: str | None = None) -> tuple[int, Request]:
        """A new request and its number."""
        number = next(self._ids)
        self._requests[number] = request = Request(message, resumes)
        return number, request

    def get(self, number: object) -> Request | None:
        """The request of that number, if it has no answer yet; ``number`` may be anything that a server sends."""
        return self._requests.get(number) if isinstance(number, int) else None

    def drop(self, number: int) -> None:
        """Wait for its answer no longer."""
        self._requests.pop(number, None)

    def next_unsent(self) -> tuple[int, Request] | None:
        """The request to be sent next: what takes up a room comes first, then the oldest."""
        unsent = [number for number, request in self._requests.items() if not request.sent]
        if not unsent:
            return None
        first = min(unsent, key=lambda number: (self._requests[number].resumes is None, number))
        return first, self._requests[first]

    def lose(self) -> None:
        """The connection is lost: keep what can be sent again, and give up on the rest."""
        for number, request in list(self._requests.items()):
            if request.resumes:
                del self._requests[number]
            elif request.sent and request.message["type"] not in REPEATABLE:
                request.fail(ConnectionLost("The connection was lost before the answer came."))
            else:
                request.sent = False

    def end(self) -> None:
        """No answer will come any more."""
        for request in self._requests.values():
            request.fail(ConnectionLost("The connection has ended."))
