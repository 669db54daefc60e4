"""The addresses at which clients can reach this machine."""

from __future__ import annotations

import socket
import struct
import sys
from contextlib import suppress


def names_of(host: str) -> list[str]:
    """The addresses of this machine when it listens on ``host``."""
    if host not in ("0.0.0.0", "::", ""):  # noqa: S104  # compared, not bound
        return [f"[{host}]" if ":" in host else host]
    return ["[::1]"] if host == "::" else ["127.0.0.1", *own_addresses()]


def own_addresses() -> list[str]:
    """This machine's IPv4 addresses but the loopback; first the one that it reaches the internet from."""
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a datagram socket sends nothing; the address is one set aside for documentation.
        probe.connect(("192.0.2.1", 9))
        found.append(probe.getsockname()[0])
    found += of_interfaces()
    with suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [address for address in dict.fromkeys(found) if not address.startswith(("127.", "0."))]


if sys.platform == "linux":
    import fcntl

    _SIOCGIFADDR = 0x8915

    def of_interfaces() -> list[str]:
        """The first IPv4 address of each interface that has one. A machine without a network knows no other way."""
        found = []
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            for _, name in socket.if_nameindex():
                with suppress(OSError):  # the interface has no address
                    request = struct.pack("256s", name.encode()[:15])
                    found.append(socket.inet_ntoa(fcntl.ioctl(probe, _SIOCGIFADDR, request)[20:24]))
        return found

else:

    def of_interfaces() -> list[str]:
        """Nothing: elsewhere the addresses of the machine's name must do."""
        return []
