"""The scores of positions with at most eight discs, as far as they are solved, so that these need no search. Pure.

They are in ``layers.bin``, a zlib stream that is read once, on first use. Needs neither numba nor numpy. The stream has
a layer for each even number of discs from 0 to 8, with one byte for each way to place them: the score plus 64, or 255
if the score is not known or the game has no such position. A layer is ordered by

- the heights of the seven columns, as tuples, without those that are greater than their mirror image;
- then the discs of the side to move: one bit for each disc, column by column from the left, each from the bottom, the
  first one lowest, read as a number.

The score of a position with an odd number of discs follows from those after its moves. Scores are those of
:mod:`noughts.engine.connect4.kernel`. ``python -m bench.connect4.layers`` makes the file.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from noughts.games.connect4 import COLUMNS, ROWS, STEP, Connect4Position, margin

DISCS = 8
"""The most discs in a layer."""
EVEN = range(0, DISCS + 1, 2)
CELLS = COLUMNS * ROWS
SCORE_BIAS, UNKNOWN = 64, 255
COLUMN = (1 << STEP) - 1


def score(position: Connect4Position, known: Mapping[int, bytes] | None = None) -> int | None:
    """The score of a position for its side to move; None if it has more discs than the layers, or is not known.

    A finished game is lost for the side to move, or drawn. ``known`` are layers in place of the file's. The scores of a
    layer that is missing follow from the next.
    """
    if position.to_move is None:
        return -abs(margin(position))
    if position.ply > DISCS:
        return None
    known = layers() if known is None else known
    layer = known.get(position.ply)
    if layer is not None:
        byte = layer[place(position)]
        return None if byte == UNKNOWN else byte - SCORE_BIAS
    best = -CELLS
    for move in position.legal_moves:
        after = score(position.play(move), known)
        if after is None:
            return None
        best = max(best, -after)
    return best


def place(position: Connect4Position) -> int:
    """The index in its layer of a position and its mirror image. Positions with columns of mirrored heights have two,
    one for each image.
    """
    mask, own = position.first | position.second, position.first  # the layers have even numbers of discs
    columns = [(own >> at & COLUMN, (mask >> at & COLUMN).bit_count()) for at in range(0, STEP * COLUMNS, STEP)]
    heights = tuple(height for _, height in columns)
    if heights > heights[::-1]:
        columns.reverse()
        heights = heights[::-1]
    bits = taken = 0
    for discs, height in columns:
        bits |= discs << taken
        taken += height
    return _shapes(taken)[heights] * len(_halves(taken)) + _halves(taken)[bits]


def pack(known: Mapping[int, bytes]) -> bytes:
    """The file for all layers, by their number of discs."""
    return zlib.compress(b"".join(known[discs] for discs in EVEN), 9)


def size(discs: int) -> int:
    """The length of the layer with this number of discs."""
    return len(_shapes(discs)) * len(_halves(discs))


def unpack(file: bytes) -> dict[int, bytes]:
    """The layers of a file, by their number of discs. Raises ValueError if it is no such file."""
    try:
        stream = zlib.decompress(file)
    except zlib.error as error:
        raise ValueError(f"not the scores of Connect Four's positions: {error}") from None
    if len(stream) != sum(map(size, EVEN)):
        raise ValueError(f"not the scores of Connect Four's positions: {len(stream)} bytes")
    known, at = {}, 0
    for discs in EVEN:
        known[discs] = stream[at : at + size(discs)]
        at += size(discs)
    return known


@cache
def layers() -> Mapping[int, bytes]:
    """The layers of the package's file, by their number of discs."""
    return unpack(files(__package__).joinpath("layers.bin").read_bytes())


@cache
def _shapes(discs: int) -> Mapping[tuple[int, ...], int]:
    """The number of each shape: the heights of the columns with so many discs."""
    shapes = (shape for shape in _heights(discs, COLUMNS) if shape <= shape[::-1])
    return {shape: number for number, shape in enumerate(shapes)}


def _heights(discs: int, columns: int) -> Iterator[tuple[int, ...]]:
    if columns == 0:
        if discs == 0:
            yield ()
        return
    for height in range(min(discs, ROWS) + 1):
        for others in _heights(discs - height, columns - 1):
            yield height, *others


@cache
def _halves(discs: int) -> Mapping[int, int]:
    """The number of each choice of half of so many bits."""
    choices = (bits for bits in range(1 << discs) if 2 * bits.bit_count() == discs)
    return {bits: number for number, bits in enumerate(choices)}
