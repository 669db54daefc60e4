"""The likely causes of a search that is wrong: another convention, a sign, another method. Pure; does no I/O."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from noughts.games import Position
from noughts.grading.cases import Values, other_rules
from noughts.grading.conventions import follows
from noughts.grading.faults import (
    DRAW,
    LATER,
    can_be_drawn,
    can_move_again,
    imitated_by,
    plies_to_a_late_win,
    plies_to_the_end,
    takes_equal_moves,
)
from noughts.grading.result import Assignment, Case, Grade, View, same
from noughts.grading.student import NoReply

CHANGED = "It changes the board that it is given: undo each move after searching it, or search a copy."

ENDLESS = "The recursion does not end: does it begin by asking whether the game is over, also on a full board?"

SOONER = "It gives every win the same value, however late it comes: a sooner win must be worth more."

LATER_WIN = "A later win is worth more: the sign of the depth is wrong."

OTHER_SIZE = "It is right about who wins, but gives wins and losses other values than the assignment."

REMEMBERS = (
    "Its answer depends on what it was asked before: a global variable, a default argument or a memo keeps something."
)

MEMO = "It remembers what it found (a memo), but after a cut a value is only a bound, which the memo must know."


def hints_on(
    assignment: Assignment, answered: list[Case], failed: Mapping[Position, NoReply], result: Grade
) -> list[str]:
    """Sentences on what may be behind what is wrong in the ``answered`` positions, and where the search ``failed``."""
    hints = list(_why_unanswered(answered, {one: reply for one, reply in failed.items() if not reply.late}))
    wrong = [case for case in answered if not is_right(assignment, case, by_moves=result.by_moves)]
    changes = any(case.reply.changed for case in answered)
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
    """True if the value of a reply is right, or ``by_moves`` the moves that it names."""
    if by_moves:
        return set(case.reply.moves or ()) <= set(case.right.best)
    return same(case.reply.value, case.value_in(assignment.view), assignment.rule.values)


def _why_unanswered(answered: list[Case], failed: Mapping[Position, NoReply]) -> Iterator[str]:
    if any("RecursionError" in reply.message for reply in failed.values()):
        yield ENDLESS
    elif failed and all(map(can_be_drawn, failed)) and not all(can_be_drawn(case.position) for case in answered):
        yield DRAW


def _why_wrong(assignment: Assignment, answered: list[Case], wrong: list[Case], result: Grade) -> list[str]:
    """The likely causes of wrong values, or of wrong moves of a search that returns no values."""
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
    if not result.by_moves and any(can_move_again(case.position) for case in wrong):
        return [AGAIN.format(game=assignment.game.title)]
    if all(case.right.value == 0 and can_be_drawn(case.position) for case in wrong) and not result.by_moves:
        return [DRAW]
    if lines := _missed_lines(assignment, answered, result):
        return [f"It misses wins in the lines {lines}: does the check of a win look at every line?"]
    pairs = [(case.value_in(assignment.view), case.reply.value) for case in answered]
    if result.by_moves or not mostly_negated(pairs, assignment.rule.values):
        return []
    return [SWAPPED if any(case.reply.asked.sides for case in answered) else NEGATED]


def _how_wins_are_valued(answered: list[Case]) -> str:
    """The fault in the size of values whose sign is right."""
    far: dict[int, set[float]] = {}
    for case in answered:
        if case.right.value:
            far.setdefault(plies_to_a_late_win(case.position), set()).add(abs(case.reply.value))
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
    """True if a value or move that is wrong wins where a win is right, draws where a draw is."""
    if not result.by_moves:
        return same(case.reply.value, case.result_in(assignment.view), "result")
    return set(case.reply.moves or ()) <= set(case.right.same_result)


def _names_later_moves(answered: list[Case]) -> bool:
    """True if it names a single move, which where it is wrong comes after one of the best."""
    if takes_equal_moves(answered):
        return True
    found = [
        (case.position.legal_moves, case.right.best, case.reply.moves[0])
        for case in answered
        if case.reply.one and case.reply.moves
    ]
    return (
        not any(math.isnan(case.reply.value) for case in answered)
        and bool(found)
        and all(
            move in best or (move in legal and legal.index(move) > legal.index(best[0])) for legal, best, move in found
        )
    )


def _fixed_depth(answered: list[Case], wrong: list[Case]) -> int | None:
    """The depth to which it looks at most, if it is wrong only where that does not reach the end. None if that is not
    so."""
    seen = [case.reply.paths for case in answered]
    if any(paths is None for paths in seen):
        return None
    plies = max((len(path.split()) for paths in seen for path in paths or ()), default=0)
    reach = [plies_to_the_end(case.position) for case in answered]
    if plies < 2 or max(reach) <= plies:  # a board of its own looks like one ply
        return None
    return plies if all(plies_to_the_end(case.position) > plies for case in wrong) else None


def _other_view(assignment: Assignment, answered: list[Case]) -> str | None:
    """True if the values are right by another convention, which the assignment could have."""
    if any(case.reply.asked.view != "assigned" for case in answered):
        return None
    other: View = "first" if assignment.view == "mover" else "mover"
    if all(same(case.reply.value, case.value_in(other), assignment.rule.values) for case in answered):
        whose = f"always for {assignment.game.first.name}" if other == "first" else "for the side to move"
        return f"All its values are right if they are {whose}: --view {other}."
    return None


NEGATED = "Most values have the wrong sign: is a child's value negated (negamax), or seen from the side to move?"


AGAIN = "In {game} a side may move again: is a child's value negated only if the other side is to move there?"


SWAPPED = "Most values have the wrong sign: does a win count for the wrong side (swap 1 and -1)?"


def mostly_negated(pairs: list[tuple[float, float]], values: Values) -> bool:
    """True if most wrong values are the right ones negated. A pair is the right value and the one that came."""
    wrong = [(expected, got) for expected, got in pairs if not same(got, expected, values)]
    return sum(expected != 0 and same(got, -expected, values) for expected, got in wrong) * 2 > len(wrong)


def _how_it_visits(assignment: Assignment, answered: list[Case]) -> str | None:
    """The method that its visits look like, if they are those of something else."""
    if all(case.reply.visited == 0 for case in answered):
        return "It never looks at the position that it is given: it does not search."
    for other in other_rules(assignment.rule):
        if follows(assignment, other, answered):
            return f"It visits exactly what {other} visits."
    return None
