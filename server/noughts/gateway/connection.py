"""One WebSocket: its request and whole messages in, frames out, floods of frames, and slow readers.

This uses the public interface of ``websockets`` alone. :mod:`noughts.gateway.wire` has a cheaper form for one version.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any, Protocol

from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode as LibraryCode
from websockets.protocol import State

from noughts.gateway.entrance import Stage
from noughts.gateway.frames import PAUSE_S, TURN_FRAMES, FrameBudget, frame_end
from noughts.gateway.replies import CloseCode
from noughts.gateway.work import HANDSHAKE_S, Overloaded, Share, Work

REST_BYTES = 1_048_576
"""How much of a flood is kept where reading cannot be paused; with more the connection is closed."""

REQUEST_BYTES = 16_384
"""How much of a request, and of what follows it before it is answered, is kept."""

HANDSHAKE, BUDGET, HELD, FAILED = 1, 2, 4, 8
"""Why a connection takes no frames: it is not handed over yet, its frames are spent, or it has failed and all that
comes is dropped. While it is held it takes frames, but no longer reads: a message must wait for the one before."""

_BODY = re.compile(rb"\r\n(?=(?:content-length:(?![ \t]*0[ \t]*\r\n)|transfer-encoding:))", re.IGNORECASE)
"""Where a request says that it has a body."""


DELAYED_S = 0.1
"""How often to look whether a client that is late waits for the server."""


def _never() -> bool:
    return False


def _nothing() -> None:
    """What is called of a deadline that was cancelled."""


class Deadline:
    """Calls ``expire`` after so many ``seconds``, not counting those in which the server was late.

    ``late_s`` is for how many seconds that was so far. While the client ``is_delayed`` it waits for the server.
    """

    __slots__ = ("_expire", "_is_delayed", "_late_before_s", "_late_s", "_timer")

    def __init__(
        self, seconds: float, late_s: Callable[[], float], is_delayed: Callable[[], bool], expire: Callable[[], None]
    ) -> None:
        self._late_s = late_s
        self._late_before_s = late_s()
        self._is_delayed = is_delayed
        self._expire = expire
        self._timer = asyncio.get_running_loop().call_later(seconds, self._check)

    def cancel(self) -> None:
        """Do not call. Nothing is kept either, so that whoever has this can be freed at once."""
        self._timer.cancel()
        self._is_delayed, self._expire = _never, _nothing

    def _check(self) -> None:
        before_s, self._late_before_s = self._late_before_s, self._late_s()
        more_s = max(self._late_before_s - before_s, DELAYED_S * self._is_delayed())
        if more_s:
            self._timer = asyncio.get_running_loop().call_later(more_s, self._check)
        else:
            self._expire()


class Listener(Protocol):
    """Whoever is at this end of a connection. Nothing is sent to it once ``open`` is false."""

    open: bool

    @property
    def who(self) -> str:
        """Whom the log names."""

    @property
    def share(self) -> Share:
        """Whose processor time its messages take."""

    def receive(self, message: str | bytes) -> asyncio.Future[None] | None:
        """Take a message, bytes if it is binary. If a future is returned, the next message comes once that is done."""

    def on_pause(self) -> None:
        """Much is unsent: the client reads too slowly."""

    def on_resume(self) -> None:
        """The client has caught up."""

    def on_round_trip(self, seconds: float) -> None:
        """The answer to :meth:`Connection.measure` has arrived."""


class Pool:
    """The connections of one server, and their limits.

    A message has at most ``message_bytes``. A connection is cut off with more than ``backlog_bytes`` unsent, and when
    its client is slow for ``slow_reader_s``. A round trip of more than ``pong_s`` is ignored. ``on_end`` is called with
    the listener of each connection that has ended. ``unflushed`` have something to write in this turn of the loop.

    A client may send ``frames_per_s`` on average and ``frames`` at once; ``hello_s`` is how long it may take to send
    its request. ``limit`` is called with the name of a limit and whom it stopped. ``enter`` says whether a
    connection that was accepted may stay, and ``leave`` is called when any ends.
    ``tick`` counts intervals in which it is noted how much each client sends. ``work`` says whose frames must wait.
    ``late_s`` is for how many seconds in all the event loop was late: a client is not cut off for those.
    """

    def __init__(
        self,
        message_bytes: int,
        backlog_bytes: int,
        slow_reader_s: float,
        pong_s: float,
        on_end: Callable[[Any], None] = lambda _: None,
        *,
        frames_per_s: float = 1e6,
        frames: int = 1_000_000,
        hello_s: float = 1e6,
        limit: Callable[[str, str, str], None] = lambda _name, _who, _did: None,
        enter: Callable[[Connection, str], bool] = lambda _connection, _peer: True,
        leave: Callable[[Connection], None] = lambda _: None,
        work: Work | None = None,
        late_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.message_bytes = message_bytes
        self.backlog_bytes = backlog_bytes
        self.slow_reader_s = slow_reader_s
        self.pong_s = pong_s
        self.on_end = on_end
        self.turn_s = TURN_FRAMES / frames_per_s
        self.burst_s = max(frames, TURN_FRAMES) / frames_per_s
        self.hello_s = hello_s
        self.limit = limit
        self.enter = enter
        self.leave = leave
        self.work = Work(limit) if work is None else work
        self.late_s = late_s
        self.connections: set[Connection] = set()
        self.unflushed: list[Any] = []
        self.tick = 0


class Connection(ServerConnection):
    """A client's connection. Everything that is sent goes through :meth:`push`.

    ``listener`` is set by :meth:`hand_over`, once the client is connected. ``address`` and ``stage`` are those of
    :class:`~noughts.gateway.entrance.Visitor`; ``has_body`` says whether its request has a body.

    ``_stops`` says why no frames are taken; ``_rest`` was received and not taken; ``waiting``: it is not its turn.
    ``_frames`` of the client's ``_budget`` may be taken before :meth:`_may_go_on` is asked again.
    """

    __slots__ = (
        "_budget",
        "_closing",
        "_frames",
        "_measuring",
        "_opening",
        "_pool",
        "_rest",
        "_stops",
        "_watchdog",
        "address",
        "has_body",
        "listener",
        "peer",
        "stage",
        "waiting",
    )

    def __init__(self, *arguments: Any, pool: Pool, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.address = ""
        self.peer = ""
        self.stage = Stage.OUTSIDE
        self.has_body = False
        self.listener: Listener | None = None
        self._pool = pool
        self._stops = HANDSHAKE
        self._rest = b""
        self.waiting = False
        self._frames = 0
        self._budget = FrameBudget(self.loop.time())
        self._opening = Deadline(pool.hello_s, pool.late_s, lambda: self.waiting, self._require_request)
        self._closing: asyncio.Task[None] | None = None
        self._watchdog: asyncio.TimerHandle | None = None
        self._measuring: asyncio.Task[None] | None = None

    async def hand_over(self, listener: Listener) -> None:
        """Hand each message to ``listener``, until the connection has ended. Await it in the library's handler."""
        self.listener = listener
        self._begin()
        try:
            while True:
                under_way = listener.receive(await self.recv())
                if under_way is not None:
                    await under_way
        except ConnectionClosed:
            pass
        finally:
            self._leave(listener)

    def _leave(self, listener: Listener) -> None:
        """The connection has ended. Without the cycle between the two both are freed now, not at some collection."""
        self.listener = None
        self._pool.on_end(listener)

    def push(self, frame: bytes) -> None:
        """Send a ``framed`` message, without waiting, unless the connection is closing."""
        head = {126: 4, 127: 10}.get(frame[1], 2)
        broadcast((self,), frame[head:], text=True)
        self._cut_if_clogged()

    def measure(self) -> None:
        """Measure the round trip to the client. Nothing happens if the answer takes too long."""
        if self._measuring is None or self._measuring.done():
            self._measuring = asyncio.create_task(self._measure())

    def cut(self) -> None:
        """End the connection at once. A client that does not read would not see a close frame."""
        if self.listener is not None:
            self.listener.open = False
        self.transport.abort()

    def heard(self) -> int:
        """How many bytes the client has sent in this tick, as far as it is known."""
        return 0

    def send_data(self) -> None:
        """Write what the library has to send, such as pongs, of which a client may ask for any number."""
        super().send_data()
        if self.paused:
            self._cut_if_clogged()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._pool.connections.add(self)
        peer = transport.get_extra_info("peername")  # none if the client has gone already
        self.peer = peer[0] if peer else ""  # kept, as uvloop's transport raises once the client has gone
        if not self._pool.enter(self, self.peer):
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        pool = self._pool
        pool.connections.discard(self)
        self._rest = b""
        pool.leave(self)
        closed = self.protocol.close_sent
        if closed is not None and closed.code == LibraryCode.MESSAGE_TOO_BIG:
            self._stopped_by("message_bytes")
        self._opening.cancel()
        if self._watchdog is not None:
            self._watchdog.cancel()

    def _require_request(self) -> None:
        if self.request is None:
            self._stopped_by("hello_s")
            self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watchdog = self.loop.call_later(self._pool.slow_reader_s, self._cut_by, "slow_reader_s")
        if self.listener is not None:
            self.listener.on_pause()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None
        if self.listener is not None:
            self.listener.on_resume()

    def _cut_if_clogged(self) -> None:
        if self.transport.get_write_buffer_size() > self._pool.backlog_bytes:
            self._cut_by("backlog_bytes")

    def _cut_by(self, limit: str) -> None:
        if not self.transport.is_closing():
            self._stopped_by(limit)
            self.cut()

    def _stopped_by(self, limit: str, did: str = "closed the connection") -> None:
        self._pool.limit(limit, self.address if self.listener is None else self.listener.who, did)

    # reading

    _to_library = ServerConnection.data_received

    def data_received(self, data: bytes) -> None:
        """Give the library one frame after the other, as many as the client may send."""
        data, self._rest = self._rest + data, b""
        if self._stops:
            self._keep(data)
            return
        start, end, limit = 0, len(data), self._pool.message_bytes
        while start < end:
            stop = frame_end(data, start, limit)
            if stop > end or ((not self._frames or self._pool.work.full) and not self._may_go_on(start, end)):
                break
            self._frames -= 1
            self._to_library(data[start:stop])
            start = stop
        self._rest = data[start:]

    def _keep(self, data: bytes) -> None:
        """Keep ``data``, which cannot be taken yet. But the library gets the request, once that is whole."""
        self._rest = data
        if not self._stops & HANDSHAKE:
            if len(data) > REST_BYTES:
                self._end_flood()
            return
        if self.request is None:
            end = data.find(b"\r\n\r\n") + 4
            if end < 4:
                if len(data) <= REQUEST_BYTES:
                    return
                end = len(data) - 3  # the library says what is too long
            if self.waiting or (self._pool.work.full and not self._pool.work.admits(self._share())):
                if not self.waiting:
                    self._wait_for_turn(len(data))
                if len(data) > REQUEST_BYTES:
                    self.transport.pause_reading()
                return
            self._pool.work.note(self._share(), HANDSHAKE_S, 0.0)
            # The library drops a connection whose request has a body. Here the body is dropped.
            head, bodies = _BODY.subn(b"\r\nX-", data[:end])
            self.has_body = bodies > 0
            self._rest = b""
            self._to_library(head)
            self._rest = data = data[end:]
            if self.request is None:
                return
        if self.response is not None and self.state is not State.OPEN:
            self._rest = b""
            self._to_library(data)  # which waits for the end of the connection, and drops all else
        elif len(data) > REQUEST_BYTES:
            self.transport.pause_reading()

    def _begin(self) -> None:
        """Take frames from now on."""
        self._opening.cancel()
        if not self.transport.is_closing():
            self.transport.resume_reading()
        self._stops &= ~HANDSHAKE
        self._go_on()

    def _may_go_on(self, start: int, end: int) -> bool:
        """Whether the next frames may be taken. If not, they are taken later; ``start``: some were taken in this turn.

        This is asked once in ``TURN_FRAMES`` frames, so that the others cost little; and before each frame while the
        event loop has much to do. What is left to take ends at ``end``.
        """
        pool, now = self._pool, self.loop.time()
        if pool.work.full and not pool.work.admits(self._share()):
            self._wait_for_turn(end - start)
            return False
        if self._frames:
            return True
        if self._budget.is_spent(now, pool.turn_s, pool.burst_s):
            self._pause(now)
            return False
        if start:
            self._stop(BUDGET)
            self.loop.call_soon(self._go_on)
            return False
        self._budget.spend(now, pool.turn_s)
        self._frames = TURN_FRAMES
        return True

    def _share(self) -> Share:
        return self._pool.work.share(self.address, "") if self.listener is None else self.listener.share

    def _wait_for_turn(self, size: int) -> None:
        """Take the frames when it is the client's turn. They have ``size`` bytes."""
        share, work = self._share(), self._pool.work
        try:
            work.hold(share, size)
        except Overloaded:
            self._rest = b""
            self._turn_away()
            return

        def take() -> None:
            work.release(share, size)
            self.waiting = False
            self._go_on()

        self.waiting = True
        self._stop(BUDGET)
        work.wait(share, take)

    def _turn_away(self) -> None:
        """Close because the server has too much to do."""
        if self.listener is None:
            self.transport.abort()
        elif self._closing is None:
            self._closing = self.loop.create_task(self.close(CloseCode.TRY_AGAIN_LATER, "try again later"))

    def _pause(self, now: float) -> None:
        """Take no frames of a client that has sent too many for a while, or never again."""
        closes = self._budget.pause(now)
        self._stop(BUDGET)
        self._stopped_by("frames_per_message", "closed the connection" if closes else "read no more for a moment")
        if closes:
            self._end_flood()
        else:
            self.loop.call_later(PAUSE_S, self._go_on)

    def _end_flood(self) -> None:
        if self._closing is None:
            self._closing = self.loop.create_task(self.close(CloseCode.POLICY, "too many frames"))
        self._rest = b""

    def _go_on(self) -> None:
        """Take the frames that had to wait."""
        if self.state is not State.CLOSED:
            self._stops &= ~BUDGET
            self.data_received(b"")

    def _stop(self, why: int) -> None:
        """Take no frames. Reading goes on, because the library pauses and resumes it as it likes."""
        self._stops |= why

    async def _measure(self) -> None:
        try:
            async with asyncio.timeout(self._pool.pong_s):
                seconds = await (await self.ping())
        except (ConnectionClosed, TimeoutError):
            return
        if self.listener is not None:
            self.listener.on_round_trip(seconds)
