"""Arrays that are made once and kept in a folder, so that a program that takes hours can be stopped and run again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt


def kept(folder: Path | None, name: str, make: Callable[[], npt.NDArray[np.void]]) -> npt.NDArray[np.void]:
    """The array in the file ``name`` of ``folder``, or what ``make`` returns, which is then written there, whole."""
    if folder is None:
        return make()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.npy"
    if file.exists():
        array: npt.NDArray[np.void] = np.load(file)
        return array
    made = make()
    part = file.with_suffix(".part")
    with part.open("wb") as output:
        np.save(output, made)
    part.replace(file)
    return made
