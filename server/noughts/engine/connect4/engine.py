"""The engine for Connect Four: the opening table, then the solver. Importing this raises ImportError without numba.

Pure; does no I/O.
"""

from __future__ import annotations

from noughts.engine.analysis import Analysis, Bound, Interrupt, Limits, MoveValue
from noughts.engine.connect4 import openings
from noughts.engine.connect4.ahead import Ahead
from noughts.engine.connect4.solver import DECIDED, LARGEST, NO_BUDGET, Solver, boards_of, next_beta
from noughts.games import Position
from noughts.games.connect4 import CONNECT4, Connect4Position, margin

ENTRIES = 1 << 21
"""In the transposition table: 16 MiB. For positions with eight discs an eighth of it costs 10 % more time, and doubling
it gains nothing; a search of a minute from the first moves would fill it."""

GLANCE = 6
"""Plies: the depth of a first search that orders the moves and gives an immediate answer."""


class Connect4Engine:
    """Solves positions of Connect Four; see :class:`~noughts.engine.analysis.Engine`.

    Values have the scoring of the published positions, see ``noughts.engine.connect4.kernel``. When a search is stopped
    before a move's value is known, the value is a bound if the move is proved to win or lose, or if the root's value is
    known; otherwise it is the heuristic's estimate a few plies on. A search of limited depth finds what the textbook's
    does, see :class:`~noughts.engine.connect4.ahead.Ahead`. Lines go beyond their first move when every move is
    requested. ``entries`` is the size of the transposition table, at 8 bytes each.
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        self.game = CONNECT4
        self._solver = Solver(entries)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        assert isinstance(position, Connect4Position)
        if position.to_move is None:
            return Analysis(-abs(margin(position)), True, {}, (), 1, 0)
        if limits.depth is not None:
            return Ahead(self._solver, position, limits, stop).run(limits.depth)
        known = openings.answer(position, every_move=limits.every_move)
        if known is not None:
            return known
        return _Search(self._solver, position, limits, stop).run()

    def forget(self) -> None:
        """Empty the transposition table, so that the next search visits what the first would."""
        self._solver.forget()


class _Move:
    """A move at the root, worth from ``low`` to ``high`` to the side that plays it, by what is proved so far."""

    def __init__(self, name: str, after: Connect4Position) -> None:
        self.name = name
        self.line = [name]
        self.after = after
        self.own, self.mask = boards_of(after)
        self.low, self.high, self.guess = -LARGEST, LARGEST, 0

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def rank(self) -> tuple[int, bool, int, int, int]:
        """A sort key, greater for better moves: proved results come before guesses.

        Bounds that several moves share say nothing about which of these is better, so the guess as it was found comes
        last.
        """
        return max(self.low, 0), self.high >= 0, self.value, self.low, self.guess

    @property
    def value(self) -> int:
        """Its value, the bound that says who wins, or a guess."""
        if self.low > 0 or self.exact:
            return self.low
        if self.high < 0:
            return self.high
        guess = max(self.guess, 0) if self.low == 0 else self.guess
        return min(guess, 0) if self.high == 0 else guess

    @property
    def bound(self) -> Bound | None:
        """The kind of bound that ``value`` is, None if it is exact or a guess."""
        if self.exact:
            return None
        return Bound.LOWER if self.low > 0 else Bound.UPPER if self.high < 0 else None


class _Search:
    def __init__(self, solver: Solver, root: Connect4Position, limits: Limits, stop: Interrupt) -> None:
        self.solver = solver
        self.root = root
        self.limits = limits
        self.stop = stop
        self.before = solver.nodes
        self.budget = NO_BUDGET if limits.nodes is None else self.before + limits.nodes
        self.moves = [_Move(name, root.play(name)) for name in root.legal_moves]
        self.opening = openings.lookup(root)

    def run(self) -> Analysis:
        self._glance()
        if self._find_value():
            if not self.limits.every_move:
                self._find_best()
            elif self._find_every_value():
                self._find_lines()
        return self._answer()

    def _glance(self) -> None:
        """Find what is known without a search, or guess, and sort the moves, the best first."""
        for move in self.moves:
            known = openings.score_of(move.after)
            if known is not None:
                move.low = move.high = -known
            else:
                move.guess = -self.solver.estimate(move.own, move.mask, GLANCE)
                if abs(move.guess) >= DECIDED:
                    # The game is decided within these plies, so this is the value.
                    move.low = move.high = move.guess // DECIDED
        if self.opening is not None:
            self._begin_with(self.opening)
        self.moves.sort(key=lambda move: abs(int(move.name) - 4))
        self._sort()

    def _begin_with(self, opening: openings.Opening) -> None:
        """Start from what the opening table has proved about the root and its best moves."""
        for move in self.moves:
            if move.name in opening.best:
                move.low = move.high = opening.score
            elif not move.exact:
                move.high = min(move.high, opening.score)
        self._eliminate(opening.score)

    def _eliminate(self, score: int) -> None:
        """Find that the root's ``score`` is that of a move, as no other can have it."""
        able = [move for move in self.moves if move.high >= score]
        if len(able) == 1:
            able[0].low = able[0].high = score

    def _sort(self) -> None:
        self.moves.sort(key=lambda move: move.rank, reverse=True)

    def _at_least(self, move: _Move, value: int) -> bool | None:
        """True if ``move`` is worth at least ``value``; None if the search was stopped."""
        if move.low >= value or move.high < value:
            return move.low >= value
        bound = self.solver.bound(move.own, move.mask, 1 - value, stop=self.stop, budget=self.budget)
        if bound is None:
            return None
        if -bound >= value:
            move.low = max(move.low, -bound)
        else:
            move.high = min(move.high, -bound)
        return -bound >= value

    def _find_value(self) -> bool:
        """Find the root's value and a move that has it. Returns False if stopped."""
        while True:
            low, high = max(move.low for move in self.moves), max(move.high for move in self.moves)
            if low >= high:
                return True
            value = next_beta(low, high) if self.opening is None else high
            for move in self.moves:
                enough = self._at_least(move, value)
                if enough is None:
                    return False
                if enough:
                    break
                if self.opening is not None:
                    self._eliminate(self.opening.score)
            self._sort()

    def _find_best(self) -> None:
        """Find all moves with the root's value, unless stopped."""
        value = max(move.low for move in self.moves)
        for move in self.moves:
            if self._at_least(move, value) is None:
                return

    def _find_every_value(self) -> bool:
        """Find the values of all moves. Returns False if stopped."""
        for move in self.moves:
            if not move.exact:
                low, high = self.solver.solve(
                    move.own, move.mask, (-move.high, -move.low), stop=self.stop, budget=self.budget
                )
                move.low, move.high = -high, -low
                if low < high:
                    return False
        return True

    def _find_lines(self) -> None:
        """Find the principal variation of each move, unless stopped."""
        for move in self.moves:
            position, score = move.after, -move.low
            while position.to_move is not None:
                reply = self._best_reply(position, score)
                if reply is None:
                    return
                move.line.append(reply)
                position, score = position.play(reply), -score

    def _best_reply(self, position: Connect4Position, score: int) -> str | None:
        """A best move of a position with this ``score``; None if the search was stopped."""
        proposed = self.solver.proposed(*boards_of(position))
        for name in sorted(position.legal_moves, key=lambda name: (name != proposed, abs(int(name) - 4))):
            after = position.play(name)
            if after.to_move is None:
                if abs(margin(after)) == score:
                    return name
                continue
            bound = self.solver.bound(*boards_of(after), 1 - score, stop=self.stop, budget=self.budget)
            if bound is None:
                return None
            if bound <= -score:
                return name
        return None

    def _answer(self) -> Analysis:
        low, high = max(move.low for move in self.moves), max(move.high for move in self.moves)
        found = low == high  # a best move; the opening table may have the root's value without one
        exact = found or self.opening is not None
        self._sort()
        top = self.moves[0]
        if exact and not found:
            # A refuted move may have a guess, too, but only the others can have the root's value.
            top = next(move for move in self.moves if move.high == high)
        values = {}
        ordered = sorted(self.moves, key=lambda move: move.name)
        for move in ordered:
            value, bound = move.value, move.bound
            if exact and not move.exact:
                value, bound = move.high, Bound.UPPER
            elif top.low > 0 and bound is None:
                value = min(value, top.low)  # a guess must not look better than a move that is proved to win
            known = openings.distance(value, self.root.ply) if move.exact else None
            values[move.name] = MoveValue(value, move.exact, known, tuple(move.line), bound=bound)
        ended = sum(move.after.to_move is None for move in self.moves)
        nodes = 1 + ended + self.solver.nodes - self.before
        depth = openings.CELLS - self.root.ply if exact else min(GLANCE + 1, openings.CELLS - self.root.ply)
        choices = tuple(move.name for move in ordered if move.low == low) if found else (top.name,)
        return Analysis(high if exact else top.value, exact, values, choices, nodes, depth)
