"""A standing class: what was handed in since counts, and only the games of what has changed are played again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from noughts.classes.folder import FROZEN, SETTINGS, ClassError, SchoolClass, record_of, submission_of
from noughts.classes.roster import Student
from noughts.classes.submissions import Submission, collect
from noughts.league.plan import pairings_of
from noughts.league.records import LeagueRecord, Record
from noughts.league.state import GAMES, write_whole
from noughts.league.state import SETTINGS as LEAGUE

NEXT, BEFORE = "frozen.next", ".before"


def enrolled(school: SchoolClass, roster: Sequence[Student]) -> SchoolClass:
    """The class with the students of ``roster`` who are new, behind the others; nobody leaves it."""
    known = {student.id.casefold() for student in school.students}
    new = [student for student in roster if student.id.casefold() not in known]
    submissions = {student.id: Submission(student.id) for student in new}
    return replace(school, students=[*school.students, *new], submissions={**school.submissions, **submissions})


def update_class(
    school: SchoolClass, handed_in: Path, *, deadline: datetime | None, late: bool
) -> tuple[SchoolClass, list[str]]:
    """Freeze what counts now of what is in the folder; the class, and the students whose programs have changed.

    A student of whom nothing counts there any more keeps what was frozen. Raises :class:`ClassError`.
    """
    if not handed_in.is_dir():
        raise ClassError(f"there is no folder {handed_in}")
    following, submissions, changed = school.path / NEXT, dict(school.submissions), []
    try:
        shutil.rmtree(following, ignore_errors=True)
        found, nobodys = collect(handed_in, school.students)
        for student in school.students:
            before = school.submissions[student.id]
            now = submission_of(student.id, found[student.id], following / student.id, deadline, late=late)
            if now.main is None and before.main is not None:
                continue
            if now.main is not None and now.sha256 != before.sha256:
                changed.append(student.id)
                frozen = school.path / FROZEN / student.id
                shutil.rmtree(frozen, ignore_errors=True)
                (following / student.id).replace(frozen)
            submissions[student.id] = now if now.main is None else replace(now, main=_moved(now, school.path))
        shutil.rmtree(following, ignore_errors=True)
        updated = replace(school, submissions=submissions, nobodys=nobodys, deadline=deadline)
        write_whole(school.path / SETTINGS, json.dumps(record_of(updated, late=late), indent=1) + "\n")
    except OSError as error:
        raise ClassError(f"cannot freeze: {error.filename}: {error.strerror}") from None
    return updated, changed


def _moved(submission: Submission, path: Path) -> Path:
    """The program of a submission that was frozen beside, where it is now."""
    assert submission.main is not None
    return path / FROZEN / submission.main.relative_to(path / NEXT)


def kept(before: LeagueRecord, now: LeagueRecord, records: Iterable[Record]) -> list[Record]:
    """The games of a league that need not be played again in another one with the same terms, under their numbers
    there: those of two players whose programs are as they were.

    A Swiss league keeps none if anything has changed, because its pairings depend on all results.
    """
    if before["players"] == now["players"]:
        return list(records)
    if now["format"] == "swiss":
        return []
    same = {player["name"] for player in now["players"] if player in before["players"]}
    places = {(each.round, each.first, each.second): each for each in pairings_of(now)}
    found: list[Record] = []
    for record in records:
        place = places.get((record["round"], record["first"], record["second"]))
        if place is not None and {record["first"], record["second"]} <= same:
            found.append({**record, "game": place.game, "pair": place.pair})
    return sorted(found, key=lambda record: record["game"])


def restore(folder: Path) -> None:
    """Undo a change of a league that was interrupted. Raises OSError."""
    if not (folder / GAMES).exists() and (folder / f"{GAMES}{BEFORE}").exists():
        (folder / f"{LEAGUE}{BEFORE}").replace(folder / LEAGUE)
        (folder / f"{GAMES}{BEFORE}").replace(folder / GAMES)


def change(folder: Path, league: LeagueRecord, records: Sequence[Record]) -> None:
    """Write a league and its games in place of those in ``folder``, both or neither. Raises OSError."""
    shutil.copyfile(folder / LEAGUE, folder / f"{LEAGUE}{BEFORE}")
    (folder / GAMES).replace(folder / f"{GAMES}{BEFORE}")
    write_whole(folder / LEAGUE, json.dumps(league, indent=1) + "\n")
    write_whole(folder / GAMES, "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in records))
    for name in (LEAGUE, GAMES):
        os.remove(folder / f"{name}{BEFORE}")
