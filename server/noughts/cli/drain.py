"""``noughts drain NODE``: stop another node as SIGTERM would, over the bus that the nodes share."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from noughts.bus import Drain
from noughts.cli.arguments import Subparsers
from noughts.cli.output import say
from noughts.cli.process import CLOSING_S
from noughts.cli.run import CommandFailed, run
from noughts.cli.settings import JOURNAL_SETTINGS, add_settings, take_settings
from noughts.config import Settings, masked
from noughts.mqtt.signer import Signer
from noughts.opening import journal_of, link_of

if TYPE_CHECKING:  # they need the extra ``cluster``
    from noughts.mqtt.link import Link
    from noughts.mqtt.subscriptions import Received

DRAIN_SETTINGS = (*JOURNAL_SETTINGS, "bus", "bus_password_file", "bus_ca", "bus_prefix", "drain_s")

REPEAT_S = 1.0
"""The interval at which the order is sent again to a node that has not begun to drain."""

MOST_NODES = 100
"""The number of other nodes an error names."""


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "drain",
        usage="noughts drain NODE [options]",
        description="Stop a node as SIGTERM would, and wait until it has stopped. Use the settings of the nodes.",
    )
    parser.set_defaults(command=_drain)
    parser.add_argument("node", metavar="NODE", help="the node's name")
    add_settings(parser, DRAIN_SETTINGS)


def _drain(options: dict[str, Any]) -> int:
    settings = take_settings("drain", options, (*DRAIN_SETTINGS, "node"))
    if not settings.journal.startswith("postgresql://") or settings.bus is None:
        say("noughts drain: needs what the nodes share: --journal postgresql://... --bus mqtt://...", to_stderr=True)
        return 2
    logging.getLogger("noughts.bus.link").setLevel("ERROR")  # we report the link's trouble ourselves, once
    return run("drain", drain(settings))


async def drain(settings: Settings, *, connect_s: float = 10, find_s: float = 2) -> None:
    """Stop ``settings.node`` and wait until it is gone. Raises what :func:`~noughts.cli.run.run` reports.

    ``connect_s`` is how long the broker may take to answer, ``find_s`` how long it may then take to show the node.
    """
    assert settings.node is not None
    assert settings.bus is not None
    # The journal is opened only for its secret: nodes obey an order that is signed with it.
    async with journal_of(settings) as journal:
        signer = Signer(journal.secret)
    async with link_of(settings, f"drain-{secrets.token_hex(6)}") as link:
        assert link is not None
        node = _Node(link, settings.node)
        if not await _happens(node.connected, connect_s):
            raise CommandFailed(_trouble(link) or f"the broker {masked(settings.bus)} does not answer")
        if not await _happens(node.found, find_s):
            raise CommandFailed(_trouble(link) or _no_such_node(settings, node.others))
        say(f"Stopping {node.name}.")
        limit = settings.drain_s + CLOSING_S + 2 * REPEAT_S
        deadline = time.monotonic() + limit
        while not node.gone.is_set():
            if time.monotonic() > deadline:
                raise CommandFailed(f"{node.name} is still running after {limit:g} s")
            if link.connected and link.trouble is not None:  # the broker refused the order
                raise CommandFailed(link.trouble)
            if not node.draining:
                _order(link, signer, node.name)
            await _happens(node.gone, REPEAT_S)
    say(f"{node.name} has stopped.")


def _order(link: Link, signer: Signer, node: str) -> None:
    topic = f"bus/nodes/{node}"
    for order in signer.sign(topic, [Drain(node)], link.node, time.time_ns() // 1_000_000):
        link.publish(topic, order)


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    """True if ``event`` is set within ``seconds``."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


def _trouble(link: Link) -> str | None:
    """The last complaint of the broker, if any."""
    if link.trouble is not None and not link.connected and "refuses" in link.trouble:
        return f"{link.trouble}: are the USER in --bus and --bus-password-file right?"
    return link.trouble


def _no_such_node(settings: Settings, others: set[str]) -> str:
    words = f"there is no node {settings.node} on this bus"
    if others:
        return f"{words}; there are: {', '.join(sorted(others))}"
    assert settings.bus is not None
    return (
        f"{words}, and no other node either: is {masked(settings.bus)} their broker, {settings.bus_prefix} their"
        " --bus-prefix, and may this account read there?"
    )


class _Node:
    """A node as the bus shows it: found, draining, gone. ``others`` are the other nodes there."""

    def __init__(self, link: Link, name: str) -> None:
        self.name = name
        self.connected = asyncio.Event()
        self.found = asyncio.Event()
        self.gone = asyncio.Event()
        self.draining = False
        self.others: set[str] = set()
        self._since: object = None
        link.on_connect.append(self.connected.set)
        link.subscribe("nodes/+", self._receive, no_local=False)  # with what is retained

    def _receive(self, received: Received) -> None:
        name = received.topic.removeprefix("nodes/")
        if name == self.name:
            self._update(received.payload)
        elif not received.payload:
            self.others.discard(name)
        elif re.fullmatch("[A-Za-z0-9._-]{1,64}", name) and len(self.others) < MOST_NODES:
            self.others.add(name)

    def _update(self, payload: bytes) -> None:
        try:
            presence = from_json(payload) if payload else None
        except ValueError:
            return
        if presence is None:
            if self.found.is_set():
                self.gone.set()
        elif isinstance(presence, dict):
            if self._since not in (None, presence.get("since")):
                self.gone.set()  # another process has started under its name
            self._since = presence.get("since")
            self.draining = presence.get("status") == "draining"
            self.found.set()
