"""What Reversi's kernel weighs, read and laid out for it. Pure; reads package data alone.

Besides :func:`~noughts.engine.reversi.kernel.features` these are shapes: each edge as it is taken, and each corner
with the nine cells about it, as in Logistello (M. Buro, *Experiments with Multi-ProbCut and a New High-Quality
Evaluation Function for Othello*, 1997). A shape is a number to the base of 3, with a digit for each of its cells, 0 for
an empty one, 1 for a disc of the side to move, 2 for one of the other. Mirror images are worth the same, and shapes
with all colours changed as much less than 0; so of each such class one weight is kept.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from noughts.engine.reversi import kernel
from noughts.engine.weights import weights_of

Numbers = npt.NDArray[np.int64]

PACKAGE = "noughts.engine.reversi"
SHAPES_OF_A_DISC = 8
"""What is kept of shapes is in so many parts of a disc."""


def classes(mirrored: list[int]) -> tuple[Numbers, Numbers]:
    """Of each shape its class, numbered from 0, and its sign, -1, 0 or 1: what the weight of the class is to be taken
    by. ``mirrored`` has for each cell the one that is in its place in the mirror image.
    """
    powers = 3 ** np.arange(len(mirrored))
    digits = np.arange(3 ** len(mirrored))[:, None] // powers % 3
    changed = np.where(digits == 0, 0, 3 - digits)
    same = np.minimum(digits @ powers, digits[:, mirrored] @ powers)
    other = np.minimum(changed @ powers, changed[:, mirrored] @ powers)
    _, which = np.unique(np.minimum(same, other), return_inverse=True)
    return which, np.sign(other - same)


EDGES, EDGE_SIGNS = classes([7, 6, 5, 4, 3, 2, 1, 0])
CORNERS, CORNER_SIGNS = classes([0, 3, 6, 1, 4, 7, 2, 5, 8])
EDGE_CLASSES, CORNER_CLASSES = int(EDGES.max()) + 1, int(CORNERS.max()) + 1


def tables_of(shapes: Numbers) -> Numbers:
    """The kernel's tables, of all shapes, by the weights of the classes: a row for each part of the game, edges first.

    Raises ValueError for another number of parts or of classes.
    """
    if shapes.shape != (kernel.PARTS, EDGE_CLASSES + CORNER_CLASSES):
        raise ValueError(f"shapes are {kernel.PARTS} rows of {EDGE_CLASSES + CORNER_CLASSES}, not {shapes.shape}")
    scaled = shapes * ((kernel.POINTS << kernel.SCALE) // SHAPES_OF_A_DISC)
    edges, corners = scaled[:, :EDGE_CLASSES], scaled[:, EDGE_CLASSES:]
    return np.hstack([edges[:, EDGES] * EDGE_SIGNS, corners[:, CORNERS] * CORNER_SIGNS])


@cache
def package_data() -> tuple[Numbers, Numbers]:
    """The weights of the features, and the kernel's tables of shapes. To read them takes some milliseconds of Python,
    which no search should: they are read when the kernel is loaded, and kept.
    """
    return weights_of(PACKAGE), tables_of(weights_of(PACKAGE, "shapes"))


def memory_of(bits: int) -> kernel.Words:
    """A search's memory with a table of ``2 ** bits`` buckets, and with the weights that are package data."""
    return kernel.memory_of(bits, *package_data())
