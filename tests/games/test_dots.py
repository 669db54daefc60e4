import pickle
import random
import re
from typing import Any

import pytest

from noughts.engine import Interrupt, Limits, Textbook
from noughts.games import GAMES, IllegalMove, InvalidPosition, MalformedMove, Outcome, Position, Reason, Side
from noughts.games.catalogue import set_up
from noughts.games.dots import DotsPosition, candidates, evaluate, noisy

GAME = GAMES["dots"]
SMALL: Any = set_up("dots", [("size", 2)])


def played(moves: str) -> Any:
    position = SMALL.start
    for move in moves.split():
        position = position.play(move)
    return position


def test_the_layout_has_edges_and_boxes_and_no_dots() -> None:
    assert SMALL.layout == (
        ("", "b1", "", "d1", ""),
        ("a2", "b2", "c2", "d2", "e2"),
        ("", "b3", "", "d3", ""),
        ("a4", "b4", "c4", "d4", "e4"),
        ("", "b5", "", "d5", ""),
    )
    assert SMALL.start.legal_moves == ("b1", "d1", "a2", "c2", "e2", "b3", "d3", "a4", "c4", "e4", "b5", "d5")


def test_who_closes_a_box_owns_it_and_moves_again() -> None:
    three = played("b1 a2 c2")
    assert three.rows == (" - . ", "|.|..", " . . ", ".....", " . . ")
    assert three.to_move is Side.SECOND
    closed = three.play("b3")
    assert closed.rows == (" - . ", "|b|..", " - . ", ".....", " . . ")
    assert (closed.to_move, closed.ply) == (Side.SECOND, 4)
    assert closed.play("e2").to_move is Side.FIRST
    assert SMALL.score
    assert SMALL.score(closed) == (0, 1)


def test_an_edge_can_close_two_boxes() -> None:
    both = played("b1 a2 b3 d1 e2 d3").play("c2")
    assert both.rows[1] == "|r|r|"
    assert both.to_move is Side.FIRST
    assert SMALL.score
    assert SMALL.score(both) == (2, 0)


def test_the_last_edge_ends_the_game() -> None:
    end = SMALL.parse("+-+-+/|b|r|/+-+-+/|b|../+-+-+ first").play("e4")
    assert end.text == "+-+-+/|b|r|/+-+-+/|b|r|/+-+-+ first"
    assert end.outcome == Outcome(None, Reason.COUNT)
    assert (end.to_move, end.legal_moves) == (None, ())
    lost = SMALL.parse("+-+-+/|b|r|/+-+-+/|b|../+-+-+ second").play("e4")
    assert lost.outcome == Outcome(Side.SECOND, Reason.COUNT)
    assert SMALL.margin
    assert SMALL.margin(lost) == -2
    with pytest.raises(IllegalMove, match="the game is over"):
        end.play("b1")


def test_other_moves_are_refused() -> None:
    with pytest.raises(IllegalMove, match="the edge b1 is drawn already"):
        played("b1").play("b1")
    for move in ("", "a1", "b2", "f2", "b6", "B1", "pass", "b1d1", 1, None):
        with pytest.raises(MalformedMove, match="a move is an edge between two dots, b1 to d5"):
            SMALL.start.play(move)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a position is 5 rows of 5"),
        (GAME.start.text, "a position is 5 rows of 5"),
        (SMALL.start.text.removesuffix(" first"), "first or second"),
        (f"{SMALL.start.text} ", "first or second"),
        ("+|+.+/...../+.+.+/...../+.+.+ first", "in row 1 stands '|'"),
        ("+.+.+/.r.../+.+.+/...../+.+.+ first", "a box belongs to somebody exactly if"),
        ("+-+.+/|.|../+-+.+/...../+.+.+ first", "a box belongs to somebody exactly if"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidPosition, match=re.escape(message)):
        SMALL.parse(text)


@pytest.mark.parametrize(("size", "games"), [(2, 10), (3, 6), (4, 2), (5, 1)])
def test_random_games(size: int, games: int) -> None:
    game = set_up("dots", [("size", size)])
    edges = game.start.legal_moves
    for seed in range(games):
        rng, position = random.Random(seed), game.start
        while moves := position.legal_moves:
            assert isinstance(position, DotsPosition)
            assert list(moves) == [edge for edge in edges if edge in moves]
            for same in (game.parse(position.text), pickle.loads(pickle.dumps(position))):
                assert (same, hash(same), same.legal_moves) == (position, hash(position), moves)
            assert sorted(candidates(position)) == sorted(moves)
            assert set(noisy(position)) == {move for move in moves if _boxes(position.play(move)) > _boxes(position)}
            for move in set(edges) - set(moves):
                with pytest.raises(IllegalMove, match="drawn already"):
                    position.play(move)
            before, position = position, position.play(rng.choice(moves))
            assert isinstance(position, DotsPosition)
            assert position.ply == before.ply + 1
            assert (position.side is before.side) == (_boxes(position) > _boxes(before))
        assert position.outcome
        assert position.ply == len(edges) == 2 * size * (size + 1)
        assert game.parse(position.text) == position


def _boxes(position: Position) -> int:
    return sum(row.count("r") + row.count("b") for row in position.rows)


def test_with_best_play_the_first_side_wins_two_by_two_by_three_to_one() -> None:
    """By exhaustive search, without the engine. On three by three the second side wins by six to three."""
    analysis = Textbook(SMALL).analyse(SMALL.start, Limits(every_move=False), Interrupt())
    assert (analysis.exact, analysis.value) == (True, 2)
    end = played(" ".join(analysis.moves[analysis.choices[0]].line))
    assert SMALL.score
    assert SMALL.score(end) == (3, 1)


def test_a_search_gives_two_boxes_to_win_a_long_chain() -> None:
    """The double-dealing move of E. Berlekamp, *The Dots and Boxes Game* (2000)."""
    # Red can take the three boxes of the top row, but then opens the chain of six. It wins if it leaves two to Blue.
    position: Position = GAME.parse("+-+-+-+/|....../+-+-+-+/......|/+-+-+.+/......|/+-+-+-+ first")
    engine, moves = Textbook(GAME), []
    while position.to_move:
        moves.append(engine.analyse(position, Limits(), Interrupt()).choices[0])
        position = position.play(moves[-1])
    assert moves[:3] == ["c2", "g2", "e2"]
    assert GAME.score
    assert GAME.score(position) == (7, 2)


def test_the_estimate_counts_boxes_and_those_that_can_be_closed() -> None:
    assert evaluate(SMALL.parse("+-+.+/|.|../+.+.+/...../+.+.+ first")) == 1
    assert evaluate(SMALL.parse("+-+.+/|b|../+-+.+/...../+.+.+ first")) == -1
    assert evaluate(SMALL.parse("+-+.+/|b|../+-+.+/...../+.+.+ second")) == 1
