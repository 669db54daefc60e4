"""One connection to an MQTT 5 broker: paho's client, driven by the event loop.

Only paho's public interface for external event loops is used: ``loop_read``, ``loop_write``, ``loop_misc`` and its
callbacks.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from noughts.mqtt.address import Address
from noughts.timing import Timing

MAX_IN_FLIGHT = 64  # messages handed to paho and not yet written or acknowledged
MAX_WAITING = 10_000  # messages that wait to be handed to it
MAX_WAITING_BYTES = 8 * 1024 * 1024
READS_PER_TURN = 100  # messages that one turn of the loop may bring
FILTERS_PER_PACKET = 200
MAX_PACKET_BYTES = 256 * 1024  # the broker keeps longer ones to itself
TICK_S = 0.5  # how often paho looks after the keepalive


class Disconnected(Exception):
    """The connection ended or never came about; the text says why.

    ``what`` is what happened in the operator's words, None for a connection that was just lost.
    """

    def __init__(self, why: str, what: str | None = None) -> None:
        super().__init__(why)
        self.what = what


class Connection:
    """A connection that is opened once and closed once. Use it from one event loop.

    ``on_message`` gets each message, ``on_denied`` what we may not do (``publish to``, ``subscribe to``), the topic or
    filter, and the broker's reason. ``ended`` is done when the connection is over, with the reason.
    """

    def __init__(
        self,
        address: Address,
        identifier: str,
        will_topic: str,
        *,
        on_message: Callable[[MQTTMessage], None],
        on_denied: Callable[[str, str, str], None],
        timing: Timing = Timing(),
    ) -> None:
        self._address = address
        self._receive = on_message
        self._on_denied = on_denied
        self._timing = timing
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[str, bytes, int, bool, Properties | None]] = deque()
        self._waiting_bytes = 0
        self._in_flight: dict[int, str] = {}
        self._subscribing: dict[int, list[str]] = {}
        self._messages = 0
        self._connected: asyncio.Future[None] = self._loop.create_future()
        self._idle = asyncio.Event()
        self._idle.set()
        self._subscribed: asyncio.Future[None] = self._loop.create_future()
        self._timer: asyncio.TimerHandle | None = None
        self.ended: asyncio.Future[Disconnected] = self._loop.create_future()
        self.dropped = 0

        self._client = client = Client(
            CallbackAPIVersion.VERSION2, client_id=identifier, protocol=MQTTv5, reconnect_on_failure=False
        )
        client.connect_timeout = timing.mqtt_answer_s
        if address.user is not None:
            client.username_pw_set(address.user, address.password)
        client.will_set(will_topic, b"", qos=1, retain=True)
        if address.tls is not None:
            client.tls_set_context(address.tls)
        client.on_message = self._on_message
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_publish = self._on_publish

    async def open(self, filters: list[tuple[str, bool]]) -> None:
        """Connect and :meth:`subscribe`, or raise :class:`Disconnected`. Close the connection in either case."""
        try:
            await self._loop.run_in_executor(None, self._connect)
        except (OSError, ValueError) as error:  # ValueError: a host name that cannot be encoded
            raise Disconnected(str(error), "cannot be trusted" if isinstance(error, ssl.SSLError) else None) from None
        sock = self._client.socket()
        if sock is None:
            raise Disconnected("the connection ended")
        # Only from here on, so that no callback comes from the executor's thread.
        self._client.on_disconnect = self._on_disconnect
        self._client.on_socket_close = self._on_socket_close
        self._client.on_socket_register_write = self._on_socket_register_write
        self._client.on_socket_unregister_write = self._on_socket_unregister_write
        self._loop.add_reader(sock.fileno(), self._read)
        if self._client.want_write():
            self._loop.add_writer(sock.fileno(), self._write)
        self._tick()
        await self._answer(self._connected)
        self.subscribe(filters)
        if filters:
            await self._answer(self._subscribed)

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool, properties: Properties | None) -> None:
        """Send a message as soon as possible. If too many wait, drop and count the oldest."""
        self._waiting.append((topic, payload, qos, retain, properties))
        self._waiting_bytes += len(payload)
        self._idle.clear()
        while len(self._waiting) > MAX_WAITING or self._waiting_bytes > MAX_WAITING_BYTES:
            self._waiting_bytes -= len(self._waiting.popleft()[1])
            self.dropped += 1
        self._pump()

    def subscribe(self, filters: list[tuple[str, bool]]) -> None:
        """Subscribe to ``filters``, each with its "no local", without waiting."""
        for start in range(0, len(filters), FILTERS_PER_PACKET):
            chunk = filters[start : start + FILTERS_PER_PACKET]
            # QoS 0: of QoS 1 Mosquitto queues a thousand for us and drops the rest; like this the rest waits in TCP.
            code, mid = self._client.subscribe([(one, SubscribeOptions(qos=0, noLocal=local)) for one, local in chunk])
            if code == MQTTErrorCode.MQTT_ERR_SUCCESS and mid is not None:
                self._subscribing[mid] = [one for one, _ in chunk]

    def unsubscribe(self, filters: list[str]) -> None:
        """Unsubscribe from ``filters`` without waiting."""
        for start in range(0, len(filters), FILTERS_PER_PACKET):
            self._client.unsubscribe(filters[start : start + FILTERS_PER_PACKET])

    async def leave(self, within_s: float) -> None:
        """Send what waits and say goodbye, if that takes no longer than ``within_s``."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._idle.wait()
                self._client.disconnect()
                await asyncio.wait({self.ended})

    def close(self) -> None:
        """Close the socket, whatever state it is in."""
        self._end(Disconnected("closed"))
        client = self._client
        client.on_socket_close = client.on_socket_register_write = client.on_socket_unregister_write = None
        sock = client.socket()
        if sock is not None:
            self._release(sock)
            sock.close()

    def _connect(self) -> None:
        """Look up the host, connect, and send paho's first packet. Blocks; for a thread."""
        self._client.connect(
            self._address.host,
            self._address.port,
            self._timing.mqtt_keepalive_s,
            clean_start=True,
            properties=properties_of(PacketTypes.CONNECT, MaximumPacketSize=MAX_PACKET_BYTES),
        )
        sock = self._client.socket()
        if isinstance(sock, socket.socket):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a hint must not wait for the next

    async def _answer(self, answer: asyncio.Future[None]) -> None:
        """Wait for the broker's ``answer``, or raise :class:`Disconnected`."""
        answers: set[asyncio.Future[Any]] = {answer, self.ended}
        await asyncio.wait(answers, timeout=self._timing.mqtt_answer_s, return_when=asyncio.FIRST_COMPLETED)
        if self.ended.done():
            raise self.ended.result()
        if not answer.done():
            raise Disconnected("timed out")

    def _pump(self) -> None:
        while self._waiting and len(self._in_flight) < MAX_IN_FLIGHT:
            topic, payload, qos, retain, properties = self._waiting.popleft()
            self._waiting_bytes -= len(payload)
            sent = self._client.publish(topic, payload, qos, retain, properties)
            if sent.rc:
                self.dropped += 1
            else:
                self._in_flight[sent.mid] = topic
        if not self._in_flight:
            self._idle.set()

    def _read(self) -> None:
        if self.ended.done():
            return
        try:
            for _ in range(READS_PER_TURN):
                before = self._messages
                self._client.loop_read()
                sock = self._client.socket()
                decoded = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0  # more that no selector reports
                if self._messages == before and not decoded:
                    return
        except Exception as error:  # what paho raises about nonsense is not documented
            self._end(Disconnected(str(error)))
        else:
            self._loop.call_soon(self._read)  # after the others' turn

    def _write(self) -> None:
        try:
            self._client.loop_write()
        except Exception as error:
            self._end(Disconnected(str(error)))

    def _tick(self) -> None:
        if self._client.loop_misc() == MQTTErrorCode.MQTT_ERR_SUCCESS and not self.ended.done():
            self._timer = self._loop.call_later(TICK_S, self._tick)

    def _end(self, why: Disconnected) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self.ended.done():
            self.ended.set_result(why)

    def _release(self, sock: Any) -> None:
        if sock.fileno() >= 0:
            self._loop.remove_reader(sock.fileno())
            self._loop.remove_writer(sock.fileno())

    # Paho's callbacks, all in the event loop.

    def _on_connect(self, _client: Any, _userdata: Any, _flags: Any, code: ReasonCode, _properties: Any) -> None:
        if code.is_failure:
            self._end(Disconnected(str(code), "refuses this server"))
        elif not self._connected.done():
            self._connected.set_result(None)

    def _on_disconnect(self, _client: Any, _userdata: Any, _flags: Any, code: ReasonCode, _properties: Any) -> None:
        self._end(Disconnected("the connection ended" if str(code) == "Unspecified error" else str(code)))

    def _on_message(self, _client: Any, _userdata: Any, message: MQTTMessage) -> None:
        self._messages += 1
        self._receive(message)

    def _on_subscribe(self, _client: Any, _userdata: Any, mid: int, codes: list[ReasonCode], _properties: Any) -> None:
        for topic_filter, code in zip(self._subscribing.pop(mid, ()), codes, strict=False):
            if code.is_failure:
                self._on_denied("subscribe to", topic_filter, str(code))
        if not self._subscribing and not self._subscribed.done():
            self._subscribed.set_result(None)

    def _on_publish(self, _client: Any, _userdata: Any, mid: int, code: ReasonCode, _properties: Any) -> None:
        topic = self._in_flight.pop(mid, None)
        if topic is not None and code.is_failure:
            self._on_denied("publish to", topic, str(code))
        if self._waiting or not self._in_flight:
            # Not from here: paho holds its locks, and counts this message as in flight until we return.
            self._loop.call_soon(self._pump)

    def _on_socket_close(self, _client: Any, _userdata: Any, sock: Any) -> None:
        self._release(sock)

    def _on_socket_register_write(self, _client: Any, _userdata: Any, sock: Any) -> None:
        self._loop.add_writer(sock.fileno(), self._write)

    def _on_socket_unregister_write(self, _client: Any, _userdata: Any, sock: Any) -> None:
        self._loop.remove_writer(sock.fileno())


def properties_of(packet_type: int, **values: Any) -> Properties | None:
    """MQTT 5 properties, under paho's names, of those ``values`` that are not None; None if there are none."""
    given = {name: value for name, value in values.items() if value is not None}
    if not given:
        return None
    properties = Properties(packet_type)  # type: ignore[no-untyped-call]
    for name, value in given.items():
        setattr(properties, name, value)
    return properties
