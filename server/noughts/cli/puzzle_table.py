"""The dialogue about one puzzle: the board, moves, hints, and why a move is wrong."""

from __future__ import annotations

from collections.abc import Callable

from noughts.cli.output import under_way
from noughts.games import Game, IllegalMove, MalformedMove, Position, Side
from noughts.games.board import board, faces
from noughts.games.sentences import sentence
from noughts.puzzles.oracle import Oracle, Outlook, Undecided, oracle_of
from noughts.puzzles.play import after, judge, left, reply, right_move
from noughts.puzzles.puzzle import Goal, Puzzle, solved

HELP = (
    "Type a move to play it. 'hint' names moves of which one is right, and then the right one; 'board' shows the board "
    "again, 'skip' gives up, q leaves. The first wrong move counts as a loss, a hint as half a win."
)
CHOICE = 3
"""The moves that the first hint names."""

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
            if position.to_move is not side or (moves and len(position.legal_moves) == 1):
                forced = position.to_move is side
                move = position.legal_moves[0] if forced else reply(oracle, puzzle, moves)
                mover = "You" if forced else game.style(side.other).name
                self._say(f"{mover} {'must play' if forced else 'plays'} {game.name(position, move)}.")
                moves = (*moves, move)
                if not solved(puzzle, after(puzzle, moves)) and after(puzzle, moves).to_move is side:
                    self._say("", *_drawn(game, after(puzzle, moves)), "")
                continue
            line = self._read("Your move (h for help): ")
            word = None if line is None else line.casefold()
            if word in (None, "q", "quit"):
                return None
            move = game.meant(position, line or "")
            if move in position.legal_moves:
                verdict = judge(oracle, puzzle, moves, move)
                if verdict.kept:
                    self._say("Right." if verdict.outlook is None else "That is right, too.")
                    moves, hints = (*moves, move), 0
                elif verdict.kept is None:
                    self._say("A proof of that move would take too long. Try another.")
                else:
                    self._say(because(puzzle, position, move, verdict.outlook, left(puzzle, len(moves))))
                    score = 0.0
            elif word in ("hint", "skip"):
                score, hints = (min(score, 0.5), hints + 1) if word == "hint" else (0.0, 2)
                self._say(hint(oracle, puzzle, moves, hints))
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


def because(puzzle: Puzzle, position: Position, move: str, outlook: Outlook | None, within: int | None) -> str:
    """The reason why ``move`` is wrong: what it leads to, if that is known."""
    game = puzzle.game
    wrong = f"Not {game.name(position, move)}: "
    if outlook is None:
        return f"{wrong}another move is the only one."
    if within is not None:
        return f"{wrong}that does not win in {counted((within + 1) // 2)}."
    if not outlook.result:
        return f"{wrong}that draws."
    other = game.style(puzzle.side.other).name
    soon = outlook.plies is not None and (game.margin is None or game.sooner)
    return f"{wrong}{other} wins{f' in {counted((outlook.plies or 0) // 2)}' if soon else ''}."


def hint(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...], number: int) -> str:
    """The hint of that number, from 1: three moves with a right one among them, then the right one."""
    game, position = puzzle.game, after(puzzle, moves)
    try:
        right = right_move(oracle, puzzle, moves)
    except Undecided:
        return "A proof would take too long here."
    others = [move for move in position.legal_moves if move != right]
    if number > 1 or len(others) < CHOICE:
        return f"The right move is {game.name(position, right)}."
    step = len(others) // (CHOICE - 1)
    shown = sorted([right, *others[::step][: CHOICE - 1]], key=position.legal_moves.index)
    return f"One of these is right: {', '.join(game.name(position, move) for move in shown)}."


def counted(moves: int) -> str:
    """Such as "1 move" or "3 moves"."""
    return "1 move" if moves == 1 else f"{moves} moves"


def _refusal(position: Position, move: str) -> str:
    try:
        position.play(move)
    except (MalformedMove, IllegalMove) as error:
        return sentence(str(error))
    return HELP


def _drawn(game: Game, position: Position) -> list[str]:
    lines = [f"  {line}".rstrip() for line in board(game, faces(game, position))]
    if game.held is None:
        return lines
    for side in Side:
        things = [f"{count} {symbol}" for symbol, count in game.held(position, side) if count]
        if things:
            lines.append(f"  {game.style(side).name} has {', '.join(things)}")
    return lines
