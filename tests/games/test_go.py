"""Go: captures, superko, suicide, areas, texts, and estimates."""

from __future__ import annotations

import pickle
from itertools import product
from random import Random
from typing import Any

import pytest

from noughts.games import GAMES, IllegalMove, InvalidPosition, MalformedMove, Outcome, Side
from noughts.games.catalogue import set_up
from noughts.games.go import GoPosition, board, candidates, evaluate, parse

GAME: Any = GAMES["go"]


def small(text: str, size: int, komi: float = 0) -> GoPosition:
    """A position on a board of another size."""
    return parse(text, size, komi)


def after(position: Any, *moves: str) -> Any:
    for move in moves:
        position = position.play(move)
    return position


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), (3, 12675)])
def test_so_many_boards_are_legal(size: int, count: int) -> None:
    """J. Tromp and G. Farnebäck, *Combinatorics of Go* (2006); A094777 in the encyclopedia of sequences."""
    found = 0
    for cells in product(".bw", repeat=size * size):
        rows = "/".join("".join(cells[row * size : row * size + size]) for row in range(size))
        try:
            small(f"{rows} first", size)
        except InvalidPosition:
            continue
        found += 1
    assert found == count


def naive(size: int, cells: str, side: str, move: int) -> str:
    """The board after a move by the rules as they stand, point by point."""
    board = [*cells]
    board[move] = side

    def group(start: int) -> tuple[set[int], bool]:
        """The points reached from ``start`` in its colour, and whether an empty one is beside them."""
        found, rest, free = {start}, [start], False
        while rest:
            point = rest.pop()
            row, column = divmod(point, size)
            for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if 0 <= r < size and 0 <= c < size:
                    at = r * size + c
                    free |= board[at] == "."
                    if board[at] == board[start] and at not in found:
                        found.add(at)
                        rest.append(at)
        return found, free

    for colour in ("w" if side == "b" else "b", side):
        dead = {at for at, there in enumerate(board) if there == colour and not group(at)[1]}
        for at in dead:
            board[at] = "."
    return "".join(board)


@pytest.mark.parametrize(("size", "seeds", "plies"), [(2, 40, 40), (3, 30, 80), (4, 10, 120)])
def test_moves_and_boards_are_those_of_the_rules_taken_literally(size: int, seeds: int, plies: int) -> None:
    """On such small boards most moves take something, and superko forbids many."""
    forbidden = 0
    for seed in range(seeds):
        random, position = Random(seed), GoPosition(board(size), 0)
        names = [name for row in position.on.layout for name in row]
        cells = "." * size * size
        seen = {cells}
        for _ in range(plies):
            side = "b" if position.side is Side.FIRST else "w"
            empty = [at for at, there in enumerate(cells) if there == "."]
            boards = {names[at]: naive(size, cells, side, at) for at in empty}
            legal = [move for move, after in boards.items() if after not in seen]
            assert position.legal_moves == (*legal, "pass")
            for move in boards.keys() - {*legal}:
                forbidden += boards[move] != cells
                with pytest.raises(IllegalMove):
                    position.play(move)
            if not legal and position.passes:
                break
            move = random.choice(legal or ["pass"])
            position = position.play(move)
            cells = boards.get(move, cells)
            assert "".join(position.rows) == cells
            seen.add(cells)
    assert forbidden > 10


def test_a_group_without_liberties_is_taken() -> None:
    with pytest.raises(InvalidPosition, match="the stones at a3 have no liberty"):
        small("wb./b../... first", 3)
    taken = after(GAME.start, "a8", "a9", "b9")
    assert taken.rows[:2] == (".b.......", "b........")
    assert GAME.held(taken, Side.FIRST) == (("w", 1),)
    assert GAME.held(taken, Side.SECOND) == (("b", 0),)
    assert taken.text.endswith(" second 1 0")
    assert GAME.parse(taken.text) == taken


def test_the_other_sides_stones_are_taken_before_ones_own() -> None:
    position = small(".wb/wbb/... first", 3)
    assert "a3" in position.legal_moves
    assert position.play("a3").rows == ("b.b", "wbb", "...")


KO = ("e5", "f5", "d4", "g4", "e3", "f3", "f4", "e4")
"""White has just taken the stone on f4."""


def test_a_ko_is_not_taken_back_at_once() -> None:
    position = after(GAME.start, *KO)
    assert position.taken == (0, 1)
    assert "f4" not in position.legal_moves
    with pytest.raises(IllegalMove, match="take back the ko at once"):
        position.play("f4")
    later = after(position, "a1", "b1")
    assert "f4" in later.legal_moves
    assert after(later, "f4").taken == (1, 1)
    assert "f4" in GAME.parse(position.text).legal_moves, "a text does not show what came before"


def test_no_board_comes_back_not_even_later() -> None:
    """It is the board that may not come back, whoever moves and however long ago it was."""
    position = after(GAME.start, *KO, "a1", "pass", "f4", "pass", "a2", "e4")
    with pytest.raises(IllegalMove, match="take back the ko at once"):
        position.play("f4")
    around = after(GoPosition(board(3), 0), "c1", "b3", "a2", "a1", "b1", "b2", "a3", "a1")
    with pytest.raises(IllegalMove, match="as it was before in this game, which superko forbids"):
        around.play("a2")


def test_several_stones_may_be_taken_off_by_their_own_side_but_not_one() -> None:
    gone = small("b.w/www/... first", 3).play("b3")
    assert gone.rows == ("..w", "www", "..."), "Tromp and Taylor let a side take its own stones"
    assert gone.taken == (0, 2)
    alone = small("..w/.ww/ww. first", 3)
    assert "c1" not in alone.legal_moves
    with pytest.raises(IllegalMove, match="a stone on c1 would have no liberty"):
        alone.play("c1")


@pytest.mark.parametrize(
    ("board_of_5", "area"),
    [
        ("...../...../...../...../.....", (0, 0)),
        ("...../...../..b../...../.....", (25, 0)),
        ("..b../..b../..b../..b../..b..", (25, 0)),
        (".bw../.bw../.bw../.bw../.bw..", (10, 15)),
        (".b.w./.b.w./.b.w./.b.w./.b.w.", (10, 10)),  # the column between is nobody's
        (".bw../.bw../.bw.b/.bw../.bw..", (11, 5)),  # a dead stone that is not taken
    ],
)
def test_the_area_is_what_is_reached_by_one_side_alone(board_of_5: str, area: tuple[int, int]) -> None:
    position = small(f"{board_of_5} first", 5)
    assert position.on.area(position.first, position.second) == area
    assert position.lead == area[0] - area[1]


@pytest.mark.parametrize(("komi", "winner", "lead"), [(6.5, Side.SECOND, 11.5), (0, Side.SECOND, 5), (-5, None, 0)])
def test_two_passes_end_the_game_and_the_komi_is_whites(komi: float, winner: Side | None, lead: float) -> None:
    position = small(".bw../.bw../.bw../.bw../.bw.. first", 5, komi)
    assert position.play("pass").outcome is None
    end = after(position, "pass", "pass")
    assert end.outcome == Outcome(winner, "area")
    assert (end.to_move, end.legal_moves) == (None, ())
    assert GAME.lead(end) == lead
    assert parse(end.text, 5, komi).outcome == end.outcome
    for move in ("pass", "a1"):
        with pytest.raises(IllegalMove, match="the game is over"):
            end.play(move)


def test_points_are_named_as_everybody_names_them() -> None:
    large = set_up("go", {"size": 19}.items())
    assert [row[0] for row in large.layout[:: len(large.layout) - 1]] == ["a19", "a1"]
    assert large.layout[0][7:10] == ("h19", "j19", "k19")
    assert large.layout[0][-1] == "t19"
    with pytest.raises(MalformedMove, match="a move is a point, a1 to t19, or pass"):
        large.start.play("i3")
    with pytest.raises(IllegalMove, match="point q16 is taken"):
        after(large.start, "q16", "q16")


@pytest.mark.parametrize(("size", "komi"), [(9, 7), (13, 0.5), (19, 7.5)])
def test_a_game_is_set_up(size: int, komi: float) -> None:
    game = set_up("go", {"size": size, "komi": komi}.items())
    assert len(game.layout) == size
    end = after(game.start, "pass", "pass")
    assert game.lead is not None
    assert game.lead(end) == komi
    assert end.outcome == Outcome(Side.SECOND, "area")


@pytest.mark.parametrize(
    "rest", ["", " 0", " first 1", " first 1 2 3", " first pass pass pass", " first passed", " first 1 2pass", " third"]
)
def test_wrong_texts_are_refused(rest: str) -> None:
    with pytest.raises(InvalidPosition, match="after the board stand"):
        small(f".b./.../...{rest}", 3)


def test_a_long_game_can_be_pickled() -> None:
    position = GAME.start
    for turn in range(1500):
        position = GoPosition(position.on, 7, position.first, position.second, ply=turn, past=(turn, position.past))
    copy = pickle.loads(pickle.dumps(position))
    boards, past = 0, copy.past
    while past is not None:
        boards, past = boards + 1, past[1]
    assert boards == 1501


def test_estimates_see_areas_and_stones_that_are_nearly_taken() -> None:
    assert evaluate(after(GAME.start, "e5")) < evaluate(after(GAME.start, "a1"))
    atari = after(GAME.start, "d4", "e4", "e5", "a1", "f4", "b9")
    assert candidates(atari)[0] == "e3", "what takes comes first"
    assert evaluate(after(atari, "e3")) < evaluate(after(atari, "h1"))
    assert candidates(atari)[-1] == "pass"
    eyes = small(".b.b/bbbb/wwbb/.w.b first", 4)
    assert not {"a4", "c4"} & set(candidates(eyes))
