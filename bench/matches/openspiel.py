"""OpenSpiel's names for our games and moves, and its Monte Carlo tree search as a player.

Importing this needs ``open_spiel`` (``pip install open_spiel``), which is not available for every platform.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from typing import Any

from noughts.games import GAMES, Game, Position
from noughts.games.morris import NUMBER

pyspiel: Any = importlib.import_module("pyspiel")

SIMULATIONS = 1000
UCT_C = 2.0
MEMORY_MB = 1000

Actions = Callable[[str, Any], tuple[int, ...]]
"""From a move and the state that it is played in, the actions for it: two in ultimate tic-tac-toe if a small board has
to be chosen first, two in Nine Men's Morris if a man is taken, else one.
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


def by_point(_: Game) -> Actions:
    """For Nine Men's Morris: a point, or two, then the point of the man that is taken. The points have our order."""

    def actions(move: str, _: Any) -> tuple[int, ...]:
        way, _, taken = move.partition("x")
        start, to = NUMBER[way[:2]], NUMBER[way[-2:]]
        first = to if len(way) == 2 else len(NUMBER) * (1 + start) + to
        return (first, NUMBER[taken]) if taken else (first,)

    return actions


def takes_a_man(state: Any) -> bool:
    """Whether the next action takes a man in Nine Men's Morris, after the action that closed the mill."""
    return "Capture time" in str(state)


def by_pit(game: Game) -> Actions:
    """For Kalah: the pits in the order of sowing, 1 to 6 and 8 to 13, with the stores 7 and 0."""
    north, south = game.layout
    pits = ["", *south[1:], *north[-2:0:-1]]
    return lambda move, _: (pits.index(move),)


def by_edge(game: Game) -> Actions:
    """For Dots and Boxes: all horizontal edges row by row from the top, then all vertical ones."""
    horizontal = [name for row in game.layout[::2] for name in row[1::2]]
    edges = horizontal + [name for row in game.layout[1::2] for name in row[::2]]
    return lambda move, _: (edges.index(move),)


THEIRS: dict[str, tuple[str, Callable[[Game], Actions]]] = {
    "tictactoe": ("tic_tac_toe", by_cell),
    "connect4": ("connect_four", by_column),
    "reversi": ("othello", by_cell),
    "gomoku": ("gomoku", by_cell),
    "ultimate": ("ultimate_tic_tac_toe", by_small_board),
    "morris": ("nine_mens_morris", by_point),
    "kalah": ("mancala", by_pit),
    "dots": ("dots_and_boxes(num_rows=3,num_cols=3)", by_edge),
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
