"""Compiles the kernels with numba, the extra ``fast``. Importing this raises ImportError without numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(signature: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function for the types in ``signature``, such as ``"uint64(uint64, uint64)"``, when it is defined.

    It runs without the GIL. Numba caches the result beside the source or in the user's cache directory, and notices
    only changes of this source file: so a kernel and all constants and functions that it uses must be in one file. If
    no place for the cache is writable, it is compiled every time, which takes seconds.
    """

    def compiled(function: Callable[P, R]) -> Callable[P, R]:
        try:
            return numba.njit(signature, nogil=True, cache=True)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            return numba.njit(signature, nogil=True)(function)

    return compiled
