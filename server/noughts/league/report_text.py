"""A league's report as text for a terminal. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Sequence

from wcwidth import width as columns_of

from noughts.columns import isolated, printable, table
from noughts.league.records import LeagueRecord, Record
from noughts.league.summary import (
    COLUMNS,
    Summary,
    cells_of,
    disqualified_in_words,
    over_in_words,
    points_in_words,
    reasons_in_words,
    sprt_in_words,
    summarize,
)
from noughts.tournaments.ranking import Score
from noughts_client.failure import FAILURES
from noughts_client.terminal.text import fit

NAME, SHORT_NAME = 32, 12
"""The most columns for a name, and in a table that is too wide for the terminal otherwise."""

FAILING = "lost by failing"
LEFT = ("player", FAILING)
"""The columns that begin at the same place; the others end there."""

OMITTED = ("tie-breaks", "longest", "s/move", "drawn", "lost", "won", "games", FAILING)
"""Columns of the standings that a narrow terminal does without, the first ones first."""

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
        lines += ["", f"How the games ended: {printable(reasons_in_words(summary.reasons))}."]
    if summary.sprt is not None:
        lines += ["", printable(sprt_in_words(league, summary.sprt))]
    return "\n".join(lines) + "\n"


def name(player: str, width: int = NAME) -> str:
    """A player's name as a terminal can show it within a line, in at most ``width`` columns."""
    return isolated(fit(printable(player), width))


def _standings_in(summary: Summary, width: int) -> list[str]:
    tables = [(NAME, OMITTED[:count]) for count in range(len(OMITTED) + 1)] + [(SHORT_NAME, OMITTED)]
    for longest, without in tables:
        lines = _table(_standings(summary, longest, without))
        if _fit(lines, width):
            break
    return lines


def _crosstable_in(summary: Summary, width: int) -> list[str]:
    for longest in (NAME, SHORT_NAME):
        lines = _table(_crosstable(summary, longest))
        if _fit(lines, width):
            return ["Points against each other:", *lines]
    return ["The points against each other are too wide for this; the page with all games has them."]


def _fit(lines: list[str], width: int) -> bool:
    return all(columns_of(line) <= width for line in lines)


def _standings(summary: Summary, longest: int, without: Sequence[str]) -> list[list[str]]:
    rows = [[FAILING if title == "losses" else title for title in COLUMNS]]
    for row in summary.rows:
        failed = {reason: count for reason, count in row.lost_by.items() if reason in FAILURES}
        place, player, *figures = cells_of(row, failed)
        rows.append([place, fit(printable(player), longest), *figures])
    if not any(row[8] for row in rows[1:]):
        without = [*without, FAILING]
    kept = [index for index, title in enumerate(rows[0]) if title not in without]
    return [[cells[index] for index in kept] for cells in rows]


def _crosstable(summary: Summary, longest: int) -> list[list[str]]:
    names = [row.player for row in summary.rows]
    rows = [["", "player", *(str(number) for number in range(1, len(names) + 1))]]
    for number, player in enumerate(names, 1):
        cells = [_against(summary.table[player].get(opponent)) for opponent in names]
        rows.append([str(number), fit(printable(player), longest), *cells])
    return rows


def _against(score: Score | None) -> str:
    return "" if score is None else f"{points_in_words(score.points)}/{score.games}" if score.games else "."


def _table(rows: list[list[str]]) -> list[str]:
    return table(rows, right=[index for index, title in enumerate(rows[0]) if title not in LEFT])
