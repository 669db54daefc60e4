"""The textbook engine against plain searches without pruning, a table, or any other optimisation."""

import random
import zlib
from dataclasses import dataclass, field, replace
from functools import cache

import pytest

from noughts.engine import Analysis, Interrupt, Limits, Textbook, alpha_beta
from noughts.engine.textbook import NODES_PER_POLL
from noughts.games import GAMES, Game, Heuristic, Outcome, Position, Reason, Side
from walks import exact_best, move_value, reachable

TICTACTOE = GAMES["tictactoe"]
SURE = 10**6


def analyse(
    game: Game, position: Position, depth: int | None = None, *, every_move: bool = True, nodes: int | None = None
) -> Analysis:
    return Textbook(game).analyse(position, Limits(depth, nodes, every_move), Interrupt())


def values(analysis: Analysis) -> dict[str, int]:
    return {move: found.value for move, found in analysis.moves.items()}


@pytest.mark.parametrize("step", [25, pytest.param(1, marks=pytest.mark.slow)])
def test_the_positions_of_tic_tac_toe(step: int) -> None:
    for position in sorted(reachable("tictactoe"), key=arbitrary_order)[::step]:
        found = analyse(TICTACTOE, position)
        assert found.exact
        assert values(found) == {move: move_value(position, move) for move in position.legal_moves}
        assert set(found.best) == (exact_best(position) if position.to_move else set())
        for move, each in found.moves.items():
            assert each.exact
            assert each.line[0] == move
            assert each.distance == len(each.line)
            assert each.value == 0 or each.distance == 10 - abs(each.value)
            end = position
            for ply in each.line:
                end = end.play(ply)
            assert end.outcome
        best = analyse(TICTACTOE, position, every_move=False)
        assert (best.best, best.value, best.exact) == (found.best, found.value, True)
        for move, each in best.moves.items():
            assert each.value >= found.moves[move].value
            assert each.exact == (move in best.best)


def test_plain_alpha_beta_finds_the_same_with_more_nodes() -> None:
    plain = alpha_beta(TICTACTOE.start)
    found = analyse(TICTACTOE, TICTACTOE.start)
    assert (found.value, values(found), found.best) == (plain.value, plain.values, plain.best)
    assert found.nodes < plain.nodes
    assert found.depth == 9


def reference(game: Game, position: Position, depth: int) -> int:
    """The value for the side to move by plain negamax: an estimate, or beyond SURE if decided within ``depth``."""
    outcome = position.outcome
    if outcome is not None:
        if outcome.winner is None:
            return 0
        # The side whose turn it would be has lost, or, in games like Reversi, has won by the move of the opponent.
        to_move = Side.SECOND if position.ply % 2 else Side.FIRST
        worth = SURE + (abs(game.margin(position)) if game.margin else depth)
        return worth if outcome.winner is to_move else -worth
    if not depth:
        return game.heuristic.evaluate(position) if game.heuristic else 0
    return max(-reference(game, position.play(move), depth - 1) for move in position.legal_moves)


def some(game: Game, least: int, most: int, count: int, seed: int = 1) -> list[Position]:
    """Unfinished positions of random games, after ``least`` to ``most`` plies."""
    rng = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = game.start
        for _ in range(rng.randint(least, most)):
            if position.to_move:
                position = position.play(rng.choice(position.legal_moves))
        if position.to_move:
            found.append(position)
    return found


@pytest.mark.parametrize(
    ("key", "depth", "positions"),
    [
        ("connect4", 4, some(GAMES["connect4"], 4, 34, 10)),
        ("reversi", 3, some(GAMES["reversi"], 4, 57, 6)),
        ("ultimate", 3, some(GAMES["ultimate"], 10, 60, 6)),
    ],
)
def test_a_search_of_limited_depth_matches_the_plain_search(key: str, depth: int, positions: list[Position]) -> None:
    game = GAMES[key]
    for position in positions:
        expected = {move: -reference(game, position.play(move), depth - 1) for move in position.legal_moves}
        value = max(expected.values())
        found = analyse(game, position, depth)
        for move, each in found.moves.items():
            if abs(expected[move]) < SURE:
                assert each.value == expected[move]
            elif game.margin:
                assert each.value == (expected[move] - SURE if expected[move] > 0 else expected[move] + SURE)
            else:
                assert abs(each.value) == game.win - depth + abs(expected[move]) - SURE
                assert each.exact
        assert found.choices == tuple(move for move in expected if expected[move] == value)
        assert analyse(game, position, depth, every_move=False).choices == found.choices


@pytest.mark.parametrize(("key", "empty"), [("connect4", 9), ("reversi", 7)])
def test_endgames_are_solved_to_the_margin(key: str, empty: int) -> None:
    game = GAMES[key]
    cells = len(game.layout) * len(game.layout[0])
    least = cells - empty - (4 if key == "reversi" else 0)
    for position in some(game, least, least + 3, 6):
        expected = {move: -reference(game, position.play(move), 99) for move in position.legal_moves}
        found = analyse(game, position)
        assert found.exact
        for move, each in found.moves.items():
            assert each.exact
            assert each.value == (
                0 if not expected[move] else expected[move] - SURE if expected[move] > 0 else expected[move] + SURE
            )
            end = position
            for ply in each.line:
                end = end.play(ply)
            assert end.outcome
            assert each.distance == len(each.line)
        best = analyse(game, position, every_move=False)
        assert (best.best, best.value) == (found.best, found.value)


def arbitrary_order(position: Position) -> int:
    return zlib.crc32(position.text.encode())


@cache
def arbitrary(position: Position) -> int:
    """A meaningless estimate, from -5 to 5, on both sides of a draw."""
    return arbitrary_order(position) % 11 - 5


def test_exact_values_do_not_depend_on_the_estimates() -> None:
    game = replace(TICTACTOE, heuristic=Heuristic(arbitrary, 5))
    inexact = 0
    for position in sorted(reachable("tictactoe"), key=arbitrary_order)[::54]:
        if not position.to_move:
            continue
        for depth in (1, 2, 3, 4):
            for every_move in (True, False):
                found = analyse(game, position, depth, every_move=every_move)
                for move, each in found.moves.items():
                    if each.exact:
                        assert each.value == move_value(position, move)
                        assert each.distance == len(each.line)
                    else:
                        inexact += 1
                        assert each.distance is None
                if found.exact:
                    assert found.value == max(move_value(position, move) for move in position.legal_moves)
            # A win within the depth is exact, however little is known of the other moves.
            for move, each in analyse(game, position, depth).moves.items():
                true = move_value(position, move)
                if true and 10 - abs(true) <= depth:
                    assert (each.value, each.exact) == (true, True)
    assert inexact > 75


def test_an_exact_win_outranks_any_estimate() -> None:
    game = replace(TICTACTOE, heuristic=Heuristic(lambda position: -(10**12) if position.ply else 0, 1))
    position = TICTACTOE.parse("xx./oo./...")
    found = analyse(game, position, 1)
    assert found.best == ("3",)
    assert (found.value, found.exact) == (9, True)
    assert max(values(found).values()) > 9  # the other moves look better but are not


def test_the_quickest_win_has_the_greatest_margin() -> None:
    game = GAMES["connect4"]
    position = game.start
    for move in "414141":
        position = position.play(move)
    found = analyse(game, position, 1)
    assert (found.best, found.value, found.exact, found.moves["4"].distance) == (("4",), 18, True, 1)
    # Without `sooner`, another move might win by more.
    found = analyse(replace(game, sooner=False), position, 1)
    assert (found.best, found.value, found.exact) == (("4",), 18, False)


def test_the_search_stops_when_nothing_is_left_to_find() -> None:
    won = TICTACTOE.parse("xx./oo./...")
    assert analyse(TICTACTOE, won, every_move=False).depth == 1
    assert analyse(TICTACTOE, won).depth > 1  # there is more to find out about the other moves
    four = GAMES["gomoku"].parse("/".join([".bbbb.w........", "www............", *["." * 15] * 13]))
    found = analyse(GAMES["gomoku"], four, every_move=False)
    assert set(found.best) == {"a1"} if "f1" not in found.best else {"a1", "f1"}
    assert found.exact


def even(position: Position) -> int:
    return 0


def last_two_after(ply: int) -> Heuristic:
    """A heuristic with two candidates after ``ply`` plies, and otherwise all moves."""
    return Heuristic(even, 1, lambda position: position.legal_moves[-2 if position.ply == ply else 0 :])


def test_moves_that_are_not_candidates_have_values_too() -> None:
    for position in (TICTACTOE.start, TICTACTOE.parse("x../.o./...")):
        game = replace(TICTACTOE, heuristic=last_two_after(position.ply))
        found = analyse(game, position)
        assert tuple(found.moves) == position.legal_moves
        assert set(found.best) <= set(position.legal_moves[-2:])
        assert not found.exact  # another move may be better
        assert [move for move, each in found.moves.items() if each.exact] == list(position.legal_moves[-2:])
        assert all(each.value <= found.value for each in found.moves.values())
        assert tuple(analyse(game, position, every_move=False).moves) == position.legal_moves


@pytest.mark.slow
def test_no_candidate_is_worse_than_the_other_moves() -> None:
    game = GAMES["gomoku"]
    assert game.heuristic
    assert game.heuristic.candidates
    for position in some(game, 3, 9, 1):
        near = set(game.heuristic.candidates(position))
        assert len(near) < len(position.legal_moves)
        found_values = values(analyse(game, position, 2))
        least = min(value for move, value in found_values.items() if move in near and value > -900)
        assert max(value for move, value in found_values.items() if move not in near) <= least


def test_if_all_candidates_lose_the_other_moves_are_tried() -> None:
    game = replace(TICTACTOE, heuristic=last_two_after(4))
    position = TICTACTOE.parse("oo./x../..x")  # x has to take 3, but its candidates are 7 and 8
    assert position.to_move is Side.FIRST
    found = analyse(game, position)
    assert found.best == ("3",)
    assert found.moves["7"].value == found.moves["8"].value == -8


def test_a_win_against_the_candidates_alone_is_not_exact() -> None:
    position = TICTACTOE.parse("x../.o./...")
    found = analyse(replace(TICTACTOE, heuristic=last_two_after(3)), position, 3)
    assert (found.choices, found.value, found.exact) == (("2", "3", "4", "7"), 7, False)  # o can stop each of these
    assert not any(each.exact for each in found.moves.values())
    # The same holds a ply earlier, for the side that would lose by it.
    found = analyse(replace(TICTACTOE, heuristic=last_two_after(3)), TICTACTOE.start.play("1"), 4)
    assert min(values(found).values()) < 0
    assert not any(each.exact for each in found.moves.values())


@dataclass(frozen=True)
class Heap:
    """Nim with one heap, from which a move takes one, two or three. The side that takes the last one wins."""

    left: int
    side: Side = Side.FIRST
    ply: int = field(default=0, compare=False)
    rows = ()
    text = ""

    @property
    def to_move(self) -> Side | None:
        return self.side if self.left else None

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return tuple(str(number) for number in (1, 2, 3) if number <= self.left)

    @property
    def outcome(self) -> Outcome | None:
        return None if self.left else Outcome(self.side.other, Reason.COUNT)

    def play(self, move: str) -> "Heap":
        return Heap(self.left - int(move), self.side.other, self.ply + 1)


def test_a_position_can_be_reached_in_different_numbers_of_plies() -> None:
    for left in range(1, 13):
        heap = Heap(left)
        game = replace(TICTACTOE, start=heap)
        for depth in range(1, 14):
            found = analyse(game, heap, depth)
            assert {move: each.value for move, each in found.moves.items() if each.exact} == {
                move: move_value(heap, move) for move, each in found.moves.items() if each.exact
            }
        assert values(found) == {move: move_value(heap, move) for move in heap.legal_moves}


def test_a_finished_game() -> None:
    found = analyse(TICTACTOE, TICTACTOE.parse("xxx/oo./..."))
    assert (found.value, found.exact, found.moves, found.best, found.nodes) == (-10, True, {}, (), 1)


@pytest.mark.parametrize("key", GAMES)
def test_a_stopped_search_returns_the_best_move_so_far(key: str) -> None:
    game = GAMES[key]
    for position in some(game, 2, 12, 1):
        before = 0
        for nodes in (0, 1, 40, 300, 2000):
            for every_move in (True, False):
                stop = Interrupt()
                if not nodes:
                    stop.set()
                limits = Limits(nodes=nodes or None, every_move=every_move)
                found = Textbook(game).analyse(position, limits, stop)
                assert tuple(found.moves) == position.legal_moves
                assert found.best
                assert set(found.best) <= set(position.legal_moves)
                assert all(each.line[0] == move for move, each in found.moves.items())
                assert found.value == found.moves[found.best[0]].value
                assert nodes or found.depth == 0
                assert found.nodes <= nodes + 40
            assert found.depth >= before
            before = found.depth


def test_a_stopped_iteration_can_improve_on_the_one_before() -> None:
    # To win, x must see 5 plies; all shallower depths find every move equal.
    position = TICTACTOE.parse("x../.../..o")
    answers = [analyse(TICTACTOE, position, nodes=nodes) for nodes in range(32, 3000, 96)]
    finished = next(number for number, each in enumerate(answers) if each.depth >= 5)
    assert answers[finished].best == ("3", "7")
    early = [each for each in answers[:finished] if set(each.best) <= {"3", "7"}]
    assert early
    assert all(each.depth == 4 for each in early)


class Watch(Interrupt):
    """An Interrupt that records how many positions were made between polls."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[int] = []
        self.made = 0

    def __call__(self) -> bool:
        self.gaps.append(self.made)
        self.made = 0
        return super().__call__()


@pytest.mark.parametrize("key", GAMES)
def test_stop_is_polled_often(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[key]
    play = type(game.start).play

    def counted(position: Position, move: str) -> Position:
        watch.made += 1
        return play(position, move)

    positions = some(game, 2, 30, 1)
    monkeypatch.setattr(type(game.start), "play", counted)
    for position in positions:
        watch = Watch()
        Textbook(game).analyse(position, Limits(nodes=3000), watch)
        assert max(watch.gaps) <= NODES_PER_POLL


def test_a_game_longer_than_its_win_is_refused() -> None:
    with pytest.raises(ValueError, match="win"):
        analyse(replace(TICTACTOE, win=5), TICTACTOE.start)
