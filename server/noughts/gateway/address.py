"""Whose connection it is: the peer's address or, behind proxies that are trusted, what they say of it. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address


class Proxies:
    """The proxies that are believed: ``networks`` are addresses and networks, such as ``10.0.0.0/8`` and ``::1``."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = [ip_network(network) for network in networks]

    def client(self, peer: str, forwarded_for: Iterable[str]) -> str:
        """The client's address; of an IPv6 one the network, since a client has all of it.

        ``peer`` is who connects, ``forwarded_for`` the values of its ``X-Forwarded-For`` headers, in order. Each
        proxy adds at the right whom it was called by; so it is the rightmost entry that is not a trusted proxy's
        own. What is left of it is the client's invention. At an entry that is no address the last proxy is taken.
        """
        address = _address(peer)
        if address is None:
            return peer
        entries = [entry for value in forwarded_for for entry in value.split(",")]
        while entries and self._trusts(address):
            before = _entry(entries.pop())
            if before is None:
                break
            address = before
        return str(address) if address.version == 4 else address.exploded[:19]

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def _entry(text: str) -> Address | None:
    """The address in an entry: bare, with a port, or in brackets, as IPv6 addresses with a port are."""
    text = text.strip()
    if text.startswith("["):
        return _address(text[1:].partition("]")[0])
    return _address(text.partition(":")[0] if text.count(":") == 1 else text)


def _address(text: str) -> Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    # Who listens on both kinds of addresses sees the IPv4 ones within IPv6.
    return getattr(address, "ipv4_mapped", None) or address
