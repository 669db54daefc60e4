"""A proxy between a node and its broker that duplicates, reorders, delays, forges and loses messages on the bus."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

PUBLISH = 3
LATE_S = (0.0, 0.05, 2.0)
"""Delays of messages: behind those that arrived with them, short, and much too long."""

REMEMBERED = 200


@dataclass(frozen=True)
class Packet:
    """An MQTT 5 control packet: its first byte and the bytes after its length."""

    first: int
    body: bytes

    def __bytes__(self) -> bytes:
        length, digits = len(self.body), bytearray()
        while True:
            length, digit = divmod(length, 128)
            digits.append(digit | (128 if length else 0))
            if not length:
                return bytes([self.first]) + bytes(digits) + self.body

    @property
    def topic(self) -> str:
        """The topic of a PUBLISH; empty for other packets and for topic aliases."""
        return self._topic.decode() if self.first >> 4 == PUBLISH else ""

    @property
    def _topic(self) -> bytes:
        return self.body[2 : 2 + int.from_bytes(self.body[:2], "big")]

    def unnumbered(self) -> Packet:
        """The same PUBLISH with QoS 0, which is not acknowledged and may be repeated."""
        end = 2 + len(self._topic)
        numbered = self.first & 0b110
        return Packet(PUBLISH << 4, self.body[:end] + self.body[end + (2 if numbered else 0) :])

    def to(self, topic: str) -> Packet:
        """The same PUBLISH to another topic."""
        name = topic.encode()
        return Packet(self.first, len(name).to_bytes(2, "big") + name + self.body[2 + len(self._topic) :])

    def altered(self, rng: random.Random) -> Packet:
        """The same PUBLISH with a byte of its second half changed, well behind the topic."""
        body = bytearray(self.body)
        where = rng.randrange(max(len(body) // 2, 2 + len(self._topic) + 4), len(body))
        body[where] ^= rng.choice((1, 2, 4))
        return Packet(self.first, bytes(body))


async def read_packet(reader: asyncio.StreamReader) -> Packet:
    """The next packet. Raises IncompleteReadError at the end."""
    first = (await reader.readexactly(1))[0]
    length = shift = 0
    while True:
        digit = (await reader.readexactly(1))[0]
        length |= (digit & 127) << shift
        shift += 7
        if not digit & 128:
            return Packet(first, await reader.readexactly(length))


class Noise:
    """Disturbs packets of the bus, each with probability ``share``, and loses them with ``loss``; use :func:`noisy`.

    ``done`` counts the disturbances.
    """

    def __init__(self, broker_port: int, rng: random.Random) -> None:
        self.share = self.loss = 0.0
        self.done: Counter[str] = Counter()
        self._broker_port = broker_port
        self._rng = rng
        self._seen: list[Packet] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._broker_port)
        except OSError:
            writer.transport.abort()
            return
        up = asyncio.create_task(self._forward(reader, far_writer))
        self._tasks.add(up)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                packet = await read_packet(far_reader)
                if writer.is_closing():
                    break
                if "/bus/" in packet.topic:
                    self._disturb(packet, writer)
                else:
                    writer.write(bytes(packet))
        far_writer.close()
        writer.close()
        await asyncio.wait({up})
        self._tasks.discard(up)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
        writer.close()

    def _disturb(self, packet: Packet, writer: asyncio.StreamWriter) -> None:
        rng, noise = self._rng, packet.unnumbered()
        if rng.random() < self.loss:
            self.done["lost"] += 1
            return
        self._seen.append(noise)
        del self._seen[:-REMEMBERED]
        if rng.random() < self.share:
            self._send(rng.choice(self._seen).to(noise.topic), writer, "moved from another topic or time")
        if rng.random() < self.share:
            self._send(noise.altered(rng), writer, "forged")
        if rng.random() < self.share:
            loop = asyncio.get_running_loop()
            loop.call_later(rng.choice(LATE_S), self._send, packet, writer, "late")
        else:
            writer.write(bytes(packet))
        if rng.random() < self.share:
            self._send(noise, writer, "doubled")
        if rng.random() < self.share:
            self._send(rng.choice(self._seen), writer, "sent again later")

    def _send(self, packet: Packet, writer: asyncio.StreamWriter, what: str) -> None:
        if not writer.is_closing():
            self.done[what] += 1
            writer.write(bytes(packet))

    async def close(self) -> None:
        """End all connections."""
        for task in self._tasks:
            task.cancel()


@asynccontextmanager
async def noisy(broker_port: int, rng: random.Random) -> AsyncIterator[tuple[Noise, int]]:
    """A proxy in front of the broker, in this process, and its port. It disturbs nothing yet."""
    noise = Noise(broker_port, rng)
    server = await asyncio.start_server(noise.accept, "127.0.0.1", 0)
    try:
        yield noise, server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await noise.close()
