"""``noughts grade``: a student's minimax or alpha-beta compared with ours, position by position."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from noughts.engine import Method, usable_engine_of
from noughts.explain.position import BadRequest
from noughts.games import Game, Position, Side
from noughts.grading.cases import (
    STOPS,
    Cases,
    Right,
    Rule,
    cases,
    is_prunable,
    right,
    tree_size,
    visited,
    visited_in_order,
)
from noughts.grading.child import digest
from noughts.grading.conventions import (
    counts_nothing,
    follows,
    is_compared,
    orders_of,
    own_order,
    prunable,
    reading_of,
    rule_in_own_order,
    rule_of,
    view_of,
)
from noughts.grading.hints import MEMO, REMEMBERS, hints_on, is_right
from noughts.grading.playouts import SampledAssignment, SampledGrade, grade_playouts
from noughts.grading.proof import Bounds, Explored, Moves, explore
from noughts.grading.readings import Reading
from noughts.grading.result import Assignment, Case, Grade, Wrong, in_view, same
from noughts.grading.student import NOT_ASKED, NoReply, Reply, Student
from noughts_client.failure import BotFailed, Failure

TRIED = 200
"""Positions in which a search is asked with the other side as the one that maximizes."""

SMALL_TREE = 3000
"""Positions: from where a search is asked twice, to see whether it remembers."""

UNCOUNTED = "Visits could not be counted: search with position.play."


class _Unanswered(Exception):
    """The search does not answer where a game needs it."""


async def graded(student: Student, assignment: Assignment | SampledAssignment) -> Grade | SampledGrade | Failure:
    """Start a student's search, grade it and end it; its failure if it does not start."""
    try:
        await student.start()
        if isinstance(assignment, SampledAssignment):
            return await grade_playouts(student, assignment)
        return await grade(student, assignment)
    except BotFailed as error:
        return error.failure
    finally:
        await student.close()


async def grade(student: Student, assignment: Assignment) -> Grade:
    """Grade a student's search, which has started. Raises BadRequest if the game has no position to grade it in."""
    found = cases(assignment.game, assignment.most, assignment.seed)
    if not found.positions:
        raise BadRequest(f"no position of {assignment.game.title} was found that plain minimax can search to its end")
    result = Grade(assignment, found.complete)
    began = time.perf_counter()
    engine, _ = usable_engine_of(assignment.game)
    rights = {one: right(engine, one, assignment.rule.values) for one in found.positions}
    result.ours = time.perf_counter() - began
    replies = await _answers(student, assignment, found.positions)
    if await _other_maximizes(student, assignment, rights, replies):
        replies = await _answers(student, assignment, found.positions)
    result.seconds = sum(reply.seconds for reply in replies.values())
    first = replies.get(assignment.game.start)
    result.broken = isinstance(first, NoReply) and not first.late
    answered = _recognise(result, rights, replies, student)
    failed = {one: reply for one, reply in replies.items() if isinstance(reply, NoReply)}
    assignment = result.assignment
    if not result.uncounted:
        result.memory = await _memory(result, answered, student)
    for position, no_reply in failed.items():
        _count_unanswered(result, position, no_reply)
    chooser = _Chooser(student, assignment, found, replies)
    for case in answered:
        await _count(result, case, chooser)
    result.hints = hints_on(assignment, answered, failed, result)
    if found.complete:
        for side in Side:
            if not _is_lost(assignment.game, side, rights[found.shown(assignment.game.start)]):
                result.lines.append(await _never_loses(assignment, side, chooser))
    return result


async def _answers(
    student: Student, assignment: Assignment, positions: Iterable[Position]
) -> dict[Position, Reply | NoReply]:
    return {position: await student.ask(assignment.game, position) for position in positions}


def _cases(rights: dict[Position, Right], replies: dict[Position, Reply | NoReply], reading: Reading) -> list[Case]:
    """The positions in which a search has an answer in this reading."""
    read = [(one, reply.read(reading)) for one, reply in replies.items() if isinstance(reply, Reply)]
    return [Case(one, rights[one], reply) for one, reply in read if isinstance(reply, Reply)]


async def _other_maximizes(
    student: Student, assignment: Assignment, rights: dict[Position, Right], replies: dict[Position, Reply | NoReply]
) -> bool:
    """True if more is right if the second side is who maximizes, where a search leaves that open.

    The student is left with what fits better.
    """
    if not any(reply.asked.either for reply in replies.values() if reply.asked is not None):
        return False
    if _right(assignment, rights, replies) == len(replies):
        return False
    tried = list(replies)[:TRIED]
    student.maximizer = Side.SECOND
    await student.close()  # it may remember what it found before
    other = await _answers(student, assignment, tried)
    here = {one: replies[one] for one in tried}
    if _right(assignment, rights, other) > _right(assignment, rights, here):
        return True
    student.maximizer = Side.FIRST
    await student.close()
    return False


def _right(assignment: Assignment, rights: dict[Position, Right], replies: dict[Position, Reply | NoReply]) -> int:
    """In how many positions a search knows who wins, in the view that fits best; of one without values, its moves."""
    reading = reading_of(replies)
    known = _cases(rights, replies, reading)
    if reading == "move":
        return sum(set(case.reply.moves or ()) <= set(case.right.same_result) for case in known)
    view = view_of(assignment, known)
    return sum(same(case.reply.value, case.result_in(view), "result") for case in known)


def _recognise(
    result: Grade, rights: dict[Position, Right], replies: dict[Position, Reply | NoReply], student: Student
) -> list[Case]:
    """Note the conventions that the search follows, and read all its replies by them. Returns what it answered."""
    asked = next((reply.asked for reply in replies.values() if reply.asked is not None), None)
    student.reading = reading = reading_of(replies)
    for position, reply in replies.items():
        if isinstance(reply, Reply):
            replies[position] = reply.read(reading)
    answered = _cases(rights, replies, reading)
    if asked is None or not answered:
        if asked is not None:
            result.form, result.told = asked.form, asked.told
        return answered
    result.form, result.told = f"{asked.form} -> {reading}", asked.told
    result.by_moves = reading == "move"
    assignment = result.assignment
    if not result.by_moves:
        assignment = replace(assignment, view=view_of(assignment, answered))
    right = all(is_right(assignment, case, by_moves=False) for case in answered)
    if not assignment.named and asked.form.startswith("minimax(") and "alpha" not in asked.form.casefold():
        result.notes.append("It has no alphabeta, so its minimax is graded.")
        minimax = replace(assignment, rule=replace(assignment.rule, method=Method.MINIMAX))
        prunes = follows(assignment, rule_of(assignment, answered), answered)
        assignment = assignment if prunes else minimax
    result.uncounted = result.by_moves or counts_nothing(answered, right=right)
    if not result.uncounted:
        assignment = replace(assignment, rule=_rule(result, assignment, prunable(assignment, answered)))
    elif not result.by_moves:
        result.notes.append(UNCOUNTED)
    result.assignment = assignment
    return answered


def _rule(result: Grade, assignment: Assignment, visits: list[Case]) -> Rule:
    """The rule that the visits are compared with: another one than the assignment's if that is as good."""
    rule = rule_of(assignment, visits)
    if not follows(assignment, rule, visits) and own_order(visits):
        in_order = rule_in_own_order(assignment, visits)
        if in_order is not None:
            result.own_order = True
            result.notes.append("Its moves are in another order than the game's, and compared in that order.")
            rule = in_order
            if in_order.cut != assignment.rule.cut:
                result.notes.append(f"It cuts only where alpha {in_order.cut} beta.")
                rule = assignment.rule
        elif any(case.reply.visited < tree_size(case.position) for case in visits):
            result.uncounted = True
            result.notes.append("Its moves are in another order than the game's, so the visits are not compared.")
    if rule.stop:
        result.notes.append(f"It{STOPS[rule.stop].removeprefix(' and')}, which saves visits and is right, too.")
    if rule.finer:
        result.notes.append("Its values prefer sooner wins, so it cuts less, which is right, too.")
    return rule


async def _memory(result: Grade, answered: list[Case], student: Student) -> str:
    """Ask a search anew that does not visit what it should, or is wrong: what it remembers may be behind that.

    Returns what it says of a memory that makes it wrong. If one only saves visits, these are not judged.
    """
    assignment = result.assignment
    wrong = [case for case in answered if not is_right(assignment, case, by_moves=False)]
    if (
        not answered
        or (not wrong and result.own_order)
        or (not wrong and follows(assignment, assignment.rule, prunable(assignment, answered)))
    ):
        return ""
    small = [case for case in answered if tree_size(case.position) <= SMALL_TREE]
    if not small:
        return ""
    case = wrong[0] if wrong else max(small, key=lambda each: tree_size(each.position))
    await student.close()  # what it remembers ends with its process
    replies = [await student.ask(assignment.game, case.position) for _ in range(2)]
    first, second = (reply.read(student.reading) if isinstance(reply, Reply) else reply for reply in replies)
    if isinstance(first, NoReply) or isinstance(second, NoReply):
        return ""
    remembers = second.visited < first.visited
    if wrong:
        if is_right(assignment, replace(case, reply=first), by_moves=False):
            return REMEMBERS
        return MEMO if remembers else ""
    if remembers:
        result.uncounted = True
        result.notes.append("It remembers what it has found (a memo), so its visits cannot be compared.")
    return ""


def _counts_visits(result: Grade, position: Position) -> bool:
    return not result.uncounted and is_prunable(result.assignment.game, position, result.assignment.rule)


def _count_unanswered(result: Grade, position: Position, reply: NoReply) -> None:
    result.answers.count(False, lambda: Wrong(position, "", reply.message, reply.told))
    result.unasked += reply is NOT_ASKED
    visits = [result.visits] if _counts_visits(result, position) else []
    for tally in (*([] if result.by_moves else [result.value]), result.best, *visits):
        tally.asked += 1
        tally.unanswered += 1


async def _count(result: Grade, case: Case, chooser: _Chooser) -> None:
    assignment, position, reply = result.assignment, case.position, case.reply
    result.answers.count(True, lambda: Wrong(position, "", ""))
    expected = case.value_in(assignment.view)
    if not result.by_moves:
        result.value.count(
            same(reply.value, expected, assignment.rule.values),
            lambda: Wrong(position, f"value {_shown_value(expected, assignment)}", f"{reply.value:g}"),
        )
    if _counts_visits(result, position):
        if not result.own_order:
            result.visits.count(*_visits(assignment, position, reply))
        elif is_compared(reply):
            lines = visited_in_order(assignment.game, position, assignment.rule, orders_of(reply))
            found = set(reply.paths or ()) == lines
            result.visits.count(found, lambda: _difference(position, tuple(lines), reply))
    moves = await chooser.moves(position)
    if moves is None:
        result.best.asked += 1
        result.best.unanswered += 1
        return
    named = "/".join(case.right.best)
    if reply.moves is None:
        derived = f"By its values the best move{'s' * (len(moves) > 1)} would be {'/'.join(moves)}; right is {named}."
        result.best.count(set(moves) == set(case.right.best), lambda: Wrong(position, "", derived))
        return
    if reply.one:
        fits = set(moves) <= set(case.right.best)
        named = f"one of {named}" if len(case.right.best) > 1 else named
    else:
        fits = set(moves) == set(case.right.best)
    result.best.count(fits, lambda: Wrong(position, f"best {named}", "/".join(moves) or "no moves"))


def _visits(assignment: Assignment, position: Position, reply: Reply) -> tuple[bool, Callable[[], Wrong]]:
    """True if the right positions were visited, and the counterexample if not."""
    if assignment.rule.method is Method.MINIMAX and not assignment.rule.stop:
        size = tree_size(position)
        return reply.visited == size, lambda: Wrong(position, f"{size:,} positions", f"{reply.visited:,}")
    lines = visited(assignment.game, position, assignment.rule)
    return reply.digest == digest(lines), lambda: _difference(position, lines, reply)


def _difference(position: Position, lines: Sequence[str], reply: Reply) -> Wrong:
    told = ""
    if reply.paths is not None:
        if extra := sorted(set(reply.paths) - set(lines), key=len):
            told = f"It should not have visited {_reached(extra[0])}."
        elif missing := sorted(set(lines) - set(reply.paths), key=len):
            told = f"It should have visited {_reached(missing[0])}."
    return Wrong(position, f"{len(lines):,} positions", f"{reply.visited:,}", told)


def _reached(line: str) -> str:
    return f"the position after {line}" if line else "this position itself"


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
        self._names_moves = any(isinstance(reply, Reply) and reply.moves is not None for reply in replies.values())

    async def moves(self, position: Position) -> Moves | None:
        """The moves, None if it has no answer where that is needed."""
        if self._names_moves:
            reply = await self._reply(position)
            return reply.moves or () if isinstance(reply, Reply) else None
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
        view = self._assignment.view
        value = {"mover": in_view(reply.value, position, "first"), "first": reply.value, "second": -reply.value}[view]
        if self._assignment.rule.values == "result":
            return float("inf") if value > 0 else -float("inf") if value < 0 else 0.0
        return value

    async def _reply(self, position: Position) -> Reply | NoReply:
        if position not in self._replies:
            reply = await self._student.ask(self._assignment.game, position)
            self._replies[position] = reply.read(self._student.reading) if isinstance(reply, Reply) else reply
        return self._replies[position]


def _is_lost(game: Game, side: Side, at_start: Right) -> bool:
    """True if ``side`` loses against perfect play, however it plays."""
    return at_start.value < 0 if game.start.to_move is side else at_start.value > 0


async def _never_loses(assignment: Assignment, side: Side, chooser: _Chooser) -> Explored:
    """Every line of play against the search. It plays any of the moves that are best for it."""

    async def ask(_: Moves, position: Position) -> Moves:
        moves = await chooser.moves(position)
        legal = tuple(move for move in moves or () if move in position.legal_moves)
        if not legal:
            raise _Unanswered
        return legal

    try:
        return await explore(assignment.game, side, ask, Bounds(seconds=math.inf), check=False)
    except _Unanswered:
        return Explored(side, stopped="time")
