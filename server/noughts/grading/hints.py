"""What may be behind a search that is wrong: another convention, a sign, another method. Pure; does no I/O."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from noughts.grading.cases import Values, other_rules
from noughts.grading.conventions import follows
from noughts.grading.faults import (
    DRAW,
    LATER,
    can_be_drawn,
    imitated_by,
    plies_to_a_late_win,
    plies_to_the_end,
    takes_equal_moves,
)
from noughts.grading.result import Assignment, Case, Grade, View, in_view, same, sign
from noughts.grading.student import NoReply, Reply

CHANGED = "It changes the board that it is given: undo each move after searching it, or search a copy."

ENDLESS = "The recursion does not end: does it begin by asking whether the game is over, also on a full board?"

SOONER = "It gives every win the same value, however late it comes: a sooner win must be worth more."

LATER_WIN = "A later win is worth more: the sign of the depth is wrong."

OTHER_SIZE = "It is right about who wins, but gives wins and losses other values than the assignment."

REMEMBERS = (
    "Its answer depends on what it was asked before: a global variable, a default argument or a memo keeps something."
)

MEMO = "It remembers what it found (a memo), but after a cut a value is only a bound, which the memo must know."


def hints_on(assignment: Assignment, known: list[Case], result: Grade) -> list[str]:
    """Sentences on what may be behind what is wrong in the ``known`` cases."""
    answered = [case for case in known if isinstance(case.reply, Reply)]
    hints = list(_why_unanswered(known))
    wrong = [case for case in answered if not is_right(assignment, case, by_moves=result.by_moves)]
    changes = any(case.reply.changed for case in answered if isinstance(case.reply, Reply))
    if changes and (wrong or result.answers.right < result.answers.asked):
        hints.append(CHANGED)
    if not answered:
        return hints
    if wrong:
        hints += [] if changes else _why_wrong(assignment, answered, wrong, result)
    elif result.best.right + result.best.unanswered < result.best.asked and not result.by_moves:
        hints += [LATER] if _names_later_moves(answered) else []
    if result.visits.right < result.visits.asked and (how := _how_it_visits(assignment, answered)):
        hints.append(how)
    return list(dict.fromkeys(hints))


def is_right(assignment: Assignment, case: Case, *, by_moves: bool) -> bool:
    """Whether the value of a reply is right, or ``by_moves`` the moves that it names."""
    reply = case.reply
    assert isinstance(reply, Reply)
    if by_moves:
        return set(reply.moves or ()) <= set(case.right.best)
    return same(reply.value, in_view(case.right.value, case.position, assignment.view), assignment.rule.values)


def _why_unanswered(known: list[Case]) -> Iterator[str]:
    failed = [case for case in known if isinstance(case.reply, NoReply) and not case.reply.late]
    messages = [case.reply.message for case in failed if isinstance(case.reply, NoReply)]
    if any("RecursionError" in each for each in messages):
        yield ENDLESS
    elif (
        failed
        and all(can_be_drawn(case.position) for case in failed)
        and any(not can_be_drawn(case.position) for case in known if isinstance(case.reply, Reply))
    ):
        yield DRAW


def _why_wrong(assignment: Assignment, answered: list[Case], wrong: list[Case], result: Grade) -> list[str]:
    """What may be behind wrong values, or behind wrong moves of a search that returns no values."""
    if not result.by_moves and (view := _other_view(assignment, answered)):
        return [view]
    if assignment.rule.values == "depth" and all(_keeps_the_result(assignment, case, result) for case in wrong):
        return [SOONER if result.by_moves else _how_wins_are_valued(answered)]
    if result.by_moves and _names_later_moves(answered):
        return [LATER]
    if fault := imitated_by(answered, by_moves=result.by_moves):
        return [fault]
    if plies := _fixed_depth(answered, wrong):
        return [f"It searches to a fixed depth: at most {plies} plies ahead, not to the end."]
    if result.memory:
        return [result.memory]
    if all(case.right.value == 0 and can_be_drawn(case.position) for case in wrong) and not result.by_moves:
        return [DRAW]
    if lines := _missed_lines(assignment, answered, result):
        return [f"It misses wins in the lines {lines}: does the check of a win look at every line?"]
    pairs = [
        (in_view(case.right.value, case.position, assignment.view), case.reply.value)
        for case in answered
        if isinstance(case.reply, Reply)
    ]
    if result.by_moves or not mostly_negated(pairs, assignment.rule.values):
        return []
    return [SWAPPED if any(case.reply.asked.sides for case in answered if isinstance(case.reply, Reply)) else NEGATED]


def _how_wins_are_valued(answered: list[Case]) -> str:
    """What is wrong with the size of values whose sign is right."""
    far: dict[int, set[float]] = {}
    for case in answered:
        if case.right.value and isinstance(case.reply, Reply):
            delayed = plies_to_a_late_win(case.position)
            far.setdefault(delayed, set()).add(abs(case.reply.value))
    if len({size for sizes in far.values() for size in sizes}) == 1:
        return SOONER
    by_delay = [sizes for _, sizes in sorted(far.items())]
    later = len(by_delay) > 1 and all(max(sooner) < min(later) for sooner, later in pairwise(by_delay))
    return LATER_WIN if later else OTHER_SIZE


def _missed_lines(assignment: Assignment, answered: list[Case], result: Grade) -> str:
    """The lines in which wins at once are often missed, if they hardly are in the others. Empty if not."""
    seen: Counter[tuple[str, ...]] = Counter()
    missed: Counter[tuple[str, ...]] = Counter()
    for case in answered:
        ends = [case.position.play(move).outcome for move in case.position.legal_moves]
        lines = {end.cells for end in ends if end is not None and end.winner is case.position.to_move}
        if len(lines) == 1:
            (line,) = lines
            seen[line] += 1
            missed[line] += not is_right(assignment, case, by_moves=result.by_moves)
    single = [line for line in seen if len(line) == min(map(len, seen))]  # a move may complete two
    found = [line for line in single if missed[line] * 4 >= seen[line]]
    others = [line for line in single if line not in found]
    if not found or len(found) > len(others) or any(missed[line] * 10 > seen[line] for line in others):
        return ""
    return ", ".join(" ".join(line) for line in sorted(found))


def _keeps_the_result(assignment: Assignment, case: Case, result: Grade) -> bool:
    """Whether a value or move that is wrong wins where a win is right, draws where a draw is."""
    assert isinstance(case.reply, Reply)
    if not result.by_moves:
        return same(case.reply.value, in_view(sign(case.right.value), case.position, assignment.view), "result")
    return set(case.reply.moves or ()) <= set(case.right.same_result)


def _names_later_moves(answered: list[Case]) -> bool:
    """Whether it names a single move, which where it is wrong comes after one of the best."""
    if takes_equal_moves(answered):
        return True
    found = [
        (case.position.legal_moves, case.right.best, case.reply.moves[0])
        for case in answered
        if isinstance(case.reply, Reply) and case.reply.one and case.reply.moves
    ]
    values_right = all(isinstance(case.reply, Reply) and not math.isnan(case.reply.value) for case in answered)
    return (
        values_right
        and bool(found)
        and all(
            move in best or (move in legal and legal.index(move) > legal.index(best[0])) for legal, best, move in found
        )
    )


def _fixed_depth(answered: list[Case], wrong: list[Case]) -> int | None:
    """How far it looks at most, if it is wrong only where that does not reach the end. None if that is not so."""
    seen = [case.reply.paths for case in answered if isinstance(case.reply, Reply)]
    if any(paths is None for paths in seen):
        return None
    plies = max((len(path.split()) for paths in seen for path in paths or ()), default=0)
    reach = [plies_to_the_end(case.position) for case in answered]
    if plies < 2 or max(reach) <= plies:  # a board of its own looks like one ply
        return None
    return plies if all(plies_to_the_end(case.position) > plies for case in wrong) else None


def _other_view(assignment: Assignment, answered: list[Case]) -> str | None:
    """Whether the values are right by another convention, which the assignment could have."""
    if any(isinstance(case.reply, Reply) and case.reply.asked.view != "assigned" for case in answered):
        return None
    other: View = "first" if assignment.view == "mover" else "mover"
    replies = [
        (case.position, case.right.value, case.reply.value) for case in answered if isinstance(case.reply, Reply)
    ]
    name = assignment.game.first.name

    if all(same(got, in_view(value, one, other), assignment.rule.values) for one, value, got in replies):
        whose = f"always for {name}" if other == "first" else "for the side to move"
        return f"All its values are right if they are {whose}: --view {other}."
    return None


NEGATED = "Most values have the wrong sign: is a child's value negated (negamax), or seen from the side to move?"


SWAPPED = "Most values have the wrong sign: does a win count for the wrong side (swap 1 and -1)?"


def mostly_negated(pairs: list[tuple[float, float]], values: Values) -> bool:
    """Whether most wrong values are the right ones negated. A pair is the right value and the one that came."""
    wrong = [(expected, got) for expected, got in pairs if not same(got, expected, values)]
    return sum(expected != 0 and same(got, -expected, values) for expected, got in wrong) * 2 > len(wrong)


def _how_it_visits(assignment: Assignment, answered: list[Case]) -> str | None:
    """What its visits look like, if they are those of something else."""
    replies = [(case.position, case.reply) for case in answered if isinstance(case.reply, Reply)]
    if all(reply.visited == 0 for _, reply in replies):
        return "It never looks at the position that it is given: it does not search."
    for other in other_rules(assignment.rule):
        if follows(assignment, other, replies):
            return f"It visits exactly what {other} visits."
    return None
