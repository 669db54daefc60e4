"""What the fast kernels weigh: numbers fitted to games, kept as package data with where they come from.

Each is a file ``weights.json`` beside its kernel, an object of

- ``provenance``: an object of what was run to make them, when, on what, and how far off they are;
- ``unit``: an estimate of this much is a tenfold chance to win, or, where estimates are of a margin, null;
- ``features``: the names of what is weighed, in the order of a row;
- ``weights``: rows of whole numbers, one for each stage of the game;
- further tables of such rows, where a kernel has a use for them, which says what they are.

They are no constants of a kernel, as numba would not compile it anew when they change. Reads package data alone.
"""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import numpy.typing as npt


def weights_of(package: str, table: str = "weights") -> npt.NDArray[np.int64]:
    """The weights beside the kernel in ``package``, such as ``"noughts.engine.reversi"``: a row for each stage.

    ``table`` is which of the file's tables it is.
    """
    said = json.loads(files(package).joinpath("weights.json").read_text(encoding="utf-8"))
    weights = np.array(said[table], np.int64)
    assert weights.ndim == 2
    assert table != "weights" or weights.shape[1] == len(said["features"])
    return weights
