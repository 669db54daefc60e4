"""Trees in a notebook."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from noughts.explain.notebook import Tree, leaves, tree
from support.command import noughts


@pytest.mark.parametrize(
    ("shown", "command"),
    [
        (lambda: tree("tictactoe", "xox/.o./..x"), "tictactoe xox/.o./..x"),
        (lambda: tree("tictactoe", "xox/.o./..x", strict=True), "tictactoe xox/.o./..x --strict"),
        (lambda: tree("tictactoe", moves="5123", search="minimax"), "tictactoe --moves 5123 --search minimax"),
        (lambda: leaves("3,12,8/2,4,6/14,5,2"), "--leaves 3,12,8/2,4,6/14,5,2"),
        (lambda: leaves("3,12/2,4", search="minimax", depth=1), "--leaves 3,12/2,4 --search minimax --depth 1"),
    ],
)
def test_a_tree_is_the_one_that_the_command_draws(shown: Callable[[], Tree], command: str) -> None:
    found = shown()
    assert ElementTree.fromstring(found._repr_svg_()).tag == "{http://www.w3.org/2000/svg}svg"
    for text, form in ((found._repr_svg_(), "svg"), (repr(found), "text")):
        drawn = noughts("tree", *command.split(), "--format", form).out.decode()
        same = text.replace("depth=N", "--depth N").replace("fold=False", "--no-fold")
        assert same.split() == drawn.split()  # a long sentence may be broken at another word


def test_a_large_tree_says_how_to_see_more() -> None:
    words = repr(tree("tictactoe", moves="5"))
    assert "depth=N shows N plies, fold=False shows reflections too." in words
    assert "--" not in words.replace("|--", "")
    assert len(repr(tree("tictactoe", moves="5", fold=False, depth=1)).splitlines()) > len(
        repr(tree("tictactoe", moves="5", depth=1)).splitlines()
    )


def test_the_style_of_a_tree_is_for_the_tree_alone() -> None:
    style = re.search(r"<style>(.*?)</style>", leaves("1,2")._repr_svg_(), re.DOTALL)
    assert style is not None
    selectors = re.findall(r"^(.*?) \{", style.group(1), re.MULTILINE)
    assert len(selectors) > 5
    assert all(selector.startswith(".noughts-tree ") for selector in selectors)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: tree("shogi"),
        lambda: tree("tictactoe", "xx"),
        lambda: tree("tictactoe", moves="5,5"),
        lambda: tree("tictactoe", search="guess"),
        lambda: leaves("3,,4"),
    ],
)
def test_what_does_not_exist_is_a_value_error(wrong: Callable[[], Tree]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        wrong()
