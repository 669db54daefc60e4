"""The play of a puzzle: what a move keeps, and the defence that holds out longest. Pure; does no I/O.

What the puzzle's line has needs no proof, the rest is proved when it is played. ``moves`` are always those from the
puzzle's start.
"""

from __future__ import annotations

from collections.abc import Sequence

from noughts.games import Position
from noughts.puzzles.oracle import NEVER, Oracle, Outlook, Undecided
from noughts.puzzles.puzzle import Goal, Puzzle, solved
from noughts.value import value

CHOICE = 3
"""The moves that a first hint names."""


@value
class Verdict:
    """The verdict on a move of the side that solves a puzzle.

    ``kept``: the goal can still be reached, None if that could not be decided. ``outlook`` is what the move leads to,
    None if it is the move of the puzzle's line, or not decided.
    """

    kept: bool | None
    outlook: Outlook | None = None


def after(puzzle: Puzzle, moves: Sequence[str]) -> Position:
    """The position after ``moves`` from its start."""
    position = puzzle.position
    for move in moves:
        position = position.play(move)
    return position


def judge(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...], move: str) -> Verdict:
    """The verdict on ``move``, which the side that solves plays after ``moves``."""
    if puzzle.line[: len(moves) + 1] == (*moves, move):
        return Verdict(kept=True)
    try:
        outlook = oracle.outlook(after(puzzle, moves), move, left(puzzle, len(moves)))
    except Undecided:
        return Verdict(kept=None if moves else False)  # only one first move is right
    return Verdict(is_kept(puzzle, outlook), outlook)


def right_move(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...]) -> str:
    """A right move of the side that solves. Raises Undecided."""
    if puzzle.line[: len(moves)] == moves and len(moves) < len(puzzle.line):
        return puzzle.line[len(moves)]
    return best_move(oracle, after(puzzle, moves), left(puzzle, len(moves)))


def reply(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...]) -> str:
    """The other side's move after ``moves``: the defence that holds out longest.

    If that is not decided, it is the first legal move.
    """
    if puzzle.line[: len(moves)] == moves:
        return puzzle.line[len(moves)]
    position = after(puzzle, moves)
    try:
        return defence(oracle, position, left(puzzle, len(moves)))
    except Undecided:
        return position.legal_moves[0]


def refutation(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...], outlook: Outlook | None) -> tuple[str, ...]:
    """The other side's best answer to ``moves``, the last of which is wrong and has this ``outlook``.

    Empty if the other side has none to give, or if it is not decided.
    """
    position = after(puzzle, moves)
    if outlook is None or position.to_move is not puzzle.side.other:
        return ()
    try:
        if outlook.result < 0 and outlook.plies:
            answers = oracle.outlooks(position, outlook.plies - 1)
            return tuple(move for move, answer in answers.items() if answer.result > 0)[:1]
        return tuple(_hardest(oracle, position, left(puzzle, len(moves)))[:1])
    except Undecided:
        return ()


def answered(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...]) -> tuple[str, ...]:
    """The moves after ``moves`` until the side that solves has a choice: the defence, and its own only legal moves.

    Empty if it has a choice now, or the puzzle is solved.
    """
    line = moves
    while not solved(puzzle, position := after(puzzle, line)):
        if position.to_move is not puzzle.side:
            line = (*line, reply(oracle, puzzle, line))
        elif line and len(position.legal_moves) == 1:
            line = (*line, position.legal_moves[0])
        else:
            break
    return line[len(moves) :]


def hinted(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...], number: int) -> tuple[str, ...]:
    """The moves of a hint, in board order: the first hint names a few with a right one among them, the next that one.

    Raises Undecided.
    """
    position, right = after(puzzle, moves), right_move(oracle, puzzle, moves)
    others = [move for move in position.legal_moves if move != right]
    if number > 1 or len(others) < CHOICE:
        return (right,)
    step = len(others) // (CHOICE - 1)
    return tuple(sorted([right, *others[::step][: CHOICE - 1]], key=position.legal_moves.index))


def is_kept(puzzle: Puzzle, outlook: Outlook) -> bool:
    """True if a move of the side that solves, with this outlook, keeps the goal."""
    return outlook.result >= (0 if puzzle.goal is Goal.DRAW else 1)


def left(puzzle: Puzzle, played: int) -> int | None:
    """The plies in which the side has to win after ``played`` plies; None if the goal has no limit."""
    return len(puzzle.line) - played if puzzle.goal is Goal.FASTEST else None


def best_move(oracle: Oracle, position: Position, within: int | None) -> str:
    """The move of the side that solves: the best result, and the soonest win. Raises Undecided."""
    outlooks = oracle.outlooks(position, within)
    return max(outlooks, key=lambda move: (outlooks[move].result, -(outlooks[move].plies or NEVER)))


def defence(oracle: Oracle, position: Position, within: int | None) -> str:
    """The move of the other side, which is to move, that holds out longest.

    Among those that hold out equally long it is the one that leaves the fewest right answers. ``within`` is the number
    of plies in which the side that solves has to win from here, None without a limit. Raises Undecided.
    """
    moves = _hardest(oracle, position, within)
    if len(moves) == 1:
        return moves[0]
    return min(moves, key=lambda move: _right_answers(oracle, position, move, within))


def _hardest(oracle: Oracle, position: Position, within: int | None) -> list[str]:
    """The moves that hold out longest, as :func:`defence` has it."""
    if within is None:
        outlooks = oracle.outlooks(position)
        longest = max(map(_resistance, outlooks.values()))
        return [move for move, outlook in outlooks.items() if _resistance(outlook) == longest]
    soonest = {move: _soonest(oracle, position.play(move), within - 1) for move in position.legal_moves}
    latest = max(soonest.values())
    return [move for move, plies in soonest.items() if plies == latest]


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
