"""A league's standings as CSV. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.league.records import LeagueRecord, Record
from noughts.league.standings import TIE_BREAKS, rounded, standings
from noughts.spreadsheet import Cell, as_csv

HEADER = ("place", "player", "games", "won", "drawn", "lost", "points", *TIE_BREAKS, "elo", "error")
TIMES = ("seconds", "moves", "longest_s")


def render(league: LeagueRecord, records: Sequence[Record]) -> str:
    """A row for each player, the best first; then a column for each reason of a loss, ``lost_time`` and so on.

    ``elo`` is above the mean of all players, and ``error`` half the width of its 95 % interval; both are empty for
    somebody without a game. ``seconds`` were used for ``moves`` moves, ``longest_s`` for one of them. Players who are
    disqualified come last, without figures.
    """
    rows = [rounded(row) for row in standings(league, records)]
    reasons = sorted({reason for row in rows for reason in row.lost_by})
    lines: list[list[Cell]] = [
        [
            row.place,
            row.player,
            *(row.score.games, row.score.won, row.score.drawn, row.score.lost, row.points),
            *(row.tie_breaks.get(name) for name in TIE_BREAKS),
            *(row.elo, row.error, row.seconds, row.moves, row.longest_s),
            *(row.lost_by.get(reason, 0) for reason in reasons),
        ]
        for row in rows
    ]
    ranked = {row.player for row in rows}
    out = [player["name"] for player in league["players"] if player["name"] not in ranked]
    lines += [[None, player, *[None] * (len(HEADER) - 2 + len(TIMES) + len(reasons))] for player in out]
    return as_csv((*HEADER, *TIMES, *(f"lost_{reason}" for reason in reasons)), lines)
