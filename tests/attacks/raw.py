"""A WebSocket without a library, to send what none would. It blocks: use it in threads."""

from __future__ import annotations

import socket
import struct
import time
from contextlib import suppress
from urllib.parse import urlsplit

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

MASK = bytes(4)

PIECE_S = 0.01
"""The interval at which a flood sends a piece."""


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True) -> bytes:
    """A frame of a client, with a mask that changes nothing; ``payload`` has less than 64 KiB."""
    size = len(payload)
    head = bytes((0x80 * fin | opcode, 0x80 | min(126, size)))
    return head + (b"" if size < 126 else size.to_bytes(2, "big")) + MASK + payload


HELLO = frame(1, b'{"type":"hello","protocol":1}')
PING = frame(9)
PONG = frame(10)


def dial(url: str, address: str = "127.0.0.1") -> socket.socket:
    """A connection to the server at ``url``, from ``address``, over which nothing was sent yet."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    return socket.create_connection((parts.hostname, parts.port), timeout=20, source_address=(address, 0))


def shake_hands(url: str, then: bytes = HELLO, address: str = "127.0.0.1") -> socket.socket:
    """An open WebSocket, over which ``then`` was sent in the same packet as the request."""
    connection = dial(url, address)
    connection.sendall(HANDSHAKE + then)
    answer = b""
    while b"\r\n\r\n" not in answer:
        received = connection.recv(1)
        assert received, answer
        answer += received
    assert answer.startswith(b"HTTP/1.1 101"), answer
    return connection


def flood(connection: socket.socket, frames: bytes, bytes_per_s: int, seconds: float) -> int | None:
    """Send ``frames`` again and again, and read what comes. Returns the code if the server closes the connection."""
    piece = frames * max(1, int(bytes_per_s * PIECE_S) // len(frames))
    until = due = time.monotonic()
    until += seconds
    received, unsent = b"", b""
    connection.setblocking(False)
    with suppress(OSError):  # it was cut off
        while time.monotonic() < until:
            with suppress(BlockingIOError):
                unsent = unsent or piece
                unsent = unsent[connection.send(unsent) :]
            with suppress(BlockingIOError):
                got = connection.recv(65536)
                received = (received + got)[-4096:]
                if not got:
                    break
            due += PIECE_S
            time.sleep(max(0.0, due - time.monotonic()))
    with suppress(OSError):
        connection.close()
    at = received.rfind(b"\x88")
    return int(struct.unpack("!H", received[at + 2 : at + 4])[0]) if at >= 0 and len(received) >= at + 4 else None
