"""Sets of puzzles: those that ship with the package, and the choice of the next and of today's. Reads files."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from functools import cache
from importlib.resources import files

from noughts.puzzles.puzzle import Puzzle, read

_SETS = files("noughts.puzzles") / "sets"


def games() -> list[str]:
    """The keys of the games that have a set, in order."""
    return sorted(file.name.removesuffix(".jsonl") for file in _SETS.iterdir() if file.name.endswith(".jsonl"))


def shipped(key: str) -> list[Puzzle]:
    """The puzzles of a game, the easiest first; none if it has no set."""
    file = _SETS / f"{key}.jsonl"
    return parsed(file.read_text(encoding="utf-8").splitlines()) if file.is_file() else []


@cache
def by_key(game: str) -> dict[str, Puzzle]:
    """The puzzles of a game that ship, by their keys, the easiest first; none if it has no set. They stay in memory."""
    return {puzzle.key: puzzle for puzzle in shipped(game)}


def parsed(lines: Iterable[str]) -> list[Puzzle]:
    """The puzzles in lines of JSON, the easiest first. Raises :class:`~noughts.puzzles.puzzle.BadPuzzle`."""
    return sorted((read(line) for line in lines if line.strip()), key=lambda puzzle: puzzle.rating)


def of_the_day(puzzles: Sequence[Puzzle], day: date) -> Puzzle:
    """The puzzle of ``day``: each of ``puzzles``, at least one, has its day before any has another."""
    order = [*puzzles]
    random.Random(day.toordinal() // len(order)).shuffle(order)
    return order[day.toordinal() % len(order)]


def next_for(puzzles: Sequence[Puzzle], rating: float, done: Collection[str]) -> Puzzle | None:
    """The puzzle nearest to a solver's ``rating`` whose key is not among ``done``; None if none is left."""
    fresh = [puzzle for puzzle in puzzles if puzzle.key not in done]
    return min(fresh, key=lambda puzzle: abs(puzzle.rating - rating), default=None)
