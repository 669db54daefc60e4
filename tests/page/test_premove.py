"""Moves that are picked before one's turn, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.browser import BROWSER, expect, invite, opened, pick
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER


async def test_a_premove_is_played_at_once_or_taken_back_or_dropped(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page, connected(f"{address.replace('http', 'ws')}/ws", "ben") as ben:
        await invite(page, "chess")
        room = page.url.rsplit("/", 1)[1]
        await pick(page, "e2")
        await expect(page.locator(".standing")).to_contain_text("The game begins when somebody takes the other seat.")
        await ben.join(room)
        await expect(page.locator(".status")).to_have_text("Your move")
        for cell in ("e2", "e4"):
            await pick(page, cell)
        await expect(page.locator(".status")).to_have_text("ben to move")
        note = page.locator(".standing .note[role=status]")
        await pick(page, "d7")  # not a piece of one's own
        await expect(note).to_have_count(0)
        await pick(page, "e4")
        await expect(note).to_have_text("Premove from e4 …")
        await pick(page, "d5")
        await expect(note).to_have_text("Premove: e4 d5. Click to take it back.")
        await ben.ok(type="play", room=room, turn=1, move="d7d5")
        await expect(page.locator(".moves .move")).to_have_text(["e4", "d5", "exd5"])
        await pick(page, "d5")
        await pick(page, "d6")
        await pick(page, "a1")
        await expect(note).to_have_count(0)
        await pick(page, "a1")
        await pick(page, "a5")
        await ben.ok(type="play", room=room, turn=3, move="g8f6")
        await expect(note).to_have_text("The premove a1 a5 is not possible any more.")
        await pick(page, "f1")
        await pick(page, "b5")
        await pick(page, "g1")
        await page.keyboard.press("Escape")
        await expect(note).to_have_count(0)


async def test_a_premove_in_a_column(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page, connected(f"{address.replace('http', 'ws')}/ws", "ben") as ben:
        await invite(page, "connect4")
        room = page.url.rsplit("/", 1)[1]
        await ben.join(room)
        await page.get_by_label("Type a move").fill("4")
        await page.keyboard.press("Enter")
        await expect(page.locator(".status")).to_have_text("ben to move")
        await page.locator('[data-row="0"][data-column="2"]').click(force=True)
        await expect(page.locator(".standing .note[role=status]")).to_have_text("Premove: 3. Click to take it back.")
        await ben.ok(type="play", room=room, turn=1, move="4")
        await expect(page.locator(".moves .move")).to_have_count(3)
