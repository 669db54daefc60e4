"""Makes the scores of positions of Connect Four with at most eight discs: ``python -m bench.connect4.layers``.

It solves the 91,295 positions with eight discs, mirror images counted once, in some four hours of processor time: with
a process for each processor, at the lowest priority. It begins with what the file has and saves it after every few
hundred positions. So you can stop it at any time, and run it again to continue. The scores of positions with fewer
discs follow from these.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path

from bench.connect4.openings import folded
from noughts.engine.analysis import Interrupt
from noughts.engine.connect4 import layers
from noughts.engine.connect4.layers import DISCS, EVEN, SCORE_BIAS, UNKNOWN, pack, place, score, size, unpack
from noughts.engine.connect4.openings import mirrored
from noughts.engine.connect4.solver import Solver, boards_of
from noughts.games.connect4 import Connect4Position

FILE = Path(layers.__file__).with_name("layers.bin")
ENTRIES = 1 << 25
"""In each process's transposition table: 256 MiB."""
TOGETHER = 256
"""Positions that a process solves one after the other; similar ones, for the sake of its table."""


def positions(discs: int) -> list[Connect4Position]:
    """All positions with so many discs in which the game goes on, mirror images once, similar ones together."""
    found = dict([folded(Connect4Position())])
    for _ in range(discs):
        after = (position.play(move) for position in found.values() for move in position.legal_moves)
        found = dict(folded(position) for position in after if position.to_move is not None)
    return [position for _, position in sorted(found.items())]


def places(position: Connect4Position) -> set[int]:
    """The place of a position and that of its mirror image."""
    return {place(position), place(Connect4Position(mirrored(position.first), mirrored(position.second)))}


def start() -> None:
    """Begin a process that solves."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own waits for the kernel to come back
    if hasattr(os, "nice"):
        os.nice(19)


@cache
def solver() -> Solver:
    """This process's solver."""
    return Solver(ENTRIES)


def solve(some: list[Connect4Position]) -> tuple[list[int], float]:
    """The scores of some positions, and the seconds of processor time that they took."""
    before = time.process_time()
    scores = [solver().solve(*boards_of(position), stop=Interrupt())[0] for position in some]
    return scores, time.process_time() - before


def save(deepest: bytes, file: Path) -> None:
    """Write the layer with the most discs, and the others as far as they follow from it."""
    known = {DISCS: deepest}
    for discs in reversed(EVEN[:-1]):
        layer = bytearray([UNKNOWN]) * size(discs)
        for position in positions(discs):
            found = score(position, known)
            for at in places(position):
                layer[at] = UNKNOWN if found is None else found + SCORE_BIAS
        known[discs] = bytes(layer)
    whole = file.with_suffix(".part")
    whole.write_bytes(pack(known))
    whole.replace(file)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.connect4.layers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--file", type=Path, default=FILE, help="the file; by default, the package's")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many (one for each processor)")
    options = parser.parse_args()
    deepest = bytearray(unpack(options.file.read_bytes())[DISCS] if options.file.exists() else [UNKNOWN] * size(DISCS))
    every = positions(DISCS)
    left = [position for position in every if deepest[place(position)] == UNKNOWN]
    some = [left[at : at + TOGETHER] for at in range(0, len(left), TOGETHER)]
    print(f"{len(left)} of {len(every)} positions to solve", flush=True)
    with ProcessPoolExecutor(options.processes, initializer=start) as pool:
        running = {pool.submit(solve, chunk): chunk for chunk in some}
        for done in as_completed(running):
            scores, seconds = done.result()
            for position, found in zip(running[done], scores, strict=True):
                for at in places(position):
                    deepest[at] = found + SCORE_BIAS
            save(bytes(deepest), options.file)
            print(f"{deepest.count(UNKNOWN)} places unknown; {len(scores)} positions took {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
