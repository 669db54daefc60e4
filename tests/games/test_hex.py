"""Hex: chains, swap, texts, values of small boards, and estimates."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from noughts.engine import Interrupt, Limits, Textbook
from noughts.games import GAMES, IllegalMove, InvalidPosition, MalformedMove, Side
from noughts.games.catalogue import set_up
from noughts.games.hex import HexPosition, board, candidates, evaluate, ways

GAME: Any = GAMES["hex"]
PLAIN: Any = set_up("hex", [("size", 3), ("swap", "no")])


def after(game: Any, *moves: str) -> Any:
    position = game.start
    for move in moves:
        position = position.play(move)
    return position


def test_a_chain_between_ones_edges_wins() -> None:
    end = after(PLAIN, "b1", "a2", "b2", "c2", "a3")
    assert (end.outcome.winner, end.outcome.reason, end.outcome.cells) == (Side.FIRST, "chain", ("b1", "b2", "a3"))
    assert (end.to_move, end.legal_moves) == (None, ())
    with pytest.raises(IllegalMove, match="the game is over"):
        end.play("c3")
    blue = after(PLAIN, "a1", "a3", "b1", "b2", "c3", "c1")
    assert (blue.outcome.winner, blue.outcome.cells) == (Side.SECOND, ("c1", "b2", "a3"))


@pytest.mark.parametrize(
    ("cells", "joined"),
    [("a1 a2 a3", True), ("c1 b2 a3", True), ("a1 b2 c3", False), ("c1 c2 b3", True), ("b1 c2 c3", False)],
)
def test_a_cell_touches_six_others(cells: str, joined: bool) -> None:
    on = board(3)
    stones = sum(on.bits[cell] for cell in cells.split())
    assert on.joins(Side.FIRST, stones) == joined
    mirrored = sum(on.mirrored(on.bits[cell]) for cell in cells.split())
    assert on.joins(Side.SECOND, mirrored) == joined


def test_the_second_side_may_swap_the_first_stone() -> None:
    one = after(GAME, "c2")
    assert one.legal_moves[-1] == "swap"
    swapped = one.play("swap")
    assert (swapped.to_move, swapped.ply) == (Side.FIRST, 2)
    assert swapped.rows[2][1] == "b", "mirrored at the long diagonal"
    assert "".join(swapped.rows).count("r") == 0
    assert GAME.parse(swapped.text) == swapped
    assert GAME.parse(swapped.play("f6").text) == swapped.play("f6") != after(GAME, "f6", "b3")
    for position in (GAME.start, swapped, after(GAME, "c2", "a1")):
        with pytest.raises(IllegalMove, match="only the first stone can be swapped"):
            position.play("swap")
    with pytest.raises(IllegalMove, match="this game is played without swap"):
        after(PLAIN, "a1", "swap")
    with pytest.raises(MalformedMove, match="a move is a cell, a1 to c3, or swap"):
        PLAIN.start.play("d1")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (".../.../...", "who moves next"),
        ("r../.../... first", "the sides place one stone each in turn"),
        ("b../.../... first", "the sides place one stone each in turn"),
        ("rrb/rr./r.b second", "the sides place one stone each in turn"),
        ("r.b/rb./r.b first", "the game ended with the chain"),
        ("r../r.b/r.b second", None),
    ],
)
def test_wrong_positions_are_refused(text: str, why: str | None) -> None:
    if why is None:
        assert PLAIN.parse(text).outcome.winner is Side.FIRST
        return
    with pytest.raises(InvalidPosition, match=why):
        PLAIN.parse(text)


@cache
def wins(position: HexPosition) -> bool:
    """True if the side to move wins."""
    return any(after.outcome is not None or not wins(after) for after in map(position.play, position.legal_moves))


def test_the_openings_that_win_on_small_boards() -> None:
    """As on Queenbee's page of openings by J. van Rijswijck, and HexWiki's on small boards."""
    for size, winning in ((2, {"b1", "a2"}), (3, {"c1", "a2", "b2", "c2", "a3"})):
        start = HexPosition(board(size), swaps=False)
        assert {move for move in start.legal_moves if not wins(start.play(move))} == winning


@pytest.mark.slow
def test_the_openings_that_win_on_4x4() -> None:
    """Those on the short diagonal, and no others."""
    start = HexPosition(board(4), swaps=False)
    assert {move for move in start.legal_moves if not wins(start.play(move))} == {"d1", "c2", "b3", "a4"}


@pytest.mark.parametrize("size", [2, 3])
def test_who_may_swap_wins_on_small_boards(size: int) -> None:
    assert not wins(HexPosition(board(size)))


def test_the_strongest_level_proves_a_small_board() -> None:
    found = Textbook(PLAIN).analyse(PLAIN.start, Limits(), Interrupt())
    assert found.exact
    assert set(found.choices) <= {"c1", "a2", "b2", "c2", "a3"}


def test_two_cells_with_two_empty_neighbours_in_common_are_as_good_as_joined() -> None:
    on = board(5)
    stones = on.bits["c2"] | on.bits["b4"]
    assert ways(on, Side.FIRST, stones, on.everywhere & ~stones) == (0, 0)
    cut = on.bits["b3"]
    assert ways(on, Side.FIRST, stones, on.everywhere & ~stones & ~cut) == (1, on.bits["c3"] | on.bits["d3"])
    assert ways(on, Side.FIRST, 0, on.everywhere)[0] == 2


def test_estimates_are_for_the_side_to_move_and_alike_for_both_sides() -> None:
    position = after(GAME, "f6", "e8", "c10")
    swapped = after(set_up("hex", [("swap", "no")]), "f6", "e8", "c10")
    assert evaluate(position) == evaluate(swapped)
    assert evaluate(after(GAME, "f6")) < 0 < evaluate(after(GAME, "f6", "a1"))
    assert evaluate(after(GAME, "c2")) == evaluate(after(GAME, "c2", "swap")), "who moves has the other colour"
    assert set(candidates(GAME.start)) < set(GAME.start.legal_moves)
    near = after(PLAIN, "b2")
    assert set(candidates(near)) == set(near.legal_moves)
