"""Frames in and out, on each event loop: by the internals of one version of websockets, and by the public interface.

Parts of frames are given to the connection itself, so that they arrive as they were cut.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import struct
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.version import version

from noughts.gateway import frames, server, wire
from noughts.gateway.connection import Connection, Pool
from noughts.gateway.frames import TURN_FRAMES, framed
from noughts.gateway.session import Session
from noughts.gateway.wire import AT_ONCE, PING_S, WireConnection
from noughts.gateway.work import Work
from support.client import connected
from support.eventually import soon
from support.server import running_gateway

MESSAGE_BYTES = 1024
BACKLOG_BYTES = 300_000
SOFT = 65_536

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

KINDS = [WireConnection, Connection]


pytestmark = pytest.mark.both_loops


def client_frame(opcode: int, payload: bytes, *, fin: bool = True, size_bytes: int = 0, masked: bool = True) -> bytes:
    """A frame of a client. ``size_bytes``: its size is in so many bytes, even if fewer would do."""
    size = len(payload)
    size_bytes = size_bytes or (0 if size < 126 else 2 if size < 65536 else 8)
    short = {0: size, 2: 126, 8: 127}[size_bytes]
    head = bytes((opcode | 0x80 * fin, short | 0x80 * masked))
    head += size.to_bytes(size_bytes, "big") if size_bytes else b""
    mask = b"\x12\x34\x56\x78" if masked else b""
    return head + mask + bytes(byte ^ mask[n % 4] if mask else byte for n, byte in enumerate(payload))


def text(message: str, **options: Any) -> bytes:
    return client_frame(1, message.encode(), **options)


class Recorder:
    """A listener. ``held`` is what it returns for the next message."""

    who = "somebody"

    def __init__(self) -> None:
        self.open = True
        self.share = Work().share("127.0.0.1", "somebody")
        self.messages: list[str | bytes] = []
        self.events: list[str] = []
        self.held: asyncio.Future[None] | None = None

    def receive(self, message: str | bytes) -> asyncio.Future[None] | None:
        self.messages.append(message)
        held, self.held = self.held, None
        return held

    def on_pause(self) -> None:
        self.events.append("pause")

    def on_resume(self) -> None:
        self.events.append("resume")

    def on_round_trip(self, seconds: float) -> None: ...


class Ends:
    """Both ends of a connection."""

    def __init__(self, connection: Connection, recorder: Recorder, ended: list[Any], streams: tuple[Any, Any]) -> None:
        self.connection = connection
        self.recorder = recorder
        self.ended = ended
        self.reader: asyncio.StreamReader = streams[0]
        self.writer: asyncio.StreamWriter = streams[1]

    @property
    def messages(self) -> list[str | bytes]:
        return self.recorder.messages

    async def frame(self) -> tuple[int, bytes]:
        """The opcode and the payload of the next frame from the server."""
        async with asyncio.timeout(20):
            first, size = await self.reader.readexactly(2)
            if size >= 126:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
            return first & 15, await self.reader.readexactly(size)

    async def close_code(self) -> int:
        """The code with which the server closes. It must send nothing after that."""
        opcode, payload = await self.frame()
        while opcode != Opcode.CLOSE:
            opcode, payload = await self.frame()
        async with asyncio.timeout(20):
            assert await self.reader.read() == b""
        return int(struct.unpack("!H", payload[:2])[0])

    async def is_alive(self) -> None:
        """Assert that messages go both ways."""
        self.connection.data_received(text("alive?"))
        await soon(lambda: self.messages[-1:] == ["alive?"])
        self.connection.push(framed(b"alive"))
        frame = await self.frame()
        while frame[0] in (Opcode.PING, Opcode.PONG):
            frame = await self.frame()
        assert frame == (1, b"alive")


@asynccontextmanager
async def both_ends(
    kind: type[Connection],
    first: bytes = HANDSHAKE,
    slow_reader_s: float = 30,
    limit: int = 2**16,
    **limits: Any,
) -> AsyncIterator[Ends]:
    """A connection. The client sends ``first`` at once, and reads some ``limit`` bytes ahead."""
    ended: list[Any] = []
    if "limit_" in limits:  # `limit` is how much the client reads
        limits["limit"] = limits.pop("limit_")
    pool = Pool(MESSAGE_BYTES, BACKLOG_BYTES, slow_reader_s, 5, ended.append, **limits)
    recorder = Recorder()

    async def handler(connection: ServerConnection) -> None:
        assert isinstance(connection, Connection)
        await connection.hand_over(recorder)

    async with serve(
        handler,
        "127.0.0.1",
        0,
        compression=None,
        max_size=MESSAGE_BYTES,
        write_limit=(SOFT, SOFT // 4),
        close_timeout=0.5,
        create_connection=partial(kind, pool=pool),  # type: ignore[arg-type]
    ) as listening:
        streams = await asyncio.open_connection(*listening.sockets[0].getsockname()[:2], limit=limit)
        streams[1].write(first)
        await streams[0].readuntil(b"\r\n\r\n")
        (connection,) = pool.connections
        await soon(lambda: connection.listener is recorder)
        try:
            yield Ends(connection, recorder, ended, streams)
        finally:
            streams[1].transport.abort()
        await soon(lambda: ended == [recorder])
        assert not pool.connections


FRAGMENTED = client_frame(1, b"na", fin=False) + client_frame(9, b"?") + client_frame(0, b"\xc3", fin=False)
FRAGMENTED += client_frame(10, b"") + client_frame(0, b"\xafve")

GOOD: dict[str, tuple[bytes, list[str]]] = {
    "empty": (text(""), [""]),
    "short": (text("naïve"), ["naïve"]),
    "126": (text("x" * 126), ["x" * 126]),
    "126 for a short one": (text("naïve", size_bytes=2), ["naïve"]),
    "127": (text("naïve", size_bytes=8), ["naïve"]),
    "two": (text("one") + text("two"), ["one", "two"]),
    "with a ping between": (text("one") + client_frame(9, b"?") + text("two"), ["one", "two"]),
    "fragments with control frames between": (text("one") + FRAGMENTED + text("two"), ["one", "naïve", "two"]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", GOOD)
async def test_messages_arrive_however_they_are_cut(kind: type[Connection], stream: str) -> None:
    data, messages = GOOD[stream]
    async with both_ends(kind) as ends:
        for cut in (*range(min(len(data), 20)), *range(20, len(data), 10)):
            ends.messages.clear()
            ends.connection.data_received(data[:cut])
            ends.connection.data_received(data[cut:])
            await soon(lambda: ends.messages == messages)
        ends.messages.clear()
        for byte in data:
            ends.connection.data_received(bytes((byte,)))
        await soon(lambda: ends.messages == messages)
        ends.writer.write(data)
        await soon(lambda: ends.messages == 2 * messages)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_ping_is_answered_between_fragments(kind: type[Connection]) -> None:
    async with both_ends(kind) as ends:
        ends.writer.write(FRAGMENTED)
        assert await ends.frame() == (Opcode.PONG, b"?")


BAD = {
    "not masked": (text("x", masked=False), 1002),
    "reserved bit": (b"\xc1" + text("x")[1:], 1002),
    "unknown opcode": (client_frame(3, b"x"), 1002),
    "text between fragments": (text("x", fin=False) + text("y"), 1002),
    "continuation of nothing": (client_frame(0, b"x"), 1002),
    "fragmented ping": (client_frame(9, b"x", fin=False), 1002),
    "long ping": (client_frame(9, b"x" * 126), 1002),
    "too long": (text("x" * (MESSAGE_BYTES + 1)), 1009),
    "much too long": (text("", size_bytes=8)[:2] + b"\x7f" + bytes(7) + b"mask", 1009),
    "fragments too long together": (text("x" * MESSAGE_BYTES, fin=False) + client_frame(0, b"x"), 1009),
    "too many fragments": (text("", fin=False) + client_frame(0, b"", fin=False) * 5000 + client_frame(0, b""), 1009),
    "bad UTF-8": (client_frame(1, b"na\xc3"), 1007),
    "bad UTF-8 in fragments": (client_frame(1, b"na\xc3", fin=False) + client_frame(0, b"x"), 1007),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", BAD)
async def test_bad_frames_close_the_connection(kind: type[Connection], case: str) -> None:
    data, code = BAD[case]
    async with both_ends(kind) as ends:
        ends.writer.write(text("before") + data + text("after"))
        assert await ends.close_code() == code
        assert ends.messages == ["before"]


async def test_a_frame_without_a_mask_is_refused_at_once() -> None:
    async with both_ends(WireConnection) as ends:
        ends.writer.write(text("", masked=False))
        assert await ends.close_code() == 1002


@pytest.mark.parametrize("kind", KINDS)
async def test_binary_messages_and_fragments_of_them_are_bytes(kind: type[Connection]) -> None:
    async with both_ends(kind) as ends:
        ends.writer.write(client_frame(2, b"one") + client_frame(2, b"t", fin=False) + client_frame(0, b"wo"))
        await soon(lambda: ends.messages == [b"one", b"two"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", ["two", "fragments with control frames between"])
async def test_frames_may_come_with_the_handshake(kind: type[Connection], stream: str) -> None:
    data, messages = GOOD[stream]
    for cut in (3, len(text("one")), len(text("one")) + 4, len(data)):
        async with both_ends(kind, HANDSHAKE + data[:cut]) as ends:
            ends.connection.data_received(data[cut:])
            await soon(lambda: ends.messages == messages)
            await ends.is_alive()


@pytest.mark.parametrize("kind", KINDS)
async def test_what_was_sent_before_a_close_is_heard(kind: type[Connection]) -> None:
    async with both_ends(kind) as ends:
        ends.writer.write(text("last words") + client_frame(8, struct.pack("!H", 1001)))
        assert await ends.close_code() == 1001
        assert ends.messages == ["last words"]
        ends.connection.push(framed(b"too late"))


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_follows_a_close_frame(kind: type[Connection]) -> None:
    async with both_ends(kind) as ends:
        ends.connection.push(framed(b"first"))
        closing = asyncio.create_task(ends.connection.close(1012))
        ends.connection.push(framed(b"second"))
        await soon(lambda: ends.connection.state is State.CLOSING)
        ends.connection.push(framed(b"third"))
        assert [await ends.frame() for _ in range(2)] == [(1, b"first"), (1, b"second")]
        opcode, payload = await ends.frame()
        assert (opcode, payload[:2]) == (Opcode.CLOSE, struct.pack("!H", 1012))
        ends.writer.write(client_frame(8, payload))
        async with asyncio.timeout(20):
            assert await ends.reader.read() == b""
        await closing


async def test_what_was_pushed_in_the_turn_of_a_close_goes_before_it() -> None:
    async with both_ends(WireConnection) as ends:
        ends.connection.push(framed(b"answer"))
        ends.connection.data_received(client_frame(8, struct.pack("!H", 1000)))
        assert await ends.frame() == (1, b"answer")
        assert await ends.close_code() == 1000


async def test_nothing_is_heard_after_a_bad_message_that_the_library_reads() -> None:
    async with both_ends(WireConnection, HANDSHAKE + text("one")[:3]) as ends:
        ends.connection.data_received(text("one")[3:] + client_frame(1, b"\xc3") + text("after"))
        assert await ends.close_code() == 1007
        assert ends.messages == ["one"]


async def test_what_a_client_sends_after_its_mistake_is_dropped_unseen() -> None:
    async with both_ends(WireConnection) as ends:
        ends.connection.data_received(client_frame(1, b"\xc3"))
        before = ends.connection._frames
        ends.connection.data_received(text("after") * 3)
        assert ends.connection._frames == before, "none of it was cut into frames"
        assert not ends.connection._rest
        assert await ends.close_code() == 1007


class Recording:
    """A transport that records what is written."""

    def __init__(self, transport: Any) -> None:
        self.writes: list[bytes] = []
        self._transport = transport

    def write(self, data: bytes) -> None:
        self.writes.append(data)
        self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


async def test_what_a_connection_gets_in_one_turn_is_one_write() -> None:
    async with both_ends(WireConnection) as ends:
        transport = ends.connection.transport = Recording(ends.connection.transport)  # type: ignore[assignment]
        for _ in range(2):
            ends.connection.push(framed(b"update"))
            ends.connection.push(framed(b"ok"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert [await ends.frame() for _ in range(4)] == [(1, b"update"), (1, b"ok")] * 2
        assert transport.writes == [framed(b"update") + framed(b"ok")] * 2


async def test_what_gathers_in_one_turn_is_bounded() -> None:
    async with both_ends(WireConnection) as ends:
        transport = ends.connection.transport = Recording(ends.connection.transport)  # type: ignore[assignment]
        for _ in range(2 * AT_ONCE // 100):
            ends.connection.push(framed(b"x" * 98))
        assert len(transport.writes) == 1


async def test_a_fragmented_message_of_the_library_is_not_interrupted() -> None:
    async def fragments() -> AsyncIterator[str]:
        yield "one"
        ends.connection.push(framed(b"three"))
        await asyncio.sleep(0.02)
        yield "two"

    async with both_ends(WireConnection) as ends:
        await ends.connection.send(fragments())
        frames = [await ends.frame() for _ in range(4)]
        assert [payload for _, payload in frames] == [b"one", b"two", b"", b"three"]


async def test_nothing_follows_the_close_of_a_fragmented_message() -> None:
    async def fragments() -> AsyncIterator[str]:
        yield "one"
        ends.connection.push(framed(b"late"))
        await ends.connection.close()
        yield "two"

    async with both_ends(WireConnection) as ends:
        transport = ends.connection.transport = Recording(ends.connection.transport)  # type: ignore[assignment]
        sending = asyncio.create_task(ends.connection.send(fragments()))
        assert await ends.close_code() == 1011
        ends.writer.close()
        with pytest.raises(ConnectionClosed):
            await sending
        await asyncio.sleep(0)
        assert framed(b"late") not in transport.writes


@pytest.mark.parametrize("kind", KINDS)
async def test_messages_wait_for_the_one_before_them(kind: type[Connection]) -> None:
    async with both_ends(kind) as ends:
        ends.recorder.held = held = asyncio.get_running_loop().create_future()
        ends.writer.write(text("first") + text("second") + FRAGMENTED + text("last"))
        await soon(lambda: ends.messages == ["first"])
        await asyncio.sleep(0.05)
        assert ends.messages == ["first"]
        ends.recorder.held = again = asyncio.get_running_loop().create_future()
        held.set_result(None)
        await soon(lambda: ends.messages == ["first", "second"])
        again.set_result(None)
        await soon(lambda: ends.messages == ["first", "second", "naïve", "last"])
        await ends.is_alive()


async def test_nothing_is_read_of_a_client_that_has_to_wait() -> None:
    async with both_ends(WireConnection) as ends:
        ends.recorder.held = held = asyncio.get_running_loop().create_future()
        ends.writer.write(text("first") + text("second"))
        await soon(lambda: not ends.connection.transport.is_reading())
        held.set_result(None)
        await soon(ends.connection.transport.is_reading)
        await ends.is_alive()


@pytest.mark.parametrize("kind", KINDS)
async def test_the_end_of_a_connection_waits_for_its_messages(kind: type[Connection]) -> None:
    async with both_ends(kind) as ends:
        ends.recorder.held = held = asyncio.get_running_loop().create_future()
        ends.writer.write(text("hello") + text("resign") + client_frame(8, b""))
        await soon(lambda: ends.messages == ["hello"])
        ends.writer.close()
        await asyncio.sleep(0.05)
        held.set_result(None)
        await soon(lambda: ends.messages == ["hello", "resign"])
    async with both_ends(kind) as ends:
        ends.recorder.held = held = asyncio.get_running_loop().create_future()
        ends.writer.write(text("hello"))
        await soon(lambda: ends.messages == ["hello"])
        ends.writer.transport.abort()
        await soon(lambda: ends.connection.state is State.CLOSED)
        assert ends.ended == []
        held.set_result(None)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_slow_reader_is_told_of_and_can_catch_up(kind: type[Connection]) -> None:
    async with both_ends(kind, limit=1000) as ends:
        frame = framed(b"x" * 10_000)
        sent = 0
        while "pause" not in ends.recorder.events:
            ends.connection.push(frame)
            sent += 1
            await asyncio.sleep(0)
        assert ends.connection.transport.get_write_buffer_size() <= SOFT + len(frame)
        for _ in range(sent):
            assert len((await ends.frame())[1]) == 10_000
        await soon(lambda: ends.recorder.events == ["pause", "resume"])
        await ends.is_alive()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_client_that_does_not_read_is_cut_off_after_some_time(kind: type[Connection]) -> None:
    async with both_ends(kind, slow_reader_s=0.1, limit=1000) as ends:
        while "pause" not in ends.recorder.events:
            ends.connection.push(framed(b"x" * 10_000))
            await asyncio.sleep(0)
        await soon(lambda: ends.connection.state is State.CLOSED)
        assert not ends.recorder.open


@pytest.mark.parametrize("kind", KINDS)
async def test_a_client_is_cut_off_before_much_is_unsent(kind: type[Connection]) -> None:
    frame = framed(b"x" * 1000)
    async with both_ends(kind, limit=1000) as ends:
        transport = ends.connection.transport
        while ends.recorder.open:  # in one turn of the loop
            ends.connection.push(frame)
            assert transport.get_write_buffer_size() <= BACKLOG_BYTES + AT_ONCE + len(frame)
        await soon(lambda: ends.connection.state is State.CLOSED)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_client_that_pings_and_does_not_read_is_cut_off(kind: type[Connection]) -> None:
    pings = client_frame(9, b"x" * 125) * 20
    async with both_ends(kind, limit=1000) as ends:
        transport = ends.connection.transport
        while ends.recorder.open:
            ends.writer.write(pings)
            assert transport.get_write_buffer_size() <= BACKLOG_BYTES + 2 * len(pings)
            await asyncio.sleep(0)
        await soon(lambda: ends.connection.state is State.CLOSED)


@pytest.mark.parametrize("public", [False, True])
async def test_the_memory_that_a_slow_reader_holds_is_bounded_in_the_kernel_too(public: bool) -> None:
    async with running_gateway(public=public) as node, connected(node.url, "ann") as ann:
        room = await ann.create()
        ann.socket.transport.pause_reading()
        (session,) = node.services.subscribers.of(room)
        assert isinstance(session, Session)
        held = 0
        while session.open:
            session.push(framed(b"x" * 1000))
            held += 1000
            if held % 10_000 == 0:
                await asyncio.sleep(0)
        # What the client's kernel has taken is not the server's.
        unread = received_by_kernel(ann.socket.transport)
        backlog = node.services.settings.backlog_bytes
        assert backlog < held < backlog + 2 * server.KERNEL_BYTES + unread + 100_000
        ann.socket.transport.abort()


async def test_the_kernel_takes_little_of_a_client_that_has_to_wait() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann:
        room = await ann.create()
        (session,) = node.services.subscribers.of(room)
        assert isinstance(session, Session)
        ours, theirs = session._connection.transport, ann.socket.transport
        ours.pause_reading()
        theirs.write(bytes(4_000_000))
        taken = -1
        while taken != (taken := received_by_kernel(ours)) or not taken:  # noqa: ASYNC110  a kernel
            await asyncio.sleep(0.05)
        assert taken <= 2 * server.RECEIVED_BYTES
        theirs.abort()


def received_by_kernel(transport: Any) -> int:
    """The bytes that this end of a connection has received and not read."""
    end = transport.get_extra_info("socket")
    return int(struct.unpack("i", fcntl.ioctl(end.fileno(), termios.FIONREAD, bytes(4)))[0])


@pytest.mark.parametrize("answer", [client_frame(10, b""), text("hello")])
async def test_a_client_that_gives_signs_of_life_stays(answer: bytes) -> None:
    async with both_ends(WireConnection) as ends:
        assert isinstance(ends.connection, WireConnection)
        for now in (100, 100 + PING_S, 100 + 2 * PING_S):
            ends.connection.look_after(now)
            assert await ends.frame() == (Opcode.PING, b"")
            ends.connection.data_received(answer)
        await ends.is_alive()


async def test_a_client_that_answers_no_ping_is_dropped() -> None:
    async with both_ends(WireConnection) as ends:
        assert isinstance(ends.connection, WireConnection)
        ends.connection.look_after(100)
        ends.connection.look_after(101)  # it has time
        assert ends.connection.state is State.OPEN
        ends.connection.look_after(100 + PING_S)
        assert await ends.close_code() == 1011


async def test_a_client_that_does_not_end_its_connection_is_dropped() -> None:
    async with both_ends(WireConnection) as ends:
        assert isinstance(ends.connection, WireConnection)
        ends.writer.write(text("x", masked=False))
        assert await ends.close_code() == 1002
        ends.connection.look_after(asyncio.get_running_loop().time() + 2)
        await soon(lambda: ends.connection.state is State.CLOSED)


async def test_all_clients_are_pinged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "PING_S", 0.1)
    async with both_ends(WireConnection) as ends:
        looking = asyncio.create_task(wire.look_after(ends.connection._pool))
        assert await ends.frame() == (Opcode.PING, b"")
        assert await ends.close_code() == 1011
        looking.cancel()


class Limits:
    """What was limited."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def limit(self, name: str, _who: str, _did: str) -> None:
        self.names.append(name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_the_handshake", [False, True])
async def test_other_tasks_run_between_the_frames_of_one_packet(
    kind: type[Connection], with_the_handshake: bool
) -> None:
    frames = text("x") * 20 * TURN_FRAMES
    async with both_ends(kind, HANDSHAKE + frames * with_the_handshake) as ends:
        if not with_the_handshake:
            ends.connection.data_received(frames)
        most = 0
        while len(ends.messages) < 20 * TURN_FRAMES:
            before = len(ends.messages)
            await asyncio.sleep(0)
            most = max(most, len(ends.messages) - before)
        assert most <= 2 * TURN_FRAMES
        await ends.is_alive()


FLOODS = {
    "pings": client_frame(9, b""),
    "pongs": client_frame(10, b""),
    "empty messages": text(""),
    "fragments": text("", fin=False) + client_frame(0, b""),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("flood", FLOODS)
async def test_too_many_frames_have_to_wait(kind: type[Connection], flood: str) -> None:
    limits = Limits()
    async with both_ends(kind, frames_per_s=1000, frames=100, limit_=limits.limit) as ends:
        began = asyncio.get_running_loop().time()
        ends.writer.write(FLOODS[flood] * 200 + text("last"))
        await soon(lambda: ends.messages[-1:] == ["last"])
        assert asyncio.get_running_loop().time() - began > 0.08
        assert set(limits.names) == {"frames_per_message"}
        await ends.is_alive()


async def test_nothing_is_read_while_frames_have_to_wait() -> None:
    async with both_ends(WireConnection, frames_per_s=200, frames=TURN_FRAMES) as ends:
        ends.writer.write(FLOODS["pings"] * 3 * TURN_FRAMES)
        await soon(lambda: not ends.connection.transport.is_reading())
        await soon(ends.connection.transport.is_reading)
        ends.recorder.held = held = asyncio.get_running_loop().create_future()
        ends.writer.write(text("first") + text("second") + FLOODS["pings"] * 3 * TURN_FRAMES)
        await soon(lambda: ends.messages == ["first"])
        await asyncio.sleep(1)  # the frames are allowed after half of it
        assert not ends.connection.transport.is_reading(), "there is still a message that waits"
        held.set_result(None)
        await soon(ends.connection.transport.is_reading)
        assert ends.messages == ["first", "second"]
        await ends.is_alive()


@pytest.mark.parametrize("kind", KINDS)
async def test_who_goes_on_to_send_too_many_frames_is_closed(
    kind: type[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "FLOOD_S", 0.3)
    async with both_ends(kind, frames_per_s=100, frames=100) as ends:
        ends.writer.write(FLOODS["pongs"] * 10_000)
        assert await ends.close_code() == 1008


async def test_much_behind_too_many_frames_closes_a_connection_that_cannot_stop_reading() -> None:
    async with both_ends(Connection, frames_per_s=1, frames=TURN_FRAMES) as ends:
        ends.writer.write(client_frame(10, bytes(125)) * 10_000)
        assert await ends.close_code() == 1008


async def test_answers_to_our_pings_are_free() -> None:
    limits = Limits()
    async with both_ends(WireConnection, frames_per_s=0.01, frames=TURN_FRAMES, limit_=limits.limit) as ends:
        assert isinstance(ends.connection, WireConnection)
        for now in range(2 * TURN_FRAMES):
            ends.connection.look_after(100.0 + now)
            assert await ends.frame() == (Opcode.PING, b"")
            ends.connection.data_received(client_frame(10, b""))
        await ends.is_alive()
        assert not limits.names
        ends.connection.data_received(client_frame(10, b"") * TURN_FRAMES)
        assert limits.names == ["frames_per_message"]
        ends.connection.cut()  # it reads no more, and would not notice that the client is gone


@pytest.mark.parametrize("kind", KINDS)
async def test_frames_after_our_close_frame_are_counted_too(kind: type[Connection]) -> None:
    limits = Limits()
    async with both_ends(kind, frames_per_s=1, frames=TURN_FRAMES, limit_=limits.limit) as ends:
        closing = asyncio.create_task(ends.connection.close())
        await soon(lambda: ends.connection.state is State.CLOSING)
        ends.connection.data_received(FLOODS["pings"] * 3 * TURN_FRAMES)
        await soon(lambda: limits.names == ["frames_per_message"])
        await closing


async def test_a_connection_that_cannot_be_pinged_does_not_keep_others_from_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(wire, "PING_S", 0.1)

    class Broken(WireConnection):
        def look_after(self, now: float) -> None:
            raise ZeroDivisionError(now)

    async with both_ends(Broken) as broken, both_ends(WireConnection) as ends:
        both: Any = SimpleNamespace(connections=[broken.connection, ends.connection])
        looking = asyncio.create_task(wire.look_after(both))
        assert await ends.frame() == (Opcode.PING, b"")
        await soon(lambda: broken.connection.state is State.CLOSED)
        looking.cancel()
    assert "ZeroDivisionError" in caplog.text


async def test_the_internals_are_those_of_the_pinned_version() -> None:
    """What the wire leans on beside the public interface. If this fails, check the wire against the new version."""
    assert version.split(".")[:2] == server.WIRE_VERSION
    async with both_ends(WireConnection) as ends:
        connection = ends.connection
        for name in ("process_event", "send_data", "send_in_progress", "paused", "close_deadline", "close_timeout"):
            assert hasattr(connection, name)
        for name in ("request", "response", "transport", "loop", "protocol"):
            assert hasattr(connection, name)
        protocol = connection.protocol
        assert isinstance(protocol, ServerProtocol)
        assert protocol._state is State.OPEN
        assert (protocol.current_size, protocol.close_sent, protocol.close_rcvd_then_sent) == (None, None, None)
        assert protocol.reader.buffer == b""
        await ends.is_alive()


async def test_any_other_version_is_served_by_the_public_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "version", "17.5")
    async with running_gateway() as node, connected(node.url, "ann") as ann:
        (connection,) = node.gateway._pool.connections
        assert type(connection) is Connection
        room = await ann.create()
        await ann.play(room, 0, "5")


@pytest.mark.parametrize("public", [False, True])
async def test_a_connection_that_has_ended_leaves_nothing_for_the_garbage_collector(public: bool) -> None:
    def alive() -> list[object]:
        return [each for each in gc.get_objects() if issubclass(type(each), Session | Connection)]

    async with running_gateway(public=public) as node:
        gc.collect()
        gc.disable()
        try:
            async with connected(node.url):
                assert len(alive()) == 2
            await soon(lambda: not alive())
        finally:
            gc.enable()


@pytest.mark.parametrize("public", [False, True])
async def test_a_client_that_is_turned_away_is_not_heard(public: bool) -> None:
    async with running_gateway(public=public) as node, connected(node.url, "ann") as ann:
        create = text('{"type":"create","game":"tictactoe","seats":{"first":"me","second":"open"}}')
        ann.socket.transport.write(client_frame(2, b"{}") + create)
        await ann.socket.wait_closed()
        assert ann.socket.close_code == 1003
        assert len(node.host) == 0
        async with connected(node.url, "ben") as ben:
            assert (await ben.ok(type="lobby"))["rooms"] == []
