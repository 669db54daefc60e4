import pickle
import random
from dataclasses import replace
from typing import Any

import pytest

from noughts.engine import Interrupt, Limits, Textbook
from noughts.games import GAMES, Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Position, Side
from noughts.games.catalogue import set_up
from noughts.games.morris import POINTS, MorrisPosition, evaluate, noisy

GAME: Any = GAMES["morris"]
WALKING = set_up("morris", [("flying", "no")])


def played(moves: str, start: Position = GAME.start) -> Position:
    for move in moves.split():
        start = start.play(move)
    return start


def board(white: str, black: str, rest: str = "0 0 first") -> str:
    """The text of a position with men on these points."""
    points = "".join("w" if point in white.split() else "b" if point in black.split() else "." for point in POINTS)
    return f"{'/'.join(points[start : start + 3] for start in range(0, 24, 3))} {rest}"


def test_the_board_has_24_points_and_16_lines() -> None:
    assert len(POINTS) == 24
    assert GAME.layout[0] == ("a7", "", "", "d7", "", "", "g7")
    assert GAME.layout[3] == ("a4", "b4", "c4", "", "e4", "f4", "g4")
    assert len(set(GAME.board.lines)) == 16
    assert {"a7g7", "a4c4", "e4g4", "d5d7", "e3e5"} <= {"".join(line) for line in GAME.board.lines}
    assert GAME.start.legal_moves == POINTS


def test_men_are_placed_in_turn() -> None:
    position = played("d2 f4")
    assert position.text == ".../.../.../.../.b./.../.w./... 8 8 first"
    assert GAME.held
    assert [GAME.held(position, side) for side in Side] == [(("w", 8),), (("b", 8),)]
    with pytest.raises(IllegalMove, match="there is a man on f4"):
        position.play("f4")
    with pytest.raises(IllegalMove, match="you have men to place: 8"):
        position.play("d2d1")
    with pytest.raises(IllegalMove, match="the move a4 makes no mill, so it takes no man"):
        position.play("a4xf4")


def test_a_mill_takes_a_man_that_is_in_no_mill() -> None:
    position = played("a1 b2 d1 b4")
    assert [move for move in position.legal_moves if move[:2] == "g1"] == ["g1xb4", "g1xb2"]
    with pytest.raises(IllegalMove, match="the move g1 makes a mill: say which man you take, such as g1xb4"):
        position.play("g1")
    assert position.play("g1xb4").text == ".../.../.../.../.../.../b../www 6 7 second"
    mill = GAME.parse(board("a1 d1", "b2 b4 b6 f6", "5 5 first"))
    assert [move for move in mill.legal_moves if "x" in move] == ["g1xf6"]
    with pytest.raises(IllegalMove, match="you cannot take a man on b2"):
        mill.play("g1xb2")


def test_a_mill_takes_any_man_if_all_are_in_mills() -> None:
    position = GAME.parse(board("a1 d1 g4 d7", "b2 b4 b6"))
    assert [move for move in position.legal_moves if "x" in move] == ["g4g1xb6", "g4g1xb4", "g4g1xb2"]


def test_two_mills_at_once_take_one_man() -> None:
    position = GAME.parse(board("a1 d1 g4 g7", "b2 f4 f6", "5 5 first"))
    assert position.play("g1xb2").text.count("b") == 2


def test_men_move_along_lines_to_the_next_point() -> None:
    position = GAME.parse(board("a1 c4 d2 g7", "b2 b4 e4 f6"))
    assert position.legal_moves == ("g7d7", "g7g4", "c4c5", "c4c3", "d2d3", "d2f2", "d2d1", "a1a4", "a1d1")
    for move, message in (
        ("c4d4", "a move is a point"),
        ("c4e4", "there is a man on e4"),
        ("a1g1", "a1 and g1 are not neighbours"),
        ("a4a7", "there is no man of yours on a4"),
        ("a4", "all your men are placed"),
    ):
        with pytest.raises((IllegalMove, MalformedMove), match=message):
            position.play(move)


def test_a_mill_that_is_opened_and_closed_takes_a_man_again() -> None:
    position = GAME.parse(board("a1 a4 a7 d2", "b2 b4 f6 f2"))
    later = played("a1d1 f6d6", position)
    assert [move for move in later.legal_moves if "x" in move] == [f"d1a1x{man}" for man in ("d6", "b4", "b2", "f2")]


def test_a_side_with_three_men_flies_unless_that_is_excluded() -> None:
    text = board("a1 a4 d2", "b2 b4 f6 f2")
    flying, walking = GAME.parse(text), WALKING.parse(text)
    assert "d2g7" in flying.legal_moves
    assert [move for move in flying.legal_moves if "x" in move] == [f"d2a7x{man}" for man in ("f6", "b4", "b2", "f2")]
    assert walking.legal_moves == ("a4a7", "d2d3", "d2d1", "a1d1")
    assert flying != walking
    assert len(WALKING.rules) == len(GAME.rules) - 1
    with pytest.raises(IllegalMove, match="d2 and g7 are not neighbours"):
        walking.play("d2g7")


def test_a_side_with_two_men_loses() -> None:
    end = GAME.parse(board("a1 d1 g4 d7", "b2 b4 f6")).play("g4g1xb2")
    assert end.outcome == Outcome(Side.FIRST, "two_men")
    assert (end.to_move, end.legal_moves) == (None, ())
    with pytest.raises(IllegalMove, match="the game is over"):
        end.play("b4c4")


def test_a_side_that_cannot_move_loses() -> None:
    end = GAME.parse(board("a1 g1 a7 g7", "a4 d1 g4 d6", "0 0 second")).play("d6d7")
    assert end.outcome == Outcome(Side.SECOND, "no_move")


SHUFFLE = "a1d1 g7d7 d1a1 d7g7"


def test_a_draw_can_be_claimed_after_the_third_time_and_comes_by_itself_after_the_fifth() -> None:
    position = GAME.parse(board("a1 b2 c3 d5", "g7 f6 e5 d3"))
    assert GAME.claim
    for times in (2, 3, 4, 5):
        assert GAME.claim(position) == ("repetition" if times > 3 else None)
        assert position.outcome is None
        position = played(SHUFFLE, position)
    assert position.outcome == Outcome(None, "fivefold_repetition")
    assert position == GAME.parse(board("a1 b2 c3 d5", "g7 f6 e5 d3")), "the past does not matter for equality"


def test_a_pickled_position_remembers_repetitions() -> None:
    position = played(f"{SHUFFLE} {SHUFFLE}", GAME.parse(board("a1 b2 c3 d5", "g7 f6 e5 d3")))
    copy = pickle.loads(pickle.dumps(position))
    assert isinstance(copy, MorrisPosition)
    assert copy.times == 3
    assert all(type(number) is int for one in copy.past for number in one[:2]), "and no hashes, which differ elsewhere"


def test_fifty_moves_without_a_mill_let_a_player_claim_a_draw_and_a_hundred_end_the_game() -> None:
    position = GAME.parse(board("a1 b2 c3 d5", "g7 f6 e5 d3"))
    assert isinstance(position, MorrisPosition)
    assert GAME.claim
    assert GAME.claim(replace(position, quiet=99)) is None
    assert GAME.claim(replace(position, quiet=99).play("a1d1")) == "fifty_moves"
    last = replace(position, quiet=199)
    assert last.outcome is None
    assert last.play("a1d1").outcome == Outcome(None, "hundred_moves")
    assert GAME.parse(board("a1 d1 g4 d7", "b2 b4 f6 f2")).play("g4g1xb2").quiet == 0


@pytest.mark.parametrize(
    "move", ["", "d4", "a2", "a1a4a7", "a1a4x", "xa1", "a1xd4", "A1", "h1", "a1-a4", "pass", 1, None]
)
def test_other_names_are_malformed(move: str) -> None:
    with pytest.raises(MalformedMove, match="a move is a point"):
        GAME.start.play(move)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "8 groups of three points"),
        (GAME.start.text.replace("first", ""), "8 groups of three points"),
        (f"{GAME.start.text} ", "8 groups of three points"),
        (board("a1", "", "9 9 second"), "a side has 9 men"),
        (board("", "", "9 9 second"), "White begins"),
        (board("a1", "", "8 9 first"), "White begins"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidPosition, match=message):
        GAME.parse(text)


@pytest.mark.parametrize("game", [GAME, WALKING], ids=["flying", "walking"])
def test_random_games(game: Game) -> None:
    for seed in range(2):
        rng, position = random.Random(seed), game.start
        while moves := position.legal_moves:
            assert isinstance(position, MorrisPosition)
            assert position.to_move is tuple(Side)[position.ply % 2]
            same = game.parse(position.text)
            assert (same, hash(same), same.legal_moves) == (position, hash(position), moves)
            assert len(set(moves)) == len(moves)
            assert set(noisy(position)) == {move for move in moves if _men(position.play(move)) < _men(position)}
            assert sorted(moves, key=_board_order) == list(moves)
            for move in {*POINTS, *[f"{one}{two}" for one in POINTS for two in POINTS[::5]]} - set(moves):
                with pytest.raises(IllegalMove):
                    position.play(move)
            position = position.play(rng.choice(moves))
        assert position.outcome
        assert position.outcome.reason in dict(game.endings)


def _men(position: Position) -> int:
    assert isinstance(position, MorrisPosition)
    return (position.first | position.second).bit_count() + sum(position.hands)


def _board_order(move: str) -> list[int]:
    way, _, taken = move.partition("x")
    return [POINTS.index(name) for name in (way[:2], way[-2:], taken) if name]


def test_a_search_takes_men_and_sees_a_lost_side() -> None:
    position = GAME.parse(board("a1 d1 g4 d7", "b2 b4 f6 f2"))
    analysis = Textbook(GAME).analyse(position, Limits(depth=1), Interrupt())
    assert all("x" in move for move in analysis.choices)
    assert evaluate(GAME.parse(board("a1 d1 g4 d7", "b2 b4 f6"))) > 0
    assert evaluate(GAME.parse(board("a1 d1 g4 d7", "b2 b4 f6", "0 0 second"))) < 0
