"""The index of rooms in a journal: rows by which rooms are found without reading records."""

# ruff: noqa: S608  # the statements are put together from constants
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noughts.journal import queries
from noughts.journal.database import Database
from noughts.journal.values import Remains

FEW, MANY = 4, 20
"""Among how many times as many rooms as there are places the lobby's are chosen, the last changed ones. To choose among
many takes some 20 ms, so it is done only when it matters."""

LONGEST, LONGER = 20, 250
"""The same for those in which a computer is to move; after that among all. One address may have opened 200 rooms."""

_CHOSEN = queries.TURNS.format(
    order="changed DESC",
    rooms="(SELECT * FROM rooms WHERE {which} ORDER BY changed DESC LIMIT $2) AS latest",
)
_LISTED = f"""
SELECT listing, address_turn FROM rooms JOIN (SELECT number, address_turn FROM {_CHOSEN}) AS chosen USING (number)
ORDER BY changed DESC
"""
_PUBLIC = _LISTED.format(which="public AND status <> 'over'")
_OF_GAME = _LISTED.format(which="game = $3 AND public AND status <> 'over'")


async def in_turns(
    database: Database, sql: str, limit: int, among: Sequence[int], *parameters: object
) -> list[Sequence[Any]]:
    """The rows of ``sql``, whose last column is their address's turn: ``limit`` chosen ``among`` the fewest that do."""
    rows: list[Sequence[Any]] = []
    for number in among:
        rows = await database.fetch(sql, limit, number, *parameters)
        # With a place for each of many addresses, rooms beyond these cannot have a better claim.
        if len(rows) < limit or all(row[-1] == 1 for row in rows):
            break
    return rows


async def unleased(database: Database, sql: str, limit: int) -> list[Sequence[Any]]:
    """The rows of ``sql``, made of :data:`~noughts.journal.queries.UNLEASED`, for at most ``limit`` rooms."""
    return await in_turns(database, sql, limit, (LONGEST * limit, LONGER * limit, queries.GREATEST_INTEGER))


class Index:
    """The rows of rooms, which are written with their records. Every method may wait, none blocks the event loop; all
    raise :class:`JournalError`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def heads(self, rooms: Sequence[str]) -> dict[str, int]:
        """The last version of each of ``rooms`` that exists."""
        return dict(await self._database.fetch(queries.HEADS, list(rooms)))

    async def due(self, until: int, limit: int) -> list[str]:
        """At most ``limit`` rooms whose ``due_at`` is at or before ``until``, the earliest first."""
        return [room for (room,) in await self._database.fetch(queries.DUE, until, limit)]

    async def postpone(self, room: str, version: int, until: int) -> None:
        """Set ``due_at`` of a room that is not over to ``until``, ms since the epoch, if it is earlier.

        Nothing changes after ``version``, and a room that the operator wants closed stays due.
        """
        await self._database.execute(queries.POSTPONE, room, version, until)

    async def request_close(self, which: str) -> list[bytes]:
        """Ask the servers to close the room with the id ``which``, or all that the player with that id opened.

        A server does so soon, or when one starts. Returns the ``listing`` of those that are not over. A room that
        changes just then may stay.
        """
        rows = await self._database.execute(queries.REQUEST_CLOSE, which)
        return [listing for (listing,) in rows]

    async def request_end(self, room: str, verdict: str) -> bool:
        """As :meth:`request_close`, with a ``verdict`` on the game, which must be under way. Returns whether it is."""
        return bool(await self._database.execute(queries.REQUEST_END, room, verdict))

    async def to_close(self, limit: int) -> dict[str, str | None]:
        """At most ``limit`` of the rooms that servers were asked to close, which are ``due`` before all others.

        With each the verdict, None for a room that is to be closed without a result.
        """
        return dict(await self._database.fetch(queries.TO_CLOSE, limit))

    async def attended(self) -> list[str]:
        """The rooms that are ``attended`` and not over."""
        return [room for (room,) in await self._database.fetch(queries.ATTENDED)]

    async def listings(self, rooms: Sequence[str]) -> dict[str, bytes]:
        """The ``listing`` of each of ``rooms`` that exists."""
        return dict(await self._database.fetch(queries.LISTINGS, list(rooms)))

    async def opener(self, room: str) -> bytes:
        """The keyed hash of the address from which ``room`` was opened; empty if unknown, or if the game is over."""
        rows = await self._database.fetch(queries.OPENER, room)
        return (rows[0][0] if rows else None) or b""

    async def lobby(self, game: str | None, limit: int) -> list[bytes]:
        """The ``listing`` of at most ``limit`` public rooms that are not over, the last changed row first.

        If there are more, the openers share the places: they take turns as in :meth:`Journal.unleased`, each with the
        last changed of its rooms.
        """
        sql, wanted = (_PUBLIC, ()) if game is None else (_OF_GAME, (game,))
        rows = await in_turns(self._database, sql, limit, (FEW * limit, MANY * limit), *wanted)
        return [listing for listing, _ in rows]

    async def unfinished(self, limit: int) -> list[bytes]:
        """The ``listing`` of at most ``limit`` rooms that are not over, private ones too, the last changed first."""
        return [listing for (listing,) in await self._database.fetch(queries.UNFINISHED, limit)]

    async def public(self, limit: int) -> dict[str, int]:
        """The last version of at most ``limit`` public rooms that are not over, the last changed row first."""
        return dict(await self._database.fetch(queries.PUBLIC, limit))

    async def open_rooms(self, by: str) -> int:
        """The number of rooms that ``by`` opened and that are not over."""
        ((count,),) = await self._database.fetch(queries.OPEN_ROOMS, by)
        return int(count)

    async def still_open(self, rooms: Sequence[str]) -> list[str]:
        """Those of ``rooms`` that exist and are not over."""
        return [room for (room,) in await self._database.fetch(queries.STILL_OPEN, list(rooms))]

    async def remains(self, room: str) -> Remains | None:
        """The remains of ``room``, whose records may have been deleted; None for an unknown room."""
        rows = await self._database.fetch(queries.REMAINS, room)
        return Remains(*rows[0]) if rows else None

    async def open_sleepers(self, by: str) -> int:
        """The number of rooms that ``by`` opened, that are not over and that sleep while nobody watches."""
        ((count,),) = await self._database.fetch(queries.OPEN_SLEEPERS, by)
        return int(count)
