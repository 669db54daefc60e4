"""Benchmarks Reversi's kernel: perft, the FFO endgame suite, and endgames of its own games.

``python -m bench.reversi [--positions N] [--seed N]`` prints tables for bench/results.md. Times are CPU times,
because the machine may be busy. Each position is solved with an empty table.
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import time
from pathlib import Path

import numba
import numpy as np

from noughts.engine.analysis import Interrupt, Limits
from noughts.engine.reversi import board
from noughts.engine.reversi.engine import ReversiEngine
from noughts.games.base import Side
from noughts.games.reversi import REVERSI, ReversiPosition, parse

FFO = Path(__file__).parents[2] / "tests/engine/reversi/othello_ffo_20-44.obf"
START = parse(REVERSI.start.text)
PERFT_11 = 212_258_800


def discs(position: ReversiPosition) -> tuple[int, int]:
    first = position.side is Side.FIRST
    return (position.first, position.second) if first else (position.second, position.first)


def published() -> list[tuple[int, ReversiPosition, int]]:
    """The suite's positions 20 to 35 and 40 to 44: number, position, value."""
    found: list[tuple[int, ReversiPosition, int]] = []
    lines = [line for line in FFO.read_text().splitlines() if not line.startswith("#")]
    for number, line in enumerate(lines, start=20):
        if 35 < number < 40:
            continue
        board, side, best = line.replace(";", "").split()[:3]
        cells = board.translate(str.maketrans("XO-", "bw."))
        rows = "/".join(cells[start : start + 8] for start in range(0, 64, 8))
        position = parse(f"{rows} {Side.FIRST if side == 'X' else Side.SECOND}")
        found.append((number, position, int(best.split(":")[1])))
    return found


def self_play(count: int, empties: int, seed: int) -> list[ReversiPosition]:
    """Positions with ``empties`` empty cells from games that the engine plays, 4 plies deep after 12 random plies."""
    rng, engine = random.Random(seed), ReversiEngine(12)
    found: list[ReversiPosition] = []
    while len(found) < count:
        position = START
        while position.to_move is not None and (position.first | position.second).bit_count() < 64 - empties:
            moves = position.legal_moves
            if position.ply >= 12:
                moves = engine.analyse(position, Limits(depth=4, every_move=False), Interrupt()).choices
            position = position.play(rng.choice(moves))
        if position.to_move is not None:
            found.append(position)
    return found


def perft() -> None:
    first, second = np.uint64(START.first), np.uint64(START.second)
    times = []
    for _ in range(3):
        start = time.process_time()
        if board.perft(first, second, 11) != PERFT_11:
            raise SystemExit("wrong result for perft 11")
        times.append(time.process_time() - start)
    print(f"perft 11: {PERFT_11:,} lines in {statistics.median(times):.2f} s (median of 3).\n")


def analysed(position: ReversiPosition) -> tuple[int, int, float]:
    """The value of the position as a computer seat finds it, the positions visited, and seconds."""
    engine = ReversiEngine()
    start = time.process_time()
    found = engine.analyse(position, Limits(every_move=False), Interrupt())
    return found.value, found.nodes, time.process_time() - start


def suite() -> None:
    print("| FFO | empty cells | value | positions visited | s |\n|---|---|---|---|---|")
    total = 0.0
    for number, position, expected in published():
        value, nodes, seconds = analysed(position)
        if value != expected:
            raise SystemExit(f"wrong value for FFO {number}: {value} instead of {expected}")
        if number == 40:
            print(f"| 20 to 35 | | | | {total:.2f} |")
            total = 0.0
        total += seconds
        empties = 64 - (position.first | position.second).bit_count()
        print(f"| {number} | {empties} | {value:+d} | {nodes:,} | {seconds:.3f} |")
    print(f"| 40 to 44 | | | | {total:.2f} |\n")


def endgames(count: int, seed: int) -> None:
    print("| empty cells | positions | p50 ms | p95 ms | max ms |\n|---|---|---|---|---|")
    for empties in (16, 18, 20):
        times = sorted(1000 * analysed(position)[2] for position in self_play(count, empties, seed))
        p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
        print(f"| {empties} | {count} | {p50:.1f} | {p95:.1f} | {times[-1]:.1f} |")
    print()


def main(count: int, seed: int) -> None:
    print(f"Python {platform.python_version()}, numba {numba.__version__}, numpy {np.__version__}; seed {seed}\n")
    perft()
    suite()
    endgames(count, seed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.reversi", description=__doc__.partition("\n")[0])
    parser.add_argument("--positions", type=int, default=100, help="endgames for each number of empty cells")
    parser.add_argument("--seed", type=int, default=1, help="the seed of their games")
    options = parser.parse_args()
    main(options.positions, options.seed)
