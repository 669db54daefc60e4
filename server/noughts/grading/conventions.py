"""The conventions that a search follows, by what it answers: how to read it, for whom its values are. Pure; no I/O.

Where a course may do it either way, the search is given the way that fits its answers best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from noughts.engine import Method
from noughts.games import Position
from noughts.grading.cases import Cut, Rule, innocent_rules, is_prunable, tree_size, visited, visited_in_order
from noughts.grading.child import digest
from noughts.grading.readings import READINGS, Reading
from noughts.grading.result import VIEWS, Assignment, Case, View, same
from noughts.grading.student import NoReply, Reply

MOST_COMPARED = 300
"""Visits: in positions with more, a search with an order of its own is not compared."""


def reading_of(replies: Mapping[Position, Reply | NoReply]) -> Reading:
    """The reading of the replies: as most of them can be, with moves that are legal."""
    answered = [(one, reply) for one, reply in replies.items() if isinstance(reply, Reply)]

    def fits(reading: Reading) -> tuple[int, int]:
        known = [(one, reply.readings[reading]) for one, reply in answered if reading in reply.readings]
        return sum(set(moves or ()) <= set(one.legal_moves) for one, (_, moves, _) in known), len(known)

    return max(READINGS, key=fits) if answered else "value"


def view_of(assignment: Assignment, cases: Sequence[Case]) -> View:
    """For whom the values are: as assigned where the form leaves no choice, else as most of them are right."""
    if not cases or cases[0].reply.asked.view == "assigned":
        return assignment.view
    preferred: View = "first" if cases[0].reply.asked.view == "first" else assignment.view

    def fits(view: View) -> tuple[int, bool]:
        """The share of positions in which the winner is right: that says whose values they are, also where their size
        is wrong."""
        return sum(same(case.reply.value, case.result_in(view), "result") for case in cases), view == preferred

    return max(VIEWS, key=fits)


def counts_nothing(cases: Sequence[Case], *, right: bool) -> bool:
    """True if the visits of a search cannot be counted. ``right``: all its values are.

    It searches a board of its own, made from the position that it is given, or from those after each move. A search
    that never looks at what it is given is not one.
    """
    replies = [case.reply for case in cases]
    if not replies or not replies[0].asked.counts:
        return True
    looked = max(reply.visited for reply in replies)
    shallow = all(reply.paths is not None and all(" " not in line for line in reply.paths) for reply in replies)
    return looked == 1 or (looked > 1 and shallow and right)


def prunable(assignment: Assignment, cases: Sequence[Case]) -> list[Case]:
    """Those in which a search by the assignment's rule cuts something."""
    return [case for case in cases if is_prunable(assignment.game, case.position, assignment.rule)]


def rule_of(assignment: Assignment, cases: Sequence[Case]) -> Rule:
    """The rule that a search visits positions by: the assignment's, or the same with a stop at a win if that fits."""
    cases = prunable(assignment, cases)
    rules = innocent_rules(assignment.rule)
    return next((rule for rule in rules if follows(assignment, rule, cases)), assignment.rule)


def orders_of(reply: Reply) -> dict[str, list[str]]:
    """The order in which a search took the moves at each node, by the line to it."""
    orders: dict[str, list[str]] = {}
    for line in reply.paths or ():
        if line:
            before, _, move = line.rpartition(" ")
            orders.setdefault(before, []).append(move)
    return orders


def is_compared(reply: Reply) -> bool:
    """True if its order is known in a position that is small enough."""
    return reply.paths is not None and reply.visited <= MOST_COMPARED


def own_order(cases: Sequence[Case]) -> bool:
    """True if a search somewhere takes moves in another order than the game's."""
    for case in cases:
        if not is_compared(case.reply):
            continue
        for line, moves in orders_of(case.reply).items():
            node = case.position
            for move in line.split():
                node = node.play(move)
            if moves != [move for move in node.legal_moves if move in moves]:
                return True
    return False


def rule_in_own_order(assignment: Assignment, cases: Sequence[Case]) -> Rule | None:
    """The rule by which a search visits positions in an order of its own, None if there is none.

    It is as good as the assignment's, or cuts by the other comparison.
    """
    compared = [(case, orders_of(case.reply)) for case in cases if is_compared(case.reply)]
    cut: Cut = ">" if assignment.rule.cut == ">=" else ">="
    for rule in (*innocent_rules(assignment.rule), *innocent_rules(replace(assignment.rule, cut=cut))):
        if all(
            set(case.reply.paths or ()) == visited_in_order(assignment.game, case.position, rule, orders)
            for case, orders in compared
        ):
            return rule
    return None


def follows(assignment: Assignment, rule: Rule, cases: Sequence[Case]) -> bool:
    """True if a search visits just what one by ``rule`` visits, wherever it has answered."""
    if rule == Rule(Method.MINIMAX, rule.cut, rule.values):
        return all(case.reply.visited == tree_size(case.position) for case in cases)
    return all(case.reply.digest == digest(visited(assignment.game, case.position, rule)) for case in cases)
