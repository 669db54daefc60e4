"""Drawn trees have the nodes and values of the engine's searches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

import pytest

from noughts.engine import Bound, alpha_beta, minimax
from noughts.engine.grow import Method, Node, Plan, TooLarge, grow, scoring
from noughts.games import GAMES, Game, Heuristic, Position, Side
from noughts.games.mnk import mnk
from walks import exact_value, reachable

GAME = GAMES["tictactoe"]
SMALL = mnk("small", "3 in a row on 4x3", 4, 3, 3)


def tree(game: Game, position: Position, method: Method, max_depth: int | None = None) -> Node:
    return grow(position, Plan(scoring(game, position, max_depth), method, window=game.win))


def some(least: int) -> list[Position]:
    """Positions of tic-tac-toe after at least so many plies."""
    positions = [position for position in reachable("tictactoe") if position.ply >= least]
    return sorted(positions, key=lambda position: position.text)[::10]


def walk(node: Node, depth: int = 0) -> Iterator[tuple[Node, int]]:
    yield node, depth
    for child in node.children:
        yield from walk(child, depth + 1)


def true_value(root: Position, position: Position, depth: int) -> int:
    """The exact value of ``position``, ``depth`` plies from ``root``, for the side to move at the root."""
    value = exact_value(position)
    later = value - depth if value > 0 else value + depth if value < 0 else 0
    return later if depth % 2 == 0 else -later


def textbook(game: Game, root: Position, max_depth: int | None) -> tuple[float, int]:
    """The value of ``root`` and the nodes visited by alpha-beta as Russell and Norvig write it, written anew here."""
    score, nodes = scoring(game, root, max_depth), 0

    def max_value(position: Position, depth: int, alpha: float, beta: float) -> float:
        nonlocal nodes
        nodes += 1
        if (end := score(position, depth)) is not None:
            return end.value
        value = -inf
        for move in position.legal_moves:
            value = max(value, min_value(position.play(move), depth + 1, alpha, beta))
            if value >= beta:
                return value
            alpha = max(alpha, value)
        return value

    def min_value(position: Position, depth: int, alpha: float, beta: float) -> float:
        nonlocal nodes
        nodes += 1
        if (end := score(position, depth)) is not None:
            return end.value
        value = inf
        for move in position.legal_moves:
            value = min(value, max_value(position.play(move), depth + 1, alpha, beta))
            if value <= alpha:
                return value
            beta = min(beta, value)
        return value

    return max_value(root, 0, -inf, inf), nodes


@pytest.mark.parametrize(
    ("game", "moves", "max_depth"),
    [(GAME, "", 3), (GAME, "1", None), (GAME, "1425", None), (SMALL, "a2 c1 d1 b3", None), (SMALL, "", 3)],
)
def test_alpha_beta_visits_the_nodes_of_the_textbook(game: Game, moves: str, max_depth: int | None) -> None:
    position = game.start
    for move in moves.split() if " " in moves else moves:
        position = position.play(move)
    drawn = tree(game, position, Method.ALPHA_BETA, max_depth)
    assert (drawn.value, drawn.nodes) == textbook(game, position, max_depth)


def test_alpha_narrows_at_the_root() -> None:
    assert grow(GAME.start, Plan(scoring(GAME, GAME.start, None), keep=1)).nodes == 20866
    for position in some(5):
        drawn, searched = tree(GAME, position, Method.ALPHA_BETA), alpha_beta(position)
        assert (drawn.value, drawn.best[:1]) == (searched.value, searched.best[:1])
        assert set(drawn.best) <= set(searched.best)
        assert drawn.nodes <= searched.nodes
        for child in drawn.children:
            value = searched.values[str(child.move)]
            assert child.value >= value if child.bound is Bound.UPPER else child.value == value


def test_minimax_matches_the_engine() -> None:
    for position in some(5):
        drawn = grow(position, Plan(scoring(GAME, position, None), Method.MINIMAX, keep=1))
        searched = minimax(position)
        assert (drawn.value, drawn.nodes, drawn.best) == (searched.value, searched.nodes, searched.best)
        assert {child.move: child.value for child in drawn.children} == searched.values


@pytest.mark.parametrize("max_depth", [1, 2, 3, 5])
@pytest.mark.parametrize("moves", ["", "1425", "a2 c1 d1 b3"])
def test_a_search_of_limited_depth_matches_the_engine(moves: str, max_depth: int) -> None:
    game = SMALL if " " in moves else GAME
    position = game.start
    for move in moves.split() if " " in moves else moves:
        position = position.play(move)
    drawn, searched = (
        tree(game, position, Method.MINIMAX, max_depth),
        minimax(position, win=game.win, max_depth=max_depth),
    )
    assert (drawn.value, drawn.nodes, drawn.best) == (searched.value, searched.nodes, searched.best)
    assert tree(game, position, Method.ALPHA_BETA, max_depth).value == searched.value


def test_exact_values_and_bounds_hold() -> None:
    bounds = set()
    for root in [GAME.parse("xo./.../..."), GAME.parse("x../.o./..."), GAME.parse("xo./.x./...")]:
        for node, depth in walk(tree(GAME, root, Method.ALPHA_BETA)):
            value = true_value(root, node.position, depth)
            bounds.add(node.bound)
            if node.bound is None:
                assert node.value == value
            elif node.bound is Bound.LOWER:
                assert node.value <= value
            else:
                assert node.value >= value
    assert bounds == {None, Bound.LOWER, Bound.UPPER}
    assert all(node.bound is None for node, _ in walk(tree(GAME, GAME.parse("xo./.x./..."), Method.MINIMAX)))


def test_cuts_come_where_alpha_meets_beta() -> None:
    cuts = 0
    for node, _ in walk(tree(GAME, GAME.parse("xo./.../..."), Method.ALPHA_BETA)):
        looked_at = tuple(child.move for child in node.children)
        assert looked_at + (node.cut.moves if node.cut else ()) == node.position.legal_moves
        if node.cut:
            cuts += 1
            assert node.cut.moves
            assert node.cut.alpha >= node.cut.beta
            assert node.value == (node.cut.alpha if node.maximizing else node.cut.beta)
        assert node.nodes == 1 + sum(child.nodes for child in node.children)
        assert all(node.value == child.value for child in node.children if child.move in node.best)
        assert bool(node.best) == bool(node.children)
    assert cuts


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("method", [Method.ORDERED, Method.TABLE])
def test_orders_and_tables_find_the_same_with_fewer_nodes(method: Method, strict: bool) -> None:
    fewer = 0
    for position in some(5):
        plan = Plan(scoring(GAME, position, None), method, strict=strict)
        found, searched = grow(position, plan), alpha_beta(position)
        assert found.value == searched.value
        assert set(found.best) <= set(searched.best)
        fewer += searched.nodes - found.nodes
        for node, depth in walk(found):
            value = true_value(position, node.position, depth)
            assert node.value <= value if node.bound is Bound.LOWER else node.value >= value
            assert node.bound is not None or node.value == value
    assert fewer > 0


def test_dropped_plies_are_counted() -> None:
    kept = grow(GAME.start, Plan(scoring(GAME, GAME.start, None), keep=2))
    assert kept.nodes == 20866
    assert max(depth for _, depth in walk(kept)) == 2
    assert all(node.folded == (depth == 2) and not (node.folded and node.cut) for node, depth in walk(kept))


def test_a_search_gives_up_after_its_most_nodes() -> None:
    position = GAME.parse("xo./.../...")
    plan = Plan(scoring(GAME, position, None), window=10, most=1079)
    assert grow(position, plan).nodes == 1079
    with pytest.raises(TooLarge, match="1,078"):
        grow(position, replace(plan, most=1078))


def test_estimates_are_for_the_maximizer() -> None:
    # The evaluation counts the corners of who moves, and is immense: it must not outrank what is sure.
    def evaluate(position: Position) -> int:
        assert position.to_move is not None
        own, other = ("x", "o") if position.to_move is Side.FIRST else ("o", "x")
        corners = position.rows[0][::2] + position.rows[2][::2]
        return 1000 * (corners.count(own) - corners.count(other))

    game = replace(GAME, heuristic=Heuristic(evaluate, 1))
    start = tree(game, game.start, Method.MINIMAX, 1)
    assert {child.move: child.value for child in start.children} == {
        move: 8 if move in "1379" else 0 for move in "123456789"
    }
    assert start.estimated
    assert start.best == ("1", "3", "7", "9")
    for position in some(6):
        pruned, plain = (tree(game, position, search, 2) for search in (Method.ALPHA_BETA, Method.MINIMAX))
        assert (pruned.value, pruned.best[:1]) == (plain.value, plain.best[:1])
        assert all(abs(node.value) < game.win - depth for node, depth in walk(plain) if node.estimated)
        sure = [node for node, depth in walk(plain) if depth and node.position.outcome]
        assert not any(node.estimated for node in sure)
