"""The evaluation of Reversi's kernel: features and patterns, added up independently, cell by cell."""

from __future__ import annotations

import random
from importlib.resources import files

import numpy as np
import pytest

from engine.reversi.positions import discs, empties, played
from noughts.engine.reversi import evaluation, features, kernel, table
from noughts.engine.reversi.evaluation import (
    FILE,
    MIRRORED,
    PACKAGE,
    PATTERNS,
    all_classes,
    classes,
    memory_of,
    packed,
    shapes_of,
    unpacked,
)
from noughts.games.reversi import ReversiPosition

pytestmark = pytest.mark.slow

WEIGHTS, SHAPES, ERRORS, END_ERRORS = evaluation.package_data()
MEMORY = memory_of(0)
RUNNING = np.zeros(1, np.uint8)
RANGE = range(8)


def evaluate(own: int, opp: int) -> int:
    """The kernel's evaluation in points, without any search."""
    return kernel.look_ahead(MEMORY, RUNNING, np.uint64(own), np.uint64(opp), -5000, 5000, 0)


# Each pattern's cells at every place, in the notation of the game.
EDGES = ["abcdefgh1", "abcdefgh8", "a12345678", "h12345678"]


def cells_of(name: str) -> list[int]:
    """The cells of a line such as ``abcdefgh1`` or ``a12345678``."""
    letters = [letter for letter in name if letter.isalpha()]
    digits = [int(letter) for letter in name if letter.isdigit()]
    return [8 * (digit - 1) + ord(letter) - ord("a") for digit in digits for letter in letters]


def beside(name: str) -> list[int]:
    """The cells on the diagonals beside the corners of an edge, nearest to its first cell first."""
    return {
        "abcdefgh1": [9, 14],
        "abcdefgh8": [49, 54],
        "a12345678": [9, 49],
        "h12345678": [14, 54],
    }[name]


def places() -> list[list[list[int]]]:
    """For each pattern, the cells of all its places."""
    found: list[list[list[int]]] = [[cells_of(name) + beside(name) for name in EDGES]]
    corners = [(x, y) for x in (0, 7) for y in (0, 7)]

    def block(x: int, y: int, columns: int, rows: int) -> list[int]:
        """From a corner inwards, along a row first."""
        return [8 * abs(y - row) + abs(x - column) for row in range(rows) for column in range(columns)]

    def tall(x: int, y: int) -> list[int]:
        return [8 * abs(y - row) + abs(x - column) for column in range(2) for row in range(5)]

    found.append([block(x, y, 5, 2) for x, y in corners] + [tall(x, y) for x, y in corners])
    found.append([block(x, y, 3, 3) for x, y in corners])
    for line in (1, 2, 3):
        found.append([[8 * y + x for x in RANGE] for y in (line, 7 - line)])
        found[-1] += [[8 * y + x for y in RANGE] for x in (line, 7 - line)]
    for length in (8, 7, 6, 5, 4):
        diagonals = {
            line
            for shift in (8 - length, length - 8)
            for line in (
                tuple(8 * y + y + shift for y in RANGE if 0 <= y + shift < 8),
                tuple(8 * y + 7 - y - shift for y in RANGE if 0 <= y + shift < 8),
            )
        }
        found.append([list(line) for line in diagonals])
    return found


PLACES = places()


def worth(position: ReversiPosition) -> int:
    """The total weight of the patterns of a position, computed cell by cell."""
    own, opp = discs(position)
    total, start = 0, 0
    for pattern in PLACES:
        for cells in pattern:
            number = sum(((own >> cell & 1) + 2 * (opp >> cell & 1)) * 3**at for at, cell in enumerate(cells))
            total += int(SHAPES[empties(position) // table.STAGE, start + number])
        start += 3 ** len(pattern[0])
    return total


def test_there_are_46_places_of_11_patterns() -> None:
    assert [len(pattern) for pattern in PLACES] == [4, 8, 4, 4, 4, 4, 2, 4, 4, 4, 4]
    for number, pattern in enumerate(PLACES):
        assert len(PATTERNS[number]) == len(pattern[0]) == len(MIRRORED[number])
        assert set(PATTERNS[number]) in [set(cells) for cells in pattern]


def test_the_evaluation_is_the_sum_of_features_and_patterns() -> None:
    rng = random.Random(10)
    for _ in range(20):
        for position in played(rng)[:-1]:
            if not position.legal_moves:
                continue
            own, opp = discs(position)
            row = WEIGHTS[empties(position) // table.STAGE]
            total = int((np.array(features.features(np.uint64(own), np.uint64(opp))) * row).sum())
            most = 63 * features.POINTS
            assert evaluate(own, opp) == max(-most, min((total >> features.SCALE) + worth(position), most))


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


def test_the_classes_of_the_package_fit_its_shapes() -> None:
    which, signs = all_classes()
    assert len(which) == len(signs) == table.SHAPES
    # Swapped colours have the negative weight; a shape without discs has none.
    assert not SHAPES[:, 0].any()
    every = np.arange(3**8)
    swapped = sum(np.array([0, 2, 1])[every // 3**at % 3] * 3**at for at in range(8))
    rows = SHAPES[:, table.ROWS_AT : table.ROWS_AT + 3**8]
    assert (rows[:, swapped] == -rows).all()


def test_the_package_data_are_small() -> None:
    assert len(files(PACKAGE).joinpath(FILE).read_bytes()) < 1_000_000


def test_packed_weights_are_unpacked() -> None:
    weights = np.random.default_rng(1).integers(-2000, 2000, (table.STAGES, 7)).astype(np.int16)
    assert (unpacked(packed(weights)) == weights).all()


@pytest.mark.parametrize("shape", [(table.STAGES - 1, table.FEATURES), (table.STAGES, table.FEATURES + 1)])
def test_weights_for_other_features_or_stages_are_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="rows"):
        table.memory_of(0, np.zeros(shape, np.int64), SHAPES, ERRORS, END_ERRORS)


def test_weights_for_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="rows"):
        shapes_of(np.zeros((table.STAGES, int(all_classes()[0].max())), np.int16))
    with pytest.raises(ValueError, match="shapes"):
        table.memory_of(0, WEIGHTS, SHAPES[:, 1:], ERRORS, END_ERRORS)


def test_errors_for_other_stages_or_depths_are_refused() -> None:
    with pytest.raises(ValueError, match="errors"):
        table.memory_of(0, WEIGHTS, SHAPES, ERRORS[1:], END_ERRORS)
    with pytest.raises(ValueError, match="errors"):
        table.memory_of(0, WEIGHTS, SHAPES, ERRORS, END_ERRORS[1:])
