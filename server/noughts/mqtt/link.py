"""A link to an MQTT broker that is made again for ever.

It is for hints and for the world's view. What is sent while the broker is away is lost: who owns something that must
be there, such as a retained state, sends it again when told of the connection.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
import secrets
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from aiomqtt import MqttCodeError, MqttError, Will
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.client import error_string

from noughts.mqtt.connection import Address, Connection, Outgoing
from noughts.mqtt.subscriptions import Handler, Subscriptions

BACKOFF_S = (0.1, 2.0)  # the first and the longest wait for the next attempt
FAREWELL_S = 1.0  # what the last messages may take

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PREFIX = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
_NO_BROKER = (
    "not the URL of an MQTT broker: mqtt://HOST:PORT or mqtts://HOST:PORT;"
    " special characters in it must be percent-encoded"
)

log = logging.getLogger(__name__)


class _TlsSocket(ssl.SSLSocket):
    """Closed when the handshake fails: paho forgets it, open."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


def parse(url: str, password: str | None = None, ca: Path | None = None) -> Address:
    """The broker at ``mqtt://USER:PASSWORD@HOST:PORT`` (or ``mqtts``); user, password and port may be absent.

    ``password`` goes before the URL's. ``ca`` is the file with the authority that the broker's certificate must
    come from, instead of the system's. Raises ValueError for another URL, OSError for a file that is not one.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # its words may quote the password
        raise ValueError(_NO_BROKER) from None
    more = parts.path.removeprefix("/") or parts.query or parts.fragment
    if parts.scheme not in {"mqtt", "mqtts"} or not parts.hostname or more:
        raise ValueError(_NO_BROKER)
    tls = None
    if parts.scheme == "mqtts":
        tls = ssl.create_default_context(cafile=ca)
        tls.sslsocket_class = _TlsSocket
    if password is None and parts.password is not None:
        password = unquote(parts.password)
    return Address(
        host=parts.hostname,
        port=port or (8883 if tls else 1883),
        user=unquote(parts.username) if parts.username else None,
        password=password,
        tls=tls,
    )


class Link:
    """A connection to an MQTT 5 broker, made again for ever. For one event loop, from ``start`` to ``close``.

    ``node``: this server's name. When the connection is lost, the broker clears the retained ``nodes/{node}``.
    ``prefix``: what all topics begin with at the broker; here they are given and received without it.
    ``password`` and ``ca`` are as in :func:`parse`, and so is what is raised; ValueError for an odd name or prefix too.
    ``on_connect`` is called when the link is up and all subscriptions are made, ``on_disconnect`` when it is lost.
    """

    def __init__(
        self,
        url: str,
        *,
        node: str,
        prefix: str = "noughts/v1",
        password: str | None = None,
        ca: Path | None = None,
    ) -> None:
        if not _NAME.fullmatch(node):
            raise ValueError("a node's name is at most 64 letters, digits, dots, dashes and underscores")
        if not _PREFIX.fullmatch(prefix):
            raise ValueError("a topic prefix is one or more levels of letters, digits, dots, dashes and underscores")
        self.node = node
        self.prefix = prefix
        self.on_connect: list[Callable[[], None]] = []
        self.on_disconnect: list[Callable[[], None]] = []
        self._address = parse(url, password, ca)
        # One name for all connections of this link: the next ends what is left of the last, and sends its will,
        # before our presence is told again.
        self._identifier = f"{node}-{secrets.token_hex(6)}"
        self._subscriptions = Subscriptions(prefix, lambda topic, reason: self._deny("subscribe to", topic, reason))
        self._connection: Connection | None = None
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._dropped = 0
        self.trouble: str | None = None
        """In words, why the broker was not reached, or what it denied last."""
        self._told: set[str] = set()
        self._denied: set[tuple[str, str]] = set()

    @property
    def connected(self) -> bool:
        """Whether the link is up, as far as is known."""
        return self._connection is not None

    @property
    def dropped(self) -> int:
        """How many messages were not sent: the link was down, or more waited than may."""
        return self._dropped + (self._connection.dropped if self._connection else 0)

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        qos: int = 1,
        correlation: bytes | None = None,
        absolute: bool = False,
        expiry_s: int | None = None,
    ) -> None:
        """Send ``payload`` to ``topic`` without waiting. It is dropped while the link is down.

        ``absolute``: the topic is whole. ``expiry_s``: seconds after which the broker forgets it.
        """
        if self._connection is None:
            self._dropped += 1
            return
        whole = topic if absolute else f"{self.prefix}/{topic}"
        self._connection.post(Outgoing(whole, payload, qos, retain, correlation, expiry_s))

    def subscribe(self, topic_filter: str, handler: Handler, *, no_local: bool = True) -> None:
        """Call ``handler`` within the event loop with what comes from now on; again after the link was lost.

        A message goes to one handler: filters should not overlap. ``no_local``: not what this link publishes.
        ``$share/GROUP/FILTER`` shares the messages with others: each goes to one of the group.
        """
        self._subscriptions.add(topic_filter, handler, no_local=no_local)

    def unsubscribe(self, topic_filter: str) -> None:
        """Hear no more of it."""
        self._subscriptions.remove(topic_filter)

    async def start(self) -> None:
        """Begin to connect, without waiting for the broker."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Send what is still to be sent, say goodbye and disconnect; a few seconds at most. Twice does no harm."""
        self._closing.set()
        if self._task is not None:
            await asyncio.wait({self._task})

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        pause, longest = BACKOFF_S
        while not self._closing.is_set():
            began = loop.time()
            will = Will(f"{self.prefix}/nodes/{self.node}", b"", qos=1, retain=True)
            connection = Connection(self._address, self._identifier, will, self._subscriptions.hear, self._refused)
            try:
                async with connection:
                    await self._serve(connection)
            except MqttError as error:
                self._tell(error)
            except Exception:
                log.exception("the link to the broker at %s met with an error of its own", self._address)
            finally:
                connection.cut()
                self._down()
            if loop.time() - began > 2 * longest:
                pause = BACKOFF_S[0]
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), random.uniform(pause / 2, pause))
            pause = min(2 * pause, longest)

    async def _serve(self, connection: Connection) -> None:
        """Use the connection until it is lost, which raises MqttError, or the link is to be closed."""
        self.trouble = None
        uses = (connection.lost(), self._keep(connection), self._closing.wait())
        tasks = [asyncio.create_task(use) for use in uses]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            pending = set(tasks)
            while pending:  # `wait_for` of Python 3.11 loses a cancellation that comes together with the answer
                for task in pending:
                    task.cancel()
                _, pending = await asyncio.wait(pending, timeout=0.1)
            for task in tasks:
                if not task.cancelled():
                    task.exception()  # one of them is told; of the others asyncio would say that nobody looked
        for task in done:
            task.result()
        with suppress(TimeoutError):
            await asyncio.wait_for(connection.flush(), FAREWELL_S)

    async def _keep(self, connection: Connection) -> None:
        """Have the broker know the subscriptions; those that change within a turn of the loop go together."""
        try:
            async with asyncio.TaskGroup() as group:
                for telling in self._subscriptions.settle(connection, afresh=True):
                    group.create_task(telling)
            self._up(connection)
            async with asyncio.TaskGroup() as group:
                while True:
                    for telling in self._subscriptions.settle(connection):
                        group.create_task(telling)
                    await self._subscriptions.changed()
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None

    def _up(self, connection: Connection) -> None:
        self._connection = connection
        log.info("connected to the broker at %s", self._address)
        self._told.clear()
        for callback in self.on_connect:
            callback()

    def _down(self) -> None:
        if self._connection is None:
            return
        self._dropped += self._connection.dropped
        self._connection = None
        for callback in self.on_disconnect:
            callback()

    def _tell(self, error: MqttError) -> None:
        """Say once, until the link is up again, that it is down, and once what the operator must mend."""
        if isinstance(error, MqttConnectError):
            what, why = "refuses this server", str(error.rc)
        elif isinstance(error.__context__, ssl.SSLError):
            what, why = "cannot be trusted", str(error.__context__)
        elif self._connection is not None:
            what, why = "is lost", _words(error)
        else:
            what, why = "is lost" if "is lost" in self._told else "does not answer", _words(error)
        self.trouble = f"the broker at {self._address} {what} ({why})"
        if what not in self._told and not self._closing.is_set():
            self._told.add(what)
            log.warning("%s; trying again until it is there", self.trouble)

    def _refused(self, topic: str, reason: str) -> None:
        self._deny("publish to", topic, reason)

    def _deny(self, what: str, topic: str, reason: str) -> None:
        """Say once for all rooms, nodes or replies that the broker denies them."""
        inside = topic.removeprefix(self.prefix + "/")
        if inside.partition("/")[0] in {"bus", "lobby", "nodes", "rooms"}:
            pattern = f"{self.prefix}/{re.sub(r'(?<=rooms/|nodes/)[^/]+', '+', inside)}"
        else:
            pattern = "the topics that others ask to be answered at"
        if (what, pattern) not in self._denied:
            self._denied.add((what, pattern))
            self.trouble = f"the broker at {self._address} does not let this server {what} {pattern}: {reason}"
            if self._address.user is None and pattern.startswith(self.prefix):
                self.trouble += "; nodes need an account: --bus mqtt://USER@HOST and --bus-password-file"
            log.warning("%s", self.trouble)


_ENDED = ("Unspecified error", "The client is not currently connected.")  # paho's words for it


def _words(error: MqttError) -> str:
    """What is known of why the connection ended."""
    cause = error.__cause__ or error
    if isinstance(cause, MqttCodeError):
        words = error_string(cause.rc) if isinstance(cause.rc, int) else str(cause.rc)
        return "the connection ended" if words in _ENDED else words
    return str(cause)
