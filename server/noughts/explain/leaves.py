"""The trees of lecture notes, given by their leaves, as :mod:`noughts.engine.tree` has them. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from noughts.explain.grow import Score
from noughts.games import IllegalMove, MalformedMove, Outcome, Position, Reason, Side

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True, slots=True)
class Leaves:
    """A node of the tree, as a position: the leaves below it, 1, 2, 4, 8, ... of them."""

    leaves: tuple[float, ...]
    ply: int = 0

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome else Side.SECOND if self.ply % 2 else Side.FIRST

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return () if self.outcome else (LEFT, RIGHT)

    @property
    def outcome(self) -> Outcome | None:
        return Outcome(None, Reason.COUNT) if len(self.leaves) == 1 else None

    @property
    def rows(self) -> tuple[str, ...]:
        return ()

    @property
    def text(self) -> str:
        return " ".join(map(str, self.leaves))

    def play(self, move: str) -> Leaves:
        if move not in {LEFT, RIGHT}:
            raise MalformedMove(f"a move is {LEFT} or {RIGHT}")
        if self.outcome:
            raise IllegalMove("this is a leaf")
        middle = len(self.leaves) // 2
        return Leaves(self.leaves[:middle] if move == LEFT else self.leaves[middle:], self.ply + 1)


def score_of_leaf(position: Position, depth: int) -> Score | None:  # noqa: ARG001  # the ply does not matter here
    """The value of a leaf, None of any other node."""
    leaves = cast(Leaves, position).leaves
    return Score(leaves[0]) if len(leaves) == 1 else None
