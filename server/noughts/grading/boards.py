"""The boards that students make: how theirs look, and their names of moves. Pure; does no I/O.

A board is a list of rows or one list of all cells. What is in a cell is found in the student's file: in what
``initial_state()`` returns, in its constants, and in the literals that it compares cells with.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from noughts.games import Game, Position, Side

STARTS = ("initial_state", "initial_board", "new_board", "create_board", "make_board", "empty_board", "init_board")
"""Functions that return the board at the start of a game, without an argument."""

BOARDS = ("board", "initial", "grid", "state", "the_board", "theboard", "game_board", "cells")
"""Constants that may be the board at the start of a game."""

EMPTIES = ("empty", "blank", "e", "none")
FIRSTS = ("x", "first", "player_x", "playerx", "player1", "player_1", "p1", "cross")
SECONDS = ("o", "second", "player_o", "playero", "player2", "player_2", "p2", "nought")
SIDES = ("ai", "human", "computer", "comp", "player", "opponent", "bot", "user", "me", "enemy", "hu", "hu_player",
         "ai_player", "huplayer", "aiplayer", "max_player", "min_player", "maximizer", "minimizer")  # fmt: skip
"""Constants whose values are marks of the two sides, in an order that nobody knows."""


@dataclass(frozen=True)
class Board:
    """The look of a student's board. ``empty`` is a value, or for cells that have their number, the first number.

    ``marks`` are the values of the first and of the second side.
    """

    nested: bool
    marks: tuple[Any, Any]
    empty: Any = None
    numbered: bool = False
    build: Callable[[list[Any]], Any] = list

    def of(self, game: Game, position: Position) -> Any:
        """The position as such a board."""
        known = dict(zip((game.first.symbol, game.second.symbol), self.marks, strict=True))
        cells = [cell for row in position.rows for cell in row]
        own = [known.get(cell, self._vacant(number)) for number, cell in enumerate(cells)]
        if not self.nested:
            return self.build(own)
        width = len(position.rows[0])
        return self.build([own[start : start + width] for start in range(0, len(own), width)])

    def _vacant(self, number: int) -> Any:
        if not self.numbered:
            return self.empty
        return type(self.empty)(int(self.empty) + number)

    def mark(self, side: Side) -> Any:
        """The value of a side."""
        return self.marks[0 if side is Side.FIRST else 1]

    def move(self, game: Game, said: Any) -> str | None:
        """The name of a move: a pair of a row and a column, the number of a cell, or of a column if they are played."""
        names = [name for row in game.layout for name in row]
        if isinstance(said, str) and not self.numbered:
            return said if said in names else None
        if isinstance(said, list | tuple) and len(said) == 2 and all(map(_is_index, said)):
            row, column = map(int, said)
            by_column = len(game.layout) == 1
            rows = len(game.start.rows)
            if not (0 <= row < rows and 0 <= column < len(game.layout[0])):
                return None
            return game.layout[0 if by_column else row][column]
        if self.nested and len(game.layout) > 1:
            return None  # one number says nothing about rows and columns
        if not _is_index(said) and not (isinstance(said, str) and said.isdecimal()):
            return None
        number = int(said) - (int(self.empty) if self.numbered else 0)
        return names[number] if 0 <= number < len(names) else None


def _is_index(said: Any) -> bool:
    return hasattr(said, "__index__") and not isinstance(said, bool)


def holds(game: Game) -> bool:
    """True if such a board says all of a position: a cell is empty or has the mark of a side, and nothing is beside."""
    return not (game.pieces or game.counts or game.held)


def representation(names: Mapping[str, Any], nodes: Iterable[ast.AST]) -> Board:
    """The look of the boards of a file that has ``names`` and the syntax ``nodes``."""
    syntax = list(nodes)
    sample = _sample(names)
    compared = _compared(syntax)
    marks, empty, numbered = _marks(names, compared), _named(names, EMPTIES, _NOTHING), False
    if sample is not None:
        nested, build = _is_nested(sample), _builder(sample)
        cells = [cell for row in sample for cell in row] if nested else list(sample)
        if cells and _counts(cells):
            empty, numbered = cells[0], True
        elif cells and all(cell == cells[0] for cell in cells):
            empty = cells[0]
    else:
        nested, build = _indexed_twice(syntax), _array if _indexed_by_pairs(syntax) else list
        nested = nested or build is _array
        if not nested and (first := _numbered_from(syntax)) is not None:
            empty, numbered = first, True
    if empty is _NOTHING:
        empty = 0 if build is _array and marks is None else _empty_of(compared, marks)
    if empty == 0 and not numbered and isinstance(empty, int) and marks is None:
        marks = (1, 2) if 2 in compared and -1 not in compared else (1, -1)
    return Board(nested, marks or ("X", "O"), empty, numbered, build)


_NOTHING = object()


def _sample(names: Mapping[str, Any]) -> Any:
    """A board at the start of a game, None if the file has none."""
    for name in STARTS:
        if callable(make := names.get(name)):
            try:
                found = make()
            except Exception:  # noqa: S112 - it needs something, or is wrong: that shows when it is graded
                continue
            if _is_board(found):
                return found
    for name, found in names.items():
        if name.casefold() in BOARDS and _is_board(found):
            return deepcopy(found)
    others = [each for name, each in names.items() if not name.startswith("__") and _is_empty_board(each)]
    return deepcopy(others[0]) if others else None


def _is_empty_board(found: Any) -> bool:
    """True if a list of any name is an empty board: its cells are all the same, or have their numbers."""
    if not isinstance(found, list) or not _is_board(found):
        return False
    nested = _is_nested(found)
    rows = found if nested else [found]
    cells = [cell for row in rows for cell in row]
    square = len(found) > 2 and len({len(row) for row in rows}) == 1 and len(found[0]) > 2 if nested else True
    return square and all(map(_is_mark, cells)) and (len(set(map(repr, cells))) == 1 or (not nested and _counts(cells)))


def _counts(cells: list[Any]) -> bool:
    """True if the cells have their numbers, from 0 or from 1."""
    return all(str(cell) == str(number) for number, cell in enumerate(cells, int(str(cells[0]) == "1")))


def _is_board(found: Any) -> bool:
    if hasattr(found, "tolist"):
        found = found.tolist()
    if isinstance(found, str):
        return len(found) >= 9
    if not isinstance(found, list | tuple):
        return False
    return len(found) >= 9 or (len(found) > 1 and all(isinstance(row, list | tuple) for row in found))


def _is_nested(sample: Any) -> bool:
    return getattr(sample, "ndim", 1) == 2 or isinstance(sample[0], list | tuple)


def _builder(sample: Any) -> Callable[[list[Any]], Any]:
    if hasattr(sample, "tolist"):
        return _array
    if isinstance(sample, str):
        return "".join
    if isinstance(sample, tuple):
        return lambda cells: tuple(tuple(row) if isinstance(row, list) else row for row in cells)
    return list


def _array(cells: list[Any]) -> Any:
    return sys.modules["numpy"].array(cells)


def _named(names: Mapping[str, Any], wanted: tuple[str, ...], default: Any = None) -> Any:
    folded = {name.casefold(): found for name, found in names.items() if _is_mark(found)}
    return next((folded[name] for name in wanted if name in folded), default)


def _is_mark(found: Any) -> bool:
    return found is None or (isinstance(found, str) and len(found) <= 1) or _is_index(found)


def _marks(names: Mapping[str, Any], compared: list[Any]) -> tuple[Any, Any] | None:
    """The marks of the first side and of the second."""
    first, second = _named(names, FIRSTS), _named(names, SECONDS)
    if first is not None and second is not None and first != second:
        return first, second
    folded = {name.casefold(): found for name, found in names.items() if _is_mark(found)}
    constants = [found for name, found in folded.items() if name in SIDES and found is not None]
    for known in (constants, compared):
        for pair in (("X", "O"), ("x", "o"), (1, -1), (1, 2)):
            numbers = isinstance(pair[0], int)
            if all(mark in known for mark in pair) and not (numbers and known is compared):
                return pair
    return None


def _compared(syntax: list[ast.AST]) -> list[Any]:
    """The literals of a file that may be marks: single characters, numbers and None."""
    found: list[Any] = []
    for node in syntax:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            if node.operand.value == 1:
                found.append(-1)
        elif isinstance(node, ast.Compare):
            found += [each.value for each in (node.left, *node.comparators) if isinstance(each, ast.Constant)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) == 1:
            found.append(node.value)
    return [each for each in found if _is_mark(each)]


def _empty_of(compared: list[Any], marks: tuple[Any, Any] | None) -> Any:
    """The value of an empty cell, by the literals of the file."""
    if marks is None or isinstance(marks[0], str):
        known = [each for each in (None, " ", "_", "-", ".", "") if each in compared]
        if known:
            return known[0]
    return 0 if (marks is not None and not isinstance(marks[0], str)) or (marks is None and 0 in compared) else None


def _numbered_from(syntax: list[ast.AST]) -> int | None:
    """The number of the first cell where a move is undone by ``board[cell] = cell``, None if none is."""
    for node in syntax:
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Subscript):
            cell, at = ast.dump(node.value), target.slice
            if isinstance(node.value, ast.Name | ast.Subscript | ast.Attribute) and ast.dump(at) == cell:
                return 0
            if isinstance(at, ast.BinOp) and isinstance(at.op, ast.Sub) and ast.dump(at.left) == cell:
                return 1
    return None


def _indexed_twice(syntax: list[ast.AST]) -> bool:
    return any(isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript) for node in syntax) or any(
        isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and node.iter.id in {"board", "state", "grid"}
        for node in syntax
    )


def _indexed_by_pairs(syntax: list[ast.AST]) -> bool:
    return "numpy" in sys.modules and any(
        isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) for node in syntax
    )
