"""How the fast kernels are compiled: by numba, the extra ``fast``. Importing this raises ImportError without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(signature: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function for the types in ``signature``, such as ``"uint64(uint64, uint64)"``, when it is defined.

    It runs without the GIL. What was compiled is kept beside its source or in the user's cache directory, by the
    source file alone, so a kernel and all constants and functions that it uses must be in one file. Where nothing can
    be written it is compiled each time, which takes seconds.
    """

    def compiled(function: Callable[P, R]) -> Callable[P, R]:
        try:
            return numba.njit(signature, nogil=True, cache=True)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            return numba.njit(signature, nogil=True)(function)

    return compiled
