"""The report as a page: hostile names stay text, and games are replayed without a network."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from noughts.games import GAMES
from noughts.games.board import faces
from noughts.league.records import LeagueRecord, Record
from noughts.league.report_html import SHOWN, piece_id
from noughts.league.report_html import render as render_in
from support.browser import chromium, expect, opened
from support.leagues import failure, game, league
from support.programs import missing

HOSTILE = [
    "</script><script>document.title = 'broken into'</script>",
    "<img src=x onerror=\"document.title = 'broken into'\">",
    "{{script}}{{data}}",
    "\u202e'\"&amp;<!--",
    "\u5b66\u751f \u05e9\u05dc\u05d5\u05dd",
]

CRASH = failure(
    "second",
    "crash",
    "It raised KeyError.",
    traceback="  File 1\n    <i>line</i>\n",
    stderr="dying " * 40,
    answer="<b>9",
)


class Elements(HTMLParser):
    """All elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def render(terms: LeagueRecord, records: list[Record]) -> str:
    return render_in(terms, records, Path("my league"))


def hostile_page() -> str:
    def crash(text: str) -> dict[str, str]:
        return failure("second", "crash", f"{text} <b>raised</b>", traceback=text, stderr=text, answer=text)

    records = [
        game(number, one, other, "first", reason="crash", failure=crash(one), notes={4: one})
        for number, (one, other) in enumerate(pairwise(HOSTILE), 1)
    ]
    return render(league(HOSTILE, format="gauntlet", opponents=[HOSTILE[0]]), records)


def test_names_are_text() -> None:
    page = Elements(hostile_page())
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2
    assert not {"img", "b", "iframe", "object"} & set(tags)
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    for name in HOSTILE:
        assert page.text.count(name) == 2  # standings and crosstable
    assert data_of(hostile_page())["players"] == HOSTILE


def test_the_data_cannot_end_its_element() -> None:
    found = re.search(r'id="data">(.*)</script>\s*<script>', hostile_page(), re.DOTALL)
    assert found
    assert not set("<>&") & set(found[1])


def test_the_page_needs_nothing_else() -> None:
    page = render(league(["a", "b"]), [game(1, "a", "b", "first")])
    for tag, attributes in Elements(page).elements:
        assert tag not in ("link", "base", "form")
        assert not {"src", "action"} & {*attributes}
    assert not re.search(r"https?:|fetch\(|XMLHttpRequest|import\(|@import|url\(", page)
    policy = next(each["content"] for tag, each in Elements(page).elements if tag == "meta" and "http-equiv" in each)
    assert policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


BUILT = [
    ("tictactoe", "1 4 2 5 3"),
    ("connect4", "4 4 3 3 2 2 1"),
    ("reversi", "d3 c3 c4 c5 b4 d2"),
    ("gomoku", "h8 i9 a1"),
    ("chess", "e2e4 d7d5 e4d5 e8d7"),
    ("draughts", "11-15 22-18 15x22"),
    ("morris", "a7 g7 d7"),
    ("kalah", "c1 a1 b2"),
    ("dots", "b1 a2"),
]


@pytest.mark.parametrize(("key", "moves"), BUILT)
def test_every_board_can_be_rebuilt_from_the_changes(key: str, moves: str) -> None:
    played = moves.split()
    data = data_of(render(league(["a", "b"], game=key), [game(1, "a", "b", "first", moves=played)]))
    cells, position = list(data["start"]), GAMES[key].start
    for step, side, move in zip(data["games"][0]["steps"], data["games"][0]["sides"], played, strict=True):
        assert position.to_move == ["first", "second"][int(side)]
        position = position.play(move)
        for at, character in step:
            cells[at] = character
        assert cells == [face for row in faces(GAMES[key], position) for face in row]
        assert len(data["names"]) == len(cells)


def test_moves_that_cannot_be_replayed_are_left_out() -> None:
    for moves in (["1", "1"], ["1", "x9"]):
        data = data_of(render(league(["a", "b"]), [game(1, "a", "b", "first", moves=moves)]))
        assert data["games"][0]["moves"] == ["1"]
    unknown = data_of(render(league(["a", "b"], game="not-installed"), [game(1, "a", "b", "first")]))
    assert unknown["games"][0]["moves"] == ["1", "4", "2", "5", "3"]


@pytest.mark.parametrize(
    ("key", "moves", "cells"),
    [
        ("tictactoe", "1 4 2 5 3", "1 2 3"),
        ("connect4", "4 4 3 3 2 2 1", "a6 b6 c6 d6"),
        ("connect4", "4 4 3", ""),
        ("tictactoe", "5 1 9 3 2 8 4 6 7", ""),
    ],
)
def test_the_page_knows_the_cells_of_the_winning_line(key: str, moves: str, cells: str) -> None:
    data = data_of(render(league(["a", "b"], game=key), [game(1, "a", "b", "first", moves=moves.split())]))
    names = [name for row in GAMES[key].cells or GAMES[key].layout for name in row]
    assert [names[at] for at in data["games"][0]["line"]] == cells.split()


@pytest.mark.parametrize(("key", "moves"), BUILT)
def test_every_piece_of_a_game_is_drawn_once_and_placed_on_its_cell(key: str, moves: str) -> None:
    page = render(league(["a", "b"], game=key), [game(1, "a", "b", "first", moves=moves.split())])
    data = data_of(page)
    drawn = re.findall(r'<g id="([a-z]+-[0-9-]+)">', page)
    assert len(drawn) == len(set(drawn))
    shown = dict(enumerate(data["start"]))
    for step in data["games"][0]["steps"]:
        shown |= dict(step)
        for at, face in shown.items():
            if face not in (".", " "):
                assert piece_id(data["places"][at][2], face) in drawn


def test_a_failure_has_all_that_helps_but_not_the_folder_of_the_bot() -> None:
    where = 'File "/home/ada/bots/b.py", line 3'
    crash = failure("second", "crash", "It crashed.", traceback=where, stderr="x" * SHOWN + where, answer="no")
    terms = league(["a", "b"])
    terms["players"][1]["spec"] = "/home/ada/bots/b.py"
    found = data_of(render(terms, [game(1, "a", "b", "first", failure=crash)]))["games"][0]["failure"]
    assert found["words"] == "b failed (crash): It crashed."
    assert found["traceback"] == 'File "b.py", line 3'
    assert found["stderr"].endswith('xFile "b.py", line 3')
    assert len(found["stderr"]) <= SHOWN
    assert (found["answer"], found["again"]) == ("no", "noughts league replay 1 --bot b --folder 'my league'")
    assert data_of(render(terms, [game(1, "a", "b", "first")]))["games"][0]["failure"] is None


def test_a_game_that_was_lost_on_the_board_has_the_command_that_shows_where() -> None:
    crash = failure("second", "crash", "It crashed.")
    games = [
        game(1, "a", "b", "first"),
        game(2, "a", "b", "draw", reason="count"),
        game(3, "a", "b", "first", reason="crash", failure=crash),
    ]
    found = [each["review"] for each in data_of(render(league(["a", "b"]), games))["games"]]
    assert found == ["noughts league review 1 --folder 'my league'", "", ""]


@pytest.mark.services
async def test_a_game_is_replayed_by_keys_without_a_network(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    records = [
        game(1, "ada", "ben", "first", notes={1: "a <b>fork"}),
        game(2, "ben", "ada", "draw", moves=[*"519372846"], opening=["5"]),
        game(3, "ada", "cy", "first", reason="crash", failure=CRASH, moves=["1", "4", "2"]),
    ]
    file.write_text(render(league(["ada", "ben", "cy"]), records), encoding="utf-8")
    async with chromium() as browser, opened(browser, f"{file.as_uri()}#game-1", offline=True) as page:
        status = page.locator("#status")
        await expect(status).to_have_text("Move 5 of 5: ada plays 3. 1 - 0: by a full row.")
        await expect(page.locator("#board .won")).to_have_count(3)
        await expect(page.locator("#board .piece[data-symbol=x]")).to_have_count(3)
        await page.keyboard.press("Home")
        await expect(status).to_have_text("Start. ada has X, ben O.")
        await expect(page.locator("#board .won")).to_have_count(0)
        await expect(page.locator("#board .piece")).to_have_count(0)
        for _ in range(3):
            await page.keyboard.press("ArrowRight")
        await expect(status).to_have_text("Move 3 of 5: ada plays 2.")
        await expect(page.locator("#board .piece[data-symbol=x]")).to_have_count(2)
        await expect(page.locator("#board .new")).to_have_attribute("data-cell", "2")
        await page.keyboard.press("ArrowLeft")
        await expect(status).to_have_text("Move 2 of 5: ben plays 4 (note: a <b>fork).")
        await page.keyboard.press("ArrowDown")
        await expect(page.locator("#match")).to_have_text("Game 2: ben against ada")
        await expect(page.locator("#moves .opening")).to_have_text("1. 5")
        await page.keyboard.press("ArrowDown")
        await expect(page.locator("#failure")).to_be_visible()
        await expect(page.locator("#failure p").first).to_have_text("cy failed (crash): It raised KeyError.")
        again = "noughts league replay 3 --bot cy --folder 'my league'"
        await expect(page.locator("#failure pre")).to_have_text(["File 1 <i>line</i>", "<b>9", "dying " * 40, again])
        await expect(page.locator("#board .won")).to_have_count(0)
        await page.get_by_label("Games of").select_option("cy")
        await expect(page.locator("#list tbody tr")).to_have_count(1)
        await page.goto(f"{file.as_uri()}#player-2")
        await expect(page.locator("#list tbody tr")).to_have_count(2)
        await page.get_by_role("button", name="Start").click()
        await expect(status).to_have_text("Start. ada has X, ben O.")


@pytest.mark.services
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_page_meets_the_accessibility_rules(tmp_path: Path, scheme: str) -> None:
    try:
        from axe_playwright_python.async_playwright import Axe
    except ImportError:
        missing("axe_playwright_python")
    file = tmp_path / "report.html"
    moves = ["4", "3", "4", "3", "4", "3", "4"]
    records = [game(1, "ada", "ben", "first", moves=moves, opening=["4"], reason="crash", failure=CRASH)]
    file.write_text(render(league(["ada", "ben"], game="connect4"), records), encoding="utf-8")
    context: dict[str, Any] = {"color_scheme": scheme, "bypass_csp": True}  # axe is a script of its own
    async with chromium() as browser, opened(browser, f"{file.as_uri()}#game-1", **context) as page:
        found = await Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.services
async def test_a_browser_runs_nothing_that_came_with_a_name(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(hostile_page(), encoding="utf-8")
    # Anything that the page's policy refuses, or that it asks the network for, fails in ``opened``.
    async with chromium() as browser, opened(browser, f"{file.as_uri()}#game-1", offline=True) as page:
        await expect(page.locator("#match bdi").first).to_have_text(HOSTILE[0])
        await expect(page.locator("#failure")).to_contain_text("<b>raised</b>")
        await expect(page.locator("#failure pre").first).to_have_text(HOSTILE[0])
        for _ in HOSTILE:
            await page.keyboard.press("ArrowDown")
        await expect(page).to_have_title("Tic-tac-toe league")
