"""The connections of one port: what they have in common, and what they tell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from websockets.http11 import Request, Response

from noughts.gateway.work import Share, Work

C = TypeVar("C")
"""A :class:`~noughts.gateway.connection.Connection`, which imports this."""


class Listener(Protocol):
    """Whoever is at this end of a connection. Nothing is sent to it once ``open`` is false."""

    open: bool

    @property
    def who(self) -> str:
        """Whom the log names."""

    @property
    def share(self) -> Share:
        """The share whose processor time its messages take."""

    def receive(self, message: str | bytes) -> asyncio.Future[None] | None:
        """Take a message, bytes if it is binary. If a future is returned, the next message comes once that is done."""

    def on_pause(self) -> None:
        """Much is unsent: the client reads too slowly."""

    def on_resume(self) -> None:
        """The client has caught up."""

    def on_round_trip(self, seconds: float) -> None:
        """The answer to :meth:`~noughts.gateway.connection.Connection.measure` has arrived."""

    def plays(self) -> bool:
        """True if somebody waits for the client, so that a silence matters."""

    def on_silence(self, *, silent: bool) -> None:
        """The client, which plays, has sent nothing since a ping; or it is heard again."""


@dataclass(frozen=True, slots=True)
class Pool(Generic[C]):
    """The connections of one port: what they have in common, and their limits.

    ``respond`` answers the request of a connection; None opens a WebSocket, whose messages go to the listener that
    ``listen`` then makes. ``on_end`` is called with the listener of each WebSocket that has ended. ``enter`` says
    whether a connection that was accepted from a peer may stay, and ``leave`` is called when any ends. ``limit`` is
    called with the name of a limit, whom it stopped, and how. ``work`` says whose frames must wait, and counts the
    ticks in which it is noted how much each client sends.

    A message has at most ``message_bytes``. A client that has more than ``soft_bytes`` unread is slow; its connection
    is cut off after ``slow_reader_s``, and with more than ``backlog_bytes`` at once. A client may send
    ``frames_per_s`` on average and ``frames`` at once; ``hello_s`` is how long it may take to send its request, and
    ``close_s`` to end a connection that the server has closed. It is sent a ping every ``keepalive_s``, and cut off if
    it sends nothing until the next. A round trip of more than ``pong_s`` is ignored. ``late_s`` is for how many seconds
    in all the event loop was late: a client is not cut off for those.

    ``unflushed`` have something to write in this turn of the loop.
    """

    respond: Callable[[C, Request], Awaitable[Response | None]]
    listen: Callable[[C], Listener]
    _: KW_ONLY
    on_end: Callable[[Any], None] = lambda _: None
    enter: Callable[[C, str], bool] = lambda _connection, _peer: True
    leave: Callable[[C], None] = lambda _: None
    limit: Callable[[str, str, str], None] = lambda _name, _who, _did: None
    work: Work = field(default_factory=Work)
    message_bytes: int = 16_384
    soft_bytes: int = 65_536
    slow_reader_s: float = 30.0
    backlog_bytes: int = 2**20
    frames_per_s: float = 1e6
    frames: int = 1_000_000
    hello_s: float = 10.0
    close_s: float = 1.0
    keepalive_s: float = 20.0
    pong_s: float = 5.0
    late_s: Callable[[], float] = lambda: 0.0
    connections: set[C] = field(default_factory=set)
    unflushed: list[C] = field(default_factory=list)
