"""``noughts grade``: what students' searches are worth."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from noughts.cli.grade_files import Ungradable, frozen, grade_files, graded_copy, own, under_way
from noughts.cli.output import INTERRUPTED, say
from noughts.cli.parser import Subparsers
from noughts.cli.programs import REFUSED, add_limits, containment, limits_of
from noughts.engine import Method
from noughts.explain.arguments import BadRequest, game_of, whole
from noughts.explain.drawing import counted
from noughts.grading.cases import Rule
from noughts.grading.report import failed_gradescope, failed_in_words, gradescope, in_words, tests_of
from noughts.grading.result import Assignment
from noughts.grading.student import Student
from noughts.league.words import printable
from noughts_client.bots.copies import Copy
from noughts_client.failure import Failure

PATIENCE_S = 10.0
"""The processor time that a search may take in a position: one without pruning takes seconds from the start."""

START_S = 60.0
"""How long a file may take to load, by the clock of a machine that may be busy."""


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "grade",
        usage="noughts grade FILE.py [--json FILE] [options]\n"
        "       noughts grade FILE.py|FOLDER ... [--csv FILE] [--details FOLDER] [options]",
        description="Compare a student's minimax(position) or alphabeta(position, alpha, beta) with ours: its values, "
        "best moves and visited positions, and whether it ever loses. Several files, or all in a folder, get a line "
        "each. The exit status is 0 if all is right, 1 if not.",
    )
    parser.set_defaults(command=_grade)
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE.py", help="a student's file, or a folder with one for each")
    add("--function", choices=("minimax", "alphabeta"), help="(default: alphabeta, or minimax without one)")
    add(
        "--cut",
        choices=(">=", ">"),
        default=">=",
        help="cut once alpha >= beta, or only once alpha > beta (default: >=)",
    )
    add(
        "--values",
        choices=("result", "depth"),
        default="result",
        help="result: any number above 0 is a win, below 0 a loss; depth: a win in d plies is worth 10 - d (in "
        "tic-tac-toe), as in noughts solve (default: result)",
    )
    add(
        "--view",
        choices=("mover", "first"),
        default="mover",
        help="values are for the side to move, or always for the first side (default: mover)",
    )
    add("--positions", type=whole, default=100, metavar="N", help="in a sample, of a larger game (default: 100)")
    add("--seed", type=int, default=1, metavar="N", help="of the sample (default: 1)")
    add("--json", type=Path, metavar="FILE", help="of one file: also write Gradescope's results.json there")
    add("--csv", type=Path, metavar="FILE", help="also write a table with a row for each student there")
    add("--details", type=Path, metavar="FOLDER", help="also write a text for each student there")
    add_limits(parser, PATIENCE_S)


def _grade(options: dict[str, Any]) -> int:
    files: list[Path] = options["files"]
    one = len(files) == 1 and files[0].suffix.casefold() == ".py" and not files[0].is_dir()
    alone = one and options["csv"] is None and options["details"] is None
    try:
        if options["json"] is not None and not alone:
            raise BadRequest("--json is for one file; write a table with --csv, and a text for each with --details")
        assignment = _assignment(options)
        contained = containment(BadRequest, uncontained=options["uncontained"])

        def student(file: Path) -> Student:
            limits = replace(limits_of(options), start_s=START_S)
            patience_s, seconds = options["patience"], options["seconds"]
            return Student(
                file,
                options["function"] or "alphabeta,minimax",
                contained,
                limits,
                patience_s=patience_s,
                seconds=seconds,
            )

        if not alone:
            return grade_files(files, student, assignment, csv=options["csv"], details=options["details"])
        with frozen(files[0]) as copy:
            return _grade_one(files[0].name, copy, student(copy[0]), assignment, options["json"])
    except Ungradable as error:
        say(f"noughts grade: {files[0]} cannot be {error}", to_stderr=True)
        return REFUSED
    except BadRequest as error:
        say(f"noughts grade: {error}", to_stderr=True)
        return REFUSED


def _grade_one(
    name: str, copy: tuple[Path, Copy], student: Student, assignment: Assignment, target: Path | None
) -> int:
    """Raises :class:`BadRequest` if the results cannot be written."""
    try:
        with under_way(name):
            found = asyncio.run(graded_copy(copy, student, assignment))
    except KeyboardInterrupt:
        answers = (
            f"{counted(student.answered, 'answer', 'answers')} of {counted(student.asked, 'position', 'positions')}"
        )
        say(f"noughts grade: interrupted: {answers} so far, and no grade", to_stderr=True)
        return INTERRUPTED
    if isinstance(found, Failure):
        told = failed_in_words(name, found)
        results, code = failed_gradescope(name, found), 1
    else:
        told = in_words(name, found)
        results, code = gradescope(found), 0 if all(test.passed for test in tests_of(found)) else 1
    say(*map(printable, own(told, copy[0]).split("\n")))  # it may quote the file
    if target is not None:
        try:
            folder = json.dumps(f"{copy[0].absolute().parent}/")[1:-1]  # the teacher's
            target.write_text(json.dumps(results, indent=1).replace(folder, "") + "\n", encoding="utf-8")
        except OSError as error:
            raise BadRequest(f"cannot write {target}: {error.strerror}") from None
    return code


def _assignment(options: dict[str, Any]) -> Assignment:
    """Raises :class:`BadRequest`."""
    game = game_of(options["game"] or "tictactoe")
    if options["values"] == "depth" and game.margin is not None:
        raise BadRequest(f"a win at {game.title} is worth its margin: only --values result can be graded")
    rule = Rule(Method(options["function"] or "alphabeta"), options["cut"], options["values"])
    return Assignment(
        game, rule, options["view"], options["positions"], options["seed"], options["function"] is not None
    )
