"""A browser's identity, in a real browser: two tabs are one guest, and another device joins by a link or a code."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from support.browser import BROWSER, chromium, expect, opened
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, WebSocketRoute

pytestmark = BROWSER


@pytest_asyncio.fixture(loop_scope="session")
async def address() -> AsyncIterator[str]:
    """The address of a server's page."""
    async with running_page() as url:
        yield url.replace("ws://", "http://").removesuffix("/ws")


async def register(page: Page, name: str) -> None:
    """Register a name, and leave the panel open."""
    await page.locator("a.me").click()
    await page.locator(".settings").get_by_label("Your name", exact=True).fill(name)
    await page.get_by_role("button", name="Register this name").click()
    await expect(page.get_by_text("Registered. Nobody else")).to_be_visible()


async def token(page: Page) -> str:
    kept: str = await page.evaluate("() => localStorage.getItem('noughts.token')")
    return kept


@pytest.mark.parametrize(("known", "late_s"), [(False, 3.5), (True, 0.5)])
async def test_tabs_opened_at_once_are_one_guest(known: bool, late_s: float, address: str) -> None:
    """Also if they have a token that the server does not know any more, or the server answers late.

    One process shows all tabs. On a busy machine it takes seconds until one sees what another has stored.
    """
    kept = [{"name": "noughts.token", "value": "x" * 43}] if known else []
    state: Any = {"cookies": [], "origins": [{"origin": address, "localStorage": kept}]}
    guests: set[str] = set()

    def slow(socket: WebSocketRoute) -> None:
        """Delay what the server says, so that all tabs are open before the first knows who it is."""
        server = socket.connect_to_server()

        def receive(message: str | bytes) -> None:
            guests.update(re.findall(r'"welcome".*?"id":"(p-\w+)"', str(message)))
            asyncio.get_running_loop().call_later(late_s, socket.send, message)

        server.on_message(receive)

    async with chromium("--process-per-site") as browser:
        context = await browser.new_context(storage_state=state)
        await context.route_web_socket("**/ws*", slow)
        tabs = [await context.new_page() for _ in range(3)]
        await asyncio.gather(*(tab.goto(address) for tab in tabs))
        for tab in tabs:
            await expect(tab.locator("a.me")).to_contain_text("guest-")
        assert len(guests) == 1


async def test_another_device_joins_by_link(browser: Browser, address: str) -> None:
    address = address.replace("127.0.0.1", "noughts.localhost")  # not this machine alone
    async with opened(browser, address) as laptop:
        await register(laptop, "Anouk")
        await expect(laptop.get_by_text("Only this browser knows you.")).to_be_visible()
        await laptop.get_by_role("button", name="Add a device").click()
        link = await laptop.get_by_label("Add a device").input_value()
        assert link.startswith(f"{address}/#join=")
        await expect(laptop.locator("svg.qr path")).to_have_attribute("d", re.compile("^M4 4h7v1"))
        await expect(laptop.get_by_text("Valid for 4:")).to_be_visible()
        typed = await laptop.locator(".to-type").inner_text()
        assert typed.replace("-", "") == link.rpartition("=")[2]

        async with opened(browser, link) as phone:
            await expect(phone.get_by_role("heading", name="Join as Anouk on this device?")).to_be_visible()
            assert phone.url == f"{address}/settings", "the code is in no history"
            guest = await token(phone)
            await phone.get_by_role("button", name="Join", exact=True).click()
            await expect(phone.locator("a.me")).to_have_text("Anouk")
            assert await token(phone) not in (guest, await token(laptop))
            await phone.reload()
            await expect(phone.locator("a.me")).to_have_text("Anouk")
            await phone.goto(link)  # a page that is open already
            await expect(phone.get_by_text("This link no longer works")).to_be_visible()
            await expect(phone).to_have_url(f"{address}/settings")

            await expect(laptop.get_by_text("Chrome on Linux")).to_have_count(2)
            await laptop.get_by_role("button", name="Sign out everywhere else").click()
            await (
                laptop.get_by_role("group", name="Signing out")
                .get_by_role("button", name="Sign out", exact=True)
                .click()
            )
            await expect(phone.get_by_role("status")).to_contain_text("no longer valid")
            await expect(laptop.get_by_text("Chrome on Linux")).to_have_count(1)


async def test_a_recovery_code_is_offered_before_the_last_device_goes(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await register(page, "Benno")
        await page.get_by_role("button", name="Sign out", exact=True).click()
        question = page.get_by_role("group", name="Signing out")
        await expect(question).to_contain_text("nobody can ever use your name again")
        await question.get_by_role("button", name="Make a recovery code").click()
        code = await page.get_by_label("Recovery code", exact=True).input_value()
        await expect(page.get_by_text("Only this browser knows you.")).to_have_count(0)
        await page.get_by_role("button", name="Sign out", exact=True).click()
        await page.get_by_role("group", name="Signing out").get_by_role("button", name="Sign out", exact=True).click()
        await expect(page.locator("a.me")).to_contain_text("guest-")
        await page.locator("a.me").click()
        await page.get_by_label("Code from another device").fill("mistyped")
        await page.get_by_role("button", name="Continue").click()
        await expect(page.get_by_role("alert")).to_contain_text("This code does not work")
        await expect(page.get_by_label("Code from another device")).to_be_focused()
        await page.get_by_label("Code from another device").fill(code.upper())
        await page.get_by_role("button", name="Continue").click()
        await page.get_by_role("button", name="Join", exact=True).click()
        await expect(page.locator("a.me")).to_have_text("Benno")


async def test_all_tabs_become_the_same_player(browser: Browser, address: str) -> None:
    async with opened(browser, address) as one:
        await register(one, "Catrin")
        two = await one.context.new_page()
        await two.goto(address)
        await expect(two.locator("a.me")).to_have_text("Catrin")
        await one.get_by_role("button", name="Sign out", exact=True).click()
        await (
            one.get_by_role("group", name="Signing out")
            .get_by_role("button", name="Sign out and lose the name")
            .click()
        )
        for tab in (one, two):
            await expect(tab.locator("a.me")).to_contain_text("guest-")
        assert await one.locator("a.me").inner_text() == await two.locator("a.me").inner_text()
