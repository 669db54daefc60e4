"""``noughts grade``: what students' searches are worth."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from wcwidth import width

from noughts.classes.submissions import Found, freeze
from noughts.cli.arguments import Subparsers, whole
from noughts.cli.output import INTERRUPTED, say, under_way
from noughts.cli.programs import REFUSED, add_farm, add_limits, containment, limits_of
from noughts.columns import printable, table
from noughts.engine import Method
from noughts.explain.drawing import counted
from noughts.explain.position import BadRequest, game_of
from noughts.farm import AHEAD, FarmError, begun, connected
from noughts.farm_bots import cannot_contain
from noughts.grading.cases import Rule
from noughts.grading.job import GradingJob, Task, handed_in, points, reported
from noughts.grading.playouts import SampledAssignment
from noughts.grading.report import Report, points_of
from noughts.grading.result import Assignment
from noughts.spreadsheet import Cell, as_csv
from noughts_client.bots.copies import IGNORED, Copy, way_out
from noughts_client.bots.sandbox import Containment

PATIENCE_S = 10.0
"""The processor time that a search may take in a position: one without pruning takes seconds from the start."""

START_S = 60.0
"""The time a file may take to load, by the clock of a machine that may be busy."""


def add_commands(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "grade",
        usage="noughts grade FILE.py [--json FILE] [options]\n"
        "       noughts grade FILE.py|FOLDER ... [--csv FILE] [--details FOLDER] [options]",
        description="Compare a student's minimax(position) or alphabeta(position, alpha, beta) with ours: its values, "
        "best moves and visited positions, and whether it ever loses; or judge an mcts(position, iterations) by its "
        "choices over seeds. Several files, or all in a folder, get a line "
        "each. The exit status is 0 if all is right, 1 if not.",
    )
    parser.set_defaults(command=_grade)
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE.py", help="a student's file, or a folder with one for each")
    add("--function", choices=("minimax", "alphabeta", "mcts"), help="(default: alphabeta, or minimax without one)")
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
    add("--positions", type=whole(), default=100, metavar="N", help="in a sample, of a larger game (default: 100)")
    add("--seed", type=whole(None), default=1, metavar="N", help="of the sample (default: 1)")
    add("--json", type=Path, metavar="FILE", help="of one file: also write Gradescope's results.json there")
    add("--csv", type=Path, metavar="FILE", help="also write a table with a row for each student there")
    add("--details", type=Path, metavar="FOLDER", help="also write a text for each student there")
    add_farm(parser)
    add_limits(parser, PATIENCE_S)


def _grade(options: dict[str, Any]) -> int:
    files: list[Path] = options["files"]
    one = len(files) == 1 and files[0].suffix.casefold() == ".py" and not files[0].is_dir()
    alone = one and options["csv"] is None and options["details"] is None
    try:
        if options["json"] is not None and not alone:
            raise BadRequest("--json is for one file; write a table with --csv, and a text for each with --details")
        if alone and options["farm"] is not None:
            raise BadRequest("--farm grades several students: name their folder")
        job = GradingJob(
            _assignment(options),
            options["function"] or "alphabeta,minimax",
            not options["uncontained"],
            replace(limits_of(options), start_s=START_S),
            options["patience"],
            options["seconds"],
        )
        contained = None
        if options["farm"] is None:
            contained = containment(BadRequest, uncontained=options["uncontained"])
        if not alone:
            return grade_files(
                files, job, contained, farm=options["farm"], csv=options["csv"], details=options["details"]
            )
        with frozen(files[0]) as copy:
            return _grade_one(files[0].name, copy, job, contained, options["json"])
    except Ungradable as error:
        say(f"noughts grade: {files[0]} cannot be {error}", to_stderr=True)
        return REFUSED
    except (BadRequest, FarmError) as error:
        say(f"noughts grade: {error}", to_stderr=True)
        return REFUSED


def _grade_one(
    name: str, copy: tuple[Path, Copy], job: GradingJob, contained: Containment | None, target: Path | None
) -> int:
    """Raises :class:`BadRequest` if the results cannot be written."""
    student = job.student(copy[0], contained)
    try:
        with under_way(f"{printable(name)} ..."):
            about = asyncio.run(reported(name, copy, student, job.assignment))
    except KeyboardInterrupt:
        answers = (
            f"{counted(student.answered, 'answer', 'answers')} of {counted(student.asked, 'position', 'positions')}"
        )
        say(f"noughts grade: interrupted: {answers} so far, and no grade", to_stderr=True)
        return INTERRUPTED
    say(*map(printable, about.told.split("\n")))  # it may quote the file
    if target is not None:
        try:
            target.write_text(json.dumps(about.results, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise BadRequest(f"cannot write {target}: {error.strerror}") from None
    return 0 if about.tests and all(test.passed for test in about.tests) else 1


def _assignment(options: dict[str, Any]) -> Task:
    """Raises :class:`BadRequest`."""
    game = game_of(options["game"] or "tictactoe")
    if options["values"] == "depth" and game.margin is not None:
        raise BadRequest(f"a win at {game.title} is worth its margin: only --values result can be graded")
    if game.repeats:
        raise BadRequest(f"earlier positions can decide {game.title}, so a search of one position cannot be graded")
    if options["function"] == "mcts":
        return SampledAssignment(game, options["seed"], options["positions"])
    rule = Rule(Method(options["function"] or "alphabeta"), options["cut"], options["values"])
    return Assignment(
        game, rule, options["view"], options["positions"], options["seed"], options["function"] is not None
    )


SUFFIXES = (".py", ".zip")

ALONE = "a file is graded alone: hand in a folder or a zip archive with both"


class Ungradable(Exception):
    """A student's file cannot be run. The text says why, after "it cannot"."""


@dataclass(frozen=True)
class _Graded:
    """A student's points, those of each test, why they are not all, and everything in words."""

    student: str
    points: float
    most: int
    tests: dict[str, float]
    reason: str
    told: str


def grade_files(
    paths: Sequence[Path],
    job: GradingJob,
    contained: Containment | None,
    *,
    farm: str | None,
    csv: Path | None,
    details: Path | None,
) -> int:
    """Grade what is in ``paths``, print a line for each student, and write the files that are wanted.

    ``contained`` is how programs are contained on this machine. Ctrl-C ends it, and the files have what is known by
    then. Returns the exit status. Raises :class:`BadRequest` and :class:`~noughts.farm.FarmError`.
    """
    given, left_out = _submissions(paths)
    wanted = [*([csv] if csv else []), *([details / f"{next(iter(given))}.txt"] if details else [])]
    for path in wanted:
        _write(path, "", mode="a")  # make sure of it before the grading, which takes long
    widest = max(width(printable(name)) for name in given)
    found: list[_Graded] = []

    def over(each: _Graded) -> None:
        found.append(each)
        say(_line(each, widest))
        if details is not None:
            _write(details / f"{each.student}.txt", "".join(f"{printable(line)}\n" for line in each.told.split("\n")))

    try:
        asyncio.run(_grade_all(given, job, contained, farm, over))
    except KeyboardInterrupt:
        known = f"{len(found)} of {counted(len(given), 'student', 'students')}"
        say(f"noughts grade: interrupted: {known} so far", to_stderr=True)
        return INTERRUPTED
    finally:
        if csv is not None:
            names = points(job.assignment)
            header = ("student", "points", "most", *(name.replace(" ", "_") for name in names), "first_reason")
            rows = [_row(each, names) for each in found]
            _write(csv, "\ufeff" + as_csv(header, rows))  # the mark tells Excel that it is UTF-8
    if left_out:
        say(f"left out: {', '.join(map(printable, left_out))}")
    return 0 if all(each.points == each.most for each in found) else 1


GradeCopy = Callable[[str, tuple[Path, Copy]], Awaitable[Report]]
"""Grades the program in a private copy of what a student, by name, has handed in."""


async def _grade_all(
    given: Mapping[str, Path],
    job: GradingJob,
    contained: Containment | None,
    farm: str | None,
    over: Callable[[_Graded], None],
) -> None:
    """Grade all, in order: one after the other on this machine, or several at once on a farm."""
    at_once = 1
    async with AsyncExitStack() as stack:

        async def grade_copy(name: str, copy: tuple[Path, Copy]) -> Report:
            return await reported(name, copy, job.student(copy[0], contained), job.assignment)

        if farm is not None:
            requirement = cannot_contain if job.contained else None
            workers = await stack.enter_async_context(connected(farm, requirement, _tell))
            submit = await stack.enter_async_context(workers.submitting(job))
            at_once = AHEAD * workers.threads

            async def grade_copy(name: str, copy: tuple[Path, Copy]) -> Report:
                about: Report = await submit(await asyncio.to_thread(handed_in, name, copy))
                return about

        turns = asyncio.Semaphore(at_once)

        async def one(name: str, path: Path) -> _Graded:
            async with turns:
                return await _graded(name, path, job.assignment, grade_copy)

        async with begun(one(name, path) for name, path in given.items()) as tasks:
            for name, task in zip(given, tasks, strict=True):
                with under_way(f"{printable(name)} ..."):
                    graded = await task
                over(graded)


def _tell(text: str) -> None:
    say(f"noughts grade: {text}", to_stderr=True)


def is_submission(path: Path) -> bool:
    """True if it can be a submission by its name: a Python file, a zip archive or a folder."""
    return path.suffix.casefold() in SUFFIXES or path.is_dir()


def _submissions(paths: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    """The named files, and those in the named folders, by the student; the names of files that are left out.

    Raises :class:`BadRequest`.
    """
    found: dict[str, Path] = {}
    left_out = []
    for path in paths:
        within = sorted(path.iterdir()) if path.is_dir() else [path]
        for each in within:
            if each.name in IGNORED or each.name.startswith("."):
                continue
            if not is_submission(each):
                if each is path and path.exists():
                    raise BadRequest(f"{path} is not a Python file, a zip archive or a folder")
                left_out.append(each.name)
                continue
            student = each.stem if each.suffix.casefold() in SUFFIXES else each.name
            if student in found:
                raise BadRequest(f"{found[student]} and {each} have the same name: rename one")
            found[student] = each
    if not found:
        raise BadRequest(f"nothing to grade in {', '.join(map(str, paths))}")
    return found, left_out


async def _graded(name: str, path: Path, assignment: Task, grade_copy: GradeCopy) -> _Graded:
    """Grade a file, or the program in a folder or a zip archive. A link could lead to the teacher's solution."""
    try:
        with frozen(path, links=False) as copy:
            about = await grade_copy(name, copy)
    except Ungradable as error:
        return _nothing(name, assignment, f"It cannot be {error}.")
    if not about.tests:
        return _nothing(name, assignment, about.reason, about.told)
    return _Graded(
        name,
        points_of(about.tests),
        sum(test.most for test in about.tests),
        {test.name: test.points for test in about.tests},
        about.reason,
        about.told,
    )


@contextmanager
def frozen(path: Path, *, links: bool = True) -> Iterator[tuple[Path, Copy]]:
    """The program in a private copy of what a student handed in, and the copy: it sees nothing else of the class.

    What is not there is not copied. ``links``: it may be one. Raises :class:`Ungradable`.
    """
    if path.is_symlink() and not links:
        raise Ungradable("graded: it is a link")
    with TemporaryDirectory(prefix="noughts-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve() / "frozen"
        if not path.exists():
            yield path, Copy(folder, path.parent)
            return
        if way_out(path) is not None:
            raise Ungradable("graded: a link leads out of its folder, maybe to a file of the teacher's")
        try:
            found = freeze(path.stem, Found(path.resolve(), datetime.now().astimezone()), folder, main=path.name)
            beside = [] if path.is_dir() else [each.name for each in path.parent.iterdir() if each.name != path.name]
        except OSError as error:
            raise Ungradable(f"read: {error.strerror}") from None
        if found.main is None:
            raise Ungradable(f"graded: {found.problem}")
        yield found.main, Copy(folder, path.parent, dict.fromkeys(beside, ALONE))


def _nothing(name: str, assignment: Task, why: str, told: str = "") -> _Graded:
    return _Graded(name, 0, sum(points(assignment).values()), {}, why, told or f"{name}: {why}")


def _line(each: _Graded, widest: int) -> str:
    (line,) = table([(each.student, f"{each.points:g} of {each.most}", each.reason)], right=(1,), least=(widest, 11))
    return line


def _row(each: _Graded, names: Iterable[str]) -> list[Cell]:
    return [each.student, each.points, each.most, *(each.tests.get(name) for name in names), each.reason]


def _write(path: Path, text: str, mode: Literal["a", "w"] = "w") -> None:
    """Raises :class:`BadRequest`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    except OSError as error:
        raise BadRequest(f"cannot write {path}: {error.strerror}") from None
