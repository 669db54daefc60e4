"""The opening rule swap2 for games of lines: one side places, the other chooses. Pure; does no I/O.

The first side places two stones of its own colour and one of the other's. The second side plays on, or swaps, or places
two more stones and leaves the choice to the first.

Sides keep their seats and their colours, so whoever swaps exchanges the colours of the stones: that is the same game,
and no client, clock or record need know that sides can change. Records for other programs tell it as people do, with
stones that stay and players who change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Literal

from noughts.games.base import SWAP, Heuristic, IllegalMove, InvalidPosition, MalformedMove, Outcome, Side
from noughts.games.board import brief, drawn
from noughts.games.grid import read_board
from noughts.games.mnk import LineBoard, LinePosition, parse_line
from noughts.games.picture import picture
from noughts.games.sentences import refused
from noughts.games.threats import Threats
from noughts.value import value

KEEP, MORE = "keep", "more"

Stage = Literal["place", "choose", "add", "last", "play"]
"""The first side places three stones; the second chooses; it may add two; then the first chooses; then they play."""

STONES: dict[Stage, tuple[int, ...]] = {"place": (0, 1, 2), "choose": (3,), "add": (3, 4), "last": (5,)}
"""The number of stones there in each stage of the opening."""
MOVERS: dict[Stage, Side] = {"place": Side.FIRST, "choose": Side.SECOND, "add": Side.SECOND, "last": Side.FIRST}
CHOICES: dict[Stage, tuple[str, ...]] = {"choose": (SWAP, MORE), "last": (KEEP, SWAP)}

RULES = (
    "Black begins with three stones anywhere, a black one, a white one and a black one. White then plays on with a "
    "white stone, or swaps, or places two more stones, a white one and a black one. After two more stones Black "
    "chooses: to keep the stones as they are, or to swap.",
    "To swap is to exchange the colours of all stones. The side with fewer stones moves next, and from then on the "
    "sides take turns.",
)
"""The beginning of a game, in place of the sentence that a game of lines has about that."""

CHOICE = 35
"""The value of the choice of a colour to who has it: the mean of what the compiled search of Gomoku found for the
better colour in 24 positions of three stones that these estimates call even.
"""
OPENING, SPREAD = 3, 10
"""The first three stones differ from game to game, within so many units of the balance."""


@value
class Swap2Position:
    """A position of a game of lines with swap2. Get it from a :class:`~noughts.games.Game`.

    ``line`` has the stones as they were placed, black and white in turn; with ``swapped`` the black ones are the second
    side's. ``ply`` counts stones and choices.
    """

    line: LinePosition
    stage: Stage = "place"
    swapped: bool = False
    ply: int = field(default=0, compare=False)  # the text does not show it

    @property
    def to_move(self) -> Side | None:
        return MOVERS.get(self.stage) or self._owner(self.line.to_move)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        choices = CHOICES.get(self.stage, ())
        return choices if self.stage == "last" else (*self.line.legal_moves, *choices)

    @property
    def outcome(self) -> Outcome | None:
        outcome = self.line.outcome
        if outcome is None or not self.swapped:
            return outcome
        return Outcome(self._owner(outcome.winner), outcome.reason, outcome.cells)

    @property
    def rows(self) -> tuple[str, ...]:
        first, second = self.line.first, self.line.second
        return self.line.on.rows(second, first) if self.swapped else self.line.on.rows(first, second)

    @property
    def text(self) -> str:
        word = Side.FIRST if self.stage == "place" else self._next if self.stage == "play" else self.stage
        return f"{'/'.join(self.rows)} {word}"

    __repr__ = brief

    def __str__(self) -> str:
        on = self.line.on
        return drawn(self, on.layout, on.sides, ground=on.ground)

    def _repr_svg_(self) -> str:
        on = self.line.on
        return picture(self, on.layout, on.sides, ground=on.ground)

    def play(self, move: str) -> Swap2Position:
        ply = self.ply + 1
        if move in (SWAP, KEEP, MORE):
            if move not in CHOICES.get(self.stage, ()):
                raise refused(IllegalMove(f"there is no choice to {move} now"), move, self)
            if move == MORE:
                return Swap2Position(self.line, "add", ply=ply)
            return Swap2Position(self.line, "play", move == SWAP, ply)
        if self.stage == "last" and move in self.line.on.bits:
            raise refused(IllegalMove("choose first: keep or swap"), move, self)
        try:
            line = self.line.play(move)
        except MalformedMove:
            cells = self.line.on.layout
            words = f"a move is a cell, {cells[0][0]} to {cells[-1][-1]}, or {SWAP}, {KEEP} or {MORE}"
            raise refused(MalformedMove(words), move, self) from None
        stage = self.stage
        if stage == "choose":
            stage = "play"
        elif stage != "play" and line.ply not in STONES[stage]:
            stage = "choose" if stage == "place" else "last"
        return Swap2Position(line, stage, self.swapped, ply)

    @property
    def _next(self) -> Side:
        """The side that moves next, or would if the game were not over."""
        colour = Side.SECOND if self.line.ply % 2 else Side.FIRST
        return colour.other if self.swapped else colour

    def _owner(self, colour: Side | None) -> Side | None:
        """The side that has the black stones, for ``FIRST``, or the white ones."""
        return colour.other if colour is not None and self.swapped else colour


def opening_is_over(moves: Sequence[str]) -> bool:
    """True if the stage after ``moves`` from the start, all legal, is ``play``."""
    return SWAP in moves or KEEP in moves or (len(moves) > STONES["choose"][0] and MORE not in moves)


def parser(on: LineBoard) -> Callable[[str], Swap2Position]:
    """The reader of positions of a game with swap2 on the board ``on``."""

    def parse(text: str) -> Swap2Position:
        """Read a board and after a space its stage, or the side to move once the opening is over."""
        cells, word = read_board(text, on.columns, len(on.layout), on.symbols)
        stones = len(cells) - cells.count(".")
        rows = text.partition(" ")[0]
        if word == Side.FIRST and stones in STONES["place"]:
            return Swap2Position(parse_line(on, rows), ply=stones)
        for stage, counts in STONES.items():
            if word == stage != "place":
                if stones not in counts:
                    raise InvalidPosition(f"with {stones} stones the opening is not at '{stage}'")
                return Swap2Position(parse_line(on, rows), stage, ply=stones + (stage in ("add", "last")))
        if word not in tuple(Side):
            raise InvalidPosition(f"after the board stands {', '.join([*STONES][1:])}, first or second")
        swapped = (word == Side.FIRST) == bool(stones % 2)
        if stones < (3 if swapped else 4):
            raise InvalidPosition("the opening is not over with so few stones")
        if swapped:
            rows = rows.translate(str.maketrans(on.symbols, on.symbols[::-1]))
        return Swap2Position(parse_line(on, rows), "play", swapped, stones)

    return parse


def heuristic(threats: Threats, unit: int) -> Heuristic:
    """Estimates by those of a game of lines. Whoever may choose a colour takes the better one."""

    def evaluate(position: Swap2Position) -> int:
        if position.stage == "play":
            return threats.evaluate(position.line)
        if position.stage in CHOICES:
            return abs(threats.evaluate(position.line))
        return -CHOICE

    def candidates(position: Swap2Position) -> tuple[str, ...]:
        line = position.line
        match position.stage:
            case "last":
                return position.legal_moves
            case "place" | "add":
                return threats.plausible(line)
            case "choose":
                return (*CHOICES["choose"], *threats.candidates(line))
            case _:
                return threats.candidates(line)

    def plausible(position: Swap2Position) -> tuple[str, ...]:
        return (*CHOICES.get(position.stage, ()), *threats.plausible(position.line))

    return Heuristic(evaluate, unit, candidates, OPENING, SPREAD, plausible=plausible)
