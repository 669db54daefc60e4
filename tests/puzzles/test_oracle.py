"""Proofs of what each move keeps, compared with other methods."""

from __future__ import annotations

import random

import pytest

from noughts.engine import Interrupt, Limits, Textbook, engine_of
from noughts.engine.proof import forced_win
from noughts.games import GAMES, Game, Position, Side
from noughts.games.catalogue import game_named
from noughts.puzzles.oracle import EngineOracle, Outlook, SearchOracle, Undecided, only_keeper, oracle_of, winner_of
from walks import move_value, reachable

NODES = 200_000


def late(game: Game, seed: int, left: int) -> Position:
    """The position ``left`` plies before the end of a random game."""
    rng = random.Random(seed)
    positions = [game.start]
    while moves := positions[-1].legal_moves:
        positions.append(positions[-1].play(rng.choice(moves)))
    return positions[max(0, len(positions) - 1 - left)]


def outlook(value: int, win: int) -> Outlook:
    """The outlook of a move with the exact ``value`` of a game without a margin."""
    return Outlook((value > 0) - (value < 0), win - abs(value) if value else None)


def test_tic_tac_toe_agrees_with_minimax_everywhere() -> None:
    oracle = oracle_of(GAMES["tictactoe"])
    unfinished = sorted((each for each in reachable("tictactoe") if each.to_move), key=lambda each: each.text)
    for position in unfinished[::40]:
        expected = {move: outlook(move_value(position, move), 10) for move in position.legal_moves}
        assert oracle.outlooks(position) == expected
        assert oracle.only_move(position) == only_keeper(expected)


def test_an_engine_and_a_search_agree() -> None:
    game = GAMES["tictactoe"]
    for text in ("x../.o./..x", ".ox/.o./.x.", "x../.../..."):
        position = game.parse(text)
        by_search, by_engine = SearchOracle(game, NODES), EngineOracle(Textbook(game), NODES)
        assert by_engine.outlooks(position) == by_search.outlooks(position)
        assert by_engine.outlooks(position, 3) == by_search.outlooks(position, 3)
        assert by_engine.only_move(position) == by_search.only_move(position)


@pytest.mark.slow
def test_a_kernel_and_a_search_agree() -> None:
    game = GAMES["connect4"]
    by_search, by_kernel = SearchOracle(game, 10 * NODES), EngineOracle(engine_of(game), 10 * NODES)
    positions = [late(game, seed, 8) for seed in range(200)]
    full = [position for position in positions if position.ply >= 26]
    assert len(full) > 10
    for position in full:
        assert by_kernel.outlooks(position) == by_search.outlooks(position)
        assert by_kernel.outlooks(position, 3) == by_search.outlooks(position, 3)


@pytest.mark.parametrize("name", ["dots?size=2", "kalah?pits=3&seeds=2", "hex?size=3"])
def test_results_agree_with_the_textbook_engine(name: str) -> None:
    game = game_named(name)
    oracle = SearchOracle(game, NODES)
    for seed in range(2):
        position = late(game, seed, 4)
        analysis = Textbook(game).analyse(position, Limits(), Interrupt())
        results = {move: (value.value > 0) - (value.value < 0) for move, value in analysis.moves.items()}
        assert all(value.exact for value in analysis.moves.values())
        assert {move: each.result for move, each in oracle.outlooks(position).items()} == results
        assert oracle.only_move(position) == only_keeper({move: Outlook(each) for move, each in results.items()})


def test_where_positions_repeat_only_wins_in_so_many_plies_are_proved() -> None:
    game = GAMES["chess"]
    position = game.parse("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")  # a back rank
    oracle = SearchOracle(game, NODES)
    assert oracle.fastest(position, 3) == ("a1a8", 1)
    assert oracle.outlooks(position, 1)["a1a8"] == Outlook(1, 1)
    assert oracle.outlooks(position, 1)["a1a7"] == Outlook(0)
    with pytest.raises(Undecided):
        oracle.only_move(position)


def test_the_fastest_win_is_that_of_the_plain_proof() -> None:
    game = GAMES["draughts"]
    position = game.parse("B:W10,15:BK8,K23")
    assert position.to_move is not None
    line = forced_win(game, position, position.to_move, 5, lambda: None)
    assert line is not None
    assert SearchOracle(game, NODES).fastest(position, 5) == (line[0], len(line)) == ("23-19", 3)


def test_a_search_with_a_table_finds_the_wins_of_the_plain_proof() -> None:
    game, found = GAMES["draughts"], set[int | None]()
    oracle = SearchOracle(game, NODES)
    for seed in range(25):
        position = game.parse(late(game, seed, 5).text)
        assert position.to_move is not None
        line = forced_win(game, position, position.to_move, 5, lambda: None)
        wins = [each.plies for each in oracle.outlooks(position, 5).values() if each.plies]
        assert min(wins, default=None) == (len(line) if line else None)
        found.add(len(line) if line else None)
    assert found == {None, 3, 5}


def test_a_table_spares_positions_that_come_up_again_where_earlier_ones_can_decide() -> None:
    game = GAMES["draughts"]
    position = game.parse("B:WK18,29:B15,K22,K30,K31")
    assert SearchOracle(game, 450).fastest(position, 5) == ("15-19", 5), "569 positions without"
    with pytest.raises(Undecided):
        SearchOracle(game, 400).fastest(position, 5)


def test_several_wins_that_are_equally_fast_are_no_fastest_win() -> None:
    game = GAMES["tictactoe"]
    assert SearchOracle(game, NODES).fastest(game.parse("xx./x.o/.oo"), 3) is None


def test_too_long_a_proof_is_given_up() -> None:
    game = game_named("hex?size=5")
    with pytest.raises(Undecided):
        SearchOracle(game, 500).only_move(game.start)
    with pytest.raises(Undecided):
        EngineOracle(Textbook(game), 1).outlooks(game.start)


def test_more_than_half_of_what_counts_decides() -> None:
    kalah = GAMES["kalah"]
    assert winner_of(kalah.parse("0,0,1,0,0,1,24/1,1,1,1,1,1,16 first")) is None
    assert winner_of(kalah.parse("0,0,1,0,0,0,25/1,1,1,1,1,1,16 first")) is Side.FIRST
    dots = game_named("dots?size=2")
    assert winner_of(dots.parse("+-+-+/|b|b|/+-+-+/|b|.|/+-+.+ second")) is Side.SECOND
