"""The submission of each student that counts, and a copy of it that nobody changes any more."""

from __future__ import annotations

import lzma
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from noughts.classes.roster import Student
from noughts_client.bots.copies import IGNORED, MAIN, is_ignored, sha256_of, write_copies

MOST_FILES = 500
MOST_BYTES = 50 * 2**20
"""The largest submission. It is meant to stop an upload of everything, not a large bot."""

UNREADABLE = (zipfile.BadZipFile, RuntimeError, zlib.error, lzma.LZMAError, EOFError, ValueError, OSError)
"""The exceptions that zipfile raises for a damaged archive, one with a password, and one whose method it does not know.

OSError is bzip2's for damaged data."""


class TooLarge(Exception):
    """A submission has more files or bytes than it may."""


@dataclass(frozen=True)
class Found:
    """A file or folder that a student submitted, and when: by Gradescope, or its newest file's time of modification."""

    path: Path
    at: datetime


@dataclass(frozen=True)
class Submission:
    """The submission that counts for a student.

    ``main`` is the program within the frozen copy; None if there is none that can play, for the reason ``problem``.
    ``source`` is the name of what was submitted, ``at`` when, ``late_s`` by how many seconds after the deadline, 0 or
    more. ``others`` are the names of what was submitted otherwise and does not count. ``sha256`` is of all its files.
    """

    student: str
    problem: str = ""
    source: str = ""
    at: datetime | None = None
    late_s: int = 0
    main: Path | None = None
    sha256: str = ""
    others: tuple[str, ...] = ()


def own_file(submission: Submission) -> str:
    """The student's own name for the program: a file that came alone is frozen as :data:`MAIN`."""
    assert submission.main is not None
    return submission.source if submission.source.casefold().endswith(".py") else submission.main.name


def in_own_words(submission: Submission, text: str) -> str:
    """A text about the program with the student's name for it, and without its folder, which is the teacher's."""
    main = submission.main
    assert main is not None
    return re.sub(rf"\b{re.escape(main.name)}\b", lambda _: own_file(submission), text.replace(f"{main.parent}/", ""))


def owner(name: str, ids: dict[str, str]) -> str | None:
    """The student who submitted a file or folder called ``name``; None if nobody on the roster did.

    ``ids`` has the ids by their casefolded forms. The name is split at underscores and its ending removed. The first of
    its words, or words in a row, that are an id decide, of two the longer one. So ``ada.py``, ``ada_bot.py``,
    ``lovelaceada_12345_67890_bot.py`` (as Canvas names it) and ``Ada Lovelace_12345_assignsubmission_file_`` (as Moodle
    does) are found by ``ada`` or by ``12345``. What a student may choose, the end of the name, does not come first.
    """
    whole = unicodedata.normalize("NFC", re.sub(r"\.(py|zip)$", "", name, flags=re.IGNORECASE))  # macOS takes ü apart
    words = whole.casefold().split("_")
    for begin in range(len(words)):
        for end in range(len(words), begin, -1):
            if (found := ids.get("_".join(words[begin:end]))) is not None:
                return found
    return None


def collect(folder: Path, students: Sequence[Student]) -> tuple[dict[str, list[Found]], list[str]]:
    """The submissions of each student, the oldest first; and the names of what belongs to nobody. Raises OSError."""
    ids = {student.id.casefold(): student.id for student in students}
    found: dict[str, list[Found]] = {student.id: [] for student in students}
    metadata = folder / METADATA
    known = read_metadata(metadata.read_text(encoding="utf-8", errors="replace")) if metadata.is_file() else {}
    nobodys = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in (*IGNORED, METADATA):
            continue
        submitted = known.get(path.name, Submitted([path.name]))
        owners = {student for name in submitted.students if (student := owner(name, ids)) is not None}
        if not owners:
            nobodys.append(path.name)
        for student in owners:
            found[student].append(Found(path, submitted.at or _time_of(path)))
    for each in found.values():
        each.sort(key=lambda one: one.at)
    return found, nobodys


def choose(found: Sequence[Found], deadline: datetime | None, *, late: bool) -> tuple[Found | None, int, str]:
    """The one of a student's submissions that counts, by how many seconds it is late, and why none does.

    It is the last one before the ``deadline``. Only if there is none and ``late`` ones are allowed, it is the last of
    them.
    """
    if not found:
        return None, 0, "no submission"
    in_time = [each for each in found if deadline is None or each.at <= deadline]
    if in_time:
        return in_time[-1], 0, ""
    assert deadline is not None
    seconds = max(1, round((found[-1].at - deadline).total_seconds()))
    return (found[-1], seconds, "") if late else (None, seconds, "late")


def freeze(student: str, chosen: Found, folder: Path, *, main: str = MAIN) -> Submission:
    """Copy what a student submitted into ``folder``, which must not exist, and find the program in it.

    A Python file that came alone is called ``main`` there. Zip archives are unpacked. Links are left out: they could
    lead to files of the teacher. Raises OSError.
    """
    submission = Submission(student, source=chosen.path.name, at=chosen.at)
    try:
        files = list(_archived(chosen.path) if _is_archive(chosen.path) else _files(chosen.path, main))
    except TooLarge:
        return replace(submission, problem=f"more than {MOST_FILES} files or {MOST_BYTES // 2**20} MiB")
    except UNREADABLE:
        return replace(submission, problem="an unreadable zip archive")
    if len(files) > MOST_FILES or sum(_size(file) for file, _ in files) > MOST_BYTES:
        return replace(submission, problem=f"more than {MOST_FILES} files or {MOST_BYTES // 2**20} MiB")
    folder.mkdir(parents=True)
    try:
        sha256 = write_copies(files, folder)
    except OSError as error:  # such as a name that is too long, or a file and a folder of one name in an archive
        return replace(submission, problem=f"it cannot be copied: {error.strerror}")
    program, problem = _main([place for _, place in files])
    found = None if program is None else folder / program
    return replace(submission, problem=problem, main=found, sha256=sha256)


def hash_of(folder: Path) -> str:
    """The SHA-256 of a frozen copy as it is now. Raises OSError."""
    return sha256_of(_files(folder))


def _is_archive(path: Path) -> bool:
    return path.suffix.casefold() == ".zip" and path.is_file() and not path.is_symlink()


def _size(file: Path | bytes) -> int:
    return len(file) if isinstance(file, bytes) else file.stat().st_size


def _archived(path: Path) -> Iterable[tuple[Path | bytes, Path]]:
    """The files in a zip archive, and their places in its copy. Raises TooLarge and what is UNREADABLE."""
    with zipfile.ZipFile(path) as archive:
        entries = {Path(each.filename): each for each in archive.infolist() if not each.is_dir()}
        if len(entries) > MOST_FILES or sum(each.file_size for each in entries.values()) > MOST_BYTES:
            raise TooLarge
        for place, entry in entries.items():
            link = stat.S_ISLNK(entry.external_attr >> 16)
            if not link and not place.is_absolute() and not is_ignored(place):
                yield archive.read(entry), place


def _main(places: Sequence[Path]) -> tuple[Path | None, str]:
    """The program among the files of a submission, and why there is none."""
    programs = [place for place in places if place.suffix.casefold() == ".py"]
    if not programs:
        return None, "no Python file"
    if len(programs) == 1:
        return programs[0], ""
    named = [place for place in programs if place.name == MAIN]
    named.sort(key=lambda place: len(place.parts))
    if not named:
        return None, f"{len(programs)} Python files, and none is called {MAIN}"
    return named[0], ""


def _files(path: Path, main: str = MAIN) -> Iterable[tuple[Path, Path]]:
    """The files of a submission, and their places in its copy."""
    if path.is_symlink():
        return
    if path.is_file():
        yield path, Path(main if path.suffix.casefold() == ".py" else path.name)
        return
    for file in sorted(path.rglob("*")):  # which does not enter linked folders
        place = file.relative_to(path)
        if file.is_file() and not file.is_symlink() and not is_ignored(place):
            yield file, place


def _time_of(path: Path) -> datetime:
    """The time of a submission: the newest time of its files."""
    times = [file.stat().st_mtime for file, _ in _files(path)]
    return datetime.fromtimestamp(max(times, default=path.lstat().st_mtime)).astimezone()


METADATA = "submission_metadata.yml"
"""The file of an export of Gradescope with the submitters and the time of each folder ``submission_409194023``."""

FOLDER = re.compile(r"(submission_\d+):\s*")
FIELD = re.compile(r"  :(\w+):\s*(.*)")
SID = re.compile(r"  (?:- |  ):sid:\s*(['\"]?)(.+?)\1\s*")


@dataclass
class Submitted:
    """The ids of the students who made a submission, and when; None if that is not known."""

    students: list[str] = field(default_factory=list)
    at: datetime | None = None


def read_metadata(text: str) -> dict[str, Submitted]:
    """The entries of the file on each folder. Only the few lines that matter are read; the others may be any YAML."""
    found: dict[str, Submitted] = {}
    here, within = Submitted(), ""
    for line in text.splitlines():
        if folder := FOLDER.fullmatch(line):
            here, within = found.setdefault(folder[1], Submitted()), ""
        elif named := FIELD.fullmatch(line):
            within = named[1]
            if within == "created_at":
                here.at = _time(named[2])
        elif within == "submitters" and (sid := SID.fullmatch(line)):
            here.students.append(sid[2])
    return found


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(re.sub(r" (?=Z|[+-]\d)", "", text)).astimezone()
    except ValueError:
        return None
