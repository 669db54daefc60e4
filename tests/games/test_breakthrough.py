"""Breakthrough: the moves, both ways to win, and boards of other sizes."""

from __future__ import annotations

import random

import pytest

from noughts.games import GAMES, Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Position, Side
from noughts.games.breakthrough import SIZES, evaluate, noisy
from noughts.games.catalogue import BadSetup, set_up

GAME = GAMES["breakthrough"]
SMALL = set_up("breakthrough", [("size", 5)])


def sized(size: int) -> Game:
    return set_up("breakthrough", [("size", size)])


def perft(position: Position, depth: int) -> int:
    moves = position.legal_moves
    return len(moves) if depth == 1 else sum(perft(position.play(move), depth - 1) for move in moves)


@pytest.mark.parametrize(("size", "counts"), [(6, [16, 256, 4308]), (5, [13, 156, 1924])])
def test_perft_of_small_boards(size: int, counts: list[int]) -> None:
    """The numbers for 6 are OpenSpiel's, too. On 5 rows it has other rules."""
    assert [perft(sized(size).start, depth) for depth in range(1, len(counts) + 1)] == counts


def test_the_start() -> None:
    assert GAME.start.rows == ("b" * 8,) * 2 + ("." * 8,) * 4 + ("w" * 8,) * 2
    assert GAME.start.to_move is Side.FIRST
    assert GAME.start.legal_moves[:3] == ("a2a3", "a2b3", "b2a3")
    assert GAME.layout[-1][0] == "a1"
    assert SMALL.start.rows == ("bbbbb", "bbbbb", ".....", "wwwww", "wwwww")
    assert [row[0] for row in SMALL.layout] == ["a5", "a4", "a3", "a2", "a1"]


@pytest.mark.parametrize(
    ("rows", "moves"),
    [
        ("....b/...../..w../...../..... first", "c3b4 c3c4 c3d4"),
        ("...../.bbb./..w../...../..... first", "c3b4 c3d4"),  # straight ahead it cannot capture
        ("....b/.www./..w../...../..... first", "b4a5 b4b5 b4c5 c4b5 c4c5 c4d5 d4c5 d4d5 d4e5"),
        ("...../...../w..../....b/..... first", "a3a4 a3b4"),
        ("w..../...../...../....b/..... second", ""),
        ("...../...../b..../wwwww/..... second", "a3b2"),
        ("...../...../..b../...w./..... second", "c3b2 c3c2 c3d2"),
    ],
)
def test_moves(rows: str, moves: str) -> None:
    assert SMALL.parse(rows).legal_moves == tuple(moves.split())


def test_reaching_the_far_row_wins() -> None:
    last = SMALL.parse("..b../.w.../...../....b/..... first").play("b4c5")
    assert last.outcome == Outcome(Side.FIRST, "goal", ("c5",))
    assert (last.to_move, last.legal_moves) == (None, ())
    with pytest.raises(IllegalMove, match="the game is over"):
        last.play("e2e1")
    last = SMALL.parse("..b../.w.../...../....b/..... second").play("e2d1")
    assert last.outcome == Outcome(Side.SECOND, "goal", ("d1",))


def test_capturing_every_piece_wins() -> None:
    last = SMALL.parse("...../...../..b../.w.../w.... first").play("b2c3")
    assert last.outcome == Outcome(Side.FIRST, "captured_all")
    assert dict(GAME.endings) == {"goal": "by a piece on the far row", "captured_all": "by the capture of every piece"}


@pytest.mark.parametrize(
    ("rows", "move", "why"),
    [
        ("...../...../..b../..w../w.... first", "c2c3", "cell c3 is taken, and a piece captures only diagonally"),
        ("...../...../..b../..w../w.... first", "c3c2", "you have no piece on c3"),
        ("...../...../..b../..w../w.... first", "d3d4", "you have no piece on d3"),
        ("...../...../..b../..w../w.... first", "c2b1", "a piece never goes backward"),
        ("...../...../..b../..w../.w... first", "b1c2", "you have a piece on c2 already"),
    ],
)
def test_a_refusal_says_why(rows: str, move: str, why: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        SMALL.parse(rows).play(move)
    assert str(refused.value) == why


@pytest.mark.parametrize("move", ["", "a2", "a2a4", "a2c3", "a2b2", "a2a2", "a2a9", "i2i3", "a2a3 ", "A2A3", "h2a3"])
def test_other_names_are_malformed(move: str) -> None:
    with pytest.raises(MalformedMove, match="a move is a square"):
        GAME.start.play(move)


def test_names_beyond_a_small_board_are_malformed() -> None:
    with pytest.raises(MalformedMove):
        SMALL.start.play("f2f3")


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("", "5 rows of 5 cells"),
        (GAME.start.text, "5 rows of 5 cells"),
        ("bbbbb/bbbbb/...../wwwww/wwwww", "write a space and first or second"),
        ("bbbbb/bbbbb/...../wwwww/wwwww third", "write a space and first or second"),
        ("bbbbb/bbbbb/x..../wwwww/wwwww first", "a cell is w, b or"),
        ("bbbbb/bbbbb/..w../wwwww/wwwww second", "at most 10 pieces"),
        ("...../...../w..../...../..... first", "the side that has just moved has a piece"),
        ("w..../...../...../....b/..... first", "first has won already"),
        ("ww.../...../...../....b/..... second", "the first piece on the far row"),
    ],
)
def test_other_texts_are_no_positions(rows: str, why: str) -> None:
    with pytest.raises(InvalidPosition, match=why):
        SMALL.parse(rows)


def test_sizes() -> None:
    for size in SIZES:
        game = sized(size)
        assert game.key == "breakthrough"
        assert len(game.layout) == len(game.layout[0]) == len(game.start.rows) == size
    with pytest.raises(BadSetup, match="one of 5, 6, 7, 8"):
        sized(9)


def mirrored(game: Game, position: Position) -> Position:
    """The board from the other side, with the colours exchanged."""
    exchanged = str.maketrans("wb", "bw")
    rows = [row.translate(exchanged) for row in reversed(position.rows)]
    assert position.to_move
    return game.parse(f"{'/'.join(rows)} {position.to_move.other}")


@pytest.mark.parametrize("size", SIZES)
def test_random_games(size: int) -> None:
    game, reasons = sized(size), set()
    every = [a + b for row in game.layout for a in row for line in game.layout for b in line]
    for seed in range(2):
        rng, position = random.Random(seed), game.start
        refusals = {seed, seed + 10}
        while position.outcome is None:
            again = game.parse(position.text)
            assert again == position
            assert hash(again) == hash(position)
            assert again.legal_moves == position.legal_moves
            assert position.to_move is (Side.SECOND if position.ply % 2 else Side.FIRST)
            assert position.legal_moves, "a side always can move"
            assert evaluate(position) == evaluate(mirrored(game, position))  # type: ignore[arg-type]
            hot = noisy(position)  # type: ignore[arg-type]
            assert set(hot) <= set(position.legal_moves)
            wins = [move for move in position.legal_moves if position.play(move).outcome]
            assert set(hot[: len(wins)]) == set(wins), "wins are first"
            if position.ply in refusals:
                for move in set(every) - set(position.legal_moves):
                    with pytest.raises((IllegalMove, MalformedMove)):
                        position.play(move)
            position = position.play(rng.choice(position.legal_moves))
        assert game.parse(position.text) == position
        reasons.add(position.outcome.reason)
    assert "goal" in reasons
