"""Tournaments played in memory, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from noughts.rooms import Fischer, Player
from noughts.tournaments.decide import Step, decide
from noughts.tournaments.events import (
    DRAWN,
    FIRST_WINS,
    SECOND_WINS,
    Command,
    Enter,
    Open,
    Report,
    Result,
    Start,
    Terms,
)
from noughts.tournaments.ranking import field_of
from noughts.tournaments.rounds import Pairs, as_round, next_pairs
from noughts.tournaments.swiss import swiss_pairs
from noughts.tournaments.tournament import Game, Stored, Tournament
from noughts.value import changed

BLITZ = Fischer(180_000, 2000)
RESULTS = {"1": FIRST_WINS, "0": SECOND_WINS, "=": DRAWN}
ORGANISER = "p-teacher"


def terms(**fields: Any) -> Terms:
    """The terms of a round robin in which each two meet once, or others."""
    return changed(Terms("Test", "round_robin", "connect4", BLITZ, rounds=1), **fields)


LADDER = terms(format="ladder", rounds=0, budget=100, kinds="bots", registered=True)


def player(name: str, kind: Any = "human", *, registered: bool = True, rating: int | None = None) -> Player:
    """A player whose id is its name."""
    return Player(name, name, kind, registered, rating)


class Played:
    """A tournament and all its events. ``now`` is ms since the epoch, and goes on by a second with each command."""

    def __init__(self, wanted: Terms, names: Iterable[str] = (), *, start: bool = True) -> None:
        self.events: list[Stored] = []
        self.now = 1_000_000
        self.tournament: Tournament = None  # type: ignore[assignment]  # until it is opened
        self._rooms = (f"room-{number}" for number in count(1))
        self.do(Open("t-1", player(ORGANISER), wanted))
        names = list(names)
        for number, name in enumerate(names):
            self.do(Enter(player(name, rating=2000 - number)))
        if start and names:
            self.do(Start(ORGANISER, tuple(names)))

    def do(self, command: Command) -> bool:
        """Carry out ``command``; whether it changed anything."""
        self.now += 1000
        step = decide(self.tournament, command, self.now)
        if isinstance(step, Step):
            self.tournament = step.tournament
            self.events.append(step.event)
        return isinstance(step, Step)

    def pair(self, pairs: Pairs | None = None) -> list[Game]:
        """Have the next round begin; its games."""
        now = self.tournament
        if pairs is None and now.terms.format == "swiss":
            pairs = swiss_pairs(field_of(now), now.terms.rounds)
        elif pairs is None:
            pairs = next_pairs(now, now.active, self.now)
        self.do(as_round(now, pairs, self._rooms))
        return [game for game in self.tournament.games.values() if game.round == self.tournament.round]

    def play(self, judge: Callable[[Game], Result]) -> None:
        """End all games of the round that has begun."""
        for room in sorted(self.tournament.live):
            self.do(Report(room, judge(self.tournament.games[room])))


def game(number: int, first: str, second: str, result: str) -> Game:
    """A game that is over, of the round ``number``: ``1``, ``=`` or ``0`` for the first side."""
    return Game(f"{number}-{first}-{second}", number, first, second, 0, RESULTS[result], number)
