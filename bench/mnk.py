"""Solves small m,n,k boards, and compares their values with the published ones.

``python -m bench.mnk`` prints a table for bench/results.md, and fails if a value differs from the published one. It
solves each board from an empty table of the engine's size: first whether the first side can win, raising the number of
plies step by step, then, if not, whether the second side can. A strategy-stealing argument shows that it cannot, but
the program does not rely on it. Times are CPU times, because the machine may be busy.

The published values are from the table of such games by van den Herik, Uiterwijk and van Rijswijck, *Games Solved: Now
and in the Future* (Artificial Intelligence 134, 2002).
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from importlib.metadata import version

import numpy as np

from noughts.engine.mnk import kernel
from noughts.engine.mnk.engine import TABLE_BITS

RUNNING = np.zeros(1, np.uint8)
NOBODY = np.uint64(0)

PUBLISHED = (
    ((3, 3, 3), "draw"),
    ((3, 4, 3), "win"),
    ((4, 4, 3), "win"),
    ((4, 4, 4), "draw"),
    ((5, 4, 4), "draw"),
    ((6, 4, 4), "draw"),
    ((5, 5, 4), "draw"),
    ((6, 5, 4), "win"),
    ((5, 5, 5), "draw"),
    ((7, 4, 4), ""),
    ((6, 6, 4), ""),
    ((6, 6, 5), ""),
)
"""Columns, rows and length of a line, and the published value for the first side; empty if unknown."""


def plies_to_win(memory: kernel.Words, cells: int, *, begins: bool) -> int | None:
    """In how many plies the first side, or the second, can win; None if it cannot."""
    for left in range(1 if begins else 2, cells + 1, 2):
        answer = int(kernel.prove(memory, RUNNING, NOBODY, NOBODY, begins, left))
        if answer > 0:
            return answer
        if answer == -kernel.NEVER:
            break
    return None


def value_of(memory: kernel.Words, cells: int) -> str:
    plies = plies_to_win(memory, cells, begins=True)
    if plies is not None:
        return f"win in {plies}"
    plies = plies_to_win(memory, cells, begins=False)
    return "draw" if plies is None else f"loss in {plies}"


def main() -> int:
    argparse.ArgumentParser(
        prog="python -m bench.mnk", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    kernel.prove(kernel.memory_of(3, 3, 3, 1), RUNNING, NOBODY, NOBODY, True, 9)  # the first call is not measured
    print(f"Python {platform.python_version()}, numba {version('numba')}, {platform.machine()}\n")
    print("| board | value | published | positions | CPU seconds | million positions per second |")
    print("|---|---|---|---|---|---|")
    wrong = 0
    for (columns, rows, length), published in PUBLISHED:
        memory = kernel.memory_of(columns, rows, length, TABLE_BITS)
        memory[kernel.TABLE :] = 0  # else the system allocates the memory during the measurement
        begun = time.process_time()
        value = value_of(memory, columns * rows)
        seconds = time.process_time() - begun
        nodes = int(memory[kernel.NODES])
        wrong += published not in {"", value.split()[0]}
        speed = f"{nodes / seconds / 1e6:.1f}" if seconds > 0.01 else ""
        board = f"{columns},{rows},{length}"
        print(f"| {board} | {value} | {published} | {nodes:,} | {seconds:.3f} | {speed} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
