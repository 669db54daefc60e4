"""Reflections and rotations of boards that do not change the rules. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Callable

from noughts.games.base import Game, Position
from noughts.games.connect4 import Connect4Position
from noughts.games.mnk import LinePosition
from noughts.games.reversi import ReversiPosition
from noughts.games.ultimate import UltimatePosition

Cells = tuple[tuple[str, ...], ...]
Turns = tuple[Callable[[Cells], Cells], ...]


def _mirrored(cells: Cells) -> Cells:
    return tuple(row[::-1] for row in cells)


def _overturned(cells: Cells) -> Cells:
    return cells[::-1]


def _transposed(cells: Cells) -> Cells:
    return tuple(zip(*cells, strict=True))


def turns_of(game: Game) -> Turns:
    """The reflections that do not change the rules of ``game``. None for a game from another package."""
    if isinstance(game.start, Connect4Position):
        return (_mirrored,)
    if isinstance(game.start, LinePosition | ReversiPosition | UltimatePosition):
        square = len(game.layout) == len(game.layout[0])
        return (_mirrored, _overturned, _transposed) if square else (_mirrored, _overturned)
    return ()


def canonical(game: Game, position: Position, turns: Turns) -> Cells:
    """A form that positions with the same side to move share if they are reflections or rotations of each other.

    It includes the legal moves, because in ultimate tic-tac-toe the board does not determine them.
    """
    legal = set(position.legal_moves)
    cells = tuple(
        tuple(symbol + "*" * (name in legal) for symbol, name in zip(row, names, strict=True))
        for row, names in zip(position.rows, game.layout, strict=True)
    )
    forms = {cells}
    for turn in turns:
        forms |= {turn(known) for known in forms}
    return min(forms)
