"""The page calls a player whose move it is in a game of days."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from noughts.protocol.words import DAY_S
from support.browser import expect, invite, opened, pick
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
  Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true });
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
            await expect(page.get_by_role("timer").first).to_have_text(re.compile(r"3 days|2 days \d+ h"))
            await page.evaluate(LOOK_AGAIN)
            await expect(page).not_to_have_title(re.compile(r"^\("))
            await page.get_by_role("link", name="Noughts").click()
            await expect(page).to_have_title("(1) Noughts")


async def test_the_icon_has_a_dot_until_the_page_is_looked_at(browser: Browser) -> None:
    """When somebody has come, has moved or resigns; and not before, nor for one's own move."""
    acts: list[dict[str, Any]] = [{"type": "join"}, {"type": "play", "turn": 1, "move": "5"}, {"type": "resign"}]
    async with (
        running_page() as url,
        connected(url, "bob") as bob,
        opened(browser, url.replace("ws://", "http://").removesuffix("/ws")) as page,
    ):
        await invite(page, "tictactoe")
        room = page.url.rpartition("/")[2]
        icon = page.locator('link[rel="icon"]')
        for turn, act in enumerate(acts):
            await page.evaluate(LOOK_AWAY)
            await expect(icon).to_have_attribute("href", re.compile(r"^(/|http).*icon\.svg$"))
            await bob.ok(room=room, **act)
            await expect(icon).to_have_attribute("href", re.compile("^data:image/svg"))
            await page.evaluate(LOOK_AGAIN)
            await expect(icon).to_have_attribute("href", re.compile(r"icon\.svg$"))
            if turn < 2:
                await pick(page, "19"[turn])
                await expect(page.locator(".status")).to_have_text("bob to move")
