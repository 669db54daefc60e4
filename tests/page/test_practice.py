"""Practice on the mistakes of a finished game, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from page.test_review import played
from support.browser import BROWSER, PHONE, expect, opened, pick
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER

BLUNDERS = "519243768"
"""Tic-tac-toe: O's 9 answers the middle with a corner and holds; later both sides give away results."""


async def test_each_mistake_is_tried_until_a_move_keeps_what_there_was(browser: Browser, address: str) -> None:
    url = f"{address.replace('http', 'ws', 1)}/ws"
    async with connected(url, None) as ann, connected(url, None) as bob:
        room = await played(ann, bob, "123548", game="tictactoe")  # X: 3 threw a win away, 5 a draw
        async with opened(browser, "about:blank", reduced_motion="reduce") as page:
            await signed_in(page, ann.token)
            await page.goto(f"{address}/rooms/{room}")
            await page.get_by_role("radio", name="Review").check()
            await page.get_by_role("link", name="Practise my 2 mistakes").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("You played 3. Find a move that wins.")
            await expect(page.locator(".room .board .piece")).to_have_count(2)
            await expect(page.locator(".cell.open")).to_have_count(7)
            await pick(page, "3")
            await expect(page.locator(".told")).to_contain_text("Not 3. That is the move that was played; look again.")
            await pick(page, "8")
            await expect(page.locator(".told")).to_contain_text("Not 8. That gives away the win; look again.")
            await page.locator('[data-cell="7"]').press("Enter")
            await expect(page.locator(".told")).to_contain_text("7. That keeps the win.")
            await expect(page.locator(".told")).to_contain_text("With best play it wins in 3 moves.")
            await expect(page.locator(".line button").first).to_be_visible()
            before = await page.locator(".room .board .piece").count()
            await page.keyboard.press(".")
            await expect(page.locator(".room .board .piece")).to_have_count(before + 1)
            await page.get_by_role("button", name="Next").click()
            await expect(page.get_by_role("heading", level=1)).to_contain_text("You played 4.")
            await page.get_by_role("button", name="Hint").click()
            await expect(page.locator(".ring.hint")).not_to_have_count(0)
            await page.get_by_role("button", name="Show the move").click()
            await expect(page.locator(".told")).to_contain_text("was better.")
            await page.get_by_role("button", name="See how it went").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("1 of 2 found")
            await page.get_by_role("button", name="Try the missed one again").click()
            await expect(page.get_by_role("heading", level=1)).to_contain_text("You played 4.")
            await page.get_by_role("button", name="Back to the review").click()
            await expect(page.locator(".status")).to_contain_text("won")


async def signed_in(page: Page, token: Any) -> None:
    await page.add_init_script(f"localStorage.setItem('noughts.token', '{token}')")
