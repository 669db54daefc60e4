"""Lines that were typed and not read yet."""

from __future__ import annotations

import asyncio
from collections import deque


class Typed:
    """A queue of lines, to be read by one reader at a time."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._ended = False
        self._news = asyncio.Event()

    def add(self, line: str) -> None:
        """A line was typed."""
        self._lines.append(line)
        self._news.set()

    def put_back(self, line: str) -> None:
        """A line was read too early: it comes again, before the others."""
        self._lines.appendleft(line)
        self._news.set()

    def end(self) -> None:
        """No more will come."""
        self._ended = True
        self._news.set()

    async def next(self) -> str:
        """The next line. Raises EOFError when no more will come."""
        while not self._lines:
            if self._ended:
                raise EOFError
            self._news.clear()
            await self._news.wait()
        return self._lines.popleft()
