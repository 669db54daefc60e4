"""The processor time of each turn of plain asyncio's event loop."""

from __future__ import annotations

import time
from asyncio import Handle
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def each_turn(took: Callable[[Handle, float], None]) -> Iterator[None]:
    """Call ``took`` after each turn within the block, with the handle that ran and its processor time in seconds."""
    usual = Handle._run

    def run(handle: Handle) -> None:
        since = time.thread_time()
        usual(handle)
        took(handle, time.thread_time() - since)

    Handle._run = run  # type: ignore[assignment, method-assign]  # asyncio tells nobody else of its turns
    try:
        yield
    finally:
        Handle._run = usual  # type: ignore[method-assign]
