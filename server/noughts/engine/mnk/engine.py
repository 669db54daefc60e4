"""The engine for small m,n,k boards, on the compiled kernel. Importing this raises ImportError without numba. Pure.

For one ply, then two, and so on, it asks the kernel whether each move wins, or loses, within that many. So the results
of a stopped search are proved, and a win is the shortest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noughts.engine.analysis import Analysis, Interrupt, Limits, MoveValue
from noughts.engine.mnk import kernel
from noughts.games import Game, Position
from noughts.games.mnk import LinePosition

TABLE_BITS = 18  # 16 MiB
NEVER = kernel.NEVER
FOREVER = 65
"""More plies than a board has cells, and odd: a search to the end of the game."""
ESTIMATED = 100
"""Estimates are in hundredths of a line's potential, see :mod:`noughts.engine.mnk.kernel`."""


@dataclass(slots=True, eq=False)
class _Move:
    """A move at the root, and what is proved about it, in plies from the root.

    ``own`` are the stones of the side that plays it, including it. ``wins`` and ``loses`` are the plies to the end,
    None if unknown. ``no_win`` and ``no_loss`` are the numbers of plies within which it does not win or lose; NEVER for
    any.
    """

    name: str
    bit: int
    own: int
    estimate: int
    wins: int | None = None
    loses: int | None = None
    no_win: int = 0
    no_loss: int = 0
    line: tuple[str, ...] = ()

    @property
    def draws(self) -> bool:
        return self.no_win == NEVER and self.no_loss == NEVER

    @property
    def decided(self) -> bool:
        return self.wins is not None or self.loses is not None or self.draws


class MnkEngine:
    """An :class:`~noughts.engine.analysis.Engine` for a ``game`` made by :func:`noughts.games.mnk.mnk` on a board with
    ``(columns + 1) * rows <= 64``. It keeps a transposition table of 2 ** ``table_bits`` times 64 bytes from one search
    to the next.

    A search of limited depth finds what the textbook engine does for a game without a heuristic: undecided moves are
    even. A search to the end that is stopped estimates them by the lines that can still be made, in hundredths of the
    kernel's potential. Raises ValueError if the board is too large or the game may last longer than its ``win`` allows.
    """

    def __init__(self, game: Game, table_bits: int = TABLE_BITS) -> None:
        start = game.start
        if not isinstance(start, LinePosition) or start.on.everywhere >= 1 << 64:
            raise ValueError("this engine is only for m,n,k boards that fit into 64 bits")
        if game.win <= start.on.everywhere.bit_count():
            raise ValueError("the game's win must be greater than the number of its cells")
        self.game = game
        on = start.on
        self._memory = kernel.memory_of(on.columns, len(on.layout), on.length, table_bits)

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`. Raises TypeError for a position of another kind of game."""
        if not isinstance(position, LinePosition):
            raise TypeError(f"this engine is for {self.game.title}, not for {type(position).__name__}")
        if position.to_move is None:
            return Analysis(-self.game.win if position.won else 0, True, {}, (), 1, 0)
        memory = self._memory
        memory[kernel.NODES] = memory[kernel.NEXT_POLL] = memory[kernel.STOPPED] = 0
        memory[kernel.NODE_LIMIT] = kernel.TOP if limits.nodes is None else limits.nodes
        memory[kernel.AGE] = memory[kernel.AGE] % 255 + 1
        return _Search(memory, self.game, position, limits, stop).run()

    def forget(self) -> None:
        """Empty the transposition table, so that the next search visits what the first would."""
        self._memory[kernel.TABLE :] = 0


class _Search:
    """One search of an unfinished position."""

    def __init__(
        self, memory: kernel.Words, game: Game, position: LinePosition, limits: Limits, stop: Interrupt
    ) -> None:
        self.memory = memory
        self.flag: npt.NDArray[np.uint8] = np.frombuffer(stop.flag, np.uint8)
        self.win = game.win
        self.limits = limits
        self.bits = position.on.bits
        self.names = {bit: name for name, bit in self.bits.items()}
        self.own, self.other = (
            (position.second, position.first) if position.ply % 2 else (position.first, position.second)
        )
        self.left = len(position.legal_moves)
        self.deepest = self.left if limits.depth is None else min(limits.depth, self.left)
        self.depth = 0
        self.moves = [self._move(name) for name in position.legal_moves]

    def run(self) -> Analysis:
        order = sorted(self.moves, key=lambda move: -move.estimate)
        while self.depth < self.deepest and not self._enough():
            if not all(self._ask(move, self.depth + 1) for move in order):
                break
            self.depth += 1
            order.sort(key=lambda move: -self._rank(move)[0])
        best = self._best()
        if self.limits.every_move:
            self._find_lines()
        return self._analysis(best)

    @property
    def stopped(self) -> bool:
        return bool(self.memory[kernel.STOPPED])

    def _move(self, name: str) -> _Move:
        bit = self.bits[name]
        own = self.own | bit
        lead = self._lead(own, self.other) * ESTIMATED >> kernel.CERTAIN
        most = self.win - self.left - 1  # less than a win that is sure
        estimate = max(-most, min(lead, most))
        return _Move(name, bit, own, estimate, no_loss=NEVER if self.left == 1 else 0)

    def _enough(self) -> bool:
        """True if a deeper search would find nothing more that is needed."""
        if not self.limits.every_move and any(move.wins for move in self.moves):
            return True
        return all(move.decided for move in self.moves)

    def _ask(self, move: _Move, depth: int) -> bool:
        """Find out whether ``move`` wins within ``depth`` plies if that is odd, or loses if it is even. Returns False
        if stopped. Depths 1 and 2 take no time and are never stopped.
        """
        if move.decided or (move.no_win if depth % 2 else move.no_loss) >= depth:
            return True
        if depth == 1:
            found = 1 if self._wins_at_once(self.own, self.other) & move.bit else -1
        elif depth == 2:
            found = 2 if self._wins_at_once(self.other, self.own) & ~move.bit else -2
        else:
            attacker, defender = (move.own, self.other) if depth % 2 else (self.other, move.own)
            found = self._prove(attacker, defender, depth % 2 == 0, depth - 1)
            if self.stopped:
                return False
            found += 1 if found > 0 else -1
        without = 0 if found > 0 else NEVER if -found + 2 > self.left else -found
        if depth % 2:
            move.wins, move.no_win = (found, 0) if found > 0 else (None, without)
            move.no_loss = NEVER if found > 0 else move.no_loss
        else:
            move.loses, move.no_loss = (found, 0) if found > 0 else (None, without)
            move.no_win = NEVER if found > 0 else move.no_win
        return True

    def _prove(self, attacker: int, defender: int, turn: bool, left: int) -> int:
        """See the kernel's ``attack``."""
        return int(kernel.prove(self.memory, self.flag, np.uint64(attacker), np.uint64(defender), turn, left))

    def _wins_at_once(self, own: int, other: int) -> int:
        return int(kernel.wins_at_once(self.memory, np.uint64(own), np.uint64(other)))

    def _rank(self, move: _Move) -> tuple[int, bool]:
        """A sort key, greater for better moves: the value, then whether the move is proved not to lose.

        In a search of limited depth an undecided move is even, and as good as a draw.
        """
        limited = self.limits.depth is not None
        if move.wins is not None:
            return self.win - move.wins, True
        if move.loses is not None:
            return move.loses - self.win, True
        guess = 0 if limited else move.estimate
        guess = min(guess, 0) if move.no_win == NEVER else guess
        guess = max(guess, 0) if move.no_loss == NEVER else guess
        return guess, limited or move.no_loss == NEVER

    def _best(self) -> list[_Move]:
        most = max(self._rank(move) for move in self.moves)
        return [move for move in self.moves if self._rank(move) == most]

    def _analysis(self, best: list[_Move]) -> Analysis:
        top = best[0]
        exact = top.decided and (top.wins is not None or all(move.no_win == NEVER for move in self.moves))
        exact = exact and (top.loses is None or all(move.loses is not None for move in self.moves))
        values = {}
        for move in self.moves:
            value = self._rank(move)[0]
            depth = self.depth
            if exact and not move.decided and not self.limits.every_move:
                # It is only known not to win as soon, or at all.
                value = min(0 if move.no_win == NEVER else self.win - move.no_win - 2, self._rank(top)[0])
                depth = 0
            distance = (move.wins or move.loses or self.left) if move.decided else None
            values[move.name] = MoveValue(value, move.decided, distance, move.line or (move.name,), depth)
        nodes = int(self.memory[kernel.NODES]) + 1
        return Analysis(self._rank(top)[0], exact, values, tuple(move.name for move in best), nodes, self.depth)

    def _find_lines(self) -> None:
        """Find the principal variation of each decided move, unless stopped. A search of limited depth does not follow
        draws to the end.
        """
        for move in self.moves:
            if not move.decided or (move.draws and self.limits.depth is not None):
                continue
            line = [move.bit]
            own, other = self.other, move.own  # the stones of the side to move, and of the other
            plies = (move.wins or move.loses or self.left) - 1
            while plies:
                reply = self._reply(own, other, None if move.draws else plies)
                if reply is None:
                    break
                line.append(reply)
                own, other = other, own | reply
                plies -= 1
            move.line = tuple(self.names[bit] for bit in line)
            if self.stopped or self.flag[0]:
                return

    def _reply(self, own: int, other: int, plies: int | None) -> int | None:
        """A best move of ``own``, the side to move, if the game is won or lost in ``plies``, None for a draw. Returns
        None if the search was stopped.
        """
        if plies == 1:
            won = self._wins_at_once(own, other)
            return won & -won
        if plies == 2:
            lost = self._wins_at_once(other, own)
            return lost & -lost
        attacks = plies is not None and plies % 2 == 1
        for bit in self._likely(own, other, attacks=attacks):
            if plies is None:
                good = self._prove(other, own | bit, True, FOREVER) == -NEVER
            elif attacks:
                good = self._prove(own | bit, other, False, plies - 1) > 0
            else:
                good = self._prove(other, own | bit, True, plies - 3) < 0
            if self.stopped or self.flag[0]:  # most replies come from the table, where the kernel does not poll
                return None
            if good:
                return bit
        raise AssertionError("one of the moves has the value of the position")

    def _likely(self, own: int, other: int, *, attacks: bool) -> Iterator[int]:
        """The bits of the moves, the table's best move first, then by the potential that they leave."""
        attacker, defender = (own, other) if attacks else (other, own)
        first = int(kernel.remembered(self.memory, np.uint64(attacker), np.uint64(defender), attacks))
        bits = [bit for bit in self.names if not bit & (own | other)]
        if 1 << first in bits:
            yield 1 << first
        yield from sorted(bits, key=lambda bit: -self._lead(own | bit, other))

    def _lead(self, own: int, other: int) -> int:
        """The potential of ``own`` minus that of ``other``."""
        mine, theirs = np.uint64(own), np.uint64(other)
        return kernel.potential(self.memory, mine, theirs) - kernel.potential(self.memory, theirs, mine)
