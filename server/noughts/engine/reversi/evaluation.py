"""The weights of Reversi's kernel, in the form that it needs. Reads package data; no other I/O.

Besides :func:`~noughts.engine.reversi.features.features` it weighs patterns: the contents of lines and blocks of cells,
by the number of empty cells, as in Logistello (M. Buro, *Experiments with Multi-ProbCut and a New High-Quality
Evaluation Function for Othello*, 1997). A pattern's shape is a number in base 3 with a digit for each cell, the first
the lowest: 0 if it is empty, 1 for a disc of the side to move, 2 for one of the other. Mirror images have the same
weight, and shapes with swapped colours the negative one, so each class of these has a single weight.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from noughts.engine.reversi import board, table
from noughts.engine.weights import weights_of

Numbers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.int16]

PACKAGE = "noughts.engine.reversi"
FILE = "patterns.bin"
"""The weights of the classes, int16, a row for each stage: first all lower bytes, then all higher ones, compressed by
zlib."""
STEP = 4
"""The unit of the stored weights, in points."""

PATTERNS: tuple[tuple[int, ...], ...] = (
    (*range(8), 9, 14),  # an edge and the cells on the diagonals beside its corners
    (*range(5), *range(8, 13)),
    (0, 1, 2, 8, 9, 10, 16, 17, 18),
    *(tuple(range(8 * row, 8 * row + 8)) for row in (1, 2, 3)),
    *(tuple(9 * at + 8 - length for at in range(length)) for length in table.DIAGONALS),
)
"""The cells of each pattern at one of its places, in the order of the kernel's weights."""

MIRRORED: tuple[tuple[int, ...], ...] = (
    (*range(7, -1, -1), 9, 8),
    tuple(range(10)),  # no mirror image has the same cells
    (0, 3, 6, 1, 4, 7, 2, 5, 8),
    *(tuple(range(7, -1, -1)) for _ in range(3)),
    *(tuple(range(length - 1, -1, -1)) for length in table.DIAGONALS),
)
"""For each digit of a pattern, the one in its place in the mirror image."""


def numbers(digits: Sequence[int], values: tuple[int, int, int] = (0, 1, 2)) -> Numbers:
    """The number of each shape after its digits have moved to the places ``digits``, and become ``values``."""
    total = np.zeros(1, np.int64)
    for digit in digits:
        total = (np.array(values)[:, None] * 3**digit + total).ravel()
    return total


def classes(mirrored: Sequence[int]) -> tuple[Numbers, Numbers]:
    """The class of each shape, numbered from 0, and its sign, -1, 0 or 1, by which to multiply the weight of the class.

    ``mirrored`` is as in MIRRORED.
    """
    every = np.arange(3 ** len(mirrored))
    same = np.minimum(every, numbers(mirrored))
    other = np.minimum(numbers(range(len(mirrored)), (0, 2, 1)), numbers(mirrored, (0, 2, 1)))
    least = np.minimum(same, other)
    return (np.cumsum(least == every) - 1)[least], np.sign(other - same)


@cache
def all_classes() -> tuple[Numbers, Numbers]:
    """The class and the sign of each shape of each pattern, one pattern after the other, with the classes numbered
    on.
    """
    which, signs, count = list[Numbers](), list[Numbers](), 0
    for mirrored in MIRRORED:
        found, sign = classes(mirrored)
        which.append(found + count)
        signs.append(sign)
        count += int(found.max()) + 1
    return np.concatenate(which), np.concatenate(signs)


def packed(weights: Weights) -> bytes:
    """The content of FILE for the weights of the classes, in steps: a row for each stage."""
    return zlib.compress(np.ascontiguousarray(weights, "<i2").view(np.uint8).reshape(-1, 2).T.tobytes(), 9)


def unpacked(content: bytes) -> Weights:
    """The inverse of :func:`packed`."""
    planes = np.frombuffer(zlib.decompress(content), np.uint8).reshape(2, -1)
    return np.ascontiguousarray(planes.T).view("<i2").reshape(table.STAGES, -1)


def shapes_of(weights: Weights) -> Weights:
    """The kernel's weights of all shapes, in points, from those of the classes in steps.

    Raises ValueError if the number of stages or of classes is wrong.
    """
    which, signs = all_classes()
    expected = (table.STAGES, int(which.max()) + 1)
    if weights.shape != expected:
        raise ValueError(f"the weights must be {expected[0]} rows of {expected[1]}, not {weights.shape}")
    return (STEP * weights)[:, which] * signs.astype(np.int16)


@cache
def package_data() -> tuple[Numbers, Weights, Numbers, Numbers]:
    """The arguments of :func:`~noughts.engine.reversi.table.memory_of`. They take some milliseconds to read, so they
    are cached.
    """
    shapes = shapes_of(unpacked(files(PACKAGE).joinpath(FILE).read_bytes()))
    return weights_of(PACKAGE), shapes, weights_of(PACKAGE, "errors"), weights_of(PACKAGE, "end_errors")[0]


def memory_of(bits: int) -> board.Words:
    """A search's memory, with a table of ``2 ** bits`` buckets and the weights of the package."""
    return table.memory_of(bits, *package_data())
