"""The seeks, in PostgreSQL."""

# ruff: noqa: S608  # queries are put together of constants alone
from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.journal.base import Append
from noughts.journal.people import StoredPlayer, UnknownPlayer
from noughts.journal.postgres.append import put_pairs
from noughts.journal.postgres.batching import Batching
from noughts.journal.postgres.connect import Connection, Pool
from noughts.journal.postgres.people import COLUMNS
from noughts.journal.seeks import PAIRED_MS, Seek

_PUT = """
INSERT INTO seeks (player, key, game, terms, rating, deviation, since, until)
SELECT s.* FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[], $7::bigint[], $8::bigint[]
) AS s (player, key, game, terms, rating, deviation, since, until)
JOIN players ON players.id = s.player
ORDER BY s.player
ON CONFLICT (player) DO UPDATE SET key = excluded.key, game = excluded.game, terms = excluded.terms,
    rating = excluded.rating, deviation = excluded.deviation, since = excluded.since, until = excluded.until,
    room = NULL, paired_at = NULL
WHERE seeks.key <> excluded.key
RETURNING player
"""
# All that lock several seeks lock them in the order of the players: nobody waits in a circle.
_KEEP = """
WITH kept AS MATERIALIZED (
    SELECT seeks.player FROM unnest($1::text[], $2::text[]) AS k (player, key) JOIN seeks USING (player, key)
    ORDER BY seeks.player FOR UPDATE OF seeks
)
UPDATE seeks SET until = $3 FROM kept WHERE seeks.player = kept.player RETURNING seeks.player, seeks.room
"""
_WITHDRAW = "DELETE FROM seeks WHERE player = $1 AND room IS NULL RETURNING player"
_WAITING = f"""
SELECT key, game, terms, rating, deviation, since, {COLUMNS}
FROM seeks JOIN players ON players.id = seeks.player
WHERE room IS NULL AND game = $1 AND terms = $2 AND until > $3 AND banned_until <= $3
ORDER BY since, player LIMIT $4
"""
_FORGET_WAITING = "DELETE FROM seeks WHERE room IS NULL AND until < $1"
_FORGET_PAIRED = "DELETE FROM seeks WHERE room IS NOT NULL AND paired_at < $1"

_ATTEMPTS = 3


Put = tuple[Seek, int]
Pairing = tuple[Seek, Seek, Append]


class PostgresSeeks:
    """A :class:`~noughts.journal.seeks.Seeks`; ``now`` gives ms since the epoch."""

    def __init__(self, pool: Pool, now: Callable[[], int]) -> None:
        self._pool = pool
        self._now = now
        self._puts: Batching[Put, str | UnknownPlayer | None] = Batching(pool, _put, lambda put: {put[0].player.id})
        self._pairings = Batching(pool, self._pair, _names_of)

    async def put(self, seek: Seek, until: int) -> str | None:
        room = await self._puts.ask((seek, until))
        if isinstance(room, UnknownPlayer):
            raise room
        return room

    async def withdraw(self, player: str) -> bool:
        return bool(await self._pool.fetch(_WITHDRAW, player))

    async def renew(self, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        return await self._pool.use(lambda connection: _keep(connection, seeks, until))

    async def waiting(self, game: str, terms: str, now: int, limit: int) -> list[Seek]:
        rows = await self._pool.fetch(_WAITING, game, terms, now, limit)
        return [Seek(StoredPlayer(*row[6:]), *row[:6]) for row in map(tuple, rows)]

    async def pair(self, one: Seek, other: Seek, write: Append) -> bool:
        if write.version != 1 or one.player.id == other.player.id:
            return False
        return await self._pairings.ask((one, other, write))

    async def _pair(self, connection: Connection, pairings: Sequence[Pairing]) -> list[bool]:
        writes = sorted((write for _, _, write in pairings), key=lambda write: write.room)
        seeking = [(write.room, seek.player.id, seek.key) for *two, write in pairings for seek in two]
        taken = await put_pairs(connection, writes, seeking, self._now())
        return [write.room in taken for _, _, write in pairings]

    async def forget(self, before: int) -> None:
        await self._pool.fetch(_FORGET_WAITING, before)
        await self._pool.fetch(_FORGET_PAIRED, self._now() - PAIRED_MS)


def _names_of(pairing: Pairing) -> set[str]:
    one, other, write = pairing
    return {one.player.id, other.player.id, write.room}


async def _put(connection: Connection, puts: Sequence[Put]) -> list[str | UnknownPlayer | None]:
    rows = [
        (seek.player.id, seek.key, seek.game, seek.terms, seek.rating, seek.deviation, seek.since, until)
        for seek, until in puts
    ]
    found: dict[str, str | None] = {}
    for _ in range(_ATTEMPTS):
        left = [row for row in rows if row[0] not in found]
        new = await connection.fetch(_PUT, *zip(*left, strict=True))
        found.update((player, None) for (player,) in new)
        there = [(row[0], row[1]) for row in left if row[0] not in found]
        found.update(await _keep(connection, there, max(until for _, until in puts)) if there else {})
        if len(found) == len(rows):
            break
        # Either there is no such player, or the seek was withdrawn in between.
    return [found.get(seek.player.id, UnknownPlayer(seek.player.id)) for seek, _ in puts]


async def _keep(connection: Connection, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
    players, keys = [player for player, _ in seeks], [key for _, key in seeks]
    return dict(map(tuple, await connection.fetch(_KEEP, players, keys, until)))
