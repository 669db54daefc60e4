from __future__ import annotations

import random
import threading
import time

import pytest

from engine.connect4.positions import position_of, random_positions
from engine.connect4.published import played, published
from noughts.engine import Bound, Interrupt, Limits, Textbook, Verdict, verdict_of
from noughts.engine.connect4 import layers, openings
from noughts.engine.connect4.engine import Connect4Engine
from noughts.engine.connect4.solver import Solver
from noughts.engine.engines import OpeningsFirst
from noughts.games.connect4 import CONNECT4, Connect4Position, margin, parse

ENGINE = Connect4Engine(1 << 18)
BEST_ONLY = Limits(every_move=False)


@pytest.fixture
def no_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable what is known of the openings, so that early positions have to be searched."""
    monkeypatch.setattr(layers, "DISCS", -1)
    monkeypatch.setattr(openings, "table", dict)


def value_of(position: Connect4Position) -> int:
    """The score of any position, even a finished one."""
    if position.to_move is None:
        return -abs(margin(position))
    return ENGINE.analyse(position, BEST_ONLY, Interrupt()).value


def check_line(position: Connect4Position, line: tuple[str, ...], value: int, distance: int | None) -> None:
    """Check that the line is legal, reaches the end of the game, and keeps the value at each move."""
    assert len(line) == distance
    for move in line:
        position = position.play(move)
        value = -value
        assert value_of(position) == value
    assert position.to_move is None


@pytest.mark.parametrize("name", ["L3_R1", "L2_R1", "L2_R2"])
def test_a_move_has_the_value_of_the_position_after_it(name: str) -> None:
    for position, score in published(name)[:12]:
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
    for position, _ in published("L2_R1")[:10]:
        for found in ENGINE.analyse(position, Limits(), Interrupt()).moves.values():
            check_line(position, found.line, found.value, found.distance)


@pytest.mark.parametrize("name", ["L3_R1", "L2_R1", "L2_R2"])
def test_without_every_move_the_best_moves_are_exact(name: str) -> None:
    for position, score in published(name)[:12]:
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
    for position, _ in published("L2_R1")[:10]:
        image = parse("/".join(row[::-1] for row in position.rows))
        answers = ENGINE.analyse(position, Limits(), Interrupt()).moves
        mirrored = ENGINE.analyse(image, Limits(), Interrupt()).moves
        assert {str(8 - int(move)): found.value for move, found in mirrored.items()} == {
            move: found.value for move, found in answers.items()
        }


def test_a_finished_game() -> None:
    analysis = ENGINE.analyse(played("1212121"), Limits(), Interrupt())
    assert (analysis.value, analysis.exact, analysis.moves, analysis.best) == (-18, True, {}, ())


def test_the_end_of_the_game_within_the_horizon() -> None:
    assert ENGINE.analyse(played("121212"), BEST_ONLY, Interrupt()).best == ("1",)
    lost = ENGINE.analyse(played("44335"), Limits(), Interrupt())
    assert lost.value == -18
    assert {found.distance for found in lost.moves.values()} == {2}


def some_positions(rng: random.Random, count: int) -> list[Connect4Position]:
    """Unfinished positions, half of them near the end, after random moves that avoid ending the game if possible."""
    found: list[Connect4Position] = []
    while len(found) < count:
        position = Connect4Position()
        for _ in range(rng.choice((rng.randrange(42), rng.randrange(36, 42)))):
            after = [position.play(move) for move in position.legal_moves]
            after = [each for each in after if each.to_move is not None] or after or [position]
            position = rng.choice(after)
        if position.to_move is not None:
            found.append(position)
    return found


@pytest.mark.parametrize("depth", [1, 3])
def test_a_search_of_limited_depth_matches_the_textbook_engine(depth: int) -> None:
    limits, textbook = Limits(depth=depth), Textbook(CONNECT4)
    decided = drawn = 0
    full = parse("yry.ryr/ryrrryy/yryyyrr/ryyrrry/yrrryyy/yryyrrr")  # one empty cell left, and a draw
    for position in [Connect4Position(), full, *some_positions(random.Random(depth), 60)]:
        found = ENGINE.analyse(position, limits, Interrupt())
        known = textbook.analyse(position, limits, Interrupt())
        assert (found.value, found.exact, found.choices, found.depth) == (
            *(known.value, known.exact, known.choices, known.depth),
        ), position.text
        assert {name: (move.value, move.exact, move.distance, move.depth) for name, move in found.moves.items()} == {
            name: (move.value, move.exact, move.distance, move.depth) for name, move in known.moves.items()
        }, position.text
        assert all(move.line == (name,) for name, move in found.moves.items())
        decided += found.exact and found.value != 0
        drawn += found.exact and found.value == 0
    assert decided > 3
    assert drawn > 0


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_a_search_of_limited_depth_without_every_move(depth: int) -> None:
    won = 0
    for position in some_positions(random.Random(10 + depth), 60):
        every = ENGINE.analyse(position, Limits(depth=depth), Interrupt())
        best = ENGINE.analyse(position, Limits(depth=depth, every_move=False), Interrupt())
        assert (best.value, best.choices, best.exact) == (
            every.value,
            every.choices,
            every.exact or every.moves[every.choices[0]].exact,
        )
        won += every.moves[every.choices[0]].exact and every.value > 0
        for name, move in best.moves.items():
            assert move.exact == (name in best.choices and every.moves[name].exact)
            assert move.depth == (best.depth if name in best.choices else 0)
            if name in best.choices:
                assert move.value == every.moves[name].value
            elif every.moves[best.choices[0]].exact:
                assert move.value < best.value  # it wins later, if at all
            elif not every.moves[name].exact:
                assert every.moves[name].value <= move.value < best.value
    assert won > 2


def test_a_search_of_limited_depth_can_be_stopped() -> None:
    stop = Interrupt()
    stop.set()
    stopped = ENGINE.analyse(played("44"), Limits(depth=9), stop)
    assert (stopped.depth, stopped.choices) == (1, ENGINE.analyse(played("44"), Limits(depth=1), Interrupt()).choices)
    within = ENGINE.analyse(played("44"), Limits(depth=30, nodes=50_000), Interrupt())
    assert 4 < within.depth < 30
    assert 40_000 < within.nodes < 60_000
    shallow = ENGINE.analyse(played("44"), Limits(depth=within.depth), Interrupt())
    assert (within.value, within.choices) == (shallow.value, shallow.choices)


@pytest.mark.slow
def test_a_search_of_limited_depth_uses_the_kernel() -> None:
    # A search in Python would hold the GIL and block the server's event loop.
    positions = some_positions(random.Random(5), 40)
    spent = []
    for engine in (Textbook(CONNECT4), ENGINE):
        begun = time.thread_time()
        for position in positions:
            engine.analyse(position, Limits(depth=4, every_move=False), Interrupt())
        spent.append(time.thread_time() - begun)
    assert spent[1] < spent[0] / 4


def test_lines_are_searched_only_with_every_move(monkeypatch: pytest.MonkeyPatch) -> None:
    position = next(position for position, _ in published("L2_R1"))
    assert max(len(move.line) for move in ENGINE.analyse(position, Limits(), Interrupt()).moves.values()) > 1
    asked: list[object] = []
    monkeypatch.setattr(Solver, "proposed", lambda _, *boards: asked.append(boards))
    best = ENGINE.analyse(position, BEST_ONLY, Interrupt())
    assert best.exact
    assert all(move.line == (name,) for name, move in best.moves.items())
    assert not asked


def test_a_position_outside_the_opening_table_is_visited() -> None:
    # There is one legal move, the last: the engine visited the position after it, and did not use the opening table.
    last = parse("yry.ryr/ryrrryy/yryyyrr/ryyrrry/yrrryyy/yryyrrr")
    for engine in (ENGINE, OpeningsFirst(CONNECT4)):
        for limits in (Limits(), BEST_ONLY, Limits(depth=1)):
            analysis = engine.analyse(last, limits, Interrupt())
            assert analysis.exact
            assert analysis.nodes == 2


def test_a_stopped_search_keeps_the_best_move_of_the_table() -> None:
    for key in random.Random(1).sample([key for key in openings.table() if position_of(key).ply > layers.DISCS], 5):
        position = position_of(key)
        known = openings.lookup(position)
        assert known is not None
        analysis = Connect4Engine(1 << 16).analyse(position, Limits(nodes=5_000), Interrupt())
        assert (analysis.value, analysis.exact) == (known.score, True)
        assert set(known.best) <= set(analysis.best)
        for move in analysis.moves.values():
            assert move.exact or (move.bound, move.distance) == (Bound.UPPER, None)
            assert move.value <= known.score


def test_only_a_proved_move_is_called_best(monkeypatch: pytest.MonkeyPatch) -> None:
    positions = random_positions(8, 6)
    truths = [openings.lookup(position) for position in positions]
    # As if the scores of these positions were known, but not those of their moves.
    monkeypatch.setattr(layers, "DISCS", 6)
    monkeypatch.setattr(openings, "table", dict)
    for position, truth in zip(positions, truths, strict=True):
        assert truth is not None
        assert openings.lookup(position) == openings.Opening(truth.score, ())
        for nodes in (1, 50_000, 500_000):
            analysis = Connect4Engine(1 << 16).analyse(position, Limits(nodes=nodes), Interrupt())
            assert (analysis.value, analysis.exact) == (truth.score, True)
            assert all(move.exact or move.bound is Bound.UPPER for move in analysis.moves.values())
            assert all(move.value <= truth.score for move in analysis.moves.values())
            verdict, best = verdict_of(analysis)
            if verdict is Verdict.PROVED:
                assert set(best) <= set(truth.best)
            else:
                assert (verdict, analysis.choices) == (Verdict.PREFERRED, best)
                assert len(best) == 1


def test_no_estimate_exceeds_a_proved_win() -> None:
    seen = 0
    for position, _ in published("L2_R2")[:60]:
        analysis = Connect4Engine(1 << 14).analyse(position, Limits(nodes=20_000), Interrupt())
        value = analysis.moves[analysis.best[0]]
        if value.bound is Bound.LOWER:
            seen += 1
            assert all(move.value <= value.value for move in analysis.moves.values() if move.bound is None)
    assert seen


@pytest.mark.slow
@pytest.mark.usefixtures("no_openings")
@pytest.mark.parametrize("every_move", [True, False])
def test_an_interrupt_soon_yields_a_legal_move(every_move: bool) -> None:
    position = played("44")
    late = []
    for _ in range(5):
        stop = Interrupt()
        set_at: list[float] = []
        timer = threading.Timer(0.1, lambda stop=stop, set_at=set_at: (set_at.append(time.perf_counter()), stop.set()))
        engine = Connect4Engine(1 << 18)
        timer.start()
        analysis = engine.analyse(position, Limits(every_move=every_move), stop)
        assert set_at, "the search must outlast the timer, or this shows nothing"
        late.append(time.perf_counter() - set_at[0])
        timer.join()
        assert not analysis.exact
        assert analysis.best
        assert set(analysis.best) <= set(position.legal_moves)
        assert tuple(analysis.moves) == position.legal_moves
    assert min(late) < 0.02  # the least, because the machine may be busy


@pytest.mark.usefixtures("no_openings")
def test_a_search_stopped_at_once_still_wins_and_blocks() -> None:
    stop = Interrupt()
    stop.set()
    assert ENGINE.analyse(played("172737"), Limits(), stop).best == ("4",)  # wins at once
    assert ENGINE.analyse(played("17273"), Limits(), stop).best == ("4",)  # must block
    found = ENGINE.analyse(played("17273"), Limits(), stop).moves
    assert {move for move, value in found.items() if value.exact and value.value == -18} == set("123567")


@pytest.mark.usefixtures("no_openings")
def test_the_node_limit_is_respected() -> None:
    engine = Connect4Engine(1 << 16)
    analysis = engine.analyse(played("44"), Limits(nodes=100_000), Interrupt())
    assert not analysis.exact
    assert 90_000 < analysis.nodes < 110_000


@pytest.mark.usefixtures("no_openings")
def test_the_values_of_a_stopped_search_are_right() -> None:
    # Exact values are right, and where a bound was proved, the sign of the value says who wins.
    rng = random.Random(3)
    for position, score in published("L2_R2")[:15]:
        engine = Connect4Engine(1 << 16)
        truth = ENGINE.analyse(position, Limits(), Interrupt())
        analysis = engine.analyse(position, Limits(nodes=rng.randrange(1, 40_000)), Interrupt())
        for move, found in analysis.moves.items():
            assert not found.exact or found.value == truth.moves[move].value
            assert found.bound is not Bound.UPPER or found.value >= truth.moves[move].value
            assert found.bound is not Bound.LOWER or found.value <= truth.moves[move].value
        if analysis.exact:
            assert analysis.value == score
        verdict, best = verdict_of(analysis)
        assert set(best) <= set(truth.best) if verdict is Verdict.PROVED else len(best) == 1
