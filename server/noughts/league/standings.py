"""The standings of a league, and what its games say otherwise. Pure; does no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from noughts.league.ratings import Meeting, fit
from noughts.league.records import SIDES, Record, Side, other
from noughts.tournaments import ranking
from noughts.tournaments.events import DRAWN, FIRST_WINS, SECOND_WINS
from noughts.tournaments.ranking import Score, scores
from noughts.tournaments.tournament import Game

RESULTS = {"first": FIRST_WINS, "second": SECOND_WINS, "draw": DRAWN, None: None}
"""The results of records as tournaments have them; None for a game that nobody can be held to have lost."""


@dataclass(frozen=True)
class Row:
    """A player in the standings.

    ``place`` counts from 1; players who cannot be told apart share one. ``elo`` is above the mean of all players, with
    ``error`` half the width of its 95 % interval; both are None before the player's first game. ``lost_by`` counts the
    reasons of its losses. ``seconds`` is the time that it used for ``moves`` moves, ``longest_s`` for one of them.
    """

    place: int
    player: str
    score: Score
    elo: float | None
    error: float | None
    lost_by: dict[str, int]
    seconds: float
    moves: int
    longest_s: float


def standings(players: Sequence[str], records: Iterable[Record]) -> list[Row]:
    """The ``players``, the best first: by their share of the points, then by rating.

    ``records`` are games between them: see :func:`~noughts.league.disqualified.counting`. Somebody without a game comes
    last. Games without a result count only for the time used.
    """
    records = list(records)
    scores, used = totals(players, records), _times(players, records)
    lost_by: dict[str, Counter[str]] = {player: Counter() for player in players}
    for record in records:
        if record["result"] in SIDES:
            lost_by[record[other(record["result"])]][record["reason"]] += 1
    ratings = fit(players, meetings(records)) if len(players) > 1 else {}

    def standing(player: str) -> tuple[float, float]:
        score = scores[player]
        return (score.points / score.games, round(ratings[player].elo, 6)) if score.games else (-1, 0)

    rows: list[Row] = []
    ordered = sorted(players, key=standing, reverse=True)
    for number, player in enumerate(ordered, 1):
        shared = number > 1 and standing(player) == standing(ordered[number - 2])
        rating = ratings[player] if scores[player].games else None
        rows.append(
            Row(
                rows[-1].place if shared else number,
                player,
                scores[player],
                rating.elo if rating else None,
                rating.error if rating else None,
                dict(sorted(lost_by[player].items())),
                *used[player],
            )
        )
    return rows


def rounded(row: Row) -> Row:
    """The row for programs: Elo to a tenth and never -0.0, seconds to a thousandth."""
    elo, error = (None if each is None else round(each, 1) + 0.0 for each in (row.elo, row.error))
    return replace(row, elo=elo, error=error, seconds=round(row.seconds, 3), longest_s=round(row.longest_s, 3))


def totals(players: Sequence[str], records: Iterable[Record]) -> dict[str, Score]:
    """The points of each player in all games."""
    return scores(players, map(as_game, records))


def crosstable(players: Sequence[str], records: Iterable[Record]) -> dict[str, dict[str, Score]]:
    """The points of each player against each other one, by player and then by opponent."""
    met = ranking.crosstable(map(as_game, records))
    return {one: {two: met.get((one, two), Score()) for two in players if two != one} for one in players}


def as_game(record: Record) -> Game:
    """A game of a league as one of a tournament; without a result it counts for nobody."""
    result = RESULTS[record["result"]]
    return Game(record["room"], record["round"], record["first"], record["second"], result=result)


def reasons(records: Iterable[Record]) -> dict[str, int]:
    """The number of games that ended for each reason, the most frequent first."""
    counts = Counter(record["reason"] for record in records)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def meetings(records: Iterable[Record]) -> list[Meeting]:
    """The observations for the ratings: the two games of each pair together, or the one of them that has ended."""
    pairs: dict[int, Meeting] = {}
    for record in records:
        if record["result"] is None:
            continue
        before = pairs.get(record["pair"]) or Meeting(record["first"], record["second"], 0, 0)
        points = points_of(record, "first" if record["first"] == before.player else "second")
        pairs[record["pair"]] = before._replace(points=before.points + points, games=before.games + 1)
    return list(pairs.values())


def points_of(record: Record, side: Side) -> float:
    """The points of the player on ``side`` in a game with a result."""
    result = RESULTS[record["result"]]
    if result is None:
        raise ValueError("a game without a result has no points")
    return (result.first if side == "first" else result.second) / 2


def _times(players: Sequence[str], records: Iterable[Record]) -> dict[str, tuple[float, int, float]]:
    """The seconds, the moves and the longest move of each player."""
    used = dict.fromkeys(players, (0.0, 0, 0.0))
    for record in records:
        for side in SIDES:
            seconds, moves, longest = used[record[side]]
            used[record[side]] = (
                seconds + record["seconds"][side],
                moves + record["moves_timed"][side],
                max(longest, record["longest_s"][side]),
            )
    return used
