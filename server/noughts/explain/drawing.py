"""What all drawings of a tree have in common: its words and numbers. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.engine.analysis import Bound
from noughts.explain.grow import Cut, Node
from noughts.games import Game, Side

MOST_NAMES = 12
WIDTH = 100
"""In columns: lines are no longer, where that can be."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A tree and what is said with it.

    ``game`` is None for a tree of leaves. ``title`` says what was searched and how, ``key`` who is who, and ``notes``
    what is left out. Lines of text are ``width`` long, in columns, where that can be.
    """

    tree: Node
    game: Game | None
    title: str
    key: str
    notes: tuple[str, ...] = ()
    width: int = WIDTH

    def role(self, node: Node) -> str:
        """Whose turn it is, or how the game ended."""
        outcome = node.position.outcome
        if outcome is None:
            return "MAX" if node.maximizing else "MIN"
        if self.game is None:
            return "leaf"
        return "draw" if outcome.winner is None else f"{self.game.style(outcome.winner).name} wins"


def number(value: float) -> str:
    """A value or a window's end in figures, all of them: what differs must look different."""
    return str(value)


def value(node: Node) -> str:
    """The value of a node and what it is: exact, a bound, or estimated."""
    sign = {None: "= ", Bound.UPPER: "≤ ", Bound.LOWER: "≥ "}[node.bound]
    return f"{sign}{'~' if node.estimated else ''}{number(node.value)}"


def more(node: Node) -> str:
    """What is not shown at a node: what was visited below it, and its like. Empty for nothing."""
    said = []
    if node.folded:
        said.append(f"... {node.nodes - 1:,} below")
    if node.alike:
        said.append(f"and {len(node.alike)} more like it: {names(node.alike)}")
    return "; ".join(said)


def window(cut: Cut) -> str:
    """Why a branch was cut."""
    return f"alpha {number(cut.alpha)} ≥ beta {number(cut.beta)}"


def names(moves: tuple[str, ...]) -> str:
    """The names of moves, the first of them when they are many."""
    if len(moves) <= MOST_NAMES:
        return ", ".join(moves)
    return f"{', '.join(moves[: MOST_NAMES - 1])} and {len(moves) - MOST_NAMES + 1} others"


def side_name(game: Game, side: Side) -> str:
    """What the game calls a side, with its symbol on the board where that is not the same."""
    style = game.style(side)
    return style.name if style.name.lower() == style.symbol else f"{style.name} ({style.symbol})"


def plies(number: int) -> str:
    """A number of plies in words."""
    return counted(number, "ply", "plies")


def counted(number: int, one: str, several: str) -> str:
    """A number of things in words."""
    return f"{number:,} {one if number == 1 else several}"
