"""The weights of Reversi's kernel, in the form that it needs. Reads package data; no other I/O.

Besides :func:`~noughts.engine.reversi.kernel.features` it weighs shapes: the contents of each edge, and of each corner
of nine cells, as in Logistello (M. Buro, *Experiments with Multi-ProbCut and a New High-Quality
Evaluation Function for Othello*, 1997). A shape is a number in base 3 with a digit for each cell: 0 if it
is empty, 1 for a disc of the side to move, 2 for one of the other. Mirror images have the same weight, and shapes with
swapped colours the negative one, so each class of these has a single weight.
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
"""The stored weights of shapes are in eighths of a disc."""


def classes(mirrored: list[int]) -> tuple[Numbers, Numbers]:
    """The class of each shape, numbered from 0, and its sign, -1, 0 or 1, by which to multiply the weight of the class.

    ``mirrored`` has for each cell the cell in its place in the mirror image.
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
    """The kernel's tables for all shapes, from the weights of the classes: a row for each part of the game, edges
    first.

    Raises ValueError if the number of parts or of classes is wrong.
    """
    if shapes.shape != (kernel.PARTS, EDGE_CLASSES + CORNER_CLASSES):
        raise ValueError(f"shapes must be {kernel.PARTS} rows of {EDGE_CLASSES + CORNER_CLASSES}, not {shapes.shape}")
    scaled = shapes * ((kernel.POINTS << kernel.SCALE) // SHAPES_OF_A_DISC)
    edges, corners = scaled[:, :EDGE_CLASSES], scaled[:, EDGE_CLASSES:]
    return np.hstack([edges[:, EDGES] * EDGE_SIGNS, corners[:, CORNERS] * CORNER_SIGNS])


@cache
def package_data() -> tuple[Numbers, Numbers]:
    """The weights of the features, and the kernel's tables of shapes. They take milliseconds to read, so they are
    cached.
    """
    return weights_of(PACKAGE), tables_of(weights_of(PACKAGE, "shapes"))


def memory_of(bits: int) -> kernel.Words:
    """A search's memory, with a table of ``2 ** bits`` buckets and the weights of the package."""
    return kernel.memory_of(bits, *package_data())
