"""Minimax and alpha-beta for any game, as in the textbooks. Pure; does no I/O.

The side to move at the root is the maximizer. A win d plies from the root is worth ``win - d``, a loss ``-win + d``,
a draw 0: sooner wins and later losses are better. If ``win`` is more than the plies that the search can reach, wins are
above 0 and losses below; for tic-tac-toe's 9 plies, 10 is enough.

A result is exact also in games in which earlier positions can decide: a position played to from the root holds what it
needs of them, and there is no table. Nobody claims a draw (``Game.claim``): it counts only if the board ends the game.

The methods are those of Russell and Norvig, *Artificial Intelligence: A Modern Approach*, the chapter on
adversarial search, and Knuth and Moore, *An Analysis of Alpha-Beta Pruning* (1975).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from noughts.games import Position, Side

WIN = 10
NODES_PER_POLL = 4096


class Stopped(Exception):
    """The search was stopped and has no result."""


def never() -> bool:
    """Never stop."""
    return False


@dataclass(frozen=True, slots=True)
class Values:
    """The result of a search, for the side to move at the root.

    ``values`` has the exact value of every legal move, in board order; it is empty when the game is over. ``value`` is
    the best of them; for a finished game, the score of the side whose turn it would be if the sides alternated.
    ``nodes`` counts the visited positions, including the root.
    """

    value: int
    values: dict[str, int]
    nodes: int

    @property
    def best(self) -> tuple[str, ...]:
        """The moves with ``value``, in board order."""
        return tuple(move for move, value in self.values.items() if value == self.value)


class Search(Protocol):
    """A search method: :func:`minimax` and :func:`alpha_beta`.

    ``win`` must be greater than the depth of any win, otherwise it raises ValueError. ``max_depth``, 1 or more, ends
    the search that many plies from the root, and positions that are not decided there count as draws; None searches to
    the end of the game. It calls ``stop`` at the first node and then every 4096 nodes, and raises :class:`Stopped` when
    that returns true.
    """

    def __call__(
        self,
        position: Position,
        *,
        win: int = WIN,
        max_depth: int | None = None,
        stop: Callable[[], bool] = never,
    ) -> Values: ...


def minimax(
    position: Position,
    *,
    win: int = WIN,
    max_depth: int | None = None,
    stop: Callable[[], bool] = never,
) -> Values:
    """Search every line of play. For the arguments see :class:`Search`."""
    walk = _Walk(position, win, max_depth, stop)

    def value_of(node: Position, depth: int) -> int:
        score = walk.visit(node, depth)
        if score is not None:
            return score
        values = [value_of(node.play(move), depth + 1) for move in node.legal_moves]
        return max(values) if node.to_move is walk.maximizer else min(values)

    return walk.analyse(lambda child: value_of(child, 1))


def alpha_beta(
    position: Position,
    *,
    win: int = WIN,
    max_depth: int | None = None,
    stop: Callable[[], bool] = never,
) -> Values:
    """Find what :func:`minimax` finds, without the branches that cannot matter. For the arguments see :class:`Search`.

    The maximizer is already sure of ``alpha`` elsewhere, the minimizer of ``beta``. Where they meet, one of them will
    not let the game come there, and the rest of the branch is skipped. Every move of the root is searched with the full
    window, because a cutoff would leave only a bound of its value. A search for the root's value alone, as in the
    textbooks, lets alpha narrow there too: :func:`noughts.engine.grow.grow` does.
    """
    walk = _Walk(position, win, max_depth, stop)

    def value_of(node: Position, depth: int, alpha: int, beta: int) -> int:
        score = walk.visit(node, depth)
        if score is not None:
            return score
        if node.to_move is walk.maximizer:
            value = -win
            for move in node.legal_moves:
                value = max(value, value_of(node.play(move), depth + 1, alpha, beta))
                alpha = max(alpha, value)
                if alpha >= beta:
                    break
        else:
            value = win
            for move in node.legal_moves:
                value = min(value, value_of(node.play(move), depth + 1, alpha, beta))
                beta = min(beta, value)
                if alpha >= beta:
                    break
        return value

    return walk.analyse(lambda child: value_of(child, 1, -win, win))


class _Walk:
    """The part that both searches share: counting and stopping, the scores of leaves, and the moves at the root."""

    def __init__(self, root: Position, win: int, max_depth: int | None, stop: Callable[[], bool]) -> None:
        if max_depth is not None and max_depth < 1:
            raise ValueError("max_depth must be at least 1")
        # A finished game is valued as if the sides had alternated.
        self.maximizer = root.to_move or (Side.SECOND if root.ply % 2 else Side.FIRST)
        self.root = root
        self.win = win
        self.max_depth = max_depth
        self.stop = stop
        self.nodes = 0

    def visit(self, node: Position, depth: int) -> int | None:
        """Count ``node``, ``depth`` plies from the root. Returns its score if the search ends here."""
        if self.nodes % NODES_PER_POLL == 0 and self.stop():
            raise Stopped
        self.nodes += 1
        outcome = node.outcome
        if outcome is None:
            return 0 if depth == self.max_depth else None
        if outcome.winner is None:
            return 0
        if depth >= self.win:
            raise ValueError(f"a game is won {depth} plies from the root: win must be greater")
        return self.win - depth if outcome.winner is self.maximizer else depth - self.win

    def analyse(self, value_of: Callable[[Position], int]) -> Values:
        score = self.visit(self.root, 0)
        if score is not None:
            return Values(score, {}, self.nodes)
        values = {move: value_of(self.root.play(move)) for move in self.root.legal_moves}
        return Values(max(values.values()), values, self.nodes)
