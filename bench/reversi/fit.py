"""Fits the weights of Reversi's evaluation to values that the engine's searches find in games against itself.

``python -m bench.reversi.fit`` plays the games (``bench.reversi.games``) with this source tree's current weights, in
chunks that it keeps in a folder: run again, it continues where it was. It then fits by least squares, for each stage of
the game, the weights of the features together with those of all patterns. So each run continues from the current
weights, and does not produce the same weights again. The program also prints the root mean square error in discs, with
the old weights and with the new ones, on a tenth of the games, which is held out. ``python -m bench.reversi.match``
compares how two revisions play.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench import weights as fitting
from bench.reversi.games import FIRST, LAST, SOLVED_FROM, WINDOW, chunks
from bench.weights import Asked, Floats, keep
from noughts.engine.reversi import board, features, kernel, table
from noughts.engine.reversi.evaluation import FILE, MIRRORED, PATTERNS, STEP, all_classes, packed, shapes_of, unpacked

LATER = 0.75  # the share of the next position's value in the one that is fitted, if the game went on with the best move
EVEN = 16.0  # discs; positions with this value count half
RIDGE = 30.0
LENGTHS = (1, 3, 5)
MEASURED = 8  # plies
EACH = 100  # positions of each stage, and of those beside it, to measure them
BITS = 16  # of the table
ROUNDS = 25  # of conjugate gradients
AROUND = 3  # empty cells before and after a stage whose positions count for it too
WEIGHT_OF_A_DISC = features.POINTS << features.SCALE
FEATURES = [  # as in features.features
    "1",
    "moves",
    "logarithm of moves",
    "cells that may become moves",
    "corners that can be taken at once",
    "quadrants with an odd number of empty cells",
]

Ints = npt.NDArray[np.int64]
Positions = npt.NDArray[np.void]
"""Positions of games, see ``bench.reversi.games.POSITION``."""


def places(pattern: int) -> list[tuple[int, ...]]:
    """The cells of a pattern at all its places on the board, each once."""
    found: dict[frozenset[int], tuple[int, ...]] = {}
    for turn in range(8):
        cells = []
        for cell in PATTERNS[pattern]:
            x, y = cell % 8, cell // 8
            x, y = (7 - x if turn & 1 else x), (7 - y if turn & 2 else y)
            cells.append(8 * x + y if turn & 4 else 8 * y + x)
        found.setdefault(frozenset(cells), tuple(cells))
    return list(found.values())


def memory_of(file: Path) -> board.Words:
    """A search's memory with the weights of ``file`` and the patterns beside it."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    weights, errors, end_errors = (np.array(stored[name], np.int64) for name in ("weights", "errors", "end_errors"))
    return table.memory_of(BITS, weights, shapes_of(unpacked(file.with_name(FILE).read_bytes())), errors, end_errors[0])


def targets(positions: Positions) -> Floats:
    """The values that the evaluation should find, in discs: each search's value, mixed with those of the positions that
    follow by best play, as by temporal differences (R. Sutton, 1988).
    """
    own, taken = positions["own"], positions["own"] | positions["opp"]
    found = positions["value"] / features.POINTS
    goes_on = positions["followed"][:-1] & (taken[:-1] & ~taken[1:] == 0) & (taken[:-1] != taken[1:])
    sign = np.where(own[:-1] & own[1:], 1.0, -1.0)  # the same side may move again
    for at in np.flatnonzero(goes_on)[::-1]:
        found[at] += LATER * (sign[at] * found[at + 1] - found[at])
    return np.asarray(found, np.float64)


@dataclass(frozen=True, slots=True)
class Sample:
    """Positions, a row each: empty cells, features, the classes and signs of the shapes at all places, the value that
    the evaluation should find, in discs, and how much each counts.
    """

    empties: Ints
    features: Floats
    classes: npt.NDArray[np.int32]
    signs: npt.NDArray[np.int8]
    values: Floats
    shares: Floats

    def some(self, rows: npt.NDArray[np.bool_]) -> Sample:
        """The positions of these rows."""
        return Sample(*(getattr(self, name)[rows] for name in self.__slots__))

    def worth(self, shapes: Floats) -> Floats:
        """The total weight of the shapes of each position."""
        total = np.zeros(len(self.values))
        for place in range(self.classes.shape[1]):
            total += shapes[self.classes[:, place]] * self.signs[:, place]
        return total


def sample_of(positions: Positions) -> Sample:
    """The positions with what the evaluation looks at."""
    mine, theirs = (
        np.unpackbits(positions[side].astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        for side in ("own", "opp")
    )
    digits = (mine + 2 * theirs).T.astype(np.int32)
    which, signs = all_classes()
    values = targets(positions)
    columns, start = [], 0
    for pattern, mirrored in enumerate(MIRRORED):
        for cells in places(pattern):
            number = sum(digits[cell] * 3**at for at, cell in enumerate(cells))
            columns.append(start + number)
        start += 3 ** len(mirrored)
    return Sample(
        64 - (mine + theirs).sum(axis=1).astype(np.int64),
        np.array(
            [features.features(own, opp) for own, opp in zip(positions["own"], positions["opp"], strict=True)], float
        ),
        np.stack([which[column] for column in columns], axis=1).astype(np.int32),
        np.stack([signs[column] for column in columns], axis=1).astype(np.int8),
        values,
        # What is nearly decided matters less, and its errors are larger.
        1 / (1 + (values / EVEN) ** 2),
    )


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of which the weight of a shape is made up: one for the whole, and one for what is on each few
    consecutive cells of the pattern. These are known from more positions than rare shapes, and are added up in the end.

    ``whole`` and ``signs`` are each shape's class and sign; ``parts`` has for each number of parts the class of that
    part of each shape, numbered on from the whole ones.
    """

    whole: Ints
    signs: Ints
    members: Floats
    parts: list[tuple[slice, Ints]]
    count: int

    def worth(self, parts: Floats) -> Floats:
        """The weights of the classes of whole shapes."""
        number = len(self.members)
        total = np.zeros(len(self.whole))
        for shapes, each in self.parts:
            total[shapes] += parts[each]
        return parts[:number] + np.bincount(self.whole, self.signs * total, number) / self.members

    def transposed(self, classes: Floats) -> Floats:
        """The transpose of :meth:`worth`."""
        return self._sums(classes, self.signs * (classes / self.members)[self.whole])

    def squares(self, classes: Floats) -> Floats:
        """The same with the squares of its coefficients."""
        return self._sums(classes, np.abs(self.signs) * (classes / self.members**2)[self.whole])

    def _sums(self, classes: Floats, spread: Floats) -> Floats:
        found = np.zeros(self.count)
        found[: len(self.members)] = classes
        for shapes, each in self.parts:
            found += np.bincount(each, spread[shapes], self.count)
        return found


def parts_of_shapes() -> Parts:
    whole, signs = all_classes()
    count = int(whole.max()) + 1
    members = np.bincount(whole).astype(float)
    parts = []
    start = 0
    for mirrored in MIRRORED:
        shapes = np.arange(3 ** len(mirrored))
        for length in LENGTHS:
            for first in range(len(mirrored) - length + 1):
                parts.append((slice(start, start + len(shapes)), count + shapes // 3**first % 3**length))
                count += 3**length
        start += len(shapes)
    return Parts(whole, signs, members, parts, count)


def fitted(of: Sample, parts: Parts) -> tuple[Floats, Floats]:
    """The weights of the features and of the classes of shapes, in discs. There are thousands, so this uses conjugate
    gradients (M. Hestenes and E. Stiefel, 1952).
    """
    features, number = of.features.shape[1], len(parts.members)

    def transposed(rest: Floats) -> Floats:
        rest = rest * of.shares
        sums = np.zeros(number)
        for place in range(of.classes.shape[1]):
            sums += np.bincount(of.classes[:, place], of.signs[:, place] * rest, number)
        return np.concatenate([of.features.T @ rest, parts.transposed(sums)])

    counted = (np.abs(of.signs) * of.shares[:, None]).ravel()
    squares = np.asarray(np.bincount(of.classes.ravel(), counted, number), np.float64)
    diagonal = np.concatenate([of.shares @ of.features**2, parts.squares(squares)]) + RIDGE
    weights = np.zeros(features + parts.count)
    rest = transposed(of.values)
    ahead = step = rest / diagonal
    for _ in range(ROUNDS):
        if not rest.any():  # as without any position
            break
        turned = transposed(of.features @ step[:features] + of.worth(parts.worth(step[features:]))) + RIDGE * step
        length = rest @ ahead / (step @ turned)
        weights += length * step
        before, rest = rest @ ahead, rest - length * turned
        ahead = rest / diagonal
        step = ahead + rest @ ahead / before * step
    return weights[:features], parts.worth(weights[features:])


def errors_of(memory: board.Words, positions: Positions) -> tuple[list[list[int]], list[list[int]]]:
    """The distances of searches from those of ``kernel.shallower`` depth, in points, as a root mean square: for each
    stage by depth, and for searches to the end by empty cells.
    """
    flag = np.zeros(1, np.uint8)
    positions = positions[abs(positions["value"]) < 2 * EVEN * features.POINTS]
    empties = 64 - np.bitwise_count(positions["own"] | positions["opp"])
    rows: list[list[int]] = []
    for stage in range(table.STAGES):
        here = positions[(abs(empties // table.STAGE - stage) <= 1) & (empties > MEASURED)][:EACH]
        row = [0] * table.DEPTHS
        if len(here):
            found = np.array([[value_of(memory, flag, each, depth) for depth in range(MEASURED + 1)] for each in here])
            for depth in range(kernel.CUT_DEPTH, MEASURED + 1):
                row[depth] = round(off(found[:, depth], found[:, kernel.shallower(depth, 64)]))
            row[MEASURED + 1 :] = [max(row[MEASURED - 1 :])] * (table.DEPTHS - MEASURED - 1)
        rows.append(row)
    rows[-1] = rows[-2]  # the games have no positions of the last stage
    ends: dict[int, float] = {}
    for left in range(kernel.LOOK_FROM, SOLVED_FROM + 1):
        here = positions[(empties == left) & positions["exact"]][: 10 * EACH]
        if len(here):
            found = np.array([value_of(memory, flag, each, kernel.shallower(left, left)) for each in here])
            ends[left] = off(found, here["value"])
    slope, at_none = np.polyfit([*ends], [*ends.values()], 1) if len(ends) > 1 else (0, 0)
    return rows, [[round(max(at_none + slope * left, 0)) for left in range(65)]]


def value_of(memory: board.Words, flag: npt.NDArray[np.uint8], position: np.void, depth: int) -> int:
    """The value in points."""
    memory[table.NODES] = memory[table.NEXT_POLL] = 0
    return kernel.look_ahead(memory, flag, position["own"], position["opp"], -WINDOW, WINDOW, depth)


def off(estimates: Floats, values: Floats, shares: Floats | None = None) -> float:
    """The root mean square error of the estimates, in the unit of the values. ``shares`` is how much each counts."""
    return round(float(np.sqrt(np.average((estimates - values) ** 2, weights=shares))), 2)


def options(argv: Sequence[str] | None = None) -> Asked:
    """The command line's options. By default, as many games as for the current weights."""
    return fitting.asked("reversi", __doc__, argv, games=7500, folder=True)


def main(argv: Sequence[str] | None = None) -> int:
    asked = options(argv)
    weights = fitting.rows_of(asked.replaced, FEATURES)
    positions = np.concatenate(list(chunks(asked.folder, asked.games, asked.seed)))
    count = len(positions) // 10
    held, sample, parts = sample_of(positions[:count]), sample_of(positions[count:]), parts_of_shapes()
    before, after = np.zeros(count), np.zeros(count)
    if weights is not None:
        memory, flag = memory_of(asked.replaced), np.zeros(1, np.uint8)
        found = [
            kernel.look_ahead(memory, flag, own, opp, -5000, 5000, 0) for own, opp in positions[["own", "opp"]][:count]
        ]
        before = np.array(found) / features.POINTS
    rows, shapes, errors = [], [], {}
    for stage in range(table.STAGES):
        least, most = stage * table.STAGE, (stage + 1) * table.STAGE - 1
        # No game has positions with fewer than LAST empty cells or more than FIRST: the next stage's will do there.
        near = (sample.empties >= min(least, FIRST) - AROUND) & (sample.empties <= max(most, LAST) + AROUND)
        weights_here, shapes_here = fitted(sample.some(near), parts)
        rows.append([round(float(weight) * WEIGHT_OF_A_DISC) for weight in weights_here])
        shapes.append(np.round(shapes_here * features.POINTS / STEP).astype(np.int16))
        here = (held.empties >= least) & (held.empties <= most)
        if here.any():
            near_held = held.some(here)
            estimates = near_held.features @ np.array(rows[-1]) / WEIGHT_OF_A_DISC
            after[here] = estimates + near_held.worth(shapes[-1] * STEP / features.POINTS)
            known = {"before": before[here]} if weights is not None else {}
            known |= {"after": after[here], "values": np.zeros(len(estimates))}
            name = f"from {least} empty cells"
            errors[name] = {each: off(found, near_held.values, near_held.shares) for each, found in known.items()}
            print(f"{name}: {errors[name]}", flush=True)
    provenance = {
        "games": asked.games,
        "positions": len(positions),
        "root mean square in discs, of other games' positions": errors,
    }
    compared = {
        "root mean square in discs": (
            None if weights is None else off(before, held.values, held.shares),
            off(after, held.values, held.shares),
        )
    }
    memory = table.memory_of(
        BITS,
        np.array(rows),
        shapes_of(np.stack(shapes)),
        np.zeros((table.STAGES, table.DEPTHS), np.int64),
        np.zeros(65, np.int64),
    )
    depths, ends = errors_of(memory, positions[:count])
    status = keep(
        asked, compared, provenance, unit=None, features=FEATURES, weights=rows, errors=depths, end_errors=ends
    )
    if status == 0:
        (asked.out or asked.replaced).with_name(FILE).write_bytes(packed(np.stack(shapes)))
    return status


if __name__ == "__main__":
    sys.exit(main())
