"""The play of a puzzle against its proof."""

from __future__ import annotations

import pytest

from noughts.games import GAMES
from noughts.puzzles.oracle import Outlook, SearchOracle, oracle_of
from noughts.puzzles.play import Verdict, defence, judge, reply, right_move
from noughts.puzzles.puzzle import Goal, Puzzle
from walks import exact_best

DRAW = Puzzle("tictactoe#x../.../...", Goal.DRAW, tuple("57469328"), 1000)
WIN = Puzzle("tictactoe#.ox/.o./.x.", Goal.WIN, tuple("967"), 1000)
MATE = Puzzle("chess#7k/R7/6K1/8/8/8/8/8 w - - 0 1", Goal.FASTEST, ("a7a8",), 1000)


@pytest.fixture(scope="module")
def oracle() -> SearchOracle:
    return SearchOracle(GAMES["tictactoe"], 100_000)


def test_the_move_of_the_line_needs_no_proof() -> None:
    nothing = SearchOracle(GAMES["tictactoe"], 0)
    assert judge(nothing, WIN, (), "9") == Verdict(kept=True)
    assert judge(nothing, WIN, ("9", "6"), "7") == Verdict(kept=True)
    assert right_move(nothing, WIN, ("9", "6")) == "7"
    assert reply(nothing, WIN, ("9",)) == "6"


def test_a_wrong_move_is_told_with_what_it_leads_to(oracle: SearchOracle) -> None:
    assert judge(oracle, WIN, (), "7") == Verdict(kept=False, outlook=Outlook(0))
    assert judge(oracle, DRAW, (), "2") == Verdict(kept=False, outlook=Outlook(-1, 6))


def test_another_move_that_keeps_the_goal_is_right(oracle: SearchOracle) -> None:
    assert judge(oracle, DRAW, ("5", "9"), "2") == Verdict(kept=True, outlook=Outlook(0))
    assert judge(oracle, DRAW, ("5", "9"), "3") == Verdict(kept=False, outlook=Outlook(-1, 4))


def test_a_first_move_is_wrong_without_a_proof_and_a_later_one_undecided() -> None:
    nothing = SearchOracle(GAMES["tictactoe"], 0)
    assert judge(nothing, DRAW, (), "1" if "1" in DRAW.position.legal_moves else "2") == Verdict(kept=False)
    assert judge(nothing, DRAW, ("5", "9"), "2") == Verdict(kept=None)
    assert reply(nothing, DRAW, ("5", "9", "2")) == "3", "any legal move is a defence"


def test_a_win_in_so_many_moves_has_no_time_to_lose() -> None:
    oracle = oracle_of(GAMES["chess"])
    assert judge(oracle, MATE, (), "a7a6") == Verdict(kept=False, outlook=Outlook(0))


def test_the_defence_holds_out_longest(oracle: SearchOracle) -> None:
    game = GAMES["tictactoe"]
    for text in ("x../.../...", "xo./x../...", "x.o/.../x.."):
        position = game.parse(text)
        assert defence(oracle, position, None) in exact_best(position)


def test_of_equal_defences_the_one_with_the_fewest_right_answers_is_played(oracle: SearchOracle) -> None:
    position = GAMES["tictactoe"].parse("x../.o./...")
    chosen = defence(oracle, position, None)
    results = {
        move: [each.result for each in oracle.outlooks(position.play(move)).values()].count(0)
        for move in exact_best(position)
    }
    assert results[chosen] == min(results.values()) < max(results.values())


def test_a_defence_against_a_mate_delays_it() -> None:
    game = GAMES["chess"]
    position = game.parse("7k/8/5K2/8/8/8/8/1R4R1 b - - 0 1")
    assert defence(SearchOracle(game, 10_000), position, 3) == "h8h7"


def test_a_defence_against_a_win_in_so_many_plies_blocks(oracle: SearchOracle) -> None:
    position = GAMES["tictactoe"].parse("xo./.x./...")
    assert defence(oracle, position, 4) == "9", "then X forks; elsewhere it wins at once"
