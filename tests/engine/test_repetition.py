"""Searches of games in which earlier positions can decide, against plain minimax over whole histories."""

import random
from dataclasses import replace

import pytest

from engine.repeating import Graph, Place, Truth, game_of, random_graph, worth
from noughts.engine import (
    Analysis,
    FinishedGame,
    Interrupt,
    Limits,
    Mark,
    Method,
    MoveValue,
    Textbook,
    Tracing,
    review_move,
    trace_game,
)
from noughts.engine.grow import Plan, TooLarge, cautions, grow, scoring
from noughts.engine.proof import forced_win
from noughts.explain.solve import Solution, in_words, without_depth
from noughts.explain.tree import Wish, draw
from noughts.games import GAMES, Position, Side
from noughts.games.go import PASS, GoPosition, board


def first_ones(position: Place) -> tuple[str, ...]:
    """Noisy moves: none, some or all of the legal ones."""
    return position.legal_moves[: position.at % 3]


@pytest.mark.parametrize("graphs", [100, pytest.param(5000, marks=pytest.mark.slow)])
def test_exact_means_proved(graphs: int) -> None:
    rng = random.Random(6)
    counts = {"exact": 0, "inexact": 0, "won": 0, "far": 0, "drawn": 0, "roots": 0}
    for number in range(graphs):
        graph = random_graph(rng, alternating=number % 2 == 0)
        game = game_of(graph, first_ones if number % 3 else None)
        truth = Truth()
        position = game.start
        for _ in range(rng.randint(0, 6)):
            after = position.play(rng.choice(position.legal_moves))
            position = position if after.outcome else after
        assert isinstance(position, Place)
        sign = 1 if position.to_move is Side.FIRST else -1
        for depth in (1, 3, 5, 8):
            for every_move in (True, False):
                found = Textbook(game).analyse(position, Limits(depth, 20_000, every_move), Interrupt())
                for move, each in found.moves.items():
                    result, plies = truth.value(position.play(move))
                    true = worth((result, plies + 1), sign)
                    counts["exact" if each.exact else "inexact"] += 1
                    if each.exact:
                        assert each.value == true
                        assert each.distance == len(each.line)
                        end = position
                        for ply in each.line:
                            end = end.play(ply)
                        assert end.outcome
                        counts["won"] += true > 0
                        counts["drawn"] += true == 0
                        counts["far"] += len(each.line) > 2
                if found.exact:
                    assert found.value == worth(truth.value(position), sign)
                    counts["roots"] += 1
                elif found.claim:
                    assert found.value >= 0
    assert min(counts.values()) > 5, counts


def test_chess_mates_are_proved() -> None:
    chess = GAMES["chess"]
    in_two = chess.parse("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")  # by Paul Morphy
    found = Textbook(chess).analyse(in_two, Limits(3), Interrupt())
    assert (found.best, found.exact, found.value) == (("a1a6",), True, chess.win - 3)
    assert found.moves["a1a6"].line[0] == "a1a6"
    in_three = chess.parse("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1")
    found = Textbook(chess).analyse(in_three, Limits(every_move=False), Interrupt())
    assert (found.best, found.exact, found.moves["f6a6"].distance) == (("f6a6",), True, 5)
    lost = chess.parse("7k/8/5K2/8/8/8/8/6Q1 b - - 0 1")
    found = Textbook(chess).analyse(lost, Limits(2), Interrupt())
    assert (found.best, found.exact, found.value) == (("h8h7",), True, 2 - chess.win)


def test_a_search_sees_that_a_capture_is_answered() -> None:
    chess = GAMES["chess"]
    # The queen can take a pawn that another pawn protects.
    position = chess.parse("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1")
    assert chess.heuristic is not None
    blind = replace(chess, heuristic=replace(chess.heuristic, noisy=None))
    assert Textbook(blind).analyse(position, Limits(1), Interrupt()).choices == ("d2d5",)
    assert "d2d5" not in Textbook(chess).analyse(position, Limits(1), Interrupt()).choices


def test_a_losing_side_repeats_the_position() -> None:
    chess = GAMES["chess"]
    # White is a rook down, but has a perpetual check on h5 and e8.
    position = chess.parse("4Q3/6pk/8/8/8/1rq5/5PPP/6K1 w - - 0 1")
    found = Textbook(chess).analyse(position, Limits(4, every_move=False), Interrupt())
    assert (found.choices, found.value, found.exact) == (("e8h5",), 0, False)


def test_a_side_that_may_claim_a_draw_does_not_lose() -> None:
    graph = Graph((Side.FIRST, Side.SECOND), ((1,), (2,)), ((2, Side.SECOND),), 9, 2, None)
    position = Place(graph, 0, (0, 1))
    assert forced_win(game_of(graph, None), Place(graph, 0), Side.SECOND, 5, lambda: None) == ("1", "2")
    assert forced_win(game_of(graph, None), position, Side.SECOND, 5, lambda: None) is None
    found = Textbook(game_of(graph, None)).analyse(position, Limits(4), Interrupt())
    assert (found.value, found.exact, found.claim) == (0, False, True)
    assert found.moves["1"].value < 0
    assert without_depth(found).value == 0


def test_a_review_knows_that_a_draw_could_be_claimed() -> None:
    graph = Graph((Side.FIRST, Side.SECOND), ((1,), (0, 2)), ((2, Side.SECOND),), 9, 2, None)
    game = game_of(graph, None)
    moves, position = ("1", "0", "1", "2"), game.start
    positions = [position := position.play(move) for move in moves]
    analyses = [Textbook(game).analyse(each, Limits(4), Interrupt()) for each in [game.start, *positions[:-1]]]
    finished = FinishedGame(game, moves, (Side.FIRST, Side.SECOND) * 2, None, Side.SECOND)
    thrown_away = review_move(finished, 2, analyses[2], analyses[3])
    assert (thrown_away.mark, thrown_away.before.low, thrown_away.better) == (Mark.DRAW_THROWN_AWAY, 0, None)
    into_it = review_move(finished, 1, analyses[1], analyses[2])
    assert into_it.after.high == 0


def test_a_search_of_chess_to_its_end_is_refused_before_the_stack_is_full() -> None:
    chess = GAMES["chess"]
    with pytest.raises(TooLarge, match="500 plies"):
        grow(chess.start, Plan(scoring(chess, chess.start, None), most=100_000))


def test_searches_say_what_they_leave_out_of_account() -> None:
    assert cautions(GAMES["tictactoe"], Method.TABLE) == ()
    assert [len(cautions(GAMES["chess"], method)) for method in (Method.ALPHA_BETA, Method.TABLE)] == [1, 2]
    chess = GAMES["chess"]
    assert "Nobody claims" in trace_game(chess, chess.start, Tracing(depth=1)).notes[-1]
    assert "Nobody claims" in draw(chess, chess.start, Wish(depth=1))
    found = Analysis(0, False, {"e2e4": MoveValue(-5, False, None, ("e2e4",))}, ("e2e4",), 2, 1, claim=True)
    shown = in_words(Solution(chess, chess.start, found, {"alphabeta": 2}, 0.1, stopped=False), 80)
    assert "White (w) may claim a draw instead." in shown


@pytest.mark.parametrize("seed", range(6))
def test_lines_are_legal_where_earlier_positions_forbid_moves(seed: int) -> None:
    """The table joins equal boards with different histories; of their best moves, superko may forbid one."""
    go = replace(GAMES["go"], layout=board(4).layout, start=GoPosition(board(4), 0.5))
    rng, position = random.Random(seed), go.start
    for _ in range(24):
        position = position.play(rng.choice([move for move in position.legal_moves if move != PASS] or [PASS]))
    analysis = Textbook(go).analyse(position, Limits(nodes=4000), Interrupt())
    for move in analysis.moves.values():
        after: Position = position
        for name in move.line:
            after = after.play(name)
