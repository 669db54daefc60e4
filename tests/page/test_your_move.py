"""The page calls a player whose move it is in a game of days."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from noughts.protocol.words import DAY_S
from support.browser import expect, opened
from support.client import connected
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]

LOOK_AWAY = """() => {
  window.notes = [];
  window.Notification = class {
    static permission = "granted";
    constructor(sentence) { window.notes.push(sentence); }
  };
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
}"""
LOOK_AGAIN = """() => {
  Object.defineProperty(document, "visibilityState", { value: "visible" });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


async def test_a_player_is_called_by_a_line_the_title_or_a_notification(browser: Browser) -> None:
    async with running_page() as url, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            room = await bob.create(clock={"per_move_s": 3 * DAY_S}, private=True)
            await page.goto(f"{address}/rooms/{room}")
            await page.get_by_role("button", name="Take the seat").click()
            await expect(page.locator(".status")).to_have_text("bob to move")
            await page.get_by_role("link", name="Noughts").click()
            await bob.ok(type="play", room=room, turn=0, move="5")
            sentence = "Your move in Tic-tac-toe against bob."
            await expect(page.locator(".notice")).to_have_text(sentence)
            await page.goto(f"{address}/rooms/{room}")
            await page.locator('[data-cell="1"]').click()
            await expect(page.locator(".status")).to_have_text("bob to move")
            await page.evaluate(LOOK_AWAY)
            await bob.ok(type="play", room=room, turn=2, move="9")
            await expect(page).to_have_title(re.compile(r"^\(1\) "))
            assert await page.evaluate("() => window.notes") == [sentence]
            await expect(page.get_by_role("timer").first).to_have_text(re.compile(r"[23] d \d+ h"))
            await page.evaluate(LOOK_AGAIN)
            await expect(page).not_to_have_title(re.compile(r"^\("))
