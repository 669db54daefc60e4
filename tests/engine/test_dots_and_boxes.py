"""Every generic search against brute force, in a game in which a side can move twice in a row."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dots_and_boxes import GAME, LINES, DotsAndBoxes
from noughts.engine import Interrupt, Limits, Method, Textbook, Tracing, alpha_beta, minimax, trace_game
from noughts.engine.grow import Plan, grow, scoring
from noughts.games import Heuristic, Position, Side

WITH_MARGIN = replace(GAME, margin=lambda position: position.lead)


def after(order: list[str]) -> DotsAndBoxes:
    position = DotsAndBoxes()
    for move in order:
        position = position.play(move)
    return position


def positions(least: int) -> st.SearchStrategy[DotsAndBoxes]:
    """Unfinished positions with at least ``least`` lines drawn."""
    orders = st.permutations(LINES).flatmap(lambda order: st.integers(least, 11).map(lambda plies: order[:plies]))
    return orders.map(after)


@cache
def result(position: DotsAndBoxes, plies: int = 0) -> int:
    """The value for the first side: 13 - d if it wins d plies from the root, by brute force."""
    if position.outcome is not None:
        return (GAME.win - plies) * ((position.lead > 0) - (position.lead < 0))
    values = [result(position.play(move), plies + 1) for move in position.legal_moves]
    return max(values) if position.to_move is Side.FIRST else min(values)


@cache
def lead(position: DotsAndBoxes) -> int:
    """The lead of the first side at the end, by brute force."""
    if position.outcome is not None:
        return position.lead
    leads = [lead(position.play(move)) for move in position.legal_moves]
    return max(leads) if position.to_move is Side.FIRST else min(leads)


def sign(position: Position) -> int:
    return 1 if position.to_move is Side.FIRST else -1


@settings(max_examples=20)
@given(positions(least=5))
def test_the_textbook_engine_finds_the_true_value_of_every_move(position: DotsAndBoxes) -> None:
    values = {move: sign(position) * result(position.play(move), 1) for move in position.legal_moves}
    leads = {move: sign(position) * lead(position.play(move)) for move in position.legal_moves}
    for game, truth in ((GAME, values), (WITH_MARGIN, leads)):
        found = Textbook(game).analyse(position, Limits(), Interrupt())
        assert found.exact
        assert {move: value.value for move, value in found.moves.items()} == truth
        assert found.best == tuple(move for move in truth if truth[move] == max(truth.values()))
        best = Textbook(game).analyse(position, Limits(every_move=False), Interrupt())
        assert (best.value, best.best) == (found.value, found.best)


@settings(max_examples=40)
@given(positions(least=0), st.integers(1, 3))
def test_exact_values_of_the_textbook_engine_at_a_low_depth_are_right(position: DotsAndBoxes, depth: int) -> None:
    game = replace(GAME, heuristic=Heuristic(lambda each: each.lead * sign(each), 1))
    for move, value in Textbook(game).analyse(position, Limits(depth), Interrupt()).moves.items():
        if value.exact:
            assert value.value == sign(position) * result(position.play(move), 1)


@settings(max_examples=15)
@given(positions(least=6))
def test_minimax_and_alpha_beta_find_the_true_value_of_every_move(position: DotsAndBoxes) -> None:
    truth = {move: sign(position) * result(position.play(move), 1) for move in position.legal_moves}
    for search in (minimax, alpha_beta):
        assert search(position, win=GAME.win).values == truth


@settings(max_examples=15)
@given(positions(least=6))
def test_a_drawn_tree_is_that_of_the_search(position: DotsAndBoxes) -> None:
    for method, search in ((Method.MINIMAX, minimax), (Method.ALPHA_BETA, alpha_beta)):
        tree = grow(position, Plan(scoring(GAME, position, None), method, window=GAME.win))
        searched = search(position, win=GAME.win)
        assert (tree.value, tree.best[:1]) == (searched.value, searched.best[:1])
        if method is Method.MINIMAX:
            assert (tree.nodes, tree.best) == (searched.nodes, searched.best)
            assert {child.move: child.value for child in tree.children} == searched.values


@settings(max_examples=20)
@given(positions(least=7), st.sampled_from(Method))
def test_a_trace_has_the_true_value_and_says_who_plays_each_node(position: DotsAndBoxes, method: Method) -> None:
    trace = trace_game(GAME, position, Tracing(method))
    assert trace.value == sign(position) * result(position)
    reached: list[Position] = []
    for place in trace.places:
        reached.append(position if place.parent is None else reached[place.parent].play(str(place.move)))
        to_move = reached[-1].to_move
        assert place.maximizing is (None if to_move is None else to_move is position.to_move)
