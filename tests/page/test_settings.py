"""The settings in a real browser: their own address, colours, sounds and the computer's level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browser import BROWSER, PHONE, expect, opened, terms
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER

GROUND = {"light": "rgb(244, 242, 238)", "dark": "rgb(18, 23, 29)"}

FIRST_PAINT = """() => {
  const look = () => document.body
    ? (window.firstGround = getComputedStyle(document.body).backgroundColor)
    : requestAnimationFrame(look);
  look();
}"""
"""Notes the colour of the page in the first frame that has a body."""


async def ground(page: Page) -> str:
    found: str = await page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return found


async def test_the_settings_have_an_address_and_lead_back(browser: Browser) -> None:
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/study") as page:
            await page.locator("a.me").click()
            await expect(page).to_have_url(f"{address}/settings")
            await expect(page).to_have_title("Settings · Noughts")
            await page.reload()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
            await page.get_by_role("navigation", name="Settings").get_by_role("link", name="Your devices").click()
            await expect(page).to_have_url(f"{address}/settings#devices")
            await expect(page.get_by_role("heading", name="Your devices")).to_be_in_viewport()
            await page.get_by_role("button", name="Back").click()
            await expect(page).to_have_url(f"{address}/study")
            await expect(page.locator("a.me[aria-current]")).to_have_count(0)
            await page.goto(f"{address}/settings")
            await page.get_by_role("link", name="Your profile").click()
            await expect(page.get_by_text("This is you")).to_be_visible()
            await expect(page.locator("a.me[aria-current=page]")).to_have_count(1)
            await page.goto(address)
            await (await terms(page, "chess")).get_by_role("link", name="Rated games need").click()
            await expect(page).to_have_url(f"{address}/settings")
            await page.goto(f"{address}/settings")
            await page.get_by_role("button", name="Back").click()
            await expect(page).to_have_url(f"{address}/")


@pytest.mark.parametrize("phone", [False, True])
async def test_a_name_leads_to_ones_page_and_from_there_to_the_settings(browser: Browser, *, phone: bool) -> None:
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/study", **(PHONE if phone else {})) as page:
            me = page.locator("a.me")
            await me.click()  # a guest's: to take a name
            await page.get_by_label("Your name", exact=True).fill("Rosalind")
            await page.get_by_role("button", name="Register this name").click()
            await expect(me).to_have_text("Rosalind")
            await expect(me).to_have_attribute("aria-current", "page")
            await me.click()
            await expect(page).to_have_url(f"{address}/players/Rosalind")
            await expect(page.get_by_role("heading", level=1)).to_have_text("Rosalind")
            await expect(me).to_have_attribute("aria-current", "page")
            await page.get_by_role("link", name="Settings").click()
            await expect(page).to_have_url(f"{address}/settings")


@pytest.mark.parametrize(("system", "chosen"), [("light", "dark"), ("dark", "light")])
async def test_colours_are_chosen_and_there_from_the_first_frame(browser: Browser, system: str, chosen: str) -> None:
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/settings", color_scheme=system) as page:
            await expect(page.get_by_role("radio", name="System")).to_be_checked()
            assert await ground(page) == GROUND[system]
            other = await page.context.new_page()
            await other.goto(f"{address}/watch")
            await page.get_by_role("radio", name=chosen.title()).check()
            assert await ground(page) == GROUND[chosen]
            await expect(other.locator("body")).to_have_css("background-color", GROUND[chosen])
            await page.add_init_script(f"({FIRST_PAINT})()")
            await page.goto(f"{address}/analysis")
            await expect(page.locator("a.me")).to_be_visible()
            assert await page.evaluate("() => window.firstGround") == GROUND[chosen]
            await page.goto(f"{address}/settings")
            await page.get_by_role("radio", name="System").check()
            assert await ground(page) == GROUND[system]


async def test_sounds_and_the_level_are_those_of_the_other_views(browser: Browser) -> None:
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/settings") as page:
            sounds = page.get_by_role("checkbox", name="Sounds")
            await expect(sounds).not_to_be_checked()
            await sounds.check()
            await page.get_by_role("button", name="A capture").click()
            await page.get_by_role("radio", name="hard").check()
            await page.reload()
            await expect(sounds).to_be_checked()
            await page.goto(address)
            await expect(page.get_by_role("radio", name="hard")).to_be_checked()
