"""The study view in a real browser: it begins with the last game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from page.test_review import played
from page.test_tournaments import as_player
from support.browser import BROWSER, expect, opened
from support.client import connected
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER


async def test_the_last_game_comes_first_and_leads_to_its_review_and_to_practice(browser: Browser) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        await played(ann, bob, "14253", game="tictactoe")
        room = await played(bob, ann, "14253", game="tictactoe")
        async with opened(browser, f"{address}/study") as page:
            await as_player(page, address, ann, "/study")
            await expect(page.get_by_role("heading", name="You lost to bob in 3 moves.")).to_be_visible()
            await expect(page.locator(".last-game .board .piece")).to_have_count(5)
            await expect(page.get_by_role("heading", name="Puzzles of the day")).to_be_visible()
            practise = page.get_by_role("link", name="Practise your mistakes")
            await expect(practise).to_have_attribute("href", f"/rooms/{room}?practice=second")
            await page.get_by_role("link", name="See what decided it").click()
            await expect(page).to_have_url(f"{address}/rooms/{room}?review")
            await expect(page.get_by_role("radio", name="Review")).to_be_checked()


async def test_without_a_game_there_is_a_way_to_the_first(browser: Browser) -> None:
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/study") as page:
            await expect(page.get_by_role("heading", name="Learn from your games")).to_be_visible()
            await page.get_by_role("button", name="Play Tic-tac-toe").click()
            await expect(page.get_by_role("heading", name="Tic-tac-toe: ")).to_be_attached()
