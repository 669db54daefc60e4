"""The addresses at which clients can reach this machine."""

from __future__ import annotations

import socket
from contextlib import suppress


def names_of(host: str) -> list[str]:
    """The addresses of this machine when it listens on ``host``."""
    if host not in ("0.0.0.0", "::", ""):  # noqa: S104  # compared, not bound
        return [f"[{host}]" if ":" in host else host]
    return ["[::1]"] if host == "::" else ["127.0.0.1", *_own_addresses()]


def _own_addresses() -> list[str]:
    """This machine's IPv4 addresses but the loopback; first the one that it reaches the internet from."""
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a datagram socket sends nothing; the address is one set aside for documentation.
        probe.connect(("192.0.2.1", 9))
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [address for address in dict.fromkeys(found) if not address.startswith(("127.", "0."))]
