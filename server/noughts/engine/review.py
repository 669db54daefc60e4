"""Reviews of finished games: what each move kept or threw away, and which mistake decided the game. Pure; does no I/O.

A mark is a proof or says that it is none. A win or a draw is thrown away only where the values prove it. Estimates can
at most make a move a probable mistake: by :data:`SWING` of the expected result, in which a win is 1 and a draw 1/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from noughts.engine.analysis import Analysis, Bound, MoveValue
from noughts.engine.levels import expected_result
from noughts.games import Game, Side

SWING = 0.1
"""The part of the expected result that a move must lose by estimates to be a probable mistake: what lichess calls one,
where a loss counts from 0 to 1 instead of -1 to 1."""


class Mark(StrEnum):
    """The mark of a move. All but the last two are proved."""

    KEPT = "kept"
    FASTER_WIN_MISSED = "faster_win_missed"
    LARGER_WIN_MISSED = "larger_win_missed"
    WIN_THROWN_AWAY = "win_thrown_away"
    DRAW_THROWN_AWAY = "draw_thrown_away"
    PROBABLE_MISTAKE = "probable_mistake"
    NO_MISTAKE_SEEN = "no_mistake_seen"


MISTAKES = (Mark.WIN_THROWN_AWAY, Mark.DRAW_THROWN_AWAY, Mark.PROBABLE_MISTAKE)
"""The marks of moves that may have decided a game."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """The knowledge of a side's result: it is proved to be at least ``low`` and at most ``high``.

    1 is a win, 0 a draw, -1 a loss. ``expected`` is from 0 for a loss to 1 for a win, None without an estimate.
    """

    low: int = -1
    high: int = 1
    expected: float | None = None

    @property
    def proved(self) -> bool:
        """True if the result is known."""
        return self.low == self.high

    def other(self) -> Prospect:
        """The same for the other side."""
        return Prospect(-self.high, -self.low, None if self.expected is None else 1 - self.expected)

    def meet(self, other: Prospect) -> Prospect:
        """The knowledge of both together; ``other`` has the better estimate."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return _prospect(low, high, self.expected if other.expected is None else other.expected)


UNKNOWN = Prospect()
CLAIM = Prospect(0, 0, 0.5)
"""The prospect of a side that claims a draw by the rules of the game."""


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that is over: its ``moves``, the side that played each, and who has won, None for nobody.

    ``to_move`` is the side to move in the last position, None if the board has ended the game. ``resigned`` is the side
    that gave the game up, None if nobody did.
    """

    game: Game
    moves: tuple[str, ...]
    sides: tuple[Side, ...]
    to_move: Side | None
    winner: Side | None
    resigned: Side | None = None


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of a game and its mark.

    ``side`` played it at ``ply``. ``before`` is what the side could get at best, ``after`` what the move left it.
    ``played`` is the move's value by the search before it. ``better`` is a better move, with its value, where the mark
    says that there was one: it is proved to be better, unless the mark is only probable. None also if that there was
    one is proved, but not which.
    """

    ply: int
    side: Side
    move: str
    mark: Mark
    before: Prospect
    after: Prospect
    played: MoveValue
    better: tuple[str, MoveValue] | None = None


def review_move(finished: FinishedGame, ply: int, analysis: Analysis, following: Analysis | None) -> ReviewedMove:
    """The mark of the move at ``ply`` of a finished game.

    ``analysis`` is that of the position before it, with the values of all moves, ``following`` that of the position
    after it, None if it is not known or the board has ended the game there.
    """
    game, move = finished.game, finished.moves[ply]
    at_root, after = prospect_of(game, analysis.moves[move]), _after(finished, ply, following)
    others = tuple(prospect_of(game, value) for name, value in analysis.moves.items() if name != move)
    if analysis.claim:
        others = (*others, CLAIM)
    choice = _Choice(at_root, after, at_root.meet(after), others)
    before = choice.best(_position(game, analysis))
    mark = _mark(choice, before, more=_is_beaten(analysis, move), larger=game.margin is not None and not game.sooner)
    better = _better(game, analysis, move, mark, choice.played)
    return ReviewedMove(ply, finished.sides[ply], move, mark, before, choice.played, analysis.moves[move], better)


@dataclass(frozen=True, slots=True)
class Resignation:
    """A resignation in a position that was not lost: who resigned, its mark, and what the side could get before it."""

    side: Side
    mark: Mark
    before: Prospect


def review_resignation(finished: FinishedGame, moves: Sequence[ReviewedMove]) -> Resignation | None:
    """The result that resigning threw away in a finished game with these ``moves``; None if nobody resigned, or nothing
    is known.

    As with moves, an estimate alone makes it a probable mistake at most. A game without moves is not judged.
    """
    side = finished.resigned
    if side is None or not moves:
        return None
    before = moves[-1].after if moves[-1].side is side else moves[-1].after.other()
    if before.low > -1:
        return Resignation(side, Mark.WIN_THROWN_AWAY if before.low > 0 else Mark.DRAW_THROWN_AWAY, before)
    if (before.expected or 0.0) >= SWING:
        return Resignation(side, Mark.PROBABLE_MISTAKE, before)
    return None


def decisive(moves: Sequence[ReviewedMove], winner: Side | None) -> ReviewedMove | None:
    """The mistake that decided a finished game, which ``winner`` has won: the last that is proved and was never made
    good, or else the probable one that lost most of the expected result.

    None if there is none; then a :class:`Resignation` that threw something away has decided the game. A mistake was
    made good if its side later could get as much again, or got it in the end. ``moves`` are all moves, in order.
    """
    lasting = [found for found in moves if _lasts(found, moves, winner)]
    proved = [found for found in lasting if found.mark is not Mark.PROBABLE_MISTAKE]
    if proved:
        return proved[-1]
    return max(lasting, key=lambda found: (found.before.expected or 0.0) - (found.after.expected or 0.0), default=None)


def _lasts(mistake: ReviewedMove, moves: Sequence[ReviewedMove], winner: Side | None) -> bool:
    """True if a move is a mistake and was never made good."""
    if mistake.mark not in MISTAKES:
        return False
    had = _least_expected(mistake.before)
    known = [(one.side, one.before) for one in moves if one.ply > mistake.ply]
    known += [(moves[-1].side, moves[-1].after), (mistake.side, _result(winner, mistake.side))]
    later = [prospect if side is mistake.side else prospect.other() for side, prospect in known]
    return all(one.expected is None or one.expected < had for one in later)


def _result(winner: Side | None, side: Side) -> Prospect:
    """The prospect of ``side`` in a game that is over."""
    result = 0 if winner is None else 1 if winner is side else -1
    return _prospect(result, result, None)


def _after(finished: FinishedGame, ply: int, following: Analysis | None) -> Prospect:
    """The prospect of the side that moved at ``ply``, after its move."""
    side = finished.sides[ply]
    to_move = finished.sides[ply + 1] if ply + 1 < len(finished.sides) else finished.to_move
    if to_move is None:
        return _result(finished.winner, side)
    if following is None:
        return UNKNOWN
    known = _position(finished.game, following)
    return known if to_move is side else known.other()


def _least_expected(before: Prospect) -> float:
    """The result that a side had before its mistake: what was proved, or else the estimate."""
    if before.low > -1:
        return (1 + before.low) / 2
    return before.expected or 0.0


@dataclass(frozen=True, slots=True)
class _Choice:
    """The knowledge of the move that was played, ``at_root`` and ``after`` it (``played``: both), and of the others."""

    at_root: Prospect
    after: Prospect
    played: Prospect
    others: tuple[Prospect, ...]

    def best(self, position: Prospect) -> Prospect:
        """The prospect of the side to move, in a position of which a search before the move says ``position``."""
        low = max(position.low, self.played.low)
        high = max(low, min(position.high, max([self.played.high, *(other.high for other in self.others)])))
        return _prospect(low, high, position.expected)

    def swing(self, before: Prospect) -> float:
        """The part of the expected result that the move has lost by estimates, 0 if that is unknown.

        The search before the move and the one after it must agree, unless what the move leads to is proved.
        """
        if self.played.proved and self.played.expected is not None:
            known = [other.expected for other in self.others if other.expected is not None]
            return max(known, default=0.0) - self.played.expected
        if before.expected is None or self.at_root.expected is None or self.after.expected is None:
            return 0.0
        return before.expected - max(self.at_root.expected, self.after.expected)


def _mark(choice: _Choice, before: Prospect, *, more: bool, larger: bool) -> Mark:
    """The mark of a move. ``more``: another move won by more, which is a ``larger`` win or else a faster one."""
    played = choice.played
    if before.low > played.high:
        return Mark.WIN_THROWN_AWAY if before.low > 0 else Mark.DRAW_THROWN_AWAY
    if played.low >= min(before.high, max((other.high for other in choice.others), default=-1)):
        if more:
            return Mark.LARGER_WIN_MISSED if larger else Mark.FASTER_WIN_MISSED
        return Mark.KEPT
    return Mark.PROBABLE_MISTAKE if choice.swing(before) >= SWING else Mark.NO_MISTAKE_SEEN


def _is_beaten(analysis: Analysis, move: str) -> bool:
    """True if another move is proved to win by more than this one, which wins too."""
    value = analysis.moves[move]
    return analysis.exact and value.exact and 0 < value.value < analysis.value


def _better(game: Game, analysis: Analysis, move: str, mark: Mark, played: Prospect) -> tuple[str, MoveValue] | None:
    """The best of the moves that are better than ``move``, by what ``mark`` says; None if no such move is known."""
    others = {name: value for name, value in analysis.moves.items() if name != move}
    worth = analysis.moves[move].value
    if mark in (Mark.KEPT, Mark.NO_MISTAKE_SEEN):
        others = {}
    elif mark in (Mark.WIN_THROWN_AWAY, Mark.DRAW_THROWN_AWAY):
        others = {name: value for name, value in others.items() if prospect_of(game, value).low > played.high}
    elif mark is not Mark.PROBABLE_MISTAKE:
        others = {name: value for name, value in others.items() if value.exact and value.value > worth}

    def rank(name: str) -> tuple[bool, int, float]:
        known = prospect_of(game, others[name])
        return name in analysis.choices, known.low, -1.0 if known.expected is None else known.expected

    name = max(others, key=rank, default=None)
    return None if name is None else (name, others[name])


def _position(game: Game, analysis: Analysis) -> Prospect:
    """The prospect of the side to move."""
    if analysis.exact:
        return _prospect(_sign(analysis.value), _sign(analysis.value), None)
    moves = [prospect_of(game, value) for value in analysis.moves.values()] + [CLAIM] * analysis.claim
    best = prospect_of(game, analysis.moves[analysis.choices[0]])
    return _prospect(max(move.low for move in moves), max(move.high for move in moves), best.expected)


def prospect_of(game: Game, value: MoveValue) -> Prospect:
    """The prospect of the side that plays the move."""
    sign = _sign(value.value)
    if value.exact:
        return _prospect(sign, sign, None)
    if value.bound is Bound.UPPER:
        return _prospect(-1, sign, None)
    if value.bound is Bound.LOWER:
        return _prospect(sign, 1, None)
    return Prospect(expected=None if game.heuristic is None else expected_result(game, value))


def _prospect(low: int, high: int, expected: float | None) -> Prospect:
    """A prospect whose estimate agrees with what is proved."""
    if low == high:
        return Prospect(low, high, (1 + low) / 2)
    if expected is not None:
        expected = min(max(expected, (1 + low) / 2), (1 + high) / 2)
    return Prospect(low, high, expected)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
