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
    disqualified_in_words,
    elo_in_words,
    over_in_words,
    pace_in_words,
    points_in_words,
    reason_in_words,
    sprt_in_words,
    summarize,
)
from noughts_client.failure import Kind
from noughts_client.terminal.text import fit, printable

FAILURES = frozenset(get_args(Kind))
"""The reasons that are a bot's own failures."""

NAME, SHORT_NAME = 32, 12
"""The most columns for a name, and in a table that is too wide for the terminal otherwise."""

FAILING = "lost by failing"
LEFT = ("player", FAILING)
"""The columns that begin at the same place; the others end there."""

OMITTED = ("longest", "s/move", "drawn", "lost", "won", "games", FAILING)
"""Columns of the standings that a narrow terminal does without, the first ones first."""

LEFT_TO_RIGHT = "\u200e"

UNLIMITED = 10_000
"""The width of output that is not a terminal."""


def render(league: LeagueRecord, records: Sequence[Record], width: int = UNLIMITED) -> str:
    """Standings, crosstable, how games ended and, if there is one, the test. Ends with a line feed.

    In ``width`` columns, standings have only the columns that fit, and a crosstable that does not fit is left out: the
    page has both as a whole.
    """
    summary = summarize(league, records)
    lines = [f"{summary.title}: {printable(summary.terms)}."]
    lines += [over_in_words(summary), ""]
    lines += _standings_in(summary, width)
    lines += [printable(disqualified_in_words(*each)) for each in summary.disqualified.items()]
    lines += ["", *_crosstable_in(summary, width)]
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


def _standings_in(summary: Summary, width: int) -> list[str]:
    tables = [(NAME, OMITTED[:count]) for count in range(len(OMITTED) + 1)] + [(SHORT_NAME, OMITTED)]
    for longest, without in tables:
        lines = _columns(_standings(summary, longest, without), LEFT)
        if _fit(lines, width):
            break
    return lines


def _crosstable_in(summary: Summary, width: int) -> list[str]:
    for longest in (NAME, SHORT_NAME):
        lines = _columns(_crosstable(summary, longest), LEFT)
        if _fit(lines, width):
            return ["Points against each other:", *lines]
    return ["The points against each other are too wide for this; the page with all games has them."]


def _fit(lines: list[str], width: int) -> bool:
    return all(get_cwidth(line) <= width for line in lines)


def _standings(summary: Summary, longest: int, without: Sequence[str]) -> list[list[str]]:
    table = [["", "player", "games", "won", "drawn", "lost", "points", "Elo", FAILING, "s/move", "longest"]]
    for row in summary.rows:
        failed = {reason: count for reason, count in row.lost_by.items() if reason in FAILURES}
        table.append(
            [
                str(row.place),
                name(row.player, longest),
                *(str(each) for each in (row.score.games, row.score.won, row.score.drawn, row.score.lost)),
                points_in_words(row.score.points),
                elo_in_words(row),
                ", ".join(f"{reason_in_words(reason)} {count}" for reason, count in failed.items()),
                *pace_in_words(row),
            ]
        )
    if not any(row[8] for row in table[1:]):
        without = [*without, FAILING]
    kept = [index for index, title in enumerate(table[0]) if title not in without]
    return [[cells[index] for index in kept] for cells in table]


def _crosstable(summary: Summary, longest: int) -> list[list[str]]:
    names = [row.player for row in summary.rows]
    table = [["", "player", *(str(number) for number in range(1, len(names) + 1))]]
    for number, player in enumerate(names, 1):
        cells = [_against(summary.table[player].get(opponent)) for opponent in names]
        table.append([str(number), name(player, longest), *cells])
    return table


def _against(score: Score | None) -> str:
    return "" if score is None else f"{points_in_words(score.points)}/{score.games}" if score.games else "."


def _columns(table: list[list[str]], left: Sequence[str]) -> list[str]:
    """The lines of a table; columns with a title in ``left`` begin at the same place, the others end there."""
    widths = [max(map(get_cwidth, column)) for column in zip(*table, strict=True)]
    at = [index for index, title in enumerate(table[0]) if title in left]
    return ["  ".join(_cells(row, widths, at)).rstrip() for row in table]


def _cells(row: list[str], widths: list[int], left: Sequence[int]) -> list[str]:
    padded = [(text, " " * (width - get_cwidth(text))) for text, width in zip(row, widths, strict=True)]
    return [text + blanks if index in left else blanks + text for index, (text, blanks) in enumerate(padded)]
