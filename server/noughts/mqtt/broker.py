"""One connection to an MQTT 5 broker, by paho's client in our event loop.

paho has the protocol and the keepalive. We say when it reads and writes, so that nothing waits for a publish and a turn
of the loop takes a bounded number of messages.

Most messages are of QoS 0 and have no properties. For each of them paho takes several locks and a system call. So we
write them to its socket ourselves, all of one turn of the loop at once, while paho has nothing to write.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from noughts.mqtt.url import Address
from noughts.timing import Timing

MAX_IN_FLIGHT = 20  # messages handed to paho and not yet acknowledged: as many as a broker takes by default
MAX_WAITING = 10_000  # messages that wait to be handed to it
MAX_WAITING_BYTES = 8 * 1024 * 1024
MESSAGES_PER_TURN = 20  # messages that one turn of the loop may bring; one may carry many hints
WRITE_BYTES = 64 * 1024  # how much is handed to the socket at once
FILTERS_PER_PACKET = 200
MAX_PACKET_BYTES = 256 * 1024  # the broker keeps longer ones to itself
KEEPALIVE_CHECK_S = 1.0


_Message = tuple[str, bytes, int, bool, Properties | None]


class Disconnected(Exception):
    """The connection ended or never came about; the text says why.

    ``what`` is what happened in the operator's words, None for a connection that was just lost.
    """

    def __init__(self, why: str, what: str | None = None) -> None:
        super().__init__(why)
        self.what = what


OnMessage = Callable[[str, bytes, bool, Properties | None], None]
"""Gets a message: topic, payload, whether the broker had kept it, and its properties, None if it has none."""


class BrokerConnection:
    """A connection that is opened once and closed once. Use it from one event loop.

    ``on_message`` gets each message, ``on_subscribed`` the filters that the broker knows from now on, ``on_denied``
    what we may not do (``publish to``, ``subscribe to``), the topic or filter, and the broker's reason. ``ended`` is
    done when the connection is over, with the reason.
    """

    def __init__(
        self,
        address: Address,
        identifier: str,
        will_topic: str,
        *,
        on_message: OnMessage,
        on_subscribed: Callable[[list[str]], None],
        on_denied: Callable[[str, str, str], None],
        timing: Timing = Timing(),
    ) -> None:
        self._receive = on_message
        self._on_subscribed = on_subscribed
        self._on_denied = on_denied
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Message] = deque()
        self._waiting_bytes = 0
        self._unwritten = b""  # the rest of what we began to write ourselves
        self._pumping = False
        self._in_flight: dict[int, str] = {}
        self._subscribing: dict[int, list[str]] = {}
        self._messages = 0
        self._reading_on = False  # whether the next turn reads, readable or not
        self._idle = asyncio.Event()
        self._idle.set()
        self._connected: asyncio.Future[None] = self._loop.create_future()
        self._subscribed: asyncio.Future[None] = self._loop.create_future()
        self.ended: asyncio.Future[Disconnected] = self._loop.create_future()
        self.dropped = 0

        self._address = address
        self._timing = timing
        self._check: asyncio.TimerHandle | None = None
        self._paho = paho = Client(
            CallbackAPIVersion.VERSION2, identifier, protocol=MQTTProtocolVersion.MQTTv5, reconnect_on_failure=False
        )
        if address.user is not None:
            paho.username_pw_set(address.user, address.password)
        if address.tls is not None:
            paho.tls_set_context(address.tls)
        paho.will_set(will_topic, b"", qos=1, retain=True)
        paho.max_inflight_messages_set(MAX_IN_FLIGHT)  # it would hold back more, and what we write would overtake them
        paho.connect_timeout = timing.mqtt_answer_s
        paho.on_message = self._on_message
        paho.on_publish = self._on_publish
        paho.on_subscribe = self._on_subscribe

    async def open(self, filters: list[tuple[str, bool]]) -> None:
        """Connect and :meth:`subscribe`, or raise :class:`Disconnected`. Close the connection in either case."""
        try:
            await self._loop.run_in_executor(None, self._connect)
        except ssl.SSLError as error:
            raise Disconnected(str(error), "cannot be trusted") from None
        except (OSError, ValueError) as error:  # ValueError: a host name that cannot be encoded
            raise Disconnected(str(error)) from None
        # Callbacks are set here, as until now paho would have called them in the other thread.
        paho = self._paho
        paho.on_connect = self._on_connect
        paho.on_disconnect = self._on_disconnect
        paho.on_socket_register_write = self._on_socket_register_write
        paho.on_socket_unregister_write = self._on_socket_unregister_write
        paho.on_socket_close = self._on_socket_close
        sock = paho.socket()
        if sock is None:
            raise Disconnected("the connection ended")
        self._loop.add_reader(sock.fileno(), self._on_readable)
        if paho.want_write():
            self._loop.add_writer(sock.fileno(), self._on_writable)
        self._check_keepalive()
        await self._answered(self._connected)
        self.subscribe(filters)
        if filters:
            await self._answered(self._subscribed)

    def _connect(self) -> None:
        """Look up the host, connect and send the first packet. Blocks."""
        self._paho.connect(
            self._address.host,
            self._address.port,
            self._timing.mqtt_keepalive_s,
            clean_start=True,
            properties=properties_of(PacketTypes.CONNECT, MaximumPacketSize=MAX_PACKET_BYTES),
        )
        sock = self._paho.socket()
        if isinstance(sock, socket.socket):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a hint must not wait for the next

    async def _answered(self, answer: asyncio.Future[None]) -> None:
        """Wait until the broker has answered, or raise :class:`Disconnected`."""
        answers: set[asyncio.Future[Any]] = {answer, self.ended}
        await asyncio.wait(answers, timeout=self._timing.mqtt_answer_s, return_when=asyncio.FIRST_COMPLETED)
        if self.ended.done():
            raise self.ended.result()
        if not answer.done():
            raise Disconnected("timed out")

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool, properties: Properties | None) -> None:
        """Send a message as soon as possible. If too many wait, drop and count the oldest."""
        self._waiting.append((topic, payload, qos, retain, properties))
        self._waiting_bytes += len(payload)
        self._idle.clear()
        while len(self._waiting) > MAX_WAITING or self._waiting_bytes > MAX_WAITING_BYTES:
            self._waiting_bytes -= len(self._waiting.popleft()[1])
            self.dropped += 1
        self._pump_soon()

    def subscribe(self, filters: list[tuple[str, bool]]) -> None:
        """Subscribe to ``filters``, each with its "no local", without waiting."""
        for start in range(0, len(filters), FILTERS_PER_PACKET):
            chunk = filters[start : start + FILTERS_PER_PACKET]
            # QoS 0: of QoS 1 Mosquitto queues a thousand for us and drops the rest; like this the rest waits in TCP.
            code, mid = self._paho.subscribe([(one, _options(no_local=local)) for one, local in chunk])
            if code == MQTTErrorCode.MQTT_ERR_SUCCESS and mid is not None:
                self._subscribing[mid] = [one for one, _ in chunk]

    def unsubscribe(self, filters: list[str]) -> None:
        """Unsubscribe from ``filters`` without waiting."""
        for start in range(0, len(filters), FILTERS_PER_PACKET):
            self._paho.unsubscribe(filters[start : start + FILTERS_PER_PACKET])

    async def leave(self, within_s: float) -> None:
        """Send what waits and say goodbye, if that takes no longer than ``within_s``."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._idle.wait()
                self._paho.disconnect()
                await asyncio.wait({self.ended})

    def close(self) -> None:
        """Close the socket, whatever state it is in."""
        self._end("closed")
        sock = self._paho.socket()
        if isinstance(sock, socket.socket):
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            # Without this callback paho writes at once. That fails, so it ends the connection and closes the socket.
            self._paho.on_socket_register_write = None
            self._paho.disconnect()

    def _pump_soon(self) -> None:
        """Pump at the end of the turn: all that is published in one turn of the loop is written together."""
        if not self._pumping:
            self._pumping = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        """Hand over what waits, in order, as far as the socket and the broker's acknowledgements allow."""
        self._pumping = False
        while self._waiting and not self._unwritten and not self.ended.done():
            if _is_plain(self._waiting[0]):
                if not self._write():
                    break
            elif len(self._in_flight) < MAX_IN_FLIGHT:
                topic, payload, qos, retain, properties = self._take()
                sent = self._paho.publish(topic, payload, qos, retain, properties)
                if sent.rc:
                    self.dropped += 1
                else:
                    self._in_flight[sent.mid] = topic
            else:
                break
        if not self._waiting and not self._unwritten and not self._in_flight:
            self._idle.set()

    def _take(self) -> _Message:
        message = self._waiting.popleft()
        self._waiting_bytes -= len(message[1])
        return message

    def _write(self) -> bool:
        """Write the next plain messages to the socket. False if it takes no more for now, or is closed."""
        if self._paho.want_write():
            self._paho.loop_write()  # what was published before
        sock = self._paho.socket()
        if sock is None or self._paho.want_write():
            return False
        packets, size = [], 0
        while self._waiting and size < WRITE_BYTES and _is_plain(self._waiting[0]):
            topic, payload, _, retain, _ = self._take()
            packets.append(_packet(topic, payload, retain))
            size += len(packets[-1])
        return self._send(b"".join(packets))

    def _send(self, data: bytes) -> bool:
        """Write ``data``; what the socket does not take now is written when it takes more."""
        sock = self._paho.socket()
        try:
            sent = sock.send(data) if sock is not None else 0
        except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            sent = 0
        except OSError as error:
            self._end(str(error))
            return False
        self._unwritten = data[sent:]
        if self._unwritten and sock is not None:
            self._loop.add_writer(sock.fileno(), self._on_writable)
        return not self._unwritten

    def _on_writable(self) -> None:
        """The socket takes more: first the rest of our own, which may end within a packet, then paho's."""
        if self._unwritten and not self._send(self._unwritten):
            return
        self._paho.loop_write()
        self._pump()
        sock = self._paho.socket()
        if sock is not None and not self._unwritten and not self._paho.want_write():
            self._loop.remove_writer(sock.fileno())

    def _on_readable(self) -> None:
        if not self._reading_on:
            self._read()

    def _read(self) -> None:
        self._reading_on = False
        stop = self._messages + MESSAGES_PER_TURN
        try:
            while self._messages < stop:
                before = self._messages
                self._paho.loop_read()
                sock = self._paho.socket()
                decoded = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0  # more that no selector reports
                if self._messages == before and not decoded:
                    return
        except Exception as error:  # what paho raises about nonsense is not documented
            self._end(str(error))
        else:
            self._reading_on = True
            self._loop.call_soon(self._read)  # after the others' turn

    def _end(self, why: str, what: str | None = None) -> None:
        if not self.ended.done():
            self.ended.set_result(Disconnected(why, what))

    def _check_keepalive(self) -> None:
        if self._paho.loop_misc() == MQTTErrorCode.MQTT_ERR_SUCCESS:
            self._check = self._loop.call_later(KEEPALIVE_CHECK_S, self._check_keepalive)

    # Paho's callbacks, all in the event loop.

    def _on_connect(self, _client: Any, _userdata: Any, _flags: Any, reason: ReasonCode, _properties: Any) -> None:
        if reason.is_failure:
            self._end(str(reason), "refuses this server")
        elif not self._connected.done():
            self._connected.set_result(None)

    def _on_disconnect(self, _client: Any, _userdata: Any, _flags: Any, reason: ReasonCode, _properties: Any) -> None:
        unexplained = not reason.is_failure or str(reason) == "Unspecified error"
        self._end("the connection ended" if unexplained else str(reason))

    def _on_message(self, _client: Any, _userdata: Any, message: MQTTMessage) -> None:
        self._messages += 1
        with suppress(UnicodeDecodeError):
            self._receive(message.topic, bytes(message.payload), message.retain, message.properties)

    def _on_subscribe(self, _client: Any, _userdata: Any, mid: int, codes: list[ReasonCode], _properties: Any) -> None:
        filters = self._subscribing.pop(mid, [])
        for topic_filter, code in zip(filters, codes, strict=False):
            if code.is_failure:
                self._on_denied("subscribe to", topic_filter, str(code))
        self._on_subscribed(filters)
        if not self._subscribing and not self._subscribed.done():
            self._subscribed.set_result(None)

    def _on_publish(self, _client: Any, _userdata: Any, mid: int, code: ReasonCode, _properties: Any) -> None:
        topic = self._in_flight.pop(mid, None)
        if topic is not None and code.is_failure:
            self._on_denied("publish to", topic, str(code))
        if self._waiting or not self._in_flight:
            # Not from here: paho holds its locks, and counts this message as in flight until we return.
            self._pump_soon()

    def _on_socket_register_write(self, _client: Any, _userdata: Any, sock: Any) -> None:
        if not self.ended.done():
            self._loop.add_writer(sock.fileno(), self._on_writable)

    def _on_socket_unregister_write(self, _client: Any, _userdata: Any, sock: Any) -> None:
        if not self._unwritten:
            self._loop.remove_writer(sock.fileno())

    def _on_socket_close(self, _client: Any, _userdata: Any, sock: Any) -> None:
        if self._check is not None:
            self._check.cancel()
        if sock.fileno() > -1:
            self._loop.remove_reader(sock.fileno())
            self._loop.remove_writer(sock.fileno())


def _options(*, no_local: bool) -> SubscribeOptions:
    retained = SubscribeOptions.RETAIN_DO_NOT_SEND if no_local else SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE
    return SubscribeOptions(qos=0, noLocal=no_local, retainHandling=retained)


def _is_plain(message: _Message) -> bool:
    """True if we write ``message`` ourselves."""
    _, _, qos, _, properties = message
    return qos == 0 and properties is None


def _packet(topic: str, payload: bytes, retain: bool) -> bytes:
    """A PUBLISH packet of QoS 0 without properties (MQTT 5, section 3.3)."""
    name = topic.encode()
    rest = 2 + len(name) + 1 + len(payload)
    length = bytearray()
    while rest > 127:
        length.append(rest & 127 | 128)
        rest >>= 7
    length.append(rest)
    return b"%c%b%b%b\0%b" % (0x30 | retain, bytes(length), len(name).to_bytes(2, "big"), name, payload)


def properties_of(packet_type: int, **values: Any) -> Properties | None:
    """MQTT 5 properties, under paho's names, of those ``values`` that are not None; None if there are none."""
    given = {name: value for name, value in values.items() if value is not None}
    if not given:
        return None
    properties = Properties(packet_type)  # type: ignore[no-untyped-call]
    for name, value in given.items():
        setattr(properties, name, value)
    return properties
