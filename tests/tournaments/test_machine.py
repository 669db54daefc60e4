"""Any commands in any order: what must hold of a tournament whatever happens."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from noughts.rooms import Refused
from noughts.tournaments.arena import tallies_of
from noughts.tournaments.events import (
    DRAWN,
    FIRST_BY_FORFEIT,
    FIRST_WINS,
    NOBODY,
    SECOND_WINS,
    Adjudicate,
    Command,
    Enter,
    Finish,
    Pause,
    Report,
    Resume,
    Start,
    Withdraw,
)
from noughts.tournaments.evolve import evolve
from noughts.tournaments.ranking import field_of, rounds_of, standings
from noughts.tournaments.rounds import is_over
from support.tournaments import ORGANISER, Played, player, terms

RESULTS = st.sampled_from((FIRST_WINS, SECOND_WINS, DRAWN, FIRST_BY_FORFEIT, NOBODY))
NAMES = st.sampled_from("ABCDEFGH")
FORMATS: dict[str, dict[str, Any]] = {
    "round_robin": {"rounds": 2},
    "swiss": {"rounds": 4},
    "arena": {"rounds": 0, "minutes": 1},
    "ladder": {"rounds": 0, "budget": 3, "kinds": "bots", "registered": True},
    "gauntlet": {"rounds": 1, "opponents": ("A", "B")},
}


class Machine(RuleBasedStateMachine):
    """A tournament, with whatever anybody may want of it."""

    @initialize(format_=st.sampled_from(sorted(FORMATS)))
    def open(self, format_: str) -> None:
        if format_ == "swiss":
            pytest.importorskip("py4swiss")
        self.played = Played(terms(format=format_, **FORMATS[format_]), start=False)

    def _try(self, command: Command) -> None:
        before = self.played.tournament
        try:
            if not self.played.do(command):
                assert self.played.tournament == before
        except Refused:
            assert self.played.tournament == before

    @rule(name=NAMES)
    def enter(self, name: str) -> None:
        kind = "bot" if self.played.tournament.terms.format == "ladder" else "human"
        self._try(Enter(player(name, kind), name))

    @rule(name=NAMES, by=st.sampled_from(("A", ORGANISER)))
    def withdraw(self, name: str, by: str) -> None:
        self._try(Withdraw(name, by))

    @rule(lots=st.permutations("ABCDEFGH"))
    def start(self, lots: list[str]) -> None:
        self._try(Start(ORGANISER, tuple(lots)))

    @precondition(lambda self: self.played.tournament.pairing_due)
    @rule()
    def pair(self) -> None:
        if not is_over(self.played.tournament, self.played.now):
            self.played.pair()

    @precondition(lambda self: self.played.tournament.games)
    @rule(data=st.data(), result=RESULTS)
    def report(self, data: st.DataObject, result: object) -> None:
        room = data.draw(st.sampled_from(sorted(self.played.tournament.games)))
        counted = self.played.tournament.games[room].result
        self._try(Report(room, result))  # type: ignore[arg-type]
        if counted is not None:
            assert self.played.tournament.games[room].result == counted

    @precondition(lambda self: self.played.tournament.games)
    @rule(data=st.data(), result=RESULTS)
    def adjudicate(self, data: st.DataObject, result: object) -> None:
        room = data.draw(st.sampled_from(sorted(self.played.tournament.games)))
        self._try(Adjudicate(ORGANISER, room, result))  # type: ignore[arg-type]

    @rule(resume=st.booleans())
    def pause(self, resume: bool) -> None:
        self._try(Resume(ORGANISER) if resume else Pause(ORGANISER))

    @rule(by=st.sampled_from((None, None, None, "A", ORGANISER)))
    def finish(self, by: str | None) -> None:
        self._try(Finish(by))

    @invariant()
    def the_events_give_the_tournament(self) -> None:
        if hasattr(self, "played"):
            assert reduce(evolve, self.played.events, None) == self.played.tournament
            assert self.played.tournament.version == len(self.played.events)

    @invariant()
    def nobody_plays_twice_at_once(self) -> None:
        if hasattr(self, "played"):
            now = self.played.tournament
            playing = Counter(each for room in now.live for each in (now.games[room].first, now.games[room].second))
            assert set(playing) == now.playing
            assert all(count == 1 for count in playing.values())
            assert now.live == {room for room, game in now.games.items() if game.result is None}

    @invariant()
    def the_points_are_those_of_the_games(self) -> None:
        if not hasattr(self, "played"):
            return
        now, field = self.played.tournament, field_of(self.played.tournament)
        rows = standings(field)
        assert sorted(row.player for row in rows) == sorted(now.order or now.entries)
        if field.format == "arena":
            if not any(game.adjudicated for game in now.games.values()):
                assert now.tallies == tallies_of(
                    sorted(now.games.values(), key=lambda game: (game.ended, game.room)), now.entries
                )
        elif field.format == "ladder":
            assert all(spent <= now.terms.budget for spent in now.spent.values())
        elif field.format == "swiss":
            scored = [
                each if isinstance(each, int) else each.points(name) if each.result else 0
                for name, rounds in rounds_of(field).items()
                for each in rounds
            ]
            assert sum(row.points for row in rows) == sum(scored) / 2
        elif not field.annulled:
            given = sum(game.result.first + game.result.second for game in now.games.values() if game.result)
            assert sum(row.points for row in rows) == given / 2


Machine.TestCase.settings = settings(max_examples=8, stateful_step_count=25, deadline=None)
TestMachine = Machine.TestCase


@pytest.mark.slow
def test_many_tournaments() -> None:
    run_state_machine_as_test(Machine, settings=settings(max_examples=500, stateful_step_count=60, deadline=None))
