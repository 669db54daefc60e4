"""The objects that other courses hand to a search: the game and states of an AI textbook, and an observation as at
Kaggle. Pure.

The textbook is Russell and Norvig, *Artificial Intelligence: A Modern Approach*, whose code calls
``alpha_beta_search(state, game)``, in later editions ``alphabeta_search(game, state)``.
"""

from __future__ import annotations

from typing import Any

from noughts.games import Game, Position, Side
from noughts_client.bots import kaggle
from noughts_client.bots.kaggle import Struct


class AdversarialState:
    """A state of the textbook's game: a position, whose players are named as the game names its sides."""

    __slots__ = ("_game", "position")

    def __init__(self, game: Game, position: Any) -> None:
        self._game = game
        self.position = position

    @property
    def to_move(self) -> str:
        """The player to move; after the end of the game, as if the sides alternated."""
        side = self.position.to_move or (Side.SECOND if self.position.ply % 2 else Side.FIRST)
        return self._game.style(side).name

    @property
    def moves(self) -> list[str]:
        """The legal moves."""
        return list(self.position.legal_moves)

    @property
    def utility(self) -> int:
        """1 if the first player has won, -1 if the second has, else 0."""
        outcome = self.position.outcome
        return 0 if outcome is None or outcome.winner is None else 1 if outcome.winner is Side.FIRST else -1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.position, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AdversarialState) and bool(self.position == other.position)

    def __hash__(self) -> int:
        return hash(self.position)

    def __repr__(self) -> str:
        return repr(self.position)


class AdversarialGame:
    """The textbook's interface of a game, for any game."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.initial = AdversarialState(game, game.start)
        self.players = (game.first.name, game.second.name)

    def actions(self, state: AdversarialState) -> list[str]:
        """The legal moves."""
        return state.moves

    def result(self, state: AdversarialState, action: str) -> AdversarialState:
        """The state after a move."""
        return AdversarialState(self._game, state.position.play(action))

    def utility(self, state: AdversarialState, player: str) -> int:
        """1, 0 or -1, for ``player``."""
        return state.utility if player == self.players[0] else -state.utility

    def is_terminal(self, state: AdversarialState) -> bool:
        """True if the game is over."""
        return state.position.outcome is not None

    terminal_test = is_terminal

    def to_move(self, state: AdversarialState) -> str:
        """The player to move."""
        return state.to_move

    def display(self, state: AdversarialState) -> None:
        """Print the state."""
        print(state.position)


def observation(game: Game, position: Position) -> Struct:
    """The board as numbers: 0 is empty, 1 the first side, 2 the second, whose turn is ``mark``."""
    marks = {game.first.symbol: 1, game.second.symbol: 2}
    return kaggle.observation(position.rows, marks, 1 if position.to_move is Side.FIRST else 2, position.ply)


def configuration(game: Game) -> Struct:
    """The size of the board, and how many in a row win."""
    return kaggle.configuration(game.key, game.start.rows)
