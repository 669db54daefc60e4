"""Traces: a published figure, random trees, and games."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine import (
    Bound,
    Interrupt,
    Limits,
    Method,
    Textbook,
    Trace,
    Tracing,
    alpha_beta,
    as_object,
    minimax,
    trace_game,
    trace_tree,
)
from noughts.engine.steps import Cut, Enter, Update
from noughts.engine.trace import MOST_STEPS
from noughts.games import GAMES
from noughts.games.mnk import mnk

# Russell and Norvig, Artificial Intelligence: A Modern Approach, the figures of the chapter on adversarial search.
FIGURE = "A(B(3,12,8),C(2,4,6),D(14,5,2))"

METHODS = st.sampled_from(list(Method))


@dataclass
class Tree:
    """A random tree: its notation, and its leaves as nested lists."""

    text: str
    shape: Any


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Trees of any branching in which nodes may come twice, and inner nodes may have estimates."""
    finished: list[Tree] = []

    def node(plies: int) -> Tree:
        kind = draw(st.integers(0, 5)) if plies else 0
        if finished and kind == 1:
            return draw(st.sampled_from(finished))
        if kind == 0:
            value = draw(st.integers(-9, 9))
            return Tree(str(value), value)
        children = [node(plies - 1) for _ in range(draw(st.integers(1, 3)))]
        name = f"n{len(finished)}" if draw(st.booleans()) else ""
        estimate = str(draw(st.integers(-9, 9))) if draw(st.booleans()) else ""
        head = f"{name}={estimate}" if name and estimate else name + estimate
        text = f"{head}({','.join(child.text for child in children)})"
        if name:
            finished.append(Tree(name, [child.shape for child in children]))
        return Tree(text, [child.shape for child in children])

    return node(4)


def value_of(shape: Any, maximizing: bool = True) -> float:
    if not isinstance(shape, list):
        return float(shape)
    return (max if maximizing else min)(value_of(child, not maximizing) for child in shape)


def replayed(trace: Trace) -> None:
    """Search again by the steps alone, with alpha and beta by the book. Every step must say the same."""
    pruning = trace.method is not Method.MINIMAX
    stack: list[dict[str, Any]] = []
    done: float | None = None
    cutting = False
    for step in trace.steps:
        place = trace.places[step.node]
        if isinstance(step, Enter):
            window = (stack[-1]["alpha"], stack[-1]["beta"]) if stack else (-math.inf, math.inf)
            assert (step.alpha, step.beta) == window
            assert place.parent == (stack[-1]["node"] if stack else None)
            assert not cutting
            value = -math.inf if place.maximizing else math.inf
            stack.append({"node": step.node, "alpha": step.alpha, "beta": step.beta, "value": value})
            if step.end is not None:
                done = step.value
                if step.end == "leaf":
                    assert step.value == place.value
            continue
        if isinstance(step, Update):
            if done is None:
                done = stack[-1]["value"]
            child = stack.pop()
            here = stack[-1]
            assert (step.child, step.node) == (child["node"], here["node"])
            better = max if place.maximizing else min
            here["value"] = better(here["value"], done)
            if pruning:
                side = "alpha" if place.maximizing else "beta"
                here[side] = better(here[side], here["value"])
            assert (step.value, step.alpha, step.beta) == (here["value"], here["alpha"], here["beta"])
            met = step.alpha > step.beta if trace.strict else step.alpha >= step.beta
            cutting, done = met and pruning, None
            continue
        assert cutting
        assert (step.alpha, step.beta) == (stack[-1]["alpha"], stack[-1]["beta"])
        cutting = False


def pruned(trace: Trace) -> list[float]:
    """The values of the leaves that were never visited, from left to right."""
    visited = {step.node for step in trace.steps if isinstance(step, Enter)}
    return [place.value for index, place in enumerate(trace.places) if place.value is not None and index not in visited]


def test_the_figure_of_the_textbook() -> None:
    plain, cutting = (trace_tree(Tracing(method, tree=FIGURE)) for method in (Method.MINIMAX, Method.ALPHA_BETA))
    assert (plain.value, plain.best, plain.visited, plain.ends) == (3, "B", 13, 9)
    assert (cutting.value, cutting.best, cutting.visited, cutting.ends) == (3, "B", 11, 7)
    values = {place.name: number for number, place in enumerate(plain.places)}
    last = {step.node: step.value for step in plain.steps if isinstance(step, Update)}
    assert [last[values[name]] for name in "ABCD"] == [3, 3, 2, 2]
    assert pruned(plain) == []
    assert pruned(cutting) == [4, 6]
    assert [step for step in cutting.steps if isinstance(step, Cut)] == [Cut(values["C"], 3, 2, ("2", "3"))]
    entered = {step.node: (step.alpha, step.beta) for step in cutting.steps if isinstance(step, Enter)}
    assert entered[values["C"]] == entered[values["D"]] == (3, math.inf)
    assert pruned(trace_tree(Tracing(Method.ORDERED, tree=FIGURE))) == [4, 6, 14, 5]


def test_equal_values_are_cut_unless_the_rule_is_strict() -> None:
    assert pruned(trace_tree(Tracing(tree="3,12/3,9"))) == [9]
    assert pruned(trace_tree(Tracing(strict=True, tree="3,12/3,9"))) == []


def test_a_table_knows_a_node_that_comes_again() -> None:
    tree = "(a(4,6/7,9),b(3,5)),(c(1,2/8,9),a)"
    plain, table = (trace_tree(Tracing(method, tree=tree)) for method in (Method.MINIMAX, Method.TABLE))
    assert plain.value == table.value
    (again,) = (step for step in table.steps if isinstance(step, Enter) and step.end == "table")
    assert table.places[again.node].name == "a"
    assert (again.value, again.bound) == (7, None)


@pytest.mark.parametrize(
    ("tree", "value"),
    [
        ("(4,S(6,9)),(S,8)", 8),  # the table has S >= 6 when its value is needed
        ("(((5,S(3,1)),(S,2)))", 2),  # and here S <= 3
    ],
)
def test_a_bound_in_the_table_is_not_a_value(tree: str, value: float) -> None:
    trace = trace_tree(Tracing(Method.TABLE, tree=tree))
    assert trace.value == trace_tree(Tracing(Method.MINIMAX, tree=tree)).value == value
    assert not [step for step in trace.steps if isinstance(step, Enter) and step.end == "table"]


def test_a_bound_in_the_table_is_enough_for_a_cut() -> None:
    trace = trace_tree(Tracing(Method.TABLE, tree="(4,S(6,9)),(5,S)"))
    (known,) = (step for step in trace.steps if isinstance(step, Enter) and step.end == "table")
    assert (known.value, known.beta, known.bound, trace.value) == (6, 5, Bound.LOWER, 5)


def test_a_search_to_a_depth_takes_estimates() -> None:
    trace = trace_tree(Tracing(Method.ORDERED, depth=1, tree="B=1(3,12),C=5(2,4),D(14,5),7"))
    ends = [(step.end, step.value) for step in trace.steps if isinstance(step, Enter) and step.end]
    assert ends == [("leaf", 7), ("estimate", 5), ("estimate", 1), ("estimate", 0)]
    assert (trace.value, trace.best) == (7, "4")


@given(tree=trees(), method=METHODS, strict=st.booleans())
def test_every_search_finds_the_value_and_its_steps_follow_from_each_other(
    tree: Tree, method: Method, strict: bool
) -> None:
    trace = trace_tree(Tracing(method, strict, tree=tree.text))
    assert trace.value == value_of(tree.shape)
    replayed(trace)
    assert trace.total == len(trace.steps)
    assert trace.visited == sum(isinstance(step, Enter) for step in trace.steps)
    if method is Method.MINIMAX:
        assert trace.visited == len(trace.places)


@given(tree=trees(), method=METHODS, strict=st.booleans(), depth=st.integers(1, 3))
def test_every_search_to_a_depth_finds_the_same(tree: Tree, method: Method, strict: bool, depth: int) -> None:
    plain, trace = (trace_tree(Tracing(each, strict, depth, tree.text)) for each in (Method.MINIMAX, method))
    assert trace.value == plain.value
    replayed(trace)


@given(tree=trees(), strict=st.booleans())
def test_alpha_beta_visits_the_leaves_of_pearls_theorem(tree: Tree, strict: bool) -> None:
    # Judea Pearl, Heuristics (1984): a leaf is visited if the best value to the left of its path for the maximizers
    # is less than that for the minimizers.
    expected: list[float] = []

    def walk(shape: Any, maximizing: bool, alpha: float, beta: float) -> None:
        if alpha > beta or (alpha == beta and not strict):
            return
        if not isinstance(shape, list):
            expected.append(shape)
            return
        for index, child in enumerate(shape):
            left = [value_of(each, not maximizing) for each in shape[:index]]
            bound = (max if maximizing else min)(left, default=-math.inf if maximizing else math.inf)
            walk(child, not maximizing, *((max(alpha, bound), beta) if maximizing else (alpha, min(beta, bound))))

    walk(tree.shape, True, -math.inf, math.inf)
    trace = trace_tree(Tracing(strict=strict, tree=tree.text))
    assert [step.value for step in trace.steps if isinstance(step, Enter) and step.end == "leaf"] == expected


@pytest.mark.parametrize("method", list(Method))
def test_a_game_has_the_value_of_the_engine(method: Method) -> None:
    game = GAMES["tictactoe"]
    position = game.parse("xox/.o./..x")
    trace = trace_game(game, position, Tracing(method))
    assert trace.value == minimax(position).value
    replayed(trace)
    assert trace.visited <= minimax(position).nodes
    assert {place.position for place in trace.places} >= {"xox/.o./.ox"}
    assert (trace.visited == minimax(position).nodes) is (method is Method.MINIMAX)


def test_a_trace_of_a_game_narrows_the_window_at_the_root() -> None:
    position = GAMES["tictactoe"].parse("xo./.../...")
    assert trace_game(GAMES["tictactoe"], position, Tracing()).visited < alpha_beta(position).nodes


def test_margins_are_the_engines_unless_estimates_are_beside_them() -> None:
    game = GAMES["connect4"]
    won = game.start
    for move in "112233":
        won = won.play(move)
    shallow = trace_game(game, won, Tracing(depth=1))
    assert shallow.value == game.win + 18
    assert shallow.depth == 1
    late = game.parse("..y..y./.rrr.r./ryyy.yr/yyryrrr/ryyrryy/yryyrrr")
    whole = trace_game(game, late, Tracing())
    assert whole.value == Textbook(game).analyse(late, Limits(), Interrupt()).value == 5
    assert all(-22 < place.value < 22 for place in whole.places if place.value is not None)
    replayed(whole)


def test_a_long_trace_is_capped_and_says_so() -> None:
    game = GAMES["tictactoe"]
    trace = trace_game(game, game.parse("xo./.../..."), Tracing(Method.MINIMAX))
    assert len(trace.steps) == MOST_STEPS < trace.total
    assert trace.notes == (f"The first 5,000 of {trace.total:,} steps are here.",)
    assert (trace.value, trace.visited) == (5, minimax(game.parse("xo./.../...")).nodes), "the search went on"
    replayed(trace)
    assert max(step.node for step in trace.steps) < len(trace.places)


def test_nothing_is_searched_deeper_than_twenty_plies() -> None:
    game = mnk("strip", "26 in a row on 26x1", 26, 1, 26)
    trace = trace_game(game, game.start, Tracing(), stop=iter([False] * 20 + [True] * 1000).__next__)
    assert max(len(path(trace, number)) for number in range(len(trace.places))) == 20
    assert "The search ends 20 plies from the root." in trace.notes


def path(trace: Trace, number: int) -> list[int]:
    parent = trace.places[number].parent
    return [] if parent is None else [*path(trace, parent), number]


def test_a_stopped_search_has_no_value_and_says_so() -> None:
    game = GAMES["reversi"]
    trace = trace_game(game, game.start, Tracing(depth=8), stop=iter([False] * 3 + [True]).__next__)
    assert (trace.value, trace.best) == (None, None)
    assert trace.visited == 48
    assert trace.notes == ("The search was stopped after 48 nodes: its value is not known.",)


def test_a_trace_as_json() -> None:
    made = as_object(trace_tree(Tracing(depth=2, tree="B=1(3,12),C(2,4)")))
    assert {key: made[key] for key in made if key not in ("nodes", "steps")} == {
        "search": "alphabeta",
        "strict": False,
        "depth": 2,
        "value": 3,
        "best": "B",
        "visited": 6,
        "ends": 3,
        "total": 12,
        "notes": [],
    }
    assert made["nodes"][1] == {"parent": 0, "rank": 0, "move": "B", "player": "min", "name": "B", "estimate": 1}
    assert made["nodes"][2] == {"parent": 1, "rank": 0, "move": "1", "value": 3}
    assert made["steps"][2] == {"step": "enter", "node": 2, "alpha": None, "beta": None, "value": 3, "end": "leaf"}
    assert made["steps"][3] == {"step": "update", "node": 1, "child": 2, "value": 3, "alpha": None, "beta": 3}
    assert made["steps"][-2] == {"step": "cut", "node": 4, "alpha": 3, "beta": 2, "moves": ["2"]}
