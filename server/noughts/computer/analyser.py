"""Analyses on request. Requests for the same position share one search."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from noughts.computer.searches import Searches
from noughts.engine import Analysis, Limits
from noughts.timing import Timing

KEPT = 256
"""The number of analyses remembered."""

Key = tuple[str, tuple[str, ...]]
"""A game's key, and the moves from its start."""


class _SharedSearch:
    """A search, and the futures that wait for it."""

    __slots__ = ("task", "waiting")

    def __init__(self) -> None:
        self.waiting: set[asyncio.Future[Analysis]] = set()
        self.task: asyncio.Task[None] | None = None


class Analyser:
    """Makes analyses with ``searches``, each in at most ``seconds`` from when it gets a worker."""

    def __init__(self, searches: Searches, seconds: float, kept: int = KEPT, timing: Timing = Timing()) -> None:
        self._searches = searches
        self._seconds = seconds
        self._kept = kept
        self._estimate_kept_s = timing.estimate_kept_s
        self._running: dict[Key, _SharedSearch] = {}
        self._found: OrderedDict[Key, tuple[Analysis, float]] = OrderedDict()
        self._time = asyncio.get_running_loop().time
        self._closed = False

    def analyse(self, game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
        """Analyse ``game`` (its key) after ``moves``. Cancel the future when nobody waits for it any more.

        It raises what that of :meth:`Searches.analyse` raises, and is cancelled when the server stops.
        """
        key = game, moves
        future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        known = self._remembered(key)
        if known is not None:
            future.set_result(known)
            return future
        if self._closed:
            future.cancel()
            return future
        shared = self._running.get(key)
        if shared is None:
            shared = self._running[key] = _SharedSearch()
            shared.task = asyncio.create_task(self._run(key, shared))
        shared.waiting.add(future)
        future.add_done_callback(lambda _: self._leave(key, shared, future))
        return future

    async def close(self) -> None:
        """Cancel all analyses, and start no more."""
        self._closed = True
        tasks = [shared.task for shared in self._running.values() if shared.task is not None]
        for shared in list(self._running.values()):
            for future in shared.waiting:
                future.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _leave(self, key: Key, shared: _SharedSearch, future: asyncio.Future[Analysis]) -> None:
        """``future`` is done or cancelled. The search is cancelled with the last one."""
        shared.waiting.discard(future)
        if not shared.waiting:
            self._forget(key, shared)
            assert shared.task is not None
            shared.task.cancel()

    def _forget(self, key: Key, shared: _SharedSearch) -> None:
        if self._running.get(key) is shared:
            del self._running[key]

    async def _run(self, key: Key, shared: _SharedSearch) -> None:
        try:
            found: Analysis | Exception = await self._search(key)
        except Exception as error:
            found = error
        self._forget(key, shared)
        for future in shared.waiting:
            if future.done():
                continue
            if isinstance(found, Exception):
                future.set_exception(found)
            else:
                future.set_result(found)

    async def _search(self, key: Key) -> Analysis:
        found = await self._searches.analyse(*key, Limits(), self._seconds)
        # One that stopped early for a move is not remembered.
        if _exact(found) or (found.seconds or 0) >= 0.9 * self._seconds:
            self._found[key] = found, self._time()
            if len(self._found) > self._kept:
                self._found.popitem(last=False)
        return found

    def _remembered(self, key: Key) -> Analysis | None:
        if key not in self._found:
            return None
        analysis, at = self._found[key]
        if not _exact(analysis) and self._time() - at > self._estimate_kept_s:
            del self._found[key]
            return None
        self._found.move_to_end(key)
        return analysis


def _exact(analysis: Analysis) -> bool:
    return analysis.exact and all(move.exact for move in analysis.moves.values())
