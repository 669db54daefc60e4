"""Our games and OpenSpiel's: how a move is called there, and its Monte Carlo tree search as a player.

Importing this needs ``open_spiel``, which is not made for every platform (``pip install open_spiel``).
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from typing import Any

from noughts.games import GAMES, Game, Position

pyspiel: Any = importlib.import_module("pyspiel")

SIMULATIONS = 1000
UCT_C = 2.0
MEMORY_MB = 1000

Actions = Callable[[str, Any], tuple[int, ...]]
"""Of a move and the state that it is played in, the actions that it takes: two where ultimate tic-tac-toe has a small
board chosen first, else one."""


def by_column(game: Game) -> Actions:
    """Where a move is a column, from the left."""
    return lambda move, _: (game.layout[0].index(move),)


def by_cell(game: Game) -> Actions:
    """Where a move is a cell, row by row from the top, and after them all comes the pass."""
    cells = [name for row in game.layout for name in row]
    return lambda move, _: (len(cells) if move == "pass" else cells.index(move),)


def by_small_board(_: Game) -> Actions:
    """Of ultimate tic-tac-toe: the small board where that is free, then the cell in it."""

    def action(move: str, state: Any) -> tuple[int, ...]:
        column, row = "abcdefghi".index(move[0]), int(move[1]) - 1
        place = row % 3 * 3 + column % 3
        return (row // 3 * 3 + column // 3, place) if chooses_board(state) else (place,)

    return action


def chooses_board(state: Any) -> bool:
    """Whether the next action chooses a small board, and the cell is one more action."""
    return "Choose" in state.action_to_string(state.legal_actions()[0])


THEIRS: dict[str, tuple[str, Callable[[Game], Actions]]] = {
    "tictactoe": ("tic_tac_toe", by_cell),
    "connect4": ("connect_four", by_column),
    "reversi": ("othello", by_cell),
    "gomoku": ("gomoku", by_cell),
    "ultimate": ("ultimate_tic_tac_toe", by_small_board),
}
"""By our key, OpenSpiel's name of the game, and how a move is called there."""


def mcts(game_key: str, rng: random.Random) -> Callable[[Position, Sequence[str]], str]:
    """OpenSpiel's own search in C++: 1000 simulations a move, one random rollout each, UCT with a constant of 2, and
    what it has solved is backed up. It takes as long as it takes. Raises KeyError for a game that is not theirs.
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
