"""SQLite as the players, results and seeks use it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from noughts.journal.sqlite import people, results, seeks
from noughts.journal.sqlite.storage import Storage, run
from noughts.journal.sqlite.transactions import PutRooms
from noughts.journal.values import Append, GameResult, Seek, StoredPlayer, StoredRating


class SqliteDatabase:
    """A :class:`~noughts.journal.database.Database`; ``put_rooms`` stores writes of rooms within a transaction."""

    def __init__(self, storage: Storage, put_rooms: PutRooms) -> None:
        self._storage = storage
        self._put_rooms = put_rooms

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        return await self._storage.fetch(sql, *parameters)

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        return await self._storage.execute(sql, *parameters)

    async def transact(self, *statements: tuple[str, Sequence[object]]) -> list[list[Any]]:
        return await self._storage.write(
            lambda connection: [run(connection, sql, parameters) for sql, parameters in statements]
        )

    async def add_guest(self, player: StoredPlayer, label: str, now: int) -> bool:
        return await self._storage.write(lambda connection: people.add_guest(connection, player, label, now))

    async def own_name(self, player: str, name: str, now: int) -> bool:
        return await self._storage.write(lambda connection: people.own_name(connection, player, name, now))

    async def rename_guests(self, name: str, limit: int, now: int) -> bool:
        return await self._storage.write(lambda connection: people.rename_guests(connection, name, limit, now))

    async def rate(self, game: GameResult, ratings: Sequence[StoredRating]) -> bool:
        return await self._storage.write(lambda connection: results.rate(connection, game, ratings))

    async def put_results(self, found: Sequence[GameResult]) -> None:
        await self._storage.write(lambda connection: results.put_results(connection, found))

    async def clear_ratings(self) -> None:
        await self._storage.write(results.clear_ratings)

    async def put_seek(self, seek: Seek, until: int) -> str | None:
        return await self._storage.write(lambda connection: seeks.put(connection, seek, until))

    async def renew_seeks(self, asked: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        return await self._storage.write(lambda connection: seeks.renew(connection, asked, until))

    async def pair(self, one: Seek, other: Seek, write: Append, now: int) -> bool:
        return await self._storage.write(lambda connection: self._pair(connection, (one, other), write, now))

    def _pair(self, connection: sqlite3.Connection, two: Sequence[Seek], write: Append, now: int) -> bool:
        if not seeks.wait(connection, two, now):
            return False
        self._put_rooms(connection, [write])
        seeks.set_room(connection, two, write.room, now)
        return True
