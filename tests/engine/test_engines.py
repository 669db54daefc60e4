import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import pytest

from noughts.engine import (
    Interrupt,
    Limits,
    MonteCarlo,
    Textbook,
    engine_of,
    has_kernel,
    plain_engine_of,
    usable_engine_of,
)
from noughts.engine.connect4 import layers, openings
from noughts.engine.engines import KERNELS, MNK_KERNEL, NO_NUMBA, OpeningsFirst, Unaided, kernel_of
from noughts.games import GAMES
from noughts.games.connect4 import Connect4Position
from noughts.games.mnk import mnk
from noughts.games.threats import heuristic
from support.small_game import small_game


@pytest.mark.parametrize(
    "key", [key if key in {"tictactoe", "connect4"} else pytest.param(key, marks=pytest.mark.slow) for key in GAMES]
)
def test_every_game_has_its_own_engine(key: str) -> None:
    game = GAMES[key]
    engine = engine_of(game)
    assert engine.game is game
    assert engine is not engine_of(game)
    assert has_kernel(game) == (not isinstance(engine, Textbook | OpeningsFirst))
    analysis = engine.analyse(game.start, Limits(depth=1), Interrupt())
    assert tuple(analysis.moves) == game.start.legal_moves
    assert set(analysis.best) <= set(game.start.legal_moves)


@pytest.mark.parametrize("key", KERNELS)
def test_without_numba_the_textbook_searches(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[key]
    monkeypatch.setattr("noughts.engine.engines.find_spec", lambda name: find_spec(name) if name != "numba" else None)
    assert not has_kernel(game)
    engine = engine_of(game)
    assert isinstance(engine, Textbook | OpeningsFirst)
    assert engine.game is game
    analysis = engine.analyse(game.start, Limits(depth=2), Interrupt())
    assert (analysis.depth, tuple(analysis.moves)) == (2, game.start.legal_moves)


def test_connect_four_uses_its_opening_table_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["connect4"]
    # The published value of the empty board: only the middle column wins, with the last disc.
    start = {openings.key_of(Connect4Position()): (1, "4")}
    monkeypatch.setattr(openings, "table", lambda: start)
    monkeypatch.setattr(layers, "DISCS", -1)
    engine = OpeningsFirst(game)
    analysis = engine.analyse(game.start, Limits(every_move=False), Interrupt())
    assert (analysis.best, analysis.value, analysis.exact, analysis.nodes) == (("4",), 1, True, 0)
    # A search of limited depth, or of a position that is not in the table, does not use the table.
    assert not engine.analyse(game.start, Limits(depth=2, every_move=False), Interrupt()).exact
    assert engine.analyse(game.start.play("4"), Limits(nodes=500, every_move=False), Interrupt()).nodes > 100


@pytest.mark.slow
def test_the_usable_engine_is_the_kernel_if_it_works() -> None:
    for game in GAMES.values():
        engine, why = usable_engine_of(game)
        assert type(engine) is type(engine_of(game))
        assert (why is None) == (has_kernel(game) or game.key not in KERNELS)


def test_a_broken_numba_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise OSError("no shared object\nfor llvmlite")

    monkeypatch.setattr("noughts.engine.engines.find_spec", lambda _: True)
    monkeypatch.setattr("noughts.engine.engines.import_module", broken)
    for game in GAMES.values():
        engine, why = usable_engine_of(game)
        assert type(engine) is type(plain_engine_of(game))
        assert why == ("numba does not work, OSError: no shared object" if game.key in KERNELS else None)
    monkeypatch.setattr("noughts.engine.engines.find_spec", lambda _: None)
    assert usable_engine_of(GAMES["reversi"])[1] == NO_NUMBA


@pytest.mark.slow
def test_small_boards_have_a_kernel_and_others_do_not() -> None:
    for columns, rows, length in ((4, 4, 4), (4, 3, 3), (8, 7, 5), (7, 8, 5), (15, 4, 4)):
        game = mnk("small", "Small", columns, rows, length)
        assert kernel_of(game) == MNK_KERNEL
        assert engine_of(game).game is game
        assert has_kernel(game) == (not isinstance(engine_of(game), Unaided))
    for columns, rows in ((3, 3), (8, 8), (16, 4), (15, 15)):
        assert kernel_of(mnk("other", "Other", columns, rows, 3)) is None


def test_a_small_board_with_its_own_heuristic_has_no_kernel() -> None:
    game = mnk("small", "Small", 5, 5, 4)
    for other in (
        mnk("small", "Small", 5, 5, 4, heuristic=heuristic(game.layout, 4)),
        replace(game, margin=lambda _: 0),
        mnk("small", "Small", 5, 5, 4, win=25),  # too low for a game of 25 plies
    ):
        assert kernel_of(other) is None
        assert isinstance(engine_of(other), Textbook if other.heuristic else Unaided)


def test_without_a_heuristic_playouts_choose_a_move_and_the_textbook_finds_values() -> None:
    game = small_game()
    engine = plain_engine_of(game)
    choice = Limits(every_move=False)
    assert engine.analyse(game.start, choice, Interrupt()) == MonteCarlo(game).analyse(game.start, choice, Interrupt())
    for limits in (Limits(), Limits(depth=2)):
        found = engine.analyse(game.start, limits, Interrupt())
        assert found == Textbook(game).analyse(game.start, limits, Interrupt())


def test_without_numba_the_same_holds_for_a_small_board(monkeypatch: pytest.MonkeyPatch) -> None:
    game = mnk("small", "Small", 5, 5, 4)
    monkeypatch.setattr("noughts.engine.engines.find_spec", lambda _: None)
    engine, why = usable_engine_of(game)
    assert isinstance(engine, Unaided)
    assert why == NO_NUMBA


def test_kernels_are_loaded_on_demand() -> None:
    program = """
import sys
from noughts.engine import engine_of
from noughts.games import GAMES
engine_of(GAMES["tictactoe"])
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
