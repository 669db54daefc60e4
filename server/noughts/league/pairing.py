"""The games of a league: those to be played, and those that are over as of a tournament. Pure; does no I/O.

The core of tournaments pairs and ranks, as on a server; here two who meet play a pair of games with the seats swapped.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from noughts.league.disqualified import Disqualified, counting
from noughts.league.records import LeagueRecord, Record, Side
from noughts.tournaments.events import DRAWN, FIRST_WINS, NOBODY, SECOND_WINS
from noughts.tournaments.ranking import Field
from noughts.tournaments.rounds import cycle
from noughts.tournaments.swiss import swiss_pairs
from noughts.tournaments.tournament import Game

RESULTS = {"first": FIRST_WINS, "second": SECOND_WINS, "draw": DRAWN, None: None}
"""The results of records as tournaments have them; None for a game that nobody can be held to have lost."""


@dataclass(frozen=True)
class Pairing:
    """A game to be played: who plays whom on which opening. ``game``, ``round`` and ``pair`` count from 1.

    The two games of a pair follow each other, on one opening, with the seats swapped.
    """

    game: int
    round: int
    pair: int
    opening: tuple[str, ...]
    first: str
    second: str


def games_of(league: LeagueRecord, records: Sequence[Record] = ()) -> list[Pairing]:
    """All games of a league, numbered in their order; of a Swiss one those of the rounds that are known after
    ``records``. The same league has the same games, also when it is continued.

    Raises ValueError for fewer than two players, and if opponents of a gauntlet are not among them, or are all of them.
    """
    players = [player["name"] for player in league["players"]]
    if len(players) < 2:
        raise ValueError("a league needs at least two players")
    if league["format"] == "swiss":
        return _swiss(league, records)[0]
    for name in league["opponents"]:
        if name not in players:
            raise ValueError(f"{name} is not one of the players")
    if set(players) == set(league["opponents"]):
        raise ValueError("a gauntlet needs a player who meets the opponents")
    games: list[Pairing] = []
    for number in range(1, league["rounds"] + 1):
        order = _drawn(players, f"{league['seed']} {number}")
        for pairs in cycle(order, league["opponents"]):
            for one, other in pairs:
                games += _pair(league, number, len(games), one, other)
    return games


def games_in_all(league: LeagueRecord) -> int:
    """The number of games of a Swiss league in which nobody is disqualified."""
    return league["rounds"] * 2 * (len(league["players"]) // 2)


def field_of(league: LeagueRecord, records: Sequence[Record]) -> Field:
    """The players who are not disqualified, and the games between them that are over, as standings see them.

    In a Swiss league a pair of games is one game, and whoever met somebody who is disqualified now has the point.
    """
    players, counted = counting(league, records)
    if league["format"] != "swiss":
        return Field(league["format"], players, [as_game(record) for record in counted])
    field = _swiss(league, records)[1]
    games, byes = [], list(field.byes)
    for game in field.games:
        if game.first in players and game.second in players:
            games.append(game)
        else:
            byes += [(game.round, player) for player in (game.first, game.second) if player in players]
    byes = [(number, player) for number, player in byes if player in players]
    return replace(field, players=[player for player in field.players if player in players], games=games, byes=byes)


def as_game(record: Record) -> Game:
    """A game of a league as one of a tournament; without a result it counts for nobody."""
    result = RESULTS[record["result"]]
    return Game(record["room"], record["round"], record["first"], record["second"], result=result)


def points_of(record: Record, side: Side) -> float:
    """The points of the player on ``side`` in a game with a result."""
    result = RESULTS[record["result"]]
    if result is None:
        raise ValueError("a game without a result has no points")
    return (result.first if side == "first" else result.second) / 2


def _drawn(players: Sequence[str], seed: str) -> list[str]:
    order = list(players)
    random.Random(f"pairings {seed}").shuffle(order)
    return order


def _pair(league: LeagueRecord, number: int, before: int, one: str, other: str) -> list[Pairing]:
    """The two games of those who meet in the round ``number``, after ``before`` others."""
    opening, pair = tuple(league["lines"][(number - 1) % len(league["lines"])]), before // 2 + 1
    seats = ((one, other), (other, one))
    return [Pairing(before + game, number, pair, opening, *each) for game, each in enumerate(seats, 1)]


def _swiss(league: LeagueRecord, records: Sequence[Record]) -> tuple[list[Pairing], Field]:
    """The games of the rounds that can be paired, and what is played of them.

    A round depends only on the games of those before it, so it stays the same when the league is continued.
    """
    order = tuple(_drawn([player["name"] for player in league["players"]], str(league["seed"])))
    found: list[Pairing] = []
    met: list[Game] = []
    byes: list[tuple[int, str]] = []
    by_round: defaultdict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_round[record["round"]].append(record)
    out, number = Disqualified(league), 0
    for number in range(1, league["rounds"] + 1):
        if len(order) - len(out.players) < 2:
            break
        games: list[Pairing] = []
        before = Field("swiss", order, tuple(met), number - 1, tuple(byes), withdrawn=frozenset(out.players))
        for one, other in _swiss_pairs(before, league["rounds"]):
            if other is None:
                byes.append((number, one))
            else:
                games += _pair(league, number, len(found) + len(games), one, other)
        found += games
        played = {record["game"]: record for record in by_round[number]}
        for record in by_round[number]:
            out.add(record)
        for one_game, other_game in zip(games[::2], games[1::2], strict=True):
            if {one_game.game, other_game.game} <= played.keys() or out.has(one_game.first, one_game.second):
                met.append(_met(one_game, played))
        if len(met) < len(found) // 2:
            break
    return found, Field("swiss", order, met, number, byes)


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


@lru_cache(maxsize=64)  # every report asks, and the first answer takes a second for 200 players
def _swiss_pairs(before: Field, rounds: int) -> list[tuple[str, str | None]]:
    return list(swiss_pairs(before, rounds))
