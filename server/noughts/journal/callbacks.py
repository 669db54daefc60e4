"""The callbacks by which writers tell the outcome of a write: they call a function in the event loop, and make no
future for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

log = logging.getLogger(__name__)

Item = TypeVar("Item")

Outcome: TypeAlias = Any
"""The result of a write, or an exception."""

Done: TypeAlias = Callable[[Outcome], None]


def tell(outcomes: Iterable[tuple[Done, Outcome]]) -> None:
    """Call each function with its outcome. One that raises does not keep the others from being called."""
    for done, outcome in outcomes:
        try:
            done(outcome)
        except Exception:
            log.exception("the callback of a write failed")


async def awaited(put: Callable[[Item, Done], None], item: Item) -> Outcome:
    """The outcome that ``put`` tells of ``item``, raised if it is an exception."""
    future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    def done(outcome: Outcome) -> None:
        if future.done():  # the caller was cancelled
            return
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    put(item, done)
    return await future
