"""``noughts grade``: a student's minimax or alpha-beta compared with ours, position by position."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from noughts.engine import Method, usable_engine_of
from noughts.games import Game, Position, Side
from noughts.grading.cases import Cases, Right, Rule, Values, cases, other_rules, right, tree_size, visited
from noughts.grading.child import digest
from noughts.grading.proof import Bounds, Explored, Moves, explore
from noughts.grading.student import NoReply, Reply, Student

View = Literal["mover", "first"]
"""For whom values are: the side to move, or always the side that moves first."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What the students were to write. A sample is of ``most`` positions, the same for the same ``seed``."""

    game: Game
    rule: Rule
    view: View = "mover"
    most: int = 100
    seed: int = 1
    seconds: float = 600

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.rule.method.value


@dataclass(frozen=True, slots=True)
class Wrong:
    """The first counterexample of something: a position, what was expected there, and what came.

    ``expected`` is empty where nothing came, and ``got`` is a sentence on why.
    """

    position: Position
    expected: str
    got: str
    told: str = ""


@dataclass(slots=True)
class Tally:
    """In how many positions something was right. ``unanswered`` positions are wrong, with nothing to compare."""

    right: int = 0
    asked: int = 0
    wrong: Wrong | None = None
    unanswered: int = 0

    def count(self, correct: bool, wrong: Callable[[], Wrong]) -> None:
        """Count one position."""
        self.asked += 1
        if correct:
            self.right += 1
        elif self.wrong is None:
            self.wrong = wrong()

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.right / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class Case:
    """A position, what is right there, and what was said."""

    position: Position
    right: Right
    reply: Reply | NoReply


@dataclass(slots=True)
class Grade:
    """What is right and wrong. ``lines`` has the proof for each side, empty if the game is too large for one.

    ``broken``: the search fails at the start of the game, other than by taking too long, so it cannot play at all and
    gets no points. ``hints`` are sentences on what may be behind it. Durations are in seconds: the student's, with the
    counting of visits, and ours without.
    """

    assignment: Assignment
    complete: bool
    answers: Tally = field(default_factory=Tally)
    value: Tally = field(default_factory=Tally)
    best: Tally = field(default_factory=Tally)
    visits: Tally = field(default_factory=Tally)
    lines: list[Explored] = field(default_factory=list)
    broken: bool = False
    hints: list[str] = field(default_factory=list)
    seconds: float = 0
    ours: float = 0


class _Unanswered(Exception):
    """The search does not answer where a game needs it."""


async def grade(student: Student, assignment: Assignment) -> Grade:
    """Grade a student's search, which has started."""
    found = cases(assignment.game, assignment.most, assignment.seed)
    result = Grade(assignment, found.complete)
    began = time.perf_counter()
    engine, _ = usable_engine_of(assignment.game)
    rights = {one: right(engine, one, assignment.rule.values) for one in found.positions}
    result.ours = time.perf_counter() - began
    replies: dict[Position, Reply | NoReply] = {}
    until = time.monotonic() + assignment.seconds
    for position in found.positions:
        late = time.monotonic() > until
        reply = (
            NoReply("The time for grading was over.", late=True)
            if late
            else await student.ask(assignment.game, position)
        )
        replies[position] = reply
        if isinstance(reply, Reply):
            result.seconds += reply.seconds
    first = replies.get(assignment.game.start)
    result.broken = isinstance(first, NoReply) and not first.late
    known = [Case(one, rights[one], replies[one]) for one in found.positions]
    chooser = _Chooser(student, assignment, found, replies)
    for case in known:
        await _count(result, case, chooser)
    result.hints = _hints(assignment, known, result)
    if found.complete:
        for side in Side:
            result.lines.append(await _never_loses(assignment, side, chooser))
    return result


async def _count(result: Grade, case: Case, chooser: _Chooser) -> None:
    assignment, position, reply = result.assignment, case.position, case.reply
    if isinstance(reply, NoReply):
        result.answers.count(False, lambda: Wrong(position, "", reply.message, reply.told))
        for tally in (result.value, result.best, result.visits):
            tally.asked += 1
            tally.unanswered += 1
        return
    result.answers.count(True, lambda: Wrong(position, "", ""))
    expected = in_view(case.right.value, position, assignment.view)
    result.value.count(
        _same(reply.value, expected, assignment.rule.values),
        lambda: Wrong(position, f"value {_shown_value(expected, assignment)}", f"{reply.value:g}"),
    )
    moves = await chooser.moves(position)
    named = "/".join(case.right.best)
    if reply.one:
        fits = moves is not None and set(moves) <= set(case.right.best)
        named = f"one of {named}" if len(case.right.best) > 1 else named
    else:
        fits = moves is not None and set(moves) == set(case.right.best)
    result.best.count(fits, lambda: Wrong(position, f"best {named}", "/".join(moves or ()) or "no moves"))
    result.visits.count(*_visits(assignment, position, reply))


def _visits(assignment: Assignment, position: Position, reply: Reply) -> tuple[bool, Callable[[], Wrong]]:
    """Whether the right positions were visited, and the counterexample if not."""
    if assignment.rule.method is Method.MINIMAX:
        size = tree_size(position)
        return reply.visited == size, lambda: Wrong(position, f"{size:,} positions", f"{reply.visited:,}")
    lines = visited(assignment.game, position, assignment.rule)
    return reply.digest == digest(lines), lambda: _difference(position, lines, reply)


def _difference(position: Position, lines: list[str], reply: Reply) -> Wrong:
    told = ""
    if reply.paths is not None:
        if extra := sorted(reply.paths - set(lines), key=len):
            told = f"It should not have visited the position after {extra[0]}."
        elif missing := sorted(set(lines) - reply.paths, key=len):
            told = f"It should have visited the position after {missing[0]}."
    return Wrong(position, f"{len(lines):,} positions", f"{reply.visited:,}", told)


def in_view(value: float, position: Position, view: View) -> float:
    """A value for the side to move as the view has it, or the other way round."""
    return -value if view == "first" and position.to_move is Side.SECOND else value


def _same(got: float, expected: float, values: Values) -> bool:
    if values == "depth":
        return got == expected
    return (got > 0) - (got < 0) == expected


def _shown_value(value: float, assignment: Assignment) -> str:
    if assignment.rule.values == "depth":
        return f"{value:g}"
    return {1: "above 0 (a win)", 0: "0 (a draw)", -1: "below 0 (a loss)"}[int(value)]


class _Chooser:
    """The moves that a search would play: those it names, or else those with the best values after them.

    A search that names no moves is not asked again in a position of which a reflection is known.
    """

    def __init__(
        self, student: Student, assignment: Assignment, found: Cases, replies: dict[Position, Reply | NoReply]
    ) -> None:
        self._student = student
        self._assignment = assignment
        self._found = found
        self._replies = replies

    async def moves(self, position: Position) -> Moves | None:
        """The moves, None if it has no answer."""
        names = any(isinstance(reply, Reply) and reply.moves is not None for reply in self._replies.values())
        if names:
            reply = await self._reply(position)
            return reply.moves if isinstance(reply, Reply) else None
        values = {}
        for move in position.legal_moves:
            value = await self._value(position.play(move))
            if value is None:
                return None
            values[move] = value if position.to_move is Side.FIRST else -value
        best = max(values.values())
        return tuple(move for move, value in values.items() if value == best)

    async def _value(self, position: Position) -> float | None:
        """The value for the side that moves first. Games that are over are not the search's to value."""
        outcome = position.outcome
        if outcome is not None:
            if outcome.winner is None:
                return 0.0
            return float("inf") if outcome.winner is Side.FIRST else -float("inf")
        reply = await self._reply(self._found.shown(position))
        if isinstance(reply, NoReply):
            return None
        value = in_view(reply.value, position, "first") if self._assignment.view == "mover" else reply.value
        if self._assignment.rule.values == "result":
            return float("inf") if value > 0 else -float("inf") if value < 0 else 0.0
        return value

    async def _reply(self, position: Position) -> Reply | NoReply:
        if position not in self._replies:
            self._replies[position] = await self._student.ask(self._assignment.game, position)
        return self._replies[position]


async def _never_loses(assignment: Assignment, side: Side, chooser: _Chooser) -> Explored:
    """Every line of play against the search. It plays any of the moves that are best for it."""

    async def ask(_: Moves, position: Position) -> Moves:
        moves = await chooser.moves(position)
        legal = tuple(move for move in moves or () if move in position.legal_moves)
        if not legal:
            raise _Unanswered
        return legal

    try:
        return await explore(assignment.game, side, ask, Bounds(seconds=assignment.seconds), check=False)
    except _Unanswered:
        return Explored(side, stopped="time")


def _hints(assignment: Assignment, known: list[Case], result: Grade) -> list[str]:
    answered = [case for case in known if isinstance(case.reply, Reply)]
    if not answered:
        return []
    hints = []
    if result.value.right < result.value.asked and (view := _other_view(assignment, answered)):
        hints.append(view)
    if result.visits.right < result.visits.asked and (how := _how_it_visits(assignment, answered)):
        hints.append(how)
    return hints


def _other_view(assignment: Assignment, answered: list[Case]) -> str | None:
    """Whether the values are right by another convention."""
    other: View = "first" if assignment.view == "mover" else "mover"
    replies = [
        (case.position, case.right.value, case.reply.value) for case in answered if isinstance(case.reply, Reply)
    ]
    name = assignment.game.first.name

    if all(_same(got, in_view(value, one, other), assignment.rule.values) for one, value, got in replies):
        whose = f"always for {name}" if other == "first" else "for the side to move"
        return f"All its values are right if they are {whose}: --view {other}."
    if mostly_negated(
        [(in_view(value, one, assignment.view), got) for one, value, got in replies], assignment.rule.values
    ):
        return "Most values have the wrong sign: is the value seen from the side to move?"
    return None


def mostly_negated(pairs: list[tuple[float, float]], values: Values) -> bool:
    """Whether most wrong values are the right ones negated. A pair is the right value and the one that came."""
    wrong = [(expected, got) for expected, got in pairs if not _same(got, expected, values)]
    return sum(expected != 0 and _same(got, -expected, values) for expected, got in wrong) * 2 > len(wrong)


def _how_it_visits(assignment: Assignment, answered: list[Case]) -> str | None:
    """What its visits look like, if they are those of something else."""
    replies = [(case.position, case.reply) for case in answered if isinstance(case.reply, Reply)]
    if all(reply.visited <= 1 for _, reply in replies):
        return "It looks at no position but the one that it is given: it does not search, as if it had a table."
    for other in other_rules(assignment.rule):
        if other.method is Method.MINIMAX:
            same = all(reply.visited == tree_size(one) for one, reply in replies)
        else:
            same = all(reply.digest == digest(visited(assignment.game, one, other)) for one, reply in replies)
        if same:
            return f"It visits exactly what {other} visits."
    return None
