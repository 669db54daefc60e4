"""Monte-Carlo tree search against plain minimax, the textbook engine, and minimax over whole histories."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.repeating import Graph, Place, Truth, game_of, random_graph, worth
from noughts.engine import Analysis, Bound, Interrupt, Limits, MonteCarlo, MoveValue, Textbook, expected_result, mcts
from noughts.engine.mcts import NODES_PER_POLL, Node, _Search
from noughts.games import GAMES, Game, Position, Side
from support.small_game import margin, small_game
from walks import exact_best, move_value, reachable

TICTACTOE, CONNECT4, MORRIS = GAMES["tictactoe"], GAMES["connect4"], GAMES["morris"]


def analyse(
    game: Game, position: Position, *, seed: int = 0, every_move: bool = True, nodes: int = 100_000
) -> Analysis:
    return MonteCarlo(game, seed).analyse(position, Limits(None, nodes, every_move), Interrupt())


def agree(found: MoveValue, value: int) -> bool:
    """True if what was found is compatible with the true ``value``."""
    if found.exact:
        return found.value == value
    if found.bound is None:
        return True
    return found.value <= value if found.bound is Bound.LOWER else found.value >= value


def is_played_to_the_end(position: Position, line: tuple[str, ...]) -> bool:
    for move in line:
        position = position.play(move)
    return position.outcome is not None


@pytest.mark.parametrize("step", [300, pytest.param(20, marks=pytest.mark.slow)])
def test_the_positions_of_tic_tac_toe_are_solved(step: int) -> None:
    later = [position for position in reachable("tictactoe") if position.ply > 3]
    for position in sorted(later, key=lambda one: one.text)[::step]:
        found = analyse(TICTACTOE, position)
        assert found.exact
        assert set(found.best) == (exact_best(position) if position.to_move else set())
        for move, each in found.moves.items():
            assert each.exact
            assert each.value == move_value(position, move)
            assert each.distance == len(each.line)
            assert is_played_to_the_end(position, each.line)
        best = analyse(TICTACTOE, position, every_move=False)
        if position.to_move:
            result = found.value > 0, found.value < 0
            assert best.exact or result == (True, False)  # a win that may not be the soonest
            assert all(
                (each.value > 0, each.value < 0) == result for each in map(found.moves.get, best.choices) if each
            )
        assert all(agree(each, move_value(position, move)) for move, each in best.moves.items())


@pytest.mark.parametrize(
    ("key", "least", "most", "count"),
    [
        ("connect4", 34, 40, 4),
        ("kalah", 38, 50, 4),
        ("dots", 18, 22, 3),
        pytest.param("morris", 60, 150, 1, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("seed", [1, *[pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12)]])
def test_what_is_proved_agrees_with_alpha_beta(key: str, least: int, most: int, count: int, seed: int) -> None:
    game, rng, proved = GAMES[key], random.Random(f"{key} {seed}"), 0
    while count:
        position = game.start
        for _ in range(rng.randint(least, most)):
            if position.to_move:
                position = position.play(rng.choice(position.legal_moves))
        if not position.to_move:
            continue
        count -= 1
        expected = Textbook(game).analyse(position, Limits(nodes=10_000), Interrupt())
        for every_move in (True, False):
            found = analyse(game, position, nodes=10_000, every_move=every_move)
            for move, each in found.moves.items():
                proved += each.exact or each.bound is not None
                if expected.moves[move].exact:
                    assert agree(each, expected.moves[move].value), (position.text, move)
                if each.exact:
                    assert is_played_to_the_end(position, each.line)
            if found.exact and expected.exact:
                assert found.value == expected.value
    assert proved or key == "morris"  # few of its positions are near the end


@pytest.mark.parametrize("graphs", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_nothing_that_rests_on_a_repetition_is_called_exact(graphs: int) -> None:
    rng = random.Random(8)
    counts = {"won": 0, "lost": 0, "far": 0, "bounds": 0, "drawn": 0}
    for number in range(graphs):
        game, truth = game_of(random_graph(rng, alternating=number % 2 == 0), None), Truth()
        game = replace(game, heuristic=None)
        position = game.start
        for _ in range(rng.randint(0, 6)):
            after = position.play(rng.choice(position.legal_moves))
            position = position if after.outcome else after
        assert isinstance(position, Place)
        sign = 1 if position.to_move is Side.FIRST else -1
        for every_move in (True, False):
            found = analyse(game, position, nodes=1500, every_move=every_move)
            for move, each in found.moves.items():
                result, plies = truth.value(position.play(move))
                true = worth((result, plies + 1), sign)
                assert agree(each, true)
                if each.exact and each.value == 0:
                    assert position.play(move).outcome is not None
                counts["won"] += each.exact and true > 0
                counts["lost"] += each.exact and true < 0
                counts["drawn"] += each.exact and true == 0
                counts["far"] += each.exact and len(each.line) > 2
                counts["bounds"] += each.bound is not None
            assert not found.exact or found.value == worth(truth.value(position), sign)
            assert not found.claim or found.value >= 0
    assert min(counts.values()) > 5, counts


def test_margins_are_solved_where_a_side_takes_the_last_stone() -> None:
    game = small_game(margin=margin)
    found = analyse(game, game.start)
    expected = Textbook(game).analyse(game.start, Limits(), Interrupt())
    assert (found.exact, found.value, found.best) == (True, expected.value, expected.best)
    for move, each in found.moves.items():
        assert each == replace(expected.moves[move], line=each.line, playouts=each.playouts)


def test_a_seed_decides() -> None:
    one, same, other = (analyse(CONNECT4, CONNECT4.start, seed=seed, nodes=2000) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_a_stopped_search_has_a_move() -> None:
    stop = Interrupt()
    stop.set()
    for game in (TICTACTOE, CONNECT4, MORRIS):
        found = MonteCarlo(game).analyse(game.start, Limits(), stop)
        assert found.choices[0] in game.start.legal_moves
        assert tuple(found.moves) == game.start.legal_moves
        assert not found.exact


class After(Interrupt):
    """Stops a search when it has been asked some times."""

    def __init__(self, polls: int) -> None:
        super().__init__()
        self.left = polls

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_a_search_that_is_stopped_anywhere_answers() -> None:
    for polls in range(1, 12):
        found = MonteCarlo(MORRIS).analyse(MORRIS.start, Limits(), After(polls))
        assert found.nodes <= polls * NODES_PER_POLL + 1


def test_no_more_positions_than_the_limit() -> None:
    for nodes in (1, 100, 3000):
        assert analyse(CONNECT4, CONNECT4.start, nodes=nodes).nodes <= nodes + NODES_PER_POLL


def test_a_full_tree_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "TREE_SIZE", 200)
    search = _Search(CONNECT4, CONNECT4.start, Limits(), Interrupt(), random.Random(1))
    search.run()
    assert 200 <= count(search.root) <= 207


def count(node: Node) -> int:
    return 1 + sum(map(count, node.children))


@pytest.mark.parametrize("key", ["connect4", "kalah"])
def test_visits_and_results_add_up(key: str) -> None:
    game = replace(GAMES[key], heuristic=None)
    search = _Search(game, game.start, Limits(nodes=20_000), Interrupt(), random.Random(1))
    found = search.run()
    assert search.root.visits == sum(each.playouts for each in found.moves.values()) > 100
    check_visits(search.root, sum(child.wins for child in search.root.children))


def check_visits(node: Node, result: float) -> None:
    """``result`` is the sum of the results from the node, for the side to move at the root."""
    own = node.visits - sum(child.visits for child in node.children)
    assert 0 <= own <= 2  # its own first playout, and one when its moves decided it
    results = [child.wins if node.maximizing else child.visits - child.wins for child in node.children]
    assert -1e-6 <= result - sum(results) <= own + 1e-6
    for child, each in zip(node.children, results, strict=True):
        if child.children:
            check_visits(child, each)


def test_means_are_expected_results() -> None:
    game = replace(CONNECT4, heuristic=None)
    found = analyse(game, game.start.play("4").play("4"), nodes=20_000)
    assert not found.exact
    for each in found.moves.values():
        if each.mean is not None:
            assert expected_result(game, each) == each.mean
            assert (each.value > 0) == (each.mean > 0.5) or each.value == 0
        assert (each.mean is None) == (each.exact or each.bound is not None)
    undecided = [move for move, each in found.moves.items() if each.mean is not None]
    assert len(undecided) > 5
    assert found.choices == (max(undecided, key=lambda move: found.moves[move].playouts),)


def always(mover: Callable[[int], Side]) -> Graph:
    """Seven places in a circle, without an end."""
    return Graph(tuple(mover(at) for at in range(7)), tuple(((at + 1) % 7,) for at in range(7)), (), 10**9, 10**9, None)


def test_a_game_without_an_end_is_a_draw_by_length() -> None:
    game = replace(game_of(always(lambda at: tuple(Side)[at % 2]), None), heuristic=None)
    found = analyse(game, game.start, nodes=5000)
    assert {each.mean for each in found.moves.values()} == {0.5}
    assert not found.exact


def test_a_search_of_limited_depth_is_the_textbooks() -> None:
    limits = Limits(depth=3)
    found = MonteCarlo(CONNECT4).analyse(CONNECT4.start, limits, Interrupt())
    assert found == Textbook(CONNECT4).analyse(CONNECT4.start, limits, Interrupt())


def test_a_win_too_far_for_the_game_is_an_error() -> None:
    with pytest.raises(ValueError, match="win must be greater"):
        analyse(replace(TICTACTOE, win=4), TICTACTOE.start)
