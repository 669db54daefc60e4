"""The journal, asked again when it does not answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from noughts.journal import Append, Journal, JournalError

log = logging.getLogger(__name__)

T = TypeVar("T")

RETRIES_S = (0.05, 0.1, 0.2, 0.4, *[0.8] * 11)
"""The waits between attempts to reach a journal that does not answer."""

GIVE_UP_S = 10.0
"""How long a command waits for a journal that does not answer."""

STEADY_S = 2.0
"""How long it must have answered until the log is told that it does so again."""


class Retry:
    """Asks ``journal`` time and again. ``answering`` says whether it answered last; the log is told of changes."""

    def __init__(self, journal: Journal) -> None:
        self.answering = True
        self._journal = journal
        self._told = False
        self._lost_at = 0.0

    async def append(self, write: Append) -> bool:
        """Append ``write``; False also when an earlier attempt had arrived after all. Raises JournalError."""
        if not self.answering:
            return await self._ask(lambda: self._journal.append(write), RETRIES_S)
        try:
            return await self._journal.append(write)  # the path of every move
        except JournalError as error:
            self._lost(error)
        await asyncio.sleep(RETRIES_S[0])
        return await self._ask(lambda: self._journal.append(write), RETRIES_S[1:])

    async def read(self, room_id: str, since: int = 0) -> list[bytes]:
        """Read the records of a room. Raises JournalError."""
        return await self._ask(lambda: self._journal.read(room_id, since), RETRIES_S)

    async def call(self, question: Callable[[], Awaitable[T]]) -> T:
        """The answer to ``question``, asked again when there is none. Raises JournalError."""
        return await self._ask(question, RETRIES_S)

    async def once(self, question: Awaitable[T]) -> T:
        """The answer to ``question``, one of the journal. Raises JournalError."""
        try:
            answer = await question
        except JournalError as error:
            self._lost(error)
            raise
        self.answering = True
        if self._told and asyncio.get_running_loop().time() > self._lost_at + STEADY_S:
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
        until = loop.time() + GIVE_UP_S
        for wait in waits:
            try:
                return await self.once(ask())
            except JournalError:
                if loop.time() + wait > until:
                    raise
                await asyncio.sleep(wait)
        return await self.once(ask())
