"""Audit of ratings: each rated game counts once, and recomputing gives the same ratings."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping

from faults.clocks import SIDES
from faults.game import Game
from noughts.journal.postgres.journal import PostgresJournal
from noughts.ratings import UnreadableRooms, recompute
from support.cluster import Cluster

SETTLED_S = 20.0
"""Within this time all finished games must be rated."""

_UNRATED = "SELECT room FROM results WHERE pool IS NOT NULL AND position IS NULL"


async def audit_ratings(
    target: Cluster, games: Mapping[str, Game], report: Callable[[str], None], settled_s: float = SETTLED_S
) -> int:
    """Report results and ratings that do not follow from ``games``. Returns the number of rated games."""
    ended = {room for room, game in games.items() if _has_result(game)}
    stored = [row["room"] for row in await target.query("SELECT room FROM results")]
    if Counter(stored) != Counter(ended):
        report(f"results are missing or surplus for these games: {ended ^ set(stored)}")
    rated = {room for room in ended if _is_rated(games[room])}
    time = asyncio.get_running_loop().time
    give_up_at = time() + settled_s
    while unrated := await target.query(_UNRATED):
        if time() > give_up_at:
            report(f"these games were not rated within {settled_s:g} s: {[row['room'] for row in unrated]}")
            return len(rated)
        await asyncio.sleep(0.2)
    counted = Counter(games[room].seats[side] for room in rated for side in SIDES)
    before = await _ratings(target)
    if {player: games for (player, _, _), (*_, games) in before.items()} != counted:
        report(f"not every rated game counts once: {counted} were played, but the ratings are {before}")
    journal = await PostgresJournal.open(target.database)
    try:
        await recompute(journal)
    except UnreadableRooms as error:
        report(f"the ratings cannot be recomputed: {error}")
        return len(rated)
    finally:
        await journal.close()
    after = await _ratings(target)
    for key in before.keys() | after.keys():
        if before.get(key) != after.get(key):
            report(f"the rating of {key} was {before.get(key)}, but recomputed it is {after.get(key)}")
    return len(rated)


async def _ratings(target: Cluster) -> dict[tuple[str, str, str], tuple[float, float, float, int]]:
    """Rating, deviation, volatility and number of games by player, game and pool."""
    rows = await target.query("SELECT player, game, pool, rating, deviation, volatility, games FROM ratings")
    return {tuple(row)[:3]: tuple(row)[3:] for row in rows}


def _has_result(game: Game) -> bool:
    if game.end is None:
        return False
    outcome = game.end["outcome"]
    return outcome["reason"] != "aborted" and (outcome["winner"] is not None or outcome["reason"] != "abandonment")


def _is_rated(game: Game) -> bool:
    judged = any("unrated_because" in record for record in game.records)  # these two play each other too often
    return bool(game.records[0]["options"]["rated"]) and not judged and len(game.played) > 1
