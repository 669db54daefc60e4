"""Whose the submissions in an export of Gradescope are. Pure; does no I/O.

Its folders are called ``submission_409194023``; the file :data:`METADATA` has the submitters of each and the time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

METADATA = "submission_metadata.yml"

FOLDER = re.compile(r"(submission_\d+):\s*")
FIELD = re.compile(r"  :(\w+):\s*(.*)")
SID = re.compile(r"  (?:- |  ):sid:\s*(['\"]?)(.+?)\1\s*")


@dataclass
class Submitted:
    """The ids of the students who made a submission, and when; None if that is not known."""

    students: list[str] = field(default_factory=list)
    at: datetime | None = None


def read_metadata(text: str) -> dict[str, Submitted]:
    """What the file says of each folder. Only the few lines that matter are read; the others may be any YAML."""
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
