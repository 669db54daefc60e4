"""The same algorithm in C: compiles endgame.c with the kernel's constants, and runs it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import numpy as np

from noughts.engine.reversi import kernel
from noughts.engine.reversi.evaluation import PACKAGE, tables_of
from noughts.engine.weights import weights_of

WORDS = "INNER COLUMN GATHER_COLUMN NOT_LEFT NOT_RIGHT SIDES ENDS CORNERS EDGES X_CELLS SALT MIX_1 MIX_2 MIX_3 NO_CELL"
BORDERS = "FROM_1 FROM_2 FROM_4 TO_1 TO_2 TO_4 RISE_1 RISE_2 RISE_4 SINK_1 SINK_2 SINK_4 NODES_PER_POLL"
NUMBERS = "NODES NEXT_POLL NODE_LIMIT STOPPED TABLE_SHIFT AGE LISTS TABLE WORST NOTHING"
SETTINGS = "FEW KEEP_FROM LOOK_FROM LOOK_STEP REPLY_WORTH CUT_FROM POINTS SCALE FEATURES STAGE PARTS"
SHAPES = "SHAPES_OF_EDGES SHAPES_OF_CORNERS"
TABLES = "RAYS NEIGHBOURS QUADRANT FALLING RISING IN_LINE CELL_WORTH STABILITY_FROM DIGITS CORNER_DIGITS LOGARITHM"


def constants() -> str:
    """The kernel's constants and its evaluation's weights, as a C header."""
    lines = [f"#define {name} {int(getattr(kernel, name))}ull" for name in (WORDS + " " + BORDERS).split()]
    lines += [f"#define {name} ({getattr(kernel, name)})" for name in f"{NUMBERS} {SETTINGS} {SHAPES}".split()]
    tables = {name: getattr(kernel, name) for name in TABLES.split()}
    tables["WEIGHTS"] = weights_of(PACKAGE).ravel()
    tables["SHAPES"] = tables_of(weights_of(PACKAGE, "shapes")).ravel()
    for name, table in tables.items():
        kind, suffix = ("uint64_t", "ull") if table.dtype == np.uint64 else ("int64_t", "ll")
        lines.append(f"static const {kind} {name}[] = {{{', '.join(f'{value}{suffix}' for value in table)}}};")
    return "\n".join(["#include <stdint.h>", *lines, ""])


@dataclass(frozen=True, slots=True)
class Answer:
    """A position's value, the number of positions visited, and CPU seconds."""

    value: int
    nodes: int
    seconds: float


class Endgame:
    """A running C solver. Use it in a ``with`` block, after checking :meth:`compiler`."""

    def __init__(self, table_bits: int) -> None:
        self.table_bits = table_bits

    @staticmethod
    def compiler() -> str | None:
        """The name and version of the C compiler, or None if there is none."""
        if not shutil.which("cc"):
            return None
        return subprocess.run(["cc", "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]

    def __enter__(self) -> Self:
        self.directory = TemporaryDirectory()
        folder = Path(self.directory.name)
        (folder / "constants.h").write_text(constants())
        program = folder / "endgame"
        source = Path(__file__).with_name("endgame.c")
        subprocess.run(["cc", "-O3", "-march=native", f"-I{folder}", "-o", program, source], check=True)
        self.process = subprocess.Popen(
            [program, str(self.table_bits)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self.process.communicate()
        self.directory.cleanup()

    def solve(self, own: int, opp: int) -> Answer:
        """Solve a position with 3 empty cells or more."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{own:x} {opp:x}\n")
        stdin.flush()
        value, nodes, seconds = stdout.readline().split()
        return Answer(int(value), int(nodes), float(seconds))
