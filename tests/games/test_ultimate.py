import pytest

from noughts.games import GAMES, IllegalMove, InvalidPosition, Outcome, Position, Reason, Side
from noughts.games.ultimate import PLACES, WHERE

GAME = GAMES["ultimate"]
EMPTY = "." * 9


def played(moves: str) -> Position:
    position = GAME.start
    for move in moves.split():
        position = position.play(move)
    return position


def test_a_cell_sends_the_opponent_to_its_small_board() -> None:
    for move, answers in (
        ("a1", ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"][1:]),
        ("b1", ["d1", "e1", "f1", "d2", "e2", "f2", "d3", "e3", "f3"]),
        ("f6", ["g7", "h7", "i7", "g8", "h8", "i8", "g9", "h9", "i9"]),
        ("g2", ["a4", "b4", "c4", "a5", "b5", "c5", "a6", "b6", "c6"]),
    ):
        assert list(GAME.start.play(move).legal_moves) == answers


def why(position: Position, move: str, last: str | None) -> str:
    """The text for a player who tries an illegal move."""
    with pytest.raises(IllegalMove) as refused:
        position.play(move)
    assert GAME.why_illegal is not None
    return GAME.why_illegal(position, move, last) or str(refused.value)


def test_a_refused_move_says_where_to_play_and_which_move_sent_the_player_there() -> None:
    sent = played("e5 d4")
    assert why(sent, "e6", "d4") == "you must play in the small board at the top left, a1 to c3: d4 sent you there"
    assert why(sent, "e6", None) == "you must play in the small board at the top left, a1 to c3"
    assert why(sent, "e5", "d4") == "cell e5 is taken"
    won = played("g5 c5 h5 f5 i5")
    assert why(won, "g4", "i5") == "the small board on the right, g4 to i6, is won and takes no more moves"
    assert why(won.play("a1"), "g4", "a1") == "the small board on the right, g4 to i6, is won and takes no more moves"


@pytest.mark.parametrize("board", range(9))
def test_each_small_board_is_named_by_its_place_and_its_cells(board: int) -> None:
    cells = [move for move in GAME.start.legal_moves if PLACES[move].board == board]
    assert WHERE[board].endswith(f", {cells[0]} to {cells[-1]}")
    words = WHERE[board].partition(",")[0].split()
    assert ("top" in words, "bottom" in words) == (board < 3, board > 5)
    assert ("left" in words, "right" in words) == (board % 3 == 0, board % 3 == 2)


MIDDLE_RIGHT = {f"{column}{row}" for column in "ghi" for row in (4, 5, 6)}
EVERYWHERE = {f"{column}{row}" for column in "abcdefghi" for row in range(1, 10)}


def test_a_side_sent_to_a_won_board_may_play_anywhere() -> None:
    """X wins the small board at the middle right with a move that sends to that very board."""
    position = played("g5 c5 h5 f5 i5")
    assert set(position.legal_moves) == EVERYWHERE - MIDDLE_RIGHT - {"c5", "f5"}
    with pytest.raises(IllegalMove, match="is won"):
        position.play("g4")
    assert played("g5 c5 h5 f5 i5 a1").legal_moves == played("a1").legal_moves
    assert position.text == "/".join([*[EMPTY] * 4, "..o..oxxx", *[EMPTY] * 4])
    assert GAME.parse(position.text) == position
    with pytest.raises(InvalidPosition, match="finished"):
        GAME.parse(f"{position.text} 6")


def test_a_side_sent_to_a_full_board_may_play_anywhere() -> None:
    moves = (
        "h5 d5 a6 c9 g7 c3 i7 h1 d3 c8 i5 i6 h7 e1 d1 c1 g1 b1 f2 g4 a2 a5 c4 h2 f4 i3 h3 f7 i2 i4 g3 a9 c7 g2 b4 f1 i1"
    )
    position = played(moves)
    assert [row[6:] for row in position.rows[:3]] == ["xox", "oox", "xxo"], "full, without a line"
    assert {move[0] for move in position.legal_moves} > set("abc")
    assert not {move for move in position.legal_moves if move[0] in "ghi" and move[1] in "123"}


@pytest.mark.parametrize(
    ("moves", "outcome"),
    [
        (
            "h8 d4 b2 e4 d3 a7 b1 d1 a2 a5 a4 c1 h1 f1 h2 f4 h3 f7 d8 b4 f3 g7 c3 i7 c2 i6 h7 e2 e3",
            Outcome(Side.FIRST, Reason.LINE, ("h1", "a2", "b2", "c2", "h2", "d3", "e3", "f3", "h3")),
        ),
        (
            "f2 i4 h2 f6 g8 b6 e8 f5 h4 f1 i2 g5 c5 g4 a2 c6 h8 d6 a8 a5 b5 f4 g3 b9 d8 a6 c8 g6",
            Outcome(Side.SECOND, Reason.LINE, ("f4", "g4", "f5", "g5", "a6", "b6", "c6", "f6", "g6")),
        ),
        (
            "f2 i4 g3 c7 h3 e7 f1 i1 i2 i5 h5 d6 b9 d9 a7 c3 i8 h4 f3 h7 b8 f6 h9 e9 f7 g2 a4 a3 a8 a6 a9 e6 d7 a2 a5"
            " b5 g9 i6 i9 b3 d8 c6 c4 h1 b4 f9 i3",
            Outcome(None, Reason.DRAW),
        ),
    ],
)
def test_three_small_boards_in_a_row_win(moves: str, outcome: Outcome) -> None:
    assert played(moves.rpartition(" ")[0]).outcome is None
    end = played(moves)
    assert end.outcome == outcome
    with pytest.raises(IllegalMove, match="over"):
        end.play("e5")
    with pytest.raises(InvalidPosition):
        GAME.parse(f"{end.text} 5")


def test_the_text_contains_the_small_board_to_play_in() -> None:
    position = played("e5 d4")
    assert position.text.endswith(" 1")
    assert GAME.parse(position.text.replace(" 1", " first 1")) == position
    # Any cell of O's may have been the last, and sends to its own place.
    assert GAME.parse(played("e5 d4 b2 f6").text.replace(" 9", " 1")).legal_moves == (
        "a1",
        "b1",
        "c1",
        "a2",
        "c2",
        "a3",
        "b3",
        "c3",
    )


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        (["o........"], "", "or one x more"),
        (["x........"], "", "is missing"),
        (["x........"], " 2", "no last move"),
        (["x........"], " first", "second's turn"),
        (["x........"], " 1 second", "may follow the board"),
        (["x........"], " 0", "may follow the board"),
        (["x........"], " 1 ", "may follow the board"),
        (["x........"], " second 1 1", "may follow the board"),
        ([EMPTY], " 1", "no last move"),
        (["xxx......", "ooo......"], " 1", "both"),
        (["xxx.o.o.o", "x..o.o.oo", "xxx......"], "", "no single move"),
    ],
)
def test_unreachable_positions_are_refused(rows: list[str], more: str, message: str) -> None:
    with pytest.raises(InvalidPosition, match=message):
        GAME.parse("/".join([*rows, *[EMPTY] * (9 - len(rows))]) + more)
