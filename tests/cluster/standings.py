"""Whether the ratings are those of the games, each counted once, when nothing more goes on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping

from cluster.game import Game
from cluster.timing import SIDES
from noughts.journal import PostgresJournal
from noughts.ratings import recompute
from support.cluster import Cluster

SETTLED_S = 20.0
"""Within which time all that has ended is rated."""


_UNRATED = "SELECT room FROM results WHERE pool IS NOT NULL AND position IS NULL"


async def judge_ratings(target: Cluster, games: Mapping[str, Game], wrong: Callable[[str], None]) -> int:
    """Tell ``wrong`` where the results and ratings are not those of ``games``; how many of these are rated."""
    ended = {room for room, game in games.items() if _has_result(game)}
    stored = [row["room"] for row in await target.query("SELECT room FROM results")]
    if Counter(stored) != Counter(ended):
        wrong(f"of these games there is no result, or one too many: {ended ^ set(stored)}")
    rated = {room for room in ended if _is_rated(games[room])}
    try:
        async with asyncio.timeout(SETTLED_S):
            while unrated := await target.query(_UNRATED):  # noqa: ASYNC110
                await asyncio.sleep(0.2)
    except TimeoutError:
        wrong(f"these games were not rated within {SETTLED_S:.0f} s: {[row['room'] for row in unrated]}")
        return len(rated)
    counted = Counter(games[room].seats[side] for room in rated for side in SIDES)
    before = await _ratings(target)
    if {player: games for (player, _, _), (*_, games) in before.items()} != counted:
        wrong(f"not every rated game counts once: {counted} were played, and the ratings are {before}")
    journal = await PostgresJournal.open(target.database)
    try:
        await recompute(journal)
    finally:
        await journal.close()
    after = await _ratings(target)
    for key in before.keys() | after.keys():
        if before.get(key) != after.get(key):
            wrong(f"the rating of {key} was {before.get(key)}, and made anew from the records it is {after.get(key)}")
    return len(rated)


async def _ratings(target: Cluster) -> dict[tuple[str, str, str], tuple[float, float, float, int]]:
    """By player, game and pool: rating, deviation, volatility, and the number of games."""
    rows = await target.query("SELECT player, game, pool, rating, deviation, volatility, games FROM ratings")
    return {tuple(row)[:3]: tuple(row)[3:] for row in rows}


def _has_result(game: Game) -> bool:
    if game.end is None:
        return False
    outcome = game.end["outcome"]
    return outcome["reason"] != "aborted" and (outcome["winner"] is not None or outcome["reason"] != "abandonment")


def _is_rated(game: Game) -> bool:
    return bool(game.records[0]["options"]["rated"]) and len(game.played) > 1
