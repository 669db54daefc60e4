"""Positions that are reflections or rotations of each other."""

from __future__ import annotations

from collections import Counter

import pytest

from noughts.games import GAMES
from noughts.games.mnk import mnk
from noughts.games.symmetry import canonical, turns_of
from walks import reachable

GAME = GAMES["tictactoe"]
TURNS = turns_of(GAME)


def test_tic_tac_toe_has_765_positions_up_to_symmetry() -> None:
    # The published count of essentially different positions, by ply: OEIS A008907 for 3x3.
    forms = {(position.ply, canonical(GAME, position, TURNS)) for position in reachable("tictactoe")}
    assert len(forms) == 765
    by_ply = Counter(ply for ply, _ in forms)
    assert [by_ply[ply] for ply in range(10)] == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]


@pytest.mark.parametrize(
    ("key", "moves", "classes"),
    [
        ("connect4", [], [{"1", "7"}, {"2", "6"}, {"3", "5"}, {"4"}]),
        ("connect4", ["1"], [{move} for move in "1234567"]),
        ("reversi", [], [{"d3", "c4", "f5", "e6"}]),
        ("ultimate", ["e5"], [{"d4", "f4", "d6", "f6"}, {"e4", "d5", "f5", "e6"}]),
        (
            "ultimate",
            ["e5", "d4"],
            [{"a1"}, {"b1", "a2"}, {"c1", "a3"}, {"b2"}, {"c2", "b3"}, {"c3"}],
        ),
    ],
)
def test_equivalent_moves(key: str, moves: list[str], classes: list[set[str]]) -> None:
    game = GAMES[key]
    position = game.start
    for move in moves:
        position = position.play(move)
    found: dict[object, set[str]] = {}
    for move in position.legal_moves:
        found.setdefault(canonical(game, position.play(move), turns_of(game)), set()).add(move)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, classes))


def test_equal_boards_with_other_legal_moves_differ() -> None:
    game = GAMES["ultimate"]
    position = game.start
    for move in ("e5", "d4", "b2", "f4"):
        position = position.play(move)
    assert position.text.endswith(" 3")
    elsewhere = game.parse(position.text.removesuffix("3") + "1")
    assert elsewhere.rows == position.rows
    assert canonical(game, elsewhere, turns_of(game)) != canonical(game, position, turns_of(game))


def test_a_board_that_is_not_square_is_not_rotated() -> None:
    game = mnk("wide", "4 in a row on 6x5", 6, 5, 4)
    found: dict[object, list[str]] = {}
    for move in game.start.legal_moves:
        found.setdefault(canonical(game, game.start.play(move), turns_of(game)), []).append(move)
    assert len(found) == 3 * 3
    assert found[canonical(game, game.start.play("a1"), turns_of(game))] == ["a1", "f1", "a5", "f5"]
