"""A server to compare with: bytes in, bytes out on uvloop. No library, no JSON, no rules, no memory of the game.

    python -m bench.gateway.floor

It speaks as much of the WebSocket protocol as the load needs, whose frames are whole, short and masked with zeros. It
finds what it must repeat (ids and rooms) by splitting at quotes, and sends each update as one ready frame of 200 bytes.
No server in Python that understands what it is sent can be cheaper, so this is the floor to measure others by.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import cast

import uvloop

SWITCHING = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)

ROOMS: dict[bytes, set[asyncio.Transport]] = {}
NUMBERS = itertools.count()


def frame(message: bytes) -> bytes:
    """A message of at most 65,535 bytes as a WebSocket frame of a server."""
    length = len(message)
    return (bytes((0x81, length)) if length < 126 else b"\x81\x7e" + length.to_bytes(2, "big")) + message


JOINED = frame(b'{"type":"update","kind":"joined"}')
PLAYED = frame(b'{"type":"update","kind":"played"}'.ljust(200))
ROOM = frame(b'{"type":"room"}'.ljust(200))


class Floor(asyncio.Protocol):
    """One connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._shaken = False
        self._unread = b""

    def connection_lost(self, _: Exception | None) -> None:
        for members in ROOMS.values():
            members.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        data = self._unread + data
        if not self._shaken:
            self._shaken = True
            self._transport.write(SWITCHING)
            return
        while len(data) > 6:
            short = data[1] & 0x7F
            begin, length = (8, data[2] << 8 | data[3]) if short == 126 else (6, short)
            if len(data) < begin + length:
                break
            self._take(data[begin : begin + length])
            data = data[begin + length :]
        self._unread = data

    def _take(self, message: bytes) -> None:
        _, _, _, kind, _, _, number, *rest = message.split(b'"', 10)
        own, room = self._transport, rest[2] if len(rest) > 2 else b""
        if kind == b"play":
            for transport in ROOMS[room]:
                transport.write(PLAYED)
        elif kind == b"create":
            room = b"room%d" % next(NUMBERS)
            ROOMS[room] = {own}
        elif kind == b"join":
            for transport in ROOMS[room]:
                transport.write(JOINED)
            ROOMS[room].add(own)
        elif kind == b"watch":
            ROOMS[room].add(own)
        elif kind == b"leave":
            ROOMS[room].discard(own)
            if not ROOMS[room]:
                del ROOMS[room]
        answer = b"welcome" if kind == b"hello" else b"ok"
        own.write(frame(b'{"type":"%s","id":%s,"room":"%s"}' % (answer, number.strip(b":, }"), room)))
        if kind in (b"create", b"join", b"watch"):
            own.write(ROOM)


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Floor, "127.0.0.1", 0, backlog=1024)
    print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
