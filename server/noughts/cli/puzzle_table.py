"""The dialogue about one puzzle: the board, moves, hints, and why a move is wrong."""

from __future__ import annotations

from collections.abc import Callable

from noughts.cli.output import under_way
from noughts.games import Game, IllegalMove, MalformedMove, Position, Side
from noughts.games.board import board, glyphs
from noughts.games.sentences import sentence
from noughts.puzzles.oracle import Oracle, Undecided, oracle_of
from noughts.puzzles.play import after, answered, hinted
from noughts.puzzles.puzzle import Puzzle, solved
from noughts.puzzles.question import told_of
from noughts.puzzles.wording import hint_of, task

HELP = (
    "Type a move to play it. 'hint' names moves of which one is right, and then the right one; 'board' shows the board "
    "again, 'skip' gives up, q leaves. A wrong move or giving up counts as a loss, a hint as half a win."
)
Say = Callable[..., None]
Read = Callable[[str], str | None]


class Table:
    """Where somebody solves puzzles. ``say`` prints lines; ``read`` asks for one, and returns None at the end."""

    def __init__(self, say: Say, read: Read) -> None:
        self._say = say
        self._read = read
        self._oracles: dict[Game, Oracle] = {}

    def solve(self, puzzle: Puzzle) -> float | None:
        """Have ``puzzle`` solved. Returns the score: 1, 1/2 with a hint, 0 after a wrong move; None to leave."""
        game, side = puzzle.game, puzzle.side
        moves: tuple[str, ...] = ()
        score, hints = 1.0, 0
        self._say(
            "", f"{game.title}, a puzzle rated {puzzle.rating}", "", *_drawn(game, puzzle.position), "", task(puzzle)
        )
        if game not in self._oracles:
            with under_way("Loading the search ..."):  # which may have to be compiled
                self._oracles[game] = oracle_of(game)
        oracle = self._oracles[game]
        while not solved(puzzle, position := after(puzzle, moves)):
            for move in answered(oracle, puzzle, moves):
                forced = position.to_move is side
                mover = "You" if forced else game.style(side.other).name
                self._say(f"{mover} {'must play' if forced else 'plays'} {game.name(position, move)}.")
                moves = (*moves, move)
                position = position.play(move)
                if position.to_move is side and not solved(puzzle, position):
                    self._say("", *_drawn(game, position), "")
            if solved(puzzle, position):
                break
            line = self._read("Your move (h for help): ")
            word = None if line is None else line.casefold()
            if word in (None, "q", "quit"):
                return None
            move = game.meant(position, line or "")
            if move in position.legal_moves:
                told = told_of(oracle, puzzle, moves, move)
                self._say(told.text)
                if told.kept:
                    moves, hints = (*moves, move), 0
                elif told.kept is False:
                    score = 0.0
            elif word in ("hint", "skip"):
                score, hints = (min(score, 0.5), hints + 1) if word == "hint" else (0.0, 2)
                self._say(_hint(oracle, puzzle, moves, hints))
                if word == "skip":
                    return 0.0
            elif word == "board":
                self._say(*_drawn(game, position), "", task(puzzle))
            elif word in ("", "h", "help", "?"):
                self._say(HELP)
            else:
                self._say(_refusal(position, move))
        self._say("", *_drawn(game, position), "", "Solved." if score else "That is the solution.")
        return score


def _hint(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...], number: int) -> str:
    try:
        return hint_of(puzzle, after(puzzle, moves), hinted(oracle, puzzle, moves, number))
    except Undecided:
        return "A proof would take too long here."


def _refusal(position: Position, move: str) -> str:
    try:
        position.play(move)
    except (MalformedMove, IllegalMove) as error:
        return sentence(str(error))
    return HELP


def _drawn(game: Game, position: Position) -> list[str]:
    lines = [f"  {line}".rstrip() for line in board(game, glyphs(game, position))]
    if game.held is None:
        return lines
    for side in Side:
        things = [f"{count} {symbol}" for symbol, count in game.held(position, side) if count]
        if things:
            lines.append(f"  {game.style(side).name} has {', '.join(things)}")
    return lines
