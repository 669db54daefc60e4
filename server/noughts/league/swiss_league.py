"""The pairings of a Swiss league: those of the rounds that can be paired after some games. Pure; does no I/O.

The core of tournaments pairs, as on a server; here two who meet play a pair of games, which counts as one result.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from noughts.league.disqualified import Disqualified
from noughts.league.pairing import Pairing
from noughts.league.records import LeagueRecord, Record
from noughts.league.standings import points_of
from noughts.tournaments.events import DRAWN, FIRST_WINS, NOBODY, SECOND_WINS
from noughts.tournaments.ranking import Field
from noughts.tournaments.rounds import Pairs
from noughts.tournaments.swiss import swiss_pairs
from noughts.tournaments.tournament import Game


def swiss_games(league: LeagueRecord, records: Sequence[Record]) -> list[Pairing]:
    """All games of the rounds that can be paired after the games in ``records``, numbered in their order.

    A round depends only on the games of those before it, so it stays the same when the league is continued.
    """
    order = [player["name"] for player in league["players"]]
    random.Random(f"pairings {league['seed']}").shuffle(order)
    found: list[Pairing] = []
    met: list[Game] = []
    byes: list[tuple[int, str]] = []
    by_round: defaultdict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_round[record["round"]].append(record)
    out = Disqualified(league)
    for number in range(1, league["rounds"] + 1):
        if len(order) - len(out.players) < 2:
            break
        before = _Before(tuple(order), tuple(met), tuple(byes), frozenset(out.players), number - 1)
        pairs = _pairs(before, league["rounds"])
        opening = tuple(league["lines"][(number - 1) % len(league["lines"])])
        games: list[Pairing] = []
        for one, other in pairs:
            if other is None:
                byes.append((number, one))
                continue
            pair = (len(found) + len(games)) // 2 + 1
            for first, second in ((one, other), (other, one)):
                games.append(Pairing(len(found) + len(games) + 1, number, pair, opening, first, second))
        found += games
        played = {record["game"]: record for record in by_round[number]}
        for record in by_round[number]:
            out.add(record)
        if any(game.game not in played and not out.has(game.first, game.second) for game in games):
            break
        met += [_met(game, played) for game in games[::2]]
    return found


def swiss_games_in_all(league: LeagueRecord) -> int:
    """The number of games of a Swiss league in which nobody is disqualified."""
    return league["rounds"] * 2 * (len(league["players"]) // 2)


def _met(first: Pairing, played: Mapping[int, Record]) -> Game:
    """A pair of games as one, by the ``first`` of them and the records of the games by their numbers."""
    points = {first.first: 0.0, first.second: 0.0}
    for number in (first.game, first.game + 1):
        record = played.get(number)
        if record is not None and record["result"] is not None:
            points[record["first"]] += points_of(record, "first")
            points[record["second"]] += points_of(record, "second")
    one, other = points.values()
    result = FIRST_WINS if one > other else SECOND_WINS if other > one else DRAWN if one else NOBODY
    return Game(str(first.pair), first.round, first.first, first.second, result=result)


@dataclass(frozen=True)
class _Before:
    """The rounds that were ``played`` before one that is to be paired."""

    players: tuple[str, ...]
    games: tuple[Game, ...]
    byes: tuple[tuple[int, str], ...]
    withdrawn: frozenset[str]
    played: int


@lru_cache(maxsize=64)  # every report asks, and the first answer takes a second for 200 players
def _pairs(before: _Before, rounds: int) -> Pairs:
    field = Field("swiss", before.players, before.games, before.played, before.byes, withdrawn=before.withdrawn)
    return swiss_pairs(field, rounds)
