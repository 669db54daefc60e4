"""A journal method that fails or answers late, as a test demands."""

from __future__ import annotations

import asyncio
from typing import Any

from noughts.journal import JournalError


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
