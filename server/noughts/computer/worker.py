"""A worker process, when run as a script: it runs one search after the other with the textbook engine.

It reads pickled tasks and stops from stdin. To stdout it writes, pickled, None when a search begins and then its
answer. A task comes with the function that makes the engine for a game, and with its time in seconds. When the time is
up, or after a stop (None), the running search answers with what it has found. The worker exits at the end of stdin, so
it never outlives its server.
"""

from __future__ import annotations

import json
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
from functools import lru_cache
from queue import SimpleQueue
from typing import IO, Any

from noughts.engine import (
    Analysis,
    Engine,
    Interrupt,
    Level,
    Limits,
    Sampling,
    Tracing,
    as_object,
    choose,
    named,
    sampled_object,
    trace_game,
    trace_playouts,
    trace_tree,
)
from noughts.games import Game
from noughts.games.catalogue import begin
from noughts.puzzles.question import Question, Reply, reply_to

Goal = Level | Limits | Tracing | Sampling | Question
"""The goal of a search: a move at a level, an analysis within limits, a trace of a search or of playouts, or the answer
to a question about a puzzle."""

Task = tuple[str, tuple[str, ...], Goal, int]
"""A search: a game's name, perhaps with where it has :func:`~noughts.games.catalogue.begun`, the moves from there, the
goal, and a seed. The trace of a tree of leaves has no game. A plain tuple, so that unpickling it imports nothing."""

Answer = str | Analysis | bytes | Reply | Exception
"""A move, an analysis, a trace as JSON, which is too long to be made in the event loop, or the reply to a question
about a puzzle; or the exception that ended the search."""

Make = Callable[[Game], Engine]

Begun = Callable[[], object]
"""Called in the event loop when a search begins, and again if it begins again because its worker has died."""

NICENESS = 10
"""The POSIX niceness of a server's workers: on a busy machine the server comes first. It is their argument."""

ENGINES = 64
"""The number of engines a worker keeps: there are as many games as there are ways to set one up."""

SOLVED_S = 0.25
"""The processor time that a move in a solved game gets in any case, so that the computer does not lose tic-tac-toe on a
machine that is too busy to give its search any. After the first move that takes some 10 ms, and more where garbage is
collected."""

SWITCH_S = 0.0005
"""The time in which the thread that reads stops gets its turn beside the search."""


def answer(task: Task, engine_of: Make, stop: Interrupt) -> Answer:
    """Run ``task`` with the engine that ``engine_of`` gives for its game. ``stop`` ends it early."""
    name, moves, goal, seed = task
    try:
        if isinstance(goal, Tracing) and goal.tree is not None:
            return _encoded(as_object(trace_tree(goal, stop)))
        game, position = begin(name)
        for move in moves:
            position = position.play(game.meant(position, move))
        if isinstance(goal, Tracing):
            return _encoded(as_object(trace_game(game, position, goal, stop)))
        if isinstance(goal, Sampling):
            return _encoded(sampled_object(trace_playouts(game, position, goal, stop)))
        engine = engine_of(game)
        if isinstance(goal, Question):
            return reply_to(goal, engine, stop)
        if isinstance(goal, Level):
            if game.solved and isinstance(stop, Timeout):
                stop.allow(SOLVED_S)
            return choose(engine, position, goal, random.Random(seed), stop)
        start = time.perf_counter()
        found = engine.analyse(position, goal, stop)
        return named(game, position, replace(found, seconds=time.perf_counter() - start))
    except Exception as error:
        error.add_note(traceback.format_exc())  # pickling loses the traceback
        return error


def _encoded(trace: dict[str, Any]) -> bytes:
    return json.dumps(trace, separators=(",", ":")).encode()


class Timeout(Interrupt):
    """An interrupt that sets itself some seconds after :meth:`begin`, for searches in Python."""

    __slots__ = ("_least", "_seconds", "_until")

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._until = math.inf
        self._least = -math.inf

    def begin(self) -> None:
        """Start the clock."""
        self._until = time.perf_counter() + self._seconds

    def allow(self, seconds: float) -> None:
        """Stop this thread only after it has used so much processor time from now on."""
        self._least = time.thread_time() + seconds

    def __call__(self) -> bool:
        due = self.flag[0] != 0 or time.perf_counter() > self._until
        return due and time.thread_time() >= self._least


def main() -> None:
    # Whatever a game prints goes to stderr; stdout is for answers only.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # A terminal sends these to all of its processes, but the server still has to finish its searches.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):  # not on Windows
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if hasattr(os, "nice"):  # not on Windows
        os.nice(int(sys.argv[1]))
    sys.setswitchinterval(SWITCH_S)
    tasks: SimpleQueue[tuple[Make, Task, Timeout]] = SimpleQueue()
    threading.Thread(target=_read_tasks, args=(tasks,), daemon=True).start()
    engine_of: dict[Make, Make] = {}
    while True:
        make, task, stop = tasks.get()
        try:
            stop.begin()
            _write(answers, None)
            _write(answers, answer(task, engine_of.setdefault(make, lru_cache(ENGINES)(make)), stop))
        except BrokenPipeError:
            os._exit(0)


def _write(answers: IO[bytes], message: Answer | None) -> None:
    pickle.dump(message, answers)
    answers.flush()


def _read_tasks(tasks: SimpleQueue[tuple[Make, Task, Timeout]]) -> None:
    stop = Timeout(0)
    while True:
        try:
            message: tuple[Make, Task, float] | None = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own server
        except (EOFError, pickle.UnpicklingError):
            os._exit(0)
        if message is None:
            stop.set()  # harmless if that search has ended
        else:
            make, task, seconds = message
            stop = Timeout(seconds)
            tasks.put((make, task, stop))


if __name__ == "__main__":
    main()
