"""The broker's address and account, read from a URL."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

_BAD_URL = (
    "not the URL of an MQTT broker: mqtt://HOST:PORT or mqtts://HOST:PORT;"
    " special characters in it must be percent-encoded"
)


class _TlsSocket(ssl.SSLSocket):
    """Closes itself when the handshake fails; paho drops it open."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


@dataclass(frozen=True, slots=True)
class Address:
    """The address of the broker, and the account to use. ``tls`` is None for a connection without TLS."""

    host: str
    port: int
    user: str | None
    password: str | None
    tls: ssl.SSLContext | None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def parse(url: str, password: str | None = None, ca: Path | None = None) -> Address:
    """The broker at ``mqtt://USER:PASSWORD@HOST:PORT`` (or ``mqtts``); user, password and port are optional.

    ``password`` overrides the URL's. ``ca`` is a file with the certificate authority to trust instead of the system's.
    Raises ValueError for another URL, OSError for a file that holds no authority.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # its text may quote the password
        raise ValueError(_BAD_URL) from None
    more = parts.path.removeprefix("/") or parts.query or parts.fragment
    if parts.scheme not in {"mqtt", "mqtts"} or not parts.hostname or more:
        raise ValueError(_BAD_URL)
    tls = None
    if parts.scheme == "mqtts":
        tls = ssl.create_default_context(cafile=ca)
        tls.sslsocket_class = _TlsSocket
    if password is None and parts.password is not None:
        password = unquote(parts.password)
    return Address(
        host=parts.hostname,
        port=port or (8883 if tls else 1883),
        user=unquote(parts.username) if parts.username else None,
        password=password,
        tls=tls,
    )
