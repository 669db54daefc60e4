"""The folder of a class: what was handed in and counts, frozen; the league; and the results.

``class.json`` is written once, when everything is frozen. The results are written again after each run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from noughts.classes.feedback import feedback
from noughts.classes.gradebook import gradebook, results_of
from noughts.classes.roster import Student
from noughts.classes.submissions import Found, Submission, choose, collect, freeze, hash_of
from noughts.league import report_html
from noughts.league.records import LeagueRecord, Record
from noughts.league.state import write_whole

SETTINGS = "class.json"
FROZEN = "frozen"
LEAGUE = "league"
PAGE = "report.html"
GRADEBOOK = "gradebook.csv"
FEEDBACK = "feedback"


class ClassError(Exception):
    """A class cannot be frozen or read; the text says why."""


@with_config(extra="forbid")
class StudentRecord(TypedDict):
    """A student and what counts of what the student handed in; the fields are those of ``Student`` and ``Submission``.

    ``main`` is relative to the folder of the class. What is not there is None or empty.
    """

    id: str
    name: str
    problem: str
    source: str
    at: str | None
    late_s: int
    main: str | None
    sha256: str
    others: list[str]


@with_config(extra="forbid")
class ClassRecord(TypedDict):
    """``class.json``. ``deadline`` is in ISO 8601, None without one; ``nobodys`` belongs to nobody on the roster."""

    version: Literal[1]
    game: str
    deadline: str | None
    late: bool
    students: list[StudentRecord]
    nobodys: list[str]


_CLASS = TypeAdapter(ClassRecord)


@dataclass(frozen=True)
class SchoolClass:
    """A class that is frozen, in ``path``. ``submissions`` has everybody's, by id."""

    path: Path
    game: str
    students: list[Student]
    submissions: dict[str, Submission]
    nobodys: list[str]
    deadline: datetime | None = None

    @property
    def league(self) -> Path:
        """The folder of the league."""
        return self.path / LEAGUE

    def bots(self) -> list[str]:
        """The bots that can play, as the command line of a league writes them."""
        return [f"{each.student}={each.main}" for each in self.submissions.values() if each.main is not None]


def freeze_class(
    path: Path, students: Sequence[Student], handed_in: Path, *, game: str, deadline: datetime | None, late: bool
) -> SchoolClass:
    """Find what each student handed in, and copy what counts into the folder ``path``, which gets the class.

    Raises :class:`ClassError`.
    """
    if (path / SETTINGS).exists() or (path / FROZEN).exists():
        raise ClassError(f"{path} has a class already; noughts class --resume {path} continues it")
    if not handed_in.is_dir():
        raise ClassError(f"there is no folder {handed_in}")
    submissions: dict[str, Submission] = {}
    try:
        found, nobodys = collect(handed_in, students)
        (path / FROZEN).mkdir(parents=True)
        for student in students:
            place = path / FROZEN / student.id
            submissions[student.id] = submission_of(student.id, found[student.id], place, deadline, late=late)
        frozen = SchoolClass(path, game, list(students), submissions, nobodys, deadline)
        write_whole(path / SETTINGS, json.dumps(record_of(frozen, late=late), indent=1) + "\n")
    except OSError as error:
        raise ClassError(f"cannot freeze: {error.filename}: {error.strerror}") from None
    return frozen


def submission_of(
    student: str, mine: Sequence[Found], place: Path, deadline: datetime | None, *, late: bool
) -> Submission:
    """The one of a student's submissions that counts, frozen in the folder ``place``. Raises OSError."""
    chosen, late_s, problem = choose(mine, deadline, late=late)
    others = tuple(each.path.name for each in mine if each is not chosen)
    if chosen is not None:
        return replace(freeze(student, chosen, place), late_s=late_s, others=others)
    last = mine[-1] if mine else None
    submission = Submission(student, problem, last.path.name if last else "", last.at if last else None)
    return replace(submission, late_s=late_s, others=others[:-1])


def load_class(path: Path) -> SchoolClass:
    """The class in a folder. Raises :class:`ClassError`."""
    try:
        record = _CLASS.validate_json((path / SETTINGS).read_bytes())
    except FileNotFoundError:
        raise ClassError(f"there is no class in {path}") from None
    except OSError as error:
        raise ClassError(f"cannot read {path}: {error.strerror}") from None
    except ValidationError:
        raise ClassError(f"{path / SETTINGS} is damaged") from None
    submissions = {
        each["id"]: Submission(
            each["id"],
            each["problem"],
            each["source"],
            None if each["at"] is None else datetime.fromisoformat(each["at"]),
            each["late_s"],
            None if each["main"] is None else path / each["main"],
            each["sha256"],
            tuple(each["others"]),
        )
        for each in record["students"]
    }
    students = [Student(each["id"], each["name"]) for each in record["students"]]
    deadline = None if record["deadline"] is None else datetime.fromisoformat(record["deadline"])
    return SchoolClass(path, record["game"], students, submissions, record["nobodys"], deadline)


def changed_programs(school: SchoolClass) -> list[str]:
    """The students whose frozen files are not as they were. Raises :class:`ClassError`."""
    try:
        return [
            student
            for student, each in school.submissions.items()
            if each.main is not None and hash_of(school.path / FROZEN / student) != each.sha256
        ]
    except OSError as error:
        raise ClassError(f"cannot read {error.filename}: {error.strerror}") from None


def write_results(
    school: SchoolClass,
    league: LeagueRecord | None,
    records: Sequence[Record],
    mistakes: Mapping[int, Sequence[str]] | None = None,
) -> None:
    """Write the gradebook, the page with replays, and a text for each student, with the ``mistakes`` in lost games.

    Raises :class:`ClassError`.
    """
    results = results_of(school.students, league, records)
    try:
        if league is not None:
            write_whole(school.path / PAGE, report_html.render(league, records, school.league))
        book = gradebook(school.students, school.submissions, results, page=PAGE)
        write_whole(school.path / GRADEBOOK, "\ufeff" + book)  # the mark tells Excel that it is UTF-8
        (school.path / FEEDBACK).mkdir(exist_ok=True)
        for student in school.students:
            submission = school.submissions[student.id]
            if submission.main is not None:  # tracebacks have the whole path
                submission = replace(submission, main=submission.main.resolve())
            text = feedback(
                student,
                submission,
                results,
                game=school.game,
                mistakes=mistakes or {},
                deadline=school.deadline,
            )
            write_whole(school.path / FEEDBACK / f"{student.id}.txt", text)
    except OSError as error:
        raise ClassError(f"cannot write {error.filename}: {error.strerror}") from None


def record_of(school: SchoolClass, *, late: bool) -> ClassRecord:
    """``class.json``."""
    students: list[StudentRecord] = []
    for student in school.students:
        each = school.submissions[student.id]
        students.append(
            {
                "id": student.id,
                "name": student.name,
                "problem": each.problem,
                "source": each.source,
                "at": None if each.at is None else each.at.isoformat(),
                "late_s": each.late_s,
                "main": None if each.main is None else each.main.relative_to(school.path).as_posix(),
                "sha256": each.sha256,
                "others": list(each.others),
            }
        )
    return {
        "version": 1,
        "game": school.game,
        "deadline": None if school.deadline is None else school.deadline.isoformat(),
        "late": late,
        "students": students,
        "nobodys": school.nobodys,
    }
