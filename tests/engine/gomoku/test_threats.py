"""Wins by threats: published puzzles, and proofs that hold against every reply."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.gomoku.positions import (
    CELLS,
    PUZZLES,
    SIZE,
    Puzzle,
    board_of,
    fives,
    near_line,
    played,
    side_to_move,
    weights,
    win_by_fours,
)
from noughts.engine.analysis import Interrupt, Limits
from noughts.engine.gomoku import kernel
from noughts.engine.gomoku.engine import NAME_OF, GomokuEngine, stones_of
from noughts.games.base import Position
from noughts.games.gomoku import GOMOKU
from noughts.games.mnk import LinePosition

pytestmark = pytest.mark.slow

RUNNING = np.zeros(1, np.uint8)


class Prover:
    """The kernel's proofs, each with an empty table."""

    def __init__(self) -> None:
        self.memory = kernel.memory_of(14, *weights())
        self.empty = kernel.empty_board(self.memory)

    def plies(self, position: Position, fours: int, threes: int = 0, nodes: int = 1_000_000) -> int:
        assert isinstance(position, LinePosition)
        memory = self.memory
        memory[kernel.TABLE :] = 0
        memory[kernel.NODES] = memory[kernel.NEXT_POLL] = memory[kernel.STOPPED] = 0
        kernel.set_up(memory, self.empty, *stones_of(position))
        return kernel.win_by_threats(memory, RUNNING, fours, threes, nodes)

    def move(self) -> str:
        return NAME_OF[int(kernel.first_threat(self.memory))]


@pytest.fixture(scope="module")
def prover() -> Prover:
    return Prover()


@pytest.fixture(scope="module")
def engine() -> GomokuEngine:
    return GomokuEngine(14)


def check_line_of_fours(position: Position, line: tuple[str, ...]) -> None:
    """Check that each move of the side to move makes a four, that each reply is the only one until there are two fours,
    and that the last move is a five.
    """
    winner = position.to_move
    for place, move in enumerate(line):
        assert isinstance(position, LinePosition)
        board = board_of(position)
        side, other = side_to_move(position), "wb"[position.ply % 2 == 1]
        if place % 2:
            threats = fives(board, other)
            assert threats
            assert not fives(board, side)
            assert move in [GOMOKU.layout[row][column] for row, column in threats]
            assert len(threats) == 1 or place == len(line) - 2
        position = position.play(move)
    assert position.outcome is not None
    assert position.outcome.winner is winner


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.source[:60])
def test_published_puzzles_are_solved(puzzle: Puzzle, prover: Prover, engine: GomokuEngine) -> None:
    position = puzzle.position
    expected = win_by_fours(board_of(position), side_to_move(position))
    assert expected is not None  # a check that the puzzle was copied correctly
    assert prover.plies(position, kernel.MOST_FOURS) > 0
    engine.forget()
    found = engine.analyse(position, Limits(every_move=False), Interrupt())
    assert len(found.best) == 1
    assert 775 < found.value < GOMOKU.win
    check_line_of_fours(position, found.moves[found.best[0]].line)
    assert len(found.moves[found.best[0]].line) == GOMOKU.win - found.value


@pytest.mark.parametrize("puzzle", [puzzle for puzzle in PUZZLES if puzzle.fours])
def test_the_number_of_fours_is_the_published_one(puzzle: Puzzle, prover: Prover) -> None:
    assert puzzle.fours is not None
    # The last one, an open four or a double four, is not counted.
    assert prover.plies(puzzle.position, puzzle.fours - 1) == 2 * puzzle.fours + 1
    assert prover.plies(puzzle.position, puzzle.fours - 2) == 0


def test_wins_by_fours_match_trying_every_four(prover: Prover) -> None:
    rng = random.Random(1)
    won = none = 0
    while won < 12 or none < 12:
        position = played(rng, rng.randrange(14, 60))
        plies = prover.plies(position, kernel.MOST_FOURS)
        if plies > 3 or (plies == 0 and rng.random() < 0.1):
            found = win_by_fours(board_of(position), side_to_move(position))
            assert (found is not None) == (plies > 0), position.text
            won += plies > 0
            none += plies == 0


def play_out(position: LinePosition, prover: Prover, plies: int, rng: random.Random, *, threes: int) -> None:
    """Play a win by threats to the five, against random replies, with each move from a new proof."""
    winner = position.to_move
    while position.to_move is not None:
        assert plies > 0
        board, side = board_of(position), side_to_move(position)
        five = fives(board, side)
        if five:
            position = position.play(GOMOKU.layout[five[0][0]][five[0][1]])
            continue
        if plies == 3:
            move = next(
                name
                for name in position.legal_moves
                if (after := board_of(position.play(name))) and len(fives(after, side)) > 1
            )
        else:
            move = prover.move()
        position = position.play(move)
        # Random replies are mostly bad, so prefer those that stop a five.
        theirs = board_of(position)
        stops = [GOMOKU.layout[row][column] for row, column in fives(theirs, side)]
        reply = rng.choice(stops or list(position.legal_moves))
        position = position.play(reply)
        assert position.outcome is None
        plies = prover.plies(position, 30, threes)
    assert position.outcome is not None
    assert position.outcome.winner is winner


def test_a_win_by_threats_holds_against_every_reply(prover: Prover) -> None:
    """After a proof's first threat, every reply on the board still loses by threats."""
    rng = random.Random(2)
    cases = 0
    while cases < 6:
        position = played(rng, rng.randrange(6, 20))
        plies = prover.plies(position, 16, 4, 20_000)
        if plies <= 3 or prover.plies(position, 16) > 0:
            continue
        prover.plies(position, 16, 4, 20_000)
        after = position.play(prover.move())
        assert fives(board_of(after), "wb"[position.ply % 2]) == []
        for reply in rng.sample(after.legal_moves, 40):
            then = after.play(reply)
            assert then.outcome is None
            assert prover.plies(then, 20, 4) > 0, (position.text, after.text, reply)
        play_out(position, prover, prover.plies(position, 16, 4, 20_000), rng, threes=4)
        cases += 1


def wins_next(position: LinePosition) -> str | None:
    """A move after which the side to move can make five in two ways, while the opponent cannot."""
    board, side = board_of(position), side_to_move(position)
    other = "w" if side == "b" else "b"
    for cell in CELLS:
        if cell not in board and near_line(board, cell, side):
            board[cell] = side
            won = len(fives(board, side)) > 1 and not fives(board, other)
            del board[cell]
            if won:
                return GOMOKU.layout[cell[0]][cell[1]]
    return None


def check_every_reply(position: LinePosition, prover: Prover, checked: set[str]) -> int:
    """Check by the rules alone that the side to move wins, whatever the opponent replies, and return the number of
    replies that were tried. Only the winner's moves are the kernel's.
    """
    if position.text in checked:
        return 0
    checked.add(position.text)
    board, side = board_of(position), side_to_move(position)
    other = "w" if side == "b" else "b"
    if fives(board, side):
        return 0
    won = None if fives(board, other) else wins_next(position)
    if won is None:
        assert prover.plies(position, 24, 2, 400_000) >= 3, position.text
        won = prover.move()
    after = position.play(won)
    assert after.outcome is None
    theirs = board_of(after)
    assert not fives(theirs, other), "the opponent makes five first"
    stops = [GOMOKU.layout[row][column] for row, column in fives(theirs, side)]
    if len(stops) > 1:
        return 0
    tried = 0
    for reply in stops or after.legal_moves:
        tried += 1 + check_every_reply(after.play(reply), prover, checked)
    return tried


def test_claimed_wins_hold_against_every_legal_reply_by_the_rules_alone(prover: Prover) -> None:
    rng = random.Random(12)
    cases = 0
    while cases < 2:
        position = played(rng, rng.randrange(6, 20))
        if prover.plies(position, 16) > 0 or prover.plies(position, 16, 1, 20_000) <= 5:
            continue
        assert check_every_reply(position, prover, set()) > 200
        cases += 1


def test_a_side_facing_two_fives_has_no_win_by_threats(prover: Prover) -> None:
    row = ".....wwww......"
    stones = [".bbb...........", *["." * SIZE] * 6, row, *["." * SIZE] * 6, "........b......"]
    position = GOMOKU.parse("/".join(stones))
    assert prover.plies(position, 10, 4) == 0
