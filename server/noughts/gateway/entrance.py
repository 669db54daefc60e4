"""Counts connections by address, from the moment they are accepted, and says which may stay. Does no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from noughts.gateway.address import SITE_SHARE, site_of

RESERVED_FILES = 128
"""The number of files a process keeps for the journal, the bus, searches and what it opens for a moment."""


class Stage(IntEnum):
    """The stage of a connection, by which it counts: a visitor has sent no request yet, or one of plain HTTP; a client
    has a WebSocket."""

    OUTSIDE = 0
    VISITOR = 1
    CLIENT = 2


class Visitor(Protocol):
    """A connection. Only :class:`Entrance` changes its ``address``, which may be empty, and its ``stage``."""

    address: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Capacity:
    """The capacity of a server: clients, and connections of any kind."""

    clients: int
    connections: int

    @classmethod
    def of(cls, clients: int, visitors: int, files: int | None) -> Capacity:
        """For as many ``clients``, and beside them ``visitors``, as a process may have that can open ``files`` files.

        Where there is too little room for all of them, visitors get at most a quarter. ``files``: None for no limit.
        """
        if files is None:
            return cls(clients, clients + visitors)
        room = max(files - RESERVED_FILES, 4)
        visitors = min(visitors, room // 4)
        clients = min(clients, room - visitors)
        return cls(clients, clients + visitors)


REFUSED = "refused a connection"


class Entrance:
    """Counts the connections of one server.

    An address may have ``clients_each`` clients and ``visitors_each`` visitors. Its visitors may take at most half of
    all connections, because a visitor does not have to send anything. A site may have
    :data:`~noughts.gateway.address.SITE_SHARE` times as many, but no more than half of all either. ``limit`` is called
    with the name of a limit, the address that it stopped, and what was done about it.
    """

    def __init__(
        self, capacity: Capacity, clients_each: int, visitors_each: int, limit: Callable[[str, str, str], None]
    ) -> None:
        self.connections = 0
        self.clients = 0
        self._capacity = capacity
        self._clients_each = clients_each
        self._visitors_each = max(1, min(visitors_each, capacity.connections // 2))
        self._limit = limit
        self._clients_of: Counter[str] = Counter()
        self._visitors_of: Counter[str] = Counter()

    def enter(self, visitor: Visitor, address: str) -> bool:
        """Count a connection that was accepted. Returns False if it must be closed.

        ``address`` is empty where it says nothing about the client, as that of a proxy.
        """
        visitor.address = address
        if self.connections >= self._capacity.connections:
            self._limit("connections", address, "closed a connection")
            return False
        if not self._has_room(address, "closed a connection"):
            return False
        self.connections += 1
        _add(self._visitors_of, address)
        visitor.stage = Stage.VISITOR
        return True

    def readdress(self, visitor: Visitor, address: str) -> bool:
        """Count a visitor by the address that its request shows. Returns False if that has too many."""
        if visitor.stage is not Stage.VISITOR or address == visitor.address:
            return True
        before, visitor.address = visitor.address, address
        _take_away(self._visitors_of, before)
        has_room = self._has_room(address, REFUSED)
        _add(self._visitors_of, address)
        return has_room

    def is_full(self, address: str) -> bool:
        """True if there are too many clients for another."""
        if self.clients < self._capacity.clients:
            return False
        self._limit("connections", address, REFUSED)
        return True

    def admit(self, visitor: Visitor) -> bool:
        """Count a visitor as a client from now on. Returns False if its address has too many clients."""
        address = visitor.address
        if full := self._full(self._clients_of, address, self._clients_each):
            self._limit("connections_per_address", full, REFUSED)
            return False
        if visitor.stage is Stage.VISITOR:
            _take_away(self._visitors_of, address)
            visitor.stage = Stage.CLIENT
            _add(self._clients_of, address)
            self.clients += 1
        return True

    def leave(self, visitor: Visitor) -> None:
        """Count a connection no longer."""
        if visitor.stage is Stage.OUTSIDE:
            return
        self.connections -= 1
        if visitor.stage is Stage.CLIENT:
            self.clients -= 1
            _take_away(self._clients_of, visitor.address)
        else:
            _take_away(self._visitors_of, visitor.address)
        visitor.stage = Stage.OUTSIDE

    def _has_room(self, address: str, did: str) -> bool:
        full = self._full(self._visitors_of, address, self._visitors_each) if address else ""
        if full:
            self._limit("http_per_address", full, did)
        return not full

    def _full(self, counts: Counter[str], address: str, each: int) -> str:
        """The address, or its site, if that has no room for one more; empty if both have."""
        if counts[address] >= each:
            return address
        site, half = site_of(address), self._capacity.connections // 2
        return site if counts[site] >= max(each, min(SITE_SHARE * each, half)) else ""


def _add(counts: Counter[str], address: str) -> None:
    for key in {address, site_of(address)}:
        counts[key] += 1


def _take_away(counts: Counter[str], address: str) -> None:
    for key in {address, site_of(address)}:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]
