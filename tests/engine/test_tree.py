import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine import TreeResult, tree_alpha_beta, tree_minimax

TREES = st.integers(0, 5).flatmap(lambda depth: st.lists(st.integers(-9, 9), min_size=2**depth, max_size=2**depth))


def test_the_first_lecture_tree() -> None:
    leaves = [3, 5, 2, 9, 12, 5, 23, 23]
    assert tree_minimax(leaves) == TreeResult(12, visited=tuple(range(8)), skipped=())
    assert tree_alpha_beta(leaves) == TreeResult(12, visited=(0, 1, 2, 3, 4, 5, 6), skipped=(7,))


def test_the_second_lecture_tree_where_alpha_beta_skips_9_0_and_minus_1() -> None:
    leaves = [3, 5, 6, 9, 1, 2, 0, -1]
    pruned = tree_alpha_beta(leaves)
    assert tree_minimax(leaves) == TreeResult(5, visited=tuple(range(8)), skipped=())
    assert pruned == TreeResult(5, visited=(0, 1, 2, 4, 5), skipped=(3, 6, 7))
    assert [leaves[index] for index in pruned.skipped] == [9, 0, -1]


def test_one_leaf_is_its_own_value() -> None:
    assert tree_minimax([7]) == tree_alpha_beta([7]) == TreeResult(7, visited=(0,), skipped=())


@pytest.mark.parametrize("search", [tree_minimax, tree_alpha_beta])
@pytest.mark.parametrize("number", [0, 3, 6, 7, 9])
def test_the_tree_is_complete(search: Callable[[list[float]], TreeResult], number: int) -> None:
    with pytest.raises(ValueError, match=f"not {number}"):
        search([0.0] * number)


@given(TREES)
def test_alpha_beta_finds_what_minimax_finds(leaves: list[int]) -> None:
    plain, pruned = tree_minimax(leaves), tree_alpha_beta(leaves)
    assert plain.value == pruned.value
    assert plain.visited == tuple(range(len(leaves)))
    assert sorted(pruned.visited + pruned.skipped) == list(plain.visited)


def fold(leaves: list[int], maximizing: bool) -> int:
    """The value of a node, from the two halves of its leaves."""
    if len(leaves) == 1:
        return leaves[0]
    middle = len(leaves) // 2
    return (max if maximizing else min)(fold(half, not maximizing) for half in (leaves[:middle], leaves[middle:]))


@given(TREES)
def test_minimax_matches_a_fold_of_the_leaves(leaves: list[int]) -> None:
    assert tree_minimax(leaves).value == fold(leaves, True)


@given(TREES)
def test_alpha_beta_visits_the_leaves_of_pearls_theorem(leaves: list[int]) -> None:
    # Judea Pearl, Heuristics (1984): a leaf is visited if the best value to the left of its path for the maximizers
    # is less than that for the minimizers.
    expected = []
    for leaf in range(len(leaves)):
        start, stop, maximizing = 0, len(leaves), True
        alpha, beta = -math.inf, math.inf
        while stop - start > 1:
            middle = (start + stop) // 2
            if leaf < middle:
                stop = middle
            else:
                left = fold(leaves[start:middle], not maximizing)
                alpha, beta = (max(alpha, left), beta) if maximizing else (alpha, min(beta, left))
                start = middle
            maximizing = not maximizing
        if alpha < beta:
            expected.append(leaf)
    assert list(tree_alpha_beta(leaves).visited) == expected
