"""What a new league plays, and how its bots are contained: refused before anything takes its time or is written."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from noughts.cli.output import say
from noughts.cli.programs import containment
from noughts.league.plan import plan, spec_of
from noughts.league.progress import clock_lines
from noughts.league.records import LeagueRecord
from noughts.league.report_text import name
from noughts.league.runner import games_at_once, rehearse
from noughts.league.state import Folder, LeagueError
from noughts.league.words import printable
from noughts_client.bots.sandbox import Containment

TOLD = 5
"""Say it each time so many more openings are chosen: they take half a second each, or longer."""


def planned(bots: Sequence[str], *, uncontained: bool, folder: Path, at_least: int = 2, **terms: Any) -> LeagueRecord:
    """A league by :func:`~noughts.league.plan.plan` with ``terms``, with its progress on stderr.

    Its bots are started first; the ``folder`` in which it is to be need not exist yet. Raises LeagueError, also where
    bots cannot be contained and where fewer than ``at_least`` of the players start.
    """

    def begin(league: LeagueRecord) -> None:
        contained = containment_of(league, uncontained=uncontained)
        say(*clock_lines(league["clock"]), to_stderr=True)
        able = _rehearse(Folder(folder, league, ()), contained)
        if able < at_least:
            raise LeagueError("fewer than two bots can play")
        if league["openings"]:
            say("Choosing openings ...", to_stderr=True)

    def chosen(count: int, wanted: int) -> None:
        if count % TOLD == 0 and count < wanted:
            say(f"{count} of at most {wanted} openings are chosen.", to_stderr=True)

    return plan(bots, uncontained=uncontained, begin=begin, chosen=chosen, **terms)


def _rehearse(folder: Folder, contained: Containment | None) -> int:
    """Start each bot, and name those that fail; how many players start."""
    failures = asyncio.run(rehearse(folder, contained, at_once=games_at_once()))
    for player, failure in failures.items():
        how = "does not start" if failure.kind == "start" else "fails at its first move"
        say(f"{name(player)} {how}: {printable(failure.message)}", to_stderr=True)
    programs = sum(spec_of(player).kind not in ("computer", "player") for player in folder.league["players"])
    if failures:
        say(f"{programs - len(failures)} of {programs} programs play a first move.", to_stderr=True)
    unable = [player for player, failure in failures.items() if failure.kind == "start"]
    return len(folder.league["players"]) - len(unable)


def containment_of(league: LeagueRecord, *, uncontained: bool) -> Containment | None:
    """How the programs of a league are contained, if it has any. Raises LeagueError where they are not contained."""
    has_none = all(spec_of(player).kind in ("computer", "player") for player in league["players"])
    return containment(LeagueError, uncontained=uncontained or has_none)
