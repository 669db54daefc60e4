"""Fits what the patterns of a cell are worth in Gomoku to the values of Rapfi's searches.

``python -m bench.gomoku.cells`` produced the table ``cells`` of the weights, and those of the features beside it, for
searches that look for wins by fours before they evaluate; those for plain searches remain as they are. It needs the
program that ``bench.matches.rapfi`` describes, with its classical weights, which are in the public domain (CC0).

A game starts with random moves, and goes on with those of a search of 8 plies by Rapfi, and now and then another one.
Positions with a five or a four to make at once, or a win by fours, do not count. The fit is to the value of the search
as an expected result, a fifth of it to the result of the game. Every tenth game is held out.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bench import weights as fitting
from bench.gomoku.fit import NAMES, SCALE, near
from bench.matches.rapfi import DIGITS, READY, cell, program
from bench.matches.rapfi import board as asked_of
from noughts.engine.gomoku import kernel, patterns
from noughts.engine.gomoku.engine import stones_of
from noughts.games import Side
from noughts.games.gomoku import GOMOKU
from noughts.games.mnk import LinePosition

DEPTH = 8
SHARE = 0.2
"""The share of the game's result in what is fitted."""

LOGIT = 200
"""The value at which Rapfi expects to win e games for each that it loses, as its own sources have it."""

MATE = 2000
RIDGE, RIDGE_OF_CELLS = 20.0, 50.0

CLASS = patterns.classes()


@dataclass(frozen=True, slots=True)
class Row:
    """A position: its stage, features, and how many cells of each class both sides have; the expected result."""

    stage: int
    features: list[int]
    own: npt.NDArray[np.uint8]
    other: npt.NDArray[np.uint8]
    value: float
    held: bool
    result: float


def ask(played: Sequence[str]) -> tuple[str, int | None]:
    """Rapfi's move after these, and its value for the side to move, a win as MATE; None for a move without a search."""
    rapfi = program()
    rapfi.wake(*READY)
    rapfi.tell(*asked_of(GOMOKU, played))
    value = None
    while not (line := rapfi.answer("MESSAGE", *DIGITS)).startswith(DIGITS):
        if found := re.search(r"Depth \d+-\d+ \| Eval (\S+)", line):
            value = found[1]
    if value is not None and "M" in value:
        value = f"{value[0]}{MATE}"
    return cell(GOMOKU, line), None if value is None else int(value)


def quiet(board: kernel.Words) -> bool:
    """True if a search would evaluate the position that is set up: no four or five to make or to stop, no win by
    fours.
    """
    me = int(board[kernel.TURN])
    own, other = kernel.KINDS + 16 * me, kernel.KINDS + 16 * (1 - me)
    if board[own + kernel.FIVE_NOW] or board[own + kernel.WON] or board[other + kernel.FIVE_NOW]:
        return False
    board[kernel.NODES] = board[kernel.NEXT_POLL] = board[kernel.STOPPED] = 0
    board[kernel.TABLE :] = 0
    return kernel.win_by_threats(board, np.zeros(1, np.uint8), kernel.MOST_FOURS, 0, 300) <= 0


def counted(board: kernel.Words, side: int) -> npt.NDArray[np.uint8]:
    """The number of empty cells of each class of ``side``."""
    empty = board[kernel.WHO : kernel.WHO + kernel.AREA] == kernel.EMPTY
    made = board[kernel.MAKES + side * kernel.AREA : kernel.MAKES + (side + 1) * kernel.AREA][empty]
    return np.bincount(CLASS[made], minlength=patterns.CLASSES + 1).astype(np.uint8)


def game(number: int, seed: int, board: kernel.Words, empty: tuple[kernel.Words, ...]) -> Iterator[Row]:
    """The positions of one game, which depends only on ``number`` and ``seed``. Half of the games that are decided end
    early.
    """
    rng = random.Random(f"{seed} {number}")
    position, played = GOMOKU.start, list[str]()
    opening = rng.randrange(2, 9)
    cells = GOMOKU.layout if rng.random() < 0.3 else [row[3:12] for row in GOMOKU.layout[3:12]]
    slips = rng.choice((0.05, 0.1, 0.2))
    seen: list[tuple[Side, Row]] = []
    winner = None
    while (side := position.to_move) is not None:
        assert isinstance(position, LinePosition)
        if position.ply < opening:
            move = rng.choice([name for row in cells for name in row if name in position.legal_moves])
        else:
            move, value = ask(played)
            kernel.set_up(board, empty, *stones_of(position))
            if value is not None and quiet(board):
                seen.append((side, row_of(board, value, held=number % 10 == 0)))
                if abs(value) == MATE and len(seen) > 4 and rng.random() < 0.5:
                    winner = side if value > 0 else side.other
                    break
            if rng.random() < slips:
                move = rng.choice(near(position))
        position = position.play(move)
        played.append(move)
    if position.outcome is not None:
        winner = position.outcome.winner
    for side, row in seen:
        yield replace(row, result=0.5 if winner is None else float(winner is side))


def row_of(board: kernel.Words, value: int, *, held: bool) -> Row:
    """The position that is set up, without the result of its game."""
    kernel.estimate(board)
    turn, stones = int(board[kernel.TURN]), int(board[kernel.STONES])
    return Row(
        min(stones // kernel.STAGE, kernel.STAGES - 1),
        board[kernel.FEATURE : kernel.FEATURE + kernel.FEATURES].tolist(),
        counted(board, turn),
        counted(board, 1 - turn),
        float(value > 0) if abs(value) == MATE else float(fitting.expectation(np.array(value / LOGIT))),
        held,
        0.5,
    )


def table_of(rows: Sequence[Row]) -> tuple[fitting.Floats, fitting.Floats]:
    """The columns to weigh, those of the features for each stage and then those of the cells, and what to fit."""
    stages = np.eye(kernel.STAGES)[[row.stage for row in rows]]
    features = np.array([row.features for row in rows], np.float64)
    here = (stages[:, :, None] * features[:, None, :]).reshape(len(rows), -1)
    cells = [np.array([row.own for row in rows], np.float64), np.array([row.other for row in rows], np.float64)]
    y = np.array([(1 - SHARE) * row.value + SHARE * row.result for row in rows])
    return np.concatenate([here, *cells], axis=1), y


def main(argv: Sequence[str] | None = None) -> int:
    asked = fitting.asked("gomoku", __doc__, argv, games=2450, program="cells")
    stored = fitting.stored(asked.replaced)
    board = kernel.memory_of(8, np.array(stored["weights"], np.int64), np.array(stored["cells"], np.int64))
    empty = kernel.empty_board(board)
    program().tell(f"INFO max_depth {DEPTH}", f"START {kernel.SIZE}")
    program().answer("OK")
    rows: list[Row] = []
    for number in range(asked.games):
        rows += game(number, asked.seed, board, empty)
    held, taught = ([row for row in rows if row.held is each] for each in (True, False))
    split = kernel.STAGES * kernel.FEATURES
    ridge = np.full(split + 2 * (patterns.CLASSES + 1), RIDGE_OF_CELLS)
    ridge[:split] = RIDGE
    fitted = SCALE * fitting.logistic(*table_of(taught), ridge)
    before = np.concatenate([np.array(stored["weights"][: kernel.STAGES]).ravel(), np.array(stored["cells"]).T.ravel()])
    losses = [round(fitting.log_loss(*table_of(held), each / SCALE), 4) for each in (before, fitted)]
    weights = np.rint(fitted[:split]).astype(np.int64).reshape(kernel.STAGES, kernel.FEATURES).tolist()
    cells = np.rint(fitted[split:]).astype(np.int64).reshape(2, -1).T.tolist()
    of_cells = {
        "command": asked.command,
        "of": f"values of searches of {DEPTH} plies by Rapfi 0.43.02 with its classical weights 220723 (CC0)",
        "games": asked.games,
        "positions": len(rows),
        "log loss on games held back": losses[1],
    }
    return fitting.keep(
        asked,
        {"log loss": (losses[0], losses[1])},
        stored["provenance"] | {"cells": of_cells},
        unit=kernel.UNIT,
        features=NAMES,
        weights=weights + stored["weights"][kernel.STAGES :],
        cells=cells,
    )


if __name__ == "__main__":
    sys.exit(main())
