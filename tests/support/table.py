"""A game in progress that other clients must not disturb."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.client import Client, connected
from support.server import ServerProcess, running_server

PLAYED, TO_PLAY = "123546", "879"
"""A game that ends in a draw with its last move."""


@dataclass(frozen=True)
class Served:
    """A server with its journal in a file; ``log`` is that of its process, None for one in this process."""

    url: str
    journal: Path
    log: Path | None


@asynccontextmanager
async def served(loop: str, directory: Path, **settings: Any) -> AsyncIterator[Served]:
    """A server on plain asyncio in this process, or on uvloop in another. It must not log a traceback."""
    journal, log = directory / "journal", directory / "log"
    if loop == "asyncio":
        async with running_server(journal=str(journal), **settings) as url:
            yield Served(url, journal, None)
    else:
        async with ServerProcess(journal, log, **settings) as server:
            yield Served(server.url, journal, log)
            assert "Traceback" not in server.output()


@dataclass
class Table:
    """A room with two players and a spectator. ``turn`` is that of the next move; ``before`` is its journal."""

    served: Served
    room: str
    first: Client
    second: Client
    spectator: Client
    moves: Iterator[str]
    turn: int
    before: list[bytes]

    @property
    def members(self) -> tuple[Client, Client, Client]:
        """All clients in the room."""
        return self.first, self.second, self.spectator

    async def unharmed(self) -> None:
        """Assert that no member received anything, the journal is unchanged, and the game goes on."""
        for member in self.members:
            await member.quiet()
        assert records(self.served.journal, self.room) == self.before
        mover = self.second if self.turn % 2 else self.first
        move = next(self.moves)
        assert (await mover.play(self.room, self.turn, move))["type"] == "ok"
        for member in self.members:
            update = await member.push()
            assert (update["version"], update["event"]["move"]) == (len(self.before) + 1, move)
        self.turn += 1
        self.before = records(self.served.journal, self.room)
        assert len(self.before) == update["version"]


@asynccontextmanager
async def table(server: Served) -> AsyncIterator[Table]:
    """A game in progress."""
    async with AsyncExitStack() as stack:
        first, second, spectator = [
            await stack.enter_async_context(connected(server.url, name)) for name in ("first", "second", "spectator")
        ]
        room = await first.create()
        await second.join(room)
        for turn, move in enumerate(PLAYED):
            await (second if turn % 2 else first).play(room, turn, move)
        await spectator.ok(type="watch", room=room)
        for member in (first, second, spectator):
            await member.request(type="ping")
            member.pushed.clear()
        yield Table(server, room, first, second, spectator, iter(TO_PLAY), len(PLAYED), records(server.journal, room))


def records(journal: Path, room: str) -> list[bytes]:
    """A room's records, read from the journal file while a server has it open."""
    query = (
        "SELECT record FROM records JOIN rooms ON number = records.room WHERE rooms.room = ? ORDER BY records.version"
    )
    with closing(sqlite3.connect(journal)) as database:
        return [bytes(record) for (record,) in database.execute(query, (room,))]
