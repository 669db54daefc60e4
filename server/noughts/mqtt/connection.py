"""One connection to an MQTT broker: aiomqtt's, told to say what it would pass over, and to let go.

aiomqtt does not look at what the broker answers to a publish, waits for each before the next can go, and leaves the
socket of a connection that failed open. Its methods that paho calls back are therefore replaced here.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from aiomqtt import Client, MqttError, ProtocolVersion, Will
from paho.mqtt.client import MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

KEEPALIVE_S = 4  # a broker that does not answer is noticed after twice that
ANSWER_S = 3.0  # what a connection, a subscription or a farewell may take
UNDER_WAY = 64  # messages handed to paho and not yet written or acknowledged
WAITING = 10_000  # messages that wait for that
WAITING_BYTES = 8 * 1024 * 1024
READ_AT_ONCE = 100  # messages that one turn of the loop may bring
PACKET_BYTES = 256 * 1024  # the broker keeps longer ones to itself

_silent = logging.getLogger("noughts.bus.paho")  # what it has to say is told by the link, once
_silent.disabled = True


@dataclass(frozen=True, slots=True)
class Address:
    """Where the broker is, and as whom to connect. ``tls`` is None for a connection in the clear."""

    host: str
    port: int
    user: str | None
    password: str | None
    tls: ssl.SSLContext | None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to be published. ``expiry_s``: seconds after which the broker forgets it."""

    topic: str
    payload: bytes
    qos: int
    retain: bool
    correlation: bytes | None
    expiry_s: int | None


class Connection(Client):
    """A connection that is entered once. ``hear`` is called with each message, ``denied`` with the topic and the
    broker's reason when it refuses one of ours.
    """

    def __init__(
        self,
        address: Address,
        identifier: str,
        will: Will,
        hear: Callable[[MQTTMessage], None],
        denied: Callable[[str, str], None],
    ) -> None:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.MaximumPacketSize = PACKET_BYTES
        super().__init__(
            address.host,
            address.port,
            username=address.user,
            password=address.password,
            identifier=identifier,
            protocol=ProtocolVersion.V5,
            clean_start=True,
            keepalive=KEEPALIVE_S,
            timeout=ANSWER_S,
            will=will,
            properties=properties,
            tls_context=address.tls,
            logger=_silent,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # a hint must not wait for the next
        )
        self._client.connect_timeout = ANSWER_S
        self._hear = hear
        self._denied = denied
        self._waiting: deque[Outgoing] = deque()
        self._waiting_bytes = 0
        self._under_way: dict[int, str] = {}
        self._heard = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.dropped = 0

    async def __aenter__(self) -> Self:
        ended = self._disconnected
        await super().__aenter__()
        if ended.done():  # which aiomqtt forgets, and would wait for for ever
            raise MqttError("ended as soon as it was made") from ended.exception()
        return self

    def post(self, message: Outgoing) -> None:
        """Send ``message`` as soon as may be. Past a bound the oldest that wait are dropped, and counted."""
        self._waiting.append(message)
        self._waiting_bytes += len(message.payload)
        self._idle.clear()
        while len(self._waiting) > WAITING or self._waiting_bytes > WAITING_BYTES:
            self._next()
            self.dropped += 1
        self._pump()

    async def flush(self) -> None:
        """Wait until all that was posted is written, and acknowledged if it is to be."""
        await self._idle.wait()

    async def lost(self) -> None:
        """Wait for the end of the connection. Raises the MqttError that says why."""
        async for _ in self.messages:
            pass

    def cut(self) -> None:
        """Let go of the socket, whatever state it is in."""
        self._client._sock_close()  # the public ways wait for a broker that may never answer
        if self._disconnected.done() and not self._disconnected.cancelled():
            self._disconnected.exception()  # known; asyncio would log it as one that nobody looked at

    def _next(self) -> Outgoing:
        message = self._waiting.popleft()
        self._waiting_bytes -= len(message.payload)
        return message

    def _pump(self) -> None:
        while self._waiting and len(self._under_way) < UNDER_WAY:
            message = self._next()
            properties = None
            if message.correlation is not None or message.expiry_s is not None:
                properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
                if message.correlation is not None:
                    properties.CorrelationData = message.correlation
                if message.expiry_s is not None:
                    properties.MessageExpiryInterval = message.expiry_s
            sent = self._client.publish(message.topic, message.payload, message.qos, message.retain, properties)
            if sent.rc:
                self.dropped += 1
            else:
                self._under_way[sent.mid] = message.topic
        if not self._under_way:
            self._idle.set()

    def _on_publish(self, _client: Any, _userdata: Any, mid: int, reason_code: Any, _properties: Any) -> None:
        topic = self._under_way.pop(mid, None)
        if topic is not None and reason_code.is_failure:
            self._denied(topic, str(reason_code))
        if self._waiting or not self._under_way:
            # Not from here: paho holds its locks, and counts this message as under way until we return.
            self._loop.call_soon(self._pump)

    def _on_message(self, _client: Any, _userdata: Any, message: MQTTMessage) -> None:
        self._heard += 1
        self._hear(message)

    def _on_socket_open(self, client: Any, userdata: Any, sock: Any) -> None:
        super()._on_socket_open(client, userdata, sock)
        # In the place of aiomqtt's reader, which takes one message a turn of the loop.
        self._loop.call_soon_threadsafe(self._loop.add_reader, sock.fileno(), self._read)

    def _read(self) -> None:
        try:
            for _ in range(READ_AT_ONCE):
                before = self._heard
                self._client.loop_read()
                if self._heard == before and not self._decoded():
                    return
        except Exception as error:
            self._fail(error)
        else:
            self._loop.call_soon(self._read)  # after the others; what TLS has decoded already wakes nobody

    def _decoded(self) -> bool:
        """Whether TLS holds more than has been read."""
        sock = self._client.socket()
        return isinstance(sock, ssl.SSLSocket) and sock.pending() > 0

    def _on_socket_register_write(self, _client: Any, _userdata: Any, sock: Any) -> None:
        self._loop.call_soon_threadsafe(self._write_when_possible, sock)

    def _write_when_possible(self, sock: Any) -> None:
        if self._client.socket() is sock is not None:  # paho may have closed it since, and its number be another's
            try:
                self._loop.add_writer(sock.fileno(), self._write)
            except (OSError, RuntimeError, ValueError) as error:  # closed beneath us; RuntimeError is uvloop's
                self._fail(error)

    def _write(self) -> None:
        try:
            self._client.loop_write()
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self._disconnected.done():
            self._disconnected.set_exception(MqttError(str(error)))
