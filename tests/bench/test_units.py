"""The units of estimates, measured from games."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bench.units import play, unit
from noughts.games import GAMES


@pytest.mark.parametrize("true", [7, 400])
def test_the_unit_is_the_estimate_that_wins_ten_games_of_eleven(true: int) -> None:
    x = np.array([[-true]] * 11 + [[true]] * 11, np.float64)
    y = np.array([1.0, *[0.0] * 10, 0.0, *[1.0] * 10])
    assert unit([(x, y)]) == pytest.approx(true)


def test_a_game_gives_estimates_and_the_result_for_the_side_that_has_each() -> None:
    values, results = play(GAMES["kalah"], random.Random(1))
    assert values.shape == (len(results), 1)
    assert len(results) > 10
    assert set(results) <= {0.0, 0.5, 1.0}
    assert 0 < results.mean() < 1
