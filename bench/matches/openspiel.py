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

from noughts.games import GAMES, Game, Position
from noughts.games.grid import LETTERS

pyspiel: Any = importlib.import_module("pyspiel")

SIMULATIONS = 1000
UCT_C = 2.0
MEMORY_MB = 1000

Actions = Callable[[str, Any], tuple[int, ...]]
"""From a move and the state that it is played in, the actions for it: two in ultimate tic-tac-toe if a small board has
to be chosen first, one for each jump in draughts, else one.
"""


def by_column(game: Game) -> Actions:
    """For games in which a move is a column, counted from the left."""
    return lambda move, _: (game.layout[0].index(move),)


def by_cell(game: Game) -> Actions:
    """For games in which a move is a cell, counted row by row from the top. A pass comes after all cells."""
    cells = [name for row in game.layout for name in row]
    return lambda move, _: (len(cells) if move == "pass" else cells.index(move),)


def by_small_board(_: Game) -> Actions:
    """For ultimate tic-tac-toe: the small board, if there is a choice, then the cell in it."""

    def action(move: str, state: Any) -> tuple[int, ...]:
        column, row = "abcdefghi".index(move[0]), int(move[1]) - 1
        place = row % 3 * 3 + column % 3
        return (row // 3 * 3 + column // 3, place) if chooses_board(state) else (place,)

    return action


def chooses_board(state: Any) -> bool:
    """Whether the next action chooses a small board, so that the cell is another action."""
    return "Choose" in state.action_to_string(state.legal_actions()[0])


def by_squares(game: Game) -> Actions:
    """For draughts and Breakthrough, where OpenSpiel names a move, or a jump, by two squares.

    Its first side is on the other side of the board. In draughts the board is turned, in Breakthrough it is mirrored.
    """
    size = len(game.layout)
    theirs = {
        name: LETTERS[size - 1 - c if game.key == "draughts" else c] + str(r + 1)
        for r, row in enumerate(game.layout)
        for c, name in enumerate(row)
    }

    def actions(move: str, state: Any) -> tuple[int, ...]:
        way = re.findall("[a-h]?[0-9]+", move)
        found: tuple[int, ...] = ()
        for start, to in pairwise(way):
            wanted = theirs[start] + theirs[to]
            named = {state.action_to_string(action).rstrip("*"): action for action in state.legal_actions()}
            if wanted not in named:
                return ()
            found += (named[wanted],)
            state = state.child(named[wanted])
        return found

    return actions


THEIRS: dict[str, tuple[str, Callable[[Game], Actions]]] = {
    "tictactoe": ("tic_tac_toe", by_cell),
    "connect4": ("connect_four", by_column),
    "reversi": ("othello", by_cell),
    "gomoku": ("gomoku", by_cell),
    "ultimate": ("ultimate_tic_tac_toe", by_small_board),
    "draughts": ("checkers", by_squares),
    "breakthrough": ("breakthrough", by_squares),
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
