import itertools
import pickle
from collections import Counter

import pytest

from noughts.games import (
    GAMES,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Outcome,
    Position,
    Reason,
    Side,
)
from walks import reachable

GAME = GAMES["tictactoe"]
# Nodes by depth; a finished game is a leaf, counted at its own depth alone.
PERFT = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


@pytest.mark.slow
def test_perft_and_the_number_of_games() -> None:
    perft: Counter[int] = Counter()
    games: Counter[Side | None] = Counter()

    def walk(position: Position) -> None:
        perft[position.ply] += 1
        if position.outcome:
            games[position.outcome.winner] += 1
        for move in position.legal_moves:
            walk(position.play(move))

    walk(GAME.start)
    assert [perft[depth] for depth in range(1, 10)] == PERFT
    assert games == {Side.FIRST: 131184, Side.SECOND: 77904, None: 46080}
    assert games.total() == 255168


def test_the_reachable_positions() -> None:
    positions = reachable("tictactoe")
    ended = Counter(position.outcome.winner for position in positions if position.outcome)
    assert len(positions) == 5478
    assert ended == {Side.FIRST: 626, Side.SECOND: 316, None: 16}


def test_to_move_moves_and_outcome_agree_everywhere() -> None:
    for position in reachable("tictactoe"):
        empty = [cell for row in rows_of_names(position) for cell in row if cell in "123456789"]
        assert position.ply == 9 - len(empty)
        if position.outcome:
            assert position.to_move is None
            assert position.legal_moves == ()
        else:
            assert position.to_move is (Side.FIRST, Side.SECOND)[position.ply % 2]
            assert position.legal_moves == tuple(empty)


def rows_of_names(position: Position) -> list[list[str]]:
    """The board with the names of the empty cells in them, by the layout."""
    return [
        [name if cell == "." else cell for name, cell in zip(names, row, strict=True)]
        for names, row in zip(GAME.layout, position.rows, strict=True)
    ]


def test_parse_accepts_only_reachable_boards() -> None:
    taken = set()
    for cells in itertools.product("xo.", repeat=9):
        text = "/".join("".join(cells[start : start + 3]) for start in (0, 3, 6))
        try:
            position = GAME.parse(text)
        except InvalidPosition:
            continue
        assert "/".join(position.rows) == text
        taken.add(position)
    assert taken == reachable("tictactoe")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "3 rows of 3"),
        ("xox/oox", "3 rows of 3"),
        ("xox/oox/..", "3 rows of 3"),
        ("xox/oox/.../...", "3 rows of 3"),
        ("xox/oox/...\n", "3 rows of 3"),
        ("XOX/oox/...", "not 'O'"),
        ("o../.../...", "x begins"),
        ("xx./.../...", "x begins"),
        ("xxx/ooo/...", "both"),
        ("xxx/oo./o..", "one more move"),
        ("ooo/xx./xx.", "one more move"),
        ("xox/oox/... second", "first's turn"),
        ("x../.../... first", "second's turn"),
        ("xox/oox/... ", "first's turn"),
        ("xox/oox/... x", "first's turn"),
    ],
)
def test_parse_explains_errors(text: str, message: str) -> None:
    with pytest.raises(InvalidPosition, match=message):
        GAME.parse(text)


def test_parse_accepts_the_side_to_move() -> None:
    assert GAME.parse("xox/oox/... first") == GAME.parse("xox/oox/...")
    assert GAME.parse("x../.../... second") == GAME.start.play("1")


@pytest.mark.parametrize("move", ["", "0", "10", "a1", " 1", "1 ", "\u0661", "pass"])
def test_an_unknown_move_name_is_malformed_even_after_the_end(move: str) -> None:
    for text in (".../.../...", "xxx/oo./..."):
        with pytest.raises(MalformedMove):
            GAME.parse(text).play(move)


def test_a_taken_cell_and_a_move_after_the_end_are_illegal() -> None:
    with pytest.raises(IllegalMove, match="taken"):
        GAME.parse("x../.../...").play("1")
    with pytest.raises(IllegalMove, match="over"):
        GAME.parse("xxx/oo./...").play("9")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("xox/oox/..x", Outcome(Side.FIRST, Reason.LINE, ("3", "6", "9"))),
        ("xx./ooo/x..", Outcome(Side.SECOND, Reason.LINE, ("4", "5", "6"))),
        ("xxx/xoo/xoo", Outcome(Side.FIRST, Reason.LINE, ("1", "2", "3", "4", "7"))),
        ("xox/oxo/xox", Outcome(Side.FIRST, Reason.LINE, ("1", "3", "5", "7", "9"))),
        ("xox/oox/xxo", Outcome(None, Reason.DRAW)),
        ("xox/oox/...", None),
    ],
)
def test_outcome(text: str, outcome: Outcome | None) -> None:
    assert GAME.parse(text).outcome == outcome


def test_a_position_is_a_value() -> None:
    one_way = GAME.start.play("1").play("5").play("9")
    another_way = GAME.start.play("9").play("5").play("1")
    assert one_way == another_way
    assert hash(one_way) == hash(another_way)
    assert pickle.loads(pickle.dumps(one_way)) == one_way
    assert GAME.start.rows == ("...", "...", "...")


def test_the_layout_for_clients() -> None:
    assert GAME.layout == (("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9"))
    assert [(style.name, style.symbol) for style in map(GAME.style, Side)] == [("X", "x"), ("O", "o")]
