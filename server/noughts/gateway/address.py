"""A client's address: the peer's or, behind trusted proxies, the one they report. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address

CLIENT_BITS, SITE_BITS = 64, 48
"""One IPv6 client has a /64 network, and its house, school or company a /48."""

SITE_SHARE = 4
"""A site may use so many times as much as one address of it."""


@lru_cache(10_000)
def site_of(address: str) -> str:
    """The site of a client's address: the /48 network of an IPv6 address, and any other address itself.

    Who has a site has 65,536 addresses, so limits by address hold for the site as well, :data:`SITE_SHARE` times as
    high, and where addresses take turns the sites do.
    """
    if not address.endswith(f"::/{CLIENT_BITS}"):
        return address
    return str(ip_network(address).supernet(new_prefix=SITE_BITS))


_NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"),
            *("::/64", "fc00::/7", "fe80::/10"),
        ),
    )
)
"""Loopback, private and link-local addresses, and those that carriers and virtual networks share (RFC 6598). Addresses
of documentation count as public, so that they can stand for public ones in tests."""


@lru_cache(10_000)
def is_public(address: str) -> bool:
    """True if a client's address belongs to the public Internet, as far as one can see; False for what is none."""
    try:
        network = ip_network(address)
    except ValueError:
        return False
    return not any(network.version == each.version and network.subnet_of(each) for each in _NOT_PUBLIC)  # type: ignore[arg-type]


class Proxies:
    """The trusted proxies: ``networks`` are addresses and networks, such as ``10.0.0.0/8`` and ``::1``."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = [ip_network(network) for network in networks]

    def client(self, peer: str, forwarded_for: Iterable[str]) -> str:
        """The client's address; for IPv6 its /64 network, as ``2001:db8:1:2::/64``, since one client has all of that.

        ``peer`` is the other end of the connection, ``forwarded_for`` the values of its ``X-Forwarded-For`` headers, in
        order. Each proxy appends the address that called it, so the client is the rightmost entry that is not a trusted
        proxy. The client may have made up everything left of that. An entry that is not an address ends the search.
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
        if address.version == 4:
            return str(address)
        return str(IPv6Network((int(address) >> CLIENT_BITS << CLIENT_BITS, CLIENT_BITS)))

    def trusts(self, peer: str) -> bool:
        """True if the other end of a connection is a trusted proxy."""
        address = _address(peer)
        return address is not None and self._trusts(address)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def bannable(text: str) -> str | None:
    """The network to ban for an address or network in ``text``, None if it is neither.

    An IPv6 address means its /64, since one client has all of that.
    """
    try:
        network = ip_network(text.strip(), strict=False)
    except ValueError:
        return None
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if mapped is not None and network.prefixlen >= 96:
        return str(ip_network((mapped, network.prefixlen - 96)))
    if network.version == 6 and network.prefixlen > CLIENT_BITS:
        network = network.supernet(new_prefix=CLIENT_BITS)
    return str(network)


def is_loopback(peer: str) -> bool:
    """True if the other end of a connection is on this machine."""
    address = _address(peer)
    return address is not None and address.is_loopback


def _entry(text: str) -> Address | None:
    """The address in an entry: bare, with a port, or an IPv6 address in brackets."""
    text = text.strip()
    if text.startswith("["):
        return _address(text[1:].partition("]")[0])
    return _address(text.partition(":")[0] if text.count(":") == 1 else text)


def _address(text: str) -> Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    # A socket that listens on both kinds sees IPv4 addresses as mapped into IPv6.
    return getattr(address, "ipv4_mapped", None) or address
