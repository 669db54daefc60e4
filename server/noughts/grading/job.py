"""The jobs of grading a class and of verifying a bot: what each needs that is done elsewhere, and how it is done."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from noughts.farm_bots import unpack
from noughts.games import Game, Side
from noughts.games.catalogue import game_named, name_of
from noughts.grading.grade import graded
from noughts.grading.playouts import POINTS as SAMPLED_POINTS
from noughts.grading.playouts import SampledAssignment, SampledGrade
from noughts.grading.playouts import report as sampled_report
from noughts.grading.proof import Bounds
from noughts.grading.report import POINTS, Report, failed_gradescope, failed_in_words, report
from noughts.grading.result import Assignment
from noughts.grading.student import Student
from noughts.grading.verify import LevelPlayer, Player, ProgramPlayer, Verified, verify
from noughts_client.bots.copies import Copy, Packed, pack
from noughts_client.bots.game_bot import start
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.program import BotSpec
from noughts_client.bots.sandbox import Containment, probe
from noughts_client.failure import Failure

Task = Assignment | SampledAssignment


@dataclass(frozen=True)
class HandedIn:
    """A student's frozen program, on its way to whoever grades it."""

    name: str
    program: Packed


def handed_in(name: str, copy: tuple[Path, Copy]) -> HandedIn:
    """The program ``copy[0]`` of a student in a private copy. Raises OSError."""
    main, beside = copy
    return HandedIn(name, pack(BotSpec("python", str(main), name), beside))


@dataclass(frozen=True)
class GradingJob:
    """The terms on which students are graded. Its tasks are :class:`HandedIn`, and their results are reports.

    ``functions`` are the names of the student's function, with commas. ``contained`` says whether programs must run in
    a sandbox. ``patience_s`` and ``seconds`` are those of :class:`~noughts.grading.student.Student`.
    """

    assignment: Task
    functions: str
    contained: bool
    limits: ProcessLimits
    patience_s: float
    seconds: float

    def __reduce__(self) -> tuple[Any, ...]:
        """A game is known by its name."""
        terms = {each.name: getattr(self.assignment, each.name) for each in fields(self.assignment)}
        terms["game"] = name_of(self.assignment.game)
        others = self.functions, self.contained, self.limits, self.patience_s, self.seconds
        return _job, (type(self.assignment), terms, *others)

    def student(self, file: Path, containment: Containment | None) -> Student:
        """A student's program, which can be asked."""
        return Student(file, self.functions, containment, self.limits, patience_s=self.patience_s, seconds=self.seconds)

    @asynccontextmanager
    async def open(self, folder: Path, threads: int) -> AsyncIterator[Callable[[HandedIn], Awaitable[Report]]]:  # noqa: ARG002 - a student's search is one process
        """Grade students, from copies in ``folder``."""
        containment = await asyncio.to_thread(probe) if self.contained else None
        numbers = count()

        async def do(task: HandedIn) -> Report:
            place = folder / str(next(numbers))
            try:
                spec, copy = await asyncio.to_thread(task.program.unpack, place)
                assert copy is not None
                main = Path(spec.target)
                return await reported(task.name, (main, copy), self.student(main, containment), self.assignment)
            finally:
                await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

        yield do


def _job(kind: type[Assignment] | type[SampledAssignment], terms: dict[str, Any], *others: Any) -> GradingJob:
    """The job of an assignment of this kind, from its fields, but for the game, which is named."""
    return GradingJob(kind(**{**terms, "game": game_named(terms["game"])}), *others)


async def reported(name: str, copy: tuple[Path, Copy], student: Student, assignment: Task) -> Report:
    """Grade a student. One whose program does not start has a report without tests.

    The texts do not have the folder of the copy, which is the teacher's.
    """
    found = await graded(student, assignment)
    if isinstance(found, Failure):
        found = replace(found, message=found.message + copy[1].advice(f"{found.message}\n{found.stderr}"))
        results = failed_gradescope(name, found, points(assignment))
        about = Report([], failed_in_words(name, found), found.message, results)
    else:
        about = sampled_report(name, found) if isinstance(found, SampledGrade) else report(name, found)
    folder = f"{copy[0].absolute().parent}/"
    results = json.loads(json.dumps(about.results).replace(json.dumps(folder)[1:-1], ""))
    return Report(about.tests, about.told.replace(folder, ""), about.reason.replace(folder, ""), results)


def points(assignment: Task) -> Mapping[str, int]:
    """The most points of each test."""
    return SAMPLED_POINTS if isinstance(assignment, SampledAssignment) else POINTS


@dataclass(frozen=True)
class VerifyingJob:
    """The terms on which a bot is verified. Its tasks are sides, each with the seconds that there are for it.

    ``game`` is its name, ``contained`` says whether a program must run in a sandbox, and ``positions`` is the most of a
    side.
    """

    game: str
    bot: Packed
    contained: bool
    limits: ProcessLimits
    patience_s: float
    positions: int

    @asynccontextmanager
    async def open(
        self,
        folder: Path,
        threads: int,  # noqa: ARG002 - each side is one process
    ) -> AsyncIterator[Callable[[tuple[Side, float]], Awaitable[Verified]]]:
        """Verify the bot, from a copy in ``folder``. Raises :class:`~noughts.farm.Unfit` if it is not installed."""
        spec, copy = await asyncio.to_thread(unpack, self.bot.spec.name, self.bot, folder / "copy")
        containment = await asyncio.to_thread(probe) if self.contained else None
        game = game_named(self.game)

        async def do(task: tuple[Side, float]) -> Verified:
            side, seconds = task
            patience_s, limits = self.patience_s, self.limits
            player = player_of(game, spec, copy, containment, limits=limits, patience_s=patience_s, tell=lambda _: None)
            return await verify(game, side, player, Bounds(self.positions, seconds))

        yield do


def player_of(
    game: Game,
    spec: BotSpec,
    copy: Copy | None,
    containment: Containment | None,
    *,
    limits: ProcessLimits,
    patience_s: float,
    tell: Callable[[str], None],
) -> Player:
    """The player that a frozen bot is. Raises :class:`~noughts.grading.verify.NoSuchLevel`."""
    if spec.kind == "computer":
        return LevelPlayer(game, spec.target)
    begin = partial(start, spec, name_of(game), containment=containment, limits=limits, copy=copy)
    return ProgramPlayer(game, begin, patience_s, tell)
