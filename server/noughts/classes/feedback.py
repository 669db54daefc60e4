"""The text for a student about the bot: results, and all that is known of its failures. Pure; does no I/O."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import PurePath

from noughts.classes.gradebook import Results, failures_of, lost_side, status_of
from noughts.classes.roster import Student
from noughts.classes.submissions import Submission, in_own_words, own_file
from noughts.columns import printable
from noughts.explain.drawing import plies
from noughts.games import Side
from noughts.games.catalogue import full_title
from noughts.league.disqualified import TIMES
from noughts.league.plan import game_of
from noughts.league.records import FailureRecord, Record, other
from noughts.league.report_text import name
from noughts.league.standings import Row
from noughts.league.summary import elo_in_words, failure_in_words, points_in_words, reason_in_words, reasons_in_words

LIMITS = ("time", "memory")
"""Kinds of failures that nobody should repeat without the limits of a league."""

FRAME = re.compile(r'File "(.*)", line (\d+)')
"""A frame of a traceback: its file and line."""


def feedback(
    student: Student,
    submission: Submission,
    results: Results,
    *,
    game: str,
    mistakes: Mapping[int, Sequence[str]],
    deadline: datetime | None = None,
) -> str:
    """A text file for one student, about nobody else's program.

    ``mistakes`` has what is known of the games that were reviewed.
    """
    lines = [f"{student.name} ({student.id}): {full_title(game_of(game))}", "", *_submitted(submission, deadline)]
    row = results.rows.get(student.id)
    if submission.main is None or (row is None and student.id not in results.out):
        lines.append(f"Your bot did not play: {status_of(submission, played=False)}.")
        return _text(lines)
    if results.unfinished:
        lines.append(f"Not final: {results.unfinished} of the class have been played.")
    if row is None:
        lines.append(f"Disqualified: your bot failed {TIMES} times running in the same way. Its games do not count.")
    else:
        lines += _results(row, results.places[student.id], len(results.places))
    file = own_file(submission)
    lines += [
        "",
        "To try it at home:",
        f"  noughts check --bot {shlex.quote(file)} --game {shlex.quote(game)}",
    ]
    lines += _lost(student.id, game, results.counted, mistakes)
    failed = failures_of(student.id, results.records)
    if failed:
        lines += ["", f"Your bot failed in {_games(len(failed))}."]
    for group in _alike(failed):
        lines += _failures(group, submission, file)
    return _text(lines)


def _submitted(submission: Submission, deadline: datetime | None) -> list[str]:
    """Lines on what counted and what did not."""
    lines = [] if deadline is None else [f"Deadline: {deadline.isoformat(sep=' ', timespec='minutes')}"]
    if submission.source:
        when = submission.at.isoformat(sep=" ", timespec="minutes") if submission.at else ""
        late = f", {round(submission.late_s / 60, 1):g} min late" if submission.late_s else ""
        title = "What counted" if submission.main else "Handed in, and not counted"
        lines.append(f"{title}: {submission.source}, {when}{late}")
        if submission.sha256:
            lines.append(f"SHA-256 of its files: {submission.sha256}")
    if submission.others:
        lines.append(f"What did not count: {', '.join(submission.others)}")
    return lines


def _results(row: Row, place: int, among: int) -> list[str]:
    score = row.score
    lines = [
        f"Place {place} of {among} students, "
        f"{points_in_words(row.points)} point{'s' * (row.points != 1)} in {_games(score.games)}: "
        f"{score.won} won, {score.drawn} drawn, {score.lost} lost",
    ]
    if row.elo is not None:
        lines.append(f"Elo above the mean: {elo_in_words(row)} (a 95 % interval)")
    if row.lost_by:
        lines.append(f"Losses: {reasons_in_words(row.lost_by)}")
    if row.moves:
        lines.append(f"Time: {row.seconds / row.moves:.3f} s a move, the longest {row.longest_s:.3f} s")
    return lines


def _lost(player: str, game: str, records: Sequence[Record], mistakes: Mapping[int, Sequence[str]]) -> list[str]:
    """The games that were lost, and where if that is known."""
    lost = [(record, side) for record in records if (side := lost_side(record)) and record[side] == player]
    if not lost:
        return []
    lines = ["", "Lost games. In your teacher's report, #game-1 is game 1, to step through with the arrow keys."]
    if opening := max(len(record["opening"]) for record, _ in lost):
        lines.append(f"Games begin with an opening of {plies(opening)} that neither bot has chosen.")
    for record, side in sorted(lost, key=lambda each: each[0]["game"]):
        opponent = name(record[other(side)])
        style = game_of(game).style(Side(side)).name
        why = f"{reason_in_words(record['reason'])} after {plies(len(record['moves']))}"
        lines.append(f"  game {record['game']} as {style} against {opponent}: {why}")
        if record["failure"] is None:
            lines += [
                f"    {line}" for line in mistakes.get(record["game"], ["Not reviewed: there was no time for it."])
            ]
    return lines


def _games(count: int) -> str:
    return f"{count} game{'s' * (count != 1)}"


def _text(lines: Sequence[str]) -> str:
    """The file, in which nothing can command the terminal that somebody shows it on."""
    return "".join(f"{printable(line)}\n" for line in lines)


def _of(record: Record) -> FailureRecord:
    failure = record["failure"]
    assert failure is not None
    return failure


def _alike(failed: Sequence[Record]) -> list[list[Record]]:
    """Failures of one kind, exceptions of one type in one place, the most frequent first."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in failed:
        failure = _of(record)
        groups.setdefault((failure["kind"], failure["error"], _place(failure)), []).append(record)
    return sorted(groups.values(), key=len, reverse=True)


def _place(failure: FailureRecord) -> str:
    """The place where the bot raised an exception, such as ``line 4 of bot.py``; empty if that is not known."""
    frames = FRAME.findall(failure["traceback"])
    return f"line {frames[-1][1]} of {PurePath(frames[-1][0]).name}" if frames else ""


def _failures(group: Sequence[Record], submission: Submission, file: str) -> list[str]:
    """All about the first of some failures that are alike, and in which games there are more of them."""
    first, failure = group[0], _of(group[0])

    def own(text: str) -> str:
        return in_own_words(submission, text)

    place = _place(failure)
    what = f"{failure['error']} in {place}" if place else failure_in_words(failure["kind"])
    opponent = first[other(failure["side"])]
    lines = [
        "",
        own(f"{_games(len(group))}: {what}"),
        own(f"Game {first['game']} against {name(opponent)}, after {plies(len(first['moves']))}: {failure['message']}"),
    ]
    for title, text in (
        ("Its answer:", failure["answer"]),
        ("The traceback:", failure["traceback"]),
        ("The end of what it wrote to stderr:", failure["stderr"]),
    ):
        if text.strip():
            lines += [f"  {title}", *(f"    {line}" for line in own(text).rstrip().splitlines())]
    if len(group) > 1:
        lines.append(
            f"Also in {'games' if len(group) > 2 else 'game'} {', '.join(str(each['game']) for each in group[1:])}."
        )
    if failure["kind"] in LIMITS:
        lines.append(
            "To look for it, use noughts check, above: it stops a bot that thinks for more than 10 s about a move."
        )
    elif failure["line"]:
        lines += [
            f"What it was asked in game {first['game']}. Save this line as turn.json, and ask your bot again with",
            f"  python -m noughts_client.bots.child {shlex.quote(file)} < turn.json",
            "",
            failure["line"].rstrip("\n"),
        ]
    return lines
