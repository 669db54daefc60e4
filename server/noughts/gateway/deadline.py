"""A deadline that does not count the time in which the server was late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

DELAYED_S = 0.1
"""The interval at which to look whether a client that is late waits for the server."""


def _never() -> bool:
    return False


def _nothing() -> None:
    """The callback of a deadline that was cancelled."""


class Deadline:
    """Calls ``expire`` after so many ``seconds``, not counting those in which the server was late.

    ``late_s`` is for how many seconds that was so far. While the client ``is_delayed`` it waits for the server.
    """

    __slots__ = ("_expire", "_is_delayed", "_late_before_s", "_late_s", "_timer")

    def __init__(
        self, seconds: float, late_s: Callable[[], float], is_delayed: Callable[[], bool], expire: Callable[[], None]
    ) -> None:
        self._late_s = late_s
        self._late_before_s = late_s()
        self._is_delayed = is_delayed
        self._expire = expire
        self._timer = asyncio.get_running_loop().call_later(seconds, self._check)

    def cancel(self) -> None:
        """Do not call. Nothing is kept either, so that whoever has this can be freed at once."""
        self._timer.cancel()
        self._is_delayed, self._expire = _never, _nothing

    def _check(self) -> None:
        before_s, self._late_before_s = self._late_before_s, self._late_s()
        more_s = max(self._late_before_s - before_s, DELAYED_S * self._is_delayed())
        if more_s:
            self._timer = asyncio.get_running_loop().call_later(more_s, self._check)
        else:
            self._expire()
