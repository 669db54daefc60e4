"""The engine for Gomoku, on the compiled kernel. Importing this raises ImportError without numba. Pure; does no I/O.

Making five in a row, and stopping it, needs no search and works under any limits. A search without a depth limit first
follows threats: fours, which have only one answer, then threes too. Between these attempts, each of which may take
longer than the one before, it searches one ply deeper at a time. A search with a depth limit searches exactly that many
plies, and no threats beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noughts.engine.analysis import Analysis, Interrupt, Limits, MoveValue
from noughts.engine.gomoku import kernel
from noughts.engine.weights import weights_of
from noughts.games import Position
from noughts.games.gomoku import GOMOKU
from noughts.games.mnk import LinePosition

TABLE_BITS = 18  # 16 MiB
DEEPEST = 60  # plies
SOLVED_FROM = 9
"""Empty cells: with so few left, the game is searched to its end."""
FOURS = (2, 4, 6, 8, 10, 12, 16, 24, 100)
"""The lengths of sequences of fours to try, one after the other, so that a win is not much longer than necessary."""
FOURS_NODES = 100_000
"""The most nodes for each length: some 0.1 s."""

LINES = 8
"""The number of moves that get a full line when a search is stopped: a line takes up to 0.1 ms."""

LINE_NODES = 2_000
"""The most nodes to find a move of a line that is no longer in the table."""

START = GOMOKU.start
assert isinstance(START, LinePosition)
BOARD = START.on
NAMES = tuple(BOARD.bits)
NAME_OF = {kernel.cell_of(number): name for number, name in enumerate(NAMES)}


@dataclass(slots=True, eq=False)
class _Child:
    """A move at the root, and its score for the side that plays it, in the kernel's units.

    ``known`` is the number of plies in which it wins, or minus that if it loses, as far as that is known without a
    search, otherwise 0. ``exact`` says that the score is the value, ``bound`` that it is an upper bound, ``near`` that
    the move is searched. ``depth`` is the number of plies searched, including this one.
    """

    name: str
    cell: int
    score: int
    known: int
    exact: bool = False
    bound: bool = False
    near: bool = False
    depth: int = 1


class GomokuEngine:
    """An :class:`~noughts.engine.analysis.Engine` for Gomoku. It keeps a transposition table of 2 ** ``table_bits``
    times 64 bytes from one search to the next.

    Exact values are wins in 1 and 3 plies and losses in 2 and 4, which need no search, and everything with few cells
    left. Any other forced win may not be the shortest, and is an estimate near 1000. If the opponent threatens to make
    five, ``best`` has moves that stop it, even if they fail. ``weights`` are those of the evaluation, see
    ``kernel.memory_of``, by default the package's.
    """

    def __init__(
        self, table_bits: int = TABLE_BITS, weights: kernel.Words | None = None, cells: kernel.Words | None = None
    ) -> None:
        self.game = GOMOKU
        self._memory = kernel.memory_of(
            table_bits,
            weights_of(__package__) if weights is None else weights,
            weights_of(__package__, "cells") if cells is None else cells,
        )
        self._empty = kernel.empty_board(self._memory)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. Raises TypeError for a position of another game."""
        if not isinstance(position, LinePosition) or position.on is not BOARD:
            raise TypeError("this engine is only for Gomoku on 15x15")
        if position.outcome is not None:
            return Analysis(-GOMOKU.win if position.outcome.winner else 0, True, {}, (), 1, 0)
        memory = self._memory
        kernel.set_up(memory, self._empty, *stones_of(position))
        memory[kernel.NODES] = memory[kernel.NEXT_POLL] = memory[kernel.STOPPED] = 0
        memory[kernel.NODE_LIMIT] = kernel.NO_LIMIT if limits.nodes is None else limits.nodes
        memory[kernel.AGE] = memory[kernel.AGE] % 127 + 1
        memory[kernel.HISTORY : kernel.KEYS] = 0
        return _Search(memory, position, limits, stop).run()

    def forget(self) -> None:
        """Empty the transposition table, so that the next search visits what the first would."""
        self._memory[kernel.TABLE :] = 0


def stones_of(position: LinePosition) -> tuple[list[int], list[int]]:
    """The cells of both sides' stones, as the kernel numbers them."""
    first, second = (
        [kernel.cell_of(number) for number, bit in enumerate(BOARD.ordered_bits) if taken & bit]
        for taken in (position.first, position.second)
    )
    return first, second


class _Search:
    """One search of the position that is set up in the memory."""

    def __init__(self, memory: kernel.Words, position: LinePosition, limits: Limits, stop: Interrupt) -> None:
        self.memory = memory
        self.flag: npt.NDArray[np.uint8] = np.frombuffer(stop.flag, np.uint8)
        self.every_move = limits.every_move
        self.empties = len(position.legal_moves)
        solvable = self.empties <= SOLVED_FROM
        self.plain = limits.depth is not None or solvable
        self.deepest = min(limits.depth or DEEPEST, self.empties)
        memory[kernel.PLAIN], memory[kernel.WHOLE] = self.plain, solvable
        self.salt = kernel.PLAIN_SALT + solvable if self.plain else 0
        self.forced = bool(memory[kernel.KINDS + 16 * (1 - int(memory[kernel.TURN])) + kernel.WON])
        self.children = self._glance(limits.depth or DEEPEST, position)
        self.near = [child for child in self.children if child.near]
        self.depth = 1

    def run(self) -> Analysis:
        if self.empties == 1:
            self.children[0].exact = True
        while self.depth < self.deepest and not (self._enough() and not self._widen()):
            if not self.plain and self._win_by_threats():
                break
            if self.stopped or not self._look_ahead(self.depth + 1):
                break
            self.depth += 1
        return self._analysis()

    @property
    def stopped(self) -> bool:
        return bool(self.memory[kernel.STOPPED])

    def _glance(self, depth: int, position: LinePosition) -> list[_Child]:
        """All moves, with what is known one ply ahead."""
        memory = self.memory
        kernel.glance(memory)
        found = memory[kernel.LISTS : kernel.LISTS + kernel.AREA].tolist()
        children = []
        for number, bit in enumerate(BOARD.ordered_bits):
            if (position.first | position.second) & bit:
                continue
            cell = kernel.cell_of(number)
            known = (found[cell] & 15) - kernel.PROVED
            child = _Child(NAMES[number], cell, found[cell] >> 4, known)
            if known and abs(known) <= depth:
                child.exact = True
                child.score = kernel.WIN - known if known > 0 else -kernel.WIN - known
            children.append(child)
        end = kernel.LISTS + kernel.list_candidates(memory)
        self.likely = {packed & 511 for packed in memory[kernel.LISTS : end].tolist()}
        for child in children:
            child.near = memory[kernel.WHOLE] != 0 or child.cell in self.likely
        return children

    def _enough(self) -> bool:
        """True if a deeper search would find no more."""
        if all(child.score < -kernel.SURE or (child.score > kernel.SURE and not child.bound) for child in self.near):
            return True
        if self.every_move:
            return False
        # A single move only needs a rough estimate.
        return self._best()[0].score > kernel.SURE or (len(self.near) == 1 and not self.plain and self.depth >= 4)

    def _widen(self) -> bool:
        """Include all other moves in the search, with ``every_move``. Returns whether there are any."""
        others = [child for child in self.children if not (child.near or child.exact)]
        if not self.every_move or self.plain or not others:
            return False
        for child in others:
            child.near = True
        self.near += others
        return True

    def _win_by_threats(self) -> bool:
        """Look for a win by threats, more of them at greater depths. Returns whether the search can end."""
        if self.depth == 1:
            tries = [(fours, 0, FOURS_NODES) for fours in FOURS]
        else:
            threes = self.depth
            tries = [(2 * threes + 4, threes, max(2_000, int(self.memory[kernel.NODES]) // 3))]
        for left, threes, nodes in tries:
            plies = kernel.win_by_threats(self.memory, self.flag, left, threes, nodes)
            if plies > 0:
                cell = kernel.first_threat(self.memory)
                child = next((child for child in self.children if child.cell == cell), None)
                if child is None or child.exact:  # a five or an open four, which is known, or no longer in the table
                    return False
                child.score, child.bound, child.near = max(child.score, kernel.WIN - plies), False, True
                child.depth = self.depth + 1
                self.near = [child, *[other for other in self.near if other is not child]]
                return not self.every_move
        return False

    def _value(self, child: _Child, alpha: int, beta: int, depth: int) -> int:
        """The value of the move, or a bound outside the window, by a search of ``depth`` plies."""
        kernel.put(self.memory, child.cell)
        value = -kernel.look_ahead(self.memory, self.flag, depth - 1, -beta, -alpha, 1)
        kernel.take(self.memory, child.cell)
        return value

    def _less(self, number: int, depth: int) -> int:
        """By how many plies to search the move with this number in the order less deeply."""
        if self.plain or self.forced:
            return 0
        return min(int(self.memory[kernel.REDUCED + 32 * min(depth, 31) + min(number, 31)]), depth - 2)

    def _look_ahead(self, depth: int) -> bool:
        """Search the moves to ``depth`` plies, the most promising first. Returns False if stopped."""
        self.near.sort(key=lambda child: (child.bound, -child.score))
        self.memory[kernel.HISTORY : kernel.KILLERS] >>= 1  # recent refutations count more
        low = -kernel.INFINITY
        # A search of limited depth finds all equally good moves, the other only the first.
        tied = int(self.plain)
        for number, child in enumerate(self.near):
            bound = False
            if child.exact or child.score > kernel.SURE:
                value = child.score
            elif self.every_move or low == -kernel.INFINITY:
                value = self._value(child, -kernel.INFINITY, kernel.INFINITY, depth)
            else:
                less = self._less(number, depth)
                value = self._value(child, low - tied, low - tied + 1, depth - less)
                if less and value > low and not self.stopped:
                    value = self._value(child, low, low + 1, depth)
                bound = value <= low - tied
                if not bound and not self.stopped:
                    # If the search is stopped before it knows by how much, at least this move is known to be better.
                    child.score, child.bound, child.depth = value, False, depth
                    value = self._value(child, low - tied, kernel.INFINITY, depth)
            if self.stopped:
                return False
            child.score, child.bound, child.depth = value, bound, depth
            if self.memory[kernel.WHOLE] and not bound:
                # No move was left out, so a win is the soonest and a loss the latest.
                child.exact = child.exact or depth >= self.empties or abs(value) > kernel.SURE
            low = max(low, value)
        return True

    def _best(self) -> list[_Child]:
        """The moves that no other is known to beat."""
        found = [child for child in self.near if not child.bound]
        # Only estimates of equal depth can be compared; the previous best move is searched first. But if all moves that
        # were searched deeper lose, shallower estimates and bounds must do.
        deepest = max(child.depth for child in found)
        deeper = [child for child in found if child.depth == deepest or child.exact or child.score > kernel.SURE]
        if max(child.score for child in deeper) > -kernel.SURE:
            found = deeper
        elif max(child.score for child in found) < -kernel.SURE:
            found = [child for child in self.near if child.score > -kernel.SURE] or found
        score = max(child.score for child in found)
        best = [child for child in self.children if child in found and child.score == score]
        return [child for child in best if child.cell in self.likely] or best

    def _analysis(self) -> Analysis:
        best = self._best()
        top = best[0]
        nodes = int(self.memory[kernel.NODES]) + 1
        won = top.exact and top.score > kernel.SURE
        least = min((child.score for child in self.near if child.score > -kernel.SURE), default=top.score)
        known = {child for child in self.children if child.near or child.exact}
        lined = {*best, *(sorted(known, key=lambda child: -child.score)[:LINES] if self.stopped else known)}
        moves = {}
        for child in self.children:
            wanted = self.every_move or child in best
            exact = child.exact and wanted
            score = child.score
            if not exact and child not in best:
                score = min(score if wanted or child.bound else top.score, top.score - won)
                if wanted and not child.near:
                    score = min(score, least)
            line = self._line(child) if wanted and child in lined else (child.name,)
            depth = child.depth if wanted and child.near and not child.bound else 0
            moves[child.name] = MoveValue(
                _as_value(score), exact, _distance(child, self.empties) if exact else None, line, depth
            )
        exact = top.exact and (top.score > kernel.SURE or all(child.exact for child in self.children))
        return Analysis(_as_value(top.score), exact, moves, tuple(child.name for child in best), nodes, self.depth)

    def _line(self, child: _Child) -> tuple[str, ...]:
        """The principal variation as far as the table has it."""
        memory, cells = self.memory, [child.cell]
        kernel.put(memory, child.cell)
        sure = abs(child.score) > kernel.SURE
        longest = kernel.WIN - abs(child.score) if sure else child.depth + 8
        while len(cells) < longest and memory[kernel.STONES] < kernel.SIZE * kernel.SIZE:
            cell, ended = self._next(sure=sure, winning=sure and (len(cells) % 2 == 0) == (child.score > 0))
            if not cell:
                break
            kernel.put(memory, cell)
            cells.append(cell)
            if ended:
                break
        for cell in reversed(cells):
            kernel.take(memory, cell)
        return tuple(NAME_OF[cell] for cell in cells)

    def _next(self, *, sure: bool, winning: bool) -> tuple[int, bool]:
        """The expected move in the current position, 0 if unknown, and whether it makes five.

        ``sure`` says that the game is decided, ``winning`` that the side to move wins it.
        """
        memory = self.memory
        me = int(memory[kernel.TURN])
        own, other = kernel.KINDS + 16 * me, kernel.KINDS + 16 * (1 - me)
        end = kernel.LISTS + kernel.list_candidates(memory)
        likely = memory[kernel.LISTS : end]
        if memory[own + kernel.FIVE_NOW] or memory[other + kernel.FIVE_NOW]:
            return int(likely.max()) & 511, bool(memory[own + kernel.FIVE_NOW])
        if sure and memory[own + kernel.WON]:
            makes = memory[kernel.MAKES + me * kernel.AREA : kernel.MAKES + (me + 1) * kernel.AREA]
            here = (memory[kernel.KIND + makes] & 15 == kernel.WON) & (
                memory[kernel.WHO : kernel.WHO + kernel.AREA] == kernel.EMPTY
            )
            return int(here.argmax()), False
        cell = 0
        if winning:
            if not kernel.first_threat(memory):
                kernel.win_by_threats(memory, self.flag, FOURS[-1], 0, LINE_NODES)
            cell = int(kernel.first_threat(memory))
        cell = cell or int(kernel.remembered(memory, self.salt))
        if not cell and sure:
            cell = int(likely.max()) & 511
        return (cell, False) if cell and memory[kernel.WHO + cell] == kernel.EMPTY else (0, False)


def _as_value(score: int) -> int:
    """A kernel score as a value: wins and losses count from 1000 down."""
    if score > kernel.SURE:
        return score - kernel.WIN + GOMOKU.win
    return score + kernel.WIN - GOMOKU.win if score < -kernel.SURE else score


def _distance(child: _Child, empties: int) -> int:
    """The plies to the end of the game after a move with an exact value."""
    return kernel.WIN - abs(child.score) if abs(child.score) > kernel.SURE else empties
