from __future__ import annotations

import random
import threading
import time

import pytest

from engine.connect4.published import played, published
from noughts.engine import Interrupt, Limits, Textbook
from noughts.engine.connect4 import openings
from noughts.engine.connect4.engine import Connect4Engine
from noughts.games.connect4 import CONNECT4, Connect4Position, margin, parse

ENGINE = Connect4Engine(1 << 18)
BEST_ONLY = Limits(every_move=False)


@pytest.fixture
def no_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the table, so that the early positions have to be searched."""
    monkeypatch.setattr(openings, "table", dict)


def value_of(position: Connect4Position) -> int:
    """The score of a position, of finished ones too."""
    if position.to_move is None:
        return -abs(margin(position))
    return ENGINE.analyse(position, BEST_ONLY, Interrupt()).value


def check_line(position: Connect4Position, line: tuple[str, ...], value: int, distance: int | None) -> None:
    """The line is legal, ends with the game, and each of its moves keeps the value."""
    assert len(line) == distance
    for move in line:
        position = position.play(move)
        value = -value
        assert value_of(position) == value
    assert position.to_move is None


@pytest.mark.parametrize("name", ["L3_R1", "L2_R1", "L2_R2"])
def test_every_move_has_the_value_of_the_position_after_it(name: str) -> None:
    for position, score in published(name)[:40]:
        analysis = ENGINE.analyse(position, Limits(), Interrupt())
        assert analysis.exact
        assert analysis.value == score
        assert tuple(analysis.moves) == position.legal_moves
        for move, found in analysis.moves.items():
            assert found.exact
            assert found.value == -value_of(position.play(move))
            assert found.line[0] == move
        assert analysis.best == tuple(move for move, found in analysis.moves.items() if found.value == score)


def test_lines_lead_to_the_end_and_keep_the_value() -> None:
    for position, _ in published("L2_R1")[:25]:
        for found in ENGINE.analyse(position, Limits(), Interrupt()).moves.values():
            check_line(position, found.line, found.value, found.distance)


@pytest.mark.parametrize("name", ["L3_R1", "L2_R1", "L2_R2"])
def test_the_best_moves_alone_are_exact_and_all_there(name: str) -> None:
    for position, score in published(name)[:40]:
        every = ENGINE.analyse(position, Limits(), Interrupt())
        best = ENGINE.analyse(position, BEST_ONLY, Interrupt())
        assert (best.value, best.best, best.exact) == (score, every.best, True)
        for move, found in best.moves.items():
            if move in best.best:
                assert found == every.moves[move] or (found.value, found.exact) == (score, True)
            else:
                assert every.moves[move].value <= found.value < score
                assert found.exact == (found.distance is not None)


def test_a_mirror_image_has_mirrored_answers() -> None:
    for position, _ in published("L2_R1")[:25]:
        image = parse("/".join(row[::-1] for row in position.rows))
        answers = ENGINE.analyse(position, Limits(), Interrupt()).moves
        mirrored = ENGINE.analyse(image, Limits(), Interrupt()).moves
        assert {str(8 - int(move)): found.value for move, found in mirrored.items()} == {
            move: found.value for move, found in answers.items()
        }


def test_a_finished_game() -> None:
    analysis = ENGINE.analyse(played("1212121"), Limits(), Interrupt())
    assert (analysis.value, analysis.exact, analysis.moves, analysis.best) == (-18, True, {}, ())


def test_the_end_within_sight() -> None:
    assert ENGINE.analyse(played("121212"), BEST_ONLY, Interrupt()).best == ("1",)
    lost = ENGINE.analyse(played("44335"), Limits(), Interrupt())
    assert lost.value == -18
    assert {found.distance for found in lost.moves.values()} == {2}


def test_limited_depth_is_the_textbook_s() -> None:
    position = published("L1_R1")[3][0]
    for depth in (1, 2, 4):
        limits = Limits(depth=depth)
        assert ENGINE.analyse(position, limits, Interrupt()) == Textbook(CONNECT4).analyse(
            position, limits, Interrupt()
        )


@pytest.mark.usefixtures("no_openings")
@pytest.mark.parametrize("every_move", [True, False])
def test_an_interrupt_is_answered_soon_and_with_a_legal_move(every_move: bool) -> None:
    position = played("44")
    stop = Interrupt()
    set_at = 0.0

    def interrupt() -> None:
        nonlocal set_at
        set_at = time.perf_counter()
        stop.set()

    timer = threading.Timer(0.2, interrupt)
    timer.start()
    analysis = Connect4Engine(1 << 18).analyse(position, Limits(every_move=every_move), stop)
    late = time.perf_counter() - set_at
    timer.join()
    assert set_at > 0, "the search must outlast the timer, or this shows nothing"
    assert late < 0.05
    assert not analysis.exact
    assert analysis.best
    assert set(analysis.best) <= set(position.legal_moves)
    assert tuple(analysis.moves) == position.legal_moves


@pytest.mark.usefixtures("no_openings")
def test_stopped_at_once_it_still_wins_and_blocks() -> None:
    stop = Interrupt()
    stop.set()
    assert ENGINE.analyse(played("172737"), Limits(), stop).best == ("4",)  # wins at once
    assert ENGINE.analyse(played("17273"), Limits(), stop).best == ("4",)  # must block
    found = ENGINE.analyse(played("17273"), Limits(), stop).moves
    assert {move for move, value in found.items() if value.exact and value.value == -18} == set("123567")


@pytest.mark.usefixtures("no_openings")
def test_a_budget_of_nodes_is_kept() -> None:
    engine = Connect4Engine(1 << 16)
    analysis = engine.analyse(played("44"), Limits(nodes=100_000), Interrupt())
    assert not analysis.exact
    assert 90_000 < analysis.nodes < 110_000


@pytest.mark.usefixtures("no_openings")
def test_what_a_stopped_search_says_holds() -> None:
    # Exact values are right, and a value above 0 or below it says who wins, where a bound was proved.
    rng = random.Random(3)
    for position, score in published("L2_R2")[:40]:
        engine = Connect4Engine(1 << 16)
        truth = ENGINE.analyse(position, Limits(), Interrupt())
        analysis = engine.analyse(position, Limits(nodes=rng.randrange(1, 40_000)), Interrupt())
        for move, found in analysis.moves.items():
            assert not found.exact or found.value == truth.moves[move].value
        if analysis.exact:
            assert analysis.value == score
            assert set(analysis.best) <= set(truth.best)
