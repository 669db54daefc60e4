"""A connection on each event loop: requests and frames in, frames out, limits, and its end.

Parts of frames are given to the connection itself, so that they arrive as they were cut.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import socket
import struct
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from noughts.gateway import limits
from noughts.gateway.connection import AT_ONCE, FRAGMENTS, ROUNDS, Connection, framed
from noughts.gateway.files import text as page
from noughts.gateway.limits import TURN_FRAMES
from noughts.gateway.pool import Listener, Pool
from noughts.gateway.port import KERNEL_BYTES, RECEIVED_BYTES, listening
from noughts.gateway.session import Session
from noughts.gateway.work import Work
from noughts.timing import Timing
from support.client import connected
from support.eventually import soon
from support.frames import HANDSHAKE, client_frame, text
from support.server import running_gateway

MESSAGE_BYTES = 1024
BACKLOG_BYTES = 300_000
PING_S = Timing().keepalive_s
SOFT = 65_536

pytestmark = pytest.mark.both_loops


class Recorder:
    """A listener. ``held`` is what it returns for the next message."""

    who = "somebody"

    def __init__(self) -> None:
        self.open = True
        self.share = Work().share("127.0.0.1", "somebody")
        self.messages: list[str | bytes] = []
        self.events: list[str] = []
        self.held: asyncio.Future[None] | None = None
        self.ended: list[Listener] = []
        self.limits: list[str] = []
        self.playing = False

    def receive(self, message: str | bytes) -> asyncio.Future[None] | None:
        self.messages.append(message)
        held, self.held = self.held, None
        return held

    def on_pause(self) -> None:
        self.events.append("pause")

    def on_resume(self) -> None:
        self.events.append("resume")

    def on_round_trip(self, seconds: float) -> None: ...

    def plays(self) -> bool:
        return self.playing

    def on_silence(self, *, silent: bool) -> None:
        self.events.append("silent" if silent else "heard")


class Ends:
    """Both ends of a connection of ``pool``."""

    def __init__(
        self, connection: Connection, recorder: Recorder, pool: Pool[Connection], streams: tuple[Any, Any]
    ) -> None:
        self.connection = connection
        self.recorder = recorder
        self.pool = pool
        self.reader: asyncio.StreamReader = streams[0]
        self.writer: asyncio.StreamWriter = streams[1]

    @property
    def is_over(self) -> bool:
        return self.connection not in self.pool.connections

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


async def accept(_: Connection, _request: Request) -> None:
    """Open a WebSocket for everybody."""


@asynccontextmanager
async def both_ends(first: bytes = HANDSHAKE, limit: int = 2**16, **limits: Any) -> AsyncIterator[Ends]:
    """A connection of a pool with ``limits``. The client sends ``first``, and reads some ``limit`` bytes ahead."""
    recorder = Recorder()
    options: dict[str, Any] = {
        "message_bytes": MESSAGE_BYTES,
        "backlog_bytes": BACKLOG_BYTES,
        "soft_bytes": SOFT,
        "on_end": recorder.ended.append,
        "limit": lambda name, _who, _did: recorder.limits.append(name),
        **limits,
    }
    pool = Pool(accept, lambda _: recorder, **options)
    async with listening(pool, "127.0.0.1", 0) as server:
        streams = await asyncio.open_connection(*server.sockets[0].getsockname()[:2], limit=limit)
        streams[1].write(first)
        await streams[0].readuntil(b"\r\n\r\n")
        (connection,) = pool.connections
        await soon(lambda: connection.listener is recorder)
        try:
            yield Ends(connection, recorder, pool, streams)
        finally:
            streams[1].transport.abort()
        await soon(lambda: recorder.ended == [recorder])
        assert not pool.connections


FRAGMENTED = client_frame(1, b"na", fin=False) + client_frame(9, b"?") + client_frame(0, b"\xc3", fin=False)
FRAGMENTED += client_frame(10, b"") + client_frame(0, b"\xafve")

GOOD: dict[str, tuple[bytes, list[str]]] = {
    "empty": (text(""), [""]),
    "short": (text("naïve"), ["naïve"]),
    "of each length": (b"".join(text("x" * size) for size in range(9)), ["x" * size for size in range(9)]),
    "126": (text("x" * 126), ["x" * 126]),
    "126 for a short one": (text("naïve", size_bytes=2), ["naïve"]),
    "127": (text("naïve", size_bytes=8), ["naïve"]),
    "two": (text("one") + text("two"), ["one", "two"]),
    "with a ping between": (text("one") + client_frame(9, b"?") + text("two"), ["one", "two"]),
    "fragments with control frames between": (text("one") + FRAGMENTED + text("two"), ["one", "naïve", "two"]),
}


@pytest.mark.parametrize("stream", GOOD)
async def test_messages_arrive_however_they_are_cut(stream: str) -> None:
    data, messages = GOOD[stream]
    async with both_ends() as ends:
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


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_frame_is_read_by_the_library(size: int) -> None:
    client = ClientProtocol(parse_uri("ws://x"), state=State.OPEN)
    client.receive_data(framed(b"x" * size))
    assert client.events_received() == [Frame(Opcode.TEXT, b"x" * size)]


async def test_a_ping_is_answered_between_fragments() -> None:
    async with both_ends() as ends:
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
    "too many fragments": (
        text("", fin=False) + client_frame(0, b"", fin=False) * FRAGMENTS + client_frame(0, b""),
        1009,
    ),
    "bad UTF-8": (client_frame(1, b"na\xc3"), 1007),
    "bad UTF-8 in fragments": (client_frame(1, b"na\xc3", fin=False) + client_frame(0, b"x"), 1007),
}


@pytest.mark.parametrize("case", BAD)
async def test_bad_frames_close_the_connection(case: str) -> None:
    data, code = BAD[case]
    async with both_ends() as ends:
        ends.writer.write(text("before") + data + text("after"))
        assert await ends.close_code() == code
        assert ends.messages == ["before"]


async def test_a_frame_without_a_mask_is_refused_at_once() -> None:
    async with both_ends() as ends:
        ends.writer.write(text("", masked=False))
        assert await ends.close_code() == 1002


async def test_binary_messages_and_fragments_of_them_are_bytes() -> None:
    async with both_ends() as ends:
        ends.writer.write(client_frame(2, b"one") + client_frame(2, b"t", fin=False) + client_frame(0, b"wo"))
        await soon(lambda: ends.messages == [b"one", b"two"])


@pytest.mark.parametrize("stream", ["two", "fragments with control frames between"])
async def test_frames_may_come_with_the_handshake(stream: str) -> None:
    data, messages = GOOD[stream]
    for cut in (3, len(text("one")), len(text("one")) + 4, len(data)):
        async with both_ends(HANDSHAKE + data[:cut]) as ends:
            ends.connection.data_received(data[cut:])
            await soon(lambda: ends.messages == messages)
            await ends.is_alive()


async def test_what_was_sent_before_a_close_is_heard() -> None:
    async with both_ends() as ends:
        ends.writer.write(text("last words") + client_frame(8, struct.pack("!H", 1001)))
        assert await ends.close_code() == 1001
        assert ends.messages == ["last words"]
        ends.connection.push(framed(b"too late"))


async def test_nothing_follows_a_close_frame() -> None:
    async with both_ends() as ends:
        ends.connection.push(framed(b"first"))
        ends.connection.close(1012, "restarting")
        ends.connection.push(framed(b"second"))
        ends.connection.close(1000, "again")
        assert await ends.frame() == (1, b"first")
        opcode, payload = await ends.frame()
        assert (opcode, payload[:2]) == (Opcode.CLOSE, struct.pack("!H", 1012))
        ends.writer.write(client_frame(8, payload))
        async with asyncio.timeout(20):
            assert await ends.reader.read() == b""


async def test_what_was_pushed_in_the_turn_of_a_close_goes_before_it() -> None:
    async with both_ends() as ends:
        ends.connection.push(framed(b"answer"))
        ends.connection.data_received(client_frame(8, struct.pack("!H", 1000)))
        assert await ends.frame() == (1, b"answer")
        assert await ends.close_code() == 1000


async def test_nothing_is_heard_after_a_bad_message_that_the_library_reads() -> None:
    async with both_ends(HANDSHAKE + text("one")[:3]) as ends:
        ends.connection.data_received(text("one")[3:] + client_frame(1, b"\xc3") + text("after"))
        assert await ends.close_code() == 1007
        assert ends.messages == ["one"]


async def test_what_a_client_sends_after_its_mistake_is_dropped_unseen() -> None:
    async with both_ends(frames_per_s=0.01, frames=TURN_FRAMES) as ends:
        ends.connection.data_received(client_frame(1, b"\xc3"))
        for _ in range(10):
            ends.connection.data_received(text("after") * TURN_FRAMES)
        assert not ends.recorder.limits, "none of it was cut into frames"
        assert await ends.close_code() == 1007
        assert not ends.messages


async def test_the_end_of_a_clients_stream_does_not_lose_what_was_pushed() -> None:
    async with both_ends() as ends:
        ends.connection.push(framed(b"answer"))
        ends.connection.eof_received()
        ends.connection.transport.close()
        assert await ends.frame() == (1, b"answer")


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
    async with both_ends() as ends:
        transport = ends.connection.transport = Recording(ends.connection.transport)  # type: ignore[assignment]
        for _ in range(2):
            ends.connection.push(framed(b"update"))
            ends.connection.push(framed(b"ok"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert [await ends.frame() for _ in range(4)] == [(1, b"update"), (1, b"ok")] * 2
        assert transport.writes == [framed(b"update") + framed(b"ok")] * 2


async def test_a_close_frame_is_in_the_write_of_what_was_pushed_before_it() -> None:
    async with both_ends() as ends:
        transport = ends.connection.transport = Recording(ends.connection.transport)  # type: ignore[assignment]
        ends.connection.push(framed(b"refused"))
        ends.connection.close(1008, "")
        assert transport.writes == [framed(b"refused") + b"\x88\x02" + struct.pack("!H", 1008)]
        await asyncio.sleep(0.01)
        assert len(transport.writes) == 1


async def test_what_gathers_in_one_turn_is_bounded() -> None:
    async with both_ends() as ends:
        transport = ends.connection.transport = Recording(ends.connection.transport)  # type: ignore[assignment]
        for _ in range(2 * AT_ONCE // 100):
            ends.connection.push(framed(b"x" * 98))
        assert len(transport.writes) == 1


async def test_messages_wait_for_the_one_before_them() -> None:
    async with both_ends() as ends:
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
    async with both_ends() as ends:
        ends.recorder.held = held = asyncio.get_running_loop().create_future()
        ends.writer.write(text("first") + text("second"))
        await soon(lambda: not ends.connection.transport.is_reading())
        held.set_result(None)
        await soon(ends.connection.transport.is_reading)
        await ends.is_alive()


async def test_the_end_of_a_connection_waits_for_its_messages() -> None:
    async with both_ends() as ends:
        ends.recorder.held = held = asyncio.get_running_loop().create_future()
        ends.writer.write(text("hello") + text("resign") + client_frame(8, b""))
        await soon(lambda: ends.messages == ["hello"])
        ends.writer.close()
        await asyncio.sleep(0.05)
        held.set_result(None)
        await soon(lambda: ends.messages == ["hello", "resign"])
    async with both_ends() as ends:
        ends.recorder.held = held = asyncio.get_running_loop().create_future()
        ends.writer.write(text("hello"))
        await soon(lambda: ends.messages == ["hello"])
        ends.writer.transport.abort()
        await soon(lambda: ends.is_over)
        assert ends.recorder.ended == []
        held.set_result(None)


async def test_a_slow_reader_is_told_of_and_can_catch_up() -> None:
    async with both_ends(limit=1000) as ends:
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


async def test_a_client_that_does_not_read_is_cut_off_after_some_time() -> None:
    async with both_ends(slow_reader_s=0.1, limit=1000) as ends:
        while "pause" not in ends.recorder.events:
            ends.connection.push(framed(b"x" * 10_000))
            await asyncio.sleep(0)
        await soon(lambda: ends.is_over)
        assert not ends.recorder.open


async def test_a_client_is_cut_off_before_much_is_unsent() -> None:
    frame = framed(b"x" * 1000)
    async with both_ends(limit=1000) as ends:
        transport = ends.connection.transport
        while ends.recorder.open:  # in one turn of the loop
            ends.connection.push(frame)
            assert transport.get_write_buffer_size() <= BACKLOG_BYTES + AT_ONCE + len(frame)
        await soon(lambda: ends.is_over)


async def test_a_client_that_pings_and_does_not_read_is_cut_off() -> None:
    pings = client_frame(9, b"x" * 125) * 20
    async with both_ends(limit=1000) as ends:
        transport = ends.connection.transport
        while ends.recorder.open:
            ends.writer.write(pings)
            assert transport.get_write_buffer_size() <= BACKLOG_BYTES + 2 * len(pings)
            await asyncio.sleep(0)
        await soon(lambda: ends.is_over)


async def test_the_memory_that_a_slow_reader_holds_is_bounded_in_the_kernel_too() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann:
        room = await ann.create()
        ann.socket.transport.pause_reading()
        (session,) = node.server.subscribers.of(room)
        assert isinstance(session, Session)
        held = 0
        while session.open:
            session.push(framed(b"x" * 1000))
            held += 1000
            if held % 10_000 == 0:
                await asyncio.sleep(0)
        # What the client's kernel has taken is not the server's.
        unread = received_by_kernel(ann.socket.transport)
        backlog = node.server.settings.backlog_bytes
        assert backlog < held < backlog + 2 * KERNEL_BYTES + unread + 100_000
        ann.socket.transport.abort()


async def test_the_kernel_takes_little_of_a_client_that_has_to_wait() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann:
        (ours,), theirs = (each.transport for each in node.gateway.pool.connections), ann.socket.transport
        ours.pause_reading()
        theirs.write(bytes(4_000_000))
        taken = -1
        while taken != (taken := received_by_kernel(ours)) or not taken:  # noqa: ASYNC110  a kernel
            await asyncio.sleep(0.05)
        assert taken <= 2 * RECEIVED_BYTES
        theirs.abort()


def received_by_kernel(transport: Any) -> int:
    """The bytes that this end of a connection has received and not read."""
    end = transport.get_extra_info("socket")
    return int(struct.unpack("i", fcntl.ioctl(end.fileno(), termios.FIONREAD, bytes(4)))[0])


@pytest.mark.parametrize("answer", [client_frame(10, b""), text("hello")])
async def test_a_client_that_gives_signs_of_life_stays(answer: bytes) -> None:
    async with both_ends() as ends:
        for now in (100, 100 + PING_S, 100 + 2 * PING_S):
            ends.connection.ping(now)
            assert await ends.frame() == (Opcode.PING, b"")
            ends.connection.data_received(answer)
        await ends.is_alive()


async def test_a_client_that_plays_is_pinged_more_often_and_its_silence_is_noted() -> None:
    async with both_ends() as ends:
        quarter = PING_S / ROUNDS
        ends.connection.ping(100, extra=True)
        ends.recorder.playing = True
        ends.connection.ping(100 + quarter, extra=True)
        assert await ends.frame() == (Opcode.PING, b"")
        ends.connection.ping(101 + quarter, extra=True)
        assert not ends.recorder.events  # it has time
        ends.connection.ping(100 + 2 * quarter, extra=True)
        ends.connection.ping(100 + 3 * quarter, extra=True)
        assert ends.recorder.events == ["silent"]
        ends.connection.data_received(client_frame(10, b""))
        assert ends.recorder.events == ["silent", "heard"]
        await ends.is_alive()


async def test_a_client_that_does_not_play_may_be_silent() -> None:
    async with both_ends() as ends:
        ends.connection.ping(100)
        ends.connection.ping(100 + PING_S / 2, extra=True)
        assert not ends.recorder.events


async def test_a_client_that_answers_no_ping_is_dropped() -> None:
    async with both_ends() as ends:
        ends.connection.ping(100)
        ends.connection.ping(101)  # it has time
        assert ends.connection.is_open
        ends.connection.ping(100 + PING_S)
        assert await ends.close_code() == 1011


@pytest.mark.parametrize("is_to_blame", [False, True])
async def test_a_client_that_does_not_end_its_connection_is_cut_off(is_to_blame: bool) -> None:
    async with both_ends(close_s=(close_s := 0.3)) as ends:
        if is_to_blame:
            ends.writer.write(text("x", masked=False))
        else:
            ends.connection.close(1012, "restarting")
        opcode, _ = await ends.frame()
        assert opcode == Opcode.CLOSE
        began = asyncio.get_running_loop().time()
        await soon(lambda: ends.is_over)
        assert close_s / 2 < asyncio.get_running_loop().time() - began < 5


async def test_a_connection_that_cannot_be_pinged_or_written_to_does_not_keep_others_from_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(Recording):
        def write(self, data: bytes) -> None:
            raise ZeroDivisionError(data)

    async with both_ends(keepalive_s=0.1) as ends, asyncio.timeout(20):
        host, port = ends.writer.get_extra_info("peername")
        _, writer = await asyncio.open_connection(host, port)
        writer.write(HANDSHAKE)
        await soon(lambda: sum(each.is_open for each in ends.pool.connections) == 2)
        (other,) = ends.pool.connections - {ends.connection}
        other.transport = Broken(other.transport)  # type: ignore[assignment]
        other.push(framed(b"for the other"))
        ends.connection.push(framed(b"for both"))
        assert await ends.frame() == (1, b"for both")
        await soon(lambda: ends.pool.connections == {ends.connection})
        assert await ends.frame() == (Opcode.PING, b"")
        ends.recorder.ended.clear()
        writer.close()
    assert "ZeroDivisionError" in caplog.text


async def test_all_clients_are_pinged() -> None:
    async with both_ends(keepalive_s=0.1) as ends:
        assert await ends.frame() == (Opcode.PING, b"")
        assert await ends.close_code() == 1011


@pytest.mark.parametrize("with_the_handshake", [False, True])
async def test_other_tasks_run_between_the_frames_of_one_packet(with_the_handshake: bool) -> None:
    frames = text("x") * 20 * TURN_FRAMES
    async with both_ends(HANDSHAKE + frames * with_the_handshake) as ends:
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


@pytest.mark.parametrize("flood", FLOODS)
async def test_too_many_frames_have_to_wait(flood: str) -> None:
    async with both_ends(frames_per_s=1000, frames=100) as ends:
        began = asyncio.get_running_loop().time()
        ends.writer.write(FLOODS[flood] * 200 + text("last"))
        await soon(lambda: ends.messages[-1:] == ["last"])
        assert asyncio.get_running_loop().time() - began > 0.08
        assert set(ends.recorder.limits) == {"frames_per_message"}
        await ends.is_alive()


async def test_nothing_is_read_while_frames_have_to_wait() -> None:
    async with both_ends(frames_per_s=200, frames=TURN_FRAMES) as ends:
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


async def test_who_goes_on_to_send_too_many_frames_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FLOOD_S", 0.3)
    async with both_ends(frames_per_s=100, frames=100) as ends:
        ends.writer.write(FLOODS["pongs"] * 10_000)
        assert await ends.close_code() == 1008


async def test_answers_to_our_pings_are_free() -> None:
    async with both_ends(frames_per_s=0.01, frames=TURN_FRAMES) as ends:
        for now in range(2 * TURN_FRAMES):
            ends.connection.ping(100.0 + now)
            assert await ends.frame() == (Opcode.PING, b"")
            ends.connection.data_received(client_frame(10, b""))
        await ends.is_alive()
        assert not ends.recorder.limits
        ends.connection.data_received(client_frame(10, b"") * TURN_FRAMES)
        assert ends.recorder.limits == ["frames_per_message"]
        ends.connection.cut()  # it reads no more, and would not notice that the client is gone


async def test_frames_after_our_close_frame_are_counted_too() -> None:
    async with both_ends(frames_per_s=1, frames=TURN_FRAMES) as ends:
        ends.connection.close(1012, "restarting")
        ends.connection.data_received(FLOODS["pings"] * 3 * TURN_FRAMES)
        await soon(lambda: ends.recorder.limits == ["frames_per_message"])


async def test_a_connection_that_has_ended_leaves_nothing_for_the_garbage_collector() -> None:
    def alive() -> list[object]:
        kinds = Session | Connection | ServerProtocol
        return [each for each in gc.get_objects() if issubclass(type(each), kinds)]

    async with running_gateway() as node:
        host, port = node.url.split("/")[2].split(":")
        gc.collect()
        gc.disable()
        try:
            async with connected(node.url):
                assert len(alive()) == 2
            await soon(lambda: not alive())
            for first in (HANDSHAKE, HANDSHAKE + b"bad", b"GET /healthz HTTP/1.1\r\n\r\n", b"bad\r\n\r\n", b"GET"):
                _, writer = await asyncio.open_connection(host, int(port))
                writer.write(first)
                await soon(lambda: bool(alive()))
                await asyncio.sleep(0.05)
                writer.transport.abort()
                await soon(lambda: not alive())
        finally:
            gc.enable()


async def test_a_request_that_is_not_one_ends_the_connection_soon() -> None:
    async with running_gateway(hello_s=60) as node, asyncio.timeout(20):
        host, port = node.url.split("/")[2].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"not HTTP\r\n\r\n")
        assert await reader.read() == b""
        await soon(lambda: not node.gateway.pool.connections)
        writer.close()


async def test_a_page_is_not_cut_short_for_a_client_that_reads_slowly() -> None:
    body = "x" * 3_000_000

    async def respond(_: Connection, _request: Request) -> Response:
        return page(HTTPStatus.OK, body)

    def never(_: Connection) -> Listener:
        raise AssertionError

    pool = Pool(respond, never, backlog_bytes=2 * len(body), close_s=0.25)
    async with listening(pool, "127.0.0.1", 0) as server, asyncio.timeout(60):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2], limit=2**16)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        read = 0
        for _ in range(4):
            await asyncio.sleep(0.8 * pool.close_s)
            read += len(await reader.read(500_000))
        read += len(await reader.read())
        assert read > len(body)
        writer.close()


async def test_small_frames_are_not_delayed() -> None:
    async with both_ends() as ends:
        end = ends.connection.transport.get_extra_info("socket")
        assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_a_client_that_is_turned_away_is_not_heard() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann:
        create = text('{"type":"create","game":"tictactoe","seats":{"first":"me","second":"open"}}')
        ann.socket.transport.write(client_frame(2, b"{}") + create)
        await ann.socket.wait_closed()
        assert ann.socket.close_code == 1003
        assert len(node.host) == 0
        async with connected(node.url, "ben") as ben:
            assert (await ben.ok(type="lobby"))["rooms"] == []
