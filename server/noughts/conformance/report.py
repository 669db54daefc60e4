"""A report of what was checked and what is wrong, for people and as JSON. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from noughts.columns import printable

SHOWN = 600
"""The most characters of a quoted line that people are shown; in JSON it is whole."""


class Fault(Exception):
    """The subject of a check does not keep to the protocol, or a game to its contract.

    ``quotes`` are the lines that show it, in order. ``> LINE`` went to what is checked, ``< LINE`` came from it, and
    ``! LINE`` is from its traceback or its log. Others show a position of a game.
    """

    def __init__(self, problem: str, quotes: Sequence[str] = ()) -> None:
        super().__init__(problem)
        self.problem = problem
        self.quotes = tuple(quotes)


@dataclass(frozen=True, slots=True)
class Check:
    """One check: what it is about, and the fault that it found. None: all is well; ``note`` says what was measured."""

    name: str
    fault: Fault | None = None
    note: str = ""


def as_text(check: Check) -> Iterator[str]:
    """The lines that say how ``check`` went. Nothing in them commands the terminal, whatever was quoted."""
    if check.fault is None:
        yield f"ok      {check.name}{f': {check.note}' if check.note else ''}"
        return
    yield f"FAILED  {check.name}: {printable(check.fault.problem)}"
    for quote in map(printable, check.fault.quotes):
        yield f"          {quote if len(quote) <= SHOWN else f'{quote[:SHOWN]} ... ({len(quote)} characters)'}"


def summary(checks: Sequence[Check]) -> str:
    """The last line."""
    failed = sum(check.fault is not None for check in checks)
    many = f"{len(checks)} check{'' if len(checks) == 1 else 's'}"
    return f"{failed} of {many} failed." if failed else f"{many}, all ok."


def as_json(subject: str, checks: Sequence[Check]) -> str:
    """All of it as one JSON object."""
    return json.dumps(
        {
            "subject": subject,
            "ok": all(check.fault is None for check in checks),
            "checks": [
                {"check": check.name, "ok": True} | ({"note": check.note} if check.note else {})
                if check.fault is None
                else {"check": check.name, "ok": False, "problem": check.fault.problem, "quotes": check.fault.quotes}
                for check in checks
            ],
        },
        indent=2,
        ensure_ascii=False,
    )
