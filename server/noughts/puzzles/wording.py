"""Puzzles in words: the task, why a move is wrong, hints, and what the other moves lead to. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.games import Game, Position
from noughts.puzzles.oracle import Outlook
from noughts.puzzles.play import after, left
from noughts.puzzles.puzzle import Goal, Puzzle


def task(puzzle: Puzzle) -> str:
    """The task in words."""
    name, moves = puzzle.game.style(puzzle.side).name, counted(puzzle.moves)
    match puzzle.goal:
        case Goal.DRAW:
            return f"{name} to move: keep the draw. All moves but one lose."
        case Goal.FASTEST:
            return f"{name} to move: win in {moves}. Only one first move wins so soon."
    if puzzle.game.margin is not None and not puzzle.game.sooner:  # the size of the win counts, not its time
        return f"{name} to move: keep the win. All moves but one throw it away."
    return f"{name} to move: win in {moves}. All moves but one throw the win away."


def because(puzzle: Puzzle, moves: Sequence[str], refuted: Sequence[str], outlook: Outlook | None) -> str:
    """The reason why the last of ``moves`` is wrong: what it leads to and the answer in ``refuted``, if known."""
    if outlook is None:
        return "Wrong: only one other move is right."
    game, position = puzzle.game, after(puzzle, moves)
    consequence = led_to(puzzle, outlook, left(puzzle, len(moves) - 1))
    other = game.style(puzzle.side.other).name
    answers = [f" {other}'s answer: {called(game, position, answer)}." for answer in refuted]
    return f"Wrong: {consequence}.{''.join(answers)}"


def led_to(puzzle: Puzzle, outlook: Outlook, within: int | None) -> str:
    """The consequence of a wrong move, such as "that draws". ``within`` are the plies in which the side had to win."""
    game = puzzle.game
    if within is not None:
        return f"that does not win in {counted((within + 1) // 2)}"
    if not outlook.result:
        return "that draws"
    other = game.style(puzzle.side.other).name
    soon = outlook.plies is not None and (game.margin is None or game.sooner)
    return f"{other} wins{f' in {counted((outlook.plies or 0) // 2)}' if soon else ''}"


def hint_of(puzzle: Puzzle, position: Position, moves: Sequence[str]) -> str:
    """The hint that names ``moves``, of which one is right."""
    if len(moves) == 1:
        return f"The right move is {called(puzzle.game, position, moves[0])}."
    return f"One of these is right: {', '.join(puzzle.game.name(position, move) for move in moves)}."


def called(game: Game, position: Position, move: str) -> str:
    """A move within a sentence: "column 4" where each column is a move, "square 5" where squares are numbered."""
    name = game.name(position, move)
    if not name.isdigit():
        return name
    falls = len(game.layout) > 1 and all(row == game.layout[0] for row in game.layout)
    return f"{'column' if falls else 'square'} {name}"


def counted(moves: int) -> str:
    """Such as "1 move" or "3 moves"."""
    return "1 move" if moves == 1 else f"{moves} moves"
