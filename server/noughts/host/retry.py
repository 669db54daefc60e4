"""Journal calls with retry and backoff."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from noughts.journal import Append, Journal, JournalError
from noughts.timing import Timing

log = logging.getLogger(__name__)

T = TypeVar("T")


class Retry:
    """Calls ``journal``, several times if it does not answer, and logs when it stops and starts answering.

    ``failures``: how often it did not answer. ``overdue`` says whether it has stored no heartbeat for too long: another
    program that locks it may let it answer all that only reads.
    """

    def __init__(self, journal: Journal, timing: Timing = Timing()) -> None:
        self.failures = 0
        self.overdue: Callable[[], bool] = lambda: False
        self._journal = journal
        self._timing = timing
        self.answered_last = True
        """True if the journal answered the last call: a plain attribute, since every move asks."""
        self._logged = False
        self._lost_at = 0.0

    @property
    def answering(self) -> bool:
        """True if the journal answered the last call, and stores what it is given."""
        return self.answered_last and not self.overdue()

    async def append_again(self, write: Append) -> bool:
        """Append ``write``, whose first attempt failed; False also when that arrived after all. Raises JournalError."""
        first, *others = self._timing.journal_retries_s
        await asyncio.sleep(first)
        return await self._retry(lambda: self._journal.append(write), others)

    async def read(self, room_id: str, since: int = 0) -> list[bytes]:
        """Read the records of a room. Raises JournalError."""
        return await self.call(lambda: self._journal.read(room_id, since))

    async def call(self, question: Callable[[], Awaitable[T]]) -> T:
        """Await ``question()``, a journal call, until it is answered. Raises JournalError."""
        return await self._retry(question, self._timing.journal_retries_s)

    async def once(self, question: Awaitable[T]) -> T:
        """Await ``question``, a journal call, without a retry. Raises JournalError."""
        try:
            answer = await question
        except JournalError as error:
            self.failed(error)
            raise
        self.answered()
        return answer

    def answered(self) -> None:
        """Note that the journal answered."""
        self.answered_last = True
        steady = asyncio.get_running_loop().time() > self._lost_at + self._timing.journal_steady_s
        if self._logged and steady and not self.overdue():
            log.info("the journal answers again")
            self._logged = False

    def failed(self, error: JournalError) -> None:
        """Note that the journal did not answer."""
        self.answered_last = False
        self.failures += 1
        self._lost_at = asyncio.get_running_loop().time()
        if not self._logged:
            log.warning("the journal does not answer: %s", error)
            self._logged = True

    async def _retry(self, question: Callable[[], Awaitable[T]], waits: Sequence[float]) -> T:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._timing.journal_give_up_s
        for wait in waits:
            try:
                return await self.once(question())
            except JournalError:
                if loop.time() + wait > until:
                    raise
                await asyncio.sleep(wait)
        return await self.once(question())
