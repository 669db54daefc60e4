"""What may be behind a search that is wrong: another convention, a sign, another method. Pure; does no I/O."""

from __future__ import annotations

from noughts.engine import Method
from noughts.grading.cases import Values, other_rules, tree_size, visited
from noughts.grading.child import digest
from noughts.grading.result import Assignment, Case, Grade, View, in_view, same
from noughts.grading.student import Reply


def hints_on(assignment: Assignment, known: list[Case], result: Grade) -> list[str]:
    """Sentences on what may be behind wrong values and visits in the ``known`` cases."""
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

    if all(same(got, in_view(value, one, other), assignment.rule.values) for one, value, got in replies):
        whose = f"always for {name}" if other == "first" else "for the side to move"
        return f"All its values are right if they are {whose}: --view {other}."
    if mostly_negated(
        [(in_view(value, one, assignment.view), got) for one, value, got in replies], assignment.rule.values
    ):
        return "Most values have the wrong sign: is a child's value negated (negamax), or seen from the side to move?"
    return None


def mostly_negated(pairs: list[tuple[float, float]], values: Values) -> bool:
    """Whether most wrong values are the right ones negated. A pair is the right value and the one that came."""
    wrong = [(expected, got) for expected, got in pairs if not same(got, expected, values)]
    return sum(expected != 0 and same(got, -expected, values) for expected, got in wrong) * 2 > len(wrong)


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
