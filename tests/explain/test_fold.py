from __future__ import annotations

from noughts.engine.grow import Method, Node, Plan, grow, scoring
from noughts.explain.fold import fit, fold, size
from noughts.games import GAMES
from noughts.games.symmetry import canonical, turns_of

GAME = GAMES["tictactoe"]
TURNS = turns_of(GAME)


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
