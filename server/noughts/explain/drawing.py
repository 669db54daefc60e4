"""The words and numbers that all drawings of a tree share. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.engine.analysis import Bound
from noughts.engine.grow import Cut, Method, Node
from noughts.games import Game, Side
from noughts.games.board import Faces, faces

METHODS = {
    Method.MINIMAX: "minimax",
    Method.ALPHA_BETA: "alpha-beta",
    Method.ORDERED: "alpha-beta with move ordering",
    Method.TABLE: "alpha-beta with a table",
}

MOST_NAMES = 12
WIDTH = 100
"""In columns: lines are no longer than this if possible."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A tree and its captions.

    ``game`` is None for a tree of leaves. ``title`` says what was searched and how, ``key`` names MAX and MIN, and
    ``notes`` say what is left out. ``width`` is the preferred length of lines, in columns. ``strict``: nodes were cut
    only where alpha was greater than beta.
    """

    tree: Node
    game: Game | None
    title: str
    key: str
    notes: tuple[str, ...] = ()
    width: int = WIDTH
    strict: bool = False

    def board(self, node: Node) -> Faces:
        """The content of each cell of a node's board, row by row; no rows in a tree of leaves."""
        return node.position.rows if self.game is None else faces(self.game, node.position)

    def role(self, node: Node) -> str:
        """The side to move, or the end of the game."""
        outcome = node.position.outcome
        if outcome is None:
            return "MAX" if node.maximizing else "MIN"
        if self.game is None:
            return "leaf"
        return "draw" if outcome.winner is None else f"{self.game.style(outcome.winner).name} wins"

    def cut(self, node: Node, cut: Cut) -> str:
        """The moves cut at ``node``, and the reason. In a tree of leaves the moves are numbers, so the leaves are named
        too."""
        left = (
            "" if self.game is not None else f" ({names(tuple(node.position.play(move).text for move in cut.moves))})"
        )
        return f"cut{left}, {condition(cut.alpha, cut.beta, maximizing=node.maximizing, strict=self.strict)}"


def number(value: float) -> str:
    """A value or the end of a window with all its digits, so that different values look different."""
    return str(value)


def value(node: Node) -> str:
    """The value of a node, marked as exact, a bound, or an estimate."""
    sign = {None: "= ", Bound.UPPER: "≤ ", Bound.LOWER: "≥ "}[node.bound]
    return f"{sign}{'~' if node.estimated else ''}{number(node.value)}"


def more(node: Node) -> str:
    """The part that a node leaves out: the nodes below it, or that were below it before, and its equivalent
    siblings."""
    notes = []
    if node.folded:
        notes.append(f"... {node.nodes - 1:,} below")
    if node.known:
        notes.append("known from the table")
    if node.alike:
        notes.append(f"and {len(node.alike)} equivalent: {names(node.alike)}")
    return "; ".join(notes)


def condition(alpha: float, beta: float, *, maximizing: bool, strict: bool) -> str:
    """The reason why a node was cut, beginning with what the node changed."""
    if maximizing:
        return f"alpha {number(alpha)} {'>' if strict else '≥'} beta {number(beta)}"
    return f"beta {number(beta)} {'<' if strict else '≤'} alpha {number(alpha)}"


def names(moves: tuple[str, ...]) -> str:
    """The names of moves; only the first ones if there are many."""
    if len(moves) <= MOST_NAMES:
        return ", ".join(moves)
    return f"{', '.join(moves[: MOST_NAMES - 1])} and {len(moves) - MOST_NAMES + 1} others"


def side_name(game: Game, side: Side) -> str:
    """The game's name for a side, with its symbol if that is different."""
    style = game.style(side)
    return style.name if style.name.lower() == style.symbol else f"{style.name} ({style.symbol})"


def plies(number: int) -> str:
    """For example "1 ply" or "7 plies"."""
    return counted(number, "ply", "plies")


def counted(number: int, one: str, several: str) -> str:
    """A number and the noun in the right form."""
    return f"{number:,} {one if number == 1 else several}"
