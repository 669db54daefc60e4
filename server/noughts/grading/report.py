"""A grade as text, and as Gradescope's ``results.json``. Pure; does no I/O.

The format of the latter is that of Gradescope's autograder specifications,
https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from noughts.columns import table
from noughts.explain.drawing import counted, side_name
from noughts.games import Game
from noughts.games.board import board, faces
from noughts.grading.faults import DRAW
from noughts.grading.hints import CHANGED, ENDLESS
from noughts.grading.result import Grade, Tally, Wrong
from noughts_client.failure import Failure

POINTS = {"value": 30, "best moves": 20, "positions visited": 30, "never loses": 20}
"""The points for each test. The last is all or nothing for each side, the others in proportion."""

UNCOUNTED_POINTS = {"value": 40, "best moves": 30, "never loses": 30}
"""The same if the visited positions cannot be counted."""

MOVES_POINTS = {"best moves": 50, "never loses": 50}
"""The same of a search that returns moves alone."""


@dataclass(frozen=True, slots=True)
class Test:
    """One line of the grade: its points of ``most``, and what was wrong, in lines."""

    name: str
    share: float
    summary: str
    most: int
    details: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The points that it gets, in tenths: all of them only if all is right."""
        tenths = round(self.most * self.share * 10)
        return (tenths if self.passed else min(tenths, self.most * 10 - 1)) / 10

    @property
    def passed(self) -> bool:
        """True if all is right."""
        return self.share == 1


@dataclass(frozen=True, slots=True)
class Report:
    """A grade as it is said: its tests, everything ``told`` in words, why not all is right, and ``results.json``."""

    tests: list[Test]
    told: str
    reason: str
    results: dict[str, Any]


def report(name: str, grade: Grade) -> Report:
    """A grade as text, and as Gradescope's ``results.json``."""
    return Report(tests_of(grade), in_words(name, grade), first_reason(grade), gradescope(grade))


def tests_of(grade: Grade) -> list[Test]:
    """The tests of a grade, in the order of :data:`POINTS`."""
    game = grade.assignment.game
    worth = MOVES_POINTS if grade.by_moves else UNCOUNTED_POINTS if grade.uncounted else POINTS
    found = [
        Test(
            name,
            0 if grade.broken else tally.share,
            f"{tally.right} of {tally.asked}",
            worth[name],
            _details(game, tally),
        )
        for name, tally in _tallies(grade).items()
        if tally.asked
    ]
    if grade.lines:
        kept = [each for each in grade.lines if each.proved]
        summary = " and ".join(
            f"{'proved' if each.proved else 'loses' if each.loss else 'not known'} as {game.style(each.side).name}"
            for each in grade.lines
        )
        losses = tuple(
            f"As {game.style(each.side).name} it loses after {' '.join(each.loss)}."
            for each in grade.lines
            if each.loss
        )
        share = 0 if grade.broken else len(kept) / len(grade.lines)
        found.append(Test("never loses", share, summary, worth["never loses"], losses))
    return found


def _tallies(grade: Grade) -> dict[str, Tally]:
    return {"value": grade.value, "best moves": grade.best, "positions visited": grade.visits}


def _details(game: Game, tally: Tally) -> tuple[str, ...]:
    """The counterexample, and in how many positions there was nothing to compare."""
    lines = _wrong(game, tally)
    if tally.unanswered:
        lines = (*lines, f"Not compared in {counted(tally.unanswered, 'position', 'positions')}: the function failed.")
    return lines


BROKEN = "It fails at the start of the game, so it cannot play: no points."


def _failed(grade: Grade) -> tuple[str, ...]:
    """The reason why there was no answer, empty if there always was one."""
    return (*_wrong(grade.assignment.game, grade.answers), *([BROKEN] if grade.broken else []))


def _wrong(game: Game, tally: Tally) -> tuple[str, ...]:
    return () if tally.wrong is None else tuple(wrong_lines(game, tally.wrong))


def wrong_lines(game: Game, wrong: Wrong) -> list[str]:
    """A counterexample: the position, what was expected and what came."""
    position = wrong.position
    who = "" if position.to_move is None else f", {side_name(game, position.to_move)} to move"
    lines = [f"For example in {position.text}{who}:"]
    lines += [f"  {line}".rstrip() for line in board(game, faces(game, position))]
    lines.append(f"Expected {wrong.expected}; got {wrong.got}." if wrong.expected else wrong.got)
    lines += wrong.told.splitlines()
    return lines


def in_words(name: str, grade: Grade) -> str:
    """Lines on what is right and what is wrong."""
    assignment = grade.assignment
    tests = tests_of(grade)
    positions = counted(grade.answers.asked, "position", "positions")
    which = "all of them, up to symmetry" if grade.complete else "a sample"
    function = (grade.form or assignment.function).partition("(")[0]
    lines = [
        f"{name}: {function} at {assignment.game.title}, in {positions} ({which})",
        _graded_as(grade),
        f"Expected: {_expected(grade)}.",
        *grade.notes,
        "",
    ]
    lines += table(
        ("right" if test.passed else "WRONG", test.name, f"{test.summary}  ({test.points:g} of {test.most} points)")
        for test in tests
    )
    answers = _failed(grade)
    if answers:
        lines += ["", _unanswered(grade), *answers]
    for test in tests:
        if test.details:
            lines += ["", f"{test.name.capitalize()}:", *(f"  {line}".rstrip() for line in test.details)]
    lines += ["", *grade.hints] if grade.hints else []
    lines += ["", f"Time: {grade.seconds:.2f} s, with the counting of positions; ours: {grade.ours:.2f} s."]
    lines += [f"Points: {points_of(tests):g} of {sum(test.most for test in tests)}"]
    return "\n".join(lines)


def _unanswered(grade: Grade) -> str:
    failed = grade.answers.asked - grade.answers.right - grade.unasked
    others = f", so it was not asked in {grade.unasked:,} more" if grade.unasked else ""
    return f"No answer in {counted(failed, 'position', 'positions')}{others}."


def first_reason(grade: Grade) -> str:
    """The reason why not all is right, in a line: no answer, what may be behind it, or a counterexample. Empty if all
    is right."""
    if grade.answers.wrong is not None and grade.hints and grade.hints[0] in (CHANGED, ENDLESS, DRAW):
        return grade.hints[0]
    if grade.answers.wrong is not None:
        return grade.answers.wrong.got
    if grade.hints:
        return grade.hints[0]
    failed = next((test for test in tests_of(grade) if not test.passed), None)
    if failed is None:
        return next(iter(grade.notes), "")
    wrong = _tallies(grade)[failed.name].wrong if failed.name in _tallies(grade) else None
    if wrong is None:
        return f"{failed.name}: {failed.details[0] if failed.details else failed.summary}"
    what = f"expected {wrong.expected}; got {wrong.got}" if wrong.expected else wrong.got.removesuffix(".")
    return f"{failed.name}: {what}, in {wrong.position.text}"


def _graded_as(grade: Grade) -> str:
    """The form that was recognised, and its arguments."""
    return f"Graded as {'; '.join([grade.form or grade.assignment.function, *grade.told])}."


def _expected(grade: Grade) -> str:
    if grade.by_moves:
        return "the best moves"
    game = grade.assignment.game
    names = {"mover": "the side to move", "first": game.first.name, "second": game.second.name}
    values = f"values for {names[grade.assignment.view]}"
    return values if grade.uncounted else f"{grade.assignment.rule}; {values}"


def points_of(tests: Sequence[Test]) -> float:
    """The points of all tests."""
    return round(sum(test.points for test in tests), 1)


def gradescope(grade: Grade) -> dict[str, Any]:
    """The object of ``results.json``."""
    tests = tests_of(grade)
    answers = _failed(grade)
    return {
        "score": points_of(tests),
        "execution_time": round(grade.seconds, 3),
        "output": "\n".join(
            [*([_graded_as(grade)] if grade.told or grade.uncounted else []), *answers, *grade.notes, *grade.hints]
        ),
        "output_format": "text",
        "visibility": "visible",
        "tests": [gradescope_test(test) for test in tests],
    }


def gradescope_test(test: Test) -> dict[str, Any]:
    """A test as an object of ``results.json``."""
    return {
        "name": test.name,
        "score": test.points,
        "max_score": test.most,
        "status": "passed" if test.passed else "failed",
        "output": "\n".join([test.summary, *test.details]),
        "output_format": "text",
        "visibility": "visible",
    }


def failed_in_words(name: str, failure: Failure) -> str:
    """The reason why a file could not be graded at all."""
    told = (failure.traceback or failure.stderr).rstrip()
    return "\n".join([f"{name}: {failure.message}", *(f"  {line}" for line in told.splitlines())])


def failed_gradescope(name: str, failure: Failure, points: Mapping[str, int]) -> dict[str, Any]:
    """The object of ``results.json`` for a file that could not be graded: no points."""
    output = failed_in_words(name, failure)
    tests = [gradescope_test(Test(test, 0, failure.message, most)) for test, most in points.items()]
    return {"score": 0, "output": output, "output_format": "text", "visibility": "visible", "tests": tests}
