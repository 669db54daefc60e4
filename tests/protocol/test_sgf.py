"""Games in the Smart Game Format."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.games import GAMES, Outcome, Side
from noughts.games.catalogue import set_up
from noughts.protocol.gamefile import recorded
from noughts.rooms import Fischer, Played
from protocol.test_pgn import played, read, refusal, text_of
from support.games import random_records

POINTS = [key for key, game in GAMES.items() if game.record is not None and game.record.syntax == "sgf"]

BROWSED = r"""some words before it
(;GM[4]FF[4]SZ[15] PB[Ann \] (the first\)]PW[Ben:
the second]RE[B+R]DT[2026-11-24,25]
C[Comments (; may have anything: \\\]];B[hh](;W[hi](;B[gg]BL[12.5];W[ff](;B[aa];W[bb])(;B[cc]))
(;B[cd]))(;W[aa]
;B[zz]))
"""


@settings(max_examples=15)
@given(st.builds(Random, st.integers(0, 2**32)), st.sampled_from(POINTS))
def test_games_survive_their_format(random: Random, key: str) -> None:
    game = recorded(random_records(random, game=key))
    (again,) = read(text_of(game), "sgf")
    assert again.room.moves == game.room.moves
    assert again.room.outcome is not None
    assert game.room.outcome is not None
    assert again.room.outcome.winner == game.room.outcome.winner


def test_a_whole_game() -> None:
    game = played("h8", ("i8", "a \\ [b]\nc"), "a1", "back", "o2", game="gomoku", clock=Fischer(300_000, 2500))
    assert text_of(game).splitlines() == [
        "(;FF[4]GM[4]CA[UTF-8]SZ[15]",
        'PB[Ann "the \\\\ rook"]PW[bot-1]',
        "DT[2026-11-17]RE[W+R]TM[300]OT[2.5 s more a move]GN[room]",
        ";B[hh]BL[300]",
        ";W[ih]WL[300]C[a \\\\ [b\\]",
        "c]",
        ";B[ob]BL[292.5]",
        ")",
    ]


def test_after_a_swap_the_stones_stay_and_the_players_change() -> None:
    moves = ("h8", "i9", "g6", ("swap", "too strong"), "a1", "b1")
    game = played(*moves, game="gomoku", setup=(("opening", "swap2"),), clock=Fischer(300_000, 0))
    text = text_of(game)
    assert text.splitlines()[1:] == [
        'PW[Ann "the \\\\ rook"]PB[bot-1]',
        "DT[2026-11-17]RE[B+R]TM[300]GN[room]",
        ";B[hh]",
        ";W[ii]WL[300]",
        ";B[gf]",
        ";C[swap too strong]",
        ";W[aa]WL[280]",
        ";B[ba]BL[280]",
        ")",
    ]
    (again,) = read(text, "sgf")
    assert again.room.moves == ("h8", "i9", "g6", "a1", "b1")
    assert again.room.outcome == Outcome(Side.FIRST, "resignation")
    assert again.room.first is not None
    assert again.room.first.name == "bot-1"


def test_a_game_of_go_has_its_komi_passes_and_points() -> None:
    game = played("e5", "pass", "a1", "pass", "pass", game="go", setup=(("komi", 0.5),))
    text = text_of(game)
    lines = text.splitlines()
    assert lines[0] == "(;FF[4]GM[1]CA[UTF-8]SZ[9]KM[0.5]"
    assert "RE[B+80.5]" in lines[2]
    assert lines[3:] == [";B[ee]", ";W[]", ";B[ai]", ";W[]", ";B[]", ")"]
    (again,) = read(text, "sgf")
    assert again.room.moves == game.room.moves
    assert again.room.game is game.room.game
    assert again.room.outcome == Outcome(Side.FIRST, "area")


def test_a_game_of_go_from_elsewhere() -> None:
    (game,) = read("(;SZ[19]KM[6.50]RE[W+R];B[pd];W[dd];B[pq];W[tt];B[])", "sgf")
    assert game.room.game is set_up("go", {"size": 19, "komi": 6.5}.items())
    assert game.room.moves == ("q16", "d16", "q3", "pass", "pass")
    (resigned,) = read("(;KM[0]RE[W+R];B[ee])", "sgf")
    assert resigned.room.outcome == Outcome(Side.SECOND, "resignation")


def test_a_game_of_hex_has_the_names_of_its_cells_and_its_swap() -> None:
    game = played("c2", "swap", "f6", "e8", game="hex")
    text = text_of(game)
    assert text.splitlines()[0] == "(;FF[4]GM[11]CA[UTF-8]SZ[11]"
    assert text.splitlines()[3:] == [";B[c2]", ";W[swap-pieces]", ";B[f6]", ";W[e8]", ")"]
    (again,) = read(text.replace("[f6]", "[F6]").replace("[e8]", "[eh]"), "sgf")
    assert again.room.moves == ("c2", "swap", "f6", "e8")
    assert again.room.outcome == game.room.outcome


def test_comments_become_notes() -> None:
    (game,) = read(r"(;GM[4]C[before];B[hh]C[a \] b:\\];C[first]W[hi](;B[gg])(;B[aa]C[not this]))", "sgf")
    assert [event.note for event in game.events if isinstance(event, Played)] == ["a ] b:\\", "first", None]


def test_the_main_line_is_read() -> None:
    (game,) = read(BROWSED, "sgf")
    assert game.room.moves == ("h8", "h9", "g7", "f6", "a1", "b2")
    assert game.room.outcome == Outcome(Side.FIRST, "resignation")
    assert [seat.name for seat in (game.room.first, game.room.second) if seat] == [
        "Ann ] (the first)",
        "Ben: the second",
    ]


def test_a_file_of_several_games_in_older_words() -> None:
    found = read(
        "(;GaMe[4]PlayerBlack[x];Black[aa];White[ab])\n(;GM[4]SZ[15]RE[Draw];B[aa]\n)(;GM[4]RE[W+T];B[aa])", "sgf"
    )
    assert [game.room.moves for game in found] == [("a1", "a2"), ("a1",), ("a1",)]
    assert [game.room.outcome.reason for game in found if game.room.outcome] == ["unfinished", "agreement", "time"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("nothing", "line 1: there is no game"),
        ("(;GM[4];B[aa]\n;B[bb])", "line 2: White is to move before 'b2'"),
        ("(;GM[4];B[aa]\n;W[aa])", "line 2: 'a1' cannot be played: "),
        ("(;GM[4];B[zz])", "line 1: 'zz' is not a legal move"),
        ("(;GM[4];B[])", "line 1: 'pass' is not a legal move"),
        ("(;GM[2];B[aa])", "line 1: no game here is of the kind '2'"),
        ("(;B[aa];W[aa])", "line 1: 'a9' cannot be played: "),
        ("(;GM[1]SZ[10];B[aa])", "line 1: Go has no board of the size '10' here"),
        ("(;GM[1]SZ[19]KM[3.75];B[aa])", "line 1: Go has no komi of '3.75' here"),
        ("(;GM[1]KM[much];B[aa])", "line 1: Go has no komi of 'much' here"),
        ("(;GM[11];B[a1];W[swap-sides])", "line 1: 'swap-sides' is not a legal move"),
        ("\n(;GM[4]SZ[19];B[aa])", "line 2: Gomoku has no board of the size '19' here"),
        ("(;GM[4]\nAB[aa][bb];W[cc])", "line 2: a game can be read only from an empty board"),
        ("(;GM[4];B[aa]", "line 1: a variation does not end"),
        ("(;GM[4];B[aa])\n)", "line 2: a variation ends that did not begin"),
        ("(;GM[4];B[aa", "line 1: not a property or a variation: '[aa'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, error: str) -> None:
    assert refusal(text, "sgf").startswith(error)
