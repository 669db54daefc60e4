"""The engine for chess, on the compiled kernel. Importing this raises ImportError without numba. Reads package data.

A search without a depth limit is selective: it leaves out moves that seem bad, and follows checks. One with a depth
limit searches exactly that many plies and then captures. Neither proves anything, because its table joins positions
with different histories. What is exact is proved again: mates by the kernel's plain search, which knows the game's
history, and moves that end the game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noughts.engine.analysis import Analysis, Interrupt, Limits, MoveValue
from noughts.engine.chess import evaluation, kernel, moves
from noughts.engine.weights import weights_of
from noughts.games import Game, Position
from noughts.games.chess import CLAIMED_AFTER, ChessPosition, claim

TABLE_BITS = 18  # 16 MiB
DEEPEST = 100  # plies
WINDOW = 25
"""The expected change of the best value from one iteration to the next, at most, in hundredths of a pawn."""
WINDOW_FROM = 5
"""The depth from which the first move is searched with such a window."""
PROOF_NODES = 20_000
"""The least number of nodes that a proof may take."""
MULTIPLIER, INCREMENT = 6364136223846793005, 1442695040888963407
"""Of Knuth's MMIX generator, for the salt of each search."""


@dataclass(slots=True, eq=False)
class _Child:
    """A move at the root, and its score for the side that plays it, in the kernel's units.

    ``bound`` says that the score is only an upper bound, ``depth`` is the number of plies searched, including this one,
    and ``nodes`` what the last search of the move took. ``line`` is known if the score is ``exact``.
    """

    name: str
    move: int
    score: int
    exact: bool = False
    bound: bool = False
    depth: int = 0
    nodes: int = 0
    line: tuple[str, ...] = ()


class ChessEngine:
    """An :class:`~noughts.engine.analysis.Engine` for chess, ``game`` or a setup of it. It keeps a transposition table
    of 2 ** ``table_bits`` times 64 bytes from one search to the next.

    ``weights`` are those of :func:`noughts.engine.chess.evaluation.weigh`, by default the package's.
    """

    def __init__(self, game: Game, table_bits: int = TABLE_BITS, weights: moves.Words | None = None) -> None:
        self.game = game
        self._memory = kernel.memory_of(table_bits, weights_of(__package__) if weights is None else weights)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. Raises TypeError for a position of another game."""
        if not isinstance(position, ChessPosition):
            raise TypeError(f"this engine is for chess, not for {type(position).__name__}")
        if position.outcome is not None:
            return Analysis(-kernel.WIN if position.outcome.winner else 0, True, {}, (), 1, 0)
        memory = self._memory
        moves.set_up(memory, position)
        memory[moves.ROOT] = memory[moves.TOP]
        memory[moves.NODES] = memory[moves.NEXT_POLL] = memory[moves.STOPPED] = 0
        memory[moves.NODE_LIMIT] = moves.NO_LIMIT if limits.nodes is None else limits.nodes
        memory[moves.AGE] = memory[moves.AGE] % 127 + 1
        salt = (int(memory[moves.SALT]) * MULTIPLIER + INCREMENT) % (1 << 64)
        memory[moves.SALT] = salt - (salt >> 63 << 64)
        memory[moves.HISTORY : moves.LISTS] = 0
        return _Search(memory, position, limits, stop).run()

    def forget(self) -> None:
        """Empty the transposition table, so that the next search visits what the first would."""
        self._memory[moves.TABLE :] = self._memory[moves.SALT] = self._memory[moves.AGE] = 0


class _Search:
    """One search of the position that is set up in the memory."""

    def __init__(self, memory: moves.Words, position: ChessPosition, limits: Limits, stop: Interrupt) -> None:
        self.memory = memory
        self.flag: npt.NDArray[np.uint8] = np.frombuffer(stop.flag, np.uint8)
        self.every_move = limits.every_move
        self.plain = limits.depth is not None
        self.deepest = min(limits.depth or DEEPEST, DEEPEST)
        memory[moves.PLAIN] = self.plain
        self.may_claim = claim(position) is not None
        self.depth = 0
        self.soonest_proved = False  # whether no other move can win sooner than the best
        known = moves.names(memory)
        self.children = [self._glance(name, known[name]) for name in position.legal_moves]
        self.order = sorted(self.children, key=lambda child: -child.score)

    def run(self) -> Analysis:
        while self.depth < self.deepest and not self._enough():
            if self.stopped or not self._look_ahead(self.depth + 1):
                break
            self.depth += 1
            self._prove()
            self._arrange()
        return self._analysis()

    @property
    def stopped(self) -> bool:
        return bool(self.memory[moves.STOPPED])

    def _glance(self, name: str, move: int) -> _Child:
        """A move, with its estimate, or its value if it ends the game."""
        memory = self.memory
        moves.make(memory, move)
        state = kernel.state(memory)
        score = (
            kernel.WIN - 1 if state == kernel.MATED else 0 if state == kernel.DRAWN else -evaluation.estimate(memory)
        )
        moves.unmake(memory)
        return _Child(name, move, score, state != kernel.ON, line=(name,))

    def _enough(self) -> bool:
        """True if a deeper search would find no more."""
        if all(child.exact for child in self.children):
            return True
        return self.depth > 0 and self.soonest_proved and not self.every_move

    def _value(self, child: _Child, alpha: int, beta: int, depth: int) -> int:
        """The value of the move, or a bound outside the window, by a search of ``depth`` plies."""
        memory = self.memory
        before = int(memory[moves.NODES])
        moves.make(memory, child.move)
        value = -kernel.look_ahead(memory, self.flag, depth - 1, -beta, -alpha)
        moves.unmake(memory)
        child.nodes += int(memory[moves.NODES]) - before
        return value

    def _look_ahead(self, depth: int) -> bool:
        """Search the moves to ``depth`` plies, the most promising first. Returns False if stopped."""
        low = -kernel.INFINITY
        # A search of limited depth finds all equally good moves, the other only the first.
        tied = int(self.plain)
        for number, child in enumerate(self.order):
            child.nodes = 0
            bound = False
            if child.exact:
                value = child.score
            elif self.every_move:
                value = self._value(child, -kernel.INFINITY, kernel.INFINITY, depth)
            elif low == -kernel.INFINITY:
                value = self._expected(child, depth)
            else:
                less = 0 if self.plain or depth < 4 or number < 4 else 1 + (number >= 12)
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
            low = max(low, value)
        return True

    def _expected(self, child: _Child, depth: int) -> int:
        """The value of the move that was best before, first sought near that value."""
        low, high = -kernel.INFINITY, kernel.INFINITY
        if depth >= WINDOW_FROM and not self.plain:
            low, high = child.score - WINDOW, child.score + WINDOW
        width = WINDOW
        while True:
            value = self._value(child, low, high, depth)
            if self.stopped or low < value < high:
                return value
            width *= 4
            if value <= low:
                low = value - width if width < 1000 else -kernel.INFINITY
            else:
                high = value + width if width < 1000 else kernel.INFINITY

    def _arrange(self) -> None:
        """Put the most promising moves first: the best, then those that took the most nodes to refute."""
        if self.every_move:
            self.order.sort(key=lambda child: -child.score)
        else:
            self.order.sort(key=lambda child: (child.bound, -child.nodes if child.bound else -child.score))

    # Proofs

    def _prove(self) -> None:
        """Prove the mates that the search has found, in no more nodes than it took.

        The soonest mate is enough if only the best moves are asked for.
        """
        memory = self.memory
        top = max(child.score for child in self.children if not child.bound)
        self.proof_nodes = max(PROOF_NODES, int(memory[moves.NODES]))
        if top > kernel.SURE and not self.soonest_proved:
            plies = self._distance(range(1, kernel.WIN - top + 1, 2))
            if plies:
                self.soonest_proved = True
                for child in self.children:
                    if child.score > kernel.SURE and not child.exact:
                        self._settle(child, range(plies - 1, plies, 2), 1)
        if self.every_move or top < -kernel.SURE:
            for child in self.children:
                if child.exact or abs(child.score) < kernel.SURE:
                    continue
                most = kernel.WIN - abs(child.score)
                won = child.score > 0
                self._settle(child, range(2 if won else 1, most, 2), 1 if won else -1)

    def _settle(self, child: _Child, tries: range, sign: int) -> None:
        """Prove that the game ends after the move in one of ``tries`` plies, won with a ``sign`` of 1."""
        moves.make(self.memory, child.move)
        plies = self._distance(tries)
        if plies is not None:
            child.line = (child.name, *self._mate(plies))
            child.exact = len(child.line) == plies + 1
            child.score = sign * (kernel.WIN - plies - 1)
            child.bound = False
        moves.unmake(self.memory)

    def _distance(self, tries: range) -> int | None:
        """The first of ``tries`` in which one side mates, as the kernel's ``mates``; None if that is not proved."""
        memory = self.memory
        if not len(tries) or memory[moves.QUIET] + tries[-1] >= CLAIMED_AFTER:
            return None
        for plies in tries:
            found = kernel.prove(memory, self.flag, plies, self.proof_nodes)
            if memory[moves.GAVE_UP]:
                return None
            if found:
                return plies
        return None

    def _mate(self, plies: int) -> list[str]:
        """The moves to the mate in exactly ``plies``; fewer if they cannot be found in time."""
        memory, line = self.memory, []
        for left in range(plies - 1, -1, -1):
            for name, move in moves.names(memory).items():
                moves.make(memory, move)
                # The one side mates as soon, the other holds out as long.
                if kernel.prove(memory, self.flag, left, self.proof_nodes) and (
                    left % 2 == 0 or left < 3 or not kernel.prove(memory, self.flag, left - 2, self.proof_nodes)
                ):
                    line.append(name)
                    break
                moves.unmake(memory)
            else:
                break
        for _ in line:
            moves.unmake(memory)
        return line

    # The result

    def _best(self) -> list[_Child]:
        """The moves that no other is known to beat."""
        found = [child for child in self.children if not child.bound]
        won = [child for child in found if child.exact and child.score > 0]
        if not won:
            # Only estimates of equal depth can be compared; the previous best move is searched first. But if all moves
            # that were searched deeper lose, shallower estimates must do.
            deepest = max(child.depth for child in found)
            deeper = [child for child in found if child.depth == deepest or child.exact]
            if max(child.score for child in deeper) > -kernel.SURE:
                found = deeper
        score = max(child.score for child in found)
        return [child for child in found if child.score == score]

    def _analysis(self) -> Analysis:
        best = self._best()
        top = best[0]
        won = top.exact and top.score > 0 and (self.soonest_proved or top.score == kernel.WIN - 1)
        values = {}
        for child in self.children:
            wanted = self.every_move or child in best
            exact = child.exact and wanted
            score = child.score
            if not exact and child not in best:
                score = min(score, top.score - int(won and not self.every_move))
            line = child.line if exact else self._line(child) if wanted else (child.name,)
            depth = child.depth if wanted and not exact and not child.bound else 0
            values[child.name] = MoveValue(score, exact, len(line) if exact else None, line, depth)
        exact = top.exact and (won or all(child.exact for child in self.children))
        value = top.score
        if self.may_claim and value < 0:
            value, exact = 0, False
        names = tuple(child.name for child in best)
        nodes = int(self.memory[moves.NODES]) + 1
        return Analysis(value, exact, values, names, nodes, self.depth, claim=self.may_claim)

    def _line(self, child: _Child) -> tuple[str, ...]:
        """The principal variation as far as the table has it."""
        memory, line = self.memory, [child.name]
        moves.make(memory, child.move)
        while len(line) < child.depth and kernel.state(memory) == kernel.ON and (move := kernel.remembered(memory)):
            moves.make(memory, move)
            line.append(moves.name_of(move))
        for _ in line:
            moves.unmake(memory)
        return tuple(line)
