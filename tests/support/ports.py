"""Ports for servers in tests."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress


def free_port() -> int:
    """A port that was free a moment ago; not one that the system may give to a connection before it is used."""
    while True:
        port = 15_000 + secrets.randbelow(17_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
