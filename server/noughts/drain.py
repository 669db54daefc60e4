"""``noughts drain NODE``: have another server stop as SIGTERM would, over the bus that the nodes share."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from contextlib import suppress

from pydantic_core import from_json

from noughts.app import journal_of, link_of
from noughts.bus import Drain
from noughts.config import Settings, UnusableSetting, masked
from noughts.journal import JournalError
from noughts.mqtt.link import Link
from noughts.mqtt.signer import Seal
from noughts.mqtt.subscriptions import Received
from noughts.serve import CLOSING_S, advice, say, set_log

CONNECT_S = 10.0
"""How long the broker may take to answer."""

FIND_S = 2.0
"""How long it may then take to say that the node is there."""

AGAIN_S = 1.0
"""How often a node that does not follow is told again."""

MOST = 100
"""How many other nodes are named."""


def drain(settings: Settings) -> int:
    """Have ``settings.node`` stop and wait until it is gone; the exit status."""
    node = settings.node
    assert node is not None
    if not settings.journal.startswith("postgresql://") or settings.bus is None:
        say("noughts drain: needs what the nodes share: --journal postgresql://... --bus mqtt://...", to_stderr=True)
        return 2
    set_log("WARNING")
    logging.getLogger("noughts.mqtt.link").setLevel("ERROR")  # what troubles the link is told at the end, once
    try:
        asyncio.run(_drain(settings, node))
    except (Undrained, JournalError, UnusableSetting) as error:
        say(f"noughts drain: {error}{advice(error)}", to_stderr=True)
        return 1
    say(f"{node} has stopped.")
    return 0


class Undrained(Exception):
    """The node could not be told to stop, or does not; the text says why."""


async def _drain(settings: Settings, node: str) -> None:
    # The journal is opened for its secret alone: it makes the order one that nodes believe.
    async with journal_of(settings) as journal:
        seal = Seal(journal.secret)
    async with link_of(settings, f"drain-{secrets.token_hex(6)}") as link:
        assert link is not None
        assert settings.bus is not None
        seen = _Watched(link, node)
        if not await _within(seen.connected, CONNECT_S):
            raise Undrained(_trouble(link) or f"the broker {masked(settings.bus)} does not answer")
        if not await _within(seen.there, FIND_S):
            raise Undrained(_trouble(link) or _nobody(settings, seen.others))
        say(f"{node} is told to stop.")
        patience = settings.drain_s + CLOSING_S + 2 * AGAIN_S
        until = time.monotonic() + patience
        while not seen.gone.is_set():
            if time.monotonic() > until:
                raise Undrained(f"{node} is still there after {patience:g} s")
            if link.connected and link.trouble is not None:  # the order was not let through
                raise Undrained(link.trouble)
            if not seen.draining:
                _tell(link, seal, node)
            with suppress(TimeoutError):
                await asyncio.wait_for(seen.gone.wait(), AGAIN_S)


def _tell(link: Link, seal: Seal, node: str) -> None:
    topic = f"bus/nodes/{node}"
    link.publish(topic, seal.close(topic, Drain(node), link.node, time.time_ns() // 1_000_000))


async def _within(event: asyncio.Event, seconds: float) -> bool:
    """Whether ``event`` comes within that time."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


def _trouble(link: Link) -> str | None:
    """What the broker has against us, where it has said so."""
    if link.trouble is not None and not link.connected and "refuses" in link.trouble:
        return f"{link.trouble}: are the USER in --bus and --bus-password-file right?"
    return link.trouble


def _nobody(settings: Settings, others: set[str]) -> str:
    words = f"there is no node {settings.node} on this bus"
    if others:
        return f"{words}; there are: {', '.join(sorted(others))}"
    assert settings.bus is not None
    return (
        f"{words}, nor is another to be seen: is {masked(settings.bus)} their broker, {settings.bus_prefix} their"
        " --bus-prefix, and may this account read there?"
    )


class _Watched:
    """What is known of a node: whether it is there, is about to stop, and has gone; ``others`` are there, too."""

    def __init__(self, link: Link, node: str) -> None:
        self.connected = asyncio.Event()
        self.there = asyncio.Event()
        self.gone = asyncio.Event()
        self.draining = False
        self.others: set[str] = set()
        self._node = node
        self._since: object = None
        link.on_connect.append(self.connected.set)
        link.subscribe("nodes/+", self._hear)

    def _hear(self, received: Received) -> None:
        node = received.topic.removeprefix("nodes/")
        if node == self._node:
            self._hear_node(received)
        elif not received.payload:
            self.others.discard(node)
        elif re.fullmatch("[A-Za-z0-9._-]{1,64}", node) and len(self.others) < MOST:
            self.others.add(node)

    def _hear_node(self, received: Received) -> None:
        try:
            presence = from_json(received.payload) if received.payload else None
        except ValueError:
            return
        if presence is None:
            if self.there.is_set():
                self.gone.set()
        elif isinstance(presence, dict):
            if self._since not in (None, presence.get("since")):
                self.gone.set()  # and was started again under its name
            self._since = presence.get("since")
            self.draining = presence.get("status") == "draining"
            self.there.set()
