"""The clients of a run: the client library, with every message checked before the library filters it."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, Self

from faults.clocks import Json
from faults.game import Move, Refusal
from faults.ledger import Ledger, VersionCheck
from noughts.protocol.messages import Ok
from noughts_client import Connection, ConnectionLost, RequestError

LONGEST_S = 1.0
"""Longest wait between two attempts to reconnect."""

PING_S = 5.0


def now_ms() -> float:
    """The current time in ms since the epoch."""
    return time.time() * 1000


def delays() -> Iterator[float]:
    """Waits between attempts to reconnect; shorter than the library's, to keep runs short."""
    for attempt in itertools.count():
        yield min(LONGEST_S, 0.1 * 2 ** min(attempt, 8)) * random.uniform(0.5, 1)


class TappedConnection(Connection):
    """A connection that passes each message to ``on_message`` before the library drops duplicates."""

    on_message: Callable[[Json], None]

    async def _handle(self, message: Any) -> None:
        self.on_message(message)
        await super()._handle(message)


class Client:
    """A client that watches rooms; ``states`` has the latest state of each.

    It connects to the first of ``urls`` and reconnects to the second; ``lost`` counts the lost connections. ``token``
    makes it another connection of the same player. ``late`` has the rooms that it first saw after a rematch was agreed:
    the server does not carry it over to those rematches.
    """

    def __init__(self, ledger: Ledger, name: str, urls: tuple[str, str], token: str | None = None) -> None:
        self.ledger = ledger
        self.name = name
        self.states: dict[str, Json] = {}
        self.late: set[str] = set()
        self.lost = 0
        self.versions = VersionCheck(ledger, name)
        self._watching_since: dict[str, float] = {}
        self._changed = asyncio.Condition()
        entry, self._url = urls
        self._leaving = self._ended = False
        self._connection = TappedConnection(entry, name=name, bot=True, token=token, delays=delays, ping_s=PING_S)
        self._connection.on_message = self.versions.on_message
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
        self._stopped_watching(*self._watching_since)
        await self._connection.close()
        if self._pump is not None:
            await asyncio.wait({self._pump})

    async def request(self, **request: Any) -> Ok | None:
        """Send a request until it is answered. Returns None, and records the refusal, when it is refused.

        Requests that the library does not repeat on its own are safe to repeat here: accepting an agreed rematch is
        ``ok``, and offering one twice is refused.
        """
        while True:
            asked_at = now_ms()
            try:
                return await self._connection.request(request)
            except RequestError as error:
                if error.code == "overloaded":
                    await asyncio.sleep(
                        0.1
                    )  # outcome unknown; the server closes the connection, and the library reconnects
                    continue
                self.ledger.refusals.append(Refusal(self.id, request, error.code, asked_at, now_ms()))
                return None
            except ConnectionLost:
                if self._ended:
                    raise

    async def play(self, room: str, turn: int, move: str) -> bool:
        """Play a move. Returns whether it was accepted."""
        answer = await self.request(type="play", room=room, turn=turn, move=move)
        if answer is not None:
            self.ledger.acknowledge(Move(room, self.id, turn, move), answer["version"])
        return answer is not None

    async def leave(self, room: str) -> None:
        """Leave the room."""
        await self.request(type="leave", room=room)
        self.forget(room)

    def forget(self, room: str) -> None:
        """Drop the state of a room that sends no more messages."""
        self.states.pop(room, None)
        self.versions.forget(room)
        self._stopped_watching(room)

    async def until(self, room: str, what: Callable[[Json], bool]) -> Json:
        """Wait until ``what`` holds for the state of the room. Returns the state."""
        async with self._changed:
            await self._changed.wait_for(lambda: room in self.states and what(self.states[room]))
            return self.states[room]

    def _stopped_watching(self, *rooms: str) -> None:
        """Record that the connection no longer watches these rooms."""
        for room in rooms:
            since = self._watching_since.pop(room, None)
            if since is not None:
                self.ledger.presence.setdefault((room, self.id), []).append((since, now_ms()))

    async def new_room(self, known: Collection[str], within_s: float) -> str | None:
        """Wait for a room that is not in ``known``. Returns None if none appears in time."""

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
                        self._watching_since.setdefault(message["room"], now_ms())
                        async with self._changed:
                            self.states[message["room"]] = dict(message["state"])
                            self._changed.notify_all()
                    case "connection" if message["state"] == "lost":
                        self.lost += 1
                        self._stopped_watching(*self._watching_since)
                    case "connection":
                        if self.id != player:
                            self.ledger.report(f"{self.name}: reconnected as another player")
                    case "gone":
                        self.ledger.report(f"{self.name}: {message['room']} is gone: {message['message']}")
        except Exception as error:
            if not self._leaving:
                self.ledger.report(f"{self.name}: the library gave up: {error!r}")
        finally:
            self._ended = True


async def connect_client(ledger: Ledger, name: str, url: str, token: str | None) -> Client:
    """Connect a new client, trying again while the cluster refuses connections."""
    while True:
        client = Client(ledger, name, (url, url), token)
        try:
            return await client.__aenter__()
        except (ConnectionLost, RequestError):
            await asyncio.sleep(0.2)
