"""A client's bytes on a connection: the request for a WebSocket, and frames of any kind."""

from __future__ import annotations

from typing import Any

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


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
