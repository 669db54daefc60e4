"""The engine of Go and Hex: what it proves, its analyses, and its answers when stopped."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from noughts.engine import LEVELS, Analysis, Bound, Interrupt, Limits, Textbook
from noughts.engine.playouts.engine import PlayoutEngine
from noughts.games import GAMES, Position
from noughts.games.catalogue import game_named

pytestmark = pytest.mark.slow

GO, HEX = GAMES["go"], GAMES["hex"]


def search(name: str, moves: str = "", nodes: int = 200_000, **more: Any) -> Analysis:
    game = game_named(name)
    position = game.start
    for move in moves.split():
        position = position.play(move)
    limits = Limits(nodes=nodes, every_move=more.pop("every_move", True))
    return PlayoutEngine(game, **more).analyse(position, limits, Interrupt())


def test_a_small_board_of_hex_is_proved() -> None:
    name = "hex?size=3&swap=no"
    game, found = game_named(name), search(name, nodes=1_000_000)
    exact = Textbook(game).analyse(game.start, Limits(), Interrupt())
    assert {move: value.bound for move, value in found.moves.items()} == {
        move: Bound.LOWER if value.value > 0 else Bound.UPPER for move, value in exact.moves.items()
    }
    best = found.moves[found.choices[0]]
    assert (best.value, found.exact) == (1, False)


def test_with_swap_every_first_stone_of_hex_loses_on_a_small_board() -> None:
    found = search("hex?size=3", nodes=1_000_000)
    assert {(move.bound, move.value) for move in found.moves.values()} == {(Bound.UPPER, -1)}


def test_a_win_at_once_is_exact() -> None:
    found = search("hex?size=3&swap=no", "b1 a1 b2 a2", nodes=10_000)
    assert {move: value.value for move, value in found.moves.items() if value.exact} == {
        "a3": HEX.win - 1,
        "b3": HEX.win - 1,
    }
    assert set(found.best) == {"a3", "b3"}
    assert found.exact
    assert found.moves["a3"].line == ("a3",)


def test_who_leads_after_a_pass_ends_a_game_of_go_by_another() -> None:
    found = search("go", "pass", nodes=50_000)
    assert found.best == ("pass",)
    assert found.value == GO.win - 1
    assert found.exact
    # Black would lose by the komi, so it plays on.
    assert search("go", "e5 pass", nodes=50_000).best == ("pass",)
    assert search("go", "e5 e6 e4 pass", nodes=50_000).best != ("pass",)


@pytest.mark.parametrize("side", ["first", "second"])
def test_go_takes_the_stones_that_decide_the_game_or_saves_them(side: str) -> None:
    game = game_named("go?komi=0")
    rows = "........./...bbb.../..bwwwb../..bwwwb../...bb..../wwwwwwwww/........./........./........."
    limits = Limits(nodes=300_000)
    assert PlayoutEngine(game).analyse(game.parse(f"{rows} {side}"), limits, Interrupt()).choices == ("f5",)


@pytest.mark.parametrize("name", ["go", "hex"])
def test_the_same_seed_gives_the_same_analysis(name: str) -> None:
    one, again, other = search(name), search(name), search(name, seed=2)
    assert (one, one.choices) == (again, again.choices)
    assert {move: value.playouts for move, value in one.moves.items()} != {
        move: value.playouts for move, value in other.moves.items()
    }
    assert one.depth == 1
    assert all(value.playouts for value in one.moves.values())


@pytest.mark.parametrize("name", ["go", "hex"])
def test_no_estimate_is_above_that_of_the_preferred_move(name: str) -> None:
    found = search(name, nodes=20_000)
    (best,) = found.choices
    means = {move: value.mean for move, value in found.moves.items() if value.mean is not None}
    assert max(means, key=means.__getitem__) != best, "no move with few playouts did better by chance"
    assert found.value == found.moves[best].value == max(value.value for value in found.moves.values())


@pytest.mark.parametrize("name", ["go", "hex", "go?size=19"])
@pytest.mark.parametrize("tree_size", [400, 5000, 30_000])
def test_a_full_tree_and_few_nodes_give_an_answer(name: str, tree_size: int) -> None:
    for nodes in (1, 3000):
        found = search(name, nodes=nodes, tree_size=tree_size)
        assert tuple(found.moves) == game_named(name).start.legal_moves
        assert set(found.choices) <= set(found.moves)
        assert found.nodes <= nodes + 3 * 19 * 19 + 100


@pytest.mark.parametrize("name", ["go", "hex"])
def test_a_search_stops_when_asked_and_goes_on_with_another_position(name: str) -> None:
    game, stop = GAMES[name], Interrupt()
    engine = PlayoutEngine(game)
    timer = threading.Timer(0.05, stop.set)
    timer.start()
    found = engine.analyse(game.start, Limits(), stop)
    timer.join()
    assert found.nodes > 1
    stopped = engine.analyse(game.start, Limits(), stop)
    assert set(stopped.choices) <= set(game.start.legal_moves)
    later = game.start.play("e5").play("e4")
    assert engine.analyse(later, Limits(nodes=10_000), Interrupt()) == PlayoutEngine(game).analyse(
        later, Limits(nodes=10_000), Interrupt()
    )


@pytest.mark.parametrize("name", ["go", "hex"])
def test_a_level_has_its_playouts(name: str) -> None:
    limits = LEVELS["medium"].limits(every_move=False)
    found = PlayoutEngine(GAMES[name]).analyse(GAMES[name].start, limits, Interrupt())
    assert sum(move.playouts for move in found.moves.values()) == limits.playouts == LEVELS["medium"].playouts


def test_limited_depth_is_the_textbook_engine_and_other_games_are_refused() -> None:
    limits = Limits(depth=1)
    assert PlayoutEngine(HEX).analyse(HEX.start, limits, Interrupt()) == Textbook(HEX).analyse(
        HEX.start, limits, Interrupt()
    )
    other: Position = GAMES["connect4"].start
    with pytest.raises(ValueError, match="room"):
        PlayoutEngine(HEX, tree_size=100)
    with pytest.raises(TypeError, match="Hex"):
        PlayoutEngine(HEX).analyse(other, limits, Interrupt())
    with pytest.raises(TypeError, match="Connect Four"):
        PlayoutEngine(GAMES["connect4"])
