"""Lines of moves as people write them."""

from __future__ import annotations

import pytest

from noughts.games import GAMES, Position
from noughts.games.catalogue import set_up
from noughts.games.notation import names_of, number_of, numbered

CHESS = GAMES["chess"]


def after(game_name: str, *moves: str) -> Position:
    position = GAMES[game_name].start
    for move in moves:
        position = position.play(move)
    return position


def test_a_line_has_the_names_that_people_write() -> None:
    assert names_of(CHESS, CHESS.start, ("e2e4", "e7e5", "g1f3")) == ("e4", "e5", "Nf3")
    assert names_of(GAMES["tictactoe"], GAMES["tictactoe"].start, ("5", "1")) == ()


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (False, "12. a b 13. c d"),
        (True, "12... a 13. b c 14. d"),
    ],
)
def test_both_sides_moves_share_a_number(second: bool, words: str) -> None:
    assert " ".join(numbered("abcd", 12, second=second)) == words
    assert " ".join(numbered("abcd", None, second=second)) == "a b c d"


def test_moves_are_numbered_where_records_number_them() -> None:
    assert number_of(CHESS, after("chess", "e2e4")) == 1
    assert number_of(CHESS, after("chess", "e2e4", "e7e5")) == 2
    assert number_of(GAMES["draughts"], after("draughts", "11-15", "23-19")) == 2
    assert number_of(GAMES["tictactoe"], GAMES["tictactoe"].start) is None
    assert number_of(GAMES["gomoku"], GAMES["gomoku"].start) is None


def test_a_start_of_its_own_brings_its_number() -> None:
    game = set_up("chess", [("start", "r3k3/8/8/8/8/8/8/4K3 b q - 3 40")])
    assert number_of(game, game.start) == 40
    assert number_of(game, game.start.play("a8a1")) == 41
    white_begins = set_up("draughts", [("start", "W:WK10,32:B1,2")])
    assert number_of(white_begins, white_begins.start) == 1
    assert number_of(white_begins, white_begins.start.play("10-6")) == 2


def test_a_position_that_is_read_has_the_number_of_its_text() -> None:
    assert number_of(CHESS, CHESS.parse("r3k3/8/8/8/8/8/8/4K3 b q - 3 40")) == 40
