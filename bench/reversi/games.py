"""Games that Reversi's engine plays against itself, with the values of its searches: what the weights are fitted to.

:func:`chunks` plays them in chunks, each a file of its own with a random seed of its own, so that an interrupted run
continues where it was. A game begins with moves at random. Then the engine searches each position DEPTH plies deep, and
solves it from SOLVED_FROM empty cells on; now and then it plays another move than the best, so that positions differ.
The values depend on this source tree's current weights.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.kept import kept
from noughts.engine.reversi import board, features, kernel, table
from noughts.engine.reversi.evaluation import memory_of
from noughts.games.reversi import REVERSI, parse

START = parse(REVERSI.start.text)
DEPTH = 5  # plies
SOLVED_FROM = 16  # empty cells
FIRST, LAST = 56, 6  # empty cells of a game's first and last positions
ASIDE = 0.08  # the probability of a move at random
GAMES_PER_CHUNK = 250
TABLE_BITS = 14
WINDOW = 64 * features.POINTS + 1

Row = tuple[int, int, int, bool, bool]
"""A position: the discs of the side to move, those of the opponent, its value in points, whether that is exact, and
whether the next position of the game is its best successor."""

POSITION = np.dtype(
    [("own", np.uint64), ("opp", np.uint64), ("value", np.int16), ("exact", np.bool_), ("followed", np.bool_)]
)


def game(rng: random.Random, memory: board.Words, flag: npt.NDArray[np.uint8]) -> list[Row]:
    """The positions of one game in which the side to move can move, from the last move at random at the start on."""
    own, opp = np.uint64(START.first), np.uint64(START.second)
    at_random = rng.randrange(60 - FIRST, 17) if rng.random() < 0.6 else rng.randrange(16, 40)
    seen: list[Row] = []
    ply = 0
    while True:
        moves = int(board.moves_of(own, opp))
        empties = 64 - int(own | opp).bit_count()
        if empties < LAST or (not moves and not board.moves_of(opp, own)):
            return seen
        if not moves:
            own, opp = opp, own
            continue
        cells = [cell for cell in range(64) if moves >> cell & 1]
        best = None
        if ply >= at_random:
            value, best = searched(memory, flag, own, opp, empties)
        cell = rng.choice(cells) if best is None or rng.random() < ASIDE else best
        if best is not None:
            seen.append((int(own), int(opp), value, empties <= SOLVED_FROM, cell == best))
        turned = board.turned_by(np.uint64(cell), own, opp)
        own, opp = opp ^ turned, own | turned | np.uint64(1 << cell)
        ply += 1


def searched(
    memory: board.Words, flag: npt.NDArray[np.uint8], own: np.uint64, opp: np.uint64, empties: int
) -> tuple[int, int]:
    """The value in points, and the best cell."""
    memory[table.NODES] = memory[table.NEXT_POLL] = 0
    memory[table.AGE] = memory[table.AGE] % 255 + 1
    if empties > SOLVED_FROM:
        for depth in range(2, DEPTH + 1):
            value = kernel.look_ahead(memory, flag, own, opp, -WINDOW, WINDOW, depth)
        return value, int(kernel.remembered(memory, own, opp))
    value = kernel.solve(memory, flag, own, opp, -64, 64)
    moves, best = int(board.moves_of(own, opp)), -1
    # The table may have lost the best move, and with few empty cells has none.
    likely = int(kernel.remembered(memory, own, opp))
    for cell in sorted((cell for cell in range(64) if moves >> cell & 1), key=lambda cell: cell != likely):
        turned = board.turned_by(np.uint64(cell), own, opp)
        then = own | turned | np.uint64(1 << cell)
        if -kernel.solve(memory, flag, opp ^ turned, then, -value, -value + 1) >= value:
            best = cell
            break
    return value * features.POINTS, best


def chunks(folder: Path | None, games: int, seed: int) -> Iterator[npt.NDArray[np.void]]:
    """The positions of ``games`` games in the order of play, a chunk at a time. Chunks in ``folder`` are read; others
    are played, and written there.
    """
    memory = memory_of(TABLE_BITS)
    for number in range(-(-games // GAMES_PER_CHUNK)):
        count = min(GAMES_PER_CHUNK, games - number * GAMES_PER_CHUNK)
        yield kept(folder, f"{seed}-{number:04d}-{count}", partial(_played, f"{seed} {number}", count, memory))


def _played(seed: str, games: int, memory: board.Words) -> npt.NDArray[np.void]:
    rng, flag = random.Random(seed), np.zeros(1, np.uint8)
    memory[table.TABLE :] = 0
    return np.array([row for _ in range(games) for row in game(rng, memory, flag)], POSITION)
