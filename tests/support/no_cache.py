"""A copy of the program for which numba has no place to keep what it compiles."""

from __future__ import annotations

import shutil
from pathlib import Path

import noughts

NOWHERE = "/dev/null/nowhere"


def without_a_cache(directory: Path) -> dict[str, str]:
    """Copy the program into ``directory``: what to set in the environment, so that a new process has it from there.

    Nothing can be kept where numba is told to, nor beside the sources, where files are in the way, which root cannot
    pass either, nor in the user's own cache; and what the original program has kept is not found. A process tells what
    it keeps or finds there nevertheless: :data:`KEPT`.
    """
    copy = directory / "noughts"
    shutil.copytree(Path(noughts.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for kernel in copy.rglob("kernel.py"):
        kernel.with_name("__pycache__").touch()
    return {
        "NUMBA_CACHE_DIR": NOWHERE,
        "HOME": NOWHERE,
        "XDG_CACHE_HOME": NOWHERE,
        "NUMBA_DEBUG_CACHE": "1",
        "PYTHONPATH": str(directory),
    }


KEPT = "[cache]"
"""The beginning of a line that numba prints of a file of its cache that it has read or written."""


def kept(directory: Path) -> list[Path]:
    """The files that numba keeps in ``directory``: an index or code."""
    return list(directory.rglob("*.nb?"))
