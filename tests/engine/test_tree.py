from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine import TreeResult, tree_alpha_beta, tree_minimax

TREES = st.integers(0, 7).flatmap(
    lambda depth: st.lists(st.integers(-9, 9), min_size=2**depth, max_size=2**depth)
)


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


@given(TREES)
def test_minimax_is_the_layers_folded_from_the_leaves_up(leaves: list[int]) -> None:
    layer = leaves
    while len(layer) > 1:
        # The maximizer moves at the root, so at every odd height; 2, 8, 32, ... nodes lie below such a layer.
        maximizing = (len(layer).bit_length() - 2) % 2 == 0
        choose = max if maximizing else min
        layer = [choose(layer[index : index + 2]) for index in range(0, len(layer), 2)]
    assert tree_minimax(leaves).value == layer[0]


@given(TREES)
def test_a_skipped_leaf_cannot_matter(leaves: list[int]) -> None:
    result = tree_alpha_beta(leaves)
    for extreme in (-100, 100):
        changed = [extreme if index in result.skipped else leaf for index, leaf in enumerate(leaves)]
        assert tree_minimax(changed).value == result.value
