"""A tournament as it is after its events: an immutable value. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from noughts.glicko2 import Rating
from noughts.rooms import Player
from noughts.tournaments.events import Adjudicated, Event, Finished, Paused, Result, Resumed, Terms, Withdrawn
from noughts.value import value

Status = Literal["open", "running", "finished"]

Act = Withdrawn | Adjudicated | Paused | Resumed | Finished
"""An event that is the organiser's doing."""

ACTS = 20
"""The number of the organiser's last acts that are remembered."""


@value
class Entry:
    """An entrant. ``since`` is the first round in which it can be paired; ``withdrawn`` has who ended
    that, by id, if it takes part no more: itself, or the organiser. ``at`` is when it entered last, in ms since the
    epoch, and ``origin`` stands for the address it came from."""

    player: Player
    since: int = 1
    withdrawn: str = ""
    at: int = 0
    origin: str = ""


@value
class Game:
    """A game of a round, by the ids of its players. ``result`` is None while it is played. ``at`` is when it was
    paired, ``ended`` when its result was known, in ms since the epoch."""

    room: str
    round: int
    first: str
    second: str
    at: int = 0
    result: Result | None = None
    ended: int = 0
    adjudicated: bool = False

    def opponent(self, player: str) -> str:
        """The other player."""
        return self.second if player == self.first else self.first

    def points(self, player: str) -> int:
        """The halves of a point that ``player`` got in a game with a result."""
        assert self.result is not None
        return self.result.first if player == self.first else self.result.second


@value
class Tally:
    """A player's state in an arena or on a ladder.

    ``points`` are halves, of which a streak doubles some; ``streak`` counts the wins in a row. ``last`` is the id of
    the last opponent, ``balance`` how many more games were played on the first side than on the second, ``since`` when
    the last game ended. ``won``, ``drawn`` and ``lost`` count games. Of those that were ``played``, not forfeited,
    ``wins`` were won, ``halves`` is the score, and ``against`` the sum of the opponents' ratings. ``rating`` is that on
    a ladder; ``missed`` games in a row were forfeited there.
    """

    points: int = 0
    streak: int = 0
    last: str = ""
    balance: int = 0
    since: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    played: int = 0
    wins: int = 0
    halves: int = 0
    against: int = 0
    rating: Rating = Rating()
    missed: int = 0


UNRATED = 1500
"""The rating of opponents who have none, for a performance: that of newcomers."""


@value
class Tournament:
    """``by`` is the organiser. ``version`` counts the events. ``entries`` are by the player's id, in the order in which
    they came, ``games`` by room, in the order in which they were paired.

    ``order`` are the ids of the entrants by pairing number, empty before the start. ``round`` is the last that was
    paired. ``byes`` are rounds with the ids of those who had no opponent. ``live`` are the games without a result, and
    ``playing`` the ids of those who play them. ``tallies`` are an arena's or a ladder's, by player. ``games``
    of a ladder that are over are the last only; ``spent`` of its budgets are the games on ``day``, counted from the
    epoch, and ``base`` is the version of the event that condensed it last. ``acts`` are the last of the
    organiser. The mappings are never changed.
    """

    id: str
    version: int
    by: Player
    terms: Terms
    at: int
    status: Status
    entries: dict[str, Entry]
    games: dict[str, Game]
    order: tuple[str, ...] = ()
    round: int = 0
    byes: tuple[tuple[int, str], ...] = ()
    live: frozenset[str] = frozenset()
    playing: frozenset[str] = frozenset()
    tallies: dict[str, Tally] = field(default_factory=dict)
    paused: bool = False
    acts: tuple[Act, ...] = ()
    started_at: int = 0
    finished_at: int = 0
    spent: dict[str, int] = field(default_factory=dict)
    day: int = 0
    base: int = 0

    @property
    def active(self) -> list[str]:
        """The ids of the entrants who have not withdrawn, by pairing number once there are any."""
        return [player for player in self.order or self.entries if not self.entries[player].withdrawn]

    @property
    def continuous(self) -> bool:
        """True if players are paired again as soon as they are free, and not in rounds."""
        return self.terms.format in ("arena", "ladder")

    @property
    def ends_at(self) -> int | None:
        """The time at which an arena that runs is over, in ms since the epoch; None for any other tournament."""
        if self.terms.format != "arena" or self.status == "open":
            return None
        return self.started_at + 60_000 * self.terms.minutes

    @property
    def pairing_due(self) -> bool:
        """True if a round can be paired as soon as nobody plays; arenas and ladders pair all the time."""
        return self.status == "running" and not self.paused and (self.continuous or not self.live)


@value
class Condensed:
    """All that counts of a ladder is in this event; ``tournament`` is what it was after it."""

    at: int
    tournament: Tournament
    kind: Literal["condensed"] = "condensed"


Stored = Event | Condensed
"""The events of a tournament as the journal keeps them."""
