"""The record of a person who solves puzzles: ratings, what is done, and the days running. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from noughts.glicko2 import Rating, after
from noughts.puzzles.puzzle import Puzzle

BEGINNER = Rating(1000.0)
"""The rating of somebody who has solved nothing yet."""

PUZZLE_DEVIATION = 100.0
"""The deviation of a puzzle's rating, which is a guess."""


def rating_after(rating: Rating, puzzle: Puzzle, score: float) -> Rating:
    """The rating of a solver after the first try of ``puzzle``, with the ``score`` of :meth:`Record.tried`."""
    return after(rating, [(Rating(puzzle.rating, PUZZLE_DEVIATION), score)])


class BadRecord(ValueError):
    """The object is no record."""


@dataclass(frozen=True, slots=True)
class Record:
    """A solver's record.

    ``ratings`` are by game. ``done`` has for each game the keys of the puzzles that were tried, in order. ``last`` is
    the last day on which one was solved, and ``running`` the number of days without a break up to it.
    """

    ratings: Mapping[str, Rating] = field(default_factory=dict)
    done: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    last: date | None = None
    running: int = 0

    def rating(self, game: str) -> Rating:
        """The rating in a game, by its key."""
        return self.ratings.get(game, BEGINNER)

    def days(self, today: date) -> int:
        """The days running: 0 if neither today nor yesterday had a solved puzzle."""
        return self.running if self.last is not None and today - self.last <= timedelta(1) else 0

    def tried(self, puzzle: Puzzle, score: float, today: date) -> Record:
        """The record after a puzzle: the ``score`` is 1 if it was solved, 1/2 with a hint, 0 after a wrong move.

        Only the first try changes the rating.
        """
        key, record = puzzle.game.key, self
        if puzzle.key not in self.done.get(key, ()):
            record = replace(
                self,
                ratings={**self.ratings, key: rating_after(self.rating(key), puzzle, score)},
                done={**self.done, key: (*self.done.get(key, ()), puzzle.key)},
            )
        if not score or self.last == today:
            return record
        return replace(record, last=today, running=self.days(today) + 1)


def as_object(record: Record) -> dict[str, Any]:
    """The record for a JSON file."""
    return {
        "ratings": {key: asdict(rating) for key, rating in record.ratings.items()},
        "done": {key: list(done) for key, done in record.done.items()},
        "last": None if record.last is None else record.last.isoformat(),
        "running": record.running,
    }


def from_object(content: Any) -> Record:
    """The record that :func:`as_object` wrote. Raises :class:`BadRecord`."""
    try:
        return Record(
            {
                str(key): Rating(**{name: float(number) for name, number in each.items()})
                for key, each in content["ratings"].items()
            },
            {str(key): tuple(map(str, done)) for key, done in content["done"].items()},
            None if content["last"] is None else date.fromisoformat(content["last"]),
            int(content["running"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadRecord(f"{type(error).__name__}: {error}") from None
