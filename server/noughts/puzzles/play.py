"""The moves of a puzzle after the first: what a move keeps, and the defence that holds out longest. Pure; does no I/O."""

from __future__ import annotations

from noughts.games import Position
from noughts.puzzles.oracle import NEVER, Oracle, Outlook
from noughts.puzzles.puzzle import Goal, Puzzle
from noughts.value import value


@value
class Verdict:
    """The verdict on a move of the side that solves a puzzle.

    ``kept`` says whether the goal can still be reached. ``outlook`` is what the move leads to, None if that was not
    decided.
    """

    kept: bool
    outlook: Outlook | None


def left(puzzle: Puzzle, played: int) -> int | None:
    """The plies in which the side has to win after ``played`` plies; None if the goal has no limit."""
    return len(puzzle.line) - played if puzzle.goal is Goal.FASTEST else None


def is_kept(puzzle: Puzzle, outlook: Outlook) -> bool:
    """True if a move of the side with this outlook keeps the goal."""
    return outlook.result >= (0 if puzzle.goal is Goal.DRAW else 1)


def best_move(oracle: Oracle, position: Position, within: int | None) -> tuple[str, Outlook]:
    """The move of the side that solves: the best result, and the soonest win. Raises Undecided."""
    outlooks = oracle.outlooks(position, within)
    return max(outlooks.items(), key=lambda one: (one[1].result, -(one[1].plies or NEVER)))


def defence(oracle: Oracle, position: Position, within: int | None) -> str:
    """The move of the other side, which is to move, that holds out longest.

    Among those that hold out equally long it is the one that leaves the fewest right answers. ``within`` is the number
    of plies in which the side that solves has to win from here, None without a limit. Raises Undecided.
    """
    if within is None:
        outlooks = oracle.outlooks(position)
        longest = max(map(_resistance, outlooks.values()))
        moves = [move for move, outlook in outlooks.items() if _resistance(outlook) == longest]
    else:
        soonest = {move: _soonest(oracle, position.play(move), within - 1) for move in position.legal_moves}
        latest = max(soonest.values())
        moves = [move for move, plies in soonest.items() if plies == latest]
    if len(moves) == 1:
        return moves[0]
    return min(moves, key=lambda move: _right_answers(oracle, position, move, within))


def _resistance(outlook: Outlook) -> tuple[int, int]:
    """A sort key, greater for moves that are harder to answer."""
    plies = outlook.plies or 0
    return outlook.result, plies if outlook.result < 0 else -plies


def _soonest(oracle: Oracle, position: Position, within: int) -> int:
    """In how many plies the side to move wins, more than any game has if it does not win ``within`` so many."""
    wins = [outlook.plies for outlook in oracle.outlooks(position, within).values() if outlook.plies]
    return min(wins, default=0 if position.to_move is None else NEVER)


def _right_answers(oracle: Oracle, position: Position, move: str, within: int | None) -> int:
    """The number of answers to ``move`` that keep the most; 0 if the game is over, or the same side moves again."""
    after = position.play(move)
    if after.to_move in (None, position.to_move):
        return 0
    results = [each.result for each in oracle.outlooks(after, None if within is None else within - 1).values()]
    return results.count(max(results))
