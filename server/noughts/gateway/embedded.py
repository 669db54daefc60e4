"""The games that other sites show in frames, as ``/embed/rooms/ID.json``: without a hello, so by whoever asks.

A frame asks again after ``again_s`` seconds. What it gets is kept for a moment, so that many frames cost no more than
one, and is not sent again to a frame that has it.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus

from pydantic_core import to_json
from websockets.http11 import Request, Response

from noughts.gateway.address import site_of
from noughts.gateway.costs import Costs
from noughts.gateway.files import File, answered, file_of, text
from noughts.gateway.limits import TokenBuckets
from noughts.host import Done, Failed, Host
from noughts.protocol.render import game_info, snapshot_json, timestamp
from noughts.protocol.words import ending
from noughts.rooms import Refused, Room

ROOMS_PER_S, ROOMS_AT_ONCE = 1.0, 30
"""The number of rooms an address may have read from the journal a second, on average, and at once."""

STOPS = {
    "boards": f"an address whose frames show too many games that nobody watches: {ROOMS_PER_S:g} a second, "
    f"{ROOMS_AT_ONCE} at once; more get HTTP 429"
}

NOW = "Noughts-Now"
"""The header with the server's time, by which a frame shows the clocks."""

KEPT = 500
"""The number of games whose answers are kept."""

KEPT_S = 5.0
"""The time for which an answer is kept about a room that is not in memory."""

AGAIN_S = {"clock": 2, "playing": 10, "waiting": 20, "over": 0}
"""After so many seconds a frame asks again: sooner with a running clock, and no more once the game is over."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """The message to frames about ``room``, its entity tag, and until when they may be told so."""

    room: Room
    file: File
    tag: str
    until: float


class EmbeddedGames:
    """Answers frames."""

    def __init__(self, host: Host, costs: Costs) -> None:
        self._host = host
        self._costs = costs
        self._readers = TokenBuckets(ROOMS_PER_S, ROOMS_AT_ONCE)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def respond(self, room_id: str, request: Request, address: str) -> Response:
        """The answer to a GET of the game in a room, which may be private: whoever knows its id may watch it."""
        now = asyncio.get_running_loop().time()
        kept, room = self._kept.get(room_id), self._host.room(room_id)
        if kept is not None and (kept.room is room or (room is None and now < kept.until)):
            return self._answer(kept, request, address, 0)
        events = 0
        if room is None:
            wait = self._costs.page_wait(address)
            if not wait and (wait := self._readers.of(address).take(now)):
                self._host.monitor.limit("boards", address, "refused to read a room")
            if wait:
                return _refusal(HTTPStatus.TOO_MANY_REQUESTS, "Too many games requested.", math.ceil(wait))
            try:
                room = await self._read(room_id, address)
            except Failed as failure:
                if failure.code == "unknown_room":
                    return _refusal(HTTPStatus.NOT_FOUND, "There is no game with that id.")
                return _refusal(HTTPStatus.SERVICE_UNAVAILABLE, failure.message, 5)
            events = room.version
        kept = self._keep(room, now)
        return self._answer(kept, request, address, events)

    def _keep(self, room: Room, now: float) -> _Kept:
        told = _told(room)
        tag = hashlib.sha256(told).hexdigest()[:16]
        kept = self._kept[room.id] = _Kept(room, file_of("application/json", told), f'"{tag}"', now + KEPT_S)
        self._kept.move_to_end(room.id)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return kept

    def _answer(self, kept: _Kept, request: Request, address: str, events: int) -> Response:
        answer = answered(kept.file, request, kept.tag, "no-cache")
        answer.headers[NOW] = timestamp(self._host.journal.now())
        # A frame in a sandbox has no origin that could be named. Nothing here depends on who asks.
        answer.headers["Access-Control-Allow-Origin"] = "*"
        answer.headers["Access-Control-Expose-Headers"] = NOW
        answer.headers["Vary"] = "Accept-Encoding"
        self._costs.charge_page(address, len(answer.body), events)
        return answer

    async def _read(self, room_id: str, address: str) -> Room:
        """A room that is not in memory. Raises Failed."""
        read: asyncio.Future[Room] = asyncio.get_running_loop().create_future()

        def reply(result: Done | Refused | Failed) -> None:
            if isinstance(result, Done):
                read.set_result(result.room)
            else:
                read.set_exception(result)

        self._host.submit(room_id, None, reply, asker=site_of(address))
        return await read


def _told(room: Room) -> bytes:
    """The room as a client gets it, its game, and how its end is put, as JSON."""
    outcome = room.outcome
    status = room.status if room.status != "playing" or room.clocks is None else "clock"
    more = {
        "game": game_info(room.game),
        "ending": None if outcome is None else ending(outcome.reason),
        "again_s": AGAIN_S[status],
    }
    shown = snapshot_json(room, room.at, 0, legal_moves=False)
    return b'{"room":%b,%b}\n' % (shown, to_json(more)[1:-1])


def _refusal(status: HTTPStatus, words: str, retry_s: int | None = None) -> Response:
    answer = text(status, f"{words}\n")
    answer.headers["Access-Control-Allow-Origin"] = "*"
    if retry_s is not None:
        answer.headers["Retry-After"] = str(retry_s)
    return answer
