"""Games that Stockfish plays against itself, with the values of its searches: what the weights of chess are fitted to.

:func:`chunks` plays them in chunks, each a file of its own with a random seed of its own, so that an interrupted run
continues where it was. A game begins with moves at random; now and then a later one is at random too, so that positions
differ. It ends early once one side is far ahead. Linux only, as ``bench.matches.programs`` is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.kept import kept
from bench.matches.programs import Program
from bench.matches.stockfish import found
from noughts.engine.chess import kernel, moves
from noughts.games.chess import CHESS, ChessPosition

NODES = 2_000  # of a search of Stockfish
ASIDE = 0.05  # the probability of a move at random
MOST_PLIES = 240
QUIET_PLIES = 60
"""A game is drawn after so many plies without a capture or a pawn's move."""
DECIDED, DECIDED_PLIES = 1_200, 4
"""A game ends once one side has been so far ahead, in hundredths of a pawn, for so many plies."""
MATE = 3_000
"""The value of a forced mate, and the greatest of any position."""
GAMES_PER_CHUNK = 50
"""At most: there are ten chunks or more."""

POSITION = np.dtype(
    [("board", np.uint8, 64), ("turn", np.uint8), ("value", np.int16), ("result", np.float32), ("quiet", np.bool_)]
)
"""A position: the squares as the kernel's WHO has them, the side to move, and for that side Stockfish's value in
hundredths of its pawns and the game's result; and whether Stockfish's move and the position itself are quiet."""

Row = tuple[npt.NDArray[np.uint8], int, int, bool]


def engine() -> Program:
    """Stockfish. Raises FileNotFoundError if it is not installed."""
    program = Program([found() or "stockfish"])
    program.tell("setoption name Hash value 16")
    return program


def searched(program: Program, played: list[str]) -> tuple[str, int]:
    """Stockfish's move, and its value for the side to move."""
    program.tell(f"position startpos moves {' '.join(played)}", f"go nodes {NODES}")
    value = 0
    while not (line := program.answer("info", "bestmove")).startswith("bestmove"):
        if scored := re.search(r" score (cp|mate) (-?\d+)", line):
            number = int(scored[2])
            value = number if scored[1] == "cp" else MATE if number > 0 else -MATE
    return line.split()[1], max(-MATE, min(value, MATE))


def game(rng: random.Random, program: Program, memory: moves.Words) -> tuple[list[Row], float]:
    """The positions of one game after the moves at random, and its result for White."""
    assert isinstance(CHESS.start, ChessPosition)
    moves.set_up(memory, CHESS.start)
    memory[moves.ROOT] = 0
    program.tell("ucinewgame", "isready")
    program.answer("readyok")
    opening = rng.randrange(4, 13)
    played: list[str] = []
    seen: list[Row] = []
    ahead = 0
    while (state := kernel.state(memory)) == kernel.ON and len(played) < MOST_PLIES:
        known = moves.names(memory)
        turn = int(memory[moves.TURN])
        if len(played) < opening:
            name = rng.choice(list(known))
        else:
            name, value = searched(program, played)
            board = memory[moves.WHO : moves.WHO + 64].astype(np.uint8)
            noisy = board[known[name] >> 6 & 63] != moves.EMPTY or len(name) == 5 or memory[moves.CHECKERS] != 0
            seen.append((board, turn, value, not noisy))
            white = value if turn == 0 else -value
            ahead = (max(ahead, 0) + 1 if white > 0 else min(ahead, 0) - 1) if abs(value) >= DECIDED else 0
            if abs(ahead) >= DECIDED_PLIES:
                return seen, float(ahead > 0)
            if memory[moves.QUIET] >= QUIET_PLIES:
                return seen, 0.5
            if rng.random() < ASIDE:
                name = rng.choice(list(known))
        moves.make(memory, known[name])
        played.append(name)
    return seen, 0.5 if state != kernel.MATED else float(memory[moves.TURN])


def chunks(folder: Path | None, games: int, seed: int) -> Iterator[npt.NDArray[np.void]]:
    """The positions of ``games`` games in the order of play, a chunk at a time. Chunks in ``folder`` are read; others
    are played, and written there.
    """
    memory, start = moves.memory_of(1), cache(engine)
    most = min(GAMES_PER_CHUNK, games // 10)
    for number in range(-(-games // most)):
        count = min(most, games - number * most)
        yield kept(folder, f"{seed}-{number:04d}-{count}", partial(_played, f"{seed} {number}", count, start, memory))


def _played(seed: str, games: int, start: Callable[[], Program], memory: moves.Words) -> npt.NDArray[np.void]:
    rng, program, rows = random.Random(seed), start(), []
    for _ in range(games):
        seen, result = game(rng, program, memory)
        rows += [(board, turn, value, result if turn == 0 else 1 - result, quiet) for board, turn, value, quiet in seen]
    return np.array(rows, POSITION)
