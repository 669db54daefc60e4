"""One WebSocket, as the client that it connects."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json
from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection

from noughts.config import Settings
from noughts.gateway.lag import Lag
from noughts.gateway.limits import TokenBucket
from noughts.gateway.replies import CloseCode, Problem, error
from noughts.gateway.tasks import Tasks
from noughts.journal import StoredPlayer
from noughts.rooms import Room
from noughts.timing import Timing


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
        self._player: StoredPlayer | None = None
        self._lag = Lag(connection, timing)
        self._backlog = settings.backlog_bytes

    @property
    def identified(self) -> bool:
        return self._player is not None

    @property
    def player(self) -> StoredPlayer:
        assert self._player is not None
        return self._player

    @property
    def subscriber(self) -> Session:
        return self

    @property
    def lag_ms(self) -> int:
        return self._lag.ms

    def identify(self, player: StoredPlayer) -> None:
        self._player = player

    def on_watch(self, room: Room) -> None:
        if room.clocks is not None and room.side_of(self.player.id) is not None:
            self.measure_lag()

    def measure_lag(self) -> None:
        if self.open and self._lag.due:
            self._tasks.spawn(self._lag.measure())

    def send(self, message: Mapping[str, Any]) -> None:
        self.send_encoded(to_json(message))

    def send_encoded(self, message: bytes) -> None:
        broadcast(self._targets, message, text=True)
        self.cut_if_clogged()

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
