"""Analyses for whoever asks. What many ask for at once is searched for once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from noughts.computer.searches import Searches, Study
from noughts.engine import Analysis, Limits
from noughts.timing import Timing

KEPT = 256
"""How many analyses are remembered."""

Key = tuple[str, tuple[str, ...]]


class _Shared:
    """A search, and those who wait for it."""

    __slots__ = ("asking", "task")

    def __init__(self) -> None:
        self.asking: set[asyncio.Future[Analysis]] = set()
        self.task: asyncio.Task[None] | None = None


class Analyser:
    """Makes analyses with ``searches``, each in at most ``seconds`` once it has its turn."""

    def __init__(self, searches: Searches, seconds: float, kept: int = KEPT, timing: Timing = Timing()) -> None:
        self._kept = kept
        self._timing = timing
        self._searches = searches
        self._seconds = seconds
        self._shared: dict[Key, _Shared] = {}
        self._found: OrderedDict[Key, tuple[Analysis, float]] = OrderedDict()
        self._time = asyncio.get_running_loop().time
        self._closed = False

    def analyse(self, game: str, moves: tuple[str, ...]) -> asyncio.Future[Analysis]:
        """What each move is worth in ``game`` (its key) after ``moves``. Cancel it when nobody waits for it any more.

        The future is as that of :meth:`Searches.study`; it is cancelled when the server stops.
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
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = _Shared()
            shared.task = asyncio.create_task(self._study(key, shared))
        shared.asking.add(future)
        future.add_done_callback(lambda _: self._answered(key, shared, future))
        return future

    async def close(self) -> None:
        """Drop all analyses, and begin no other."""
        self._closed = True
        tasks = [shared.task for shared in self._shared.values() if shared.task is not None]
        for shared in list(self._shared.values()):
            for future in shared.asking:
                future.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _answered(self, key: Key, shared: _Shared, future: asyncio.Future[Analysis]) -> None:
        """``future`` is done, or was dropped; with the last one goes the search."""
        shared.asking.discard(future)
        if not shared.asking:
            self._forget(key, shared)
            assert shared.task is not None
            shared.task.cancel()

    def _forget(self, key: Key, shared: _Shared) -> None:
        if self._shared.get(key) is shared:
            del self._shared[key]

    async def _study(self, key: Key, shared: _Shared) -> None:
        try:
            found: Analysis | Exception = await self._search(key)
        except Exception as error:
            found = error
        self._forget(key, shared)
        for future in shared.asking:
            if future.done():
                continue
            if isinstance(found, Exception):
                future.set_exception(found)
            else:
                future.set_result(found)

    async def _search(self, key: Key) -> Analysis:
        game, moves = key
        found = await self._searches.study(Study(game, moves, Limits(), self._seconds))
        # What was ended early for the sake of a move is told, but not remembered.
        if _exact(found) or (found.seconds or 0) >= 0.9 * self._seconds:
            self._found[key] = found, self._time()
            if len(self._found) > self._kept:
                self._found.popitem(last=False)
        return found

    def _remembered(self, key: Key) -> Analysis | None:
        if key not in self._found:
            return None
        analysis, at = self._found[key]
        if not _exact(analysis) and self._time() - at > self._timing.estimate_kept_s:
            del self._found[key]
            return None
        self._found.move_to_end(key)
        return analysis


def _exact(analysis: Analysis) -> bool:
    return analysis.exact and all(move.exact for move in analysis.moves.values())
