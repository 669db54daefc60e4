"""Ultimate tic-tac-toe searched by the compiled kernel. Pure; does no I/O.

A search looks ahead one ply more at a time, and tells estimates, until what it has found is proven: a win, or what
every move comes to. So a game's end is exact as soon as it is near enough to be searched.

There are two ways to search. One that is asked for a depth is plain: it finds what alpha-beta of just so many plies
does. Any other looks less far at moves that seem worse, and takes what the table has of deeper searches. What it proves
of who wins is true, but there may be a sooner win: so, when there is the time, a plain search looks whether there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from noughts.engine.analysis import Analysis, Interrupt, Limits, MoveValue
from noughts.engine.ultimate import kernel, lookup
from noughts.engine.weights import weights_of
from noughts.games import Position
from noughts.games.ultimate import ANYWHERE, FULL, PLACES, ULTIMATE, UltimatePosition

TABLE_BITS = 18  # 16 MiB
WINDOW = kernel.WIN + 1  # more than any value in points
DEEPEST = 200  # plies: more than a game has, because unlikely moves are searched less deeply
CELL = {name: 9 * cell.board + cell.place for name, cell in PLACES.items()}
NAMES = {number: name for name, number in CELL.items()}
Boards = npt.NDArray[np.uint64]


@cache
def fitted() -> npt.NDArray[np.int16]:
    """The tables of the evaluation, with the weights of the package."""
    return lookup.tables_of(weights_of("noughts.engine.ultimate")[0])


@dataclass(frozen=True, slots=True)
class Board:
    """A position for the kernel: the nine small boards and the other arguments of :func:`kernel.look_ahead`."""

    boards: Boards
    shift: np.uint64
    sent: np.uint64
    large: np.uint64


def board_of(position: UltimatePosition) -> Board:
    """An unfinished ``position`` for the kernel. Of a finished small board only the winner is kept."""
    boards = np.zeros(9, np.uint64)
    for board in range(9):
        first, second = position.first >> 9 * board & FULL, position.second >> 9 * board & FULL
        if position.finished >> board & 1:
            first = 0 if position.second_won >> board & 1 else FULL
            second = 0 if position.first_won >> board & 1 else FULL
        boards[board] = first | second << 9
    large = position.first_won | position.second_won << 9 | position.finished << 18
    sent = 9 if position.sent_to == ANYWHERE else position.sent_to
    return Board(boards, np.uint64(9 * (position.ply % 2)), np.uint64(sent), np.uint64(large))


@dataclass(slots=True)
class _Child:
    """A move at the root: its name, the position after it, its board for the kernel (None if it ends the game), and its
    value in points.

    ``bound`` says that the value is an upper bound, ``sure`` that nothing beyond the horizon can change it, ``settled``
    that no win is sooner either. ``depth`` is the number of plies searched, including this one, and ``no_win`` the
    number of plies within which it is known not to win.
    """

    name: str
    after: UltimatePosition
    board: Board | None
    points: int = 0
    bound: bool = False
    sure: bool = False
    settled: bool = False
    depth: int = 1
    no_win: int = 0

    @property
    def lost(self) -> bool:
        return self.points < -kernel.DECIDED

    @property
    def decided(self) -> bool:
        return abs(self.points) > kernel.DECIDED

    @property
    def exact(self) -> bool:
        return self.sure and not self.bound and (self.settled or not self.decided)


class UltimateEngine:
    """An :class:`~noughts.engine.analysis.Engine` for ultimate tic-tac-toe. It keeps a transposition table of 2 **
    ``table_bits`` times 64 bytes from one search to the next. ``weights`` are the tables of its evaluation, by
    default the fitted ones.
    """

    def __init__(self, table_bits: int = TABLE_BITS, weights: npt.NDArray[np.int16] | None = None) -> None:
        self.game = ULTIMATE
        self._memory = kernel.memory_of(table_bits, lookup.PACKED_RANKS)
        self._tables = fitted() if weights is None else weights

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. Raises TypeError for a position of another game.

        A win that may not be the soonest is an estimate. A draw has no distance, unless the move ends the game.
        """
        if not isinstance(position, UltimatePosition):
            raise TypeError(f"this engine is for ultimate tic-tac-toe, not for {type(position).__name__}")
        outcome = position.outcome
        if outcome is not None:
            return Analysis(0 if outcome.winner is None else -ULTIMATE.win, True, {}, (), 1, 0)
        memory = self._memory
        memory[kernel.NODES] = memory[kernel.NEXT_POLL] = memory[kernel.STOPPED] = 0
        memory[kernel.NODE_LIMIT] = kernel.TOP if limits.nodes is None else limits.nodes
        memory[kernel.AGE] = memory[kernel.AGE] % 255 + 1
        memory[kernel.PLAIN] = limits.depth is not None
        memory[int(kernel.HISTORY) : int(kernel.LISTS)] = 0
        return _Search(memory, self._tables, position, limits, stop).run()


class _Search:
    """One search of one position."""

    def __init__(
        self,
        memory: kernel.Words,
        weights: npt.NDArray[np.int16],
        position: UltimatePosition,
        limits: Limits,
        stop: Interrupt,
    ) -> None:
        self.memory = memory
        self.tables = weights
        self.flag: npt.NDArray[np.uint8] = np.frombuffer(stop.flag, np.uint8)
        self.every_move = limits.every_move
        self.deepest = DEEPEST if limits.depth is None else limits.depth
        self.children = [_child(position, move) for move in position.legal_moves]
        self.order = list(self.children)
        self.depth = 0

    def run(self) -> Analysis:
        while self.depth < self.deepest and not self._enough():
            if not self._look_ahead(self.depth + 1):
                break
            self.depth += 1
        self._settle()
        return self._analysis()

    @property
    def stopped(self) -> bool:
        return bool(self.memory[kernel.STOPPED])

    @property
    def plain(self) -> bool:
        return bool(self.memory[kernel.PLAIN])

    def _value(self, board: Board, alpha: int, beta: int, depth: int) -> tuple[int, bool]:
        """The value of ``board`` for the side to move there, in points, and whether it is sure."""
        self.memory[int(kernel.BOARDS) : int(kernel.BOARDS) + 9] = board.boards
        found = kernel.look_ahead(
            self.memory, self.flag, self.tables, board.shift, board.sent, board.large, alpha, beta, depth
        )
        return found >> 1, bool(found & 1)

    def _enough(self) -> bool:
        """True if a deeper search would find no more."""
        if not self.depth:
            return False
        if not self.every_move and max(child.points for child in self.children if not child.bound) > kernel.DECIDED:
            return True
        return all(child.sure for child in self.children)

    def _look_ahead(self, depth: int) -> bool:
        """Search the moves to ``depth`` plies, the best so far first. Returns False if stopped."""
        self.order.sort(key=lambda child: (child.bound, -child.points))
        low = -WINDOW
        for child in self.order:
            known = child.sure and (not child.bound or child.points < low)
            if not known and not self._search(child, low, depth):
                return False
            child.depth = depth
            if not child.bound:
                low = max(low, child.points)
        return True

    def _search(self, child: _Child, low: int, depth: int) -> bool:
        """Find the value of a move, or a bound if it is less than ``low``. Returns False if stopped."""
        assert child.board is not None
        if low > -WINDOW and not self.every_move:
            value, sure = self._value(child.board, -low, 1 - low, depth - 1)
            if self.stopped:
                return False
            if -value < low:
                child.points, child.sure, child.bound = -value, sure, True
                return True
            if -value > max(low, -kernel.DECIDED):
                # If the search is stopped before it knows by how much, at least this move is known to be better.
                # That does not hold if it is only known to lose later: it may not lose at all.
                child.points, child.sure, child.bound, child.depth = -value, False, False, depth
            value, sure = self._value(child.board, -WINDOW, 1 - low, depth - 1)
        else:
            value, sure = self._value(child.board, -WINDOW, WINDOW, depth - 1)
        if self.stopped:
            return False
        child.points, child.sure, child.bound = -value, sure, -value < low and not self.every_move
        return True

    def _settle(self) -> None:
        """Check that decided moves have no sooner win: the best moves, or all with ``every_move``."""
        plain = self.plain
        self.memory[kernel.PLAIN] = 1
        best = self._best()
        if not self.every_move and best[0].sure and best[0].points > kernel.DECIDED:
            self._settle_win(best, plain=plain)
        else:
            for child in self.children if self.every_move else best:
                if child.sure and child.decided:
                    child.settled = child.board is None or plain or self._settle_move(child)
        self.memory[kernel.PLAIN] = plain

    def _settle_win(self, best: list[_Child], *, plain: bool) -> None:
        """Find out whether any move wins sooner than the ``best`` ones."""
        distance = kernel.WIN - best[0].points
        if plain:
            for child in self.children:
                child.no_win = 0 if child in best else child.depth
        for ahead in range(0 if plain else distance - 2):
            points = kernel.WIN - ahead - 1
            for child in self.children:
                if child.board is None:
                    continue
                wins = self._value(child.board, -points, 1 - points, ahead)[0] <= -points
                if self.stopped:
                    break
                if wins:
                    child.points, child.sure, child.bound, child.settled = points, True, False, True
                else:
                    child.no_win = ahead + 1
            if self.stopped or any(child.settled and child.points == points for child in self.children):
                return
        for child in best:
            child.settled = True

    def _settle_move(self, child: _Child) -> bool:
        """Find out whether the winner can win sooner after the move. Returns False if stopped."""
        assert child.board is not None
        # A sooner win of the same side is sooner by at least two plies.
        for ahead in range(1, kernel.WIN - abs(child.points) - 2):
            low = -child.points - (child.points > 0)
            value = self._value(child.board, low, low + 1, ahead)[0]
            if self.stopped:
                return False
            if value <= low if child.points > 0 else value > low:
                child.points = -value
                break
        return True

    def _analysis(self) -> Analysis:
        best = self._best()
        top = best[0]
        won = top.exact and top.points > kernel.DECIDED
        moves = {}
        for child in self.children:
            shown = _as_value(child.points)
            found = self.every_move or child in best
            if child not in best and not top.lost:
                shown = min(shown, _as_value(top.points))
                if won and not self.every_move and (child.points > kernel.DECIDED or not child.sure):
                    # It is only known not to win sooner.
                    shown = _as_value(top.points) - (child.no_win >= kernel.WIN - top.points)
            exact = child.exact and found
            distance = kernel.WIN - abs(child.points) if exact and child.decided else None
            if child.board is None:
                distance = 1 if exact else None
            # A line takes time, and after a stop the caller is waiting.
            line = self._line(child) if self.every_move and (child in best or not self.stopped) else (child.name,)
            depth = child.depth if found and not child.bound else 0
            moves[child.name] = MoveValue(shown, exact, distance, line, depth)
        exact = top.exact and (won or all(child.sure for child in self.children))
        names = tuple(child.name for child in self.children if child in best)
        return Analysis(_as_value(top.points), exact, moves, names, 1 + int(self.memory[kernel.NODES]), self.depth)

    def _best(self) -> list[_Child]:
        """The moves that no other is known to beat, the best of them first."""
        found = [child for child in self.children if not child.bound]
        # Only estimates of equal depth can be compared; the previous best move is searched first.
        deepest = max(child.depth for child in found)
        near = [child for child in found if child.depth == deepest or child.sure]
        if all(child.lost for child in near):
            # Then any move that may not lose is better, by its earlier estimate.
            near = found
            if all(child.lost for child in found):
                near = [child for child in self.children if not child.lost] or found
        points = max(child.points for child in near)
        return [child for child in near if child.points == points]

    def _line(self, child: _Child) -> tuple[str, ...]:
        """The principal variation of a move, as far as the table has it with the right value."""
        line, position = [child.name], child.after
        value = child.points
        while position.to_move is not None and not child.bound:
            value = -value
            if value == kernel.WIN - len(line) - 1:  # the table does not store this
                move = next(move for move in position.legal_moves if position.play(move).to_move is None)
                return (*line, move)
            board = board_of(position)
            self.memory[int(kernel.BOARDS) : int(kernel.BOARDS) + 9] = board.boards
            packed = kernel.remembered(self.memory, board.shift, board.sent)
            cell, points, whole = kernel.unpacked(packed, len(line))
            if not whole or (points != value and child.exact) or NAMES.get(cell) not in position.legal_moves:
                break
            line.append(NAMES[cell])
            position = position.play(NAMES[cell])
        return tuple(line)


def _child(position: UltimatePosition, move: str) -> _Child:
    after = position.play(move)
    outcome = after.outcome
    if outcome is None:
        return _Child(move, after, board_of(after))
    points = 0 if outcome.winner is None else kernel.WIN - 1
    return _Child(move, after, None, points, sure=True, settled=True)


def _as_value(points: int) -> int:
    """Points as a value: 1000 minus the plies to a win, or an estimate in the units of the game's heuristic."""
    if abs(points) > kernel.DECIDED:
        won = ULTIMATE.win - (kernel.WIN - abs(points))
        return won if points > 0 else -won
    return round(points / kernel.POINTS)
