"""Names and lines of other people are shown as text, whatever is in them, and stay in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browser import BROWSER, PHONE, expect, opened
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser, Locator

pytestmark = BROWSER

NAMES = {
    "markup": "<img src=x onerror=alert(1)>",
    "right to left": "\N{HEBREW LETTER ALEF}\N{HEBREW LETTER BET} (1) <b>",
    "32 wide characters": "W" * 32,
    "32 double-width characters": "\N{FULLWIDTH LATIN CAPITAL LETTER W}" * 32,
}


@pytest.mark.parametrize("kind", NAMES)
async def test_a_name_is_text_and_stays_in_its_place(kind: str, browser: Browser, address: str) -> None:
    name = NAMES[kind]
    async with (
        connected(f"{address.replace('http', 'ws')}/ws", name) as other,
        opened(browser, address, **PHONE) as page,
    ):
        seats = {"first": "open", "second": "me"}
        room = str((await other.ok(type="create", game="tictactoe", seats=seats))["room"])
        listed = page.locator(".offers li", has=page.locator(f'a[href="/rooms/{room}"]'))
        await expect(listed.locator("bdi")).to_have_text(name)
        await fits(listed)
        await listed.get_by_role("link", name="Play as X").click()
        await page.get_by_role("button", name="Take the seat").click()
        await expect(page.locator(".player.second bdi")).to_have_text(name)
        await page.locator('[data-cell="5"]').click()
        await expect(page.locator(".status")).to_contain_text(name)
        status = await page.locator(".status").inner_text()
        assert status.removeprefix("\u2068").startswith(name)
        assert status.startswith("\u2068") == (kind == "right to left")
        await page.get_by_role("radio", name="Chat").check()
        await other.ok(type="chat", room=room, text=name)
        await expect(page.locator(".chat li bdi").last).to_have_text(name)
        await fits(page.locator("main"))
        assert await page.locator("main :is(img, b)").count() == 0
        assert name in await page.title()


async def fits(part: Locator) -> None:
    """Assert that a part of the page is no wider than the phone."""
    assert await part.evaluate("(part) => part.getBoundingClientRect().right") <= 360
    assert await part.evaluate("() => document.documentElement.scrollWidth") <= 360


async def test_a_registered_name_is_text_and_has_no_marks_of_direction(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await page.locator("a.me").click()
        for name in ("Ann\N{RIGHT-TO-LEFT OVERRIDE}nnA", "<b onclick=alert(1)>&amp; W"):
            await page.get_by_label("Your name", exact=True).fill(name)
            await page.get_by_role("button", name="Register this name").click()
            if name.startswith("Ann"):
                await expect(page.get_by_role("alert")).to_be_visible()
        await expect(page.locator("header .me")).to_have_text(name)
