"""Minimax and alpha-beta over any game, as the textbooks have them. Pure; does no I/O.

One score for both. The side to move at the root is the maximizer. A win of the maximizer d plies from the
root is worth ``win - d``, a loss ``-win + d``, a draw 0: a win is the better the sooner it comes, and a
loss the better the later. As long as ``win`` is more than the plies that the search can reach, wins stay
above 0 and losses below. For tic-tac-toe's 9 plies that is 10.

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
    """The search was told to stop, and gives nothing."""


def never() -> bool:
    """Never stop."""
    return False


@dataclass(frozen=True, slots=True)
class Values:
    """What a search found, seen by the side to move at the root.

    ``values`` has the exact value of every legal move, in board order; none when the game is over.
    ``value`` is the best of them; of a finished game, the score for the side whose turn it would be.
    ``nodes`` counts the positions that were visited, the root included.
    """

    value: int
    values: dict[str, int]
    nodes: int

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that are worth ``value``, in board order."""
        return tuple(move for move, value in self.values.items() if value == self.value)


class Search(Protocol):
    """A search method: :func:`minimax` and :func:`alpha_beta`.

    ``win`` must be greater than the depth at which a game can be won, or ValueError is raised.
    ``max_depth``, 1 or more, ends the search that many plies from the root, and what is not decided there
    counts as a draw; None searches every game to its end. ``stop`` is asked at the first node and then
    every 4096 nodes, and :class:`Stopped` is raised once it says yes.
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
    """Search all that can happen. The arguments are those of :class:`Search`."""
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
    """Find what :func:`minimax` finds, without the branches that cannot matter. The arguments are those
    of :class:`Search`.

    The maximizer is already sure of ``alpha``, the minimizer of ``beta``; where they meet, one of the two
    will not let the game come there, and the rest of the branch is skipped. Every move of the root is
    searched with the whole window: a cutoff would leave only a bound where the exact value is wanted.
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
    """What both searches do alike: count, stop, score the leaves, and keep the root's moves apart."""

    def __init__(self, root: Position, win: int, max_depth: int | None, stop: Callable[[], bool]) -> None:
        if max_depth is not None and max_depth < 1:
            raise ValueError("max_depth is 1 or more")
        # A finished game is valued as if the sides had alternated.
        self.maximizer = root.to_move or (Side.SECOND if root.ply % 2 else Side.FIRST)
        self.root = root
        self.win = win
        self.max_depth = max_depth
        self.stop = stop
        self.nodes = 0

    def visit(self, node: Position, depth: int) -> int | None:
        """Count ``node``, ``depth`` plies from the root. Its score if the search ends here."""
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
