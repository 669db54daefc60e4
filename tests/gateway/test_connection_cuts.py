"""Whatever a client sends, and however it is cut, a connection hears and answers what the library's own would.

The library gets each stream one byte after the other. There is no difference in messages, in what is sent, and in when
that ends, but one: once the server itself has sent a close frame, a connection of ours hears no more messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import SEND_EOF, State
from websockets.server import ServerProtocol

from noughts.gateway.connection import Connection
from noughts.gateway.pool import Pool
from noughts.gateway.work import Work
from support.frames import HANDSHAKE, client_frame, text

MESSAGE_BYTES = 200

CLOSE = (1012, "restarting")

Heard = tuple[list[str | bytes], bytes, bool]
"""The messages that were heard, what was sent after the handshake, and whether the server's stream has ended."""


class Recorder:
    """A listener that keeps the messages."""

    who = "somebody"

    def __init__(self) -> None:
        self.open = True
        self.share = Work().share("127.0.0.1", "somebody")
        self.messages: list[str | bytes] = []

    def receive(self, message: str | bytes) -> None:
        self.messages.append(message)

    def on_pause(self) -> None: ...

    def on_resume(self) -> None: ...

    def on_round_trip(self, seconds: float) -> None: ...

    def plays(self) -> bool:
        return False

    def on_silence(self, *, silent: bool) -> None: ...


class MemoryTransport(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.ended = False

    def write(self, data: Any) -> None:
        assert not self.ended, "nothing can be written after the end"
        self.written += data

    def write_eof(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def ours(chunks: Sequence[bytes], closes_before: int | None = None) -> Heard:
    """The messages and answers of a connection of ours that the server closes before one of the ``chunks``."""

    async def accept(_: Connection, _request: Request) -> None: ...

    recorder = Recorder()
    connection, transport = Connection(Pool(accept, lambda _: recorder, message_bytes=MESSAGE_BYTES)), MemoryTransport()
    connection.connection_made(transport)
    connection.data_received(HANDSHAKE)
    await asyncio.sleep(0)  # the request is answered by a task
    assert connection.is_open
    start = len(transport.written)
    for number, chunk in enumerate(chunks):
        if number == closes_before:
            connection.close(*CLOSE)
        connection.data_received(chunk)
    await asyncio.sleep(0)
    connection.connection_lost(None)
    return recorder.messages, transport.written[start:], transport.ended


def theirs(chunks: Sequence[bytes], closes_before: int | None = None) -> Heard:
    """The messages and answers of the library's protocol. Messages are put together as its own connections do."""
    library = ServerProtocol(max_size=MESSAGE_BYTES)
    library.receive_data(HANDSHAKE)
    (request,) = library.events_received()
    assert isinstance(request, Request)
    library.send_response(library.accept(request))
    library.data_to_send()
    messages: list[str | bytes] = []
    sent: list[bytes] = []
    fragments: list[Any] = []
    for number, chunk in enumerate(chunks):
        if number == closes_before and library.state is State.OPEN:
            library.send_close(*CLOSE)
        for byte in chunk:
            library.receive_data(bytes((byte,)))
            for frame in library.events_received():
                assert isinstance(frame, Frame)
                if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT) and library.close_sent is None:
                    fragments.append(frame)
                    if frame.fin:
                        whole, kind = b"".join(part.data for part in fragments), fragments[0].opcode
                        fragments.clear()
                        try:
                            messages.append(whole.decode() if kind is Opcode.TEXT else whole)
                        except UnicodeDecodeError as error:
                            library.fail(CloseCode.INVALID_DATA, f"{error.reason} at position {error.start}")
        sent += library.data_to_send()
    return messages, b"".join(sent), SEND_EOF in sent


few_bytes = st.binary(max_size=20)
many_bytes = st.integers(0, MESSAGE_BYTES + 2).map(lambda size: b"x" * size)
payloads = few_bytes | many_bytes | st.text(max_size=10).map(str.encode)
size_bytes = st.sampled_from((0, 0, 0, 2, 8))

whole_texts = st.builds(text, st.text(max_size=10), size_bytes=size_bytes)
pings = st.builds(client_frame, st.sampled_from((9, 10)), few_bytes)
any_frames = st.builds(
    client_frame,
    st.integers(0, 15),
    payloads,
    fin=st.booleans(),
    size_bytes=size_bytes,
    masked=st.sampled_from((True, True, True, False)),
)
reserved = st.builds(
    lambda frame, bits: bytes((frame[0] | bits << 4,)) + frame[1:], whole_texts | pings, st.integers(1, 7)
)
closings = st.builds(
    lambda code, reason: client_frame(8, code.to_bytes(2, "big") + reason),
    st.sampled_from((999, 1000, 1001, 1005, 1006, 1011, 1012, 3000, 4999, 5000)),
    st.text(max_size=10).map(str.encode) | few_bytes,
)
bad_controls = st.builds(client_frame, st.sampled_from((8, 9, 10)), many_bytes, fin=st.booleans())
bare_closings = st.builds(client_frame, st.just(8), st.binary(max_size=1))
too_long = st.integers(MESSAGE_BYTES + 1, 2**63).map(lambda size: b"\x81\xff" + size.to_bytes(8, "big") + b"mask")


@st.composite
def fragmented(draw: st.DrawFn) -> bytes:
    """A message in fragments, cut anywhere, with control frames between."""
    content = draw(st.text(max_size=40).map(str.encode) | payloads)
    cuts = sorted(draw(st.lists(st.integers(0, len(content)), max_size=3)))
    parts = [content[start:stop] for start, stop in pairwise((0, *cuts, len(content)))]
    kind, stream = draw(st.sampled_from((1, 1, 2))), b""
    for number, part in enumerate(parts):
        stream += client_frame(0 if number else kind, part, fin=number == len(parts) - 1)
        if draw(st.booleans()):
            stream += draw(pings)
    return stream


broken = st.builds(  # a message that begins before another has ended, or a control frame that is none
    lambda content, frame: client_frame(1, content, fin=False) + frame, few_bytes, whole_texts | bad_controls
)
good = whole_texts | pings | fragmented()
bad = any_frames | reserved | broken | bad_controls | closings | bare_closings | too_long | few_bytes


@st.composite
def streams(draw: st.DrawFn) -> list[bytes]:
    """A client's bytes, in the pieces in which it arrives. The last may be cut short."""
    frames = [
        *draw(st.lists(good, max_size=5)),
        *draw(st.lists(bad, max_size=2)),
        *draw(st.lists(good | bad, max_size=3)),
    ]
    stream = b"".join(frames)
    stream = stream[: len(stream) - draw(st.sampled_from((0, 0, 1, 2, 5, 10, 50)))]
    if draw(st.booleans()):
        return [bytes((byte,)) for byte in stream]
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    return [stream[start:stop] for start, stop in pairwise((0, *cuts, len(stream)))]


@hypothesis_settings(max_examples=150)
@given(streams(), st.none() | st.integers(0, 8))
@example([client_frame(1, b"x", fin=False), text("y")], None)
@example([client_frame(1, b"x" * 150, fin=False) + client_frame(9, b"x" * 51)], None)
@example([client_frame(1, b"x" * 150, fin=False), client_frame(0, b"x" * 51)[:2]], None)
@example([client_frame(1, b"x" * 150, fin=False) + client_frame(0, b""), text("x" * 100)], None)
@example([client_frame(9, b"x" * 126)], None)
@example([client_frame(3, b"x" * 50)[:2]], None)
@example([b"\x81\xff" + (MESSAGE_BYTES + 1).to_bytes(8, "big")], None)
@example([client_frame(8, b""), text("after"), client_frame(9, b"")], None)
@example([client_frame(1, b"a", fin=False) + client_frame(8, b"\x03\xe8")], None)
@example([client_frame(1, b"x", fin=False) + client_frame(0, b"x" * 200)[:8]], 0)
@example([text("before"), text("after") + client_frame(9, b"?"), client_frame(8, b""), text("late")], 1)
async def test_every_cut_of_every_stream_is_heard_as_by_the_library(chunks: list[bytes], closes: int | None) -> None:
    assert await ours(chunks, closes) == theirs(chunks, closes)


@pytest.mark.slow
@hypothesis_settings(max_examples=3000)
@given(streams(), st.none() | st.integers(0, 8))
async def test_every_cut_of_many_streams_is_heard_as_by_the_library(chunks: list[bytes], closes: int | None) -> None:
    assert await ours(chunks, closes) == theirs(chunks, closes)
