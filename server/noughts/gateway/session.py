"""The client at the other end of one WebSocket."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json
from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from noughts.config import Settings
from noughts.gateway.limits import TokenBucket
from noughts.gateway.replies import CloseCode, Problem, error
from noughts.gateway.tasks import Tasks
from noughts.journal import StoredPlayer
from noughts.rooms import Room
from noughts.timing import Timing

NEWEST = 0.25
"""The weight of the newest sample in the mean round trip."""

NOBODY = StoredPlayer("", "", "human", b"")
"""The player of a client that is not identified yet."""


def smoothed(before_s: float | None, sample_s: float) -> float:
    """The exponentially weighted mean of round trips after ``sample_s`` was measured, in seconds."""
    return sample_s if before_s is None else (1 - NEWEST) * before_s + NEWEST * sample_s


class Session:
    """A :class:`~noughts.gateway.client.Client` and :class:`~noughts.gateway.client.Subscriber` over one WebSocket.

    A client with more than ``settings.backlog_bytes`` unread is cut off.
    """

    can_seek = True
    arrived_at = None

    def __init__(
        self,
        connection: ServerConnection,
        settings: Settings,
        tasks: Tasks,
        *,
        newcomers: TokenBucket,
        pages: TokenBucket,
        timing: Timing,
    ) -> None:
        self.connection: ServerConnection | None = connection
        self.open = True
        self.identified = False
        self.player = NOBODY
        self.lag_ms = 0
        self.rooms: set[str] = set()
        self.joining: Counter[str] = Counter()
        self.behind: set[str] = set()
        self.messages = TokenBucket(settings.messages_per_s, settings.burst)
        self.newcomers = newcomers
        self.pages = pages
        self.opening = asyncio.Lock()
        self.open_rooms = settings.rooms_per_player
        self._transport = connection.transport
        self._connection = connection
        self._targets = (connection,)
        self._tasks = tasks
        self._timing = timing
        self._lag_s: float | None = None
        self._measuring = False
        self._next_ping_at = 0.0
        self._backlog = settings.backlog_bytes

    @property
    def subscriber(self) -> Session:
        return self

    def identify(self, player: StoredPlayer) -> None:
        self.player = player
        self.identified = True

    def on_watch(self, room: Room) -> None:
        if room.clocks is not None and room.side_of(self.player.id) is not None:
            self.measure_lag()

    def measure_lag(self) -> None:
        now = asyncio.get_running_loop().time()
        if self.open and not self._measuring and now >= self._next_ping_at:
            self._measuring = True
            self._next_ping_at = now + self._timing.ping_s
            self._tasks.spawn(self._measure_lag())

    async def _measure_lag(self) -> None:
        """Send a ping and time its pong. A pong that takes too long is ignored."""
        try:
            async with asyncio.timeout(self._timing.pong_s):
                pong = await self._connection.ping()
                self._lag_s = smoothed(self._lag_s, await pong)
                self.lag_ms = round(self._lag_s * 1000)
        except (ConnectionClosed, TimeoutError):
            pass
        finally:
            self._measuring = False

    def send(self, message: Mapping[str, Any]) -> None:
        self.send_encoded(to_json(message))

    def send_encoded(self, message: bytes) -> None:
        broadcast(self._targets, message, text=True)
        if self._transport.get_write_buffer_size() > self._backlog:
            self.cut()

    def cut_if_clogged(self) -> None:
        if self._transport.get_write_buffer_size() > self._backlog:
            self.cut()

    def unsent_bytes(self) -> int:
        return self._transport.get_write_buffer_size()

    def cut(self) -> None:
        """End the connection at once. The client does not read, so it would not see a close frame."""
        self.open = False
        self._transport.abort()

    def close(self, code: CloseCode, reason: str) -> None:
        if self.open:
            self.open = False
            self._tasks.spawn(self._connection.close(code, reason))

    def dismiss(self, problem: Problem) -> None:
        """Turn away a client whose player may no longer be here, and say why."""
        if self.open:
            self.send(error(None, problem.code, problem.message))
            self.close(CloseCode.POLICY, problem.message.rstrip("."))
