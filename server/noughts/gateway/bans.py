"""Which addresses are banned: the journal's list, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_network

from noughts.gateway import replies
from noughts.gateway.replies import Problem, when_banned
from noughts.journal import Journal, JournalError, StoredBan
from noughts.timing import Timing

Network = IPv4Network | IPv6Network


class AddressBans:
    """The banned networks. ``on_change`` is called when there are others than before.

    Other nodes and operators change them, so the journal is asked every ``timing.registry_s``.
    """

    def __init__(self, journal: Journal, timing: Timing) -> None:
        self.on_change: Callable[[], object] = lambda: None
        self._journal = journal
        self._timing = timing
        self._stored: list[StoredBan] = []
        self._until: dict[Network, int] = {}
        self._lengths: set[tuple[int, int]] = set()

    def problem(self, address: str) -> Problem | None:
        """What to tell a client at ``address`` if that is banned now."""
        if not self._until:
            return None
        try:
            network = ip_network(address)
        except ValueError:  # a client that has gone, or one by MQTT
            return None
        until = max((self._until.get(wider, 0) for wider in self._wider(network)), default=0)
        if until <= self._journal.now():
            return None
        return Problem(replies.ADDRESS_BANNED, until=when_banned(until))

    async def look(self) -> None:
        """Read the bans. Raises JournalError."""
        stored = await self._journal.bans.in_force()
        if stored == self._stored:
            return
        self._stored = stored
        self._until = {ip_network(ban.network): ban.until for ban in stored}
        self._lengths = {(network.version, network.prefixlen) for network in self._until}
        self.on_change()

    async def run(self) -> None:
        """Look for changes, for ever."""
        while True:
            await asyncio.sleep(self._timing.registry_s)
            with suppress(JournalError):
                await self.look()

    def _wider(self, network: Network) -> list[Network]:
        """The network itself and those that contain it, as far as any of that length is banned."""
        return [
            network.supernet(new_prefix=length)
            for version, length in self._lengths
            if version == network.version and length <= network.prefixlen
        ]
