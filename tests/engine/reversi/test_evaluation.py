"""The evaluation of Reversi's kernel: features and shapes, added up independently, cell by cell."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.reversi.positions import discs, empties, played
from noughts.engine.reversi import kernel
from noughts.engine.reversi.evaluation import CORNER_CLASSES, EDGE_CLASSES, PACKAGE, classes, memory_of, tables_of
from noughts.engine.weights import weights_of
from noughts.games.reversi import ReversiPosition

pytestmark = pytest.mark.slow

WEIGHTS, SHAPES = weights_of(PACKAGE), weights_of(PACKAGE, "shapes")
TABLES = tables_of(SHAPES)
MEMORY = memory_of(0)
RUNNING = np.zeros(1, np.uint8)
RANGE = range(8)


def evaluate(own: int, opp: int) -> int:
    """The kernel's evaluation in points, without any search."""
    return kernel.look_ahead(MEMORY, RUNNING, np.uint64(own), np.uint64(opp), -5000, 5000, 0)


def worth(position: ReversiPosition) -> int:
    """The total weight of the shapes of a position, computed cell by cell."""
    own, opp = discs(position)
    at = {(x, y): (own >> 8 * y + x & 1) + 2 * (opp >> 8 * y + x & 1) for x in RANGE for y in RANGE}
    edges = [[(x, 0) for x in RANGE], [(x, 7) for x in RANGE], [(0, y) for y in RANGE], [(7, y) for y in RANGE]]
    corners = [
        [(abs(right - x), abs(bottom - y)) for y in range(3) for x in range(3)] for right in (0, 7) for bottom in (0, 7)
    ]
    table = TABLES[0 if empties(position) < 20 else 1 if empties(position) < 30 else 2]
    numbers = [sum(at[cell] * 3**place for place, cell in enumerate(edge)) for edge in edges]
    numbers += [3**8 + sum(at[cell] * 3**place for place, cell in enumerate(corner)) for corner in corners]
    return int(table[numbers].sum())


def test_the_evaluation_is_the_sum_of_features_and_shapes() -> None:
    rng = random.Random(10)
    for _ in range(20):
        for position in played(rng)[:-1]:
            if not position.legal_moves:
                continue
            own, opp = discs(position)
            row = WEIGHTS[empties(position) // kernel.STAGE]
            total = int((np.array(kernel.features(np.uint64(own), np.uint64(opp))) * row).sum()) + worth(position)
            most = 63 * kernel.POINTS
            assert evaluate(own, opp) == max(-most, min(total >> kernel.SCALE, most))


def turned(bits: int) -> int:
    """The board turned by 90 degrees."""
    return sum(1 << 8 * x + 7 - y for y in RANGE for x in RANGE if bits >> 8 * y + x & 1)


def mirrored(bits: int) -> int:
    return sum(1 << 8 * y + 7 - x for y in RANGE for x in RANGE if bits >> 8 * y + x & 1)


def test_symmetric_boards_have_the_same_value() -> None:
    rng = random.Random(11)
    for position in played(rng)[:-1]:
        own, opp = discs(position)
        value = evaluate(own, opp)
        for _ in range(4):
            own, opp = turned(own), turned(opp)
            assert evaluate(own, opp) == evaluate(mirrored(own), mirrored(opp)) == value


def test_a_class_has_the_mirror_images_and_colour_swaps_of_a_shape() -> None:
    # Shapes of two cells that swap places. A shape that equals its mirror image with the colours swapped is worth 0.
    which, signs = classes([1, 0])
    assert [list(np.flatnonzero(which == each)) for each in range(which.max() + 1)] == [
        [0],
        [1, 2, 3, 6],
        [4, 8],
        [5, 7],
    ]
    assert signs.tolist() == [0, 1, -1, 1, 1, 0, -1, 0, -1]


@pytest.mark.parametrize("shape", [(kernel.STAGES - 1, kernel.FEATURES), (kernel.STAGES, kernel.FEATURES + 1)])
def test_weights_for_other_features_or_stages_are_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="rows"):
        kernel.memory_of(0, np.zeros(shape, np.int64), TABLES)


def test_weights_for_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shapes"):
        tables_of(np.zeros((kernel.PARTS, EDGE_CLASSES + CORNER_CLASSES - 1), np.int64))
    with pytest.raises(ValueError, match="shapes"):
        kernel.memory_of(0, WEIGHTS, TABLES[:, 1:])
