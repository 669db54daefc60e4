"""Compiles the kernels with numba, the extra ``fast``. Importing this raises ImportError without numba."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(signature: str, *parts: ModuleType) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function for the types in ``signature``, such as ``"uint64(uint64, uint64)"``, when it is defined.

    It runs without the GIL. Numba caches the result beside the source or in the user's cache directory. If no place for
    the cache is writable, it is compiled every time, which takes seconds.

    Numba notices only changes of this source file. ``parts`` must be all other modules of which the function uses
    functions or constants, directly or through others: their text becomes part of its name in the cache.
    """

    def compiled(function: Callable[P, R]) -> Callable[P, R]:
        if parts:
            text = "".join(inspect.getsource(part) for part in parts)
            # In front, because numba knows a function that calls itself by the end of this name.
            function.__qualname__ = f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.{function.__qualname__}"
        try:
            return numba.njit(signature, nogil=True, cache=True)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            return numba.njit(signature, nogil=True)(function)

    return compiled
