"""The end of a game: its winner sees a short celebration once, and everybody what comes next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from support.browser import BROWSER, expect, opened, pick
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

    from support.client import Client

pytestmark = BROWSER

ANIMATED = "() => document.getAnimations().map((one) => one.animationName)"


async def game(page: Page, other: Client, address: str, moves: str) -> None:
    """Play the moves of tic-tac-toe; those of the second side on ``page``."""
    room = await other.create(private=True)
    await page.goto(f"{address}/rooms/{room}")
    await page.get_by_role("button", name="Take the seat").click()
    for turn, move in enumerate(moves):
        if turn % 2 == 0:
            await other.ok(type="play", room=room, turn=turn, move=move)
        else:
            await expect(page.locator(".status")).to_have_text("Your move")
            await pick(page, move)
        await expect(page.locator(".moves .move")).to_have_count(turn + 1)


async def test_the_winner_sees_it_once(browser: Browser, address: str) -> None:
    async with connected(address.replace("http", "ws") + "/ws", None) as other, opened(browser, address) as page:
        await game(page, other, address, "142596")
        room = page.locator(".room")
        await expect(room).to_have_class(re.compile("won ends"))
        assert {"burst", "join"} <= set(await page.evaluate(ANIMATED))
        await expect(page.locator(".standing")).to_contain_text("You won with three in a row.")
        await page.keyboard.press(",")
        await page.keyboard.press(".")
        await expect(room).not_to_have_class(re.compile("ends"))
        assert "burst" not in await page.evaluate(ANIMATED)
        await page.get_by_role("link", name="New game").click()
        await expect(page.locator(".tile").first).to_be_visible()


async def test_no_field_has_a_ring_when_a_typed_move_has_ended_the_game(browser: Browser, address: str) -> None:
    async with connected(address.replace("http", "ws") + "/ws", None) as other, opened(browser, address) as page:
        room = await other.create(private=True)
        await page.goto(f"{address}/rooms/{room}")
        await page.get_by_role("button", name="Take the seat").click()
        for turn, move in enumerate("142596"):
            if turn % 2 == 0:
                await other.ok(type="play", room=room, turn=turn, move=move)
            else:
                await expect(page.locator(".status")).to_have_text("Your move")
                await page.locator("#typed").fill(move)
                await page.keyboard.press("Enter")
            await expect(page.locator(".moves .move")).to_have_count(turn + 1)
        await expect(page.locator(".move.now")).to_be_focused()  # and not a field beside the row that has won
        await page.keyboard.press(",")
        await expect(page.locator(".status")).to_contain_text("Move 5 of 6.")


async def test_the_loser_and_whoever_wants_no_motion_see_it_still(browser: Browser, address: str) -> None:
    async with connected(address.replace("http", "ws") + "/ws", None) as other:
        async with opened(browser, address) as page:
            await game(page, other, address, "14253")
            await expect(page.locator(".room")).to_have_class(re.compile("lost ends"))
            await expect(page.locator(".status")).to_have_text("You lost to three in a row.")
            assert "burst" not in await page.evaluate(ANIMATED)
        async with opened(browser, address, reduced_motion="reduce") as page:
            await game(page, other, address, "142596")
            await expect(page.locator(".room")).to_have_class(re.compile("won ends"))
            assert await page.evaluate(ANIMATED) == []
