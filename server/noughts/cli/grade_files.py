"""``noughts grade`` for a class: a line for each student, a table, and a text for each."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from noughts.classes.submissions import Found, freeze
from noughts.cli.output import INTERRUPTED, say
from noughts.explain.arguments import BadRequest
from noughts.explain.drawing import counted
from noughts.grading.grade import graded
from noughts.grading.report import POINTS, failed_in_words, first_reason, in_words, points_of, tests_of
from noughts.grading.result import Assignment, Grade
from noughts.grading.student import Student
from noughts.league.spreadsheet import Cell, table
from noughts.league.words import printable
from noughts_client.bots.copies import IGNORED, Copy, way_out
from noughts_client.failure import Failure

HEADER = ("student", "points", "most", *(name.replace(" ", "_") for name in POINTS), "first_reason")

SUFFIXES = (".py", ".zip")

ALONE = "a file is graded alone: hand in a folder or a zip archive with both"


class Ungradable(Exception):
    """What a student handed in cannot be run. The text says why, after "it cannot"."""


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
    student: Callable[[Path], Student],
    assignment: Assignment,
    *,
    csv: Path | None,
    details: Path | None,
) -> int:
    """Grade what is in ``paths``, print a line for each student, and write the files that are wanted.

    Ctrl-C ends it, and the files have what is known by then. Returns the exit status. Raises :class:`BadRequest`.
    """
    given, left_out = _submissions(paths)
    if csv is not None:
        check_writable(csv)
    if details is not None:
        check_writable(details / f"{next(iter(given))}.txt")
    widest = max(len(printable(name)) for name in given)
    found: list[_Graded] = []
    try:
        for name, path in given.items():
            with under_way(name):
                found.append(_graded(name, path, student, assignment))
            say(_line(found[-1], widest))
            if details is not None:
                _write(details / f"{name}.txt", "".join(f"{printable(line)}\n" for line in found[-1].told.split("\n")))
    except KeyboardInterrupt:
        known = f"{len(found)} of {counted(len(given), 'student', 'students')}"
        say(f"noughts grade: interrupted: {known} so far", to_stderr=True)
        return INTERRUPTED
    finally:
        if csv is not None:
            _write(csv, "\ufeff" + table(HEADER, map(_row, found)))  # the mark tells Excel that it is UTF-8
    if left_out:
        say(f"left out: {', '.join(map(printable, left_out))}")
    return 0 if all(each.points == each.most for each in found) else 1


@contextmanager
def under_way(name: str) -> Iterator[None]:
    """Show on a terminal what is being graded, until it is."""
    line = f"{printable(name)} ..."
    shown = sys.stderr.isatty()
    if shown:
        print(line, end="\r", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print(" " * len(line), end="\r", file=sys.stderr, flush=True)


def is_submission(path: Path) -> bool:
    """Whether it can be a submission by its name: a Python file, a zip archive or a folder."""
    return path.suffix.casefold() in SUFFIXES or path.is_dir()


def _submissions(paths: Sequence[Path]) -> tuple[dict[str, Path], list[str]]:
    """What is named, and what is in the folders that are named, by the student; the names of files that are left out.

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


def _graded(name: str, path: Path, student: Callable[[Path], Student], assignment: Assignment) -> _Graded:
    """Grade a file, or the program in a folder or a zip archive. A link could lead to the teacher's solution."""
    if path.is_symlink():
        return _nothing(name, "It cannot be graded: it is a link.")
    try:
        with frozen(path) as copy:
            return _result(name, copy, student, assignment)
    except Ungradable as error:
        return _nothing(name, f"It cannot be {error}.")


@contextmanager
def frozen(path: Path) -> Iterator[tuple[Path, Copy]]:
    """The program in a private copy of what a student handed in, and the copy: it sees nothing else of the class.

    What is not there is not copied. Raises :class:`Ungradable`.
    """
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


async def graded_copy(copy: tuple[Path, Copy], student: Student, assignment: Assignment) -> Grade | Failure:
    """As :func:`~noughts.grading.grade.graded`; a failure says which file beside it was not copied."""
    found = await graded(student, assignment)
    if not isinstance(found, Failure):
        return found
    return replace(found, message=found.message + copy[1].advice(f"{found.message}\n{found.stderr}"))


def _result(name: str, copy: tuple[Path, Copy], student: Callable[[Path], Student], assignment: Assignment) -> _Graded:
    file = copy[0]
    found = asyncio.run(graded_copy(copy, student(file), assignment))
    if isinstance(found, Failure):
        return _nothing(name, found.message, own(failed_in_words(name, found), file))
    tests = tests_of(found)
    return _Graded(
        name,
        points_of(tests),
        sum(test.most for test in tests),
        {test.name: test.points for test in tests},
        first_reason(found),
        own(in_words(name, found), file),
    )


def own(text: str, file: Path) -> str:
    """A text for the student, without the folder of the file, which is the teacher's."""
    return text.replace(f"{file.absolute().parent}/", "")


def _nothing(name: str, why: str, told: str = "") -> _Graded:
    return _Graded(name, 0, sum(POINTS.values()), {}, why, told or f"{name}: {why}")


def _line(each: _Graded, widest: int) -> str:
    points = f"{each.points:g} of {each.most}"
    return f"{printable(each.student).ljust(widest)}  {points:>11}  {printable(each.reason)}".rstrip()


def _row(each: _Graded) -> list[Cell]:
    return [each.student, each.points, each.most, *(each.tests.get(name) for name in POINTS), each.reason]


def check_writable(path: Path) -> None:
    """Make sure of the file before the grading, which takes long. Raises :class:`BadRequest`."""
    _write(path, "", mode="a")


def _write(path: Path, text: str, mode: Literal["a", "w"] = "w") -> None:
    """Raises :class:`BadRequest`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    except OSError as error:
        raise BadRequest(f"cannot write {path}: {error.strerror}") from None
