"""``noughts tree``: which tree is grown, how much of it is shown, and in which form. Pure; does no I/O."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from noughts.explain.as_dot import as_dot
from noughts.explain.as_json import as_json
from noughts.explain.as_svg import as_svg
from noughts.explain.as_text import as_text
from noughts.explain.drawing import WIDTH, Drawing, counted, plies, side_name
from noughts.explain.fold import canonical, fit, size, turns_of
from noughts.explain.grow import Node, Plan, Search, TooLarge, grow, scoring, with_margins
from noughts.explain.leaves import Leaves, score_of_leaf
from noughts.games import Game, Position, Side

FORMATS: dict[str, Callable[[Drawing], str]] = {
    "text": as_text,
    "dot": as_dot,
    "svg": as_svg,
    "json": lambda drawing: json.dumps(as_json(drawing), indent=2),
}
"""The forms that a drawing can have."""

MOST_VISITED = 100_000
"""Nodes of alpha-beta: within seconds. The whole of tic-tac-toe has 34,203, and 549,946 for minimax."""

MOST_VISITED_AT_ALL = 2_000_000

MOST_KEPT = 5000
"""Nodes: greater trees are kept to the fifth ply, and no farther can they be shown."""

PLIES_KEPT = 5
MOST_SHOWN = 50
"""Nodes, where nobody says how deep to go: about a screen. A smaller tree is not folded."""

MOST_SHOWN_AT_ALL = 3000
DEPTH = 2
"""In plies: how far a game is searched that is too large to be searched to its end."""

METHODS = {Search.MINIMAX: "minimax", Search.ALPHA_BETA: "alpha-beta"}


def draw(
    game: Game,
    position: Position,
    depth: int | None,
    search: Search,
    form: str,
    *,
    folded: bool = True,
    width: int = WIDTH,
) -> str:
    """The tree of a game from ``position``, in one of the :data:`FORMATS`.

    It is searched to the end of the game if that can be done in some seconds, else to ``depth`` plies; and it is shown
    to ``depth`` plies, None for as many as are easily read. Where ``folded``, children of a large tree that are each
    other's reflections are shown once. Raises :class:`TooLarge` when there is too much to do for that.
    """
    notes = []
    try:
        tree = _grown(game, position, None, Search.ALPHA_BETA, MOST_VISITED)
        if search is Search.MINIMAX:
            tree = _grown(game, position, None, search, MOST_VISITED_AT_ALL)
    except TooLarge:
        max_depth = depth or DEPTH
        tree = _grown(game, position, max_depth, search, MOST_VISITED_AT_ALL)
        counts = "is estimated by the game's evaluation" if game.heuristic else "counts as a draw"
        before = "" if game.margin is None else " What is decided comes before any estimate."
        notes.append(
            f"The game is too large to be searched to its end: it is searched {plies(max_depth)} deep, and what is not "
            f"decided by then {counts}, marked ~.{before}"
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
            f"{nodes:,} of {tree.nodes:,} nodes are shown. --depth N shows N plies, --no-fold reflections, too."
        )
    maximizer = position.to_move or (Side.SECOND if position.ply % 2 else Side.FIRST)
    drawing = Drawing(
        shown,
        game,
        f"{game.title}, {METHODS[search]}: {counted(tree.nodes, 'node', 'nodes')} visited",
        f"MAX is {side_name(game, maximizer)}, MIN is {side_name(game, maximizer.other)}.",
        tuple(notes),
        width,
    )
    return FORMATS[form](drawing)


def _grown(game: Game, position: Position, max_depth: int | None, search: Search, most: int) -> Node:
    """The tree, to the end or to ``max_depth`` plies, all of it if it is small. Raises :class:`TooLarge`."""
    plan = Plan(scoring(game, position, max_depth), search, keep=PLIES_KEPT, most=most)
    tree = grow(position, plan)
    if tree.nodes <= MOST_KEPT:
        tree = grow(position, replace(plan, keep=None))
    return tree if game.margin is None else with_margins(tree, game.win)


def draw_leaves(leaves: Sequence[float], search: Search, form: str, *, width: int = WIDTH) -> str:
    """The complete binary tree with these leaves, in one of the :data:`FORMATS`.

    Raises ValueError unless the number of leaves is a power of two.
    """
    if len(leaves).bit_count() != 1:
        raise ValueError(f"a complete binary tree has 1, 2, 4, 8, ... leaves, not {len(leaves)}")
    # Here the window narrows at the root, too: only the root's value is asked for.
    plan = Plan(score_of_leaf, search, window=math.inf, every_move=False)
    tree = grow(Leaves(tuple(leaves)), plan)
    drawing = Drawing(
        tree,
        None,
        f"A tree of {counted(len(leaves), 'leaf', 'leaves')}, {METHODS[search]}: "
        f"{counted(tree.nodes, 'node', 'nodes')} visited",
        "MAX moves at the root, then the two take turns.",
        width=width,
    )
    return FORMATS[form](drawing)
