"""The rules of chess against an independent implementation, python-chess's: in random games to the end.

``python tests/games/test_python_chess.py 10000`` compares so many games.
"""

from __future__ import annotations

import importlib
import os
import random
import sys
import time
from collections import Counter
from typing import Any

import pytest

from noughts.games import Outcome, Side
from noughts.games.chess import CHESS, ChessPosition, claim, notation, parse, read

pytestmark = pytest.mark.slow

chess: Any = importlib.import_module("chess") if "CI" in os.environ else pytest.importorskip("chess")

GAMES_EACH = 100
ALL_NAMES = 50
"""In one position of so many all moves are named, in the others only the one that is played."""
BEGINNINGS = (
    CHESS.start.text,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/8/8/2n5/8/3N4/8/4K3 w - - 90 60",
)
SHUFFLED = 0.8
"""The share of moves in every fourth game that take a piece back, if it can, so that positions come again."""


def compare(seed: int) -> str:
    """Compare all of a random game, and return how it ended or could have: reasons, joined by spaces."""
    rng = random.Random(seed)
    beginning = BEGINNINGS[0] if seed % 3 else rng.choice(BEGINNINGS[1:])
    position, board = parse(beginning), chess.Board(beginning)
    seen: Counter[str] = Counter()
    played: list[str] = []
    claimed: set[str] = set()
    while True:
        fen = board.fen(en_passant="legal")
        placed = fen.rsplit(" ", 2)[0]
        seen[placed] += 1
        assert position.text == fen
        assert position.in_check == board.is_check()
        legal = [move.uci() for move in board.legal_moves]
        outcome = expected(board, legal, seen[placed])
        assert position.outcome == outcome
        if outcome is not None:
            assert position.legal_moves == ()
            return " ".join(sorted(claimed | {outcome.reason}))
        assert position.times == seen[placed]
        assert sorted(position.legal_moves) == sorted(legal)
        reason = "fifty_moves" if board.is_fifty_moves() else "repetition" if seen[placed] >= 3 else None
        assert claim(position) == reason
        claimed |= {reason} if reason else set()
        back = f"{played[-2][2:4]}{played[-2][:2]}" if len(played) > 1 else ""
        shuffles = seed % 4 == 0 and back in legal and rng.random() < SHUFFLED
        move = back if shuffles else rng.choice(position.legal_moves)
        for each in position.legal_moves if rng.random() < 1 / ALL_NAMES else (move,):
            compare_name(position, board, each)
        board.push_uci(move)
        position = position.play(move)
        played.append(move)


def compare_name(position: ChessPosition, board: Any, move: str) -> None:
    name = board.san(chess.Move.from_uci(move))
    assert notation(position, move) == name
    for text in (name, name.rstrip("+#"), name.replace("x", ""), name.replace("=", ""), name.replace("O", "0"), move):
        assert read(position, text) == move


def expected(board: Any, legal: list[str], times: int) -> Outcome | None:
    """The end of the game by python-chess."""
    if board.is_checkmate():
        king = chess.square_name(board.king(board.turn))
        return Outcome(Side.SECOND if board.turn else Side.FIRST, "checkmate", (king,))
    if board.is_stalemate():
        return Outcome(None, "stalemate")
    if board.is_insufficient_material():
        return Outcome(None, "material")
    if board.is_seventyfive_moves():
        return Outcome(None, "seventy_five_moves")
    return Outcome(None, "fivefold_repetition") if times >= 5 else None


def test_random_games_match_python_chess() -> None:
    ends = Counter(reason for seed in range(GAMES_EACH) for reason in compare(seed).split(" "))
    assert set(ends) == {key for key, _ in CHESS.endings}


if __name__ == "__main__":
    many = Counter(reason for seed in range(int(sys.argv[1])) for reason in compare(seed).split(" "))
    print(dict(many), f"{time.process_time():.0f} s of processor time")
