"""The patterns of 3 by 3 points that playouts of Go prefer. Needs numpy. Pure."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import numpy.typing as npt

SHAPES = (
    "XOX ... ???",  # around a stone
    "XO. ... ?.?",
    "XO? X.. o.?",
    ".O. X.. ...",  # at a stone's shoulder
    "XO? O.x ?x?",  # a cut that is not covered
    "XO? O.X ???",
    "?X? O.O xxx",
    "OX? x.O ???",
    "X.? O.? ##?",  # at the edge
    "OX? X.O ###",
    "?X? o.O ###",
    "?XO o.o ###",
    "?OX X.O ###",
)
"""From the top left, each row. X and O are stones of either side, x is no O, o no X, ? anything, and # the border. The
patterns are MoGo's, see :mod:`noughts.engine.playouts.kernel`. They hold in all directions, and for both sides.
"""

CIRCLE = (5, 2, 1, 0, 3, 6, 7, 8)
"""The places of a shape in the order of the kernel's AROUND."""

MEANINGS = {".": (0,), "X": (1,), "O": (2,), "x": (0, 1, 3), "o": (0, 2, 3), "?": (0, 1, 2, 3), "#": (3,)}


@cache
def table() -> npt.NDArray[np.uint8]:
    """For each code of the kernel's ``code_at``, 1 if the point in the middle lies in a pattern."""
    found = np.zeros(1 << 16, np.uint8)
    for shape in SHAPES:
        circle = [shape.replace(" ", "")[place] for place in CIRCLE]
        for way in (circle, circle[::-1]):
            for turn in range(0, 8, 2):
                for colors in ("XO", "OX"):
                    turned = "".join(way[turn:] + way[:turn]).translate(str.maketrans("XOxo", colors + colors.lower()))
                    for cells in itertools.product(*(MEANINGS[symbol] for symbol in turned)):
                        found[sum(cell << 2 * place for place, cell in enumerate(cells))] = 1
    return found
