"""An engine that misbehaves; the requested depth selects how. Worker processes import it by name."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace

from noughts.computer.cores import Cores
from noughts.computer.processes import Processes
from noughts.computer.threads import Threads
from noughts.engine import LEVELS, Analysis, Interrupt, Limits, Textbook
from noughts.games import Game, Position
from noughts.timing import Timing

SLOW_S = 0.6


def endless(stop: Interrupt) -> None:
    """Search until it is stopped, half of the time: a solved game is stopped only after some processor time."""
    while not stop():
        time.sleep(0.0002)
        sum(range(10_000))


def busy(stop: Interrupt) -> None:
    """Search until it is stopped, holding the GIL like all Python code."""
    while not stop():
        sum(range(200))


def slow(stop: Interrupt) -> None:
    """Search for a while."""
    until = time.monotonic() + SLOW_S
    while not stop() and time.monotonic() < until:
        time.sleep(0.0002)


def deaf(stop: Interrupt) -> None:
    """Never end, and never check whether to stop."""
    while True:
        time.sleep(1)


def deadly(stop: Interrupt) -> None:
    """Kill the process, as running out of memory would."""
    os._exit(1)


def chatty(stop: Interrupt) -> None:
    """Print while it searches."""
    print("searching")


MOODS: tuple[Callable[[Interrupt], None], ...] = (endless, busy, slow, deaf, deadly, chatty)
DEPTHS = {mood.__name__: 1000 + number for number, mood in enumerate(MOODS)}
TEST_LEVELS = {
    **{name: replace(level, seconds=600) for name, level in LEVELS.items()},
    **{name: replace(LEVELS["perfect"], depth=depth, seconds=600) for name, depth in DEPTHS.items()},
}
"""The usual levels, however busy the machine is, and one for each mood."""

PATIENT = Timing(worker_late_s=60)
"""No process whose answer is wanted is killed because the machine is busy."""


class Moody:
    """The textbook engine, after the misbehaviour that the depth selects."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._textbook = Textbook(game)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """Search."""
        if limits.depth is not None and limits.depth >= 1000:
            MOODS[limits.depth - 1000](stop)
            limits = replace(limits, depth=1 if stop() else None)
            stop = Interrupt()
        return self._textbook.analyse(position, limits, stop)


START_S = 4.0


class Slow(Textbook):
    """An engine that takes :data:`START_S` until it can search."""

    def __init__(self, game: Game) -> None:
        time.sleep(START_S)
        super().__init__(game)


class Whereabouts(Moody):
    """Returns the id of its process as the number of nodes."""

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        return replace(super().analyse(position, limits, stop), nodes=os.getpid())


def no_kernels(threads: int) -> Cores:
    """Cores that search for all games in processes, which say where they are."""
    return Cores(threads, Threads(threads, fast=lambda _: False), Processes(threads, Whereabouts, PATIENT))
