import random

import pytest

from noughts.engine import Interrupt, Limits, Textbook, engine_of
from noughts.games import GAMES


@pytest.mark.parametrize("number", [0, -1])
def test_limits_are_at_least_one_ply_and_one_node(number: int) -> None:
    with pytest.raises(ValueError, match="depth"):
        Limits(depth=number)
    with pytest.raises(ValueError, match="nodes"):
        Limits(nodes=number)
    assert (Limits(depth=1, nodes=1).depth, Limits().nodes) == (1, None)


@pytest.mark.parametrize(
    "key", [key if key in {"tictactoe", "connect4"} else pytest.param(key, marks=pytest.mark.slow) for key in GAMES]
)
def test_every_engine_counts_a_finished_game_as_one_position(key: str) -> None:
    game, rng = GAMES[key], random.Random(1)
    position = game.start
    while position.to_move:
        position = position.play(rng.choice(position.legal_moves))
    for engine in (engine_of(game), Textbook(game)):
        found = engine.analyse(position, Limits(), Interrupt())
        assert (found.exact, found.moves, found.best, found.nodes, found.depth) == (True, {}, (), 1, 0)
