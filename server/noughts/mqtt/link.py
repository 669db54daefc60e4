"""A link to an MQTT broker that reconnects for ever.

It carries hints and the public view. What is published while the broker is away is lost: the owner of something that
must be there, such as a retained state, publishes it again on ``on_connect``.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from paho.mqtt.packettypes import PacketTypes

from noughts.mqtt.broker import BrokerConnection, Disconnected, properties_of
from noughts.mqtt.subscriptions import Handler, Subscriptions, without_group
from noughts.mqtt.url import parse
from noughts.timing import Timing

LEAVE_S = 1.0  # what the last messages may take

OWN = frozenset({"bus", "commands", "lobby", "nodes", "rooms", "tournaments"})
"""The first levels of the topics that are not a client's own."""

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PREFIX = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")

log = logging.getLogger(__name__)


class Link:
    """A connection to an MQTT 5 broker, renewed for ever. For one event loop, from ``start`` to ``close``.

    ``node``: this server's name. When the connection is lost, the broker clears the retained ``nodes/{node}``.
    ``prefix``: what all topics begin with at the broker; callers and handlers use topics without it.
    ``password`` and ``ca`` are as in :func:`~noughts.mqtt.url.parse`, which may raise; a bad name or prefix
    raises ValueError, too.
    ``on_connect`` is called when the link is up and the broker has all subscriptions, ``on_disconnect`` when it is
    lost, ``on_subscribed`` with the topic filters, also those that are denied, of which the broker sends what is
    published from now on.
    """

    def __init__(
        self,
        url: str,
        *,
        node: str,
        prefix: str = "noughts/v1",
        password: str | None = None,
        ca: Path | None = None,
        timing: Timing = Timing(),
    ) -> None:
        if not _NAME.fullmatch(node):
            raise ValueError("a node's name is at most 64 letters, digits, dots, dashes and underscores")
        if not _PREFIX.fullmatch(prefix):
            raise ValueError("a topic prefix is one or more levels of letters, digits, dots, dashes and underscores")
        self.node = node
        self.prefix = prefix
        self.on_connect: list[Callable[[], None]] = []
        self.on_disconnect: list[Callable[[], None]] = []
        self.on_subscribed: list[Callable[[list[str]], None]] = []
        self._address = parse(url, password, ca)
        # All connections of this link have one name: the next one ends what is left of the last and triggers its
        # will before this node announces itself again.
        self._identifier = f"{node}-{secrets.token_hex(6)}"
        self._timing = timing
        self._subscriptions = Subscriptions(prefix)
        self._connection: BrokerConnection | None = None
        self._updating = False
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._dropped = 0
        self.trouble: str | None = None
        """The reason why the broker was not reached, or what it denied last, in words."""
        self._logged: set[str] = set()
        self._denied: set[tuple[str, str]] = set()

    @property
    def connected(self) -> bool:
        """True if the link is up, as far as is known."""
        return self._connection is not None

    @property
    def dropped(self) -> int:
        """The number of messages not sent, because the link was down or too many waited."""
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

        ``absolute``: the topic includes the prefix. ``expiry_s``: seconds after which the broker forgets the message.
        """
        if self._connection is None:
            self._dropped += 1
        else:
            whole = topic if absolute else f"{self.prefix}/{topic}"
            properties = (
                None
                if correlation is None and expiry_s is None
                else properties_of(PacketTypes.PUBLISH, CorrelationData=correlation, MessageExpiryInterval=expiry_s)
            )
            self._connection.publish(whole, payload, qos, retain, properties)

    def subscribe(self, topic_filter: str, handler: Handler, *, no_local: bool = True) -> None:
        """Call ``handler`` in the event loop with each message that matches, also after a reconnect.

        A message has one handler, so filters should not overlap. ``no_local``: skip what this link publishes, and what
        was retained before.
        ``$share/GROUP/FILTER`` shares the messages with the group: each goes to one member.
        """
        self._subscriptions.add(topic_filter, handler, no_local=no_local)
        self._update_soon()

    def unsubscribe(self, topic_filter: str) -> None:
        """End the subscription to ``topic_filter``."""
        self._subscriptions.remove(topic_filter)
        self._update_soon()

    async def start(self) -> None:
        """Begin to connect, without waiting for the broker."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Send what waits, say goodbye and disconnect; takes a few seconds at most. A second call does nothing."""
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
        shortest, longest = self._timing.mqtt_retry_s, self._timing.mqtt_retry_max_s
        pause = shortest
        while not self._closing.is_set():
            began = loop.time()
            connection = BrokerConnection(
                self._address,
                self._identifier,
                f"{self.prefix}/nodes/{self.node}",
                on_message=self._subscriptions.dispatch,
                on_subscribed=self._subscribed,
                on_denied=self._on_denied,
                timing=self._timing,
            )
            try:
                filters, _ = self._subscriptions.take_changes(afresh=True)
                trouble = self.trouble
                await connection.open(filters)
                if self.trouble is trouble:  # else the broker has just denied a subscription
                    self.trouble = None
                await self._serve(connection)
            except Disconnected as error:
                self._log_trouble(error)
            except Exception:
                log.exception("the link to the broker at %s failed", self._address)
            finally:
                connection.close()
                self._down()
            if loop.time() - began > 2 * longest:
                pause = shortest
            with suppress(TimeoutError):
                async with asyncio.timeout(random.uniform(pause / 2, pause)):
                    await self._closing.wait()
            pause = min(2 * pause, longest)

    async def _serve(self, connection: BrokerConnection) -> None:
        """Use the connection until this link is closed, or it ends, which raises Disconnected."""
        self._connection = connection
        log.info("connected to the broker at %s", self._address)
        self._logged.clear()
        self._update()  # what changed meanwhile
        for callback in self.on_connect:
            callback()
        closing = asyncio.create_task(self._closing.wait())
        ends: set[asyncio.Future[Any]] = {closing, connection.ended}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        closing.cancel()
        if connection.ended.done():
            raise connection.ended.result()
        await connection.leave(LEAVE_S)

    def _update_soon(self) -> None:
        """Subscriptions that change in one turn of the loop go to the broker together."""
        if self._connection is not None and not self._updating:
            self._updating = True
            asyncio.get_running_loop().call_soon(self._update)

    def _update(self) -> None:
        self._updating = False
        if self._connection is not None:
            new, old = self._subscriptions.take_changes()
            self._connection.subscribe(new)
            self._connection.unsubscribe(old)

    def _subscribed(self, filters: list[str]) -> None:
        inside = [one.removeprefix(f"{self.prefix}/") for one in filters]
        for callback in self.on_subscribed:
            callback(inside)

    def _down(self) -> None:
        if self._connection is None:
            return
        self._dropped += self._connection.dropped
        self._connection = None
        for callback in self.on_disconnect:
            callback()

    def _log_trouble(self, error: Disconnected) -> None:
        """Log once until the link is up again that it is down, and each cause once that the operator must fix."""
        what = error.what
        if what is None:
            lost = self._connection is not None or "is lost" in self._logged
            what = "is lost" if lost else "does not answer"
        self.trouble = f"the broker at {self._address} {what} ({error})"
        if what not in self._logged and not self._closing.is_set():
            self._logged.add(what)
            log.warning("%s; trying again", self.trouble)

    def _on_denied(self, what: str, topic: str, reason: str) -> None:
        """Log once for all rooms, nodes or replies that the broker denies them."""
        inside = without_group(topic).removeprefix(self.prefix + "/")
        if inside.partition("/")[0] in OWN or inside == "devices/+/commands":
            pattern = f"{self.prefix}/{re.sub(r'(?<=rooms/|nodes/)[^/]+|(?<=tournaments/)[^/]+', '+', inside)}"
        else:
            pattern = "the response topics of clients"
        if (what, pattern) not in self._denied:
            self._denied.add((what, pattern))
            self.trouble = f"the broker at {self._address} does not let this server {what} {pattern}: {reason}"
            if self._address.user is None and pattern.startswith(self.prefix):
                self.trouble += "; nodes need an account: --bus mqtt://USER@HOST and --bus-password-file"
            log.warning("%s", self.trouble)
