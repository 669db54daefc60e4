"""Connect Four searched to a limited depth, for the lower levels. Pure; does no I/O.

Importing this raises ImportError without numba.
"""

from __future__ import annotations

from noughts.engine.analysis import Analysis, Interrupt, Limits, MoveValue
from noughts.engine.connect4 import openings
from noughts.engine.connect4.solver import DECIDED, NO_BUDGET, WINDOW, Solver, boards_of
from noughts.games.connect4 import MIDDLE_FIRST, Connect4Position, margin


class Ahead:
    """A search of limited depth: one ply, then two, and so on.

    It finds the same values as the textbook engine, and calls the same ones exact, so that a level plays the same with
    and without numba. Lines consist of their first move.
    """

    def __init__(self, solver: Solver, root: Connect4Position, limits: Limits, stop: Interrupt) -> None:
        self.solver = solver
        self.root = root
        self.every_move = limits.every_move
        self.stop = stop
        self.nodes = 1  # the root, and finished games, which the solver does not see
        self.before = solver.nodes
        self.budget = NO_BUDGET if limits.nodes is None else self.before + limits.nodes
        legal = root.legal_moves
        self.after = {move: root.play(move) for move in MIDDLE_FIRST if move in legal}
        self.left = openings.CELLS - root.ply
        self.depth = 0  # of the last completed search
        self.values: dict[str, int] = {}  # by the last completed search
        self.best: tuple[str, ...] = ()

    def run(self, depth: int) -> Analysis:
        """Search ``depth`` plies, 1 or more, or as many as are needed."""
        while self.depth < depth and not self._enough():
            # The first ply takes no time and is always searched.
            values = self._search(self.depth + 1, self.stop if self.depth else Interrupt())
            if values is None:
                break
            self.depth += 1
            most = max(values.values())
            self.values = dict(sorted(values.items(), key=lambda found: -found[1]))
            self.best = tuple(move for move in self.root.legal_moves if values[move] == most)
        return self._answer()

    def _enough(self) -> bool:
        """True if a deeper search would find no more."""
        if not self.values:
            return False
        won = not self.every_move and self.values[self.best[0]] >= DECIDED
        return won or all(map(self._sure, self.values.values()))

    def _sure(self, value: int) -> bool:
        """True if nothing beyond the horizon can change ``value``. For a draw this is so if the horizon is the end of
        the game, which all undecided lines of play reach at the same ply.
        """
        return abs(value) >= DECIDED or self.depth >= self.left

    def _search(self, depth: int, stop: Interrupt) -> dict[str, int] | None:
        """The values of all moves by a search of ``depth`` plies, possibly only bounds for moves that are not best;
        None if stopped.
        """
        values: dict[str, int] = {}
        best = WINDOW[0]
        for move in self.values or self.after:
            after = self.after[move]
            value: int | None
            if after.to_move is None:
                self.nodes += 1
                value = DECIDED * abs(margin(after))
            else:
                value = self._value(after, depth, best, stop)
            if value is None:
                return None
            values[move] = value
            best = max(best, value)
        return values

    def _value(self, after: Connect4Position, depth: int, best: int, stop: Interrupt) -> int | None:
        """The value of the move that leads to ``after``, or a bound if it is not best and that is enough."""
        budget = self.budget if depth > 1 else NO_BUDGET
        if not self.every_move and best > WINDOW[0]:
            window = -best, 1 - best
            value = self.solver.look_ahead(*boards_of(after), depth - 1, window, stop=stop, budget=budget)
            if value is None or -value < best:
                return None if value is None else -value
        value = self.solver.look_ahead(*boards_of(after), depth - 1, stop=stop, budget=budget)
        return None if value is None else -value

    def _answer(self) -> Analysis:
        top = _as_score(self.values[self.best[0]])
        won = self.values[self.best[0]] >= DECIDED
        moves = {}
        for move in self.root.legal_moves:
            value, sure = self.values[move], self._sure(self.values[move])
            score = _as_score(value)
            if won and not self.every_move and move not in self.best:
                score = min(score, top - 1)
            searched = self.every_move or move in self.best  # otherwise it is a bound
            exact = sure and searched
            distance = openings.distance(score, self.root.ply) if exact else None
            moves[move] = MoveValue(score, exact, distance, (move,), self.depth if searched else 0)
        nodes = self.nodes + self.solver.nodes - self.before
        return Analysis(top, moves[self.best[0]].exact, moves, self.best, nodes, self.depth)


def _as_score(value: int) -> int:
    """A kernel value as a score, if it is decided; a bound between two scores becomes the lower one."""
    return value // DECIDED if abs(value) >= DECIDED else value
