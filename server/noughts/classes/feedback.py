"""What a student is told about the bot: results, and all that is known of its failures. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from noughts.classes.gradebook import failures_of, status_of
from noughts.classes.roster import Student
from noughts.classes.submissions import Submission
from noughts.league.progress import printable
from noughts.league.records import FailureRecord, Record
from noughts.league.report_text import name
from noughts.league.standings import Row
from noughts.league.summary import elo_in_words, points_in_words, reason_in_words, title_of

IN_FULL = 3
"""How many failures are told with all that is known; the others have a line each."""


def feedback(
    student: Student,
    submission: Submission,
    *,
    row: Row | None,
    places: Mapping[str, int],
    game: str,
    records: Sequence[Record],
) -> str:
    """A text file for one student, about nobody else's program.

    ``row`` is the student's in the standings, None for somebody who did not play. ``places`` are those of all students
    who played, as the gradebook has them.
    """
    lines = [f"{student.name} ({student.id}): {title_of(game)}", ""]
    if submission.source:
        when = submission.at.isoformat(sep=" ", timespec="minutes") if submission.at else ""
        late = f", {round(submission.late_s / 60, 1):g} min late" if submission.late_s else ""
        lines.append(f"What counted: {submission.source}, {when}{late}")
        if submission.sha256:
            lines.append(f"SHA-256 of its files: {submission.sha256}")
    if submission.others:
        lines.append(f"What did not count: {', '.join(submission.others)}")
    if row is None:
        lines.append(f"Your bot did not play: {status_of(submission, played=False)}.")
        return _text(lines)
    score = row.score
    lines += [
        f"Place {places[student.id]} of {len(places)} students, "
        f"{points_in_words(score.points)} points in {score.games} games: "
        f"{score.won} won, {score.drawn} drawn, {score.lost} lost",
    ]
    if row.elo is not None:
        lines.append(f"Elo above the mean: {elo_in_words(row)} (a 95 % interval)")
    if row.lost_by:
        lines.append(f"Lost by: {', '.join(f'{reason_in_words(each)} {count}' for each, count in row.lost_by.items())}")
    if row.moves:
        lines.append(f"Time: {row.seconds / row.moves:.3f} s a move, the longest {row.longest_s:.3f} s")
    lines += _lost(student.id, records)
    failed = failures_of(student.id, records)
    if failed:
        lines += ["", f"Your bot failed in {len(failed)} game{'s' * (len(failed) != 1)}."]
    for record in failed[:IN_FULL]:
        lines += _failure(record, "" if submission.main is None else f"{submission.main.parent}/")
    if failed[IN_FULL:]:
        lines += ["", "The others, in short:"]
        lines += [f"  game {record['game']}: {_of(record)['message']}" for record in failed[IN_FULL:]]
    return _text(lines)


def _lost(player: str, records: Sequence[Record]) -> list[str]:
    """The games that were lost without a failure, and how to see why."""
    lost = [
        (record, opponent)
        for record in records
        for side, own, opponent in (
            ("first", record["first"], record["second"]),
            ("second", record["second"], record["first"]),
        )
        if own == player and record["result"] not in (side, "draw", None) and record["failure"] is None
    ]
    if not lost:
        return []
    return [
        "",
        "Lost games, to step through in report.html:",
        *(
            f"  game {record['game']} against {name(opponent)}, {len(record['moves'])} plies: "
            f"report.html#game-{record['game']}"
            for record, opponent in lost
        ),
        "Where a game was lost, and what was better, is shown in the class's folder by",
        f"  noughts league review {lost[0][0]['game']} --folder league",
    ]


def _text(lines: Sequence[str]) -> str:
    """The file, in which nothing can command the terminal that somebody shows it on."""
    return "".join(f"{printable(line)}\n" for line in lines)


def _of(record: Record) -> FailureRecord:
    failure = record["failure"]
    assert failure is not None
    return failure


def _failure(record: Record, folder: str) -> list[str]:
    """Everything about a failure. ``folder``, which is the teacher's, is left out of the names of files."""
    failure = _of(record)
    opponent = record["second" if failure["side"] == "first" else "first"]
    moves = len(record["moves"])
    lines = ["", f"Game {record['game']} against {name(opponent)}, after {moves} moves: {failure['message']}"]
    for title, text in (
        ("Its answer:", failure["answer"]),
        ("The traceback:", failure["traceback"]),
        ("The end of what it wrote to stderr:", failure["stderr"]),
    ):
        if text.strip():
            shown = text.replace(folder, "") if folder else text
            lines += [f"  {title}", *(f"    {line}" for line in shown.rstrip().splitlines())]
    if failure["line"]:
        lines += [
            "  What it was asked. Save this line as turn.json, and ask your bot again with",
            "  python -m noughts_client.bots.child bot.py < turn.json",
            "",
            failure["line"].rstrip("\n"),
        ]
    return lines
