"""Plain HTTP: health, a greeting for browsers, and the records of finished games."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
from collections.abc import Iterable
from http import HTTPStatus
from typing import TypeVar

from pydantic_core import to_json
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from noughts.config import Settings
from noughts.gateway.limits import TokenBuckets
from noughts.host import Host
from noughts.journal import JournalError
from noughts.protocol import UnknownRecord
from noughts.protocol.gamefile import history, recorded, to_file
from noughts.records.movelist import move_list

log = logging.getLogger(__name__)

T = TypeVar("T")

GAMES_PER_S = 2.0
"""How many games an address may request a second: each is a read of the journal."""

GAMES_AT_ONCE = 20
"""How many it may request at once."""

SLICE_S = 0.0005
"""How long a piece of work for a page may keep the event loop."""

_GAME = re.compile(r"/games/([A-Za-z0-9_-]{1,64})\.(jsonl|txt)")

_WELCOME = """This is a Noughts server.

Play on it from a terminal:   noughts play --url ws://{host}/ws
Write a bot:                  connect to ws://{host}/ws and send
                              {{"type":"hello","protocol":1,"name":"my-bot","bot":true}}
"""


class Site:
    """Answers requests that are not for a WebSocket."""

    def __init__(self, settings: Settings, host: Host) -> None:
        self._settings = settings
        self._host = host
        self._readers = TokenBuckets(GAMES_PER_S, GAMES_AT_ONCE)

    async def respond(self, request: Request, address: str, *, draining: bool) -> Response:
        """The answer to ``request``, a GET or HEAD from ``address``. ``draining``: no new clients are accepted."""
        path = request.path.partition("?")[0]
        match path:
            case "/healthz":
                return text(HTTPStatus.OK, "ok\n")
            case "/readyz":
                return self._readiness(draining)
            case "/":
                host, *others = request.headers.get_all("Host") or ["HOST:PORT"]
                if others:
                    return text(HTTPStatus.BAD_REQUEST, "A request has one Host header.\n")
                return text(HTTPStatus.OK, _WELCOME.format(host=host))
            case "/ws":
                answer = text(HTTPStatus.UPGRADE_REQUIRED, "Connect to this address with a WebSocket.\n")
                answer.headers["Upgrade"] = "websocket"
                return answer
        if game := _GAME.fullmatch(path):
            return await self._game(game[1], game[2], address)
        return text(HTTPStatus.NOT_FOUND, "There is nothing here.\n")

    def _readiness(self, draining: bool) -> Response:
        """Whether this node should get clients. Without the bus games go on, at the pace of the journal's polls."""
        host = self._host
        bus = "none" if self._settings.bus is None else "ok" if host.bus.connected else "away"
        ready = host.answering and not draining
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        parts = {"ready": ready, "node": host.bus.node, "journal": "ok" if host.answering else "away", "bus": bus}
        return response(status, "application/json", to_json(parts) + b"\n")

    async def _game(self, room: str, kind: str, address: str) -> Response:
        """The record of a game, as JSON lines or as a list of its moves."""
        wait = self._readers.of(address).take(asyncio.get_running_loop().time())
        if wait:
            answer = text(HTTPStatus.TOO_MANY_REQUESTS, "Too many games requested.\n")
            answer.headers["Retry-After"] = str(math.ceil(wait))
            return answer
        try:
            records = await self._host.journal.read(room)
            updates = await _in_slices(history(records))
        except JournalError:
            answer = text(HTTPStatus.SERVICE_UNAVAILABLE, "The journal is not responding.\n")
            answer.headers["Retry-After"] = "2"
            return answer
        except UnknownRecord as error:
            log.warning("room %s: %s", room, error)
            return text(HTTPStatus.NOT_IMPLEMENTED, "A newer server wrote that game.\n")
        if not updates or updates[-1][1].status != "over":
            return text(HTTPStatus.NOT_FOUND, "There is no game of that id, or it is not over.\n")
        game = recorded(records, updates)
        if kind == "txt":
            return text(HTTPStatus.OK, "".join(f"{line}\n" for line in await _in_slices(move_list(game))))
        answer = response(HTTPStatus.OK, "application/jsonl", to_file(game))
        answer.headers["Content-Disposition"] = f'attachment; filename="noughts-{room}.jsonl"'
        return answer


async def _in_slices(items: Iterable[T]) -> list[T]:
    """All of ``items``, made in short pieces between which other tasks get a turn."""
    made: list[T] = []
    until = time.perf_counter() + SLICE_S
    for item in items:
        made.append(item)
        if time.perf_counter() > until:
            await asyncio.sleep(0)
            until = time.perf_counter() + SLICE_S
    return made


def text(status: HTTPStatus, body: str) -> Response:
    """An answer in plain text."""
    return response(status, "text/plain; charset=utf-8", body.encode())


def response(status: HTTPStatus, kind: str, body: bytes) -> Response:
    """An answer of the content type ``kind``."""
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
