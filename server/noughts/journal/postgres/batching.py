"""What waits goes together, as one statement, and so as one commit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Generic, TypeVar

from noughts.journal.base import JournalError
from noughts.journal.postgres.connect import Connection, Pool, undone

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

AT_ONCE = 200
"""How many go together at most."""


class Batching(Generic[Item, Outcome]):
    """Has ``do`` done for all that waits, in the order in which it came; no two of these have a name in common.

    ``do`` answers what came of each; a :class:`JournalError` among that is raised to whom it concerns.
    """

    def __init__(
        self,
        pool: Pool,
        do: Callable[[Connection, Sequence[Item]], Awaitable[Sequence[Outcome | JournalError]]],
        names: Callable[[Item], Collection[str]],
    ) -> None:
        self._pool = pool
        self._do = do
        self._names = names
        self._waiting: list[tuple[Item, asyncio.Future[Outcome]]] = []
        self._under_way: asyncio.Task[None] | None = None

    async def ask(self, item: Item) -> Outcome:
        """What came of ``item``. Raises :class:`JournalError`."""
        told: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, told))
        if self._under_way is None:  # it begins in the next turn of the loop: what this one brings goes together
            self._under_way = asyncio.create_task(self._go_on())
        return await told

    async def _go_on(self) -> None:
        while self._waiting:
            await self._attempt(self._take())
        self._under_way = None

    def _take(self) -> list[tuple[Item, asyncio.Future[Outcome]]]:
        batch: list[tuple[Item, asyncio.Future[Outcome]]] = []
        left: list[tuple[Item, asyncio.Future[Outcome]]] = []
        taken: set[str] = set()
        for item, told in self._waiting:
            names = self._names(item)
            free = len(batch) < AT_ONCE and taken.isdisjoint(names)
            (batch if free else left).append((item, told))
            taken.update(names)  # what is asked of one name stays in order
        self._waiting = left
        return batch

    async def _attempt(self, batch: Sequence[tuple[Item, asyncio.Future[Outcome]]]) -> None:
        items = [item for item, _ in batch]
        outcomes: Sequence[Outcome | JournalError]
        try:
            outcomes = await self._pool.insist(lambda connection: self._do(connection, items))
        except JournalError as error:
            if len(batch) > 1 and undone(error.__cause__):
                for each in batch:  # one of them cannot be stored, which is not to fail the others
                    await self._attempt([each])
                return
            outcomes = [error] * len(batch)
        except Exception as error:
            log.exception("a batch failed")
            outcomes = [JournalError(f"the database failed: {error}")] * len(batch)
        for (_, told), outcome in zip(batch, outcomes, strict=True):
            if told.done():  # who waited was cancelled
                continue
            if isinstance(outcome, JournalError):
                told.set_exception(outcome)
            else:
                told.set_result(outcome)
