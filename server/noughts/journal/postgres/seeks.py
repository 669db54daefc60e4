"""Writes of seeks to PostgreSQL, many at a time."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.journal.postgres.append import put_pairs
from noughts.journal.postgres.batching import Batching
from noughts.journal.postgres.connect import Connection, Pool
from noughts.journal.values import Append, Seek, UnknownPlayer

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
# Every statement that locks several seeks locks them in the order of the players, which prevents deadlocks.
_RENEW = """
WITH renewed AS MATERIALIZED (
    SELECT seeks.player FROM unnest($1::text[], $2::text[]) AS k (player, key) JOIN seeks USING (player, key)
    ORDER BY seeks.player FOR UPDATE OF seeks
)
UPDATE seeks SET until = $3 FROM renewed WHERE seeks.player = renewed.player RETURNING seeks.player, seeks.room
"""
_ATTEMPTS = 3

Put = tuple[Seek, int]
Pairing = tuple[Seek, Seek, Append, int]


class SeekWriter:
    """Stores and pairs seeks; what waits at the same time goes as one statement."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._puts: Batching[Put, str | UnknownPlayer | None] = Batching(pool, _put, lambda put: {put[0].player.id})
        self._pairings = Batching(pool, _pair, _names_of)

    async def put(self, seek: Seek, until: int) -> str | None:
        """As :meth:`Seeks.put`."""
        room = await self._puts.submit((seek, until))
        if isinstance(room, UnknownPlayer):
            raise room
        return room

    async def renew(self, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        """As :meth:`Seeks.renew`."""
        return await self._pool.use(lambda connection: _renew(connection, seeks, until))

    async def pair(self, one: Seek, other: Seek, write: Append, now: int) -> bool:
        """As :meth:`Seeks.pair`."""
        return await self._pairings.submit((one, other, write, now))


def _names_of(pairing: Pairing) -> set[str]:
    one, other, write, _ = pairing
    return {one.player.id, other.player.id, write.room}


async def _pair(connection: Connection, pairings: Sequence[Pairing]) -> list[bool]:
    writes = sorted((write for _, _, write, _ in pairings), key=lambda write: write.room)
    pairs = [(write.room, seek.player.id, seek.key) for one, other, write, _ in pairings for seek in (one, other)]
    refused = await put_pairs(connection, writes, pairs, max(now for *_, now in pairings))
    return [write.room not in refused for _, _, write, _ in pairings]


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
        found.update(await _renew(connection, there, max(until for _, until in puts)) if there else {})
        if len(found) == len(rows):
            break
        # Either there is no such player, or the seek was withdrawn in between.
    return [found.get(seek.player.id, UnknownPlayer(seek.player.id)) for seek, _ in puts]


async def _renew(connection: Connection, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
    players, keys = [player for player, _ in seeks], [key for _, key in seeks]
    return dict(map(tuple, await connection.fetch(_RENEW, players, keys, until)))
