"""The conventions that a search follows, by what it answers: how to read it, for whom its values are. Pure; no I/O.

Where a course may do it either way, the search is given the way that fits its answers best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from noughts.engine import Method
from noughts.games import Position
from noughts.grading.cases import Cut, Right, Rule, innocent_rules, is_prunable, tree_size, visited, visited_in_order
from noughts.grading.child import digest
from noughts.grading.readings import READINGS, Reading
from noughts.grading.result import VIEWS, Assignment, View, in_view, same, sign
from noughts.grading.student import NoReply, Reply

MOST_COMPARED = 300
"""Visits: in positions with more, a search with an order of its own is not compared."""


def reading_of(replies: Mapping[Position, Reply | NoReply]) -> Reading:
    """How the replies are to be read: as most of them can be, with moves that are legal."""
    answered = [(one, reply) for one, reply in replies.items() if isinstance(reply, Reply)]

    def fits(reading: Reading) -> tuple[int, int]:
        known = [(one, reply.readings[reading]) for one, reply in answered if reading in reply.readings]
        return sum(set(moves or ()) <= set(one.legal_moves) for one, (_, moves, _) in known), len(known)

    return max(READINGS, key=fits) if answered else "value"


def view_of(assignment: Assignment, known: Iterable[tuple[Position, Right, Reply]]) -> View:
    """For whom the values are: as assigned where the form leaves no choice, else as most of them are right."""
    cases = list(known)
    if not cases or cases[0][2].asked.view == "assigned":
        return assignment.view
    preferred: View = "first" if cases[0][2].asked.view == "first" else assignment.view

    def fits(view: View) -> tuple[int, bool]:
        """How often who wins is right: that says whose values they are, also where their size is wrong."""
        wins = ((reply.value, in_view(sign(is_.value), one, view)) for one, is_, reply in cases)
        return sum(same(got, expected, "result") for got, expected in wins), view == preferred

    return max(VIEWS, key=fits)


def counts_nothing(replies: list[Reply], *, right: bool) -> bool:
    """Whether the visits of a search cannot be counted. ``right``: all its values are.

    It searches a board of its own, made from the position that it is given, or from those after each move. A search
    that never looks at what it is given is not one.
    """
    if not replies or not replies[0].asked.counts:
        return True
    looked = max(reply.visited for reply in replies)
    shallow = all(reply.paths is not None and all(" " not in line for line in reply.paths) for reply in replies)
    return looked == 1 or (looked > 1 and shallow and right)


def rule_of(assignment: Assignment, replies: Iterable[tuple[Position, Reply]]) -> Rule:
    """The rule that a search visits positions by: the assignment's, or the same with a stop at a win if that fits."""
    cases = [(one, reply) for one, reply in replies if is_prunable(assignment.game, one, assignment.rule)]
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
    """Whether its order is known in a position that is small enough."""
    return reply.paths is not None and reply.visited <= MOST_COMPARED


def own_order(cases: Iterable[tuple[Position, Reply]]) -> bool:
    """Whether a search somewhere takes moves in another order than the game's."""
    for position, reply in cases:
        if not is_compared(reply):
            continue
        for line, moves in orders_of(reply).items():
            node = position
            for move in line.split():
                node = node.play(move)
            if moves != [move for move in node.legal_moves if move in moves]:
                return True
    return False


def rule_in_own_order(assignment: Assignment, replies: Iterable[tuple[Position, Reply]]) -> Rule | None:
    """The rule by which a search visits positions in an order of its own, None if there is none.

    It is as good as the assignment's, or cuts by the other comparison.
    """
    cases = [(one, reply, orders_of(reply)) for one, reply in replies if is_compared(reply)]
    cut: Cut = ">" if assignment.rule.cut == ">=" else ">="
    for rule in (*innocent_rules(assignment.rule), *innocent_rules(replace(assignment.rule, cut=cut))):
        if all(
            set(reply.paths or ()) == visited_in_order(assignment.game, one, rule, orders)
            for one, reply, orders in cases
        ):
            return rule
    return None


def follows(assignment: Assignment, rule: Rule, cases: Iterable[tuple[Position, Reply]]) -> bool:
    """Whether a search visits just what one by ``rule`` visits, wherever it has answered."""
    if rule == Rule(Method.MINIMAX, rule.cut, rule.values):
        return all(reply.visited == tree_size(one) for one, reply in cases)
    return all(reply.digest == digest(visited(assignment.game, one, rule)) for one, reply in cases)
