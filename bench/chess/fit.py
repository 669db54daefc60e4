"""Fits the weights of chess's evaluation to Stockfish's, on positions of games that the engine plays against itself.

``python -m bench.chess.fit`` fits by weighted least squares: what the result hardly depends on counts less. A ridge
keeps the weights near this source tree's current ones, with which the games are played, some of the moves at random. So
each run continues from the current weights. Positions in which a capture or a check is due are left out. Stockfish's
program (Debian's package ``stockfish``) tells the value of each position without a search, by its ``eval`` command. The
program also prints the root mean square error in hundredths of a pawn, with the old weights and with the new ones, on a
tenth of the games, which is held out.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bench import weights as fitting
from bench.matches.stockfish import found
from bench.weights import Asked, Floats, keep
from noughts.engine.analysis import Interrupt
from noughts.engine.chess import evaluation, kernel, moves
from noughts.engine.chess.evaluation import NAMES, TERMS
from noughts.engine.jit import kernel as compiled
from noughts.engine.weights import weights_of
from noughts.games.base import Side
from noughts.games.chess import CHESS, ChessPosition
from noughts.games.chess_worth import FULL, UNIT

GAMES = 1500
NODES = 1500  # for a move of a game
AT_RANDOM = 0.12  # of the moves
OPENING = 6  # plies at random
PAWN = 361 / 208 * 100
"""Stockfish 15.1 counts as a pawn what wins half of the games; in older versions, by which our unit was fitted, a pawn
of the endgame was the unit (208 of 361)."""
MOST = 1200  # greater values are cut off
QUIET = 40  # what captures may change
RIDGE = 300.0

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sample:
    """Positions, a row each: the features for the side to move (see ``NAMES``), the share of the middle game, the
    estimate by the old weights, Stockfish's value, and the number of the game.
    """

    features: Floats
    middle: Floats
    before: Floats
    values: Floats
    games: Ints

    def rows(self, which: npt.NDArray[np.bool_]) -> Sample:
        """Some of the positions."""
        return Sample(*(getattr(self, name)[which] for name in self.__slots__))

    def errors(self) -> Floats:
        return self.values - self.before

    def importance(self) -> Floats:
        """The slope of the expected result at the value, 1 at most."""
        expected = 1 / (1 + 10 ** (-self.values / UNIT))
        return np.asarray(4 * expected * (1 - expected), np.float64)

    def both(self) -> Floats:
        """The features for the middle game, then those for the end."""
        return np.hstack([self.features * self.middle[:, None], self.features * (1 - self.middle[:, None])])


@compiled("void(int64[::1], int64[::1])", moves, evaluation)
def count_terms(memory: moves.Words, counts: Ints) -> None:
    """Write to ``counts`` what each term counts for the side to move. All weights must be 0; both sides need pawns."""
    for term in range(TERMS):
        memory[moves.WEIGHTS + term] = (1 << 32) + 1
        counts[term] = evaluation.evaluate(memory.ctypes)
        memory[moves.WEIGHTS + term] = 0


class Oracle:
    """Stockfish, which tells what a position is worth."""

    def __init__(self) -> None:
        program = found()
        if program is None:
            sys.exit("The fit needs Stockfish: apt install stockfish")
        self._program = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def value(self, position: ChessPosition) -> float | None:
        """In hundredths of a pawn for the side to move; None in check."""
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(f"position fen {position.text}\neval\n")
        self._program.stdin.flush()
        line = next(line for line in self._program.stdout if line.startswith("Final evaluation"))
        match = re.search(r"([-+]\d+\.\d+) \(white side\)", line)
        if match is None:
            return None
        value = float(match[1]) * PAWN
        return value if position.side is Side.FIRST else -value


def played(rng: random.Random, memory: moves.Words, flag: npt.NDArray[np.uint8]) -> list[ChessPosition]:
    """The positions of a game."""
    position, seen = CHESS.start, list[ChessPosition]()
    assert isinstance(position, ChessPosition)
    while position.outcome is None and len(seen) < 160:
        known = position.legal_moves
        move = rng.choice(known)
        if len(seen) >= OPENING and rng.random() >= AT_RANDOM:
            move = best_move(position, memory, flag)
        position = position.play(move)
        seen.append(position)
    return seen[OPENING:]


def best_move(position: ChessPosition, memory: moves.Words, flag: npt.NDArray[np.uint8]) -> str:
    """The move that a short search finds."""
    start(memory, position)
    memory[moves.NODE_LIMIT] = NODES
    packed = {move: name for name, move in moves.names(memory).items()}
    best = next(iter(packed))
    for depth in range(1, 20):
        kernel.look_ahead(memory, flag, depth, -kernel.INFINITY, kernel.INFINITY)
        if memory[moves.STOPPED]:
            break
        best = kernel.remembered(memory) or best
    return packed[best]


def start(memory: moves.Words, position: ChessPosition) -> None:
    moves.set_up(memory, position)
    memory[moves.ROOT] = memory[moves.TOP]
    memory[moves.NODES] = memory[moves.NEXT_POLL] = memory[moves.STOPPED] = 0
    memory[moves.NODE_LIMIT] = moves.NO_LIMIT
    memory[moves.AGE] = memory[moves.AGE] % 127 + 1


def sample_of(asked: Asked, weights: Ints) -> Sample:
    """The quiet positions of ``asked.games`` games."""
    rng, oracle = random.Random(asked.seed), Oracle()
    memory, bare = kernel.memory_of(14, weights), kernel.memory_of(1, np.zeros_like(weights))
    flag: npt.NDArray[np.uint8] = np.frombuffer(Interrupt().flag, np.uint8)
    counts = np.zeros(TERMS, np.int64)
    rows: list[tuple[Ints, float, float, float, int]] = []
    for game in range(asked.games):
        for position in played(rng, memory, flag):
            if position.outcome is not None or position.in_check or not {"P", "p"} <= set(position.board):
                continue
            start(memory, position)
            before = evaluation.estimate(memory)
            settled = kernel.look_ahead(memory, flag, 0, -kernel.INFINITY, kernel.INFINITY)
            if abs(settled - before) > QUIET or (value := oracle.value(position)) is None:
                continue
            moves.set_up(bare, position)
            count_terms(bare, counts)
            middle = min(int(memory[moves.PHASE]), FULL) / FULL
            rows.append((np.hstack([pieces(position), counts]), middle, before, max(-MOST, min(value, MOST)), game))
        if game % 100 == 99:
            print(f"{game + 1} games, {len(rows)} positions", flush=True)
    features = np.array([row[0] for row in rows], np.float64)
    columns = [np.array([row[at] for row in rows], np.float64) for at in range(1, 5)]
    return Sample(features, columns[0], columns[1], columns[2], columns[3].astype(np.int64))


def pieces(position: ChessPosition) -> Ints:
    """The features of the pieces on their squares, for the side to move."""
    features = np.zeros(6 * 64, np.int64)
    for square, letter in enumerate(position.board):
        if letter != ".":
            white = letter.isupper()
            at = 64 * moves.LETTERS.index(letter.upper()) + (square if white else square ^ 56)
            features[at] += 1 if white == (position.side is Side.FIRST) else -1
    return features


def fitted(sample: Sample, ridge: float) -> Floats:
    """The additions to the weights, for the middle game and then for the end."""
    importance = sample.importance()
    matrix = ridge * np.eye(2 * len(NAMES))
    right = np.zeros(2 * len(NAMES))
    for part in np.array_split(np.arange(len(importance)), max(1, len(importance) // 5000)):
        chosen = sample.rows(np.isin(np.arange(len(importance)), part))
        x, weight = chosen.both(), chosen.importance()
        matrix += (x * weight[:, None]).T @ x
        right += x.T @ (weight * chosen.errors())
    return np.asarray(np.linalg.solve(matrix, right), np.float64)


def error(sample: Sample, added: Floats) -> float:
    """The root mean square error with ``added`` to the weights, in hundredths of a pawn."""
    importance = sample.importance()
    missed = sample.errors() - sample.both() @ added
    return round(float(np.sqrt((importance * missed**2).sum() / importance.sum())), 2)


def options(argv: Sequence[str] | None) -> Asked:
    return fitting.asked("chess", __doc__, argv, games=GAMES)


def main(argv: Sequence[str] | None = None) -> int:
    asked = options(argv)
    weights = weights_of("noughts.engine.chess")
    sample = sample_of(asked, weights)
    held = sample.games % 10 == 0
    added = fitted(sample.rows(~held), RIDGE)
    losses: dict[str, tuple[float | None, float]] = {
        "root mean square error": (error(sample.rows(held), np.zeros_like(added)), error(sample.rows(held), added))
    }
    new = weights + np.rint(added.reshape(2, -1)).astype(np.int64)
    made: dict[str, Any] = {
        "positions": len(sample.games),
        "error": losses["root mean square error"][1],
        "values": "the eval command of Stockfish 15.1",
        "first": "pieces by PeSTO's tables (R. Friederich), the rest by hand",
    }
    return keep(asked, losses, made, unit=UNIT, features=NAMES, weights=new.tolist())


if __name__ == "__main__":
    sys.exit(main())
