"""The banned addresses: the journal's list, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_network

from noughts.gateway import replies
from noughts.gateway.replies import Problem, when_banned
from noughts.journal import Journal, JournalError
from noughts.timing import Timing

AT_ONCE = 40
"""So many bans are read, or addresses checked, before other tasks have their turn: less than 1 ms of work."""


class AddressBans:
    """The banned networks. ``on_change`` is called when there are some that were not banned before.

    Other nodes and operators change them, so the journal is asked every ``timing.registry_s`` for what has changed.
    """

    def __init__(self, journal: Journal, timing: Timing) -> None:
        self.on_change: Callable[[], object] = lambda: None
        self._journal = journal
        self._timing = timing
        self._revision = 0
        # By bits of an address and of a prefix: by prefix, as a number of that many bits, the end of the ban. So a
        # check takes one look for each length, however many networks are banned.
        self._until: dict[tuple[int, int], dict[int, int]] = {}

    def problem(self, address: str) -> Problem | None:
        """The problem of a client at ``address`` if that is banned now."""
        if not self._until:
            return None
        try:
            network = ip_network(address)
        except ValueError:  # a client that has gone, or one by MQTT
            return None
        number, bits = int(network.network_address), network.max_prefixlen
        until = 0
        for (width, length), untils in self._until.items():
            if width == bits and length <= network.prefixlen:
                until = max(until, untils.get(number >> (bits - length), 0))
        if until <= self._journal.now():
            return None
        return Problem(replies.ADDRESS_BANNED, until=when_banned(until))

    async def look(self) -> None:
        """Read what has changed. Raises JournalError."""
        more, banned = True, False
        try:
            while more:
                changed = await self._journal.bans.changed(self._revision, AT_ONCE)
                for self._revision, ban in changed:
                    banned = self._set(ip_network(ban.network), ban.until) or banned
                more = len(changed) == AT_ONCE
                await asyncio.sleep(0)  # a journal in memory never waits, and other tasks need their turn
        finally:
            if banned:
                self.on_change()

    async def run(self) -> None:
        """Look for changes, for ever."""
        while True:
            await asyncio.sleep(self._timing.registry_s)
            with suppress(JournalError):
                await self.look()

    def _set(self, network: IPv4Network | IPv6Network, until: int) -> bool:
        """Ban ``network`` until then. Returns whether that is still to come."""
        kind = network.max_prefixlen, network.prefixlen
        untils = self._until.setdefault(kind, {})
        prefix = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
        if until > self._journal.now():
            untils[prefix] = until
            return True
        untils.pop(prefix, None)
        if not untils:
            del self._until[kind]
        return False
