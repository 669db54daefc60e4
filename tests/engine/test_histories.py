"""Values in chess, draughts and Nine Men's Morris where repetitions and counted moves are about to decide.

Each game begins from an ending, perhaps with its counter near a limit, and goes to and fro before the search. What the
search calls exact is tried again by a plain search of the positions with all of their history.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from noughts.engine import Interrupt, Limits, Textbook
from noughts.games import GAMES, Game, Position, Side

ENDINGS = {
    "chess": (
        "7k/8/5K2/8/8/8/8/6Q1 b - - 0 1",
        "k7/8/1K6/8/8/8/8/7R w - - 0 1",
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
        "7k/5Q2/8/6K1/8/8/7p/8 b - - 0 1",
        "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/5k2/4p3/4K3 b - - 0 1",
    ),
    "draughts": ("B:WK31,K32:BK23", "W:WK18,K22:BK1", "B:WK29:B21,K25", "W:W30,K6:BK13,K5", "B:WK3,K12:BK4"),
    "morris": (
        "ww./..b/.../.../..w/w.b/.../b.. 0 0 first",
        "ww./..b/b../w../..w/..b/.../.w. 0 0 second",
        "ww./..b/b../w../..w/..b/b../.w. 0 0 first",
        "bwb/.w./w../w.b/..b/.../.../... 0 0 second",
    ),
}
COUNTERS = {
    "chess": (0, 90, 96, 97, 98, 99, 100, 140, 145, 146, 147, 148),
    "draughts": (0, 70, 76, 77, 78, 79, 80, 156, 157, 158),
    "morris": (0, 90, 96, 97, 98, 99, 100, 196, 197, 198),
}


def wins_within(game: Game, position: Position, side: Side, plies: int) -> bool:
    """True if ``side`` can win in ``plies`` plies though the other claims every draw that it may claim."""
    if position.outcome is not None:
        return position.outcome.winner is side
    if not plies:
        return False
    mine = position.to_move is side
    if not mine and game.claim is not None and game.claim(position) is not None:
        return False
    return (any if mine else all)(
        wins_within(game, position.play(move), side, plies - 1) for move in position.legal_moves
    )


def to_and_fro(key: str, rng: random.Random) -> Position:
    """An ending, with a counter, after up to 18 moves by which both sides go back and forth."""
    start: Any = GAMES[key].parse(rng.choice(ENDINGS[key]))
    position: Position = replace(start, quiet=rng.choice(COUNTERS[key]))
    for number in range(rng.randint(0, 18)):
        if number % 4 == 0:
            moves = circle(position, rng)
        after = position.play(moves[number % 4]) if moves else position
        if after.outcome is not None:
            break
        position = after
    return position


def circle(position: Position, rng: random.Random) -> tuple[str, ...]:
    """Four moves that lead back to ``position``, none if there are none."""
    for one in rng.sample(position.legal_moves, min(8, len(position.legal_moves))):
        after = position.play(one)
        for other in rng.sample(after.legal_moves, min(4, len(after.legal_moves))):
            moves = (one, other, back(one), back(other))
            here = position
            for move in moves:
                if move not in here.legal_moves:
                    break
                here = here.play(move)
            else:
                if here == position:
                    return moves
    return ()


def back(move: str) -> str:
    """The move from the end of ``move`` to its beginning."""
    start, _, to = move.partition("-")
    return f"{to}-{start}" if to else move[2:] + move[:2]


@pytest.mark.slow
@pytest.mark.parametrize("key", ENDINGS)
def test_exact_values_hold_with_all_of_the_history(key: str) -> None:
    game, rng, seen = GAMES[key], random.Random(key), Counter[str]()
    for _ in range(150):
        position = to_and_fro(key, rng)
        most = rng.choice((50, 500, 5000))  # so that some searches stop within a proof
        limits = Limits(rng.choice((1, 2, 3, 4)), most, every_move=rng.random() < 0.7)
        found = Textbook(game).analyse(position, limits, Interrupt())
        side = position.to_move
        assert side is not None
        seen["claims"] += found.claim
        seen["repeated"] += getattr(position, "times", 1) > 2
        for move, value in found.moves.items():
            if not value.exact:
                continue
            after, plies = position.play(move), (value.distance or 1) - 1
            seen["won" if value.value > 0 else "lost" if value.value else "drawn"] += 1
            if value.value == 0:
                assert after.outcome is not None
                assert after.outcome.winner is None
                continue
            winner = side if value.value > 0 else side.other
            assert abs(value.value) == game.win - plies - 1
            assert wins_within(game, after, winner, plies), (position.text, move)
            assert not plies or not wins_within(game, after, winner, plies - 1), (position.text, move)
        if found.exact and found.value > 0:
            assert wins_within(game, position, side, game.win - found.value)
            assert not wins_within(game, position, side, game.win - found.value - 1)
        elif found.exact:
            assert all(value.exact and value.value <= found.value for value in found.moves.values())
            assert not found.claim or found.value == 0
    assert min(seen[what] for what in ("claims", "repeated", "won", "lost")) > 3, seen
