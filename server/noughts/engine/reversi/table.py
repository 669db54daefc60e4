"""The memory of a search for Reversi, with its transposition table. Pure; does no I/O.

A search keeps everything in one array, :func:`memory_of`: counters, a move list for each number of empty cells, the
evaluation's weights, so that changing them does not mean recompiling, and the transposition table. The inner functions
get it as a bare pointer, which takes one register where an array takes seven. Table entries are fetched before they are
needed, as in chess programs.
"""

# ruff: noqa: PLR0917 - an argument stays in a register, a structure would live in memory
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from noughts.engine.jit import kernel
from noughts.engine.reversi import board
from noughts.engine.reversi.board import (
    EIGHT,
    INT,
    MASK8,
    ONE,
    SEVEN,
    THREE,
    TWO,
    ZERO,
    Words,
)

TOP = np.uint64(1 << 63)

# The words of a search's memory.
NODES = 0  # positions visited
NEXT_POLL = 1  # the node count at which to check the flag again
NODE_LIMIT = 2
STOPPED = 3  # 1 once the search was stopped; what it returns then is meaningless
TABLE_SHIFT = 4  # 64 - log2 of the table's number of buckets
AGE = 5  # the age of the entries that this search writes, 0 to 255
DOUBT = 6  # the standard deviations, in DOUBTS, by which a value must be off for a shallower search to cut it off, or 0
LISTS = 64  # 128 words for each number of empty cells: 64 packed moves, then the discs that each flips
WEIGHTS = LISTS + 65 * 128  # the weights of the features, a row for each stage of the game
FEATURES = 6
STAGE = 5  # empty cells per stage
STAGES = 64 // STAGE + 1
# The patterns by their number of cells, in the order of their weights.
EDGE, BLOCK, CORNER, ROW = 10, 10, 9, 8
ROWS = 3  # of each half of the board, apart from the edge
DIAGONALS = (8, 7, 6, 5, 4)
BLOCKS_AT = 3**EDGE
CORNERS_AT = BLOCKS_AT + 3**BLOCK
ROWS_AT = CORNERS_AT + 3**CORNER
DIAGONALS_AT = ROWS_AT + ROWS * 3**ROW
SHAPES = DIAGONALS_AT + sum(3**cells for cells in DIAGONALS)  # of all patterns
# The standard deviations in points of the value of a search from that of a shallower one: for each stage by the depth
# in plies, and of a search to the end by the number of empty cells. See `kernel.shallower`.
ERRORS = WEIGHTS + FEATURES * STAGES
DEPTHS = 11
END_ERRORS = ERRORS + DEPTHS * STAGES
DOUBTS = 10
# Each stage's weights of the shapes, int16 in points, four to a word. They begin and end with a word.
PATTERNS = END_ERRORS + 65
WORDS_PER_STAGE = (SHAPES + 3) // 4
# Buckets of four entries, each a key and its packed data.
TABLE = (PATTERNS + WORDS_PER_STAGE * STAGES + 7) // 8 * 8
NODES_PER_POLL = np.uint64(4096)
NO_CELL = np.uint64(64)
MASK16 = np.uint64(0xFFFF)
TABLE_AT = np.uint64(TABLE)
MIX_1, MIX_2, MIX_3 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
SALT = np.uint64(0x5851F42D4C957F2D)  # so that estimates and exact values have different keys


def _prefetch() -> Any:
    """A function that begins to load the cache line with a word of a search's memory, and does not wait for it."""

    def typed(_context: Any, memory: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            place = builder.gep(arguments[0], [arguments[1]])
            code = ir.FunctionType(ir.VoidType(), [place.type, INT, INT, INT])
            prefetch = builder.module.declare_intrinsic("llvm.prefetch.p0", (), code)
            # To read, soon and often, data.
            builder.call(prefetch, [place, INT(0), INT(3), INT(1)])
            return context.get_dummy_value()

        return types.none(memory, index), generate

    return intrinsic(typed)


prefetch: Callable[[Any, np.uint64], None] = _prefetch()


@kernel("uint64(uint64, uint64)")
def hash_of(own: np.uint64, opp: np.uint64) -> np.uint64:
    """The position's key in the table. Two positions share a key only by chance: one pair in 2 ** 64."""
    mixed = own * MIX_1
    mixed = ((mixed ^ mixed >> np.uint64(32)) + opp) * MIX_2
    mixed = (mixed ^ mixed >> np.uint64(29)) * MIX_3
    return mixed ^ mixed >> np.uint64(32)


@kernel("uint64(CPointer(uint64), uint64)", board)
def find(memory: Any, key: np.uint64) -> np.uint64:
    """The table's packed entry for ``key``, or 0."""
    at = TABLE_AT + (key >> memory[TABLE_SHIFT] << THREE)
    if memory[at] == key:
        return np.uint64(memory[at + ONE])
    if memory[at + TWO] == key:
        return np.uint64(memory[at + THREE])
    if memory[at + np.uint64(4)] == key:
        return np.uint64(memory[at + np.uint64(5)])
    if memory[at + np.uint64(6)] == key:
        return np.uint64(memory[at + SEVEN])
    return ZERO


@kernel("void(CPointer(uint64), uint64, uint64)", board)
def fetch(memory: Any, own: np.uint64, opp: np.uint64) -> None:
    """Begin to load the table's bucket for a position: memory takes about as long as searching the moves before it."""
    prefetch(memory, TABLE_AT + (hash_of(own, opp) >> memory[TABLE_SHIFT] << THREE))


@kernel("void(CPointer(uint64), uint64, int64, int64, int64, uint64)", board)
def keep(memory: Any, key: np.uint64, depth: int, lower: int, upper: int, cell: np.uint64) -> None:
    """Store bounds and the best move, ``cell``, in the table. Replaces the entry with the same key, or else the least
    valuable of the bucket: entries of an earlier search go first, then those searched less deeply.

    Packed: the move in bits 0 to 7, the bounds plus 32768 in bits 8 to 23 and 24 to 39, the depth in bits 40 to 47 and
    the age in bits 48 to 55.
    """
    at = TABLE_AT + (key >> memory[TABLE_SHIFT] << THREE)
    where = at
    least = 1 << 20
    for _ in range(4):
        if memory[at] == key:
            where = at
            break
        packed = memory[at + ONE]
        worth = int(packed >> np.uint64(40) & MASK8)
        if packed >> np.uint64(48) == memory[AGE]:
            worth += 256
        if worth < least:
            least = worth
            where = at
        at += TWO
    memory[where] = key
    memory[where + ONE] = (
        cell
        | np.uint64(lower + 32768) << EIGHT
        | np.uint64(upper + 32768) << np.uint64(24)
        | np.uint64(depth) << np.uint64(40)
        | memory[AGE] << np.uint64(48)
    )


@kernel("boolean(CPointer(uint64), CPointer(uint8))", board)
def stopped(memory: Any, flag: Any) -> bool:
    """True if the search has to stop. Checks the flag every NODES_PER_POLL nodes."""
    if memory[NODES] >= memory[NEXT_POLL]:
        memory[NEXT_POLL] = memory[NODES] + NODES_PER_POLL
        if flag[0] != 0 or memory[NODES] >= memory[NODE_LIMIT]:
            memory[STOPPED] = ONE
    return bool(memory[STOPPED] != ZERO)


@kernel("uint64(CPointer(uint64), uint64, uint64)", board)
def best_of(memory: Any, start: np.uint64, end: np.uint64) -> np.uint64:
    """The index of the largest of the words from ``start`` to before ``end``."""
    pick = start
    look = start + ONE
    while look < end:
        if memory[look] > memory[pick]:
            pick = look
        look += ONE
    return pick


def memory_of(
    bits: int,
    weights: npt.NDArray[np.int64],
    shapes: npt.NDArray[np.int16],
    errors: npt.NDArray[np.int64],
    end_errors: npt.NDArray[np.int64],
) -> Words:
    """A new memory for a search, with a table of ``2 ** bits`` buckets of 64 bytes, aligned to cache lines.

    ``weights`` are the features' weights, STAGES rows of FEATURES, in points times ``2 ** SCALE``. ``shapes`` are the
    weights of all shapes, STAGES rows of SHAPES, in points; see :mod:`noughts.engine.reversi.evaluation`. ``errors``
    are STAGES rows of DEPTHS, and ``end_errors`` 65 numbers, as described at ERRORS. Raises ValueError for other
    numbers of rows or columns.
    """
    if weights.shape != (STAGES, FEATURES):
        raise ValueError(f"weights are {STAGES} rows of {FEATURES}, not {weights.shape}")
    if shapes.shape != (STAGES, SHAPES):
        raise ValueError(f"shapes are {STAGES} rows of {SHAPES}, not {shapes.shape}")
    if errors.shape != (STAGES, DEPTHS) or end_errors.shape != (65,):
        raise ValueError(
            f"errors are {STAGES} rows of {DEPTHS} and 65 numbers, not {errors.shape} and {end_errors.shape}"
        )
    raw = np.zeros(TABLE + (8 << bits) + 7, np.uint64)
    skipped = -raw.ctypes.data // 8 % 8
    words = raw[skipped : skipped + TABLE + (8 << bits)]
    words[TABLE_SHIFT] = 64 - bits
    words[NODE_LIMIT] = TOP
    words[WEIGHTS:ERRORS] = weights.ravel().view(np.uint64)
    words[ERRORS:END_ERRORS] = errors.ravel().view(np.uint64)
    words[END_ERRORS:PATTERNS] = end_errors.view(np.uint64)
    stages = words[PATTERNS : PATTERNS + STAGES * WORDS_PER_STAGE].view(np.int16).reshape(STAGES, -1)
    stages[:, :SHAPES] = shapes
    return words
