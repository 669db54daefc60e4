"""OpenSpiel's names for our games and moves, and its Monte Carlo tree search as a player.

Importing this needs ``open_spiel`` (``pip install open_spiel``), which is not available for every platform.
"""

from __future__ import annotations

import importlib
import random
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from noughts.games import GAMES, SWAP, Game, Position, draughts, morris
from noughts.games.grid import LETTERS

pyspiel: Any = importlib.import_module("pyspiel")

SIMULATIONS = 1000
UCT_C = 2.0
MEMORY_MB = 1000

Actions = Callable[[str, Any], tuple[int, ...]]
"""From a move and the state that it is played in, the actions for it: several where a small board is chosen first, in a
capture of several pieces, and where a mill takes a man; else one.
"""


def by_column(game: Game) -> Actions:
    """For games in which a move is a column, counted from the left."""
    return lambda move, _: (game.layout[0].index(move),)


def by_cell(game: Game) -> Actions:
    """For games in which a move is a cell, counted row by row from the top. A pass or a swap comes after all cells."""
    cells = [name for row in game.layout for name in row]
    return lambda move, _: (len(cells) if move in ("pass", SWAP) else cells.index(move),)


def by_point(game: Game) -> Actions:
    """For Go, where points are counted row by row from the bottom, and a pass comes after all."""
    points = [name for row in reversed(game.layout) for name in row]
    return lambda move, _: (len(points) if move == "pass" else points.index(move),)


def by_small_board(_: Game) -> Actions:
    """For ultimate tic-tac-toe: the small board, if there is a choice, then the cell in it."""

    def action(move: str, state: Any) -> tuple[int, ...]:
        column, row = "abcdefghi".index(move[0]), int(move[1]) - 1
        place = row % 3 * 3 + column % 3
        return (row // 3 * 3 + column // 3, place) if chooses_board(state) else (place,)

    return action


def chooses_board(state: Any) -> bool:
    """True if the next action chooses a small board, so that the cell is another action."""
    return "Choose" in state.action_to_string(state.legal_actions()[0])


def by_squares(_: Game) -> Actions:
    """For chess, where OpenSpiel reads our names."""
    return lambda move, state: (state.parse_move_to_action(move),)


def by_words(words: Callable[[str, Any], tuple[str, ...]]) -> Callable[[Game], Actions]:
    """For games whose actions OpenSpiel names: ``words`` has the names of the actions for a move, without marks."""

    def action(move: str, state: Any) -> tuple[int, ...]:
        found: list[int] = []
        for word in words(move, state):
            found.append(_named(state)[word])
            state = state.child(found[-1])
        return tuple(found)

    return lambda _: action


_names: dict[str, dict[str, int]] = {}


def _named(state: Any) -> dict[str, int]:
    """The legal actions by their names without marks. They are asked for once for each move of a position."""
    key = f"{state.get_game()} {state.history_str()}"
    if key not in _names:
        if len(_names) > 100:
            _names.clear()
        _names[key] = {re.sub("[+#*=]", "", state.action_to_string(each)): each for each in state.legal_actions()}
    return _names[key]


def _draughts(move: str, _: Any) -> tuple[str, ...]:
    """Each jump is an action. The first side is at the bottom there, so the board is turned round."""
    way = [draughts.PLACES[int(square) - 1] for square in re.split("[-x]", move)]
    return tuple("".join(f"{'abcdefgh'[7 - column]}{row + 1}" for row, column in jump) for jump in pairwise(way))


def _breakthrough(move: str, _: Any) -> tuple[str, ...]:
    """The first side moves down the board there."""
    return (f"{move[0]}{9 - int(move[1])}{move[2]}{9 - int(move[3])}",)


def _morris(move: str, _: Any) -> tuple[str, ...]:
    """A capture is another action."""
    points = [morris.NUMBER[name] for name in re.findall("[a-g][1-7]", move)]
    way = f"Point {points[0]}" if len(move.partition("x")[0]) == 2 else f"Move {points[0]} -> {points[1]}"
    return (way, f"Point {points[-1]}") if "x" in move else (way,)


def _kalah(move: str, _: Any) -> tuple[str, ...]:
    column = "abcdef".index(move[0])
    return (str(1 + column if move[1] == "1" else 13 - column),)


def _dots(move: str, state: Any) -> tuple[str, ...]:
    row, column = int(move[1:]) - 1, LETTERS.index(move[0])
    return (f"P{state.current_player() + 1}({'v' if row % 2 else 'h'},{row // 2},{column // 2})",)


THEIRS: dict[str, tuple[str, Callable[[Game], Actions]]] = {
    "tictactoe": ("tic_tac_toe", by_cell),
    "connect4": ("connect_four", by_column),
    "reversi": ("othello", by_cell),
    "gomoku": ("gomoku", by_cell),
    "ultimate": ("ultimate_tic_tac_toe", by_small_board),
    "go": ("go(board_size=9,komi=7.0)", by_point),
    "hex": ("hex(swap=True)", by_cell),
    "chess": ("chess", by_squares),
    "draughts": ("checkers", by_words(_draughts)),
    "breakthrough": ("breakthrough(rows=8,columns=8)", by_words(_breakthrough)),
    "morris": ("nine_mens_morris", by_words(_morris)),
    "kalah": ("mancala", by_words(_kalah)),
    "dots": ("dots_and_boxes(num_rows=3,num_cols=3)", by_words(_dots)),
}
"""By our game's key, OpenSpiel's name for the game, and how it numbers the moves."""


def mcts(game_key: str, rng: random.Random) -> Callable[[Position, Sequence[str]], str]:
    """OpenSpiel's search in C++: 1000 simulations per move, one random rollout each, UCT with a constant of 2, and
    backing up of solved values. It ignores time. Raises KeyError for a game that OpenSpiel does not have.
    """
    game = GAMES[game_key]
    name, called = THEIRS[game_key]
    theirs, actions_of = pyspiel.load_game(name), called(game)
    rollouts = pyspiel.RandomRolloutEvaluator(1, rng.getrandbits(31))
    bot = pyspiel.MCTSBot(theirs, rollouts, UCT_C, SIMULATIONS, MEMORY_MB, True, rng.getrandbits(31), False)

    def move(position: Position, played: Sequence[str]) -> str:
        state = theirs.new_initial_state()
        for each in played:
            for action in actions_of(each, state):
                state.apply_action(action)
        names = {actions_of(each, state): each for each in position.legal_moves}
        chosen: tuple[int, ...] = ()
        while chosen not in names:
            action = bot.step(state)
            chosen += (action,)
            state.apply_action(action)
        return names[chosen]

    return move
