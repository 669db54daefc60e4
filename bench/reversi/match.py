"""Plays Reversi's current weights against those of another file, at the same search depth.

``python -m bench.reversi.match FILE``, where FILE is another weights.json: for example one written by ``python -m
bench.reversi.fit --out FILE``, or the output of ``git show HEAD:server/noughts/engine/reversi/weights.json``. The
current weights are those in this source tree. Each opening of random moves is played twice, with the sides swapped.
From 12 empty cells on a game counts by its exact value, which does not depend on the weights.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from pathlib import Path

import numpy as np

from bench.reversi.fit import SOLVED_FROM, START, memory_of
from bench.weights import ENGINES
from noughts.engine.reversi import kernel

OPENING = 10  # plies at random
WINDOW = 64 * kernel.POINTS + 1
RUNNING = np.zeros(1, np.uint8)


def after(own: np.uint64, opp: np.uint64, cell: int) -> tuple[np.uint64, np.uint64]:
    """The discs of the side to move after ``cell``, and those of its opponent."""
    turned = kernel.turned_by(np.uint64(cell), own, opp)
    return opp ^ turned, own | turned | np.uint64(1 << cell)


def best_of(memory: kernel.Words, own: np.uint64, opp: np.uint64, cells: list[int], depth: int) -> int:
    """The best of ``cells``, by a search ``depth`` plies deep."""
    memory[kernel.NODES] = memory[kernel.NEXT_POLL] = 0
    memory[kernel.AGE] = memory[kernel.AGE] % 255 + 1
    low, best = -WINDOW, cells[0]
    for cell in cells:
        value = -kernel.look_ahead(memory, RUNNING, *after(own, opp, cell), -WINDOW, -low, depth - 1)
        if value > low:
            low, best = value, cell
    return best


def played(opening: random.Random, memories: list[kernel.Words], depth: int) -> int:
    """The final difference of a game for the side that begins, which uses the first of ``memories``."""
    for memory in memories:
        memory[kernel.TABLE :] = 0
    own, opp, side = np.uint64(START.first), np.uint64(START.second), 0
    for ply in range(200):
        moves = int(kernel.moves_of(own, opp))
        if not moves:
            if not kernel.moves_of(opp, own):
                break
            own, opp, side = opp, own, 1 - side
            continue
        cells = [cell for cell in range(64) if moves >> cell & 1]
        if ply < OPENING:
            cell = opening.choice(cells)
        elif 64 - int(own | opp).bit_count() > SOLVED_FROM:
            cell = best_of(memories[side], own, opp, cells, depth)
        else:
            memory = memories[side]
            memory[kernel.NODES] = memory[kernel.NEXT_POLL] = 0
            return (-1 if side else 1) * kernel.solve(memory, RUNNING, own, opp, -64, 64)
        own, opp = after(own, opp, cell)
        side = 1 - side
    return (-1 if side else 1) * kernel.final(own, opp)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.reversi.match", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the other weights")
    parser.add_argument("--pairs", type=int, default=200, help="pairs of games, at least 2 (200)")
    parser.add_argument("--depth", type=int, default=6, help="search depth in plies (6)")
    asked = parser.parse_args()
    pairs, depth = asked.pairs, asked.depth
    if pairs < 2 or depth < 1:
        parser.error("at least two pairs and one ply are needed")
    other, today = memory_of(asked.file), memory_of(ENGINES / "reversi" / "weights.json")
    results: list[float] = []
    margins: list[int] = []
    for seed in range(pairs):
        pair = []
        for first in (True, False):
            margin = played(random.Random(seed), [today, other] if first else [other, today], depth)
            pair.append(margin if first else -margin)
        margins += pair
        results.append(statistics.mean((margin > 0) + (margin == 0) / 2 for margin in pair))
    score = statistics.mean(results)
    within = 1.96 * statistics.stdev(results) / math.sqrt(pairs)  # the two games of an opening count as one result
    print(
        f"{2 * pairs} games at {depth} plies: {100 * score:.1f} ± {100 * within:.1f} % for the current weights,",
        end=" ",
    )
    print(f"{statistics.mean(margins):+.2f} discs per game")


if __name__ == "__main__":
    main()
