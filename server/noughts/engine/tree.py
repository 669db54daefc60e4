"""Minimax and alpha-beta on a tree of leaves, as in lecture notes. Pure; does no I/O.

The tree is complete and binary, given by its 1, 2, 4, 8, ... leaves from left to right. The maximizer moves at the
root, then the two alternate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TreeResult:
    """The root's value, and the indices, from 0, of the leaves that the search visited and skipped."""

    value: float
    visited: tuple[int, ...]
    skipped: tuple[int, ...]


def tree_minimax(leaves: Sequence[float]) -> TreeResult:
    """Search the whole tree. Raises ValueError unless the number of leaves is a power of two."""
    _check(leaves)
    visited: list[int] = []

    def value_of(start: int, stop: int, maximizing: bool) -> float:
        if stop - start == 1:
            visited.append(start)
            return leaves[start]
        middle = (start + stop) // 2
        left = value_of(start, middle, not maximizing)
        right = value_of(middle, stop, not maximizing)
        return max(left, right) if maximizing else min(left, right)

    return _result(value_of(0, len(leaves), True), visited, leaves)


def tree_alpha_beta(leaves: Sequence[float]) -> TreeResult:
    """Search the tree without the leaves that cannot matter. Raises ValueError like :func:`tree_minimax`."""
    _check(leaves)
    visited: list[int] = []

    def value_of(start: int, stop: int, maximizing: bool, alpha: float, beta: float) -> float:
        if stop - start == 1:
            visited.append(start)
            return leaves[start]
        middle = (start + stop) // 2
        left = value_of(start, middle, not maximizing, alpha, beta)
        if maximizing:
            alpha = max(alpha, left)
        else:
            beta = min(beta, left)
        if alpha >= beta:
            return left
        right = value_of(middle, stop, not maximizing, alpha, beta)
        return max(left, right) if maximizing else min(left, right)

    return _result(value_of(0, len(leaves), True, -math.inf, math.inf), visited, leaves)


def _check(leaves: Sequence[float]) -> None:
    if len(leaves).bit_count() != 1:
        raise ValueError(f"a complete binary tree has 1, 2, 4, 8, ... leaves, not {len(leaves)}")


def _result(value: float, visited: list[int], leaves: Sequence[float]) -> TreeResult:
    skipped = sorted(set(range(len(leaves))) - set(visited))
    return TreeResult(value, tuple(visited), tuple(skipped))
