from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engine import Search, Stopped, alpha_beta, minimax
from noughts.games import GAMES, IllegalMove, Outcome, Reason, Side
from walks import exact_best, exact_value, move_value, reachable

GAME = GAMES["tictactoe"]
BOTH = pytest.mark.parametrize("search", [minimax, alpha_beta])


def test_alpha_beta_nodes_from_the_empty_board() -> None:
    assert alpha_beta(GAME.start).nodes == 34203


@pytest.mark.slow
def test_minimax_nodes_from_the_empty_board() -> None:
    assert minimax(GAME.start).nodes == 549946


@pytest.mark.parametrize("step", [25, pytest.param(1, marks=pytest.mark.slow)])
def test_both_find_the_same_values(step: int) -> None:
    # The reference is a table of exact values, built without either search.
    for position in sorted(reachable("tictactoe"), key=lambda position: (position.ply, position.text))[
        step // 2 :: step
    ]:
        plain, pruned = minimax(position), alpha_beta(position)
        assert plain.value == pruned.value == exact_value(position)
        assert plain.best == pruned.best
        assert plain.values == pruned.values
        assert plain.values == {move: move_value(position, move) for move in position.legal_moves}
        assert set(plain.best) == exact_best(position)
        assert pruned.nodes <= plain.nodes


@BOTH
def test_the_lecture_board(search: Search) -> None:
    analysis = search(GAME.parse("xox/oox/..."))
    assert analysis.values == {"7": -8, "8": 0, "9": 9}
    assert (analysis.value, analysis.best) == (9, ("9",))
    without_depth = {move: 10 * ((value > 0) - (value < 0)) for move, value in analysis.values.items()}
    assert without_depth == {"7": -10, "8": 0, "9": 10}


@BOTH
def test_a_finished_game_has_a_value_and_no_moves(search: Search) -> None:
    for text, value in (("xxx/oo./...", -10), ("xx./ooo/x..", -10), ("xox/oox/xxo", 0)):
        analysis = search(GAME.parse(text))
        assert (analysis.value, analysis.values, analysis.best, analysis.nodes) == (value, {}, (), 1)


@BOTH
def test_positions_beyond_max_depth_count_as_draws(search: Search) -> None:
    position = GAME.parse("xox/oox/...")
    assert search(position, max_depth=1).values == {"7": 0, "8": 0, "9": 9}
    assert search(position, max_depth=2).values == {"7": -8, "8": 0, "9": 9}
    with pytest.raises(ValueError, match="max_depth"):
        search(position, max_depth=0)


def test_node_counts_are_the_perft_numbers() -> None:
    assert minimax(GAME.start, max_depth=4).nodes == 1 + 9 + 72 + 504 + 3024


@BOTH
def test_win_must_exceed_the_depth_of_every_win(search: Search) -> None:
    position = GAME.parse("xox/oox/...")
    assert search(position, win=100).values == {"7": -98, "8": 0, "9": 99}
    assert search(position, win=4).values == {"7": -2, "8": 0, "9": 3}
    with pytest.raises(ValueError, match="win must be greater"):
        search(position, win=2, max_depth=2)


@BOTH
def test_stop_is_polled_at_once_and_every_4096_nodes(search: Search) -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return False

    nodes = search(GAME.start, max_depth=6, stop=stop).nodes
    assert nodes > 4096
    assert asked == -(-nodes // 4096)
    with pytest.raises(Stopped):
        search(GAME.parse("xxx/oo./..."), stop=lambda: True)


@BOTH
@pytest.mark.parametrize("calls", [1, 2, 5])
def test_a_stopped_search_raises(search: Search, calls: int) -> None:
    answers: Iterator[bool] = iter([False] * (calls - 1) + [True])
    with pytest.raises(Stopped):
        search(GAME.start, stop=lambda: next(answers))
    assert next(answers, None) is None


Node = Outcome | tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class DrawnPosition:
    """A made-up game with an explicit tree. Either side may win anywhere."""

    node: Node
    ply: int = 0
    rows: tuple[str, ...] = ()
    text: str = ""

    @property
    def outcome(self) -> Outcome | None:
        return self.node if isinstance(self.node, Outcome) else None

    @property
    def to_move(self) -> Side | None:
        return None if self.outcome else (Side.FIRST, Side.SECOND)[self.ply % 2]

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return () if isinstance(self.node, Outcome) else tuple(map(str, range(len(self.node))))

    def play(self, move: str) -> DrawnPosition:
        if isinstance(self.node, Outcome):
            raise IllegalMove
        return replace(self, node=self.node[int(move)], ply=self.ply + 1)


OUTCOMES = [Outcome(Side.FIRST, Reason.COUNT), Outcome(Side.SECOND, Reason.COUNT), Outcome(None, Reason.DRAW)]
TREES: st.SearchStrategy[Node] = st.recursive(
    st.sampled_from(OUTCOMES),
    lambda children: st.lists(children, min_size=1, max_size=4).map(tuple),
    max_leaves=60,
)


@given(tree=TREES, ply=st.integers(0, 1), max_depth=st.none() | st.integers(1, 4))
def test_both_find_the_same_values_in_any_game(tree: Node, ply: int, max_depth: int | None) -> None:
    position = DrawnPosition(tree, ply)
    plain = minimax(position, win=1000, max_depth=max_depth)
    pruned = alpha_beta(position, win=1000, max_depth=max_depth)
    assert (plain.value, plain.values) == (pruned.value, pruned.values)
    assert pruned.nodes <= plain.nodes
