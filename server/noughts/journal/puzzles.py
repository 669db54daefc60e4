"""Puzzles in a journal: what players have tried, their ratings by that, and sets of puzzles for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.journal.database import Database
from noughts.journal.people import COLUMNS, player_of
from noughts.journal.values import PuzzleSet, PuzzleTry, StoredPlayer

DAY_MS = 86_400_000

DAYS = 1000
"""The number of days that :meth:`Puzzles.days` goes back."""

_HINT = """
INSERT INTO puzzle_tries (player, game, puzzle, hinted, tried_at) VALUES ($1, $2, $3, TRUE, $4)
ON CONFLICT (player, game, puzzle) DO UPDATE SET hinted = TRUE WHERE puzzle_tries.score IS NULL
"""
_SCORE = """
INSERT INTO puzzle_tries (player, game, puzzle, hinted, score, rating, deviation, volatility, tried_at)
VALUES ($1, $2, $3, FALSE, $4, $5, $6, $7, $8)
ON CONFLICT (player, game, puzzle) DO UPDATE
SET score = excluded.score, rating = excluded.rating, deviation = excluded.deviation, volatility = excluded.volatility,
    tried_at = excluded.tried_at
WHERE puzzle_tries.score IS NULL
RETURNING player
"""
_KEEP = "UPDATE players SET seated = TRUE WHERE id = $1 AND NOT seated"
_TRY = "player, game, puzzle, hinted, score, rating, deviation, volatility, tried_at"
_OF = f"SELECT {_TRY} FROM puzzle_tries WHERE player = $1 ORDER BY game, tried_at, puzzle"  # noqa: S608
_ONE = f"SELECT {_TRY} FROM puzzle_tries WHERE player = $1 AND game = $2 AND puzzle = $3"  # noqa: S608
_LAST = f"""
SELECT {_TRY} FROM puzzle_tries WHERE player = $1 AND game = $2 AND score IS NOT NULL
ORDER BY tried_at DESC, puzzle DESC LIMIT 1
"""  # noqa: S608
_AMONG = f"SELECT {_TRY} FROM puzzle_tries WHERE player = ANY($1) AND puzzle = ANY($2)"  # noqa: S608
_SOLVED = """
SELECT player, count(*) FROM puzzle_tries WHERE player = ANY($1) AND score > 0 AND ($2 OR puzzle = ANY($3))
GROUP BY player
"""
_DAYS = f"""
SELECT DISTINCT tried_at / {DAY_MS} AS day FROM puzzle_tries WHERE player = $1 AND score > 0
ORDER BY day DESC LIMIT {DAYS}
"""  # noqa: S608
_PUT_SET = """
INSERT INTO puzzle_sets (puzzle_set, player, title, puzzles, made_at) SELECT $1, $2, $3, $4, $5
WHERE (SELECT count(*) FROM puzzle_sets WHERE player = $2) < $6
RETURNING puzzle_set
"""
_SET = "puzzle_set, player, title, puzzles, made_at"
_FIND_SET = f"SELECT {_SET} FROM puzzle_sets WHERE puzzle_set = $1"  # noqa: S608
_SETS_OF = f"SELECT {_SET} FROM puzzle_sets WHERE player = $1 ORDER BY made_at DESC, puzzle_set"  # noqa: S608
_DROP_SET = "DELETE FROM puzzle_sets WHERE puzzle_set = $1 AND player = $2 RETURNING puzzle_set"
_DROP_SOLVERS = """
DELETE FROM puzzle_solvers WHERE puzzle_set = $1 AND NOT EXISTS (SELECT 1 FROM puzzle_sets WHERE puzzle_set = $1)
"""
_JOIN = """
INSERT INTO puzzle_solvers (puzzle_set, player) SELECT puzzle_set, $2 FROM puzzle_sets WHERE puzzle_set = $1
ON CONFLICT DO NOTHING
"""
_SOLVERS = f"""
SELECT {COLUMNS} FROM players WHERE id IN (SELECT player FROM puzzle_solvers WHERE puzzle_set = $1) AND NOT deleted
ORDER BY name_key, id LIMIT $2
"""  # noqa: S608


class Puzzles:
    """The puzzles. Every method may wait, none blocks the event loop; all raise :class:`JournalError`."""

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    async def hint(self, player: str, game: str, puzzle: str) -> None:
        """Note that ``player`` has seen a hint; once there is a score that changes nothing."""
        await self._database.execute(_HINT, player, game, puzzle, self._now())

    async def score(
        self, player: str, game: str, puzzle: str, score: float, rating: tuple[float, float, float]
    ) -> bool:
        """Store the score of the first try, and the player's ``rating``, deviation and volatility after it.

        Returns False and stores nothing if there is a score. A guest who has one is not forgotten.
        """
        values = (player, game, puzzle, score, *rating, self._now())
        stored, _ = await self._database.transact((_SCORE, values), (_KEEP, (player,)))
        return bool(stored)

    async def of(self, player: str) -> list[PuzzleTry]:
        """All that ``player`` has tried: by game, and then in order."""
        return [_try(row) for row in await self._database.fetch(_OF, player)]

    async def one(self, player: str, game: str, puzzle: str) -> PuzzleTry | None:
        """The try of a puzzle, or None."""
        rows = await self._database.fetch(_ONE, player, game, puzzle)
        return _try(rows[0]) if rows else None

    async def last(self, player: str, game: str) -> PuzzleTry | None:
        """The last try in a game that has a score, which tells the rating now; or None."""
        rows = await self._database.fetch(_LAST, player, game)
        return _try(rows[0]) if rows else None

    async def days(self, player: str) -> list[int]:
        """The last days on which ``player`` has solved one, the latest first, in days since the epoch, UTC."""
        return [day for (day,) in await self._database.fetch(_DAYS, player)]

    async def among(self, players: Sequence[str], puzzles: Sequence[str]) -> list[PuzzleTry]:
        """The tries by ``players`` of ``puzzles``, keys that may be of any game."""
        return [_try(row) for row in await self._database.fetch(_AMONG, list(players), list(puzzles))]

    async def solved(self, players: Sequence[str], puzzles: Sequence[str] | None) -> dict[str, int]:
        """The number that each of ``players`` has solved, if any, of these ``puzzles``, or of all.

        ``puzzles`` are keys that may be of any game.
        """
        rows = await self._database.fetch(_SOLVED, list(players), puzzles is None, list(puzzles or ()))
        return {player: int(count) for player, count in rows}

    async def put_set(self, puzzle_set: str, player: str, title: str, puzzles: Sequence[str], most: int) -> bool:
        """Store a set of the puzzles with these ids. False, and nothing, if ``player`` has ``most`` sets already."""
        values = (puzzle_set, player, title, " ".join(puzzles), self._now(), most)
        return bool(await self._database.execute(_PUT_SET, *values))

    async def find_set(self, puzzle_set: str) -> PuzzleSet | None:
        """The set with this id, or None."""
        rows = await self._database.fetch(_FIND_SET, puzzle_set)
        return _set(rows[0]) if rows else None

    async def sets_of(self, player: str) -> list[PuzzleSet]:
        """The sets of ``player``, the newest first."""
        return [_set(row) for row in await self._database.fetch(_SETS_OF, player)]

    async def drop_set(self, puzzle_set: str, player: str) -> bool:
        """Delete a set of ``player``. Returns whether there was one."""
        dropped, _ = await self._database.transact((_DROP_SET, (puzzle_set, player)), (_DROP_SOLVERS, (puzzle_set,)))
        return bool(dropped)

    async def join(self, puzzle_set: str, player: str) -> None:
        """Have the maker of the set see what ``player`` has solved of it."""
        await self._database.execute(_JOIN, puzzle_set, player)

    async def solvers(self, puzzle_set: str, limit: int) -> list[StoredPlayer]:
        """At most ``limit`` of those who have joined, by name."""
        return [player_of(row) for row in await self._database.fetch(_SOLVERS, puzzle_set, limit)]


def _try(row: Sequence[object]) -> PuzzleTry:
    player, game, puzzle, hinted, *rest = row
    return PuzzleTry(player, game, puzzle, bool(hinted), *rest)  # type: ignore[arg-type]


def _set(row: Sequence[object]) -> PuzzleSet:
    puzzle_set, player, title, puzzles, made_at = row
    return PuzzleSet(puzzle_set, player, title, tuple(str(puzzles).split()), made_at)  # type: ignore[arg-type]
