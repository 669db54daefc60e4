"""``noughts grade --function mcts``: a student's Monte-Carlo tree search, by its statistics over seeds.

What it chooses is compared with what is proved. In some positions random play alone prefers a move that is not best,
with moves that win at once or without: only a tree that grows finds the best one there. Correct searches of exploration
0.5 to 2, that choose by visits or by the mean, with or without decisive moves, reach the bounds; tests hold wrong ones
against them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from noughts.columns import table
from noughts.engine import usable_engine_of
from noughts.explain.drawing import counted
from noughts.explain.position import BadRequest
from noughts.games import Game, Position, Side
from noughts.grading.cases import cases, right
from noughts.grading.report import Report, Test, gradescope_test, points_of, wrong_lines
from noughts.grading.result import Tally, Wrong
from noughts.grading.student import NoReply, Sample, Student

SEEDS = 10
"""The seeds with which a search is asked in each position."""

MOST = 8
"""Positions of each kind."""

ITERATIONS = {"best moves": 1000, "needs a tree": 5000}
"""For the two kinds of positions."""

BOUNDS = {"visits": 1.0, "best moves": 0.95, "needs a tree": 0.85}
"""The share of the runs that must be right for all points of a test. Fewer get points in proportion."""

POINTS = {"visits": 20, "best moves": 40, "needs a tree": 40}

FEWEST_MOVES = 4
"""Positions with fewer are found by chance too often."""

CLEAR = 0.02
"""The difference of means, from 0 to 1, by which random play must prefer a move."""

FEW = 3
"""A search that explores gives each move at least so many of 5,000 playouts."""


@dataclass(frozen=True, slots=True)
class SampledAssignment:
    """The task of a search by playouts. The positions are the same for the same ``seed``."""

    game: Game
    seed: int = 1
    most: int = 100


@dataclass(frozen=True, slots=True)
class Setting:
    """A position, its best moves, and the moves that random play to the end prefers."""

    position: Position
    best: tuple[str, ...]
    liked: tuple[str, ...]
    kind: str


@dataclass(slots=True)
class SampledGrade:
    """The marks of a search by playouts: of all runs, how many had right visits, and best moves in positions of each
    kind. Of the runs in positions that need a tree, ``starved`` had a move with almost no playouts, and in ``liked`` it
    chose as random play does, which is wrong there.
    """

    assignment: SampledAssignment
    tallies: dict[str, Tally] = field(default_factory=dict)
    starved: int = 0
    liked: int = 0
    failed: Wrong | None = None
    seconds: float = 0


def settings_of(assignment: SampledAssignment) -> list[Setting]:
    """The positions in which a search is asked. Raises BadRequest if there are none."""
    game = assignment.game
    engine, _ = usable_engine_of(game)
    found: dict[str, list[tuple[float, Setting]]] = {kind: [] for kind in ITERATIONS}
    for position in cases(game, assignment.most, assignment.seed).positions:
        moves = position.legal_moves
        best = () if len(moves) < FEWEST_MOVES else right(engine, position, "result").best
        if not 0 < len(best) < len(moves):
            continue
        means = [_means(position, decisive=decisive) for decisive in (False, True)]
        trap = max(_preference(each, best) for each in means)
        liked = tuple({move for each in means for move, mean in each.items() if mean == max(each.values())})
        kind = "needs a tree" if trap > CLEAR else "best moves" if trap < -CLEAR else ""
        if kind:
            found[kind].append((trap, Setting(position, best, liked, kind)))
    if not found["best moves"]:
        raise BadRequest(f"no position of {game.title} was found in which playouts can be judged")
    rng = random.Random(assignment.seed)
    easy = rng.sample(found["best moves"], min(MOST, len(found["best moves"])))
    traps = sorted(found["needs a tree"], key=lambda each: -each[0])[:MOST]
    return [setting for _, setting in (*easy, *traps)]


def _means(position: Position, *, decisive: bool) -> dict[str, float]:
    return {move: _mean(position.play(move), position.to_move, decisive) for move in position.legal_moves}


def _preference(means: Mapping[str, float], best: Sequence[str]) -> float:
    """By how much random play prefers a move that is not one of the best."""
    return max(mean for move, mean in means.items() if move not in best) - max(means[move] for move in best)


@cache
def _mean(position: Position, side: Side | None, decisive: bool = False) -> float:
    """The expected result of random play, from 0 to 1 for ``side``; if ``decisive``, wins are taken at once."""
    outcome = position.outcome
    if outcome is not None:
        return 0.5 if outcome.winner is None else float(outcome.winner is side)
    after = [position.play(move) for move in position.legal_moves]
    if decisive and any(one.outcome is not None and one.outcome.winner is position.to_move for one in after):
        return float(position.to_move is side)
    return sum(_mean(one, side, decisive) for one in after) / len(after)


async def grade_playouts(student: Student, assignment: SampledAssignment) -> SampledGrade:
    """Grade a student's search, which has started. Raises BadRequest if there is no position to grade it in."""
    settings = settings_of(assignment)
    grade = SampledGrade(assignment, {name: Tally() for name in BOUNDS})
    for setting in settings:
        for seed in range(SEEDS):
            iterations = ITERATIONS[setting.kind]
            sample = await student.sample(assignment.game, setting.position, iterations, seed)
            if isinstance(sample, NoReply):
                _count_failed(grade, setting, sample)
            else:
                _count(grade, setting, sample, iterations)
    return grade


def _count_failed(grade: SampledGrade, setting: Setting, reply: NoReply) -> None:
    grade.seconds += reply.seconds
    grade.failed = grade.failed or Wrong(setting.position, "", reply.message, reply.told)
    for name in ("visits", setting.kind):
        grade.tallies[name].asked += 1
        grade.tallies[name].unanswered += 1


def _count(grade: SampledGrade, setting: Setting, sample: Sample, iterations: int) -> None:
    position, visits = setting.position, sample.visits
    grade.seconds += sample.seconds
    total = sum(visits.values())
    strange = [move for move in visits if move not in position.legal_moves]
    # Some count the first playout for the root alone.
    fits = not strange and min(visits.values()) >= 0 and iterations - 1 <= total <= iterations
    got = f"{strange[0]}, which is not a move" if strange else f"{total:,}"
    grade.tallies["visits"].count(fits, lambda: Wrong(position, f"visits that sum to {iterations:,}", got))
    named = "/".join(setting.best)
    grade.tallies[setting.kind].count(
        sample.move in setting.best, lambda: Wrong(position, f"best {named}", f"{sample.move} after {iterations:,}")
    )
    grade.starved += setting.kind == "needs a tree" and any(visits.get(move, 0) < FEW for move in position.legal_moves)
    grade.liked += setting.kind == "needs a tree" and sample.move in setting.liked and sample.move not in setting.best


def hints_on(grade: SampledGrade) -> Iterator[str]:
    """Sentences on what may be behind what is wrong."""
    easy, trap = grade.tallies["best moves"], grade.tallies["needs a tree"]
    if easy.asked and easy.share < 0.25:
        yield "It plays the wrong moves where all is simple: in backing up, is a result for who moved to the node?"
    elif trap.share >= BOUNDS["needs a tree"]:
        return
    elif grade.starved > trap.asked / 2:
        yield f"In most runs a move had fewer than {FEW} playouts of 5,000: does it explore?"
    elif grade.liked > 0.75 * (trap.asked - trap.right) and easy.share >= BOUNDS["best moves"]:
        yield "It chooses as random play does: does its tree grow below the first moves?"
    else:
        yield "More playouts do not find the best moves: does it select for the side to move at each node?"


def tests_of(grade: SampledGrade) -> list[Test]:
    """The tests of a grade, in the order of :data:`POINTS`."""
    game = grade.assignment.game
    found = []
    for name, tally in grade.tallies.items():
        if not tally.asked:
            continue
        bound = BOUNDS[name]
        summary = f"{tally.right} of {tally.asked}, at least {bound:.0%} wanted"
        details = tuple(wrong_lines(game, tally.wrong)) if tally.wrong is not None and tally.share < bound else ()
        found.append(Test(name, min(1.0, tally.share / bound), summary, POINTS[name], details))
    return found


def report(name: str, grade: SampledGrade) -> Report:
    """A grade as text, and as Gradescope's ``results.json``."""
    tests = tests_of(grade)
    hints = list(hints_on(grade)) if not all(test.passed for test in tests) and grade.failed is None else []
    failed = [] if grade.failed is None else wrong_lines(grade.assignment.game, grade.failed)
    positions = counted(sum(tally.asked for tally in grade.tallies.values()) // (2 * SEEDS), "position", "positions")
    told = [f"{name}: mcts at {grade.assignment.game.title}, in {positions} with {SEEDS} seeds each", ""]
    told += table(
        ("right" if test.passed else "WRONG", test.name, f"{test.summary}  ({test.points:g} of {test.most} points)")
        for test in tests
    )
    told += ["", *failed] if failed else []
    for test in tests:
        if test.details:
            told += ["", f"{test.name.capitalize()}:", *(f"  {line}".rstrip() for line in test.details)]
    told += ["", *hints] if hints else []
    told += ["", f"Time: {grade.seconds:.2f} s.", f"Points: {points_of(tests):g} of {sum(each.most for each in tests)}"]
    wrong = next((test for test in tests if not test.passed), None)
    reason = (
        grade.failed.got if grade.failed else hints[0] if hints else f"{wrong.name}: {wrong.summary}" if wrong else ""
    )
    results: dict[str, Any] = {
        "score": points_of(tests),
        "execution_time": round(grade.seconds, 3),
        "output": "\n".join([*failed, *hints]),
        "output_format": "text",
        "visibility": "visible",
        "tests": [gradescope_test(test) for test in tests],
    }
    return Report(tests, "\n".join(told), reason, results)
