"""A cheaper connection, which leans on internals of ``websockets``. No other module does.

A whole text frame goes from the transport straight to the session, without the library's parser, queue and task. Pings
and pongs are taken here too, because a client may send many. Any other frame is given to the library, always as a
whole. Frames are written straight to the transport, all that a connection gets in one turn of the event loop at once,
because uvloop makes a system call of every write. One task pings all connections.

Written for websockets 17.4 and imported with no other version. tests/gateway/test_wire.py names the internals.
"""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Any

from websockets.asyncio.messages import MAX_FRAGMENTS
from websockets.frames import TEXT, CloseCode, Frame
from websockets.protocol import CLOSED, OPEN, Event
from websockets.speedups import apply_mask

from noughts.gateway.connection import BUDGET, FAILED, HANDSHAKE, HELD, Connection, Listener, Pool

log = logging.getLogger(__name__)

AT_ONCE = 16_384
"""When so many bytes have gathered for a connection they are written before the end of the turn."""

PING_S = 20.0
"""How often each client is sent a ping. One that sends nothing until the next is cut off."""

STEPS = 20
"""The clients are pinged in so many groups."""

_NOT_NOW = HANDSHAKE | BUDGET | FAILED


class WireConnection(Connection):
    """A :class:`~noughts.gateway.connection.Connection` that costs less.

    ``_held`` are messages that wait for ``_under_way``. ``_gathered`` is what will be written in this turn. ``_heard``
    counts the bytes that the client has sent in the tick ``_heard_in``. ``_pinged_at`` is the time of the last ping if
    the client has sent nothing since, or 0; ``_probe`` is the data and the time of the ping by which the round trip is
    measured; ``_unanswered`` counts our pings without an answer.
    """

    __slots__ = (
        "_fragments",
        "_gathered",
        "_heard",
        "_heard_in",
        "_held",
        "_pinged_at",
        "_probe",
        "_unanswered",
        "_under_way",
    )

    def __init__(self, *arguments: Any, pool: Pool, **options: Any) -> None:
        super().__init__(*arguments, pool=pool, **(options | {"ping_interval": None}))
        self._fragments: list[Frame] | None = None
        self._held: list[tuple[bytes, bool]] | None = None
        self._under_way: asyncio.Future[None] | None = None
        self._gathered = b""
        self._heard = self._heard_in = 0
        self._pinged_at = 0.0
        self._probe: tuple[bytes, float] | None = None
        self._unanswered = 0

    async def hand_over(self, listener: Listener) -> None:
        """Hand over messages from now on. This returns at once, so no task waits for the connection to end."""
        if self.request is not None:
            self.request.headers.clear()  # 4 KB that nobody needs any more
        self.response = None
        self.listener = listener
        if self.protocol.state is CLOSED:
            self._end()
        else:
            self._begin()

    async def __aexit__(self, *_: object) -> None:
        """Stay open: the library would close the connection once its handler has returned."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._end()

    def _end(self, _done: object = None) -> None:
        """Tell the listener that the connection has ended, once all its messages are handled."""
        if self._under_way is not None:
            self._under_way.add_done_callback(self._end)
        elif self.listener is not None:
            self._leave(self.listener)

    # reading

    def data_received(self, data: bytes) -> None:
        """Cut what was received into frames, and take as many as the client may send."""
        self._pinged_at = 0.0
        if self._heard_in != self._pool.tick:
            self._heard, self._heard_in = 0, self._pool.tick
        self._heard += len(data)
        if self._rest:
            data, self._rest = self._rest + data, b""
        if self._stops & _NOT_NOW:
            self._keep(data)
            return
        protocol, limit, work, start, end = self.protocol, self._pool.message_bytes, self._pool.work, 0, len(data)
        while start + 2 <= end:
            size, body = data[start + 1] - 128, start + 6
            if size >= 126:
                body += 2 if size == 126 else 8
                size = int.from_bytes(data[start + 2 : body - 4], "big") if body <= end else 0
            if size < 0 or size > limit:  # not masked, or too long: the library says so, and drops what follows
                self._to_library(data[start:])
                return
            stop = body + size
            if stop > end or ((not self._frames or work.full) and not self._may_go_on(start, end)):
                break
            self._frames -= 1
            first = data[start]
            if protocol._state is not OPEN:
                self._to_library(data[start:stop])
            elif first == 0x81 and protocol.current_size is None:
                self._hand_over(apply_mask(data[body:stop], data[body - 4 : body]))
            elif first in (0x89, 0x8A) and size < 126:
                self._on_ping_or_pong(first, apply_mask(data[body:stop], data[body - 4 : body]))
            else:
                self._to_library(data[start:stop])
            if stop == end:
                return
            start = stop
        self._rest = data[start:]

    def heard(self) -> int:
        return self._heard if self._heard_in == self._pool.tick else 0

    def process_event(self, event: Event) -> None:
        """Take what the library has read."""
        if not isinstance(event, Frame):
            super().process_event(event)
        elif event.opcode < 8:
            self._on_data(event)

    def _keep(self, data: bytes) -> None:
        if not self._stops & FAILED:
            super()._keep(data)

    def _on_ping_or_pong(self, first: int, data: bytes) -> None:
        if first == 0x89:
            self.push(b"\x8a%c%b" % (len(data), data))
            return
        if self._unanswered:  # the answers to our own pings are free
            self._unanswered -= 1
            self._frames += 1
        self._on_pong(data)

    def _on_data(self, frame: Frame) -> None:
        """Put a message together."""
        frames = self._fragments
        if self.protocol.close_sent is not None and not self.protocol.close_rcvd_then_sent:
            return  # the client is turned away, and is not heard any more
        if frames is None:
            frames = [frame]
        elif len(frames) >= MAX_FRAGMENTS:
            self._fail(CloseCode.MESSAGE_TOO_BIG, "too many fragments")
            return
        else:
            frames.append(frame)
        if not frame.fin:
            self._fragments = frames
            return
        self._fragments = None
        self._hand_over(b"".join([part.data for part in frames]), is_text=frames[0].opcode is TEXT)

    def _hand_over(self, data: bytes, *, is_text: bool = True) -> None:
        try:
            message = data.decode() if is_text else data
        except UnicodeDecodeError as error:
            self._fail(CloseCode.INVALID_DATA, f"{error.reason} at position {error.start}")
            return
        if self._held is not None:
            if not self._held:  # read no more: what the client sends meanwhile stays with it
                self._stop(HELD)
            self._held.append((data, is_text))
            return
        assert self.listener is not None
        under_way = self.listener.receive(message)
        if under_way is not None:
            self._held, self._under_way = [], under_way
            under_way.add_done_callback(self._release)

    def _release(self, _done: object = None) -> None:
        held, self._held, self._under_way = self._held, None, None
        if held:
            self._stops &= ~HELD
            self._read()
        for data, is_text in held or ():
            self._hand_over(data, is_text=is_text)

    def _stop(self, why: int) -> None:
        """Take no frames, and read none."""
        if not self._stops and not self.transport.is_closing():
            self.transport.pause_reading()
        self._stops |= why

    def _go_on(self) -> None:
        super()._go_on()
        self._read()

    def _read(self) -> None:
        """Read again, unless there is still a reason not to."""
        if not self._stops and not self.transport.is_closing():
            self.transport.resume_reading()

    def _turn_away(self) -> None:
        if self.listener is None:
            self.transport.abort()
        else:
            self._fail(CloseCode.TRY_AGAIN_LATER, "try again later")

    def _end_flood(self) -> None:
        self._fail(CloseCode.POLICY_VIOLATION, "too many frames")

    # writing

    def push(self, frame: bytes) -> None:
        if self.protocol._state is not OPEN:
            return
        if self._gathered:
            self._gathered += frame
        else:
            self._gathered = frame
            unflushed = self._pool.unflushed
            if not unflushed:
                self.loop.call_soon(_flush, unflushed)
            unflushed.append(self)
        if len(self._gathered) > AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered."""
        if self.send_in_progress is not None:  # nothing may come between the fragments of a message
            self.send_in_progress.add_done_callback(lambda _: self.flush())
            return
        gathered, self._gathered = self._gathered, b""
        if gathered and not self.transport.is_closing():
            self.transport.write(gathered)
            if self.paused:
                self._cut_if_clogged()

    def send_data(self) -> None:
        """Write what the library has to send, behind what was pushed before it: nothing may follow a close frame."""
        if self._gathered:
            self.flush()
        super().send_data()

    def _fail(self, code: CloseCode, reason: str) -> None:
        """Close because of what the client did."""
        self.protocol.fail(code, reason)
        self.send_data()
        # What the client sends from now on is read, or else it would not see the close frame, and dropped unseen.
        self._stops, self._rest = FAILED, b""
        if not self.transport.is_closing():
            self.transport.resume_reading()
        self.loop.call_later(self.close_timeout or 0, self.transport.abort)

    # pings

    def measure(self) -> None:
        now = self.loop.time()
        if self._probe is None or now - self._probe[1] > self._pool.pong_s:
            data = random.randbytes(4)
            self._probe = data, now
            self._unanswered += 1
            self.push(b"\x89\x04" + data)

    def look_after(self, now: float) -> None:
        """Ping the client, or end the connection if it has not answered the last ping."""
        if self.protocol._state is not OPEN:
            if self.close_deadline is not None and now > self.close_deadline:
                self.transport.abort()
        elif not self._pinged_at:
            self._pinged_at = now
            self._unanswered += 1
            self.push(b"\x89\x00")
        elif now - self._pinged_at > PING_S / 2:
            self._fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")

    def _on_pong(self, data: bytes) -> None:
        if self._probe is not None and self._probe[0] == data:
            seconds, self._probe = self.loop.time() - self._probe[1], None
            if self.listener is not None and seconds <= self._pool.pong_s:
                self.listener.on_round_trip(seconds)


def _flush(unflushed: list[WireConnection]) -> None:
    connections = unflushed.copy()
    unflushed.clear()
    for connection in connections:
        try:
            connection.flush()
        except Exception:  # the others must not fall silent
            log.exception("a connection cannot be written to")
            connection.cut()


async def look_after(pool: Pool) -> None:
    """Ping all clients again and again, and drop those that are gone, for ever."""
    time = asyncio.get_running_loop().time
    while True:
        connections = list(pool.connections)
        for step in range(STEPS):
            await asyncio.sleep(PING_S / STEPS)
            for connection in connections[step::STEPS]:
                if isinstance(connection, WireConnection):
                    try:
                        connection.look_after(time())
                    except Exception:  # the others must not go without
                        log.exception("a connection cannot be pinged")
                        connection.cut()
