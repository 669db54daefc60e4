"""A student's search in a process of its own: a position out, an answer in, in so much processor time."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from noughts.engine import Stopped, minimax
from noughts.games import Game, Position, Side
from noughts.games.catalogue import name_of
from noughts.grading.forms import Views
from noughts.grading.readings import READINGS, Reading
from noughts_client.bots.dialogs import Lines
from noughts_client.bots.game_bot import greet
from noughts_client.bots.process import Process, ProcessLimits, processor_s
from noughts_client.bots.program import NoSuchProgram, python_program
from noughts_client.bots.sandbox import Containment
from noughts_client.failure import BotFailed, Failure

TIMES_OURS = 50
"""A search may take so many times the processor time of our own plain minimax, if that is more than its patience."""

WALL = 10
"""A search that sleeps uses no processor time: it may take so many times as long by the clock."""

POLL_S = 0.2
"""The time between two looks at the processor time of a search."""

LONG_S = 1e6
"""The time that the process itself is given, longer than anything takes: the processor time decides."""

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
    try:
        if (await asyncio.wait({asking}, timeout=min(POLL_S, patience_s)))[0]:
            return asking.result(), time.monotonic() - began  # to look at its processor time would take longer
        while True:
            elapsed, total = time.monotonic() - began, processor_s(process.pid)
            used = None if total is None else total - before
            if asking.done():
                return asking.result(), elapsed if used is None else max(used, elapsed / WALL)
            if used is not None and used > patience_s and ours is None:
                ours = await asyncio.to_thread(our_seconds, game, position)
                patience_s = max(patience_s, TIMES_OURS * ours)
            if used is not None and used > patience_s:
                raise process.failure("time", f"The bot gave no answer within {patience_s:.3g} s of processor time.")
            if elapsed > WALL * patience_s:
                idle = "" if used is None else f", of which it used the processor for {used:.2g} s"
                raise process.failure("time", f"The bot gave no answer within {elapsed:.3g} s{idle}.")
            await asyncio.wait({asking}, timeout=min(POLL_S, patience_s))
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


NEEDED = ("__init__.py", "child.py", "forms.py", "boards.py", "contracts.py", "readings.py", "sampler.py")
"""Files of this package that run beside a search. They know no answers."""

MOST_DEATHS = 3
"""After so many ends of its process nothing more is asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: the signature of the search, for whom its values are, and remarks on what it was called with.

    ``counts``: it was given positions that count what is looked at. ``sides``: one side maximizes, the other minimizes.
    ``either``: nothing tells which side maximizes.
    """

    form: str
    view: Views
    counts: bool
    sides: bool
    either: bool
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """A search's answer about a position, and its visits.

    ``readings`` has each way to read it: a value, None if there is none, and the best moves if any are named, and
    whether that was a single move. ``value``, ``moves`` and ``one`` are those of one reading, see :meth:`read`.
    ``changed``: it changed the board that it was given. ``paths`` are in the order of the visits, None if they were too
    many; see child.Visits for them and ``digest``.
    """

    readings: dict[Reading, tuple[float | None, tuple[str, ...] | None, bool]]
    visited: int
    digest: str
    paths: tuple[str, ...] | None
    seconds: float
    asked: Asked
    changed: bool = False
    value: float = math.nan
    moves: tuple[str, ...] | None = None
    one: bool = False

    def read(self, reading: Reading) -> Reply | NoReply:
        """The reply in one reading. A value that it does not have is not a number."""
        if reading not in self.readings:
            other = " or ".join(self.readings)
            return NoReply(f"It returned something like {other}, but elsewhere {reading}.", seconds=self.seconds)
        value, moves, one = self.readings[reading]
        return replace(self, value=math.nan if value is None else value, moves=moves, one=one)


@dataclass(frozen=True, slots=True)
class NoReply:
    """The reason why there is no reply. ``told`` is a traceback or the end of its stderr. ``late``: its time was over.

    ``seconds`` is how long it was waited for.
    """

    message: str
    told: str = ""
    late: bool = False
    seconds: float = 0
    asked: Asked | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """The move that a search by playouts chose, and the playouts of each move."""

    move: str
    visits: Mapping[str, int]
    seconds: float


NOT_ASKED = NoReply("It was not asked any more.", late=True)


class Student:
    """A search that can be asked. It is started anew after it has ended.

    After an answer that does not come in time it is asked no more: waiting in every position could take hours. Nor is
    it after ``seconds`` in all. ``patience_s`` are for each answer. Both are of processor time, and by the clock
    :data:`~noughts.grading.student.WALL` times as long.

    ``reading`` is how its replies are read, once that is known. ``maximizer`` is the side that maximizes, where the
    file leaves that open. ``asked`` counts the questions, ``answered`` those that
    got a :class:`Reply`.
    """

    def __init__(
        self,
        file: Path,
        function: str,
        containment: Containment | None,
        limits: ProcessLimits,
        *,
        patience_s: float,
        seconds: float = 600,
    ) -> None:
        self._file = file
        self._function = function
        self._containment = containment and replace(containment, hide=(*containment.hide, *answers()))
        self._limits = limits
        self._patience_s = patience_s
        self._left_s = seconds
        self._process: Process | None = None
        self._deaths = 0
        self.reading: Reading = "value"
        self.maximizer = Side.FIRST
        self.asked = 0
        self.answered = 0

    async def start(self) -> None:
        """Start its process. Raises BotFailed."""
        try:
            program = python_program(str(self._file), "noughts.grading.child", self._function)
        except NoSuchProgram as error:
            raise BotFailed(Failure("start", str(error))) from None
        process = await Process.start(program, containment=self._containment, limits=self._limits)
        await greet(process, Lines(python=True))
        self._process = process

    async def ask(self, game: Game, position: Position) -> Reply | NoReply:
        """The search's answer about ``position``."""
        said = await self._said(game, position, {"maximizer": self.maximizer})
        reply = said if isinstance(said, NoReply) else _reply(said)
        self.answered += isinstance(reply, Reply)
        return reply

    async def sample(self, game: Game, position: Position, iterations: int, seed: int) -> Sample | NoReply:
        """The choice of a search by playouts."""
        said = await self._said(game, position, {"iterations": iterations, "seed": seed})
        sample = said if isinstance(said, NoReply) else _sample(said)
        self.answered += isinstance(sample, Sample)
        return sample

    async def _said(self, game: Game, position: Position, more: dict[str, Any]) -> str | NoReply:
        """The line with which its process answers."""
        if self._deaths >= MOST_DEATHS:
            return NOT_ASKED
        if self._left_s <= 0:
            return NoReply("The time for grading was over.", late=True)
        self.asked += 1
        line = json.dumps({"game": name_of(game), "position": position.text, **more})
        began = time.monotonic()
        try:
            if self._process is None:
                await self.start()
            assert self._process is not None
            said, taken = await answer_within(self._process, line, self._patience_s, game, position)
        except BotFailed as error:
            failure = error.failure
            late = failure.kind == "time"
            self._deaths = MOST_DEATHS if late else self._deaths + 1
            await self.close()
            message = failure.message.replace("The bot", "It")
            told = failure.traceback or failure.stderr
            elapsed = time.monotonic() - began
            self._left_s -= elapsed
            return NoReply(message, told, late=late, seconds=elapsed)
        self._left_s -= taken
        return said

    async def close(self) -> None:
        """End its process."""
        process, self._process = self._process, None
        if process is not None:
            await process.close()


def answers() -> list[Path]:
    """The places of the answers on this machine: a contained search does not see them."""
    grading = Path(__file__).parent
    beside = [path for path in grading.iterdir() if path.name not in NEEDED]  # compiled modules have the answers, too
    return [grading.parent / "engine", grading.parent / "explain", *beside]


def _reply(line: str) -> Reply | NoReply:
    """The reply in a line. A file that writes to the pipe itself may say anything."""
    try:
        said = json.loads(line)
        counts, sides, either = (bool(said[name]) for name in ("counts", "sides", "either"))
        asked = Asked(str(said["form"]), said["view"], counts, sides, either, tuple(map(str, said["told"])))
        if "error" in said:
            return NoReply(str(said["error"]), str(said["traceback"]), asked=asked)
        paths = said.get("paths")
        seconds = float(said["seconds"])
        if not math.isfinite(seconds) or asked.view not in get_args(Views):
            raise ValueError
        return Reply(
            readings={each: _read(*said["readings"][each]) for each in READINGS if each in said["readings"]},
            visited=int(said["visited"]),
            digest=str(said["digest"]),
            paths=None if paths is None else tuple(map(str, paths)),
            seconds=seconds,
            asked=asked,
            changed=bool(said["changed"]),
        )
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return NoReply(f"It wrote {line[:60]!r} to the pipe of the answers.")


def _sample(line: str) -> Sample | NoReply:
    """The sample in a line. A file that writes to the pipe itself may say anything."""
    try:
        said = json.loads(line)
        if "error" in said:
            return NoReply(str(said["error"]), str(said["traceback"]))
        visits = {str(move): int(count) for move, count in said["visits"].items()}
        return Sample(str(said["move"]), visits, float(said["seconds"]))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return NoReply(f"It wrote {line[:60]!r} to the pipe of the answers.")


def _read(value: Any, moves: Any) -> tuple[float | None, tuple[str, ...] | None, bool]:
    """A value and the moves that a line says. Raises ValueError and TypeError."""
    number = None if value is None else float(value)
    if number is not None and not math.isfinite(number):
        raise ValueError
    if isinstance(moves, str):
        return number, (moves,), True
    return number, None if moves is None else tuple(map(str, moves)), False
