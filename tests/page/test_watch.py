"""Watch: one game large, the others small, and those just finished; and a board that fits a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from page.screenshots import MOVES, play, room
from support.browser import BROWSER, expect, opened
from support.client import connected
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER


async def test_one_game_is_large_until_it_is_over_and_a_kind_can_be_chosen(browser: Browser) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        lost = await room(ann, bob, "connect4")
        await play(ann, bob, "connect4", lost, "1 2 1 2")
        async with opened(browser, url.replace("ws://", "http://").removesuffix("/ws") + "/watch") as page:
            lead = page.locator(".lead")
            await expect(lead.locator(".played .now")).to_have_text("2")  # the fourth move, beside the third
            await expect(lead.locator(".word")).to_have_text("Red to move")
            await expect(page.locator(".computers .tile")).to_have_count(6)
            other = await room(ann, bob, "reversi")
            await expect(page.locator(f'.card:not(.lead)[data-live="{other}"]')).to_be_visible()
            await expect(lead).to_have_attribute("data-live", lost)
            await page.get_by_role("radio", name="Reversi").check()
            await expect(lead).to_have_attribute("data-live", other)
            await expect(page.locator("[data-live]")).to_have_count(1)
            await page.get_by_role("radio", name="All games").check()
            await bob.request(type="resign", room=lost)
            over = page.locator(f'.card.over[data-live="{lost}"]')
            await expect(over).to_contain_text("Just finished · Connect Four")
            await expect(over.locator(".got")).to_have_text(["1", "0"])


async def test_a_game_with_a_move_is_large_and_a_projector_has_two_others_and_the_last_results(
    browser: Browser,
) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        over = await room(ann, bob, "connect4")
        for _ in range(3):
            new = await room(ann, bob, "reversi")
        async with opened(browser, url.replace("ws://", "http://").removesuffix("/ws") + "/watch") as page:
            lead = page.locator(".lead")
            await expect(lead).to_be_visible()
            await play(ann, bob, "reversi", new, "c4 c5")
            await expect(lead).to_have_attribute("data-live", new)
            await page.get_by_role("link", name="Projector view").click()
            await expect(page.locator("header")).to_be_hidden()
            await expect(page.locator(".card:not(.lead)")).to_have_count(2)
            await bob.request(type="resign", room=over)
            await expect(page.locator(".results")).to_contain_text("ann 1\u20130 bob Connect Four")
            await expect(page.locator(".tile, .best")).to_have_count(0)


async def test_watch_says_that_nobody_else_plays_to_who_plays(browser: Browser) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            await page.evaluate("(token) => localStorage.setItem('noughts.token', token)", ann.token)
            await page.goto(f"{address}/watch")
            await expect(page.locator(".lead h3")).to_have_text("Nobody is playing right now")
            await room(ann, bob, "connect4")
            await expect(page.locator(".lead h3")).to_have_text("Nobody else is playing right now")


@pytest.mark.parametrize(("query", "size"), [("", (1366, 768)), ("?present", (1920, 1080))])
async def test_a_long_game_has_whole_rows_of_its_last_moves(
    browser: Browser, query: str, size: tuple[int, int]
) -> None:
    moves = MOVES["gomoku"] + " " + " ".join(f"{column}{row}" for row in (1, 3, 5) for column in "adgjmbehk")
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        await play(ann, bob, "gomoku", await room(ann, bob, "gomoku"), moves)
        view = {"width": size[0], "height": size[1]}
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/watch{query}", viewport=view) as page:
            await expect(page.locator(".lead .played .now")).to_contain_text(moves.split()[-1])
            box, *rows = await page.locator(".lead .played, .lead .played > span > span").evaluate_all(
                "(all) => all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
            )
            high = rows[-1][1] - rows[-1][0]
            assert high > 20
            assert abs(rows[-1][1] - box[1]) <= 1
            assert (box[1] - box[0] + 2) % high < 4


async def test_a_board_of_hexagons_stands_upright_where_the_window_is_higher_than_wide(
    browser: Browser, address: str
) -> None:
    async with opened(browser, f"{address}/analysis?game=hex", viewport={"width": 390, "height": 844}) as page:
        cell = page.locator('[data-cell="f6"]')
        upright = await cell.bounding_box()
        assert upright is not None
        assert upright["height"] > 30
        await page.set_viewport_size({"width": 844, "height": 390})
        await page.wait_for_function(
            "() => { const box = document.querySelector('.board').viewBox.baseVal; return box.width > box.height }"
        )
