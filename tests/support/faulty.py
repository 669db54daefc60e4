"""A journal method that fails or answers late, as a test demands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from noughts.journal import Append, Journal, JournalError
from noughts.journal.callbacks import awaited


class Faulty:
    """Stands in for ``method`` of ``part``, a journal or a part of one.

    ``faults`` are the outcomes of the next calls: ``lost`` (never carried out), ``answer lost`` (carried out, but the
    caller gets an error) or ``none``. Calls wait ``slow_s`` seconds, and then while ``gate`` is closed.
    """

    def __init__(self, part: object, method: str) -> None:
        self.faults: list[str] = []
        self.slow_s = 0.0
        self.gate = asyncio.Event()
        self.gate.set()
        self.calls: list[tuple[Any, ...]] = []
        self._real = getattr(part, method)
        setattr(part, method, self)

    async def __call__(self, *arguments: Any) -> Any:
        self.calls.append(arguments)
        if self.slow_s:
            await asyncio.sleep(self.slow_s)
        await self.gate.wait()
        fault = self.faults.pop(0) if self.faults else "none"
        if fault == "lost":
            raise JournalError("no answer")
        answer = await self._real(*arguments)
        if fault == "answer lost":
            raise JournalError("no answer")
        return answer


class FaultyPut:
    """Stands in for the ``put`` of ``journal``, and does with each write what ``faulty`` says."""

    def __init__(self, journal: Journal) -> None:
        self._real = journal.put
        self.faulty = Faulty(self, "append")
        self._tasks: set[asyncio.Task[bool]] = set()
        journal.put = self  # type: ignore[method-assign]

    async def append(self, write: Append) -> bool:
        stored: bool = await awaited(self._real, write)
        return stored

    def __call__(self, write: Append, done: Callable[[bool | Exception], None]) -> None:
        task = asyncio.create_task(self.faulty(write))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda task: done(_outcome(task)))


def _outcome(task: asyncio.Task[bool]) -> bool | Exception:
    try:
        return task.result()
    except JournalError as error:
        return error
