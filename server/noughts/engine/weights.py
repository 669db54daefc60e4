"""The fitted weights of the kernels' evaluations, and their provenance. Reads package data; no other I/O.

Each kernel has a file ``weights.json`` beside it, an object with

- ``provenance``: the command that made the weights, when, on what machine, and their error;
- ``unit``: the estimate at which a side can expect to win ten games out of eleven; null if estimates are margins;
- ``features``: the names of the features, in the order of a row;
- ``weights``: rows of integers, one for each stage of the game;
- more tables of such rows if the kernel needs them; the kernel describes them.

They are not constants in the kernel, because numba would not recompile it when they change.
"""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import numpy.typing as npt


def weights_of(package: str, table: str = "weights") -> npt.NDArray[np.int64]:
    """One ``table`` of the weights in ``package``, such as ``"noughts.engine.reversi"``: a row for each stage."""
    content = json.loads(files(package).joinpath("weights.json").read_text(encoding="utf-8"))
    weights = np.array(content[table], np.int64)
    assert weights.ndim == 2
    assert table != "weights" or weights.shape[1] == len(content["features"])
    return weights
