"""``noughts tree``: search a tree, reduce it to a readable size, and draw it. Pure; does no I/O."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from noughts.explain.as_dot import as_dot
from noughts.explain.as_json import as_json
from noughts.explain.as_svg import as_svg
from noughts.explain.as_text import as_text
from noughts.explain.drawing import WIDTH, Drawing, counted, plies, side_name
from noughts.explain.fold import canonical, fit, size, turns_of
from noughts.explain.grow import Method, Node, Plan, Score, TooLarge, grow, maximizer_of, scoring, with_margins
from noughts.games import Game, IllegalMove, MalformedMove, Outcome, Position, Reason, Side

FORMATS: dict[str, Callable[[Drawing], str]] = {
    "text": as_text,
    "dot": as_dot,
    "svg": as_svg,
    "json": lambda drawing: json.dumps(as_json(drawing), indent=2),
}
"""The formats of a drawing."""

LEFT, RIGHT = "left", "right"
"""The moves in a tree of leaves."""

MOST_VISITED = 100_000
"""Nodes of a search to the end by alpha-beta: some seconds. Tic-tac-toe has 34,203 (549,946 for minimax)."""

MOST_VISITED_AT_ALL = 2_000_000
"""Nodes of any search."""

MOST_KEPT = 5000
"""Nodes: larger trees are kept only to ``PLIES_KEPT`` plies, and cannot be shown any deeper."""

PLIES_KEPT = 5
MOST_SHOWN = 50
"""Nodes if no depth is given: about a screen. A smaller tree is not folded."""

MOST_SHOWN_AT_ALL = 3000
"""Nodes if a depth is given."""

DEPTH = 2
"""In plies: how deep a game is searched that is too large to be searched to its end."""

METHODS = {Method.MINIMAX: "minimax", Method.ALPHA_BETA: "alpha-beta"}


def draw(
    game: Game,
    position: Position,
    depth: int | None,
    method: Method,
    form: str,
    *,
    folded: bool = True,
    width: int = WIDTH,
) -> str:
    """Draw the tree of a game from ``position``, in one of the :data:`FORMATS`.

    The search goes to the end of the game if that takes only seconds, otherwise to ``depth`` plies. The drawing shows
    ``depth`` plies, or with None as many as are easy to read. With ``folded``, children of a large tree that are
    reflections of each other are shown once. Raises :class:`TooLarge` if the search would visit too many nodes.
    """
    notes = []
    try:
        tree = _grown(game, position, None, Method.ALPHA_BETA, MOST_VISITED)
        if method is Method.MINIMAX:
            tree = _grown(game, position, None, method, MOST_VISITED_AT_ALL)
    except TooLarge:
        max_depth = depth or DEPTH
        tree = _grown(game, position, max_depth, method, MOST_VISITED_AT_ALL)
        counts = "are estimated by the game's evaluation" if game.heuristic else "count as draws"
        before = "" if game.margin is None else " Wins and losses outrank any estimate."
        notes.append(
            f"The game is too large to be searched to its end: it is searched {plies(max_depth)} deep. Positions that "
            f"are not decided there {counts}, marked ~.{before}"
        )
    turns = turns_of(game) if folded and tree.nodes > MOST_SHOWN else ()
    shown = fit(
        tree,
        depth,
        MOST_SHOWN if depth is None else MOST_SHOWN_AT_ALL,
        (lambda child: canonical(game, child, turns)) if turns else None,
    )
    if (nodes := size(shown)) < tree.nodes:
        notes.append(
            f"{nodes:,} of {tree.nodes:,} nodes are shown. --depth N shows N plies, --no-fold shows reflections too."
        )
    maximizer = maximizer_of(position)
    drawing = Drawing(
        shown,
        game,
        f"{game.title}, {METHODS[method]}: {counted(tree.nodes, 'node', 'nodes')} visited",
        f"MAX is {side_name(game, maximizer)}, MIN is {side_name(game, maximizer.other)}.",
        tuple(notes),
        width,
    )
    return FORMATS[form](drawing)


def _grown(game: Game, position: Position, max_depth: int | None, method: Method, most: int) -> Node:
    """The tree, to the end of the game or to ``max_depth`` plies. Raises :class:`TooLarge`."""
    plan = Plan(scoring(game, position, max_depth), method, keep=PLIES_KEPT, most=most)
    tree = grow(position, plan)
    if tree.nodes <= MOST_KEPT:
        tree = grow(position, replace(plan, keep=None))
    return tree if game.margin is None else with_margins(tree, game.win)


def draw_leaves(leaves: Sequence[float], method: Method, form: str, *, width: int = WIDTH) -> str:
    """Draw the complete binary tree with these leaves, in one of the :data:`FORMATS`.

    Raises ValueError unless the number of leaves is a power of two.
    """
    if len(leaves).bit_count() != 1:
        raise ValueError(f"a complete binary tree has 1, 2, 4, 8, ... leaves, not {len(leaves)}")
    # Only the root's value is needed, so the window may narrow at the root too.
    plan = Plan(score_of_leaf, method, window=math.inf, every_move=False)
    tree = grow(Leaves(tuple(leaves)), plan)
    drawing = Drawing(
        tree,
        None,
        f"A tree of {counted(len(leaves), 'leaf', 'leaves')}, {METHODS[method]}: "
        f"{counted(tree.nodes, 'node', 'nodes')} visited",
        "MAX moves at the root, then the two take turns.",
        width=width,
    )
    return FORMATS[form](drawing)


@dataclass(frozen=True, slots=True)
class Leaves:
    """A node of a complete binary tree as a position: the leaves below it, 1, 2, 4, 8, ... of them."""

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


def score_of_leaf(position: Position, depth: int) -> Score | None:  # noqa: ARG001  # a Plan passes it
    """The value of a leaf; None for any other node."""
    leaves = cast(Leaves, position).leaves
    return Score(leaves[0]) if len(leaves) == 1 else None
