"""The client at the other end of one WebSocket."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from pydantic_core import to_json

from noughts.gateway.client import Purse
from noughts.gateway.connection import Connection, framed
from noughts.gateway.deadline import Deadline
from noughts.gateway.limits import TokenBucket
from noughts.gateway.replies import CloseCode, Problem, error
from noughts.gateway.server import Server
from noughts.gateway.work import LONGEST_S, TURN_S
from noughts.journal import StoredPlayer
from noughts.monitor import Monitor
from noughts.rooms import Room

log = logging.getLogger(__name__)

ROUND_TRIPS = 5
"""The number of the latest round trips that are remembered. The shortest counts: one answer may be late for any
reason."""

LOUD_BYTES = 16_384
"""A client that has sent so much since the last tick may be what keeps the event loop busy."""

NO_PURSE = Purse((TokenBucket(1, 1),) * 2, (TokenBucket(1, 1),) * 2)
NOBODY = StoredPlayer("", "", "human", b"")
"""The player and the budgets of a client that is not identified yet."""


class Session:
    """A :class:`~noughts.gateway.client.Client` and :class:`~noughts.gateway.client.Subscriber` over one WebSocket.

    It is the :class:`~noughts.gateway.connection.Listener` of its connection. ``hello`` ends the connection unless the
    client says hello in time.
    """

    __slots__ = (
        "_connection",
        "_dispatcher",
        "_greeting",
        "_next_ping_at",
        "_round_trips",
        "_server",
        "address",
        "behind",
        "cost",
        "hello",
        "identified",
        "joining",
        "lag_ms",
        "legal_moves",
        "messages",
        "open",
        "paused",
        "player",
        "purse",
        "push",
        "rooms",
        "share",
        "silent",
        "written",
    )

    arrived_at = None
    can_seek = True
    connected = True

    def __init__(self, connection: Connection, server: Server, address: str) -> None:
        settings = server.settings
        self.address = address
        self.open = True
        self.paused = False
        self.silent = False
        self.identified = False
        self.player = NOBODY
        self.lag_ms = 0
        self.legal_moves = True
        self.rooms: set[str] = set()
        self.joining: Counter[str] = Counter()
        self.behind: set[str] = set()
        self.messages = TokenBucket(settings.messages_per_s, settings.burst)
        self.share = server.work.share(address, "")
        self.purse = NO_PURSE
        self.cost = self.written = 0
        self.push = connection.push
        self.hello = Deadline(settings.hello_s, lambda: server.host.pulse.late_s, self._is_delayed, self._end_waiting)
        self._greeting: asyncio.Task[None] | None = None
        self._connection = connection
        self._server = server
        self._dispatcher = server.dispatcher
        self._round_trips: deque[float] = deque(maxlen=ROUND_TRIPS)
        self._next_ping_at = 0.0

    @property
    def subscriber(self) -> Session:
        return self

    @property
    def monitor(self) -> Monitor:
        return self._server.host.monitor

    @property
    def who(self) -> str:
        return f"{self.player.id} at {self.address}" if self.identified else self.address

    @property
    def is_loud(self) -> bool:
        return self._connection.heard() > LOUD_BYTES or self.messages.refusals > 0

    def receive(self, message: str | bytes) -> asyncio.Future[None] | None:
        if not self.open:  # a client that is turned away is not heard any more
            return None
        if isinstance(message, bytes):
            self.close(CloseCode.NOT_TEXT, "messages are text")
            return None
        if not self.identified:
            self._greeting = self._server.tasks.spawn(self._greet(message))
            return self._greeting
        began = perf_counter()
        dispatcher, work, share = self._dispatcher, self._server.work, self.share
        try:
            request = dispatcher.parse(self, message)
            if request is not None:
                dispatcher.dispatch(self, request, len(message))
        except Exception:
            self._fail()
        # What Work.note does, without a call: a move passes here.
        seconds = perf_counter() - began
        seconds = min(seconds, LONGEST_S)
        work.spent += seconds
        if not share.used:
            work.users.append(share)
        share.used += seconds
        if work.full or work.spent > TURN_S:
            work.charge(share, seconds)
        return None

    async def _greet(self, message: str) -> None:
        try:
            await self._dispatcher.greet(self, message)
        except Exception:
            self._fail()
        if self.identified and self.open:
            self.hello.cancel()
            self._server.sessions.add(self)

    def _fail(self) -> None:
        log.exception("a session failed")
        self.close(CloseCode.INTERNAL, "the server made a mistake")

    def _is_delayed(self) -> bool:
        """True if the client may have said hello, and the server has not come to it."""
        return self._connection.waiting or (self._greeting is not None and not self._greeting.done())

    def _end_waiting(self) -> None:
        if not self.identified:
            self.monitor.limit("hello_s", self.who, "closed the connection")
            self.close(CloseCode.POLICY, "no hello in time")

    def identify(self, player: StoredPlayer) -> None:
        self.player = player
        self.share = self._server.work.share(self.address, player.id)
        self.purse = self._server.costs.purse(player.id, self.address)
        self.identified = True

    def on_watch(self, room: Room) -> None:
        if room.clocks is not None and room.side_of(self.player.id) is not None:
            self.measure_lag()

    def measure_lag(self) -> None:
        now = self._server.time()
        if self.open and now >= self._next_ping_at:
            self._next_ping_at = now + self._server.timing.ping_s
            self._connection.measure()

    def plays(self) -> bool:
        """True while a person's seat waits for the client. A bot that thinks may not come to answer a ping."""
        if self.player.kind == "bot":
            return False
        host = self._server.host
        return any(
            room is not None
            and room.status != "over"
            and not room.correspondence
            and room.side_of(self.player.id) is not None
            for room in map(host.room, self.rooms)
        )

    def on_silence(self, *, silent: bool) -> None:
        self._server.views.mute(self, silent=silent)

    def on_round_trip(self, seconds: float) -> None:
        self._round_trips.append(seconds)
        self.lag_ms = round(min(self._round_trips) * 1000)

    def on_pause(self) -> None:
        self.paused = True
        self.monitor.limit("update_backlog_bytes", self.who, "held back updates")

    def on_resume(self) -> None:
        self.paused = False
        self._server.subscribers.catch_up(self)

    def send(self, message: Mapping[str, Any]) -> None:
        data = to_json(message)
        self.cost += len(data)
        self.push(framed(data))

    def send_encoded(self, message: bytes) -> None:
        self.cost += len(message)
        self.push(framed(message))

    def tell(self, message: bytes) -> None:
        """Push a message that the client did not ask for, unless it has much unread."""
        if self.open and not self.paused:
            self.push(framed(message))

    def cut(self) -> None:
        """End the connection at once. The client does not read, so it would not see a close frame."""
        self._connection.cut()

    def close(self, code: CloseCode, reason: str) -> None:
        if self.open:
            self.open = False
            self._connection.close(code, reason)

    def dismiss(self, problem: Problem) -> None:
        """Turn away a client whose player may no longer be here, and say why."""
        if self.open:
            self.monitor.refusals[problem.code] += 1
            self.send(error(None, problem.code, problem.message))
            self.close(CloseCode.POLICY, problem.message.rstrip("."))
