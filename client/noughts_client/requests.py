"""Requests without an answer yet: which of them survive a lost connection, and how fast they are sent again."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from noughts.games.catalogue import parts_of
from noughts.protocol.messages import Ok
from noughts_client.handshake import ConnectionLost

REPEATABLE = frozenset(
    {
        *("create", "join", "invite", "watch", "leave", "play", "seek", "take", "unseek"),
        *(
            "register",
            "lobby",
            "games",
            "analyse",
            "review",
            "trace",
            "puzzles",
            "puzzle",
            "puzzle_move",
            "puzzle_hint",
            "puzzle_proof",
            "puzzle_set",
            "playouts",
            "replay",
            "read",
            "write",
            "chat_history",
            "mute",
            "enter",
            "webhook",
            "muted",
            "legal_moves",
            "player",
            "leaderboard",
            "stakes",
            "tournaments",
            "tournament",
            "ping",
        ),
        *("devices", "add_device", "recovery_code", "qr"),
        *("enter_tournament", "start_tournament", "pause_tournament", "resume_tournament", "end_tournament"),
        *("open_tournament", "withdraw", "adjudicate"),
        *("classes", "class", "class_games", "change_class", "join_class", "leave_class", "ask_help", "answer_help"),
    }
)
"""Requests that are safe to send twice: ``create`` and ``seek`` carry a key and ``play`` its turn; the others change
nothing the second time, or replace what the first has made."""

KEYED = frozenset({"create", "seek"})
"""Requests that are safe to send twice because of their key. They get one if they have none."""


def game_terms(name: str) -> dict[str, Any]:
    """The fields of a request for the game of that name, such as ``breakthrough`` or ``breakthrough?size=6``."""
    key, chosen = parts_of(name)
    return {"game": key, "setup": dict(chosen)} if chosen else {"game": key}


@dataclass
class Request:
    """A request without an answer yet. If the connection itself sent it to resume a room, ``resumes`` is that room."""

    message: dict[str, Any]
    resumes: str | None = None
    sent: bool = False
    answer: asyncio.Future[Ok] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def fail(self, error: Exception) -> None:
        """Raise ``error`` in the caller that waits for the answer."""
        if self.resumes is None and not self.answer.done():
            self.answer.set_exception(error)


class PendingRequests:
    """The requests of a connection, by the number that each carries as its ``id``."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._requests: dict[int, Request] = {}

    def add(self, message: dict[str, Any], resumes: str | None = None) -> tuple[int, Request]:
        """A new request and its number."""
        number = next(self._ids)
        self._requests[number] = request = Request(message, resumes)
        return number, request

    def get(self, number: object) -> Request | None:
        """The request with that number, if it has no answer yet. The server chooses ``number``: it may be anything."""
        return self._requests.get(number) if isinstance(number, int) else None

    def drop(self, number: int) -> None:
        """Stop waiting for an answer."""
        self._requests.pop(number, None)

    def next_unsent(self) -> tuple[int, Request] | None:
        """The request to send next: first those that resume a room, then the oldest."""
        unsent = [number for number, request in self._requests.items() if not request.sent]
        if not unsent:
            return None
        first = min(unsent, key=lambda number: (self._requests[number].resumes is None, number))
        return first, self._requests[first]

    def connection_lost(self) -> None:
        """Keep the requests that are safe to send again, and fail the others."""
        for number, request in list(self._requests.items()):
            if request.resumes:
                del self._requests[number]
            elif request.sent and request.message["type"] not in REPEATABLE:
                request.fail(ConnectionLost("The connection was lost before the answer came."))
            else:
                request.sent = False

    def fail_all(self) -> None:
        """Fail every request: the connection has ended."""
        for request in self._requests.values():
            request.fail(ConnectionLost("The connection has ended."))


class Pacer:
    """Holds requests that the server refused as too fast, and hands their numbers to ``send`` one by one."""

    def __init__(self, send: Callable[[int], Awaitable[None]]) -> None:
        self._send = send
        self._held: deque[int] = deque()
        self._task: asyncio.Task[None] | None = None

    def hold(self, number: int, wait_s: float, interval_s: float) -> None:
        """Queue a request. The queue's first is sent after ``wait_s``, and the others ``interval_s`` apart.

        All of them are refused with the same wait. Sent at the same time, all but one would be refused again.
        """
        self._held.append(number)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(wait_s, interval_s))

    def close(self) -> None:
        """Send no more."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, wait_s: float, interval_s: float) -> None:
        while self._held:
            await asyncio.sleep(wait_s)
            wait_s = interval_s
            await self._send(self._held.popleft())
