"""Runs everything that waits as one statement, and so as one commit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Generic, TypeVar

from noughts.journal.postgres.connect import Connection, Pool, undone
from noughts.journal.values import JournalError

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

BATCH = 200
"""The most items in one batch."""


class Batching(Generic[Item, Outcome]):
    """Runs ``do`` for all items that wait, in their order. No two items of a batch have a name in common.

    Several batches at once, each in a session of its own, are for items without names only.

    ``do`` returns an outcome for each item; a :class:`JournalError` among them is raised to that item's caller.
    """

    def __init__(
        self,
        pool: Pool,
        do: Callable[[Connection, Sequence[Item]], Awaitable[Sequence[Outcome | JournalError]]],
        names: Callable[[Item], Collection[str]],
        at_once: int = 1,
    ) -> None:
        self._pool = pool
        self._do = do
        self._names = names
        self._waiting: list[tuple[Item, asyncio.Future[Outcome]]] = []
        self._at_once = at_once
        self._running: set[asyncio.Task[None]] = set()

    async def submit(self, item: Item) -> Outcome:
        """The outcome of ``item``. Raises :class:`JournalError`."""
        outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, outcome))
        if len(self._running) < self._at_once:  # it starts in the next turn of the loop, with all items of this one
            self._running.add(asyncio.create_task(self._run()))
        return await outcome

    async def _run(self) -> None:
        while self._waiting:
            await self._attempt(self._take())
        task = asyncio.current_task()
        assert task is not None
        self._running.discard(task)

    def _take(self) -> list[tuple[Item, asyncio.Future[Outcome]]]:
        batch: list[tuple[Item, asyncio.Future[Outcome]]] = []
        left: list[tuple[Item, asyncio.Future[Outcome]]] = []
        taken: set[str] = set()
        for item, outcome in self._waiting:
            names = self._names(item)
            free = len(batch) < BATCH and taken.isdisjoint(names)
            (batch if free else left).append((item, outcome))
            taken.update(names)  # items with the same name stay in order
        self._waiting = left
        return batch

    async def _attempt(self, batch: Sequence[tuple[Item, asyncio.Future[Outcome]]]) -> None:
        items = [item for item, _ in batch]
        outcomes: Sequence[Outcome | JournalError]
        try:
            outcomes = await self._pool.retry(lambda connection: self._do(connection, items))
        except JournalError as error:
            if len(batch) > 1 and undone(error.__cause__):
                for each in batch:  # one of them cannot be stored, and must not fail the others
                    await self._attempt([each])
                return
            outcomes = [error] * len(batch)
        except Exception as error:
            log.exception("a batch failed")
            outcomes = [JournalError(f"the database failed: {error}")] * len(batch)
        for (_, waiting), outcome in zip(batch, outcomes, strict=True):
            if waiting.done():  # the caller was cancelled
                continue
            if isinstance(outcome, JournalError):
                waiting.set_exception(outcome)
            else:
                waiting.set_result(outcome)
