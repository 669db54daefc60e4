"""What a new league plays, and how its bots are contained: refused before anything takes its time or is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from noughts.cli.output import say
from noughts.cli.programs import containment
from noughts.league.plan import plan, spec_of
from noughts.league.progress import clock_lines
from noughts.league.records import LeagueRecord
from noughts.league.state import LeagueError
from noughts_client.bots.sandbox import Containment

TOLD = 5
"""Say it each time so many more openings are chosen: they take half a second each, or longer."""


def planned(bots: Sequence[str], *, uncontained: bool, **terms: Any) -> LeagueRecord:
    """A league by :func:`~noughts.league.plan.plan` with ``terms``, with its progress on stderr.

    Raises LeagueError, also where bots cannot be contained.
    """

    def begin(league: LeagueRecord) -> None:
        containment_of(league, uncontained=uncontained)
        say(*clock_lines(league["clock"]), to_stderr=True)
        if league["openings"]:
            say("Choosing openings ...", to_stderr=True)

    def chosen(count: int, wanted: int) -> None:
        if count % TOLD == 0 and count < wanted:
            say(f"{count} of at most {wanted} openings are chosen.", to_stderr=True)

    return plan(bots, uncontained=uncontained, begin=begin, chosen=chosen, **terms)


def containment_of(league: LeagueRecord, *, uncontained: bool) -> Containment | None:
    """How the programs of a league are contained, if it has any. Raises LeagueError where they are not contained."""
    has_none = all(spec_of(player).kind in ("computer", "player") for player in league["players"])
    return containment(LeagueError, uncontained=uncontained or has_none)
