"""The standings of a league, and what its games say otherwise. Pure; does no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from noughts.league.disqualified import counting
from noughts.league.pairing import as_game, field_of, points_of
from noughts.league.ratings import Meeting, fit
from noughts.league.records import SIDES, LeagueRecord, Record, other
from noughts.tournaments import ranking
from noughts.tournaments.ranking import Score, scores

TIE_BREAKS = {"buchholz": "BH", "direct_encounter": "DE", "sonneborn_berger": "SB"}
"""The tie-breaks of tournaments that reports show, with FIDE's codes for them."""


@dataclass(frozen=True)
class Row:
    """A player in the standings.

    ``place``, ``points``, ``score`` and ``tie_breaks`` are those of the tournament that the league is: in a Swiss one
    of pairs of games. ``elo`` is above the mean of all players, with ``error`` half the width of its 95 % interval;
    both are None before the player's first game. ``lost_by`` counts the reasons of its losses. ``seconds`` is the time
    that it used for ``moves`` moves, ``longest_s`` for one of them.
    """

    place: int
    player: str
    points: float
    score: Score
    tie_breaks: dict[str, float]
    elo: float | None
    error: float | None
    lost_by: dict[str, int]
    seconds: float
    moves: int
    longest_s: float


def standings(league: LeagueRecord, records: Sequence[Record]) -> list[Row]:
    """The players who are not disqualified, the best first, as in a tournament of the league's format.

    Games without a result count only for the time used.
    """
    players, counted = counting(league, records)
    lost_by: dict[str, Counter[str]] = {player: Counter() for player in players}
    for record in counted:
        if record["result"] in SIDES:
            lost_by[record[other(record["result"])]][record["reason"]] += 1
    ratings = fit(players, meetings(counted)) if len(players) > 1 else {}
    used, have_played = _times(players, counted), totals(players, counted)
    return [
        Row(
            row.place,
            row.player,
            row.points,
            row.score,
            {name: found for name in TIE_BREAKS if (found := getattr(row, name)) is not None},
            ratings[row.player].elo if have_played[row.player].games else None,
            ratings[row.player].error if have_played[row.player].games else None,
            dict(sorted(lost_by[row.player].items())),
            *used[row.player],
        )
        for row in ranking.standings(field_of(league, records))
    ]


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
