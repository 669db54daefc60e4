"""The engine for Reversi, on the compiled kernel. Reads package data; no other I/O.

Far from the end the search deepens one ply at a time and estimates; without a limit of depth it searches moves that
seem worse or better by far less deeply. Once the rest of the game can be solved in about the time of the next ply, it
is solved, and the values are final differences in discs, with empty cells counted for the winner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noughts.engine.analysis import Analysis, Bound, Interrupt, Limits, MoveValue
from noughts.engine.reversi import board, endgame, features, kernel, table
from noughts.engine.reversi.evaluation import memory_of
from noughts.games import Position, Side
from noughts.games.reversi import CELLS, PASS, REVERSI, ReversiPosition, margin

NAMES = tuple(name for row in CELLS for name in row)
TABLE_BITS = 18  # 16 MiB
# With n empty cells the end is solved after a search of n - SOLVE_AFTER plies: that takes about as long as a search two
# plies deeper.
SOLVE_AFTER = 10
DOUBT = 15  # tenths of standard deviations by which a value must be off to be cut off by a shallower search
NEAR = 3 * features.POINTS  # half the width of the window around a value that is expected
WINDOW = 64 * features.POINTS + 1  # more than any value in points


@dataclass(slots=True)
class _Child:
    """A move at the root: its name, the discs after it of the side to move and of the other, and its value in points.

    ``earlier`` is the value of one ply less. ``bound`` says that the value is an upper bound. ``floor`` is a proved
    lower bound of the final difference in discs, None if there is none. ``depth`` is the number of plies searched,
    including this one.
    """

    name: str
    own: np.uint64
    opp: np.uint64
    points: int = 0
    earlier: int = 0
    exact: bool = False
    bound: bool = False
    floor: int | None = None
    depth: int = 1


class ReversiEngine:
    """An :class:`~noughts.engine.analysis.Engine` for Reversi. It keeps a transposition table of 2 ** ``table_bits``
    times 64 bytes from one search to the next.

    A depth of at least the number of empty cells is a search to the end, whatever the passes.
    """

    def __init__(self, table_bits: int = TABLE_BITS) -> None:
        self.game = REVERSI
        self._memory = memory_of(table_bits)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. Raises TypeError for a position of another game."""
        if not isinstance(position, ReversiPosition):
            raise TypeError(f"this engine is for Reversi, not for {type(position).__name__}")
        memory = self._memory
        memory[table.NODES] = memory[table.NEXT_POLL] = memory[table.STOPPED] = 0
        memory[table.NODE_LIMIT] = table.TOP if limits.nodes is None else limits.nodes
        memory[table.AGE] = memory[table.AGE] % 255 + 1
        memory[table.DOUBT] = DOUBT if limits.depth is None else 0
        if position.to_move is None:
            value = margin(position) if position.side is Side.FIRST else -margin(position)
            return Analysis(value, True, {}, (), 1, 0)
        return _Search(memory, position, limits, stop).run()


class _Search:
    """One search of one position."""

    def __init__(self, memory: board.Words, position: ReversiPosition, limits: Limits, stop: Interrupt) -> None:
        self.memory = memory
        self.flag: npt.NDArray[np.uint8] = np.frombuffer(stop.flag, np.uint8)
        self.every_move = limits.every_move
        self.empties = 64 - (position.first | position.second).bit_count()
        self.deepest = self.empties if limits.depth is None else limits.depth
        self.children = _children(position)
        self.order = list(self.children)
        self.depth = 0
        self.solved = False  # whether the best move is solved and no other is better

    def run(self) -> Analysis:
        for child in self.children:
            child.points = child.earlier = -self._estimate(child, -WINDOW, WINDOW, 0)
        self.depth = 1
        solvable = self.deepest >= self.empties
        ahead = max(2, self.empties - SOLVE_AFTER) if solvable else self.deepest
        for depth in range(2, ahead + 1):
            if not self._look_ahead(depth):
                break
            self.depth = depth
        # A selective search to the end finds about what the values are, and good moves to try first.
        if solvable and not self.stopped and (self.empties <= kernel.LOOK_FROM or self._look_ahead(self.empties)):
            self._solve()
        return self._analysis()

    @property
    def stopped(self) -> bool:
        return bool(self.memory[table.STOPPED])

    def _estimate(self, child: _Child, alpha: int, beta: int, depth: int) -> int:
        """The estimated value for the opponent after the move, in points."""
        return kernel.look_ahead(self.memory, self.flag, child.own, child.opp, alpha, beta, depth)

    def _exact(self, child: _Child, alpha: int, beta: int) -> int:
        """The final value for the opponent after the move, in discs."""
        return kernel.solve(self.memory, self.flag, child.own, child.opp, alpha, beta)

    def _estimate_near(self, child: _Child, depth: int) -> int:
        """The estimated value of the move, searched first in a window around that of two plies less (aspiration)."""
        low, high = child.earlier - NEAR, child.earlier + NEAR
        points = -self._estimate(child, -high, -low, depth - 1)
        if not self.stopped and not low < points < high:
            points = -self._estimate(child, -WINDOW, WINDOW, depth - 1)
        return points

    def _exact_near(self, child: _Child) -> int:
        """The final value of the move in discs, searched in narrow windows, the first of them around the estimate."""
        at, least, most = 2 * round(child.points / features.POINTS / 2), -64, 64
        while least < most:
            at = max(least, min(at, most))
            value = -self._exact(child, -at - 1, 1 - at)
            if self.stopped or value == at:
                return value
            # Outside of the window it is only a bound.
            if value < at:
                most = value
            else:
                least = value
            at = value
        return least

    def _look_ahead(self, depth: int) -> bool:
        """Search the moves to ``depth`` plies, the most promising first. Returns False if stopped."""
        self.order.sort(key=lambda child: (child.bound, -child.points))
        low = -WINDOW
        for child in self.order:
            if low > -WINDOW and not self.every_move:
                points = -self._estimate(child, -low - 1, -low, depth - 1)
                if points > low and not self.stopped:
                    # If the search is stopped before it knows by how much, at least this move is known to be better.
                    child.points, child.bound, child.depth = points, False, depth
                    points = -self._estimate(child, -WINDOW, -low, depth - 1)
            else:
                points = self._estimate_near(child, depth)
            if self.stopped:
                return False
            child.earlier, child.points, child.bound = child.points, points, points <= low and not self.every_move
            child.depth = depth
            low = max(low, points)
        return True

    def _solve(self) -> None:
        """Solve the best move, show that no other is better, then solve those that may be as good, or all."""
        self.order.sort(key=lambda child: (child.bound, -child.points))
        best = endgame.WORST
        for child in self.order:
            if best == endgame.WORST:
                value = self._exact_near(child)
                exact = True
            else:
                value = -self._exact(child, -best - 1, -best)
                exact = value > best
                if exact and value < 64 and not self.stopped:
                    # If the search is stopped before it knows by how much, at least this move is known to be better.
                    child.points, child.bound, child.floor = value * features.POINTS, False, value
                    value = -self._exact(child, -64, -best)
            if self.stopped:
                return
            self._settle(child, value, exact=exact)
            best = max(best, value)
        self.solved = True
        self.depth = self.empties
        for child in self.order:
            most = child.points // features.POINTS
            if not child.bound or (most < best and not self.every_move):
                continue
            value = -self._exact(child, -most - 1, 64 if self.every_move else 1 - best)
            if self.stopped:
                return
            self._settle(child, value, exact=self.every_move or value == best)

    def _settle(self, child: _Child, value: int, *, exact: bool) -> None:
        """Record the final value of the move, or an upper bound."""
        child.points, child.exact, child.bound = value * features.POINTS, exact, not exact
        if exact:
            child.floor = value

    def _analysis(self) -> Analysis:
        best = self._best()
        top = round(best[0].points / features.POINTS)
        nodes = int(self.memory[table.NODES])
        moves = {}
        for child in self.children:
            line: tuple[str, ...] = (child.name,)
            ended = False
            if self.every_move and child.exact:
                line, ended = self._line_to_the_end(child)
            elif self.every_move and not child.bound:
                line = self._line(child)
            value = round(child.points / features.POINTS)
            bound = self._bound(child)
            if bound is None and not child.exact:
                value = min(value, top)
            looked = 0 if child.bound else child.depth
            moves[child.name] = MoveValue(value, child.exact, len(line) if ended else None, line, looked, bound)
        # Until all moves are searched, only a win by the whole board is known to be the best.
        exact = best[0].exact and (self.solved or best[0].floor == 64)
        names = tuple(child.name for child in self.children if child in best)
        return Analysis(top, exact, moves, names, nodes, self.depth)

    def _bound(self, child: _Child) -> Bound | None:
        """The bound that the solver has proved for the value of the move, None if it is exact or estimated."""
        if child.exact:
            return None
        if child.bound:
            return Bound.UPPER if self.solved or self.every_move else None
        return None if child.floor is None else Bound.LOWER

    def _best(self) -> list[_Child]:
        """The moves that no other is known to beat, the best of them first."""
        floors = [child.floor for child in self.children if child.floor is not None]
        most = max(floors, default=0)
        surest = [child for child in self.children if child.floor == most]
        # If the solver was stopped, the move that it was solving had the best estimate of the rest.
        if most > 0 or self.solved or not all(child.exact for child in surest):
            return surest
        found = [child for child in self.children if not child.bound]
        if not floors:
            # Only estimates of equal depth can be compared; the previous best move is searched first.
            deepest = max(child.depth for child in found)
            found = [child for child in found if child.depth == deepest]
        points = max(child.points for child in found)
        return [child for child in found if child.points == points]

    def _line(self, child: _Child) -> tuple[str, ...]:
        """The principal variation as far as the table has it."""
        line, own, opp = [child.name], child.own, child.opp
        while len(line) < child.depth:
            moves = int(board.moves_of(own, opp))
            if not moves and not board.moves_of(opp, own):
                break
            cell = int(kernel.remembered(self.memory, own, opp))
            if moves and not moves >> cell & 1:
                break
            own, opp = _after(own, opp, cell if moves else None)
            line.append(NAMES[cell] if moves else PASS)
        return tuple(line)

    def _line_to_the_end(self, child: _Child) -> tuple[tuple[str, ...], bool]:
        """The principal variation, and whether it reaches the end of the game, which it does unless stopped."""
        line, own, opp = [child.name], child.own, child.opp
        value = -child.points // features.POINTS
        while True:
            moves = int(board.moves_of(own, opp))
            if not moves:
                if not board.moves_of(opp, own):
                    return tuple(line), True
                line.append(PASS)
                own, opp, value = opp, own, -value
                continue
            for cell in self._likely(own, opp, moves):
                after = _after(own, opp, cell)
                if kernel.solve(self.memory, self.flag, *after, -value, -value + 1) <= -value and not self.stopped:
                    break
            if self.stopped:
                return tuple(line), False
            line.append(NAMES[cell])
            own, opp = after
            value = -value

    def _likely(self, own: np.uint64, opp: np.uint64, moves: int) -> list[int]:
        """The cells of ``moves``, the table's best move first, then by the number of replies."""
        cells = [cell for cell in range(64) if moves >> cell & 1]
        first = int(kernel.remembered(self.memory, own, opp))
        replies = {cell: int(board.moves_of(*_after(own, opp, cell))).bit_count() for cell in cells}
        return sorted(cells, key=lambda cell: (cell != first, replies[cell]))


def _after(own: np.uint64, opp: np.uint64, cell: int | None) -> tuple[np.uint64, np.uint64]:
    """The discs of the side to move, and of the other, after ``cell`` is played; None is a pass."""
    if cell is None:
        return opp, own
    turned = board.turned_by(np.uint64(cell), own, opp)
    return opp ^ turned, own | turned | np.uint64(1 << cell)


def _children(position: ReversiPosition) -> list[_Child]:
    """The moves, in board order."""
    discs = (position.first, position.second) if position.side is Side.FIRST else (position.second, position.first)
    own, opp = np.uint64(discs[0]), np.uint64(discs[1])
    if not position.moves:
        return [_Child(PASS, opp, own)]
    return [_Child(NAMES[cell], *_after(own, opp, cell)) for cell in range(64) if position.moves >> cell & 1]
