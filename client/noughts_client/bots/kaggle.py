"""Agents as at Kaggle, ``agent(observation, configuration)``, as bots: ConnectX, and tic-tac-toe. Pure.

The fields are those of the environments in Kaggle's package ``kaggle-environments``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from noughts_client.state import BotState

IN_A_ROW = {"tictactoe": 3, "connect4": 4, "gomoku": 5}
"""The length of a line that wins, by game."""

GAMES = ("connect4", "tictactoe")
"""The games for which Kaggle has agents: of the first they return a column, of the second a cell, both from 0."""


class Struct(dict[str, Any]):
    """A dictionary whose entries are attributes, too."""

    __getattr__ = dict.__getitem__


def observation(rows: Sequence[str], marks: Mapping[str, int], mark: int, step: int, overage_s: float = 60) -> Struct:
    """The board from the top as numbers: 0 is empty, and each symbol is as ``marks`` has it. ``mark`` is to move."""
    board = [marks.get(cell, 0) for row in rows for cell in row]
    return Struct(board=board, mark=mark, step=step, remainingOverageTime=overage_s)


def configuration(key: str, rows: Sequence[str]) -> Struct:
    """The size of the board, and how many in a row win."""
    return Struct(columns=len(rows[0]), rows=len(rows), inarow=IN_A_ROW.get(key, 0), actTimeout=2, timeout=2)


def as_choose(agent: Callable[..., Any]) -> Callable[[BotState], Any]:
    """A bot's function that asks ``agent``. Its answers are checked as those of any bot."""
    takes_one = len(inspect.signature(agent).parameters) == 1

    def choose(state: BotState) -> Any:
        if state.game not in GAMES:
            raise ValueError(f"agent(observation, configuration) plays {' and '.join(GAMES)}; define choose(state)")
        rows = state["rows"]
        mine = 1 if state.side == "first" else 2
        marks = {cell: mine if cell.casefold() == state.symbol.casefold() else 3 - mine for row in rows for cell in row}
        marks["."] = 0
        left_s = 60 if state["clock"] is None else state["clock"][f"{state.side}_ms"] / 1000
        seen = observation(rows, marks, mine, state["ply"], left_s)
        said = agent(seen) if takes_one else agent(seen, configuration(state.game, rows))
        return str(int(said) + 1) if hasattr(said, "__index__") else said  # numpy's integers, too

    choose.__module__ = agent.__module__
    return choose
