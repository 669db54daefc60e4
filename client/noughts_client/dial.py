"""One attempt to reach a server and say hello to it, and the waits between attempts."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException

from noughts.protocol import Welcome
from noughts.protocol.messages import Error

LOOPBACK = ("127.0.0.1", "::1", "localhost")
NO_WEBSOCKET = (200, 404, 426)
"""What a web server answers where it has something else than a WebSocket, or nothing."""

PASSING = frozenset({"overloaded", "internal", "rate_limited"})


class RequestError(Exception):
    """The server refused a request, and nothing has changed. ``code`` is one of the protocol's."""

    def __init__(self, error: Error) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]
        self.message = error["message"]
        self.legal_moves = error.get("legal_moves")
        self.retry_after_s = error.get("retry_after_s")


class ConnectionLost(ConnectionError):
    """There is no connection, or there is none any more. Whether a request was carried out is then unknown."""


def backoff(rng: random.Random, first_s: float = 0.5, longest_s: float = 30) -> Iterator[float]:
    """The waits before each attempt to reconnect, in seconds: they double, each cut at random by up to a half.

    Without the jitter all clients of a server that restarts would come back at the same instants.
    """
    for attempt in itertools.count():
        yield min(longest_s, first_s * 2 ** min(attempt, 16)) * rng.uniform(0.5, 1)


async def dial(url: str, hello: dict[str, Any], ping_s: float) -> tuple[ClientConnection, Welcome]:
    """Connect to ``url`` and say ``hello``; the socket and the welcome.

    ``ping_s`` is how often the server is asked for a sign of life, and how long that may take. Raises
    ConnectionLost when no server answers, and RequestError when it refuses the hello.
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
    except InvalidStatus as error:
        status = error.response.status_code
        if status not in NO_WEBSOCKET:
            raise ConnectionLost(f"The server at {url} refuses the connection: HTTP {status}.") from error
        words = f"There is a server, but no WebSocket at {url} (HTTP {status}); does the address end in /ws?"
        raise ConnectionLost(words) from error
    except (OSError, ValueError, WebSocketException) as error:
        raise ConnectionLost(f"No server answers at {url}: {error}") from error
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
        raise ConnectionLost(f"What answers at {url} does not say welcome: it is no server of Noughts.") from error
    except BaseException:
        socket.transport.abort()
        raise
    return socket, cast(Welcome, answer)


def worth_another_try(error: RequestError | ConnectionLost) -> bool:
    """Whether another attempt may go better: not with a wrong address, nor after a refusal that stays."""
    if isinstance(error, RequestError):
        return error.code in PASSING
    cause = error.__cause__
    if isinstance(cause, InvalidStatus):
        status = cause.response.status_code
        return status >= 500 or status in (408, 429)
    return not isinstance(cause, InvalidURI)
