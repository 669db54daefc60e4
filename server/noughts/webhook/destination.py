"""The places to which a webhook may point: a public address, whatever name stands for it. Pure; does no I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address

PORTS = {"https": 443, "http": 80}

NAT64, SIX_TO_FOUR = ip_network("64:ff9b::/96"), ip_network("2002::/16")
"""Networks whose addresses lead to IPv4 addresses, which they contain: RFC 6052 and RFC 3056."""

_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]")


class BadDestination(Exception):
    """Nothing may be sent there; the text says why, to whoever chose it."""


@dataclass(frozen=True, slots=True)
class Destination:
    """The destination of a call: a name or an address, a port, and what to ask for there. ``netloc`` is for the
    header."""

    secure: bool
    host: str
    port: int
    path: str
    netloc: str


def destination(url: str, *, http: bool) -> Destination:
    """The destination that ``url`` names; with ``http`` it may be without encryption. Raises BadDestination.

    A port below 1024 must be that of the scheme: mail servers and the like read what is sent to them.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadDestination("The URL has a port that is not a number, or a bad address.") from None
    if parts.scheme not in (("https", "http") if http else ("https",)):
        raise BadDestination("The URL must begin with https://.")
    if parts.username is not None or parts.password is not None:
        raise BadDestination("The URL must not contain a name or a password; put a secret into its path.")
    if parts.fragment or _HOST.fullmatch(host := parts.netloc.removesuffix("" if port is None else f":{port}")) is None:
        raise BadDestination("The URL needs a host name in ASCII, and no part after #.")
    if port is not None and port < 1024 and port != PORTS[parts.scheme]:
        raise BadDestination(f"The URL's port must be {PORTS[parts.scheme]}, or 1024 and more.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(parts.scheme == "https", host.strip("[]"), port or PORTS[parts.scheme], path, parts.netloc)


def is_callable(address: str) -> bool:
    """True if ``address`` is a public one. False for private, local, shared, reserved and multicast addresses.

    An IPv6 address that leads to an IPv4 address is public if that is.
    """
    try:
        given = ip_address(address)
    except ValueError:
        return False
    meant = _meant(given)
    odd = meant.is_multicast or meant.is_reserved or meant.is_unspecified or meant.is_loopback or meant.is_link_local
    return meant.is_global and not odd and not (isinstance(meant, IPv6Address) and meant.is_site_local)


def _meant(address: Address) -> Address:
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in SIX_TO_FOUR and address.sixtofour is not None:
        return address.sixtofour
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in NAT64 else address
