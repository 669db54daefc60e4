"""A puzzle: a position in which exactly one move is right, and what is right is proved. Pure; does no I/O."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b

from noughts.games import Game, IllegalMove, MalformedMove, Position, Side
from noughts.games.catalogue import begin
from noughts.puzzles.oracle import winner_of


class BadPuzzle(ValueError):
    """The text is not a puzzle of a game that is installed here."""


class Goal(StrEnum):
    """The goal of a puzzle, for the side to move.

    WIN and DRAW: one move keeps that result, and all others lose it. FASTEST: one move wins in so many moves, and no
    other wins as soon.
    """

    WIN = "win"
    DRAW = "draw"
    FASTEST = "fastest"


@dataclass(frozen=True)
class Puzzle:
    """A puzzle.

    ``start`` is the game and the position, as :func:`noughts.games.catalogue.begun` gives them. ``line`` begins with
    the one right move, and goes on with the longest defence and the soonest win until the game is decided. ``rating``
    is the difficulty, on the scale of players' ratings.
    """

    start: str
    goal: Goal
    line: tuple[str, ...]
    rating: int

    def __reduce__(self) -> tuple[type[Puzzle], tuple[str, Goal, tuple[str, ...], int]]:
        # Without what is cached: a game cannot be pickled.
        return Puzzle, (self.start, self.goal, self.line, self.rating)

    @cached_property
    def begun(self) -> tuple[Game, Position]:
        """The game and the position. Raises :class:`BadPuzzle`."""
        try:
            return begin(self.start)
        except (LookupError, ValueError) as error:
            raise BadPuzzle(f"{self.start}: {error}") from None

    @property
    def game(self) -> Game:
        """The game."""
        return self.begun[0]

    @property
    def position(self) -> Position:
        """The position before the first move."""
        return self.begun[1]

    @property
    def side(self) -> Side:
        """The side that solves the puzzle."""
        side = self.position.to_move
        if side is None:
            raise BadPuzzle(f"{self.start}: the game is over")
        return side

    @property
    def moves(self) -> int:
        """The number of moves that the side plays in ``line``. Raises :class:`BadPuzzle` if they cannot be played."""
        position, moves = self.position, 0
        try:
            for move in self.line:
                moves += position.to_move is self.side
                position = position.play(move)
        except (MalformedMove, IllegalMove) as error:
            raise BadPuzzle(f"{self.start}: {error}") from None
        return moves

    @property
    def key(self) -> str:
        """A short name that no other puzzle of the game has: 8 hexadecimal digits."""
        return blake2b(self.start.encode(), digest_size=4).hexdigest()

    @property
    def id(self) -> str:
        """The game's key and the puzzle's own, such as ``connect4/0a1b2c3d``."""
        return f"{self.start.partition('#')[0].partition('?')[0]}/{self.key}"


def solved(puzzle: Puzzle, position: Position) -> bool:
    """True if ``position``, in which the side has kept its goal so far, ends the puzzle."""
    return position.to_move is None or winner_of(position) is puzzle.side


def read(text: str) -> Puzzle:
    """The puzzle in a line of JSON, see :func:`written`. Raises :class:`BadPuzzle`."""
    try:
        start, goal, line, rating = json.loads(text)
        return Puzzle(str(start), Goal(goal), tuple(str(line).split()), int(rating))
    except (ValueError, TypeError):
        raise BadPuzzle(f"Not a puzzle: {text:.60}") from None


def written(puzzle: Puzzle) -> str:
    """A line of JSON: the start, the goal, the moves with blanks between, the rating."""
    return json.dumps([puzzle.start, puzzle.goal, " ".join(puzzle.line), puzzle.rating], ensure_ascii=False)
