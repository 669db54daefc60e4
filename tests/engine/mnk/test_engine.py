"""The engine for small m,n,k boards: exact values, distances and lines, levels, and answers when stopped."""

from __future__ import annotations

import random
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.mnk.positions import PUBLISHED, WIN, played, start_of, stones, value_of
from noughts.engine import LEVELS, Textbook, minimax, odds
from noughts.engine.analysis import Analysis, Interrupt, Limits
from noughts.engine.mnk.engine import MnkEngine
from noughts.games import GAMES, Game, Position
from noughts.games.mnk import LinePosition, mnk

pytestmark = pytest.mark.slow

WIDE = mnk("wide", "4 in a row on 6x5", 6, 5, 4)
LARGE = mnk("large", "5 in a row on 7x7", 7, 7, 5)
ENGINES = {game.key: MnkEngine(game, 8) for game in (WIDE, LARGE)}


def game_of(columns: int, rows: int, length: int) -> Game:
    return mnk("small", f"{length} in a row on {columns}x{rows}", columns, rows, length, win=WIN)


def search(engine: MnkEngine, position: Position, limits: Limits | None = None) -> Analysis:
    return engine.analyse(position, limits or Limits(), Interrupt())


def reachable(start: LinePosition) -> list[LinePosition]:
    found = {start: None}
    for position in (queue := [start]):
        for move in position.legal_moves:
            after = position.play(move)
            assert isinstance(after, LinePosition)
            if after not in found:
                found[after] = None
                queue.append(after)
    return list(found)


def check(position: LinePosition, found: Analysis) -> None:
    """Check that the analysis ``found`` matches plain minimax."""
    values = {move: -value_of(position.play(move)) for move in position.legal_moves}
    values = {move: value - (value > 0) + (value < 0) for move, value in values.items()}
    best = max(values.values())
    assert {move: each.value for move, each in found.moves.items()} == values
    assert found.exact
    assert found.value == best
    assert found.choices == tuple(move for move in values if values[move] == best)
    for move, each in found.moves.items():
        assert each.exact
        assert each.line[0] == move
        assert each.distance == len(each.line) == (WIN - abs(each.value) if each.value else len(values))
        end: Position = position
        for step in each.line:
            end = end.play(step)
        assert end.outcome is not None
        assert (end.outcome.winner is None) == (each.value == 0)
        assert end.outcome.winner in {None, position.to_move if each.value > 0 else position.to_move.other}  # type: ignore[union-attr]


def test_every_position_of_3_3_3_matches_minimax() -> None:
    game = game_of(3, 3, 3)
    engine = MnkEngine(game, 4)
    assert minimax(game.start, win=WIN).value == value_of(start_of(3, 3, 3)) == 0
    going_on = [position for position in reachable(start_of(3, 3, 3)) if position.to_move]
    assert len(going_on) == 4520
    for position in going_on:
        check(position, search(engine, position))


@pytest.mark.parametrize(
    "board", [(4, 3, 3), (3, 4, 3), (4, 4, 4), (4, 4, 3), (5, 4, 4), (5, 5, 4), (7, 7, 5)], ids=str
)
def test_every_move_matches_minimax(board: tuple[int, int, int]) -> None:
    rng = random.Random(str(board))
    engine = MnkEngine(game_of(*board), 6)
    start = start_of(*board)
    for number in range(150):
        position = played(rng, start, rng.randrange(1, 9 if number < 100 else 6))
        if position.to_move:
            check(position, search(engine, position))
    value_of.cache_clear()


@pytest.mark.parametrize(("board", "left"), [((4, 4, 4), 8), ((4, 4, 3), 9)], ids=str)
def test_late_positions_match_the_textbook_engine(board: tuple[int, int, int], left: int) -> None:
    rng = random.Random(2)
    game = game_of(*board)
    engine = MnkEngine(game, 8)
    for _ in range(40):
        position = played(rng, start_of(*board), left)
        if not position.to_move:
            continue
        found, expected = search(engine, position), Textbook(game).analyse(position, Limits(), Interrupt())
        assert (found.value, found.exact, found.choices) == (expected.value, True, expected.best)
        for move, value in found.moves.items():
            assert (value.value, value.exact) == (expected.moves[move].value, True)
            assert value.distance == expected.moves[move].distance


@pytest.mark.parametrize(("board", "value"), PUBLISHED.items(), ids=str)
def test_the_empty_board_has_its_published_value(board: tuple[int, int, int], value: str) -> None:
    found = search(MnkEngine(game_of(*board), 14), start_of(*board), Limits(every_move=False))
    assert found.exact
    assert (found.value > 0) if value == "win" else (found.value == 0)


@pytest.mark.parametrize("board", [(4, 4, 4), (4, 4, 3), (5, 5, 4), (6, 5, 4)], ids=str)
def test_the_best_moves_are_the_same_without_every_move(board: tuple[int, int, int]) -> None:
    rng = random.Random(3)
    engine = MnkEngine(game_of(*board), 10)
    start = start_of(*board)
    bounds = 0
    for _ in range(60):
        position = played(rng, start, rng.randrange(1, 13))
        if not position.to_move:
            continue
        every, quick = search(engine, position), search(engine, position, Limits(every_move=False))
        assert every.exact
        assert quick.exact
        assert (quick.value, quick.choices) == (every.value, every.choices)
        for move, value in quick.moves.items():
            known = every.moves[move]
            assert value.line == (move,)
            assert value.value == known.value if value.exact else known.value <= value.value < quick.value
            assert value.distance == (known.distance if value.exact else None)
            assert value.exact or move not in quick.choices
            bounds += not value.exact
    assert bounds > 20 or board == (4, 4, 4)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_search_of_limited_depth_matches_the_textbook_engine(depth: int) -> None:
    rng = random.Random(depth)
    textbook = Textbook(WIDE)
    for number in range(60 if depth < 3 else 25):
        position = played(rng, start_of(6, 5, 4), rng.randrange(20, 31) if number % 3 == 0 else rng.randrange(1, 20))
        if not position.to_move:
            continue
        for every_move in (True, False):
            limits = Limits(depth=depth, every_move=every_move)
            found, expected = search(ENGINES["wide"], position, limits), textbook.analyse(position, limits, Interrupt())
            assert (found.value, found.choices) == (expected.value, expected.choices)
            for move in found.moves if every_move else found.choices:
                assert found.moves[move].value == expected.moves[move].value
                if abs(found.moves[move].value) > 0:
                    assert found.moves[move].exact
                    assert len(found.moves[move].line) == (found.moves[move].distance if every_move else 1)


@pytest.mark.parametrize("name", ["easy", "medium", "hard"])
def test_levels_play_the_same_with_the_kernel_and_without(name: str) -> None:
    rng = random.Random(name)
    textbook = Textbook(WIDE)
    for _ in range(25):
        position = played(rng, start_of(6, 5, 4), rng.randrange(5, 31))
        if position.to_move:
            expected = odds(textbook, position, LEVELS[name], Interrupt())
            assert odds(ENGINES["wide"], position, LEVELS[name], Interrupt()) == expected


def lines(position: LinePosition, stones: int) -> tuple[str, ...]:
    """The empty cells that complete a line of ``stones``."""
    on = position.on
    return tuple(move for move in position.legal_moves if on.has_line(stones | on.bits[move]))


@settings(max_examples=300)
@given(
    key=st.sampled_from(sorted(ENGINES)),
    seed=st.integers(0, 10**6),
    left=st.integers(2, 40),
    limits=st.builds(
        Limits,
        depth=st.none() | st.integers(2, 5),
        nodes=st.integers(1, 3000),
        every_move=st.booleans(),
    ),
    stopped=st.booleans(),
)
def test_immediate_wins_and_threats_are_never_overlooked(
    key: str, seed: int, left: int, limits: Limits, stopped: bool
) -> None:
    engine = ENGINES[key]
    position = played(random.Random(seed), engine.game.start, left)  # type: ignore[arg-type]
    if position.to_move is None:
        return
    stop = Interrupt()
    if stopped:
        stop.set()
    found = engine.analyse(position, limits, stop)
    own, other = stones(position)
    wins, threats = lines(position, own), lines(position, other)
    assert tuple(found.moves) == position.legal_moves
    if wins:
        assert (found.value, found.exact, found.choices) == (engine.game.win - 1, True, wins)
    elif len(threats) == 1:
        assert found.choices == threats
    elif threats:
        assert (found.value, found.exact) == (2 - engine.game.win, True)


def test_a_search_stopped_at_once_plays_in_the_middle() -> None:
    stop = Interrupt()
    stop.set()
    found = ENGINES["large"].analyse(LARGE.start, Limits(), stop)
    assert found.choices == ("d4",)
    assert not found.exact
    assert 2 <= found.depth <= 3
    assert found.nodes < 100
    assert found.moves["d4"].value > found.moves["a1"].value > -found.moves["a1"].value


def test_another_thread_can_stop_the_search() -> None:
    stop = Interrupt()
    set_at: list[float] = []

    def end() -> None:
        set_at.append(time.perf_counter())
        stop.set()

    timer = threading.Timer(0.3, end)
    timer.start()
    found = ENGINES["large"].analyse(LARGE.start, Limits(), stop)
    late = time.perf_counter() - set_at[0]
    timer.join()
    assert late < 0.2  # allow for a busy machine
    assert found.depth >= 5
    assert not found.exact
    assert tuple(found.moves) == LARGE.start.legal_moves


def test_exact_values_of_a_stopped_search_are_right() -> None:
    rng = random.Random(4)
    engine = MnkEngine(game_of(5, 4, 4), 6)
    exact = 0
    for _ in range(60):
        position = played(rng, start_of(5, 4, 4), 8)
        if not position.to_move:
            continue
        for every_move in (True, False):
            engine.forget()
            found = search(engine, position, Limits(nodes=rng.randrange(1, 200), every_move=every_move))
            value = value_of(position)
            assert not found.exact or found.value == value
            for move, each in found.moves.items():
                known = -value_of(position.play(move))
                known += (known < 0) - (known > 0)
                assert not each.exact or each.value == known
                assert abs(each.value) < WIN
                exact += each.exact
    assert exact > 200


def test_the_node_limit_is_approximately_reached() -> None:
    for nodes in (1, 1000, 20_000):
        ENGINES["large"].forget()
        assert search(ENGINES["large"], LARGE.start, Limits(nodes=nodes)).nodes < nodes + 2000


def test_a_finished_game_has_its_result_and_no_moves() -> None:
    rng = random.Random(5)
    won = drawn = 0
    while not (won and drawn):
        end = played(rng, start_of(5, 4, 4), 0)
        found = search(MnkEngine(game_of(5, 4, 4), 1), end)
        assert found == Analysis(-WIN if end.won else 0, True, {}, (), 1, 0)
        won += end.won
        drawn += not end.won


def test_other_games_are_refused() -> None:
    for game in (GAMES["gomoku"], GAMES["connect4"], mnk("long", "Long", 16, 4, 5)):
        with pytest.raises(ValueError, match="64 bits"):
            MnkEngine(game)
    with pytest.raises(ValueError, match="win"):
        MnkEngine(mnk("small", "Small", 4, 4, 4, win=16))
    with pytest.raises(TypeError):
        search(ENGINES["wide"], GAMES["connect4"].start)
