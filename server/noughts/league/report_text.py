"""A league's report as text for a terminal. Pure; does no I/O."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import get_args

from prompt_toolkit.utils import get_cwidth

from noughts.league.records import LeagueRecord, Record
from noughts.league.standings import Score
from noughts.league.summary import (
    Summary,
    elo_in_words,
    points_in_words,
    reason_in_words,
    sprt_in_words,
    summarize,
)
from noughts_client.bots.failure import Kind
from noughts_client.terminal.text import fit, printable

FAILURES = frozenset(get_args(Kind))
"""The reasons that are a bot's own failures."""

NAME = 24
"""The most columns for a name."""

LEFT_TO_RIGHT = "\u200e"

WIDEST_TABLE = 20
"""A crosstable of more players would not fit on any terminal; the other reports have it."""


def render(league: LeagueRecord, records: Sequence[Record]) -> str:
    """Standings, crosstable, how games ended and, if there is one, the test. Ends with a line feed."""
    summary = summarize(league, records)
    lines = [f"{summary.title}: {printable(summary.terms)}."]
    lines += [f"{summary.played} of {summary.scheduled} games are over.", ""]
    lines += _columns(_standings(summary), left=(1, 8))
    if len(summary.rows) <= WIDEST_TABLE:
        lines += ["", "Points against each other:", *_columns(_crosstable(summary), left=(1,))]
    if summary.reasons:
        ended = ", ".join(f"{printable(reason_in_words(reason))} {count}" for reason, count in summary.reasons.items())
        lines += ["", f"How the games ended: {ended}."]
    if summary.sprt is not None:
        lines += ["", printable(sprt_in_words(league, summary.sprt))]
    return "\n".join(lines) + "\n"


def name(player: str, width: int = NAME) -> str:
    """A player's name as a terminal can show it, in at most ``width`` columns.

    A name with letters that run from right to left is closed by a mark, so that the columns after it keep their places.
    """
    shown = fit(printable(player), width)
    backwards = any(unicodedata.bidirectional(each) in ("R", "AL") for each in shown)
    return shown + LEFT_TO_RIGHT if backwards else shown


def _standings(summary: Summary) -> list[list[str]]:
    head = ["", "player", "games", "won", "drawn", "lost", "points", "Elo", "lost by failing", "s/move", "longest"]
    table = [head]
    for row in summary.rows:
        failed = {reason: count for reason, count in row.lost_by.items() if reason in FAILURES}
        table.append(
            [
                str(row.place),
                name(row.player),
                *(str(each) for each in (row.score.games, row.score.won, row.score.drawn, row.score.lost)),
                points_in_words(row.score.points),
                elo_in_words(row),
                ", ".join(f"{reason_in_words(reason)} {count}" for reason, count in failed.items()),
                f"{row.seconds / row.moves:.3f}" if row.moves else "",
                f"{row.longest_s:.3f}" if row.moves else "",
            ]
        )
    if not any(row[8] for row in table[1:]):
        for cells in table:
            cells[8] = ""
    return table


def _crosstable(summary: Summary) -> list[list[str]]:
    names = [row.player for row in summary.rows]
    table = [["", "", *(str(number) for number in range(1, len(names) + 1))]]
    for number, player in enumerate(names, 1):
        cells = [_against(summary.table[player].get(opponent)) for opponent in names]
        table.append([str(number), name(player), *cells])
    return table


def _against(score: Score | None) -> str:
    return "" if score is None else f"{points_in_words(score.points)}/{score.games}" if score.games else "."


def _columns(table: list[list[str]], left: tuple[int, ...]) -> list[str]:
    """The lines of a table; columns in ``left`` begin at the same place, the others end there."""
    widths = [max(map(get_cwidth, column)) for column in zip(*table, strict=True)]
    return ["  ".join(_cells(row, widths, left)).rstrip() for row in table]


def _cells(row: list[str], widths: list[int], left: tuple[int, ...]) -> list[str]:
    cells = []
    for index, (text, width) in enumerate(zip(row, widths, strict=True)):
        blanks = " " * (width - get_cwidth(text))
        if width:
            cells.append(text + blanks if index in left else blanks + text)
    return cells
