"""``noughts tree``: search a tree, reduce it to a readable size, and draw it. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from noughts.engine import Method, Tracing, TreePosition, parse_tree, trace_game, trace_tree
from noughts.engine.grow import (
    Node,
    Plan,
    TooLarge,
    cautions,
    estimate_branch,
    estimating,
    grow,
    maximizer_of,
    scoring,
    scoring_leaves,
    with_margins,
)
from noughts.engine.minimax import never
from noughts.explain.as_animation import as_animation
from noughts.explain.as_dot import as_dot
from noughts.explain.as_svg import as_svg
from noughts.explain.as_text import as_text
from noughts.explain.drawing import METHODS, WIDTH, Drawing, counted, plies, side_name
from noughts.explain.fold import fit, size
from noughts.explain.played import Played, as_json
from noughts.games import Game, Position
from noughts.games.symmetry import canonical, turns_of

FORMATS: dict[str, Callable[[Drawing], str]] = {"text": as_text, "dot": as_dot, "svg": as_svg}
"""The formats of a drawing."""

PLAYED: dict[str, Callable[[Played], str]] = {"animation": as_animation, "json": as_json}
"""The formats of a trace."""

MOST_VISITED = 100_000
"""Nodes of a search to the end by alpha-beta: some seconds. Tic-tac-toe has 20,866 (549,946 for minimax)."""

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


@dataclass(frozen=True, slots=True)
class Wish:
    """The wishes for a drawing. ``depth`` is in plies, None for as many as are easy to read. ``stop`` ends a trace
    early.

    ``hint`` tells the user how to see more of a large tree.
    """

    method: Method = Method.ALPHA_BETA
    form: str = "text"
    depth: int | None = None
    strict: bool = False
    folded: bool = True
    stop: Callable[[], bool] = never
    hint: str = "--depth N shows N plies, --no-fold shows reflections too."


def draw(game: Game, position: Position, wish: Wish, *, width: int = WIDTH) -> str:
    """Draw the tree of a game from ``position``, in one of the :data:`FORMATS` or :data:`PLAYED`.

    The search goes to the end of the game if that takes only seconds, otherwise to ``wish.depth`` plies. The drawing
    shows that many plies, or with None as many as are easy to read. If ``wish.folded``, children of a large tree that
    are reflections of each other are shown once. Raises :class:`TooLarge` if the search would visit too many nodes.
    """
    if wish.form in PLAYED:
        return _played(game, position, wish)
    return FORMATS[wish.form](drawing(game, position, wish, width=width))


def drawing(game: Game, position: Position, wish: Wish, *, width: int = WIDTH) -> Drawing:
    """The drawing of :func:`draw`, in none of the formats yet. Raises :class:`TooLarge`."""
    notes = list(cautions(game, wish.method))
    depth, plain = wish.depth, replace(wish, method=Method.ALPHA_BETA)
    try:
        tree = _grown(game, position, None, plain, MOST_VISITED)
        if wish.method is not Method.ALPHA_BETA:
            tree = _grown(game, position, None, wish, MOST_VISITED_AT_ALL)
    except TooLarge:
        max_depth = depth or DEPTH
        tree = _grown(game, position, max_depth, wish, MOST_VISITED_AT_ALL)
        notes.append(_shallow(game, max_depth))
    turns = turns_of(game) if wish.folded and tree.nodes > MOST_SHOWN else ()
    shown = fit(
        tree,
        depth,
        MOST_SHOWN if depth is None else MOST_SHOWN_AT_ALL,
        (lambda child: canonical(game, child, turns)) if turns else None,
    )
    if (nodes := size(shown)) < tree.nodes:
        notes.append(f"{nodes:,} of {tree.nodes:,} nodes are shown. {wish.hint}")
    return Drawing(
        _written(game, shown),
        game,
        f"{game.title}, {METHODS[wish.method]}: {counted(tree.nodes, 'node', 'nodes')} visited",
        _players(game, position),
        tuple(notes),
        width,
        wish.strict,
    )


def _written(game: Game, node: Node) -> Node:
    """The tree with its moves as people write them."""
    if game.notation is None:
        return node
    name = partial(game.notation, node.position)
    return replace(
        node,
        best=tuple(map(name, node.best)),
        cut=node.cut and replace(node.cut, moves=tuple(map(name, node.cut.moves))),
        children=tuple(
            replace(_written(game, child), move=name(str(child.move)), alike=tuple(map(name, child.alike)))
            for child in node.children
        ),
    )


def _played(game: Game, position: Position, wish: Wish) -> str:
    """A trace of the search, to the end of the game or to ``wish.depth`` plies."""
    max_depth = wish.depth
    if max_depth is None:
        try:
            _grown(game, position, None, replace(wish, method=Method.ALPHA_BETA), MOST_VISITED)
        except TooLarge:
            max_depth = DEPTH
    trace = trace_game(game, position, Tracing(wish.method, wish.strict, max_depth), wish.stop)
    if max_depth is not None:
        trace = replace(trace, notes=(*trace.notes, _shallow(game, max_depth)))
    subject = {"game": game.key, "position": position.text}
    return PLAYED[wish.form](Played(trace, subject, game.title, _players(game, position)))


def _shallow(game: Game, max_depth: int) -> str:
    counts = "are estimated by the game's evaluation" if game.heuristic else "count as draws"
    before = "" if game.margin is None else " Wins and losses outrank any estimate."
    return (
        f"The game is too large to be searched to its end: it is searched {plies(max_depth)} deep. Positions that "
        f"are not decided there {counts}, marked ~.{before}"
    )


def _players(game: Game, position: Position) -> str:
    maximizer = maximizer_of(position)
    return f"MAX is {side_name(game, maximizer)}, MIN is {side_name(game, maximizer.other)}."


def _grown(game: Game, position: Position, max_depth: int | None, wish: Wish, most: int) -> Node:
    """The tree, to the end of the game or to ``max_depth`` plies. Raises :class:`TooLarge`."""
    plan = Plan(
        scoring(game, position, max_depth),
        wish.method,
        keep=PLIES_KEPT,
        most=most,
        strict=wish.strict,
        estimate=estimating(game, position),
    )
    tree = grow(position, plan)
    if tree.nodes <= MOST_KEPT:
        tree = grow(position, replace(plan, keep=None))
    return tree if game.margin is None else with_margins(tree, game.win)


def draw_leaves(tree: str, wish: Wish, *, width: int = WIDTH) -> str:
    """Draw a tree of leaves, in one of the :data:`FORMATS`. Raises :class:`~noughts.engine.BadTree`."""
    root = parse_tree(tree)
    if wish.form in PLAYED:
        tracing = Tracing(wish.method, wish.strict, wish.depth, tree)
        trace = trace_tree(tracing, wish.stop)
        return PLAYED[wish.form](Played(trace, {"tree": tree}, _leaves_title(root), LEAVES_KEY))
    return FORMATS[wish.form](leaves_drawing(root, wish, width=width))


def leaves_drawing(root: TreePosition, wish: Wish, *, width: int = WIDTH) -> Drawing:
    """The drawing of :func:`draw_leaves`, in none of the formats yet."""
    plan = Plan(scoring_leaves(wish.depth), wish.method, strict=wish.strict, estimate=estimate_branch)
    grown = grow(root, plan)
    return Drawing(
        grown,
        None,
        f"{_leaves_title(root)}, {METHODS[wish.method]}: {counted(grown.nodes, 'node', 'nodes')} visited",
        LEAVES_KEY,
        width=width,
        strict=wish.strict,
    )


LEAVES_KEY = "MAX moves at the root, then the two take turns."


def _leaves_title(root: TreePosition) -> str:
    return f"A tree of {counted(root.branch.leaves, 'leaf', 'leaves')}"
