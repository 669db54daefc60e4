"""The journal, asked again when it does not answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from noughts.journal import Append, Journal, JournalError
from noughts.timing import Timing

log = logging.getLogger(__name__)

T = TypeVar("T")


class Retry:
    """Asks ``journal`` time and again. ``answering`` says whether it answered last; the log is told of changes."""

    def __init__(self, journal: Journal, timing: Timing = Timing()) -> None:
        self.answering = True
        self._journal = journal
        self._timing = timing
        self._told = False
        self._lost_at = 0.0

    async def append(self, write: Append) -> bool:
        """Append ``write``; False also when an earlier attempt had arrived after all. Raises JournalError."""
        if not self.answering:
            return await self._ask(lambda: self._journal.append(write), self._timing.journal_retries_s)
        try:
            return await self._journal.append(write)  # the path of every move
        except JournalError as error:
            self._lost(error)
        await asyncio.sleep(self._timing.journal_retries_s[0])
        return await self._ask(lambda: self._journal.append(write), self._timing.journal_retries_s[1:])

    async def read(self, room_id: str, since: int = 0) -> list[bytes]:
        """Read the records of a room. Raises JournalError."""
        return await self._ask(lambda: self._journal.read(room_id, since), self._timing.journal_retries_s)

    async def call(self, question: Callable[[], Awaitable[T]]) -> T:
        """The answer to ``question``, asked again when there is none. Raises JournalError."""
        return await self._ask(question, self._timing.journal_retries_s)

    async def once(self, question: Awaitable[T]) -> T:
        """The answer to ``question``, one of the journal. Raises JournalError."""
        try:
            answer = await question
        except JournalError as error:
            self._lost(error)
            raise
        self.answering = True
        if self._told and asyncio.get_running_loop().time() > self._lost_at + self._timing.journal_steady_s:
            log.info("the journal answers again")
            self._told = False
        return answer

    def _lost(self, error: JournalError) -> None:
        self.answering = False
        self._lost_at = asyncio.get_running_loop().time()
        if not self._told:
            log.warning("the journal does not answer: %s", error)
            self._told = True

    async def _ask(self, ask: Callable[[], Awaitable[T]], waits: tuple[float, ...]) -> T:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._timing.journal_give_up_s
        for wait in waits:
            try:
                return await self.once(ask())
            except JournalError:
                if loop.time() + wait > until:
                    raise
                await asyncio.sleep(wait)
        return await self.once(ask())
