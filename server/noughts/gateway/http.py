"""Plain HTTP: health, the version, the contract, the games, metrics, a greeting, records of games and tournaments."""

from __future__ import annotations

import asyncio
import hmac
import logging
import math
import platform
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import partial
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, TypeVar

from pydantic_core import from_json, to_json
from websockets.http11 import Request, Response

from noughts.config import Settings
from noughts.gateway.costs import Costs
from noughts.gateway.documents import contract, document
from noughts.gateway.embedded import EmbeddedGames
from noughts.gateway.files import response, text
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.page import Page
from noughts.gateway.replies import with_examples
from noughts.gateway.work import SLICE_S
from noughts.host import Host
from noughts.journal import JournalError
from noughts.protocol.formats import SYNTAX_OF, suffix_of, written
from noughts.protocol.gamefile import history, moves_in, recorded, to_file
from noughts.protocol.movelist import move_list
from noughts.protocol.records import UnknownRecord
from noughts.protocol.tournament_files import FILES, as_json
from noughts.protocol.tournament_records import from_record as of_tournament
from noughts.protocol.words import PROTOCOL
from noughts.tournaments.evolve import evolve
from noughts.tournaments.tournament import Tournament

log = logging.getLogger(__name__)

T = TypeVar("T")

GAMES_PER_S = 2.0
"""The number of games an address may request a second: each is a read of the journal."""

GAMES_AT_ONCE = 20
"""The number that it may request at once."""

GAMES_UNDER_WAY = 4
"""The number of games replayed at once, for all clients: a long one takes megabytes."""

EVENTS = 200_000
"""The most events of games, about, that are read for the file of a tournament: more would take tens of megabytes."""

STOPS = {
    "games": "an address that asks for too many records of games and tournaments: "
    f"{GAMES_PER_S:g} a second, {GAMES_AT_ONCE} at once; more get HTTP 429"
}


_GAME = re.compile(rf"/games/([A-Za-z0-9_-]{{1,64}})\.({'|'.join(('jsonl', 'txt', *SYNTAX_OF))})")

_TOURNAMENT = re.compile(rf"/tournaments/([A-Za-z0-9_-]{{1,64}})\.({'|'.join(map(re.escape, FILES))})")

_EMBEDDED = re.compile(r"/embed/rooms/([A-Za-z0-9_-]{1,64})\.json")

_WELCOME = """This is a Noughts server.

Play on it from a terminal:   noughts play --url {url}
Write a bot:                  connect to {url} and send
                              {{"type":"hello","protocol":1,"name":"my-bot","bot":true}}
"""


def build() -> dict[str, str]:
    """The version that runs here, as ``/version`` and the metrics say it."""
    return {"version": version("noughts"), "protocol": str(PROTOCOL), "python": platform.python_version()}


class Site:
    """Answers requests that are not for a WebSocket.

    ``metrics`` makes the page of metrics, and ``metrics_token`` lets a client have it; None: nobody gets it here.
    ``page`` is the web page; None: there is none. ``catalogue`` is the JSON of ``/games.json``, without examples.
    """

    def __init__(self, settings: Settings, host: Host, costs: Costs, catalogue: bytes) -> None:
        self.metrics: Callable[[], Awaitable[Response]] | None = None
        self.metrics_token: str | None = None
        self.page: Page | None = None
        self._version = build()
        contract()  # read and compressed before the first client asks for it
        self._games = document(with_examples(catalogue, settings), "no-cache")
        self._settings = settings
        self._embedded = EmbeddedGames(host, costs) if settings.embed_sites else None
        self._host = host
        self._costs = costs
        self._readers = TokenBuckets(GAMES_PER_S, GAMES_AT_ONCE)
        self._places = asyncio.Semaphore(GAMES_UNDER_WAY)

    async def respond(self, request: Request, address: str, *, draining: bool, secure: bool) -> Response:
        """The answer to ``request``, a GET or HEAD from ``address``.

        ``draining``: no new clients are accepted. ``secure``: the client came by TLS.
        """
        path = request.path.partition("?")[0]
        if self.page is not None and (answer := self.page.respond(path, request)) is not None:
            return answer
        match path:
            case "/healthz":
                return text(HTTPStatus.OK, "ok\n")
            case "/readyz":
                return self._readiness(draining)
            case "/":
                host, *others = request.headers.get_all("Host") or ["HOST:PORT"]
                if others:
                    return text(HTTPStatus.BAD_REQUEST, "A request has one Host header.\n")
                return text(HTTPStatus.OK, _WELCOME.format(url=f"{'wss' if secure else 'ws'}://{host}/ws"))
            case "/version":
                return response(HTTPStatus.OK, "application/json", to_json(self._version) + b"\n")
            case "/asyncapi.json":
                return contract().answer(request)
            case "/games.json":
                return self._games.answer(request)
            case "/metrics" if self.metrics is not None and self.metrics_token is not None:
                if not _bears(request, self.metrics_token):
                    answer = text(HTTPStatus.UNAUTHORIZED, "The metrics need a token.\n")
                    answer.headers["WWW-Authenticate"] = "Bearer"
                    return answer
                return await self.metrics()
            case "/ws":
                answer = text(HTTPStatus.UPGRADE_REQUIRED, "Connect to this address with a WebSocket.\n")
                answer.headers["Upgrade"] = "websocket"
                return answer
        if self._embedded is not None and (room := _EMBEDDED.fullmatch(path)):
            return await self._embedded.respond(room[1], request, address)
        if game := _GAME.fullmatch(path):
            read = self._host.journal.read(game[1])
            return await self._file(address, read, partial(_page, game[1], game[2]))
        if asked := _TOURNAMENT.fullmatch(path):
            read = self._host.journal.tournaments.read(asked[1])
            return await self._file(address, read, partial(self._tournament, address, asked[1], asked[2]))
        if self.page is not None and (answer := self.page.missing(request)) is not None:
            return answer
        return text(HTTPStatus.NOT_FOUND, "There is nothing here.\n")

    def _readiness(self, draining: bool) -> Response:
        """True if this node should get clients. Without the bus games go on, at the pace of the journal's polls."""
        host = self._host
        bus = "none" if self._settings.bus is None else "ok" if host.bus.connected else "away"
        trouble = host.journal.trouble
        journal = "failed" if trouble is not None else "ok" if host.answering else "away"
        ready = journal == "ok" and not draining
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        parts = {"ready": ready, "node": host.bus.node, "journal": journal, "bus": bus}
        if trouble is not None:
            parts["reason"] = f"journal: {trouble}"
        return response(status, "application/json", to_json(parts) + b"\n")

    async def _file(
        self, address: str, read: Coroutine[Any, Any, list[bytes]], page: Callable[[list[bytes]], Awaitable[Response]]
    ) -> Response:
        """The ``page`` that is made of records of the journal, within the limits of ``address``."""
        wait = self._costs.page_wait(address)
        if not wait and (wait := self._readers.of(address).take(asyncio.get_running_loop().time())):
            self._host.monitor.limit("games", address, "refused a record")
        if wait:
            read.close()
            answer = text(HTTPStatus.TOO_MANY_REQUESTS, "Too many games requested.\n")
            answer.headers["Retry-After"] = str(math.ceil(wait))
            return answer
        try:
            async with self._places:
                records = await read
                answer = await page(records)
        except JournalError:
            answer = text(HTTPStatus.SERVICE_UNAVAILABLE, "The journal is not responding.\n")
            answer.headers["Retry-After"] = "2"
            return answer
        except UnknownRecord as error:
            log.warning("a record cannot be read: %s", error)
            return text(HTTPStatus.NOT_IMPLEMENTED, "A newer server wrote that.\n")
        self._costs.charge_page(address, len(answer.body), len(records))
        return answer

    async def _tournament(self, address: str, tournament: str, kind: str, records: Sequence[bytes]) -> Response:
        """A file of a tournament, for ``address``. Raises JournalError and UnknownRecord."""
        now: Tournament | None = None
        for number, record in enumerate(records, 1):
            now = evolve(now, of_tournament(record))
            if number % 100 == 0:
                await asyncio.sleep(0)
        if now is None:
            return text(HTTPStatus.NOT_FOUND, "There is no tournament with that id.\n")
        media, write = FILES[kind]
        if kind == "json":
            write = partial(as_json, moves=await self._moves(address, now))
        written_so = await asyncio.to_thread(write, now)  # hundreds of players take milliseconds
        if written_so is None:
            return text(HTTPStatus.NOT_FOUND, "Only Swiss tournaments and round robins have such a report.\n")
        answer = response(HTTPStatus.OK, media, written_so.encode())
        answer.headers["Content-Disposition"] = f'attachment; filename="noughts-{tournament}.{kind}"'
        return answer

    async def _moves(self, address: str, now: Tournament) -> dict[str, list[str]]:
        """The moves of the last games of a tournament that are over, by room, for ``address``. Raises JournalError."""
        moves: dict[str, list[str]] = {}
        left = EVENTS
        for game in reversed(now.games.values()):
            if game.result is not None and left > 0:
                records = await self._host.journal.read(game.room)
                self._costs.charge_page(address, sum(map(len, records)), 0)
                left -= len(records)
                if (played := moves_in(await in_slices(map(from_json, records)))) is not None:
                    moves[game.room] = played
        return moves


async def _page(room: str, kind: str, records: Sequence[bytes]) -> Response:
    """The record of the game in ``room``. Raises :class:`~noughts.protocol.records.UnknownRecord`."""
    updates = await in_slices(history(records))
    if not updates or updates[-1][1].status != "over":
        return text(HTTPStatus.NOT_FOUND, "There is no game with that id, or it is not over.\n")
    game = recorded(records, updates)
    if kind == "txt":
        return text(HTTPStatus.OK, "".join(f"{line}\n" for line in await in_slices(move_list(game))))
    if kind == "jsonl":
        answer = response(HTTPStatus.OK, "application/jsonl", to_file(game))
    elif kind == suffix_of(game.room.game):
        answer = text(HTTPStatus.OK, "".join(f"{line}\n" for line in await in_slices(written(game))))
    else:
        return text(HTTPStatus.NOT_FOUND, f"There are no records of {game.room.game.title} with that suffix.\n")
    answer.headers["Content-Disposition"] = f'attachment; filename="noughts-{room}.{kind}"'
    return answer


def _bears(request: Request, token: str) -> bool:
    """True if the request has ``token``."""
    given = request.headers.get_all("Authorization")
    return len(given) == 1 and hmac.compare_digest(given[0].encode(errors="replace"), f"Bearer {token}".encode())


async def in_slices(items: Iterable[T]) -> list[T]:
    """All of ``items``, made in short pieces between which other tasks get a turn."""
    made: list[T] = []
    until = time.perf_counter() + SLICE_S
    for item in items:
        made.append(item)
        if time.perf_counter() > until:
            await asyncio.sleep(0)
            until = time.perf_counter() + SLICE_S
    return made
