"""The engine for Go and Hex, on the compiled kernel. Importing this raises ImportError without numba. Pure; no I/O."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from noughts.engine.analysis import Analysis, Bound, Interrupt, Limits, MoveValue
from noughts.engine.playouts import kernel, patterns
from noughts.engine.textbook import Textbook
from noughts.games import Game, Position
from noughts.games.base import SWAP
from noughts.games.go import PASS, GoPosition
from noughts.games.hex import HexPosition

TREE_SIZE = 1 << 19
"""The most nodes of the tree, 32 MiB."""

LINE_PLAYOUTS = 20
"""A line ends before a move that had fewer."""


class PlayoutEngine:
    """An :class:`~noughts.engine.analysis.Engine` for a ``game`` of Go or of Hex, on boards of any size.

    It searches by playouts, which ``seed`` decides: the same seed, position and limit of nodes give the same analysis.
    Estimates have their ``playouts`` and ``mean``. Exact are only a win at once and the loss before it; every other
    proved result is a bound. A search of limited depth whose playouts are not limited is that of
    :class:`~noughts.engine.textbook.Textbook`.
    """

    def __init__(self, game: Game, seed: int = 1, tree_size: int = TREE_SIZE) -> None:
        if tree_size <= kernel.LARGEST**2 + 1:
            raise ValueError("the tree must have room for the root and all its moves")
        self.game = game
        self.seed = seed
        self._textbook = Textbook(game)
        start = game.start
        if isinstance(start, GoPosition):
            self._memory = kernel.memory_of(kernel.GO, start.on.size, start.komi)
        elif isinstance(start, HexPosition):
            self._memory = kernel.memory_of(kernel.HEX, start.on.size, 0)
        else:
            raise TypeError(f"a game of Go or Hex, not {game.title}")
        self._tree, self._sums = kernel.tree_of(tree_size)
        self._patterns = patterns.table()
        names = {
            kernel.STRIDE * row + column: name
            for row, line in enumerate(game.layout, 1)
            for column, name in enumerate(line, 1)
        }
        self._cells = {name: cell for cell, name in names.items()}
        self._names = {**names, kernel.PASS: PASS if isinstance(start, GoPosition) else SWAP}

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. Raises TypeError for a position of another game."""
        if type(position) is not type(self.game.start):
            raise TypeError(f"a position of {self.game.title}, not {type(position).__name__}")
        if position.outcome is not None or (limits.depth is not None and limits.playouts is None):
            return self._textbook.analyse(position, limits, stop)
        memory = self._memory
        self._set_up(position)
        memory[kernel.RANDOM] = 0x9E3779B97F4A7C15 * (2 * self.seed + 1) & (1 << 62) - 1
        memory[kernel.NODE_LIMIT] = kernel.NO_LIMIT if limits.nodes is None else limits.nodes
        memory[kernel.PLAYOUT_LIMIT] = kernel.NO_LIMIT if limits.playouts is None else limits.playouts
        memory[kernel.EVERY] = limits.every_move
        kernel.search(memory, self._tree, self._sums, self._patterns, np.frombuffer(stop.flag, np.uint8))
        return self._analysis(position)

    def _set_up(self, position: Position) -> None:
        """Put ``position`` on the board of the memory."""
        memory = self._memory
        kernel.clear(memory)
        assert isinstance(position, GoPosition | HexPosition)
        # No stone of the first side is taken before the second side's are there, and none of theirs without liberties.
        for color, stones in (kernel.FIRST, position.first), (kernel.SECOND, position.second):
            for name in position.on.names(stones):
                memory[kernel.TURN] = color
                kernel.put(memory, self._cells[name])
        memory[kernel.TURN] = kernel.FIRST if position.side == "first" else kernel.SECOND
        memory[kernel.KO] = memory[kernel.LAST] = memory[kernel.NODES] = memory[kernel.PAST] = 0
        if isinstance(position, HexPosition):
            memory[kernel.SWAPS] = max(0, 2 - position.ply) if position.swaps and not position.swapped else 0
            return
        memory[kernel.PASSES] = position.passes
        boards = list(_boards(position))[: kernel.MOST_BOARDS // 2]
        for number, (first, second) in enumerate(reversed(boards)):
            key = 0
            for side, stones in enumerate((first, second)):
                for name in position.on.names(stones):
                    key ^= int(memory[kernel.KEYS + side * kernel.AREA + self._cells[name]])
            memory[kernel.BOARDS + number] = key
        memory[kernel.PAST] = len(boards)
        if len(boards) > 1 and not position.passes:
            side = position.side == "first"
            new = position.on.names(boards[0][side] & ~boards[1][side])
            memory[kernel.LAST] = self._cells[new[0]] if new else 0

    def _analysis(self, position: Position) -> Analysis:
        tree, nodes = self._tree, int(self._memory[kernel.NODES]) + 1
        children = {self._names[int(tree[child, kernel.MOVE])]: child for child in self._children(0)}
        moves = {move: self._value(position, move, children[move]) for move in position.legal_moves}
        ends = [name for name, move in moves.items() if move.exact and move.value > 0]
        best = ends[0] if ends else self._best(children)
        top = moves[best]
        for name, move in moves.items():
            # With fewer playouts a higher mean is chance, and must not stand above the move that the search prefers.
            if move.mean is not None and top.mean is not None and move.value > top.value:
                moves[name] = replace(move, value=top.value)
        choices = tuple(name for name, move in moves.items() if name == best or (top.exact and move.value == top.value))
        depth = int(all(tree[child, kernel.VISITS] for child in children.values()))
        return Analysis(top.value, top.exact and top.value > 0, moves, choices, nodes, depth)

    def _children(self, node: int) -> range:
        start = int(self._tree[node, kernel.CHILDREN])
        return range(start, start + int(self._tree[node, kernel.COUNT]))

    def _best(self, children: dict[str, int]) -> str:
        """The move to play if none wins at once: one that wins, else the one with the most playouts or a draw."""
        tree = self._tree
        visits = {move: int(tree[child, kernel.VISITS]) for move, child in children.items()}
        by_status: dict[int, list[str]] = {}
        for move, child in children.items():
            by_status.setdefault(int(tree[child, kernel.STATUS]), []).append(move)
        most = {status: max(moves, key=visits.__getitem__) for status, moves in by_status.items()}
        if kernel.WON in most:
            return most[kernel.WON]
        undecided, drawn = most.get(kernel.UNKNOWN), most.get(kernel.DRAWN)
        if undecided and (not drawn or self._sums[children[undecided], kernel.WINS] * 2 > visits[undecided]):
            return undecided
        return drawn or most[kernel.LOST]

    def _value(self, position: Position, move: str, child: int) -> MoveValue:
        status, playouts = int(self._tree[child, kernel.STATUS]), int(self._tree[child, kernel.VISITS])
        if not playouts:
            return MoveValue(0, False, None, (move,))
        line = (move, *self._line(child))
        if status in (kernel.WON, kernel.DRAWN) and position.play(move).outcome is not None:
            return MoveValue(self.game.win - 1 if status == kernel.WON else 0, True, 1, (move,), playouts=playouts)
        if status == kernel.WON:
            return MoveValue(1, False, None, line, bound=Bound.LOWER, playouts=playouts)
        if status == kernel.LOST:
            return MoveValue(-1, False, None, line, bound=Bound.UPPER, playouts=playouts)
        mean = 0.5 if status == kernel.DRAWN else float(self._sums[child, kernel.WINS]) / playouts
        assert self.game.heuristic is not None
        odds = max(mean, 1e-6) / max(1 - mean, 1e-6)
        value = round(self.game.heuristic.unit * math.log10(odds))
        return MoveValue(value, False, None, line, playouts=playouts, mean=mean)

    def _line(self, node: int) -> Iterator[str]:
        """The moves after a node that were played most often, or that win."""
        tree = self._tree
        while self._children(node):
            # Each column is a number for each child.
            _, _, _, visits, status = tree[self._children(node)].T
            node = self._children(node)[int(np.argmax(visits + (status == kernel.WON) * kernel.NO_LIMIT))]
            if tree[node, kernel.VISITS] < LINE_PLAYOUTS and tree[node, kernel.STATUS] != kernel.WON:
                return
            yield self._names[int(tree[node, kernel.MOVE])]


def _boards(position: GoPosition) -> Iterator[tuple[int, int]]:
    """The stones of both sides on the boards of a game of Go, the present one first."""
    past, second = position.past, (1 << position.on.width) - 1
    while past is not None:
        yield past[0] >> position.on.width, past[0] & second
        past = past[1]
