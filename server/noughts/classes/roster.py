"""The students of a class, from a CSV file. Pure; does no I/O."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from dataclasses import dataclass

COLUMNS = ("student", "name")

ID = re.compile(r"\w[\w.-]{0,31}")
"""The form of a student's id: it names files, and the student's bot on the server."""

SEPARATORS = (",", ";", "\t")
"""The characters that spreadsheets write between the cells; the first line tells which."""

MOST = 500
"""The most students: all of them play each other."""


class UnusableRoster(ValueError):
    """The text says what is wrong, and in which line."""


@dataclass(frozen=True)
class Student:
    """A student. ``id`` is what files are named by, ``name`` is for people."""

    id: str
    name: str


def read_roster(text: str) -> list[Student]:
    """The students in CSV ``text`` with the columns ``student`` and, optionally, ``name``; others are ignored.

    The separator is a comma, a semicolon or a tab. Raises :class:`UnusableRoster`.
    """
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff"))
    students: list[Student] = []
    try:
        for separator in SEPARATORS:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
            names = [name.strip().casefold() for name in next(rows, [])]
            if "student" in names:
                break
        else:
            raise UnusableRoster("the first line of the roster must name its columns: student,name")
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            cells = dict(zip(names, (cell.strip() for cell in row), strict=False))
            students.append(_student(cells, rows.line_num, students))
    except csv.Error as error:
        raise UnusableRoster(f"line {rows.line_num}: {error}") from None
    if not students:
        raise UnusableRoster("the roster has no students")
    if len(students) > MOST:
        raise UnusableRoster(f"the roster has more than {MOST} students")
    return students


def _student(cells: dict[str, str], line: int, before: list[Student]) -> Student:
    key = cells["student"]
    if ID.fullmatch(key) is None:
        raise UnusableRoster(
            f"line {line}: {key!r} is not an id of 1 to 32 letters, digits, _, - and . that begins with a letter "
            "or a digit"
        )
    if key.casefold() in {student.id.casefold() for student in before}:
        raise UnusableRoster(f"line {line}: {key} is there twice")
    return Student(key, cells.get("name") or key)
