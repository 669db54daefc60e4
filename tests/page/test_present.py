"""Views on a projector: what is written there can be read from the last row, and nothing is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browser import BROWSER, expect, opened, too_small
from support.client import connected
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER

SCREEN = {"width": 1920, "height": 1080}

MOVES = {
    "tictactoe": "51",
    "reversi": ("c4", "c5"),
    "gomoku": ("h8", "h9"),
    "chess": ("e2e4",),
    "kalah": (),
    "dots": (),
    "hex": ("c3", "d4", "e5"),
}


@pytest.mark.parametrize("game", MOVES)
async def test_a_room_on_a_projector(browser: Browser, address: str, game: str) -> None:
    url = address.replace("http://", "ws://") + "/ws"
    async with connected(url, "Ann") as ann, connected(url, "Ben") as ben:
        room = (await ann.ok(type="create", game=game, seats={"first": "me", "second": "open"}))["room"]
        await ben.ok(type="join", room=room)
        for turn, move in enumerate(MOVES[game]):
            await (ben if turn % 2 else ann).ok(type="play", room=room, turn=turn, move=move)
        async with opened(browser, f"{address}/rooms/{room}?present", viewport=SCREEN) as page:
            await expect(page.locator(".board[role=grid]")).to_be_visible()
            await expect(page.locator(".verdict").first).to_be_visible()
            assert await too_small(page) == []
            assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
            for course in await page.locator(".view .course").all():
                assert await course.evaluate(WHOLE_OR_NOT)


WHOLE_OR_NOT = """(course) => {
  const boxOf = (one) => one.getBoundingClientRect();
  const [view, graph, drawing] = [course.parentElement, course, course.querySelector("svg")].map(boxOf);
  if (graph.left >= view.right) return true;
  return graph.bottom <= view.bottom && drawing.bottom <= graph.bottom + 1 && drawing.height > 20;
}"""
"""True if the graph of a game is seen whole, and high enough to be read, or not at all."""

CUT = """() => {
  const found = [];
  const all = (what) => [...document.querySelectorAll(what)].filter(
    (one) => one.checkVisibility({ visibilityProperty: true }) && one.clientWidth > 1 && !one.closest(".spoken"),
  );
  const box = (one) => one.getBoundingClientRect();
  const tell = (what, one) => found.push(`${what}: ${one.className} ${one.textContent.trim().slice(0, 40)}`);
  const controls = ":is(button:not(.move, .dot, .go), .button, .tabs label, .segments label)";
  for (const one of all(`main :is(${controls}, h1, h2, h3, .name, .status, .verdict, .sides, .worths)`)) {
    const high = !one.matches("label") && one.scrollHeight > one.clientHeight + 3;
    if (one.scrollWidth > one.clientWidth + 1 || high) tell("text is cut", one);
    const panel = one.parentElement.closest(".panel, .beside, .tile, .card, .rows");
    if (panel && (box(one).left < box(panel).left - 1 || box(one).right > box(panel).right + 1)) tell("outside", one);
  }
  const texts = all(".beside :is(.verdict, .note, .worths, .tree-moves)");
  for (const [one, other] of texts.flatMap((one) => texts.map((other) => [box(one), box(other)]))) {
    if (one.top < other.top && one.bottom > other.top + 2 && one.bottom < other.bottom) found.push("text over text");
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the screen");
  return found;
}"""
"""The texts that are cut or stand outside of their panels."""

VIEWS = {
    "home": ("/?present", ".tile .board"),
    "watch": ("/watch?present", ".watch .board"),
    "analysis": ("/analysis?game=connect4&moves=4&present", ".worth-line"),
    "puzzle": ("/puzzles?present", ".work h1"),
    "settings": ("/settings?present", ".setting"),
    "study": ("/study?present", ".subject"),
    "over": ("/rooms/{room}?present", ".beside .status"),
    "review": ("/rooms/{room}?review&present", ".review .course"),
    "practice": ("/rooms/{room}?practice=first&present", ".work h1"),
    "lecture": ("/lecture?present", ".tree"),
}


@pytest.mark.parametrize("view", VIEWS)
async def test_nothing_is_cut_on_a_projector(browser: Browser, address: str, view: str) -> None:
    path, there = VIEWS[view]
    url = address.replace("http://", "ws://") + "/ws"
    async with connected(url, "Ann") as ann, connected(url, "Maximilian-the-Great") as ben:
        room = (await ann.ok(type="create", game="connect4", seats={"first": "me", "second": "open"}))["room"]
        await ben.ok(type="join", room=room)
        for turn, move in enumerate("13242576"):
            await (ben if turn % 2 else ann).ok(type="play", room=room, turn=turn, move=move)
        async with opened(browser, "about:blank", viewport=SCREEN) as page:
            await page.add_init_script(f"localStorage.setItem('noughts.token', '{ann.token}')")
            await page.goto(address + path.format(room=room))
            await expect(page.locator(there).first).to_be_visible()
            await page.wait_for_load_state("networkidle")
            for width, height in ((1920, 1080), (1280, 720)):
                await page.set_viewport_size({"width": width, "height": height})
                assert await page.evaluate(CUT) == []
                small = await too_small(page, 28 * width / 1920)
                assert [text for text in small if "px: glyph" not in text] == []  # letters of a game's pieces


TOP = "(one) => one.getBoundingClientRect().top"


async def test_the_first_view_shows_every_game_and_leads_with_those_that_are_live(browser: Browser) -> None:
    async with running_page() as url, connected(url, "Ann") as ann, connected(url, "Ben") as ben:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/?present", viewport=SCREEN) as page:
            tiles = page.locator(".tile")
            await expect(tiles).not_to_have_count(0)
            for tile in await tiles.all():
                await expect(tile).to_be_in_viewport(ratio=1)
            levels = page.locator(".levels")
            level = await levels.evaluate("(one) => one.getBoundingClientRect().bottom")
            assert await tiles.first.evaluate(TOP) >= level + 16
            room = (await ann.ok(type="create", game="hex", seats={"first": "me", "second": "open"}))["room"]
            await ben.ok(type="join", room=room)
            live = page.locator(".live .card")
            await expect(live).to_be_in_viewport(ratio=1)
            assert await live.evaluate(TOP) < await levels.evaluate(TOP)
            assert await page.evaluate(CUT) == []
