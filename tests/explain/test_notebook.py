"""Solutions, moves and trees in a program or a notebook."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

import noughts as library
from noughts.explain.notebook import Tree, leaves, tree
from noughts.games import GAMES
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


def test_a_solution_is_the_one_that_the_command_prints() -> None:
    found = library.solve("tictactoe", "xox/oox/...", moves="7")
    printed = noughts("solve", "tictactoe", "xox/oox/...", "--moves", "7").out.decode()
    timeless = [re.sub(r"(?<=Time: )\S+", "", text).split() for text in (repr(found), printed)]
    assert timeless[0] == timeless[1]
    assert found.best == ("8",)
    assert found.values == {"8": 9, "9": 0}
    html = ElementTree.fromstring(f"<div>{found._repr_html_()}</div>")
    assert [part.tag.rpartition("}")[2] for part in html] == ["svg", "pre"]
    assert "O to move, value 9" in (html[1].text or "")


def test_a_solution_of_a_finished_game_says_who_has_won() -> None:
    found = library.solve("tictactoe", moves="12457")
    assert found.best == ()
    assert "The game is over" in repr(found)
    assert "The game is over" in found._repr_html_()


def test_the_computer_plays_a_move() -> None:
    move, position = library.play("tictactoe", "xox/oox/...")
    assert move == "9"
    assert position == GAMES["tictactoe"].parse("xox/oox/..x")


def test_a_seed_repeats_the_move_and_a_level_makes_mistakes() -> None:
    first = [library.play("tictactoe", "xo./.../...", level="easy", seed=seed).move for seed in range(12)]
    assert first == [library.play("tictactoe", "xo./.../...", level="easy", seed=seed).move for seed in range(12)]
    assert len(set(first)) > 2


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: library.solve("shogi"),
        lambda: library.solve("tictactoe", moves="5,5"),
        lambda: library.play("tictactoe", "xx"),
        lambda: library.play("tictactoe", level="divine"),
        lambda: library.play("tictactoe", "xxx/oo./..."),
    ],
)
def test_a_wrong_position_or_level_is_a_value_error(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        wrong()


def test_the_package_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="guess"):
        library.guess  # noqa: B018


def test_a_search_by_playouts_is_decided_by_its_seed() -> None:
    assert library.solve("tictactoe", "xox/oox/...", search="mcts").best == ("9",)
    with pytest.raises(ValueError, match="no search 'minimax'"):
        library.solve("tictactoe", search="minimax")
    one, same = (library.solve("tictactoe", moves="517", search="mcts", seed=7) for _ in range(2))
    assert one.analysis == same.analysis
