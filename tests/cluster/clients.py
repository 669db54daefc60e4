"""The clients of a run: the project's own library, with an ear on what comes off the wire."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, Self

from cluster.game import Move, Refusal
from cluster.ledger import Ear, Ledger
from cluster.timing import Json
from noughts.protocol.messages import Ok
from noughts_client import Connection, ConnectionLost, RequestError

LONGEST_S = 1.0
"""The longest wait between two attempts to reconnect."""

PING_S = 5.0


def now_ms() -> float:
    """The time of day, ms since the epoch."""
    return time.time() * 1000


def delays() -> Iterator[float]:
    """The waits between attempts to reconnect, shorter than the library's own: a run has no time to lose."""
    for attempt in itertools.count():
        yield min(LONGEST_S, 0.1 * 2 ** min(attempt, 8)) * random.uniform(0.5, 1)


class Overheard(Connection):
    """A connection that shows each message to ``hear`` before the library sorts out what is of no use to it."""

    hear: Callable[[Json], None]

    async def _handle(self, message: Any) -> None:
        self.hear(message)
        await super()._handle(message)


class Guest:
    """Somebody who looks at rooms; ``states`` holds what was last told of each.

    Enters at the first of ``urls``, and comes back to the second whenever the connection is lost, ``lost`` times so
    far. ``token`` makes it another connection of the same player. ``late`` are the rooms that it saw first when their
    rematch was agreed already: there it was not taken along.
    """

    def __init__(self, ledger: Ledger, name: str, urls: tuple[str, str], token: str | None = None) -> None:
        self.ledger = ledger
        self.name = name
        self.states: dict[str, Json] = {}
        self.late: set[str] = set()
        self.lost = 0
        self.ear = Ear(ledger, name)
        self._looks_since: dict[str, float] = {}
        self._changed = asyncio.Condition()
        entry, self._url = urls
        self._leaving = self._ended = False
        self._connection = Overheard(entry, name=name, bot=True, token=token, delays=delays, ping_s=PING_S)
        self._connection.hear = self.ear.hear
        self._pump: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        """The player's id."""
        return self._connection.welcome["player"]["id"]

    @property
    def token(self) -> str:
        """The player's token."""
        return self._connection.welcome["token"]

    async def __aenter__(self) -> Self:
        await self._connection.__aenter__()
        self._connection.url = self._url
        self._pump = asyncio.create_task(self._read(self.id))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._leaving = True
        self._looked(*self._looks_since)
        await self._connection.close()
        if self._pump is not None:
            await asyncio.wait({self._pump})

    async def ask(self, **request: Any) -> Ok | None:
        """Have a request answered, as often as it has to be asked; None when it was refused, which is noted.

        What the library does not send twice by itself is safe to ask for again here: a rematch that is agreed
        already is ``ok``, and one that was offered already is refused, truly.
        """
        while True:
            asked_at = now_ms()
            try:
                return await self._connection.request(request)
            except RequestError as error:
                if error.code == "overloaded":
                    await asyncio.sleep(0.1)  # unknown; the connection is closed now, and made again
                    continue
                self.ledger.refusals.append(Refusal(self.id, request, error.code, asked_at, now_ms()))
                return None
            except ConnectionLost:
                if self._ended:
                    raise

    async def play(self, room: str, turn: int, move: str) -> bool:
        """Send a move; whether it was taken."""
        answer = await self.ask(type="play", room=room, turn=turn, move=move)
        if answer is not None:
            self.ledger.acknowledge(Move(room, self.id, turn, move), answer["version"])
        return answer is not None

    async def leave(self, room: str) -> None:
        """Look at the room no more."""
        await self.ask(type="leave", room=room)
        self.forget(room)

    def forget(self, room: str) -> None:
        """Nothing more comes of the room."""
        self.states.pop(room, None)
        self.ear.forget(room)
        self._looked(room)

    async def until(self, room: str, what: Callable[[Json], bool]) -> Json:
        """The state of the room as soon as ``what`` is true of it."""
        async with self._changed:
            await self._changed.wait_for(lambda: room in self.states and what(self.states[room]))
            return self.states[room]

    def _looked(self, *rooms: str) -> None:
        """The connection looks at these rooms no more."""
        for room in rooms:
            since = self._looks_since.pop(room, None)
            if since is not None:
                self.ledger.there.setdefault((room, self.id), []).append((since, now_ms()))

    async def newcomer(self, known: Collection[str], within_s: float) -> str | None:
        """A room that is not ``known``, as soon as it is shown; None when none is within that time."""

        def new() -> list[str]:
            return [room for room in self.states if room not in known]

        try:
            async with asyncio.timeout(within_s), self._changed:
                await self._changed.wait_for(new)
        except TimeoutError:
            pass
        return next(iter(new()), None)

    async def _read(self, player: str) -> None:
        try:
            async for message in self._connection:
                match message["type"]:
                    case "room" | "update":
                        if message["type"] == "room" and message["state"]["next"]:
                            self.late.add(message["room"])
                        self._looks_since.setdefault(message["room"], now_ms())
                        async with self._changed:
                            self.states[message["room"]] = dict(message["state"])
                            self._changed.notify_all()
                    case "connection" if message["state"] == "lost":
                        self.lost += 1
                        self._looked(*self._looks_since)
                    case "connection":
                        if self.id != player:
                            self.ledger.wrong(f"{self.name}: came back as somebody else")
                    case "gone":
                        self.ledger.wrong(f"{self.name}: {message['room']} is gone: {message['message']}")
        except Exception as error:
            if not self._leaving:
                self.ledger.wrong(f"{self.name}: needs a human: {error!r}")
        finally:
            self._ended = True


async def come(ledger: Ledger, name: str, url: str, token: str | None) -> Guest:
    """A guest, as soon as one gets in: it is tried again while things are broken."""
    while True:
        guest = Guest(ledger, name, (url, url), token)
        try:
            return await guest.__aenter__()
        except (ConnectionLost, RequestError):
            await asyncio.sleep(0.2)
