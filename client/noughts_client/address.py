"""The address of a server, as people write it and as a URL. Does no I/O."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

PORT = 8765
"""The port on which ``noughts serve`` listens."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")

SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}

OF_A_NETWORK = (".local", ".lan", ".home", ".internal", ".arpa")
"""The ends of names that are known in one network only, where servers have no certificates."""

_ROOM = re.compile(r"[0-9A-Za-z_-]{1,64}(?=[/?#]|$)")

_ID = re.compile(r"(?:.*/)?([A-Za-z0-9_-]{1,64})")

_HOST = re.compile(r"[0-9A-Za-z_.:%-]+")


def server_url(text: str) -> str:
    """The URL of the WebSocket at an address that somebody typed, such as ``example.org`` or ``192.168.1.5:8000``.

    A URL of the page leads to the server's WebSocket. Without a scheme it is ``ws``, and without a port also the port
    where ``noughts serve`` listens; but a name of the internet without a port is ``wss``, as behind a reverse proxy.
    Raises ValueError for what is not an address.
    """
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"//{_bracketed(text)}")
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
    except ValueError as error:
        raise _wrong(text) from error
    if not _HOST.fullmatch(host) or (scheme and scheme not in SCHEMES):
        raise _wrong(text)
    if not scheme:
        public = _is_public(host)
        scheme = "wss" if port == 443 or (port is None and public) else "ws"
        if port is None and not public:
            parts = parts._replace(netloc=f"{parts.netloc}:{PORT}")
    if scheme in ("http", "https") or parts.path in ("", "/"):
        parts = parts._replace(path="/ws", query="")
    return parts._replace(scheme=SCHEMES[scheme], fragment="").geturl()


def id_in(text: str) -> str | None:
    """The id in ``text``, which may stand at the end of a link; None if there is none."""
    found = _ID.fullmatch(text.strip())
    return None if found is None else found[1]


def room_link(text: str) -> tuple[str, str] | None:
    """The URL of the server and the id of the room in the link of a room's page, None for any other text.

    Such a link is ``https://example.org/rooms/ID``; the scheme may be missing.
    """
    before, found, rest = text.strip().partition("/rooms/")
    match = _ROOM.match(rest)
    if not found or match is None:
        return None
    try:
        return server_url(f"{before}/" if "://" in before else before), match[0]
    except ValueError:
        return None


def link_of_room(url: str, room: str) -> str | None:
    """The link of a room's page at the server with the WebSocket ``url``; None if its page is not beside that."""
    parts = urlsplit(url)
    if parts.path != "/ws":
        return None
    return parts._replace(scheme=parts.scheme.replace("ws", "http", 1), path=f"/rooms/{room}").geturl()


def url_for_room(url: str, room: str) -> str:
    """``url`` for a client in ``room``: of several nodes a balancer may choose the same for all who are there."""
    parts = urlsplit(url)
    return url if parts.query else parts._replace(query=f"room={room}").geturl()


def shortest(url: str) -> str:
    """The shortest text that :func:`server_url` reads as ``url``, for people to type."""
    netloc = urlsplit(url).netloc
    for text in (netloc.removesuffix(f":{PORT}"), netloc, url):
        if _reads_as(text, url):
            return text
    return url


def with_host(url: str, host: str) -> str:
    """``url`` with another host, and the same port."""
    parts = urlsplit(url)
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=f"{_bracketed(host)}{port}").geturl()


def _reads_as(text: str, url: str) -> bool:
    try:
        return server_url(text) == url
    except ValueError:
        return False


def _wrong(text: str) -> ValueError:
    return ValueError(f"not the address of a server, such as example.org or 192.168.1.5:{PORT}: {text!r}")


def _bracketed(host: str) -> str:
    """``host``, in brackets if it is an IPv6 address without them."""
    try:
        return f"[{host}]" if ip_address(host).version == 6 else host
    except ValueError:
        return host


def _is_public(host: str) -> bool:
    """True if ``host`` is a name of the internet, and not an address or a name of one machine or network."""
    try:
        ip_address(host)
    except ValueError:
        return "." in host.strip(".") and not host.lower().endswith(OF_A_NETWORK)
    return False
