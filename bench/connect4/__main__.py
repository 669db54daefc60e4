"""Connect Four's solver: positions per second on the published positions, compared with the same algorithm in C.

    python -m bench.connect4 [--rounds N] [--beyond N]

Nodes are counted with an empty table for each position. To measure time, both solvers take turns to solve all positions
of a file in random order, starting with an empty table; the results are medians of the CPU time. ``solver.c`` is
compiled by ``cc``, or by the compiler in CC. Without a compiler only the kernel runs.

Then the engine finds the best moves of positions just beyond the opening table, where the computer has played from the
table and its opponent at random.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from engine.connect4.published import published
from noughts.engine import Interrupt, Limits
from noughts.engine.connect4 import kernel, openings
from noughts.engine.connect4.engine import ENTRIES, Connect4Engine
from noughts.engine.connect4.solver import boards_of, wins_at_once
from noughts.games.connect4 import Connect4Position

FLAGS = ("-std=c11", "-O3", "-march=native", "-shared", "-fPIC")
PUBLISHED_NODES = {"L3_R1": 51, "L2_R1": 450, "L2_R2": 39_900, "L1_R1": 3_298, "L1_R2": 1_200_000}
"""Mean nodes per position, as published with the positions."""

Boards = npt.NDArray[np.uint64]
"""For each position the discs of the side to move, which cannot win at once, and all discs."""

SolveAll = Callable[[Boards], list[int]]
"""Solves positions, and adds to the memory's ``nodes``."""


class Memory:
    """A transposition table and the other arrays that both solvers write to."""

    def __init__(self) -> None:
        self.table = np.zeros(ENTRIES, np.uint64)
        self.nodes = np.zeros(1, np.int64)
        self.stop = np.zeros(1, np.uint8)


def kernel_solver(memory: Memory) -> SolveAll:
    stack, frames = np.zeros(kernel.STACK, np.uint64), np.zeros(kernel.FRAMES, np.int64)
    budget = np.int64(1 << 62)

    @numba.njit
    def each(boards: Boards, bounds: npt.NDArray[np.int64], memory: tuple[npt.NDArray[Any], ...]) -> None:
        table, stack, frames, nodes, stop = memory
        for index in range(len(boards)):
            own, mask = boards[index]
            kernel.solve(own, mask, bounds[index], budget, table, stack, frames, nodes, stop)

    def solve_all(boards: Boards) -> list[int]:
        discs = [int(mask).bit_count() for _, mask in boards]
        bounds = np.array([(-((kernel.CELLS - n) // 2), (kernel.CELLS + 1 - n) // 2) for n in discs], np.int64)
        each(boards, bounds, (memory.table, stack, frames, memory.nodes, memory.stop))
        return [int(low) for low, _ in bounds]

    return solve_all


def c_solver(memory: Memory, directory: Path) -> SolveAll | None:
    """The solver in C, compiled in ``directory``; None without a compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    library = directory / "solver.so"
    subprocess.run([compiler, *FLAGS, "-o", library, Path(__file__).parent / "solver.c"], check=True)
    function = ctypes.CDLL(str(library)).solve_all
    address = ctypes.c_void_p
    function.argtypes = [address, ctypes.c_int64, address, address, ctypes.c_int64, address, address]
    function.restype = None
    table, nodes, stop = (array.ctypes.data for array in (memory.table, memory.nodes, memory.stop))

    def solve_all(boards: Boards) -> list[int]:
        scores = np.zeros(len(boards), np.int64)
        function(boards.ctypes.data, len(boards), scores.ctypes.data, table, ENTRIES, nodes, stop)
        return [int(score) for score in scores]

    return solve_all


@dataclass(frozen=True)
class Visit:
    """One run through a file: nodes and CPU seconds."""

    nodes: int
    seconds: float


def visit(solve_all: SolveAll, memory: Memory, positions: list[tuple[int, int, int]]) -> Visit:
    """Solve all ``positions``: the two boards and the score."""
    boards = np.array([(own, mask) for own, mask, _ in positions], np.uint64)
    memory.nodes[0] = 0
    memory.table[:] = 0
    started = time.process_time()
    found = solve_all(boards)
    seconds = time.process_time() - started
    assert found == [score for _, _, score in positions]
    return Visit(int(memory.nodes[0]), seconds)


def compiler_version() -> str:
    run = subprocess.run([os.environ.get("CC", "cc"), "--version"], check=False, stdout=subprocess.PIPE, text=True)
    return run.stdout.partition("\n")[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.connect4")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--beyond", type=int, default=200, help="how many positions beyond the openings (200)")
    options = parser.parse_args()
    rounds = options.rounds
    memory = Memory()
    with tempfile.TemporaryDirectory() as directory:
        solvers = {"kernel": kernel_solver(memory)}
        in_c = c_solver(memory, Path(directory))
        if in_c is not None:
            solvers["C"] = in_c
        print(f"Python {platform.python_version()}, numba {version('numba')}, llvmlite {version('llvmlite')}", end="")
        print(f", {compiler_version()} {' '.join(FLAGS[1:3])}" if in_c else "; no compiler")
        print(f"medians of {rounds} rounds; table of {ENTRIES} entries\n")
        print("| file | nodes per position | published | kernel us | C us | kernel Mnodes/s | C Mnodes/s | ratio |")
        print("|---|---|---|---|---|---|---|---|")
        for name, expected in PUBLISHED_NODES.items():
            boards = [(*boards_of(position), score) for position, score in published(name)]
            assert not any(wins_at_once(own, mask) for own, mask, _ in boards)
            visits: dict[str, list[Visit]] = {solver: [] for solver in solvers}
            visit(solvers["kernel"], memory, boards[:1])  # compiles the loop
            for _ in range(rounds):
                for solver in random.sample(list(solvers), len(solvers)):
                    visits[solver].append(visit(solvers[solver], memory, boards))
            separate = sum(visit(solvers["kernel"], memory, [each]).nodes for each in boards)
            print(row(name, expected, len(boards), separate, visits), flush=True)
    if options.beyond:
        beyond_the_openings(options.beyond)


def row(name: str, expected: int, positions: int, separate: int, visits: dict[str, list[Visit]]) -> str:
    nodes = visits["kernel"][0].nodes
    assert all(visit.nodes == nodes for each in visits.values() for visit in each), "the solvers' nodes differ"
    seconds = {solver: statistics.median(visit.seconds for visit in each) for solver, each in visits.items()}
    cells = [name, f"{separate / positions:,.0f}", f"{expected:,}", f"{seconds['kernel'] / positions * 1e6:,.1f}"]
    rate = nodes / seconds["kernel"]
    if "C" in seconds:
        in_c = nodes / seconds["C"]
        cells += [
            f"{seconds['C'] / positions * 1e6:,.1f}",
            f"{rate / 1e6:.1f}",
            f"{in_c / 1e6:.1f}",
            f"{rate / in_c:.2f}",
        ]
    else:
        cells += ["", f"{rate / 1e6:.1f}", "", ""]
    return f"| {' | '.join(cells)} |"


def just_beyond(rng: random.Random, first: bool) -> Connect4Position:
    """A random position in which the computer, which plays best moves from the table, has to search."""
    while True:
        position = Connect4Position()
        while position.to_move is not None:
            if (position.ply % 2 == 0) is first:
                known = openings.lookup(position)
                if known is None or not known.best:
                    return position
                position = position.play(rng.choice(known.best))
            else:
                position = position.play(rng.choice(position.legal_moves))


def beyond_the_openings(count: int) -> None:
    """Measure how long the engine takes for the best moves of ``count`` such positions for each side."""
    print("\n| computer | plies | median s | p95 s | max s | over 2 s |")
    print("|---|---|---|---|---|---|")
    for name, first in (("first", True), ("second", False)):
        rng = random.Random(1)
        positions = [just_beyond(rng, first) for _ in range(count)]
        engine, seconds = Connect4Engine(), []
        for position in positions:
            engine.forget()
            started = time.process_time()
            engine.analyse(position, Limits(every_move=False), Interrupt())
            seconds.append(time.process_time() - started)
        seconds.sort()
        plies = sorted({position.ply for position in positions})
        late = sum(each > 2 for each in seconds)
        numbers = f"{statistics.median(seconds):.2f} | {seconds[count * 95 // 100]:.2f} | {seconds[-1]:.2f}"
        print(f"| {name} | {plies[0]} to {plies[-1]} | {numbers} | {late} of {count} |", flush=True)


if __name__ == "__main__":
    main()
