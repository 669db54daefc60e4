"""English draughts by the World Checkers/Draughts Federation's rules of play."""

from __future__ import annotations

import random
from typing import Any

import pytest

from noughts.games import GAMES, IllegalMove, InvalidPosition, MalformedMove, Outcome, Position, Side
from noughts.games.catalogue import BadSetup, set_up
from noughts.games.draughts import CELLS, ENDED_AFTER, JUMPS, STEPS, DraughtsPosition, claim, evaluate, noisy, read
from noughts.value import changed

GAME: Any = GAMES["draughts"]
parse = GAME.parse


def played(position: Position, moves: str) -> DraughtsPosition:
    for move in moves.split():
        position = position.play(move)
    assert isinstance(position, DraughtsPosition)
    return position


def test_the_start() -> None:
    assert GAME.start.rows == (
        *(" b b b b", "b b b b ", " b b b b"),
        *(". . . . ", " . . . ."),
        *("w w w w ", " w w w w", "w w w w "),
    )
    assert GAME.start.legal_moves == ("9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16")
    assert CELLS[0] == ("", "1", "", "2", "", "3", "", "4")
    assert CELLS[7][0] == "29"


def test_a_published_opening() -> None:
    """The Old Fourteenth: ballot 11-15 23-19, one of the oldest."""
    position = played(GAME.start, "11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24 8-11 26-23 3-8 23x14")
    assert position.legal_moves == ("9x18", "10x17")


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("B:W26,27:B22", "22x31"),  # a man that is crowned stops, though a king could go on
        ("B:W26,27:BK22", "22x31x24"),
        ("W:W22,30:B18,10,11", "22x15x6 22x15x8"),  # 30-25 and 30-26 are no choice, nor is to stop on 15
        ("B:W18,25,19:B15,22", "15x24 22x29"),
        ("B:W18,17,25,26:BK22", "22x13 22x15 22x29 22x31"),  # a king captures in all directions
        ("B:W18,17,30:B22", "22-25 22-26"),  # a man captures only forward
        ("B:W18,19,26,27:BK22", "22x15x24x31x22 22x31x24x15x22"),  # back to where it began
        ("W:W31:B26,18,10,17", "31x22x13 31x22x15x6"),  # any capture may be chosen, not only the greatest
        ("B:WK10:BK1", "1-5 1-6"),
        ("B:WK6:BK1", "1x10"),
        ("B:WK6,10:BK1", "1-5"),  # the square behind is taken
        ("W:WK5,32:B9", "5x14"),
        ("B:W21:B12", "12-16"),  # no steps over the edge
        ("B:W21:BK13", "13-9 13-17"),
    ],
)
def test_moves(text: str, moves: str) -> None:
    assert parse(text).legal_moves == tuple(moves.split())


def test_a_capture_removes_every_piece_on_its_way() -> None:
    assert parse("W:W31:B26,18,10,17").play("31x22x15x6").text == "B:W6:B17"
    assert parse("B:W18,19,26,27,K1:BK22").play("22x15x24x31x22").text == "W:WK1:BK22"


def test_a_man_on_the_last_row_is_a_king() -> None:
    assert parse("B:WK1:B26").play("26-30").text == "W:WK1:BK30"
    assert parse("W:W6:B26").play("6-1").text == "B:WK1:B26"


@pytest.mark.parametrize(
    ("text", "move", "winner"),
    [("B:W18:B15", "15x22", Side.FIRST), ("B:W21:B10,17", "10-14", Side.FIRST), ("W:W16,20:B12", "20x11", None)],
)
def test_a_side_without_a_move_loses(text: str, move: str, winner: Side | None) -> None:
    if winner is None:
        assert parse("B:W16,19:B12").outcome == Outcome(Side.SECOND, "no_moves")
        return
    last = parse(text).play(move)
    assert last.outcome == Outcome(winner, "no_moves")
    assert (last.to_move, last.legal_moves) == (None, ())
    with pytest.raises(IllegalMove, match="the game is over"):
        last.play("1-5")


def test_endings_have_words_for_all_reasons() -> None:
    words = dict(GAME.endings)
    assert words["no_moves"] == "because the loser could not move"
    assert {"repetition", "forty_moves", "eighty_moves", "fivefold_repetition"} < set(words)


def test_a_draw_can_be_claimed_by_the_move_that_repeats_a_position_for_the_third_time() -> None:
    """And by the side that sees the position for the third time. After the fifth the game is over."""
    position = parse("B:WK32:BK1")
    there_and_back = "1-6 32-27 6-1 27-32"
    assert claim(played(position, f"{there_and_back} 1-6 32-27")) is None
    assert claim(played(position, f"{there_and_back} 1-6 32-27 6-1")) == "repetition"
    assert claim(played(position, f"{there_and_back} {there_and_back}")) == "repetition"
    assert claim(played(position, f"{there_and_back} {there_and_back} 1-5 32-28")) is None
    last = played(position, " ".join([there_and_back] * 4))
    assert last.outcome == Outcome(None, "fivefold_repetition")
    assert claim(last) is None


def test_a_draw_can_be_claimed_after_forty_moves_without_progress() -> None:
    """Neither side has moved a man or captured in its own previous 40 moves. After 80 the game is over."""
    rng = random.Random(2)
    position = parse("B:WK32,K31,21:BK1,K2,13")
    assert isinstance(position, DraughtsPosition)
    while position.outcome is None:
        assert (claim(position) == "forty_moves") == (position.quiet >= 80)
        kings = [move for move in position.legal_moves if position.board[int(move.split("-")[0]) - 1].isupper()]
        after = [position.play(move) for move in kings if "x" not in move]
        after = [each for each in after if each.times < 3 and not noisy(each)]
        if position.quiet == 79:
            assert [claim(each) for each in after] == ["forty_moves"] * len(after)
        position = rng.choice(after)
    assert position.quiet == position.ply == ENDED_AFTER
    assert position.outcome == Outcome(None, "eighty_moves")


def test_captures_and_moves_of_men_begin_the_count_again() -> None:
    position = changed(parse("B:WK32,K10,17:BK1,6,13"), quiet=70)
    assert position.play("6x15").quiet == position.play("13x22").quiet == 0
    position = changed(parse("B:WK32:BK1,12"), quiet=70)
    assert (position.play("12-16").quiet, position.play("1-5").quiet) == (0, 71)


@pytest.mark.parametrize(
    ("text", "move", "why"),
    [
        ("W:W22,30:B18,10,11", "30-25", "you must capture: 22x15x6 or 22x15x8"),
        ("W:W22,30:B18,10,11", "22x15", "you must go on capturing: 22x15x6 or 22x15x8"),
        ("B:W18,17,25,26:BK22", "22-15", None),
        ("B:W18,17,25,26:BK22", "22x8", None),
        ("B:W21:B1", "2-6", "there is no piece on 2"),
        ("B:W21:B1", "21-17", "the piece on 21 is not yours"),
        ("B:W21:B1", "1x10", "1x10 captures nothing"),
        ("B:W21:B1,6", "1-6", "square 6 is taken"),
        ("B:W21:B6", "6-1", "a man moves one square diagonally forward"),
    ],
)
def test_a_refusal_says_why(text: str, move: str, why: str | None) -> None:
    with pytest.raises(IllegalMove if why else MalformedMove) as refused:
        parse(text).play(move)
    assert str(refused.value) == why or not why


@pytest.mark.parametrize(
    "move", ["", "11", "11-", "11-33", "0-5", "11-15-18", "11x15", "1-32", "011-15", "11 15", "4-5"]
)
def test_other_names_are_malformed(move: str) -> None:
    with pytest.raises(MalformedMove, match="a move is a step"):
        GAME.start.play(move)


@pytest.mark.parametrize(
    ("text", "typed", "move"),
    [
        ("W:W22,30:B18,10,11", "22x8", "22x15x8"),
        ("W:W22,30:B18,10,11", " 22 15 6 ", "22x15x6"),
        ("W:W22,30:B18,10,11", "22X15X6", "22x15x6"),
        ("B:W21:B11", "11 15", "11-15"),
        ("B:W21:B11", "11-15", "11-15"),
        ("B:W21:B11", "hello", "hello"),
        ("B:W18,19,26,27:BK22", "22x22", "22x22"),  # two ways
    ],
)
def test_moves_as_people_type_them(text: str, typed: str, move: str) -> None:
    assert read(parse(text), typed) == move


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a position is the side to move"),
        ("X:W21:B1", "a position is the side to move"),
        ("B:W21:W1", "a position is the side to move"),
        ("B:W33:B1", "33 is not a square"),
        ("B:WK:B1", "K is not a square"),
        ("B:W021:B1", "021 is not a square"),
        ("B:W21,21:B1", "two pieces are on 21"),
        ("B:W21:B21", "two pieces are on 21"),
        ("B:W4:B1", "a man on 4 would be a king: K4"),
        ("B:W21:B29", "a man on 29 would be a king: K29"),
        ("B:W:B1", "the side that has just moved has a piece"),
        ("B:W21:B1,2,3,4,5,6,7,8,9,10,11,12,13", "at most 12"),
    ],
)
def test_other_texts_are_no_positions(text: str, why: str) -> None:
    with pytest.raises(InvalidPosition, match=why):
        parse(text)


def test_the_notation_may_name_black_first() -> None:
    assert parse("W:BK1,2:W21,K30.") == parse("W:W21,K30:BK1,2")


def test_a_room_may_begin_from_a_position() -> None:
    game = set_up("draughts", [("start", "W:W22,30:B18,10,11")])
    assert game.start.legal_moves == ("22x15x6", "22x15x8")
    for text in ("nonsense", "W:W21:B14,17"):
        with pytest.raises(BadSetup):
            set_up("draughts", [("start", text)])


def random_game(seed: int) -> list[DraughtsPosition]:
    rng = random.Random(seed)
    position = GAME.start
    found = [position]
    while position.legal_moves:
        position = position.play(rng.choice(position.legal_moves))
        found.append(position)
    return found


def turned(position: DraughtsPosition) -> Any:
    """The board from the other side, with the colours exchanged."""
    side, *sides = position.text.split(":")
    other = {"B": "W", "W": "B"}
    pieces = {
        each[0]: [f"{'K' * (one[0] == 'K')}{33 - int(one.removeprefix('K'))}" for one in each[1:].split(",") if one]
        for each in sides
    }
    return parse(f"{other[side]}:W{','.join(pieces['B'])}:B{','.join(pieces['W'])}")


def test_random_games() -> None:
    every = {f"{a + 1}-{to + 1}" for a in range(32) for to in STEPS["B"][a]}
    every |= {f"{a + 1}x{to + 1}" for a in range(32) for _, to in JUMPS["B"][a]}
    for seed in range(4):
        *before, last = random_game(seed)
        assert last.outcome is not None
        for position in before:
            again = parse(position.text)
            assert again == position
            assert hash(again) == hash(position)
            assert (again.text, again.legal_moves) == (position.text, position.legal_moves)
            names = {name for row in CELLS for name in row}
            assert {name for move in position.legal_moves for name in move.replace("x", "-").split("-")} <= names
            assert noisy(position) == tuple(move for move in position.legal_moves if "x" in move)
            assert evaluate(position) == evaluate(turned(position))
        position = random.Random(seed).choice(before)
        for move in every - set(position.legal_moves):
            with pytest.raises(IllegalMove):
                position.play(move)
