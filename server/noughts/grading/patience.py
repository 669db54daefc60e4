"""How long a student's search may take in a position: so much processor time, which a busy machine does not use up."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from noughts.engine import Stopped, minimax
from noughts.games import Game, Position
from noughts_client.bots.process import Process, processor_s

TIMES_OURS = 50
"""A search may take so many times the processor time of our own plain minimax, if that is more than its patience."""

WALL = 10
"""A search that sleeps uses no processor time: it may take so many times as long by the clock."""

POLL_S = 0.2
"""How often the processor time of a search is read."""

LONG_S = 1e6
"""What decides is the processor time: the process itself is given longer than anything takes."""

OURS_AT_MOST_S = 30.0
"""Our own minimax gives up after so much processor time, which counts then."""


async def answer_within(
    process: Process, line: str, patience_s: float, game: Game, position: Position
) -> tuple[str, float]:
    """Ask ``process`` about ``position``. Returns its line, and what that took of the search's time, in seconds.

    It may use ``patience_s`` of processor time, or :data:`TIMES_OURS` times what our own search of the position takes,
    measured now, on the same machine. Raises BotFailed.
    """
    before, began = processor_s(process.pid) or 0, time.monotonic()
    asking = asyncio.create_task(process.ask(line, LONG_S))
    ours = None
    taken = 0.0
    try:
        while not (await asyncio.wait({asking}, timeout=min(POLL_S, patience_s)))[0]:
            elapsed = time.monotonic() - began
            used = processor_s(process.pid)
            used = None if used is None else used - before
            taken = elapsed if used is None else max(used, elapsed / WALL)
            if used is not None and used > patience_s and ours is None:
                ours = await asyncio.to_thread(our_seconds, game, position)
                patience_s = max(patience_s, TIMES_OURS * ours)
            if used is not None and used > patience_s:
                raise process.failure("time", f"The bot gave no answer within {patience_s:.3g} s of processor time.")
            if elapsed > WALL * patience_s:
                idle = "" if used is None else f", of which it used the processor for {used:.2g} s"
                raise process.failure("time", f"The bot gave no answer within {elapsed:.3g} s{idle}.")
        return asking.result(), taken or time.monotonic() - began
    finally:
        asking.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await asking


def our_seconds(game: Game, position: Position) -> float:
    """The processor time that our own plain minimax takes in ``position``, in seconds."""
    began = time.thread_time()
    with suppress(Stopped):
        minimax(position, win=game.win, stop=lambda: time.thread_time() - began > OURS_AT_MOST_S)
    return time.thread_time() - began
