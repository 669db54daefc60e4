"""The gradebook of a class: a row for everybody on the roster. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from noughts.classes.roster import Student
from noughts.classes.submissions import Submission, in_own_words
from noughts.league.disqualified import TIMES, Disqualified, counting
from noughts.league.plan import count_left
from noughts.league.records import SIDES, LeagueRecord, Record, Side, other
from noughts.league.standings import Row, crosstable, standings
from noughts.league.summary import failure_in_words
from noughts.spreadsheet import Cell, as_csv

HEADER = (
    *("student", "name", "status", "submitted", "late_by_min", "file"),
    *("place", "points", "games", "won", "drawn", "lost", "won_by_failure", "elo", "error"),
    *("failures", "first_failure", "replay"),
)

PLAYED = "played"
NEVER_STARTED = "never started"
DISQUALIFIED = "disqualified"


@dataclass(frozen=True)
class Results:
    """The outcome of the league of a class. ``league`` is None if too few sent anything.

    ``records`` are all its games, ``counted`` those that count. ``rows`` are the standings by player, without those who
    are disqualified: ``out`` has the game of the last failure of each. ``places`` are those of the students when nobody
    else counts. ``unfinished`` says how far a league is that is not over, as in ``4 of 12 games``; empty if it is over.
    """

    league: LeagueRecord | None = None
    records: Sequence[Record] = ()
    counted: Sequence[Record] = ()
    rows: Mapping[str, Row] = field(default_factory=dict)
    out: Mapping[str, Record] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)
    unfinished: str = ""


def results_of(students: Sequence[Student], league: LeagueRecord | None, records: Sequence[Record]) -> Results:
    """The results of ``students`` after the games in ``records``."""
    if league is None:
        return Results()
    _, counted = counting(league, records)
    rows = standings(league, records)
    left = count_left(league, records)
    return Results(
        league,
        records,
        counted,
        {row.player: row for row in rows},
        Disqualified(league, records).players,
        places_of(rows, {student.id for student in students}),
        f"{len(records)} of {len(records) + left} games" if left else "",
    )


def gradebook(
    students: Sequence[Student], submissions: Mapping[str, Submission], results: Results, *, page: str
) -> str:
    """The gradebook as CSV, in the order of the roster, with everybody on it.

    ``status`` is ``played``, or says why not. Somebody who is disqualified has no figures. ``points`` and ``elo`` come
    from all games that count, also those against a level of the computer; what a student got against one has a column
    of its own. ``elo`` is above the mean of all players, ``error`` half the width of its 95 % interval; both are there
    however wide it is. ``replay`` is the address of the student's games in ``page``.
    """
    names = [] if results.league is None else [player["name"] for player in results.league["players"]]
    rows, out = results.rows, results.out
    known = {student.id for student in students}
    yardsticks = [name for name in names if name not in known]
    table_of = crosstable(list(rows), results.records)
    lines: list[list[Cell]] = []
    for student in students:
        submission, row = submissions[student.id], rows.get(student.id)
        failed = failures_of(student.id, results.records)
        figures: list[Cell] = [None] * 9
        links: list[Cell] = [None, None, None]
        against: list[Cell] = [None] * len(yardsticks)
        status = status_of(submission, played=row is not None)
        if student.id in names:
            first = failed[0]["failure"] if failed else None
            message = in_own_words(submission, first["message"]) if first else None
            links = [len(failed), message, f"{page}#player-{names.index(student.id) + 1}"]
        if student.id in out:
            status = f"{DISQUALIFIED}: {failure_in_words(out[student.id]['reason'])}, {TIMES} times running"
        elif row is not None:
            figures = [
                *(results.places[student.id], row.points, row.score.games),
                *(row.score.won, row.score.drawn, row.score.lost),
                won_by_failure(student.id, results.counted),
                *(None if each is None else round(each) for each in (row.elo, row.error)),
            ]
            status = NEVER_STARTED if _never_started(row, failed) else status
            status = f"{status}, not final: {results.unfinished}" if results.unfinished else status
            against = [table_of[student.id][name].points if name in rows else None for name in yardsticks]
        lines.append(
            [
                *(student.id, student.name, status),
                submission.at.isoformat(sep=" ", timespec="minutes") if submission.at else None,
                round(submission.late_s / 60, 1) if submission.late_s else None,
                submission.source or None,
                *figures,
                *links,
                *against,
            ]
        )
    return as_csv((*HEADER, *(f"points_against_{name}" for name in yardsticks)), lines)


def status_of(submission: Submission, *, played: bool) -> str:
    """A student's status, in a few words."""
    return submission.problem or (PLAYED if played else "too few others")


def _never_started(row: Row | None, failed: Sequence[Record]) -> bool:
    """True if a bot failed each time before its first move, as with an error in its first line."""
    kinds = {record["failure"]["kind"] for record in failed if record["failure"]}
    return row is not None and row.moves == 0 and kinds == {"start"}


def places_of(rows: Sequence[Row], among: set[str]) -> dict[str, int]:
    """The places of those who are ``among`` the players in the standings, when nobody else counts."""
    mine = [row for row in rows if row.player in among]
    return {row.player: 1 + sum(other.place < row.place for other in mine) for row in mine}


def won_by_failure(player: str, records: Sequence[Record]) -> int:
    """The number of games a player won because the opponent's bot failed."""
    failed = (record for record in records if record["failure"] and record["result"])
    return sum(record["result"] in SIDES and record[record["result"]] == player for record in failed)


def failures_of(player: str, records: Sequence[Record]) -> list[Record]:
    """The games that a player's bot lost by failing, in the order of the league."""
    found = [each for each in records if each["failure"] and each[each["failure"]["side"]] == player]
    return sorted(found, key=lambda record: record["game"])


def lost_side(record: Record) -> Side | None:
    """The side that lost a game, None if neither did."""
    if record["result"] is None or record["result"] == "draw":
        return None
    return other(record["result"])
