"""Searches for reviews, behind everything else: few at a time, and addresses and players take turns."""

from __future__ import annotations

import asyncio
from functools import partial

from noughts.computer.searches import Preempted, Searches
from noughts.computer.turns import Rotation
from noughts.engine import Analysis, Limits

LEAST = 0.02
"""The least that a search which was ended early counts, as a part of its time. So none begins again for ever."""


class _Wanted:
    """A position to search, and whose turn it takes, while it ``waits``."""

    __slots__ = ("future", "game", "moves", "waits", "whose")

    def __init__(self, game: str, moves: tuple[str, ...], whose: tuple[str, str]) -> None:
        self.game = game
        self.moves = moves
        self.whose = whose
        self.waits = True
        self.future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()


class Reviewer:
    """Makes the analyses of reviews with ``searches``, each in ``seconds`` of search, however long that may take."""

    def __init__(self, searches: Searches, seconds: float) -> None:
        self._searches = searches
        self._seconds = seconds
        self._waiting: Rotation[_Wanted] = Rotation()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def __len__(self) -> int:
        """The number of positions that wait for their turn."""
        return len(self._waiting)

    def analyse(self, game: str, moves: tuple[str, ...], address: str, player: str) -> asyncio.Future[Analysis]:
        """Analyse ``game`` (its key) after ``moves``, for ``player`` at ``address``. Cancel the future to give up.

        It raises what that of :meth:`Searches.review` raises, and is cancelled when the server stops.
        """
        wanted = _Wanted(game, moves, (address, player))
        if self._closed:
            wanted.future.cancel()
            return wanted.future
        self._waiting.add(wanted, *wanted.whose)
        wanted.future.add_done_callback(partial(self._forget, wanted))
        asyncio.get_running_loop().call_soon(self._begin)  # those that ask together take turns
        return wanted.future

    async def close(self) -> None:
        """Cancel all analyses, and start no more."""
        self._closed = True
        while self._waiting:
            self._pop().future.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _pop(self) -> _Wanted:
        wanted = self._waiting.pop()
        wanted.waits = False
        return wanted

    def _forget(self, wanted: _Wanted, _: asyncio.Future[Analysis]) -> None:
        """Nobody wants it any more."""
        if wanted.waits:
            self._waiting.remove(wanted, *wanted.whose)
            wanted.waits = False

    def _begin(self) -> None:
        while self._waiting and len(self._tasks) < self._searches.reviews_at_once:
            wanted = self._pop()
            if not wanted.future.done():
                task = asyncio.create_task(self._search(wanted))
                self._tasks.add(task)
                task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._begin()

    async def _search(self, wanted: _Wanted) -> None:
        """Search again after each interruption, until the time of all searches together is used up."""
        left = self._seconds
        try:
            while True:
                search = self._searches.review(wanted.game, wanted.moves, Limits(), self._seconds)
                wanted.future.add_done_callback(partial(_cancel, search))
                try:
                    found = await search
                    break
                except Preempted as early:
                    found = early.found
                    left -= max(found.seconds or 0.0, LEAST * self._seconds)
                    if left <= 0:
                        break
        except asyncio.CancelledError:
            if not wanted.future.cancelled():  # the server stops
                wanted.future.cancel()
                raise
        except Exception as error:
            if not wanted.future.done():
                wanted.future.set_exception(error)
        else:
            if not wanted.future.done():
                wanted.future.set_result(found)


def _cancel(search: asyncio.Future[Analysis], _: asyncio.Future[Analysis]) -> None:
    """Nobody wants the review any more."""
    search.cancel()
