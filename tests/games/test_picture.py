"""Positions as pictures, for notebooks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from noughts.games import GAMES, OWN, Board, Game, Style
from noughts.games.mnk import mnk
from noughts.games.picture import BOXES, FREE, PLAYABLE, WON

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


def parsed(drawn: str) -> tuple[list[str], list[str]]:
    """The words and the fills of the cells in a picture."""
    tree = ElementTree.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    assert tree.tag == f"{space}svg"
    cells = [each.get("fill", "") for each in tree.findall(f"{space}rect")][1:]
    return [each.text or "" for each in tree.findall(f"{space}text")], cells


@pytest.mark.parametrize("game", OWN, ids=lambda game: game.key)
def test_each_game_has_a_picture(game: Game) -> None:
    words, cells = parsed(svg(game))
    if game.board.shape == "squares":
        assert len(cells) == len("".join(game.start.rows).replace(" ", ""))
    assert words[-1] == f"{game.first.name} to move"
    assert parsed(svg(game, moves=game.start.legal_moves[0]))[0][-1] == f"{game.second.name} to move"


def test_every_symbol_is_drawn() -> None:
    words, _ = parsed(svg(GAMES["tictactoe"], "x../.o./..x"))
    assert words == ["x", "2", "3", "4", "o", "6", "7", "8", "x", "O to move"]
    drawn = svg(GAMES["connect4"], moves="4 4 4")
    assert re.findall(r"<title>(.)</title>", drawn) == ["r", "y", "r"]
    places = re.findall(r'<circle cx="(\d+)" cy="(\d+)"', drawn)
    assert len({x for x, _ in places}) == 1
    assert [int(y) for _, y in places] == [164, 204, 244]


@pytest.mark.parametrize(
    ("key", "line", "end"),
    [
        ("tictactoe", [0, 1, 2], "X wins"),
        ("connect4", [35, 36, 37, 38], "Red wins"),
        ("reversi", [], "Black wins"),
    ],
)
def test_the_winning_line_is_marked(key: str, line: list[int], end: str) -> None:
    words, cells = parsed(svg(GAMES[key], LAST[key]))
    assert [index for index, fill in enumerate(cells) if fill == WON] == line
    assert words[-1] == end


def test_a_draw() -> None:
    assert parsed(svg(GAMES["tictactoe"], "xox/xxo/oxo"))[0][-1] == "Draw"


def test_cells_that_can_be_played_are_marked_if_not_all_can_be() -> None:
    def marked(key: str, moves: str = "") -> int:
        cells = parsed(svg(GAMES[key], moves=moves))[1]
        assert set(cells) <= {PLAYABLE, FREE}
        return cells.count(PLAYABLE)

    assert (marked("reversi"), marked("ultimate"), marked("ultimate", "e5")) == (4, 0, 8)
    assert (marked("tictactoe"), marked("connect4")) == (0, 0)


def test_columns_and_rows_are_named() -> None:
    assert parsed(svg(GAMES["connect4"]))[0][:7] == list("1234567")
    assert parsed(svg(GAMES["reversi"]))[0][:-1] == [*"abcdefgh", *"12345678"]


def test_names_and_symbols_are_escaped() -> None:
    layout = (("<i>", "&amp;"), ("]]>", "--"))
    game = mnk("hostile", "Hostile", 2, 2, 2, layout=layout, first=Style("<b>&", "<"), second=Style('"', "&"))
    words, _ = parsed(svg(game))
    assert words == ["<i>", "&amp;", "]]>", "--", "<b>& to move"]
    assert parsed(svg(game, moves="<i>"))[0] == ["<", "&amp;", "]]>", "--", '" to move']


def test_the_symbol_of_a_disc_is_escaped() -> None:
    game = mnk("hostile", "Hostile", 2, 2, 2, first=Style("Red", "<"), second=Style("Black", "&"))
    parsed(svg(game, moves="a1 b1"))
    assert re.findall("<title>(.*?)</title>", svg(game, moves="a1 b1")) == ["&lt;", "&amp;"]


def test_the_game_in_the_documentation_has_a_picture() -> None:
    page = (Path(__file__).parents[2] / "docs" / "games.md").read_text(encoding="utf-8")
    (code,) = [
        each for each in re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE) if "coins" in each
    ]
    names: dict[str, Any] = {"__name__": __name__}  # a dataclass looks its module up
    exec(code, names)
    words, _ = parsed(svg(names["COINS_IN_A_ROW"], moves="a3"))
    assert words == ["x", "b1", "c4", "d1", "e5", "f9", "g2", "h6", "O to move"]


def count(drawn: str, tag: str, **attributes: str) -> int:
    """The number of elements of a picture with these attributes."""
    return sum(
        all(each.get(name) == value for name, value in attributes.items())
        for each in ElementTree.fromstring(drawn).iter(f"{{http://www.w3.org/2000/svg}}{tag}")
    )


def test_points_lie_on_their_lines() -> None:
    empty = svg(GAMES["morris"])
    assert (count(empty, "line"), count(empty, "circle", r="4")) == (16, 24)
    assert parsed(empty)[0][:-1] == [*"abcdefg", *"7654321"]
    placed = svg(GAMES["morris"], moves="a7 d7")
    assert re.findall(r"<title>(.)</title>", placed) == ["w", "b"]
    assert count(svg(GAMES["gomoku"]), "line") == 30
    assert count(svg(GAMES["gomoku"], LAST["gomoku"]), "circle", fill=WON) == 5


def test_edges_join_dots_and_boxes_have_an_owner() -> None:
    empty = svg(GAMES["dots"])
    assert (count(empty, "circle"), count(empty, "line")) == (16, 24)
    owned = svg(GAMES["dots"], moves="b1 a2 c2 f7 b3")
    assert count(owned, "line", **{"stroke-width": "5"}) == 5
    assert count(owned, "rect", fill=BOXES["red"]) == 1
    assert "R" in parsed(owned)[0]


def test_pits_have_numbers_and_the_stores_are_as_high_as_the_board() -> None:
    drawn = svg(GAMES["kalah"], moves="c1")
    assert count(drawn, "circle") == 12
    assert " ".join(parsed(drawn)[0]) == (
        "0 n 4 a2 4 b2 4 c2 4 d2 4 e2 4 f2 4 a1 4 b1 0 c1 5 d1 5 e1 5 f1 1 s South to move"
    )
    assert count(drawn, "rect", rx="14") == 2


def test_hexagons_touch_and_slant() -> None:
    game = mnk(
        "hexes", "Hexagons", 3, 2, 3, first=Style("Red", "r"), second=Style("Blue", "b"), ground=Board("hexagons")
    )
    drawn = svg(game, moves="a1 b1")
    assert count(drawn, "polygon") == 6
    assert re.findall(r"<title>(.)</title>", drawn) == ["r", "b"]
    corners = [{*points.split()} for points in re.findall(r'points="(.*?)"', drawn)]
    assert len(corners[0] & corners[1]) == 2, "neighbours share an edge"
    assert len(corners[1] & corners[3]) == 2, "a cell and the one below to its left share an edge"
    assert str(game.start).splitlines()[:3] == ["  a b c", "1 . . .", " 2 . . ."]


def test_the_kings_of_draughts_have_a_crown() -> None:
    words, _ = parsed(svg(GAMES["draughts"], "B:W21,22,K30:B1,2,K9"))
    assert words.count("♔") == 2
