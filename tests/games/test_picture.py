"""Positions as pictures, for notebooks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from noughts.games import GAMES, OWN, Board, Game, Style
from noughts.games.mnk import mnk
from noughts.games.picture import BOXES, EDGE

SPACE = "{http://www.w3.org/2000/svg}"
WON, PLAYABLE = "18", "6"
"""The radius of the rings around pieces of a winning line, and of those on cells that can be played."""

LAST = {
    "tictactoe": "xxx/oo./...",
    "connect4": "......./......./......./......./yyy..../rrrr...",
    "reversi": "/".join(["bbbbbbbb"] * 7 + ["wwwwwwww"]) + " first",
    "gomoku": "/".join(["bbbbb..........", "wwww..........."] + ["." * 15] * 13),
    "ultimate": None,
}


def svg(game: Game, position: str | None = None, moves: str = "") -> str:
    found = game.start if position is None else game.parse(position)
    for move in moves.split():
        found = found.play(move)
    return found._repr_svg_()  # type: ignore[attr-defined, no-any-return]


def words(drawn: str) -> list[str]:
    """The words in a picture, in their order."""
    tree = ElementTree.fromstring(drawn)
    assert tree.tag == f"{SPACE}svg"
    return [each.text or "" for each in tree.iter(f"{SPACE}text")]


def titles(drawn: str) -> list[str]:
    """The symbols of the pieces that are drawn."""
    return [each.text or "" for each in ElementTree.fromstring(drawn).iter(f"{SPACE}title")]


def rings(drawn: str, radius: str) -> list[tuple[str, str]]:
    """The middles of the rings of that size."""
    found = [each for each in ElementTree.fromstring(drawn).iter(f"{SPACE}circle") if each.get("fill") == "none"]
    return [(each.get("cx", ""), each.get("cy", "")) for each in found if each.get("r") == radius]


@pytest.mark.parametrize("game", OWN, ids=lambda game: game.key)
def test_each_game_has_a_picture(game: Game) -> None:
    assert words(svg(game))[-1] == f"{game.first.name} to move"
    assert words(svg(game, moves=game.start.legal_moves[0]))[-1] == f"{game.second.name} to move"


def test_every_symbol_is_drawn() -> None:
    drawn = svg(GAMES["tictactoe"], "x../.o./..x")
    assert titles(drawn) == ["x", "o", "x"]
    assert words(drawn) == ["2", "3", "4", "6", "7", "8", "O to move"]
    drawn = svg(GAMES["connect4"], moves="4 4 4")
    assert titles(drawn) == ["r", "y", "r"]
    places = re.findall(r"translate\((\d+) (\d+)\)", drawn)
    assert len({x for x, _ in places}) == 1
    assert [int(y) for _, y in places] == [164, 204, 244]


@pytest.mark.parametrize(
    ("key", "line", "end"),
    [
        ("tictactoe", 3, "X wins"),
        ("connect4", 4, "Red wins"),
        ("reversi", 0, "Black wins"),
        ("gomoku", 5, "Black wins"),
    ],
)
def test_the_winning_line_is_ringed(key: str, line: int, end: str) -> None:
    drawn = svg(GAMES[key], LAST[key])
    ringed = rings(drawn, WON)
    assert len(ringed) == line
    assert len({y for _, y in ringed}) == min(line, 1), "all in one row"
    assert words(drawn)[-1] == end


def test_a_draw() -> None:
    assert words(svg(GAMES["tictactoe"], "xox/xxo/oxo"))[-1] == "Draw"


def test_cells_that_can_be_played_are_marked_if_not_all_can_be() -> None:
    def marked(key: str, moves: str = "") -> int:
        return len(rings(svg(GAMES[key], moves=moves), PLAYABLE))

    assert (marked("reversi"), marked("ultimate"), marked("ultimate", "e5")) == (4, 0, 8)
    assert (marked("tictactoe"), marked("connect4")) == (0, 0)


def test_columns_and_rows_are_named() -> None:
    assert words(svg(GAMES["connect4"]))[:7] == list("1234567")
    assert words(svg(GAMES["reversi"]))[:-1] == [*"abcdefgh", *"12345678"]


def test_names_and_symbols_are_escaped() -> None:
    layout = (("<i>", "&amp;"), ("]]>", "--"))
    game = mnk("hostile", "Hostile", 2, 2, 2, layout=layout, first=Style("<b>&", "<"), second=Style('"', "&"))
    assert words(svg(game)) == ["<i>", "&amp;", "]]>", "--", "<b>& to move"]
    assert words(svg(game, moves="<i>")) == ["<", "&amp;", "]]>", "--", '" to move']


def test_the_symbol_of_a_disc_is_escaped() -> None:
    game = mnk("hostile", "Hostile", 2, 2, 2, first=Style("Red", "<"), second=Style("Black", "&"))
    assert titles(svg(game, moves="a1 b1")) == ["<", "&"]


def test_the_game_in_the_examples_has_a_picture() -> None:
    coins = Path(__file__).parents[2] / "examples/games/coins/noughts_coins.py"
    names: dict[str, Any] = {"__name__": __name__}  # a dataclass looks its module up
    exec(coins.read_text(encoding="utf-8"), names)
    assert words(svg(names["COINS_IN_A_ROW"], moves="a3")) == [
        *"x",
        "b1",
        "c4",
        "d1",
        "e5",
        "f9",
        "g2",
        "h6",
        "O to move",
    ]


def count(drawn: str, tag: str, **attributes: str) -> int:
    """The number of elements of a picture with these attributes."""
    return sum(
        all(each.get(name) == value for name, value in attributes.items())
        for each in ElementTree.fromstring(drawn).iter(f"{{http://www.w3.org/2000/svg}}{tag}")
    )


def test_points_lie_on_their_lines() -> None:
    empty = svg(GAMES["morris"])
    assert (count(empty, "line"), count(empty, "circle", r="3.6")) == (16, 24)
    assert words(empty)[:-1] == [*"abcdefg", *"7654321"]
    placed = svg(GAMES["morris"], moves="a7 d7")
    assert titles(placed) == ["w", "b"]
    assert count(svg(GAMES["gomoku"]), "line") == 30


def test_edges_join_dots_and_boxes_have_an_owner() -> None:
    empty = svg(GAMES["dots"])
    assert (count(empty, "circle"), count(empty, "line")) == (16, 24)
    owned = svg(GAMES["dots"], moves="b1 a2 c2 f7 b3")
    assert count(owned, "line", **{"stroke-width": EDGE}) == 5
    assert count(owned, "rect", fill=BOXES["red"]) == 1
    assert "R" in words(owned)


def test_pits_have_numbers_and_the_stores_are_as_high_as_the_board() -> None:
    drawn = svg(GAMES["kalah"], moves="c1")
    assert count(drawn, "circle") == 12
    assert " ".join(words(drawn)) == (
        "n a2 b2 c2 d2 e2 f2 a1 b1 c1 d1 e1 f1 s 0 4 4 4 4 4 4 4 4 0 5 5 5 1 South to move"
    )
    assert count(drawn, "rect", rx="14") == 2


def test_hexagons_touch_and_slant() -> None:
    game = mnk(
        "hexes", "Hexagons", 3, 2, 3, first=Style("Red", "r"), second=Style("Blue", "b"), ground=Board("hexagons")
    )
    drawn = svg(game, moves="a1 b1")
    assert count(drawn, "polygon") == 6
    assert titles(drawn) == ["r", "b"]
    corners = [{*points.split()} for points in re.findall(r'points="(.*?)"', drawn)]
    assert len(corners[0] & corners[1]) == 2, "neighbours share an edge"
    assert len(corners[1] & corners[3]) == 2, "a cell and the one below to its left share an edge"
    assert str(game.start).splitlines()[:3] == ["  a b c", "1 . . .", " 2 . . ."]


def test_the_kings_of_draughts_have_a_crown() -> None:
    assert words(svg(GAMES["draughts"], "B:W21,22,K30:B1,2,K9")).count("♛") == 2
