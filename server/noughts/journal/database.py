"""A database as the players, results and seeks need it.

Shared statements are PostgreSQL's; SQLite's side translates ``$1``, ``= ANY($1)`` and ``COLLATE "default"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from noughts.journal.values import Append, GameResult, Seek, StoredPlayer, StoredRating


class Database(Protocol):
    """Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    ``deleted`` are the ids of the players whose names :meth:`fetch` leaves out, as far as they are known.
    """

    deleted: frozenset[str]

    async def fetch(self, sql: str, *parameters: object) -> list[Any]:
        """The rows that a SELECT finds in what is committed."""

    async def execute(self, sql: str, *parameters: object) -> list[Any]:
        """Run one writing statement in a transaction of its own. Returns the rows of its RETURNING clause."""

    async def transact(self, *statements: tuple[str, Sequence[object]]) -> list[list[Any]]:
        """Run statements in one transaction, each with its parameters. Returns the rows of each.

        Each sees what was committed before it began. So once the first has locked a row, the others see what whoever
        had it locked before has done.
        """

    async def add_guest(self, player: StoredPlayer, label: str, now: int) -> bool:
        """As :meth:`People.add_guest`."""

    async def own_name(self, player: str, name: str, now: int, *, anew: bool) -> bool:
        """Register ``name`` for ``player``, as :meth:`People.register`, without renaming anybody else.

        ``anew``: in place of another name that the player may have registered.
        """

    async def rename_guests(self, name: str, limit: int, now: int) -> bool:
        """Rename up to ``limit`` players who use this name or one that looks like it without owning it.

        Returns whether there may be more.
        """

    async def rate(self, rated: Sequence[tuple[GameResult, StoredRating | None, StoredRating | None]]) -> bool:
        """As :meth:`Results.rate`."""

    async def put_results(self, results: Sequence[GameResult]) -> None:
        """Store these results in place of what is stored of their rooms. A game that is rated keeps its position."""

    async def clear_ratings(self) -> None:
        """As :meth:`Results.clear_ratings`."""

    async def put_seek(self, seek: Seek, until: int) -> str | None:
        """As :meth:`Seeks.put`."""

    async def renew_seeks(self, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        """As :meth:`Seeks.renew`."""

    async def pair(self, one: Seek, other: Seek, write: Append, now: int) -> bool:
        """As :meth:`Seeks.pair`."""
