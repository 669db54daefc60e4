"""The engine of chess: what is exact is proved, and what the rules say of repetitions holds."""

from __future__ import annotations

import random
import threading

import pytest

from games.test_chess import PERFT
from noughts.engine import Analysis, Interrupt, Limits, choose, engine_of, usable_engine_of
from noughts.engine.chess import evaluation, kernel, moves, ordering
from noughts.engine.chess.engine import ChessEngine
from noughts.engine.jit import kernel as compiled
from noughts.engine.levels import LEVELS
from noughts.engine.proof import forced_win
from noughts.games import GAMES
from noughts.games.catalogue import game_named
from noughts.games.chess import CHESS, ChessPosition, claim, parse
from noughts.games.reversi import REVERSI

pytestmark = pytest.mark.slow  # compiling the kernel takes some seconds
NEVER = Interrupt()
PIECES = ("KQk", "KRk", "KRRk", "KQRk", "KQQkp", "kqqK", "krrKN", "KPk", "KQkr", "KRPkr", "KQkpp", "KRkbn")
EDGE = [square for square in range(64) if {square // 8, square % 8} & {0, 7}]


@compiled("boolean(int64[::1], int64, int64)", moves, evaluation, kernel, ordering)
def gains(memory: moves.Words, move: int, least: int) -> bool:
    """The kernel's, for Python."""
    return ordering.gains(memory.ctypes, move, least)


@compiled("int64(int64[::1])", moves, evaluation, kernel, ordering)
def repeats(memory: moves.Words) -> int:
    """The kernel's, for Python."""
    return kernel.repeats(memory.ctypes)


@pytest.fixture(scope="module")
def engine() -> ChessEngine:
    return ChessEngine(CHESS)


def analysis(engine: ChessEngine, fen: str, *, depth: int | None = None, nodes: int = 100_000) -> Analysis:
    return engine.analyse(parse(fen), Limits(depth, nodes, every_move=False), NEVER)


def mirrored(position: ChessPosition) -> ChessPosition:
    """The same position for the other side."""
    board, side, rights, *_ = position.text.split()
    rows = "/".join(reversed(board.swapcase().split("/")))
    return parse(f"{rows} {'b' if side == 'w' else 'w'} {''.join(sorted(rights.swapcase()))} - 0 1")


def random_position(rng: random.Random) -> ChessPosition:
    """A position with few pieces after some moves, which often come back to where they were."""
    while True:
        board = ["."] * 64
        for piece in rng.choice(PIECES):
            squares = range(8, 56) if piece in "Pp" else EDGE if piece in "Kk" else range(64)
            board[rng.choice([square for square in squares if board[square] == "."])] = piece
        rows = "/".join("".join(board[8 * row : 8 * row + 8]).replace(".", "1") for row in range(8))
        try:
            position = parse(f"{rows} {rng.choice('wb')} - - {rng.choice((0, 0, 94, 98, 145))} 90")
        except ValueError:
            continue
        for _ in range(rng.choice((0, 4, 12))):
            known = [move for move in position.legal_moves if position.play(move).outcome is None]
            back = [move for move in known if position.play(move).times > 1]
            if known:
                position = position.play(rng.choice(back if back and rng.random() < 0.7 else known))
        if position.outcome is None:
            return position


@pytest.mark.parametrize("positions", [pytest.param(150, marks=pytest.mark.smoke), 2000])
def test_exact_means_proved(positions: int, engine: ChessEngine) -> None:
    """By the plain search in Python, which plays on from the position with its history."""
    rng = random.Random(5)
    counts = dict.fromkeys(("won", "lost", "drawn", "claims", "repeated", "every", "best"), 0)
    for number in range(positions):
        position = random_position(rng)
        found = engine.analyse(position, Limits(rng.choice((3, 4, None)), 20_000, every_move=number % 2 == 0), NEVER)
        assert set(found.moves) == set(position.legal_moves)
        side = position.side
        for name, move in found.moves.items():
            after, end = position.play(name), position
            for each in move.line:
                end = end.play(each)
            if not move.exact:
                assert move.distance is None
                continue
            assert move.distance == len(move.line)
            assert end.outcome is not None
            if move.value == 0:
                assert after.outcome is not None
                counts["drawn"] += 1
                continue
            winner = side if move.value > 0 else side.other
            assert end.outcome.winner is winner
            assert abs(move.value) == CHESS.win - move.distance
            if move.distance <= 4:
                line = forced_win(CHESS, after, winner, move.distance - 1, lambda: None)
                assert line is not None, position.text
                assert len(line) == move.distance - 1, position.text
            counts["won" if move.value > 0 else "lost"] += 1
        if found.exact and 0 < CHESS.win - found.value <= 3:
            line = forced_win(CHESS, position, side, 3, lambda: None)
            assert line is not None
            assert len(line) == CHESS.win - found.value
        if found.claim:
            assert claim(position) is not None
            assert found.value >= 0
        counts["claims"] += found.claim
        counts["repeated"] += position.times > 1
        counts["every" if number % 2 == 0 else "best"] += found.exact
    assert min(counts.values()) > positions // 100, counts


def test_what_can_be_proved_is_found(engine: ChessEngine) -> None:
    in_two = analysis(engine, "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", depth=3)  # by Paul Morphy
    assert (in_two.best, in_two.exact, in_two.value) == (("a1a6",), True, CHESS.win - 3)
    in_three = analysis(engine, "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1")
    assert (in_three.best, in_three.exact, in_three.moves["f6a6"].distance) == (("f6a6",), True, 5)
    lost = analysis(engine, "7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", depth=2)
    assert (lost.best, lost.exact, lost.value) == (("h8h7",), True, 2 - CHESS.win)
    stalemate = engine.analyse(parse("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"), Limits(1), NEVER).moves
    assert stalemate["f1f7"].exact
    assert (stalemate["f1f8"].value, stalemate["f1f8"].distance) == (CHESS.win - 1, 1)


def test_a_mate_after_the_fiftieth_move_is_no_mate(engine: ChessEngine) -> None:
    in_two = "kbK5/pp6/1P6/8/8/8/8/R7 w - - {} 90"
    assert analysis(engine, in_two.format(96), depth=4).exact
    late = analysis(engine, in_two.format(99), depth=4)  # Black claims a draw before it is mated
    assert not late.exact
    assert abs(late.value) < kernel.SURE


def test_a_losing_side_repeats_the_position(engine: ChessEngine) -> None:
    # White is a rook down, but has a perpetual check on h5 and e8.
    for depth in (4, None):
        found = analysis(engine, "4Q3/6pk/8/8/8/1rq5/5PPP/6K1 w - - 0 1", depth=depth)
        assert (found.choices, found.value, found.exact) == (("e8h5",), 0, False)


def test_a_position_from_before_the_search_must_come_twice_more(engine: ChessEngine) -> None:
    position = parse("7k/8/8/8/8/8/1q6/6RK w - - 0 1")
    for move in ("g1f1", "b2a2", "f1g1"):
        position = position.play(move)
    moves.set_up(engine._memory, position)
    engine._memory[moves.ROOT] = engine._memory[moves.TOP]
    known = moves.names(engine._memory)
    moves.make(engine._memory, known["a2b2"])
    assert repeats(engine._memory) == 1


def test_evaluations_are_equal_for_both_sides(engine: ChessEngine) -> None:
    rng = random.Random(3)
    positions = [*map(parse, PERFT), *(random_position(rng) for _ in range(200))]
    for position in positions:
        found = []
        for each in (position, mirrored(position)):
            moves.set_up(engine._memory, each)
            found.append(evaluation.estimate(engine._memory))
        assert found[0] == found[1], position.text


@pytest.mark.parametrize(
    ("fen", "move", "gain"),
    [
        ("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", -800),  # a pawn guards it
        ("4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", 100),
        ("3rk3/8/8/3p4/8/3R4/3Q4/4K3 w - - 0 1", "d3d5", 100),  # the queen stands behind the rook
        ("3qk3/3r4/8/3p4/8/3R4/3Q4/4K3 w - - 0 1", "d3d5", -400),
        ("4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", "d5c6", 100),  # in passing
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 800),
        ("4k3/8/4p3/3p4/4K3/8/8/8 w - - 0 1", "e4e5", 0),
    ],
)
def test_exchanges_gain_what_they_gain(fen: str, move: str, gain: int, engine: ChessEngine) -> None:
    moves.set_up(engine._memory, parse(fen))
    packed = moves.names(engine._memory)[move]
    assert gains(engine._memory, packed, gain)
    assert not gains(engine._memory, packed, gain + 1)


def test_a_search_is_stopped_limited_and_the_same_again(engine: ChessEngine) -> None:
    limits = Limits(nodes=30_000, every_move=False)
    engine.forget()
    first = engine.analyse(CHESS.start, limits, NEVER)
    assert 30_000 <= first.nodes < 31_000
    engine.forget()
    assert engine.analyse(CHESS.start, limits, NEVER) == first
    stop = Interrupt()
    stop.set()
    at_once = engine.analyse(CHESS.start, Limits(), stop)
    assert (at_once.depth, len(at_once.choices) > 0) == (0, True)
    late = Interrupt()
    timer = threading.Timer(0.05, late.set)
    timer.start()
    assert engine.analyse(CHESS.start, Limits(), late).depth > 0
    timer.join()


def test_every_start_has_the_engine() -> None:
    game = game_named("chess?start=4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    assert game.setup
    engine = engine_of(game)
    assert isinstance(engine, ChessEngine)
    assert engine.game is game
    assert isinstance(usable_engine_of(GAMES["chess"])[0], ChessEngine)
    assert engine.analyse(game.start, Limits(4), NEVER).choices
    with pytest.raises(TypeError):
        engine.analyse(REVERSI.start, Limits(1), NEVER)


def test_hard_finds_every_mate_in_two_and_easy_misses_threats(engine: ChessEngine) -> None:
    position = parse("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    hard = LEVELS["hard"]
    assert choose(engine, position, hard, random.Random(3), NEVER) == "a1a6"
    # Fool's mate: after f3 e5 it is White's turn, and g4 loses at once. The level "easy" may play it.
    start = CHESS.start.play("f2f3").play("e7e5")
    played = {choose(engine, start, LEVELS["easy"], random.Random(seed), NEVER) for seed in range(300)}
    assert "g2g4" in played
