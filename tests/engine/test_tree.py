from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine import BadTree, TreePosition, parse_tree
from noughts.engine.tree import MOST_CHARACTERS, MOST_LEAVES, MOST_PLIES, Branch
from noughts.games import IllegalMove, MalformedMove, Side

Nested = Any
"""A leaf, or a list of such."""


def nested(branch: Branch) -> Nested:
    if not branch.children:
        assert branch.value is not None
        return branch.value
    return [nested(child) for child in branch.children]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("5", 5),
        ("(5)", [5]),
        ("-.5, 2e1", [-0.5, 20]),
        ("\N{MINUS SIGN}3,+4", [-3, 4]),
        ("3,12,8/2,4,6/14,5,2", [[3, 12, 8], [2, 4, 6], [14, 5, 2]]),
        ("3,5/6,9//1,2/0,-1", [[[3, 5], [6, 9]], [[1, 2], [0, -1]]]),
        (" 3 , 5 / 7 ", [[3, 5], 7]),
        ("3,5//7", [[3, 5], 7]),
        ("(3,5),(6,9)/7", [[[3, 5], [6, 9]], 7]),
        ("(3,(5,6)),2", [[3, [5, 6]], 2]),
        ("A(B(3,12/8),C(2))", [[[3, 12], 8], [2]]),
        ("a(1,2),a,b(a)", [[1, 2], [1, 2], [[1, 2]]]),
        ("a=1,a", [1, 1]),
        ("4(3,5),B=-2(1,2)", [[3, 5], [1, 2]]),
    ],
)
def test_the_notation(text: str, shape: Nested) -> None:
    assert nested(parse_tree(text).branch) == shape


def test_names_estimates_and_sizes() -> None:
    root = parse_tree("A(B=4(3,b'=12),-1(2),C(B,C_1(5)),7)").branch
    assert (root.name, root.value, root.leaves, root.plies) == ("A", None, 7, 3)
    assert [(child.name, child.value) for child in root.children] == [("B", 4), ("", -1), ("C", None), ("", 7)]
    assert root.moves == ("B", "2", "C", "4")
    assert root.children[0].moves == ("1", "b'")
    assert root.children[2].children[0] is root.children[0]
    assert root.label == "A"
    assert parse_tree("3,5/B(4)").branch.label == "((3,5),B)"


def test_a_node_that_comes_twice_has_numbers_for_moves() -> None:
    assert parse_tree("a(1,2),a,b=3").branch.moves == ("1", "2", "b")


def test_the_sides_take_turns() -> None:
    root = parse_tree("3,5/6")
    assert (root.to_move, root.legal_moves, root.outcome) == (Side.FIRST, ("1", "2"), None)
    group, leaf = root.play("1"), root.play("2")
    assert (group.to_move, group.ply, group.text) == (Side.SECOND, 1, "(3,5)")
    assert (leaf.to_move, leaf.legal_moves, leaf.text) == (None, (), "6")
    assert leaf.outcome is not None
    with pytest.raises(MalformedMove, match="one of 1, 2"):
        root.play("3")
    with pytest.raises(IllegalMove):
        leaf.play("1")
    assert root.play("1") == group
    assert group != TreePosition(group.branch, 3)


@pytest.mark.parametrize(
    ("text", "at", "problem"),
    [
        ("", 0, "a number, a name or '(' is missing here"),
        ("   ", 3, "a number, a name or '(' is missing here"),
        ("3,,5", 2, "a number, a name or '(' is missing here"),
        ("3,5/", 4, "a number, a name or '(' is missing here"),
        ("()", 1, "a number, a name or '(' is missing here"),
        ("(3,5", 4, "',', '/' or ')' is missing here"),
        ("3,5)", 3, "there is no ( for this )"),
        ("3 5", 2, "',' or '/' is missing before '5'"),
        ("3,4=5", 3, "',' or '/' is missing before '='"),
        ("a=,5", 2, "a number is missing here"),
        ("a=(3)", 2, "a number is missing here"),
        ("3,x", 2, "there is no complete node 'x' to the left of this"),
        ("x,x=3", 0, "there is no complete node 'x' to the left of this"),
        ("A(3,A)", 4, "there is no complete node 'A' to the left of this"),
        ("3,nan", 2, "there is no complete node 'nan' to the left of this"),
        ("A(A(3),4)", 2, "'A' is already the name of the node at character 1"),
        ("a=1/b=2,a=3", 8, "'a' is already the name of the node at character 1"),
        ("3,5x", 2, "'5' begins neither a number nor a name of at most 16 characters"),
        ("3,?", 2, "'?' begins neither a number nor a name of at most 16 characters"),
        ("abcdefghijklmnopq=1", 0, "'a' begins neither a number nor a name of at most 16 characters"),
        ("2,1e99", 2, "a value is at most 1,000,000,000"),
        ("(" * 30 + "3" + ")" * 30, MOST_PLIES, f"more than {MOST_PLIES} plies"),
        (",".join("1" * (MOST_LEAVES + 1)), 0, f"more than {MOST_LEAVES} leaves"),
        ("a(1,2),b(a,a),c(b,b),d(c,c),e(d,d),f(e,e),g(f,f),h(g,g),i(h,h)", 56, f"more than {MOST_LEAVES} leaves"),
        ("1," * MOST_CHARACTERS, MOST_CHARACTERS, "the tree is longer than 4,000 characters"),
    ],
)
def test_a_mistake_is_found_at_its_character(text: str, at: int, problem: str) -> None:
    with pytest.raises(BadTree) as wrong:
        parse_tree(text)
    assert (wrong.value.at, wrong.value.problem) == (at, problem)
    assert str(wrong.value) == f"character {at + 1}: {problem}"
    assert str(pickle.loads(pickle.dumps(wrong.value))) == str(wrong.value), "a worker process sends it"


@given(text=st.text("0159.,/()=-+eaB' ?", max_size=80))
def test_any_text_is_a_tree_or_has_a_mistake_somewhere(text: str) -> None:
    at = 0
    try:
        assert 1 <= parse_tree(text).branch.leaves <= MOST_LEAVES
    except BadTree as wrong:
        at = wrong.at
    assert 0 <= at <= len(text)


def test_slashes_nest_no_deeper_than_parentheses() -> None:
    text = "1" + "".join("/" * level + "1,1" for level in range(MOST_PLIES + 1, 0, -1))
    with pytest.raises(BadTree, match=f"more than {MOST_PLIES} plies"):
        parse_tree(text)
