"""What a journal keeps of games that are over: their results, and the ratings that follow from them.

All of it can be had again from the records; it is kept so that nobody has to read them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

UNDONE = 500
"""How many games become unrated in one transaction, or twice as many against computers: nobody is to wait for more."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game that is over and has a result, written with the record that ended it.

    ``first`` and ``second`` are the ids of who sat there. ``winner`` is None for a draw. ``public`` is false for a
    private room. ``pool`` is that in which it is rated, None for a game that is not. ``ended_at`` is in ms since the
    epoch. Games are in the order of ``ended_at``, and of ``room`` where that is the same.
    """

    room: str
    game: str
    first: str
    second: str
    winner: Literal["first", "second"] | None
    reason: str
    public: bool
    pool: str | None
    ended_at: int


@dataclass(frozen=True, slots=True)
class StoredRating:
    """A player's rating in a game and pool, after ``games`` rated games there. Numbers as in Glicko-2's paper."""

    player: str
    game: str
    pool: str
    rating: float
    deviation: float
    volatility: float
    games: int


@dataclass(frozen=True, slots=True)
class Tally:
    """How many public games with a result a player has of one kind of game, and how they ended."""

    game: str
    won: int
    drawn: int
    lost: int


class Results(Protocol):
    """The games that are over. Every method may wait, none blocks the loop; all raise :class:`JournalError`."""

    async def just_finished(self, game: str | None, since: int, limit: int) -> list[bytes]:
        """The ``listing`` of at most ``limit`` public games that ended after ``since``, the last first."""

    async def finished(
        self,
        *,
        player: str | None = None,
        game: str | None = None,
        since: int = 0,
        private: bool = False,
        after: GameResult | None = None,
        limit: int,
    ) -> list[GameResult]:
        """At most ``limit`` games in order that ended at ``since`` or later, and come after ``after``.

        Of one ``player``, by id, and of one ``game``, where these are given; ``private`` ones too if that is set.
        """

    async def last_of(self, player: str, limit: int) -> list[tuple[GameResult, bytes]]:
        """A player's last ``limit`` public games, the latest first, each with its room's ``listing``."""

    async def tally(self, player: str, limit: int) -> list[Tally]:
        """A player's last ``limit`` public games counted, by game in the order of the keys.

        Who plays against itself drew or lost.
        """

    async def unrated(self, limit: int) -> list[GameResult]:
        """At most ``limit`` games with a pool of which nobody has made ratings yet, in order."""

    async def before(self, finished: GameResult) -> tuple[StoredRating | None, StoredRating | None]:
        """The ratings of both players, in that game and pool, as they were when ``finished`` ended; None: none yet.

        Where later games of that game and pool have been rated already, those that changed a rating become unrated,
        and all ratings there are again as they were. It takes the latest first, in as many transactions as that needs;
        after each of them the ratings are those of the games that are rated.
        """

    async def rate(self, finished: GameResult, first: StoredRating | None, second: StoredRating | None) -> bool:
        """Store the ratings after ``finished``, None where a player's does not change.

        False, with nothing stored, unless the game is unrated, no later one of its game and pool is rated, and each
        rating has one game more than what was stored before.
        """

    async def ratings(self, players: Sequence[str]) -> list[StoredRating]:
        """All ratings of these players, in no particular order."""

    async def leaders(
        self, game: str, pool: str, deviation: float, limit: int
    ) -> list[tuple[StoredRating, str, str, bool]]:
        """The ``limit`` best players of a pool whose deviation is at most ``deviation``, the best first.

        Each with the player's name, kind, and whether the name is registered; banned players are left out. Who is not
        stored, as computers are not, has the id for a name and is a ``computer``.
        """

    async def rating_history(self, player: str, game: str, pool: str, limit: int) -> list[tuple[int, float]]:
        """A player's rating after each of the last ``limit`` rated games: when they ended and what it was; in order."""

    async def over(self, after: str, limit: int) -> list[str]:
        """At most ``limit`` rooms that are over, by id, those after ``after``. For making everything here anew."""

    async def put_anew(self, finished: Sequence[GameResult]) -> None:
        """Store these results where they are not there yet, unrated. Those that are there stay as they are."""

    async def forget_all(self) -> None:
        """Drop all results and ratings: they are to be made anew from the records.

        It may do so bit by bit, so that others can write; until it is done, ratings are those of nothing in particular.
        """


def start_of(since: int, after: GameResult | None) -> tuple[int, str]:
    """What comes before all games that ended at ``since`` or later and after ``after``, as a time and a room."""
    start = (since, "")
    return start if after is None else max(start, (after.ended_at, after.room))


def tallies(counts: Iterable[tuple[str, str, int]]) -> list[Tally]:
    """The tallies of so many games of each kind that were ``won``, ``drawn`` or ``lost``."""
    by_game: dict[str, dict[str, int]] = {}
    for game, outcome, count in counts:
        by_game.setdefault(game, {})[outcome] = count
    return [
        Tally(game, *(outcomes.get(outcome, 0) for outcome in ("won", "drawn", "lost")))
        for game, outcomes in sorted(by_game.items())
    ]
