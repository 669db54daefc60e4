"""The kernel's moves of chess are those of the rules."""

from __future__ import annotations

import random

import pytest

from games.test_chess import PERFT
from noughts.engine.chess import moves
from noughts.games.chess import CHESS, ChessPosition, parse
from noughts.games.chess_moves import SQUARES

pytestmark = pytest.mark.slow  # compiling the kernel takes some seconds
STATE = slice(moves.TURN, moves.TOP + 1)
BOARD = slice(moves.BITS, moves.PIN_RAYS)


WORDS = (moves.TURN, moves.RIGHTS, moves.BEHIND, moves.QUIET, moves.KEY, moves.SCORE, moves.PHASE)


@pytest.fixture(scope="module")
def memory() -> moves.Words:
    made = moves.memory_of(1)
    rng = random.Random(2)
    for at in range(moves.WORTH, moves.STACK):
        made[at] = rng.randrange(100)
    made[[moves.PHASES + moves.PAWN, moves.PHASES + 8 + moves.PAWN]] = 0
    return made


@pytest.mark.parametrize("fen", PERFT)
def test_perft(fen: str, memory: moves.Words) -> None:
    counts, more = PERFT[fen]
    moves.set_up(memory, parse(fen))
    assert [moves.perft(memory, depth + 1) for depth in range(len(counts + more))] == counts + more


def test_perft_as_deep_as_is_published(memory: moves.Words) -> None:
    """https://www.chessprogramming.org/Perft_Results."""
    for fen, depth, count in (
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6, 119_060_324),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 193_690_690),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 178_633_661),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 89_941_194),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5, 164_075_551),
    ):
        moves.set_up(memory, parse(fen))
        assert moves.perft(memory, depth) == count, fen


@pytest.mark.parametrize(
    "games", [pytest.param(100, marks=pytest.mark.smoke), pytest.param(10_000, marks=pytest.mark.timeout(3600))]
)
def test_random_games_have_the_same_moves(games: int, memory: moves.Words) -> None:
    """From the start and from the positions of perft, move by move."""
    rng = random.Random(games)
    fresh = memory.copy()
    starts = [CHESS.start, *map(parse, PERFT)]
    kinds = dict.fromkeys(("castled", "passed", "became", "check", "mate", "repeated"), 0)
    for number in range(games):
        position = starts[number % len(starts)]
        assert isinstance(position, ChessPosition)
        while position.outcome is None:
            moves.set_up(memory, position)
            path: list[tuple[moves.Words, moves.Words]] = []
            while position.outcome is None and len(path) < 300:  # the stack is not endless
                known = moves.names(memory)
                assert sorted(known) == sorted(position.legal_moves), position.text
                move = rng.choice(position.legal_moves)
                path.append((memory[STATE].copy(), memory[BOARD].copy()))
                moves.make(memory, known[move])
                before, position = position, position.play(move)
                kinds["castled"] += move in {"e1g1", "e1c1", "e8g8", "e8c8"} and before.rights != position.rights
                kinds["passed"] += before.behind >= 0 and move[2:] == SQUARES[before.behind]
                kinds["became"] += len(move) == 5
                kinds["check"] += position.in_check
                kinds["repeated"] += position.times > 1
            if position.outcome is not None and position.outcome.reason in {"checkmate", "stalemate"}:
                kinds["mate"] += position.in_check
                assert moves.names(memory) == {}
            # What was made move by move is what is set up at once, and all of it can be unmade.
            moves.set_up(fresh, position)
            assert (memory[BOARD] == fresh[BOARD]).all()
            assert [memory[word] for word in WORDS] == [fresh[word] for word in WORDS]
            earlier = len(position.past) - 1
            keys = [memory[moves.STACK + 8 * (int(memory[moves.TOP]) - back)] for back in range(earlier, 0, -1)]
            assert keys == [fresh[moves.STACK + 8 * number] for number in range(earlier)]
            for state, board in reversed(path):
                moves.unmake(memory)
                assert (memory[STATE] == state).all()
                assert (memory[BOARD] == board).all()
    assert min(kinds.values()) > games / 100, kinds
