"""A worker process, when run as a script. It searches one order after the other.

Pickles go both ways, orders and stops on stdin, answers on stdout. An order is ``(game key, moves from the
start, level, seed, engine_of)``, the last being a function that makes the game's engine, and gets one answer, the
move or the exception that ended the search. A stop, None, ends the search that is under way, as the end of the
level's time does; it is still answered, with the best move so far. The worker exits with the end of stdin, so it
never outlives its server, however that ended.
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

from noughts.engine import Engine, Interrupt, Level, choose
from noughts.games import GAMES, Game

Order = tuple[str, tuple[str, ...], Level, int, Callable[[Game], Engine]]
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
    stop = Interrupt()
    threading.Thread(target=_listen, args=(orders, stop), daemon=True).start()
    # The search is pure Python: another thread gets its turn after this at the latest.
    sys.setswitchinterval(0.001)
    while True:
        answer = _search(orders.get(), stop)
        try:
            pickle.dump(answer, answers)
            answers.flush()
        except BrokenPipeError:
            os._exit(0)


def _listen(orders: SimpleQueue[Order], stop: Interrupt) -> None:
    while True:
        try:
            order: Order | None = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own server
        except (EOFError, pickle.UnpicklingError):
            os._exit(0)
        if order is None:
            stop.set()
        else:
            # An order comes only after the answer to the one before, so a stop that is still set came late.
            stop.flag[0] = 0
            orders.put(order)


def _search(order: Order, stop: Interrupt) -> Answer:
    key, moves, level, seed, engine_of = order
    clock = threading.Timer(level.seconds, stop.set)
    clock.daemon = True
    try:
        game = GAMES[key]
        position = game.start
        for move in moves:
            position = position.play(move)
        clock.start()
        return choose(engine_of(game), position, level, random.Random(seed), stop)
    except Exception as error:
        error.add_note(traceback.format_exc())  # where it happened would be lost on the way
        return error
    finally:
        clock.cancel()


if __name__ == "__main__":
    main()
