"""Ctrl-C and SIGTERM while a bot plays: no opponent is left waiting for a guest, and the process ends in any case."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from contextlib import suppress
from types import FrameType
from typing import Any, TypeVar

from noughts_client import thinking
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.playing import insist

Result = TypeVar("Result")

LEAVE_S = 5.0
"""How long a program that is stopped may take to end, before it is ended."""

RESIGN_S = 3.0
"""How much of that it may take to resign its games."""


def run_until_stopped(work: Coroutine[Any, Any, Result]) -> Result:
    """As ``asyncio.run``. The first Ctrl-C or SIGTERM cancels ``work``, and the second ends the process at once.

    Raises SystemExit with the status that a shell reports for the signal.
    """
    stop = _Stop()
    try:
        return asyncio.run(stop.watch(work))
    finally:
        stop.patience.cancel()


class _Stop:
    def __init__(self) -> None:
        self.patience = threading.Timer(LEAVE_S, self._end)
        self.patience.daemon = True
        self._status = 0
        self._task: asyncio.Task[Any] | None = None

    async def watch(self, work: Coroutine[Any, Any, Result]) -> Result:
        self._task = asyncio.current_task()
        before = {}
        if threading.current_thread() is threading.main_thread():  # elsewhere a signal cannot be handled
            numbers = (signal.SIGINT, signal.SIGTERM)  # a shell's background job ignores Ctrl-C
            listened = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
            before = {number: signal.signal(number, self._handle) for number in listened}
        try:
            return await work
        except asyncio.CancelledError:
            if not self._status:
                raise
            raise SystemExit(self._status) from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        assert self._task is not None
        if self._status:
            self._end()
        self._status = 128 + number
        self.patience.start()
        self._task.cancel()
        self._task.get_loop().call_soon_threadsafe(lambda: None)  # wakes the event loop
        if thinking.is_asked(frame):  # an async bot that does not await holds the event loop
            raise asyncio.CancelledError

    def _end(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(self._status)


async def leave(connection: Connection, *, returns: bool) -> str:
    """What becomes of the player's games when its program is stopped, in a sentence or two.

    The games of one that cannot return, a guest, are resigned or, before they have begun, closed.
    """
    leaving = asyncio.create_task(_leave(connection, returns=returns))
    done, _ = await asyncio.wait({leaving}, timeout=RESIGN_S)
    if not done or isinstance(leaving.exception(), ConnectionLost | RequestError):
        leaving.cancel()
        return "Stopped. The server does not answer; a game may stay open."
    return " ".join(["Stopped.", *leaving.result()])


async def _leave(connection: Connection, *, returns: bool) -> list[str]:
    said = []
    async for game in connection.games():
        room, playing = game["room"], game["status"] == "playing"
        if returns:
            if playing and room in connection.seen():
                said.append(f"The game in room {room} waits: start the bot again with its token to go on.")
            continue
        await insist(connection, {"type": "resign" if playing else "abort", "room": room})
        if playing:
            said.append(f"The game in room {room} is resigned.")
    return said
