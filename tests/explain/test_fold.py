from __future__ import annotations

from collections import Counter

import pytest

from noughts.engine.grow import Method, Node, Plan, grow, scoring
from noughts.explain.fold import canonical, fit, fold, size, turns_of
from noughts.games import GAMES
from noughts.games.mnk import mnk
from walks import reachable

GAME = GAMES["tictactoe"]
TURNS = turns_of(GAME)


def test_tic_tac_toe_has_765_positions_up_to_symmetry() -> None:
    # The published count of essentially different positions, by ply: OEIS A008907 for 3x3.
    forms = {(position.ply, canonical(GAME, position, TURNS)) for position in reachable("tictactoe")}
    assert len(forms) == 765
    by_ply = Counter(ply for ply, _ in forms)
    assert [by_ply[ply] for ply in range(10)] == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]


@pytest.mark.parametrize(
    ("key", "moves", "classes"),
    [
        ("connect4", [], [{"1", "7"}, {"2", "6"}, {"3", "5"}, {"4"}]),
        ("connect4", ["1"], [{move} for move in "1234567"]),
        ("reversi", [], [{"d3", "c4", "f5", "e6"}]),
        ("ultimate", ["e5"], [{"d4", "f4", "d6", "f6"}, {"e4", "d5", "f5", "e6"}]),
        (
            "ultimate",
            ["e5", "d4"],
            [{"a1"}, {"b1", "a2"}, {"c1", "a3"}, {"b2"}, {"c2", "b3"}, {"c3"}],
        ),
    ],
)
def test_equivalent_moves(key: str, moves: list[str], classes: list[set[str]]) -> None:
    game = GAMES[key]
    position = game.start
    for move in moves:
        position = position.play(move)
    found: dict[object, set[str]] = {}
    for move in position.legal_moves:
        found.setdefault(canonical(game, position.play(move), turns_of(game)), set()).add(move)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, classes))


def test_equal_boards_with_other_legal_moves_differ() -> None:
    game = GAMES["ultimate"]
    position = game.start
    for move in ("e5", "d4", "b2", "f4"):
        position = position.play(move)
    assert position.text.endswith(" 3")
    elsewhere = game.parse(position.text.removesuffix("3") + "1")
    assert elsewhere.rows == position.rows
    assert canonical(game, elsewhere, turns_of(game)) != canonical(game, position, turns_of(game))


def test_a_board_that_is_not_square_is_not_rotated() -> None:
    game = mnk("wide", "4 in a row on 6x5", 6, 5, 4)
    found: dict[object, list[str]] = {}
    for move in game.start.legal_moves:
        found.setdefault(canonical(game, game.start.play(move), turns_of(game)), []).append(move)
    assert len(found) == 3 * 3
    assert found[canonical(game, game.start.play("a1"), turns_of(game))] == ["a1", "f1", "a5", "f5"]


def grown(text: str, method: Method = Method.ALPHA_BETA) -> Node:
    position = GAME.parse(text)
    return grow(position, Plan(scoring(GAME, position, None), method, window=GAME.win))


def by_form(child: object) -> object:
    return canonical(GAME, child, TURNS)  # type: ignore[arg-type]


def test_one_of_the_equivalent_moves_is_kept_and_names_the_others() -> None:
    folded = fold(grown("x../.../..."), 1, by_form)
    assert [(child.move, child.alike) for child in folded.children] == [
        ("2", ("4",)),
        ("3", ("7",)),
        ("5", ()),
        ("6", ("8",)),
        ("9", ()),
    ]
    assert all(child.folded and not child.children and child.nodes > 1 for child in folded.children)


def test_the_chosen_one_is_kept() -> None:
    def chosen_are_shown(node: Node) -> None:
        assert set(node.best) <= {move for child in node.children for move in (child.move, *child.alike)} or node.folded
        if node.best and not node.folded:
            assert node.best[0] in {child.move for child in node.children}
        for child in node.children:
            chosen_are_shown(child)

    chosen_are_shown(fold(grown("xo./.../..."), 9, by_form))


def test_a_tree_is_shown_as_deep_as_it_fits() -> None:
    tree = grown("xo./xo./...")
    assert size(tree) == tree.nodes
    assert fit(tree, None, tree.nodes, None) == tree
    shown = fit(tree, None, 40, None)
    assert size(shown) <= 40 < size(fold(tree, depth(shown) + 1, None))
    assert size(fit(tree, 1, 40, None)) == 1 + 5
    # One ply is shown even where that is too much.
    assert size(fit(tree, None, 1, None)) == 1 + 5
    assert fit(grown("xxx/oo./..."), None, 1, None).nodes == 1


def depth(node: Node) -> int:
    return max((1 + depth(child) for child in node.children), default=0)
