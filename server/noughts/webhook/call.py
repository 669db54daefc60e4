"""One POST to an address that a player chose: to a public address only, with limits of time and size.

The standard library's streams are enough: no redirects, no cookies, no proxies, one request for each connection. The
name is resolved once, all its addresses are checked, and the connection is made to one that was checked, so a name that
means something else a moment later changes nothing.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from noughts.webhook.destination import Destination, is_callable

TIMEOUT_S = 8.0
"""The time a call may take in all: name, connection, encryption, and the answer's head."""

HEAD_BYTES = 8192
"""The longest head of an answer that is read. Its body is not."""

INTERIM = 3
"""The number of answers with 1xx may come before the real one."""

RESOLVERS = 4
"""The number of names resolved at once, in threads of their own: a slow name server holds up no other work."""

_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)[ \r]")

Resolve = Callable[[str, int], Awaitable[list[str]]]


class CallFailed(Exception):
    """The call was not answered with success; the text says how it went, for whoever chose the address.

    ``gone``: the receiver wants no further calls (410).
    """

    def __init__(self, why: str, *, gone: bool = False) -> None:
        super().__init__(why)
        self.gone = gone


@cache
def _resolvers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(RESOLVERS, thread_name_prefix="webhook-names")


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()


async def addresses_of(host: str, port: int) -> list[str]:
    """The addresses that ``host`` stands for now. Raises OSError and UnicodeError."""
    found = await asyncio.get_running_loop().run_in_executor(
        _resolvers(), lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    )
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


async def post(
    to: Destination,
    body: bytes,
    headers: dict[str, str],
    *,
    resolve: Resolve = addresses_of,
    allowed: Callable[[str], bool] = is_callable,
    trust: ssl.SSLContext | None = None,
    timeout_s: float = TIMEOUT_S,
) -> None:
    """Send ``body`` to ``to``. Raises :class:`CallFailed` unless it is answered with success (2xx).

    All addresses of the host must be ``allowed``. ``trust`` are the authorities that may vouch for it, by default the
    system's.
    """
    try:
        async with asyncio.timeout(timeout_s):
            status = await _exchange(to, _request(to, body, headers), resolve, allowed, trust)
    except TimeoutError:
        raise CallFailed(f"there was no answer within {timeout_s:g} s") from None
    except ssl.SSLCertVerificationError as error:
        raise CallFailed(f"its certificate is not valid: {error.verify_message}") from None
    except (OSError, UnicodeError, EOFError, ssl.SSLError):
        raise CallFailed("the connection failed") from None
    except asyncio.LimitOverrunError:
        raise CallFailed("its answer is too long") from None
    if not 200 <= status < 300:
        why = "it was redirected, which is not followed" if 300 <= status < 400 else "it was refused"
        raise CallFailed(f"{why} ({status})", gone=status == 410)


def _request(to: Destination, body: bytes, headers: dict[str, str]) -> bytes:
    fields = {
        "Host": to.netloc,
        "User-Agent": "noughts-webhook",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    lines = "".join(f"{name}: {text}\r\n" for name, text in fields.items())
    return f"POST {to.path} HTTP/1.1\r\n{lines}\r\n".encode("ascii") + body


async def _exchange(
    to: Destination, request: bytes, resolve: Resolve, allowed: Callable[[str], bool], trust: ssl.SSLContext | None
) -> int:
    """The status of the answer to ``request``."""
    addresses = await resolve(to.host, to.port)
    if not addresses or not all(map(allowed, addresses)):
        raise CallFailed("its address is not a public one")
    context = (trust or _trust()) if to.secure else None
    reader, writer = await asyncio.open_connection(
        addresses[0], to.port, limit=HEAD_BYTES, ssl=context, server_hostname=to.host if to.secure else None
    )
    try:
        writer.write(request)
        for _ in range(1 + INTERIM):
            head = await reader.readuntil(b"\r\n\r\n")
            found = _STATUS.match(head)
            if found is None:
                raise CallFailed("its answer is not HTTP")
            if found[1] >= b"200":
                return int(found[1])
        raise CallFailed("its answer is not HTTP")
    finally:
        writer.transport.abort()  # whatever it sends still, nobody waits for it
