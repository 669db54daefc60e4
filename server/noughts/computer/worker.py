"""A worker process, when run as a script. It searches one order after the other.

Pickles go both ways, orders and stops on stdin, answers on stdout. An order is ``(game key, moves from the
start, level, seed)``, and gets one answer, the move or the exception that ended the search. A stop, None,
ends the search that is under way; it is still answered, with :class:`~noughts.engine.Stopped`. The worker
exits with the end of stdin, so it never outlives its server, however that ended.
"""

from __future__ import annotations

import os
import pickle
import random
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from queue import SimpleQueue

from noughts.engine import Level, Stopped, choose
from noughts.games import GAMES

Order = tuple[str, tuple[str, ...], Level, int]
Answer = str | Exception

NICENESS = 10
"""How far workers stand back behind the server on a busy machine, as POSIX counts it."""


def main() -> None:
    # Whatever a game prints goes to stderr: what was stdout is kept for answers alone.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # A terminal sends these to all of its processes, and the server still has to finish what is under way.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):  # not on Windows
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    orders: SimpleQueue[Order] = SimpleQueue()
    stop = threading.Event()
    threading.Thread(target=_listen, args=(orders, stop), daemon=True).start()
    while True:
        answer = _search(orders.get(), stop.is_set)
        try:
            pickle.dump(answer, answers)
            answers.flush()
        except BrokenPipeError:
            os._exit(0)


def _listen(orders: SimpleQueue[Order], stop: threading.Event) -> None:
    while True:
        try:
            order: Order | None = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own server
        except (EOFError, pickle.UnpicklingError):
            os._exit(0)
        if order is None:
            stop.set()
        else:
            # An order comes only after the answer to the one before, so a stop that is still set came late.
            stop.clear()
            orders.put(order)


def _search(order: Order, stop: Callable[[], bool]) -> Answer:
    key, moves, level, seed = order
    try:
        position = GAMES[key].start
        for move in moves:
            position = position.play(move)
        return choose(position, level, random.Random(seed), stop)
    except Stopped as stopped:
        return stopped
    except Exception as error:
        error.add_note(traceback.format_exc())  # where it happened would be lost on the way
        return error


if __name__ == "__main__":
    main()
