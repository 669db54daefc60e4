"""The visits of a right search."""

from __future__ import annotations

import random

import pytest

from noughts.engine import Method
from noughts.engine.grow import Plan, grow, scoring
from noughts.games import GAMES
from noughts.grading.cases import Cut, Rule, Values, cases, results, visited


@pytest.mark.parametrize("method", [Method.MINIMAX, Method.ALPHA_BETA])
@pytest.mark.parametrize("cut", [">=", ">"])
@pytest.mark.parametrize("values", ["result", "depth"])
def test_the_engines_search_visits_as_many_positions(method: Method, cut: Cut, values: Values) -> None:
    game, rule = GAMES["tictactoe"], Rule(method, cut, values)
    for position in random.Random(1).sample(cases(game, 0, 1).positions, 30):
        score = scoring(game, position, None) if rule.by_depth else results(position)
        tree = grow(position, Plan(score, method, keep=0, strict=cut == ">"))
        assert tree.nodes == len(visited(game, position, rule))
