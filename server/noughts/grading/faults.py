"""Typical faults of a search, each imitated: the one that answers like the student's search is named. Pure; no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Literal

from noughts.engine import Method
from noughts.engine.grow import Plan, grow, maximizer_of
from noughts.games import Position, Side
from noughts.grading.cases import results, sign
from noughts.grading.result import VIEWS, Case, View, in_view

MOST_PLIES = 8
"""Fixed depths up to this one are tried."""

Choose = Callable[[Position, Sequence[float]], float]


def _highest(_: Position, values: Sequence[float]) -> float:
    return max(values)


def _lowest(_: Position, values: Sequence[float]) -> float:
    return min(values)


def _first(_: Position, values: Sequence[float]) -> float:
    return values[0]


def _by_side(position: Position, values: Sequence[float]) -> float:
    return max(values) if position.to_move is Side.FIRST else min(values)


def _swapped(position: Position, values: Sequence[float]) -> float:
    return min(values) if position.to_move is Side.FIRST else max(values)


@dataclass(frozen=True)
class Imitated:
    """A search with a fault. ``view``: its values are for the side to move, or always for the first side.

    ``won`` is the value of a game that this side has won, minus ``won`` of one that it has lost, and ``drawn`` that of
    a draw. A child's value is multiplied by ``sign`` before ``choose`` takes one of them. ``plies``: it goes no deeper.
    ``at_the_root`` it may choose in another way. ``if_only_moves`` is the fault if no values are known.
    """

    fault: str
    view: Literal["mover", "first"] = "mover"
    won: float = 1
    drawn: float = 0
    sign: int = -1
    choose: Choose = _highest
    plies: int | None = None
    at_the_root: Choose | None = None
    if_only_moves: str = ""


SIGN = "The values have the wrong sign"
DRAW = "A draw is forgotten: a full board without a line is worth 0, and ends the search."

NOBODY = "the sides do not take turns in the search: after the first moves nobody"

WORST = f"{SIGN}: that of a finished game is wrong, or max and min are swapped, so it plays the worst moves."

for_mover = partial(Imitated, view="mover", sign=-1, choose=_highest)
for_first = partial(Imitated, view="first", sign=1, choose=_by_side)

FAULTS = (
    for_mover(f"{SIGN}: a child's value is for the other side, so it must be negated (negamax).", sign=1),
    for_mover(f"{SIGN}: the side to move has lost a game that is over, so that is -1.", won=-1, if_only_moves=WORST),
    for_mover(f"{SIGN}: the search takes the worst move instead of the best.", choose=_lowest),
    for_first(
        f"{SIGN}: a win counts for the wrong side (swap 1 and -1), or max and min are swapped, so each side takes its "
        "worst move.",
        choose=_swapped,
    ),
    for_first(f"{SIGN}: both sides play for the first side, but one of them must minimize.", choose=_highest),
    for_first(f"{SIGN}: both sides play for the second side, but one of them must maximize.", choose=_lowest),
    for_first(f"{SIGN}: {NOBODY} minimizes.", choose=_highest, at_the_root=_by_side),
    for_first(f"{SIGN}: {NOBODY} maximizes.", choose=_lowest, at_the_root=_by_side),
    for_mover("Only the first move is searched: does the loop return in its first round?", choose=_first),
    for_first("Only the first move is searched: does the loop return in its first round?", choose=_first),
    *(make(DRAW, drawn=value) for make in (for_mover, for_first) for value in (-1, 1)),
)


def imitated_by(cases: Sequence[Case], *, by_moves: bool) -> str | None:
    """The fault that explains all answers, of which there is one or more; None if none of these does."""
    sides = any(case.reply.asked.sides for case in cases)
    for each in _all_faults():
        if sides and each.view == "mover" and each.fault.startswith(SIGN):
            continue  # its words are those of negamax, and those for the first side say the same
        values = _values(each)
        if by_moves or any(case.reply.moves for case in cases):
            if all(_moves_fit(each, values, case) for case in cases) and (by_moves or _fits(each, values, cases)):
                return each.if_only_moves if by_moves and each.if_only_moves else each.fault
        elif _fits(each, values, cases):
            return each.fault
    return None


def _all_faults() -> Iterator[Imitated]:
    yield from FAULTS
    for plies in range(1, MOST_PLIES + 1):
        told = f"{plies} {'ply' if plies == 1 else 'plies'}"
        yield for_mover(
            f"It searches to a fixed depth: it looks {told} ahead, not to the end of the game.", plies=plies
        )


def _values(each: Imitated) -> Callable[[Position, int | None], float]:
    """The value of a position for a search with this fault, in its own view."""

    @cache
    def value(position: Position, plies: int | None) -> float:
        outcome = position.outcome
        if outcome is not None:
            if outcome.winner is None:
                return each.drawn
            if each.view == "mover":
                return each.won if outcome.winner is maximizer_of(position) else -each.won
            return each.won if outcome.winner is Side.FIRST else -each.won
        if plies == 0:
            return 0
        left = None if plies is None else plies - 1
        return each.choose(position, [each.sign * value(position.play(move), left) for move in position.legal_moves])

    return value


def _fits(each: Imitated, value: Callable[[Position, int | None], float], cases: Sequence[Case]) -> bool:
    """True if the values of all cases have the sign of those of the faulty search, in some view."""

    def mine(position: Position, view: View) -> float:
        found = value(position, each.plies)
        if each.at_the_root is not None:
            found = each.at_the_root(position, [value(position.play(move), None) for move in position.legal_moves])
        return in_view(found if each.view == "mover" else in_view(found, position, "first"), position, view)

    return any(all(sign(mine(case.position, view)) == sign(case.reply.value) for case in cases) for view in VIEWS)


def _moves_fit(each: Imitated, value: Callable[[Position, int | None], float], case: Case) -> bool:
    """True if the faulty search could have named these moves."""
    position = case.position
    left = None if each.plies is None else each.plies - 1
    values = {move: each.sign * value(position.play(move), left) for move in position.legal_moves}
    if each.choose is _first:
        return case.reply.moves == position.legal_moves[:1]
    chosen = (each.at_the_root or each.choose)(position, list(values.values()))
    return all(values.get(move) == chosen for move in case.reply.moves or ())


LATER = (
    "It replaces the best move by one of equal value (>= instead of >): after a cut that value may be only a bound, so "
    "the move may be worse."
)


def takes_equal_moves(known: Sequence[Case]) -> bool:
    """True if a search names the last move whose value after pruning is not below the best so far.

    Its values in children that were cut are bounds: their own (fail-soft) or alpha (fail-hard), which makes it the
    last move that is searched.
    """
    cases = [case for case in known if case.reply.one]
    return bool(cases) and any(
        all(case.reply.moves == (chosen(case.position),) for case in cases)
        for chosen in (_last_soft, lambda position: position.legal_moves[-1])
    )


@lru_cache(maxsize=4096)
def _last_soft(position: Position) -> str:
    root = grow(position, Plan(results(position), Method.ALPHA_BETA, keep=1))
    best, chosen = float("-inf"), ""
    for child in root.children:
        if child.value >= best:
            best, chosen = child.value, str(child.move)
    return chosen


@lru_cache(maxsize=100_000)
def can_be_drawn(position: Position) -> bool:
    """True if some line of play from here ends in a draw."""
    outcome = position.outcome
    if outcome is not None:
        return outcome.winner is None
    return any(can_be_drawn(position.play(move)) for move in position.legal_moves)


@lru_cache(maxsize=100_000)
def can_move_again(position: Position) -> bool:
    """True if in some line of play from here a side moves twice in a row."""
    children = [position.play(move) for move in position.legal_moves]
    return any(child.to_move is position.to_move or can_move_again(child) for child in children)


@lru_cache(maxsize=100_000)
def plies_to_the_end(position: Position) -> int:
    """The plies of the longest line of play from here."""
    return 1 + max(map(plies_to_the_end, map(position.play, position.legal_moves))) if position.legal_moves else 0


def plies_to_a_late_win(position: Position) -> int:
    """The plies to the end if the side that wins plays for the latest win, and the other side for the soonest."""
    return abs(_latest(position)) - LATEST


LATEST = 1000
"""More plies than a game has."""


@lru_cache(maxsize=100_000)
def _latest(position: Position) -> int:
    """For the side to move: ``LATEST`` + d for a win in d plies, 0 for a draw."""
    outcome = position.outcome
    if outcome is not None:
        return 0 if outcome.winner is None else LATEST if outcome.winner is maximizer_of(position) else -LATEST
    values = [-_latest(position.play(move)) for move in position.legal_moves]
    best = max(values)
    return best + sign(best)
