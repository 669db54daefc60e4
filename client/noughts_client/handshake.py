"""One attempt to connect to a server and say hello, and the delays between attempts."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import ssl
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException

from noughts.protocol.messages import Error, Welcome
from noughts.protocol.words import ERRORS
from noughts_client.address import LOOPBACK, PORT

NO_WEBSOCKET = (200, 404, 426)
"""The HTTP statuses with which a web server answers where it has no WebSocket."""


class RequestError(Exception):
    """The server refused a request, and nothing has changed. ``code`` is one of the protocol's."""

    def __init__(self, error: Error) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]
        self.message = error["message"]
        self.legal_moves = error.get("legal_moves")
        self.retry_after_s = error.get("retry_after_s")

    @property
    def sentence(self) -> str:
        """The message as a sentence, which some are only the start of, and how long to wait if it is long."""
        end = "" if self.message.endswith((".", "!", "?")) else "."
        wait = "" if (self.retry_after_s or 0) < 1 else f" Try again in {duration(self.retry_after_s or 0)}."
        return f"{self.message[:1].upper()}{self.message[1:]}{end}{wait}"


class ConnectionLost(ConnectionError):
    """There is no connection, or it has ended. It is unknown whether a request that was under way was carried out."""


def duration(seconds: float) -> str:
    """About so many seconds, in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


def backoff(rng: random.Random, first_s: float = 0.5, longest_s: float = 3) -> Iterator[float]:
    """The delays before each attempt to reconnect, in seconds: they double, and each is cut at random by up to a half.

    Without the jitter, all clients of a server that restarts would come back at the same instants. The delays stay
    short: once the server is back, a player's clock stands still for 2 s only.
    """
    for attempt in itertools.count():
        yield min(longest_s, first_s * 2 ** min(attempt, 16)) * rng.uniform(0.5, 1)


async def shake_hands(url: str, hello: dict[str, Any], ping_s: float) -> tuple[ClientConnection, Welcome]:
    """Connect to ``url`` and send ``hello``. Returns the socket and the server's welcome.

    The server is pinged every ``ping_s`` seconds and has as long to answer. Raises ConnectionLost if no server
    answers, and RequestError if it refuses the hello.
    """
    try:
        socket = await connect(
            url,
            compression=None,  # costs more than it saves with messages this small
            proxy=None if urlsplit(url).hostname in LOOPBACK else True,
            ping_interval=ping_s,
            ping_timeout=ping_s,
            close_timeout=1,
        )
    except (OSError, ValueError, WebSocketException) as error:
        raise ConnectionLost(no_connection(url, error)) from error
    try:
        async with asyncio.timeout(ping_s):
            await socket.send(json.dumps(hello))
            answer = json.loads(await socket.recv())
        if answer["type"] == "error":
            raise RequestError(cast(Error, answer))
        if answer["type"] != "welcome":
            raise ValueError(answer["type"])
    except (TimeoutError, ConnectionClosed, ValueError, TypeError, KeyError) as error:
        socket.transport.abort()
        raise ConnectionLost(f"The server at {url} sent no welcome: it is not a Noughts server.") from error
    except BaseException:
        socket.transport.abort()
        raise
    return socket, cast(Welcome, answer)


def worth_retrying(error: RequestError | ConnectionLost) -> bool:
    """True if another attempt may succeed. It cannot with a wrong address, or after a refusal that is final."""
    if isinstance(error, RequestError):
        return error.code in ERRORS and ERRORS[error.code].retry
    cause = error.__cause__
    if isinstance(cause, InvalidStatus):
        status = cause.response.status_code
        return status >= 500 or status in (408, 429)
    return not isinstance(cause, InvalidURI)


def no_connection(url: str, error: Exception) -> str:
    """The reason why there is none, in the same words for every command, and what to do about it where that is
    known."""
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        if status in NO_WEBSOCKET:
            return f"There is a server at {url}, but no WebSocket (HTTP {status}). Does the address end in /ws?"
        return f"The server at {url} refused the connection: HTTP {status}.{_line(error.response.body or b'')}"
    with suppress(ValueError):
        parts = urlsplit(url)
        if parts.hostname in LOOPBACK and isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
            port = "" if parts.port in (None, PORT) else f" --port {parts.port}"
            return f"No server answers at {url}. Start one with: noughts serve{port}"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"No server answers at {url}: {reason}" if reason else f"No server answers at {url}."


def _line(body: bytes | bytearray) -> str:
    """The text of an HTTP answer after a blank, if it is one short line that a terminal may show."""
    text = body.decode(errors="replace").strip()
    return f" {text}" if 0 < len(text) < 200 and text.isprintable() else ""
