"""Sharing links, and telling a player of a move: by a notification, or at an address on the web."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import BROWSER, expect, invite, opened, play_computer
from support.server import ServerProcess, running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER

SHARES = """() => {
  window.shared = [];
  Navigator.prototype.share = (what) => { window.shared.push(what.url); return Promise.resolve(); };
}"""


async def test_a_link_is_shared_where_the_device_can_and_copied_elsewhere(browser: Browser, address: str) -> None:
    async with opened(browser, "about:blank") as page:
        await page.add_init_script(f"({SHARES})()")
        await page.goto(address)
        await invite(page, "tictactoe")
        await page.get_by_role("button", name="Share").click()
        assert await page.evaluate("() => window.shared") == [page.url]
        await page.goto(address)
        await play_computer(page, "tictactoe")
        await page.locator("header").get_by_role("button", name="Share").click()
        assert await page.evaluate("() => window.shared") == [page.url]
    async with opened(browser, address, permissions=["clipboard-read", "clipboard-write"]) as page:
        await play_computer(page, "tictactoe")
        await page.locator("header").get_by_role("button", name="Copy the link").click()
        await expect(page.locator("header").get_by_role("button", name="Copied")).to_be_visible()
        await expect(page.locator("header").get_by_role("button", name="Copy the link")).to_be_visible()
        assert await page.evaluate("() => navigator.clipboard.readText()") == page.url


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_webhook_is_set_tried_and_removed_where_the_operator_allows_it(
    browser: Browser, *, allowed: bool
) -> None:
    async with running_page(webhooks=allowed) as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            await page.locator("a.me").click()
            await expect(page.get_by_role("heading", name="When it is your move")).to_be_visible()
            field = page.get_by_role("textbox", name="Address")
            if not allowed:
                await expect(field).to_have_count(0)
                return
            await field.fill("https://127.0.0.1/hook")
            await page.get_by_role("button", name="Save and try it").click()
            await expect(page.get_by_text("The last call failed:")).to_be_visible()  # no private address is called
            await expect(page.get_by_role("button", name="Try it now")).to_be_enabled()
            await page.get_by_role("button", name="Remove it").click()
            await expect(page.get_by_text("Removed. Nothing is sent any more.")).to_be_visible()
            await expect(field).to_have_value("")
            await field.fill("ftp://example.org/")
            await page.get_by_role("button", name="Save and try it").click()
            await expect(page.locator(".settings").get_by_role("alert")).to_be_visible()


async def test_a_webhook_that_answers_is_said_to_work(browser: Browser, tmp_path: Path) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[16:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length: "))
        heard.put_nowait(json.loads(await reader.readexactly(length))["type"])
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    hook = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/hook"
    program, allowed = ("-m", "support.near_webhooks"), {"webhooks": True, "webhooks_http": True}
    async with (
        listening,
        ServerProcess(tmp_path / "journal", tmp_path / "log", program, **allowed) as server,
        opened(browser, server.url.replace("ws://", "http://").removesuffix("/ws")) as page,
    ):
        await page.locator("a.me").click()
        await page.get_by_role("textbox", name="Address").fill(hook)
        await page.get_by_role("button", name="Save and try it").click()
        assert await heard.get() == "hello"
        await expect(page.get_by_text("It works: the last call was answered.")).to_be_visible()
        await page.get_by_role("button", name="Try it now").click()
        assert await heard.get() == "hello"
        await expect(page.get_by_role("button", name="Try it now")).to_be_enabled()
        await expect(page.get_by_text("It works: the last call was answered.")).to_be_visible()


async def test_notifications_are_asked_for_by_a_button(browser: Browser, address: str) -> None:
    async with opened(browser, address, permissions=["notifications"]) as page:
        await page.locator("a.me").click()
        await expect(page.get_by_text("This device shows them.")).to_be_visible()
