"""The web pages that may open a WebSocket: those of the server's own address, and those that the operator names. No
I/O.

A browser sends the ``Origin`` of the page that asks for a WebSocket. Nothing else keeps a page of another site from
using a server that only its visitor can reach.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_address
from typing import NamedTuple

ANY = "*"
"""In the setting, every origin but ``null``."""

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_ORIGIN = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#@\s\\]*)/?")
_PLACE = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:/?#@\s\\]+)(?::([0-9]{1,5}))?")


class Origin(NamedTuple):
    """An origin: ``scheme`` and ``host`` in lower case, and the ``port``, None where the scheme has no usual one."""

    scheme: str
    host: str
    port: int | None


def origin_of(text: str) -> Origin:
    """The origin in ``text``, such as ``https://play.example.org``. Raises ValueError."""
    found = _ORIGIN.fullmatch(text)
    if found is None:
        raise ValueError("must be an origin such as https://play.example.org")
    scheme = found[1].lower()
    host, port = _place(found[2])
    return Origin(scheme, host, _DEFAULT_PORTS.get(scheme) if port is None else port)


def public_url(text: str) -> str:
    """``text`` if it is the URL of a server, ``http://`` or ``https://``. Raises ValueError."""
    if origin_of(text).scheme not in ("http", "https"):
        raise ValueError("must be a URL such as https://play.example.org")
    return text


def allowed_origin(text: str) -> str:
    """``text`` if it is an origin, or ``*`` for any. Raises ValueError."""
    if text != ANY:
        origin_of(text)
    return text


class Origins:
    """The origins that may connect.

    ``named`` are allowed wherever the request comes from. ``public`` is the URL at which people find the server, if it
    is not the address that requests have in ``Host``. ``machine`` is the name of this machine.
    """

    def __init__(self, named: Sequence[str], public: str | None, machine: str = "") -> None:
        self._any = ANY in named
        self._named = {origin_of(origin) for origin in named if origin != ANY}
        self._public = None if public is None else origin_of(public)
        self._machine = machine.lower().removesuffix(".")

    def allow(self, origins: Sequence[str], hosts: Sequence[str], *, local: bool) -> bool:
        """True if a request with these ``Origin`` and ``Host`` headers may open a WebSocket.

        One without an origin comes from a program, and may. ``local``: it comes from this machine, and from no proxy.
        Then its host must be a name of this machine: for another name a foreign site may have told the browser this
        machine's address (DNS rebinding), and so its page would be of the same origin as the server.
        """
        if not origins:
            return True
        try:
            (origin,) = map(origin_of, origins)
        except ValueError:  # null among them
            return False
        if self._any or origin in self._named:
            return True
        if origin.scheme not in ("http", "https"):
            return False
        if self._public is not None and _same(origin, self._public.host, self._public.port):
            return True
        try:
            ((host, port),) = map(_place, hosts)
        except ValueError:
            return False
        return _same(origin, host, port) and not (local and self._is_foreign(host))

    def _is_foreign(self, host: str) -> bool:
        """True if ``host`` may be a name that somebody else gives addresses to."""
        if host in ("localhost", self._machine) or host.endswith(".localhost"):
            return False
        try:
            ip_address(host)
        except ValueError:
            return True
        return False


def _same(origin: Origin, host: str, port: int | None) -> bool:
    """True if ``origin`` is at this place, whose port may be that of the other scheme: a proxy adds TLS."""
    usual = origin.port == _DEFAULT_PORTS[origin.scheme] and port in (None, 80, 443)
    return origin.host == host and (origin.port == port or usual)


def _place(text: str) -> tuple[str, int | None]:
    """The host and the port in ``HOST`` or ``HOST:PORT``. Raises ValueError."""
    found = _PLACE.fullmatch(text)
    if found is None or int(found[2] or 0) > 65535:
        raise ValueError("should be HOST or HOST:PORT")
    host = found[1].lower().removesuffix(".")
    if host.startswith("["):
        host = str(ip_address(host[1:-1]))
    return host, None if found[2] is None else int(found[2])
