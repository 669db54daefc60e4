"""The analysis board in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from support.browser import BROWSER, PHONE, expect, opened, pick
from support.client import connected

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Browser, Page

pytestmark = [*BROWSER, pytest.mark.slow]

TREE = "e2e4 e7e5 (c7c5 g1f3 d7d6 (b8c6 f1b5) d2d4) g1f3 b8c6"


def board(address: str, **query: str) -> str:
    return f"{address}/analysis?" + "&".join(f"{name}={quote(value)}" for name, value in query.items())


def moves(page: Page) -> Any:
    return page.locator(".tree-moves")


async def listed(page: Page, text: str) -> None:
    """Wait until the list of moves has this text, with blanks between its parts."""
    await page.wait_for_function(
        """(text) => text ===
        [...document.querySelectorAll(".ply, .bracket")].map((each) => each.textContent.trim()).join(" ")""",
        arg=text,
    )


async def typed(page: Page, *names: str) -> None:
    for name in names:
        await page.get_by_label("Type a move").fill(name)
        await page.keyboard.press("Enter")
        await expect(page.locator(".tree-move.now")).to_have_text(name)


async def test_a_branch_is_tried_in_chess_and_the_link_leads_to_it(browser: Browser, address: str) -> None:
    async with opened(browser, board(address, game="chess")) as page:
        await pick(page, "e2")
        await pick(page, "e4")
        await listed(page, "1.e4")
        for place in ("[data-cell=e4]", ".tabs label:has(:checked)"):  # after a click the arrows step
            await page.locator(place).click(force=True)
            await page.keyboard.press("ArrowLeft")
            await expect(page.locator(".tree-move.now")).to_have_count(0)
            await page.keyboard.press("ArrowRight")
            await expect(page.locator(".tree-move.now")).to_have_text("e4")
        await page.keyboard.press("Escape")
        await typed(page, "e5", "Nf3")
        await page.keyboard.press("Escape")
        await page.locator(".tree-move", has_text="e4").click()
        await pick(page, "c7")
        await pick(page, "c5")
        await listed(page, "1.e4 e5 ( 1…c5 ) 2.Nf3")
        await typed(page, "Nf3", "d6")
        await page.get_by_role("button", name="Back", exact=True).click()
        await typed(page, "Nc6")
        await listed(page, "1.e4 e5 ( 1…c5 2.Nf3 d6 ( 2…Nc6 ) ) 2.Nf3")
        await expect(page.locator(".analysis .verdict")).not_to_have_text("Computing …")
        await expect(page.locator(".board .way")).to_be_attached()
        await page.get_by_role("radio", name="Share").check()
        link = await page.get_by_label("Link to this position").input_value()
        assert len(link) < 300
        await page.get_by_role("radio", name="Analysis").check()
        await page.get_by_role("button", name="Make it the main line").click()
        await listed(page, "1.e4 c5 ( 1…e5 2.Nf3 ) 2.Nf3 Nc6 ( 2…d6 )")
        await page.get_by_role("button", name="Delete from here").click()
        await listed(page, "1.e4 c5 ( 1…e5 2.Nf3 ) 2.Nf3 d6")
    async with opened(browser, link) as other:
        await listed(other, "1.e4 e5 ( 1…c5 2.Nf3 d6 ( 2…Nc6 ) ) 2.Nf3")
        await expect(other.locator(".tree-move.now")).to_have_text("Nc6")
        await expect(other.locator('[data-cell="c6"] .piece.second')).to_be_visible()


@pytest.mark.parametrize(
    ("game", "cells", "text"),
    [("connect4", ["4", "3"], "1.4 3 ( 1…5 )"), ("reversi", ["d3", "c5"], "1.d3 c5 ( 1…e3 )")],
)
async def test_a_branch_is_tried_in_other_games(
    browser: Browser, address: str, game: str, cells: list[str], text: str
) -> None:
    async with opened(browser, board(address, game=game)) as page:
        for number, move in enumerate(cells, 1):
            row = f'[data-cell="{move}"]' if game == "reversi" else f'.landing[data-column="{int(move) - 1}"]'
            await page.locator(row).click(force=True)
            await expect(page.locator(".tree-move")).to_have_count(number)
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Back", exact=True).click()
        await typed(page, text[-3:-2] if game == "connect4" else "e3")
        await listed(page, text)
        await expect(page.locator(".analysis .verdict")).not_to_have_text("Computing …")
        await expect(page.locator(".cell.worth").first).to_be_visible()
        await page.get_by_label("Numbers").check()
        await expect(page.locator(".chip .value").first).to_be_visible()
        await page.get_by_role("button", name="Values", exact=True).click()
        await expect(page.locator(".cell.worth")).to_have_count(0)


SHIFTS = """() => {
  window.shifted = 0;
  const add = (list) => list.getEntries().forEach((entry) => { window.shifted += entry.value; });
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
}"""


async def test_nothing_shifts_when_values_come_or_a_piece_is_picked(browser: Browser, address: str) -> None:
    async with opened(browser, "about:blank") as page:
        await page.add_init_script(f"({SHIFTS})()")
        await page.goto(board(address, game="chess", moves="e2e4 e7e5 (c7c5 g1f3) g1f3"))
        await expect(page.locator(".tree-move")).to_have_count(5)
        await expect(page.locator(".analysis .best-line")).to_contain_text("The search prefers")
        tree = await page.locator(".tree-moves").bounding_box()
        line = await page.locator(".best-line").bounding_box()
        assert tree is not None
        assert line is not None
        assert tree["y"] < line["y"] + line["height"] + 16, "the tree begins below the best line"
        await page.locator('[data-cell="b1"]').click()
        await expect(page.get_by_role("button", name="Cancel")).to_be_visible()
        assert await page.locator(".tree-moves").bounding_box() == tree
        assert await page.evaluate("() => window.shifted") < 0.01


async def test_a_finished_game_is_analysed_from_the_position_that_is_looked_at(browser: Browser, address: str) -> None:
    url = address.replace("http://", "ws://") + "/ws"
    async with connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await ann.create()
        await bob.join(room)
        for turn, move in enumerate("12594"):
            await (ann, bob)[turn % 2].ok(type="play", room=room, turn=turn, move=move)
        await bob.ok(type="resign", room=room)
    async with opened(browser, f"{address}/rooms/{room}") as page:
        await page.get_by_role("button", name="Back", exact=True).click()
        await page.get_by_role("button", name="Back", exact=True).click()
        await page.get_by_role("link", name="Analysis board").click()
        await expect(page.locator(".tree-move.now")).to_have_text("5")
        await expect(page.get_by_role("button", name="Delete from here")).to_be_disabled()
        await pick(page, "7")
        await listed(page, "1.1 2 2.5 9 ( 2…7 ) 3.4")
        await page.wait_for_function("() => location.search.includes('@3')")
        await page.reload()
        await listed(page, "1.1 2 2.5 9 ( 2…7 ) 3.4")
        await expect(page.locator(".sides")).to_contain_text("ann")
        await page.get_by_role("link", name="Back to the game").click()
        await expect(page.locator(".status")).to_contain_text("ann won")
        await pick(page, "7")
        await page.get_by_role("button", name="First move").click()
        await pick(page, "7")  # on an earlier position it tries another move
        await listed(page, "1.1 ( 1.7 ) 1…2 2.5 9 3.4")


async def test_pieces_are_dragged_and_promoted(browser: Browser, address: str) -> None:
    async with opened(browser, board(address, game="chess", start="7k/P7/8/8/8/8/8/K7 w - - 0 1")) as page:
        await page.locator('[data-cell="a7"] .square').hover(force=True)
        await page.mouse.down()
        await page.locator('[data-cell="a8"] .square').hover(force=True)
        await page.mouse.up()
        await expect(page.get_by_role("button", name="white queen")).to_be_visible()
        await page.get_by_role("button", name="white rook").click()
        await listed(page, "1.a8=R+")
        await expect(page.locator(".threatened")).to_have_attribute("data-cell", "h8")


async def test_a_position_and_moves_can_be_pasted_and_taken_along(browser: Browser, address: str) -> None:
    async with opened(browser, board(address, game="chess")) as page:
        await page.get_by_role("radio", name="Set up").check()
        await page.get_by_label("Position").fill("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7")
        await page.get_by_label("Moves").fill("7... Kd7 8. e4 {a comment} Kc6!?")
        await page.get_by_role("button", name="Open").click()
        await listed(page, "7…Kd7 8.e4 Kc6")
        await page.locator(".tree-move", has_text="Kd7").click()
        await typed(page, "e3")
        await page.locator(".tree-move", has_text="Kc6").click()
        await page.get_by_role("radio", name="Share").check()
        await expect(page.get_by_label("Position", exact=True)).to_have_value("8/8/2k5/8/4P3/8/8/4K3 w - - 1 9")
        async with page.expect_download() as download:
            await page.get_by_role("button", name="Download as PGN").click()
        pgn = (await (await download.value).path()).read_text()
        assert '[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"]' in pgn
        assert "7... Kd7 8. e4 (8. e3) 8... Kc6 *" in pgn
        async with page.expect_download() as download:
            await page.get_by_role("button", name="Download as JSON lines").click()
        assert (await (await download.value).path()).read_text().count('"kind":"played"') == 3
        await page.get_by_role("radio", name="Set up").check()
        await page.get_by_label("Moves").fill(pgn)
        await page.get_by_role("button", name="Open").click()
        await listed(page, "7…Kd7 8.e4 Kc6")
        await page.get_by_role("radio", name="Set up").check()
        await page.get_by_label("Position").fill("8/8 nonsense")
        await page.get_by_role("button", name="Open").click()
        await expect(page.locator(".set-up").get_by_role("alert")).to_be_visible()
        await expect(page.get_by_label("Position")).to_have_value("8/8 nonsense")
        await expect(page.get_by_label("Position")).to_be_focused()
        await expect(page.locator('[data-cell="c6"] .piece')).to_be_visible()  # what was shown stays
        await page.get_by_label("Position").fill("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7")
        await page.get_by_label("Moves").fill("Kd7 Ke7")
        await page.get_by_role("button", name="Open").click()
        await expect(page.get_by_label("Moves")).to_be_focused()
        await expect(page.get_by_role("alert")).to_contain_text("Move 2")


async def test_a_game_in_a_file_is_analysed(browser: Browser, address: str, tmp_path: Path) -> None:
    (tmp_path / "game.pgn").write_text("1. e4 e5 2. Nf3 *")
    async with opened(browser, f"{address}/?replay") as page:
        await page.get_by_label("File").set_input_files(tmp_path / "game.pgn")
        await page.get_by_role("button", name="Forward", exact=True).click()
        await page.get_by_role("link", name="Analysis board").click()
        await expect(page.locator(".tree-move.now")).to_have_text("e4")
        await typed(page, "c5")
        await listed(page, "1.e4 e5 ( 1…c5 ) 2.Nf3")


async def test_arrows_are_drawn_and_cleared(browser: Browser, address: str) -> None:
    async with opened(browser, board(address, game="chess")) as page:
        await expect(page.locator('[data-cell="e2"] .piece')).to_be_visible()
        cell = page.locator('[data-cell="e2"] .square'), page.locator('[data-cell="e4"] .square')
        await cell[0].hover(force=True)
        await page.mouse.down(button="right")
        await cell[1].hover(force=True)
        await page.mouse.up(button="right")
        await expect(page.locator(".mark.arrow.green")).to_have_count(1)
        await page.keyboard.down("Alt")
        await cell[0].click(button="right", force=True)
        await page.keyboard.up("Alt")
        await expect(page.locator(".mark.ring.blue")).to_have_count(1)
        await page.wait_for_function("() => location.search.includes('b:e2')")
        async with opened(browser, page.url) as other:
            await expect(other.locator(".board .mark")).to_have_count(2)
        await pick(page, "a5")
        await expect(page.locator(".board .mark")).to_have_count(0)


async def test_all_is_done_by_the_keyboard_alone(browser: Browser, address: str) -> None:
    async with opened(browser, board(address, game="reversi")) as page:
        await page.locator('[tabindex="0"][data-cell]').focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
            await page.keyboard.press(key)
        await listed(page, "1.d3")
        await page.keyboard.press("c")
        await page.keyboard.type("5")
        await page.keyboard.press("Enter")
        await listed(page, "1.d3 c5")
        await page.locator("#typed").blur()
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("ArrowLeft")
        await expect(page.locator(".tree-move.now")).to_have_count(0)
        await page.keyboard.press("End")
        await expect(page.locator(".tree-move.now")).to_have_text("c5")
        await page.keyboard.press("m")
        await page.locator('[tabindex="0"][data-cell]').focus()
        for key in ("Enter", "ArrowRight", "Enter"):
            await page.keyboard.press(key)
        await expect(page.locator(".mark.arrow.green")).to_have_count(1)
        await page.get_by_role("button", name="Clear").press("Enter")
        await expect(page.locator(".mark.arrow")).to_have_count(0)
        await page.get_by_role("button", name="Mark", exact=True).press("Enter")
        await page.keyboard.press("Delete")
        await listed(page, "1.d3")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("game=chess&moves=(", "This link leads nowhere"),
        ("game=chess&at=9.9.9", "This link leads nowhere"),
        ("game=chess&marks=g:e9", "This link leads nowhere"),
        ("room=../../etc", "This link leads nowhere"),
        ("game=chess&moves=" + "e2e4" * 600, "This link leads nowhere"),
        ("game=nine", 'This server has no game "nine".'),
        ("room=nowhere", "There is no finished game with that id."),
        ("game=chess&moves=e2e4+e2e5", "Move 2:"),
        ("game=chess&start=%3Cscript%3E", ""),
        ("game=breakthrough&setup=size%3D99", "Breakthrough: Size of the board"),
        ("game=chess&setup=__proto__%3D1", "Chess has no option"),
    ],
)
async def test_hostile_links_get_a_message_and_a_board(
    browser: Browser, address: str, query: str, message: str
) -> None:
    async with opened(browser, f"{address}/analysis") as page:
        await expect(page.locator(".analysis .board")).to_be_visible()
        await page.evaluate(
            """(query) => {
                history.pushState(null, "", `/analysis?${query}`);
                dispatchEvent(new PopStateEvent("popstate"));
            }""",
            query,
        )
        await expect(page.get_by_role("alert")).to_contain_text(message)
        await expect(page.locator(".board .cell").first).to_be_visible()
        await expect(page.locator(".status")).to_contain_text("to move")


async def test_it_fits_a_phone(browser: Browser, address: str) -> None:
    query = {"game": "chess", "moves": TREE, "at": "1.1.0.1.0", "marks": "g:e2~e4,r:d5"}
    async with opened(browser, board(address, **query), **PHONE) as page:
        await expect(page.locator(".board .way")).to_be_attached()
        assert await page.evaluate("() => document.documentElement.scrollWidth") == 360
        for tab in ("Set up", "Share", "Analysis"):
            await page.get_by_role("radio", name=tab).check()
            assert await page.evaluate("() => document.documentElement.scrollWidth") == 360
        await page.get_by_role("button", name="Mark", exact=True).click()
        for cell in ("e2", "e4"):
            await page.locator(f'[data-cell="{cell}"]').tap(force=True)
        await expect(page.locator(".mark.arrow")).to_have_count(1)
        await page.get_by_label("Game", exact=True).select_option("hex")
        await expect(page.get_by_role("button", name="Mark", exact=True)).to_have_attribute("aria-pressed", "false")
        await expect(page.locator(".chip").first).to_be_visible()
        await expect(page.locator(".tint")).to_have_count(0)  # as many dots as cells would tell nothing
