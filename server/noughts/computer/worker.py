"""A worker process, when run as a script. It searches for one order after the other, with the textbook's engine.

Pickles go both ways, orders and stops on stdin, answers on stdout. An order comes with what makes an engine for a
game, and with the seconds that it may take. After that time, and after a stop, None, the search that is under way is
answered with what it has found. The worker exits with the end of stdin, so it never outlives its server, however that
ended.
"""

from __future__ import annotations

import math
import os
import pickle
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue

from noughts.engine import Analysis, Engine, Interrupt, Level, Limits, choose
from noughts.games import GAMES, Game

Order = tuple[str, tuple[str, ...], Level | Limits, int]
"""A game's key, the moves from its start, and what is wanted after them: a move as a level chooses it, by the random
numbers that follow from the last, the seed; or an analysis as far as the limits."""

Answer = str | Analysis | Exception
"""The move or the analysis, or what ended the search."""

Make = Callable[[Game], Engine]

NICENESS = 10
"""How far workers stand back behind the server on a busy machine, as POSIX counts it."""

SWITCH_S = 0.0005
"""How soon the thread that hears a stop gets its turn beside the search."""


def answer_to(order: Order, engine_of: Make, stop: Interrupt) -> Answer:
    """What comes of ``order``, sought by the engine that is had for its game. ``stop`` ends it early."""
    key, moves, wanted, seed = order
    try:
        game = GAMES[key]
        position = game.start
        for move in moves:
            position = position.play(move)
        engine = engine_of(game)
        if isinstance(wanted, Level):
            return choose(engine, position, wanted, random.Random(seed), stop)
        begun = time.perf_counter()
        return replace(engine.analyse(position, wanted, stop), seconds=time.perf_counter() - begun)
    except Exception as error:
        error.add_note(traceback.format_exc())  # where it happened would be lost on the way
        return error


class Timed(Interrupt):
    """An interrupt for searches in Python, set of itself so many seconds after the search has begun."""

    __slots__ = ("_seconds", "_until")

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._until = math.inf

    def begin(self) -> None:
        """The search begins now."""
        self._until = time.perf_counter() + self._seconds

    def __call__(self) -> bool:
        return self.flag[0] != 0 or time.perf_counter() > self._until


class Engines:
    """The engines of one thread: each game's is made once, by ``make``, and keeps what it has found."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._engines: dict[str, Engine] = {}

    def of(self, game: Game) -> Engine:
        """The engine for ``game``."""
        engine = self._engines.get(game.key)
        if engine is None:
            engine = self._engines[game.key] = self._make(game)
        return engine


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
    sys.setswitchinterval(SWITCH_S)
    orders: SimpleQueue[tuple[Make, Order, Timed]] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    engines: dict[Make, Engines] = {}
    while True:
        make, order, stop = orders.get()
        stop.begin()
        answer = answer_to(order, engines.setdefault(make, Engines(make)).of, stop)
        try:
            pickle.dump(answer, answers)
            answers.flush()
        except BrokenPipeError:
            os._exit(0)


def _listen(orders: SimpleQueue[tuple[Make, Order, Timed]]) -> None:
    stop = Timed(0)
    while True:
        try:
            message: tuple[Make, Order, float] | None = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own server
        except (EOFError, pickle.UnpicklingError):
            os._exit(0)
        if message is None:
            stop.set()  # when it came late, nobody looks at that one any more
        else:
            make, order, seconds = message
            stop = Timed(seconds)
            orders.put((make, order, stop))


if __name__ == "__main__":
    main()
