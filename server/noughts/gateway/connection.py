"""One connection of a port: its HTTP request, then whole messages in and frames out, floods, and slow readers.

A whole text frame goes from the transport straight to the listener, and pings and pongs are taken here too, because a
client may send many. Every other frame, and the request, is given to the Sans-I/O protocol of ``websockets``, frames
always as a whole. What a connection gets in one turn of the event loop is one write, because uvloop makes a system call
of each.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import re
from contextlib import suppress
from typing import cast

from websockets.frames import CloseCode as LibraryCode
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import SEND_EOF, State
from websockets.server import ServerProtocol

from noughts.gateway.deadline import Deadline
from noughts.gateway.entrance import Stage
from noughts.gateway.limits import PAUSE_S, TURN_FRAMES, FrameBudget
from noughts.gateway.pool import Listener, Pool
from noughts.gateway.replies import CloseCode
from noughts.gateway.work import HANDSHAKE_S, Overloaded, Share

log = logging.getLogger(__name__)

REQUEST_BYTES = 16_384
"""The bytes kept of a request, and of what follows it before it is answered."""

FRAGMENTS = 4096
"""The greatest number of frames of a message."""

AT_ONCE = 16_384
"""The number of bytes which, gathered for a connection, are written before the end of the turn."""

ROUNDS = 4
"""A client that plays is pinged so many times as often as others. One that sends nothing between two is silent."""

STOPS = {"slow_reader_s": "a client that is behind with reading for 30 s: cut off"}

REQUEST, ANSWER, BUDGET, HELD, ENDED = 1, 2, 4, 8, 16
"""The reason why a connection takes no frames: its request has not come, or is not answered; its frames are spent, or
it is not its turn; a message must wait for the one before, so that it takes frames but reads no more; or the server has
sent its last, and drops unseen what still comes."""

_NOT_NOW = REQUEST | ANSWER | BUDGET | ENDED

_TEXT, _PING, _PONG = 0x81, 0x89, 0x8A
"""The first bytes of the frames that are taken here: whole, and without reserved bits."""

_KNOWN = sum(1 << opcode for opcode in Opcode)
"""A bit for each opcode that there is."""

_number = int.from_bytes  # looked up once: it is called twice for each message

_BODY = re.compile(rb"\r\n(?=(?:content-length:(?![ \t]*0[ \t]*\r\n)|transfer-encoding:))", re.IGNORECASE)
"""The headers by which a request says that it has a body."""

_NO_LOG = logging.Logger("websockets", logging.CRITICAL)
"""The library's log, without a line for every connection and a traceback for every odd client."""


class Connection(asyncio.Protocol):
    """A connection of a ``pool``. What is sent over a WebSocket goes through :meth:`push`.

    ``listener`` is set while a WebSocket is open. ``address`` and ``stage`` are those of
    :class:`~noughts.gateway.entrance.Visitor`, and ``peer`` is the address at the other end of the socket, empty if it
    has gone; ``has_body`` says whether its request has a body. ``is_open``: this is a WebSocket, and no close frame was
    sent or received. ``waiting``: it is not its turn.

    ``_parser`` is the library's side, while it is needed. ``_stops`` says why no frames are taken; ``_rest`` was
    received and not taken. ``_frames`` of the client's ``_budget`` may be taken before :meth:`_may_go_on` is asked
    again. ``_fragments`` of a message have come, of ``_size`` bytes together. ``_held`` are messages that wait for
    ``_under_way``. ``_gathered`` is what will be written in this turn; there is a ``_watchdog`` while the client is
    slow. ``_heard`` counts the bytes that it has sent in the tick ``_heard_in``. ``_pinged_at`` is the time of the last
    ping if it has sent nothing since, or 0; ``_probe`` is the data and the time of the ping by which the round trip is
    measured; ``_unanswered`` counts our pings without an answer. ``_silent``: the listener knows that it is. A
    ``_deadline`` is for the request, and later for the end of the connection, for which ``_ended`` waits.
    ``_answering`` is the task that answers the request.
    """

    __slots__ = (
        "_answering",
        "_budget",
        "_deadline",
        "_ended",
        "_fragments",
        "_frames",
        "_gathered",
        "_heard",
        "_heard_in",
        "_held",
        "_loop",
        "_parser",
        "_pinged_at",
        "_pool",
        "_probe",
        "_rest",
        "_silent",
        "_size",
        "_stops",
        "_unanswered",
        "_under_way",
        "_watchdog",
        "address",
        "has_body",
        "is_open",
        "listener",
        "peer",
        "stage",
        "transport",
        "waiting",
    )

    transport: asyncio.Transport
    _deadline: Deadline | asyncio.TimerHandle

    def __init__(self, pool: Pool[Connection]) -> None:
        self.address = ""
        self.peer = ""
        self.stage = Stage.OUTSIDE
        self.has_body = False
        self.listener: Listener | None = None
        self.waiting = False
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._parser: ServerProtocol | None = None
        self.is_open = False
        self._stops = REQUEST
        self._rest = b""
        self._frames = 0
        self._budget = FrameBudget(self._loop.time())
        self._fragments: list[Frame] | None = None
        self._size = 0
        self._held: list[str | bytes] | None = None
        self._under_way: asyncio.Future[None] | None = None
        self._gathered = b""
        self._watchdog: asyncio.TimerHandle | None = None
        self._heard = self._heard_in = 0
        self._pinged_at = 0.0
        self._probe: tuple[bytes, float] | None = None
        self._unanswered = 0
        self._silent = False
        self._answering: asyncio.Task[None] | None = None
        self._ended: asyncio.Future[None] | None = None

    # the listener's side

    def push(self, frame: bytes) -> None:
        """Send a ``framed`` message, without waiting, unless the connection is closing."""
        if not self.is_open:
            return
        if self._gathered:
            self._gathered = frame = self._gathered + frame
        else:
            self._gathered = frame
            unflushed = self._pool.unflushed
            if not unflushed:
                self._loop.call_soon(_flush, unflushed)
            unflushed.append(self)
        if len(frame) > AT_ONCE:
            _flush([self])

    def measure(self) -> None:
        """Measure the round trip to the client. Nothing happens if the answer takes too long."""
        now = self._loop.time()
        if self._probe is None or now - self._probe[1] > self._pool.pong_s:
            data = random.randbytes(4)
            self._probe = data, now
            self._unanswered += 1
            self.push(b"\x89\x04" + data)

    def heard(self) -> int:
        """The number of bytes that the client has sent in this tick."""
        return self._heard if self._heard_in == self._pool.work.ticks else 0

    def close(self, code: int, reason: str) -> None:
        """Send a close frame behind what was pushed, and wait a moment for that of the client."""
        if self.is_open:
            self._library().send_close(code, reason)
            self._send()
            self._expire_in(self._pool.close_s)

    def cut(self) -> None:
        """End the connection at once. A client that does not read would not see a close frame."""
        if self.listener is not None:
            self.listener.open = False
        self.transport.abort()

    # the port's side

    def ended(self) -> asyncio.Future[None]:
        """Done once the connection has ended. Do not cancel it."""
        if self._ended is None:
            self._ended = self._loop.create_future()
        return self._ended

    def ping(self, now: float, *, extra: bool = False) -> None:
        """Ping the client, with ``extra`` only if it plays; or, if it has not answered the last ping, note its silence
        or end the connection.
        """
        if not self.is_open or self.listener is None:
            return
        waited, interval_s = now - self._pinged_at, self._pool.keepalive_s
        if not self._pinged_at:
            if not extra or self.listener.plays():
                self._pinged_at = now
                self._unanswered += 1
                self.push(b"\x89\x00")
        elif waited > interval_s * (1 - 0.5 / ROUNDS):
            self._fail(CloseCode.INTERNAL, "keepalive ping timeout")
        elif waited > interval_s / ROUNDS / 2 and not self._silent and not self.waiting and self.listener.plays():
            self._silent = True
            self.listener.on_silence(silent=True)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        pool = self._pool
        self.transport = transport = cast("asyncio.Transport", transport)
        transport.set_write_buffer_limits(pool.soft_bytes, pool.soft_bytes // 4)
        pool.connections.add(self)
        self._deadline = Deadline(pool.hello_s, pool.late_s, lambda: self.waiting, self._require_request)
        peer = transport.get_extra_info("peername")  # none if the client has gone already
        self.peer = peer[0] if peer else ""  # kept, as uvloop's transport raises once the client has gone
        if not pool.enter(self, self.peer):
            transport.abort()

    def connection_lost(self, _: Exception | None) -> None:
        pool = self._pool
        pool.connections.discard(self)
        self.is_open = False
        self._stops, self._rest, self._gathered = ENDED, b"", b""
        pool.leave(self)
        self._deadline.cancel()
        if self._watchdog is not None:
            self._watchdog.cancel()
        self._forget_library()
        self._end()
        if self._ended is not None:
            self._ended.set_result(None)

    def eof_received(self) -> None:
        """The client sends no more. The transport closes itself once all is written."""
        _flush([self])

    def _end(self, _done: object = None) -> None:
        """Tell the listener that the connection has ended, once all its messages are handled."""
        if self._under_way is not None:
            self._under_way.add_done_callback(self._end)
        elif self.listener is not None:
            listener, self.listener = self.listener, None  # without the cycle between the two both are freed now
            self._pool.on_end(listener)

    def _require_request(self) -> None:
        self._stopped_by("hello_s")
        self.transport.abort()

    def _stopped_by(self, limit: str, did: str = "closed the connection") -> None:
        self._pool.limit(limit, self.address if self.listener is None else self.listener.who, did)

    # the request

    def _keep(self, data: bytes) -> None:
        """Keep what cannot be taken yet. But the request is taken, once it is whole and it is the client's turn."""
        if self._stops & ENDED:
            return
        self._rest = data
        if self._stops & BUDGET:
            return
        if self._stops & REQUEST:
            end = data.find(b"\r\n\r\n") + 4
            if end < 4:
                if len(data) <= REQUEST_BYTES:
                    return
                end = len(data) - 3  # the library says what is too long
            work = self._pool.work
            if work.full and not work.admits(self._share()):
                self._wait_for_turn(len(data))
                return
            work.note(self._share(), HANDSHAKE_S, 0.0)
            # The library drops a connection whose request has a body. Here the body is dropped.
            head, bodies = _BODY.subn(b"\r\nX-", data[:end])
            self.has_body = self.has_body or bodies > 0
            self._rest = data[end:]
            self._to_library(head)
        if self._stops & ANSWER and len(self._rest) > REQUEST_BYTES:
            self._stop(ANSWER)

    async def _answer(self, request: Request) -> None:
        try:
            response = await self._pool.respond(self, request)
            if self.transport.is_closing():
                return
            library = self._library()
            library.send_response(library.accept(request) if response is None else response)
            self._send()
            if self.is_open:
                self._forget_library()
                self.listener = self._pool.listen(self)
                self._stops &= ~ANSWER
                self._go_on()
        finally:
            self._answering = None
            if self._stops & ANSWER:  # it has failed
                self.transport.abort()

    # reading

    def data_received(self, data: bytes) -> None:
        """Cut what was received into frames, and take as many as the client may send."""
        pool = self._pool
        work = pool.work
        self._pinged_at = 0.0
        if self._silent:
            self._silent = False
            if self.listener is not None and self.listener.open:
                self.listener.on_silence(silent=False)
        if self._heard_in != work.ticks:
            self._heard, self._heard_in = 0, work.ticks
        self._heard += len(data)
        if self._rest:
            data, self._rest = self._rest + data, b""
        if self._stops & _NOT_NOW:
            self._keep(data)
            return
        assert self.listener is not None
        limit, start, end = pool.message_bytes - self._size, 0, len(data)
        while start + 2 <= end:
            first, size, body = data[start], data[start + 1] - 128, start + 6
            if size >= 126:
                body += 2 if size == 126 else 8
                size = int.from_bytes(data[start + 2 : body - 4], "big") if body - 4 <= end else 0
            stop = body + size
            # The library refuses what it can see from the first bytes of a frame; all else it gets when it is whole.
            if size < 0 or size > limit or (stop > end and not _KNOWN >> (first & 15) & 1):
                if size > limit:
                    self._stopped_by("message_bytes")
                self._to_library(data[start:])
                return
            if stop > end or ((not self._frames or work.full) and not self._may_go_on(start, end)):
                break
            self._frames -= 1
            is_text = first == _TEXT and self._fragments is None and self._held is None
            if not self.is_open or not (is_text or (first in (_PING, _PONG) and size < 126)):
                self._to_library(data[start:stop])
                limit = pool.message_bytes - self._size
            else:  # the bytes are combined with the four of the mask in turn
                mask = (data[body - 4 : body] * (size // 4 + 1))[:size]
                content = (_number(data[body:stop], "little") ^ _number(mask, "little")).to_bytes(size, "little")
                if not is_text:
                    self._on_ping_or_pong(first, content)
                else:
                    try:
                        message = content.decode()
                    except UnicodeDecodeError:
                        self._to_library(data[start:stop])
                        return
                    if (under_way := self.listener.receive(message)) is not None:
                        self._wait_for(under_way)
            start = stop
            if start == end:
                return
        if not self._stops & ENDED:
            self._rest = data[start:]

    def _to_library(self, data: bytes) -> None:
        """Give the library the request, or a frame, and take what it makes of it."""
        library = self._library()
        library.receive_data(data)
        self._send()
        for event in library.events_received():
            if isinstance(event, Request):
                self._deadline.cancel()
                self._stops ^= REQUEST | ANSWER
                self._answering = self._loop.create_task(self._answer(event))
            elif isinstance(event, Frame) and event.opcode < Opcode.CLOSE:
                if self.is_open:
                    self._on_data(event)
                else:  # nobody hears it, but the message may not grow beyond the limit
                    self._size = 0 if event.fin else self._size + len(event.data)

    def _library(self) -> ServerProtocol:
        """The library's side of the connection. Most need it for the request, and not again before their end."""
        if self._parser is None:
            state = State.CONNECTING if self._stops & REQUEST else State.OPEN
            self._parser = ServerProtocol(state=state, max_size=self._pool.message_bytes, logger=_NO_LOG)
        return self._parser

    def _forget_library(self) -> None:
        if self._parser is not None:
            vars(self._parser).clear()  # it has a cycle, which would wait for the garbage collector
            self._parser = None

    def _on_data(self, frame: Frame) -> None:
        """Put a message together. Once the connection is closing nothing is heard."""
        frames = self._fragments or []
        frames.append(frame)
        if len(frames) > FRAGMENTS:
            self._stopped_by("message_bytes")
            self._fail(LibraryCode.MESSAGE_TOO_BIG, "too many fragments")
        elif not frame.fin:
            self._fragments, self._size = frames, self._size + len(frame.data)
        else:
            self._fragments, self._size = None, 0
            data = b"".join([part.data for part in frames])
            try:
                message = data.decode() if frames[0].opcode is Opcode.TEXT else data
            except UnicodeDecodeError as error:
                self._fail(LibraryCode.INVALID_DATA, f"{error.reason} at position {error.start}")
            else:
                self._deliver(message)

    def _deliver(self, message: str | bytes) -> None:
        assert self.listener is not None
        if self._held is not None:
            if not self._held:  # read no more: what the client sends meanwhile stays with it
                self._stop(HELD)
            self._held.append(message)
        elif (under_way := self.listener.receive(message)) is not None:
            self._wait_for(under_way)

    def _wait_for(self, under_way: asyncio.Future[None]) -> None:
        self._held, self._under_way = [], under_way
        under_way.add_done_callback(self._release)

    def _release(self, _done: object = None) -> None:
        held, self._held, self._under_way = self._held, None, None
        if held:
            self._stops &= ~HELD
            for message in held:
                self._deliver(message)
            self._read()

    def _on_ping_or_pong(self, first: int, data: bytes) -> None:
        if first == _PING:
            self.push(b"\x8a%c%b" % (len(data), data))
            return
        if self._unanswered:  # the answers to our own pings are free
            self._unanswered -= 1
            self._frames += 1
        if self._probe is not None and self._probe[0] == data:
            seconds, self._probe = self._loop.time() - self._probe[1], None
            if self.listener is not None and seconds <= self._pool.pong_s:
                self.listener.on_round_trip(seconds)

    # whether frames are taken

    def _may_go_on(self, start: int, end: int) -> bool:
        """True if the next frames may be taken. If not, they are taken later; ``start``: some were taken in this turn.

        This is asked once in ``TURN_FRAMES`` frames, so that the others cost little; and before each frame while the
        event loop has much to do. What is left to take ends at ``end``.
        """
        pool, now = self._pool, self._loop.time()
        if pool.work.full and not pool.work.admits(self._share()):
            self._wait_for_turn(end - start)
            return False
        if self._frames:
            return True
        turn_s, burst_s = TURN_FRAMES / pool.frames_per_s, max(pool.frames, TURN_FRAMES) / pool.frames_per_s
        if self._budget.is_spent(now, turn_s, burst_s):
            self._pause(now)
            return False
        if start:
            self._stop(BUDGET)
            self._loop.call_soon(self._go_on)
            return False
        self._budget.spend(now, turn_s)
        self._frames = TURN_FRAMES
        return True

    def _share(self) -> Share:
        return self._pool.work.share(self.address, "") if self.listener is None else self.listener.share

    def _wait_for_turn(self, size: int) -> None:
        """Take the request or the frames, of ``size`` bytes, when it is the client's turn."""
        share, work = self._share(), self._pool.work
        try:
            work.hold(share, size)
        except Overloaded:
            if self.listener is None:
                self.transport.abort()
            else:
                self._fail(CloseCode.TRY_AGAIN_LATER, "try again later")
            return

        def take() -> None:
            work.release(share, size)
            self.waiting = False
            self._go_on()

        self.waiting = True
        self._stop(BUDGET)
        work.wait(share, take)

    def _pause(self, now: float) -> None:
        """Take no frames of a client that has sent too many for a while, or never again."""
        closes = self._budget.pause(now)
        self._stopped_by("frames_per_message", "closed the connection" if closes else "read no more for a moment")
        if closes:
            self._fail(CloseCode.POLICY, "too many frames")
        else:
            self._stop(BUDGET)
            self._loop.call_later(PAUSE_S, self._go_on)

    def _stop(self, why: int) -> None:
        """Read no more."""
        self._stops |= why
        if not self.transport.is_closing():
            self.transport.pause_reading()

    def _go_on(self) -> None:
        """Take what had to wait."""
        self._stops &= ~BUDGET
        self.data_received(b"")
        self._read()

    def _read(self) -> None:
        """Read again, unless there is still a reason not to."""
        if not self._stops & ~ENDED and not self.transport.is_closing():
            self.transport.resume_reading()

    # writing

    def _send(self) -> None:
        """Write what the library has to send, behind what was pushed: nothing may follow a close frame."""
        library = self._library()
        data = library.data_to_send()
        self.is_open = library.state is State.OPEN
        if data and not self.transport.is_closing():
            self._gathered += b"".join(data)
            _flush([self])
            if SEND_EOF in data:
                self._stop_hearing()

    def _stop_hearing(self) -> None:
        """The server has sent its last. What still comes is read, or else the client would not see it, and dropped."""
        self._stops, self._rest = ENDED, b""
        with suppress(OSError, RuntimeError):  # the client has gone
            self.transport.write_eof()
        self._read()
        self._expire_in(self._pool.close_s)

    def _fail(self, code: int, reason: str) -> None:
        """Close because of what the client did, and hear it no more."""
        self._library().fail(code, reason)
        self._send()

    def _expire_in(self, seconds: float, unsent: float = math.inf) -> None:
        """Cut the connection off unless it ends in time. A client that reads a page, of which less is unsent, may."""
        self._deadline.cancel()
        self._deadline = self._loop.call_later(seconds, self._expire, unsent)

    def _expire(self, unsent: float) -> None:
        left = self.transport.get_write_buffer_size()
        if self.listener is None and (self._watchdog is not None or 0 < left < unsent):
            self._expire_in(self._pool.close_s, left)
        else:
            self.transport.abort()

    def pause_writing(self) -> None:
        self._watchdog = self._loop.call_later(self._pool.slow_reader_s, self._cut_by, "slow_reader_s")
        if self.listener is not None:
            self.listener.on_pause()

    def resume_writing(self) -> None:
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None
        if self.listener is not None:
            self.listener.on_resume()

    def _cut_by(self, limit: str) -> None:
        if not self.transport.is_closing():
            self._stopped_by(limit)
            self.cut()


def framed(message: bytes) -> bytes:
    """A text frame of a server, which is the same for every client."""
    size = len(message)
    if size < 126:
        return b"\x81%c%b" % (size, message)
    if size < 65536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), message)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), message)


def _flush(unflushed: list[Connection]) -> None:
    """Write what has gathered for these connections, and forget them."""
    connections = unflushed.copy()
    unflushed.clear()
    for connection in connections:
        gathered, connection._gathered = connection._gathered, b""
        transport = connection.transport
        if not gathered or transport.is_closing():
            continue
        try:
            transport.write(gathered)
            # A page is as long as it is, and is written at once.
            if connection._watchdog is None or connection.listener is None:
                continue
            if transport.get_write_buffer_size() > connection._pool.backlog_bytes:
                connection._cut_by("backlog_bytes")
        except Exception:  # the others must not fall silent
            log.exception("a connection cannot be written to")
            connection.cut()
