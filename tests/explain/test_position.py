from __future__ import annotations

import pytest

from noughts.explain.position import BadRequest, game_of, position_of, split
from noughts.games import GAMES

GAME = GAMES["tictactoe"]


def test_games_by_key() -> None:
    assert game_of("reversi") is GAMES["reversi"]
    with pytest.raises(BadRequest, match=r"There is no game 'shogi'. The games are tictactoe, connect4, reversi"):
        game_of("shogi")


@pytest.mark.parametrize("moves", ["513", "5 1 3", "5,1,3", " 5, 1,3 ", "51 3,"])
def test_one_character_moves_need_no_separator(moves: str) -> None:
    assert split(GAME, moves) == ["5", "1", "3"]


def test_longer_moves_need_a_separator() -> None:
    assert split(GAMES["reversi"], "d3 c5,pass") == ["d3", "c5", "pass"]
    assert split(GAMES["reversi"], "") == []


def test_moves_are_played_from_the_position_or_the_start() -> None:
    assert position_of(GAME, "", None) == GAME.start
    assert position_of(GAME, "", "513").text == "o.x/.x./..."
    assert position_of(GAME, " xox/oox/... first ", "79").text == "xox/oox/x.o"


@pytest.mark.parametrize("moves", ["e4 e5 Nf3", "e2e4,e7e5,g1f3", "e4, e7e5 Ng1-f3"])
def test_moves_may_have_the_names_that_people_write(moves: str) -> None:
    chess = GAMES["chess"]
    assert position_of(chess, "", moves) == chess.start.play("e2e4").play("e7e5").play("g1f3")


@pytest.mark.parametrize(
    ("text", "moves", "message"),
    [
        ("xxx/ooo/...", None, "^Both x and o have a line.$"),
        ("xox", None, "^A position is 3 rows of 3 cells joined by '/'.$"),
        ("", "550", "^Move 2, 5: cell 5 is taken.$"),
        ("", "5,0", "^Move 2, 0: a move is a cell, 1 to 9.$"),
        ("", "5,10", r'^Move 3, 0: a move is a cell, 1 to 9 \("10" was read as the moves 1, 0\).$'),
        ("xxx/oo./...", "9", "^Move 1, 9: the game is over.$"),
    ],
)
def test_bad_positions_and_moves_are_explained(text: str, moves: str | None, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        position_of(GAME, text, moves)
