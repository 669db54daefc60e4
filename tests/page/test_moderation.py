"""Actions on the page against somebody who spoils a chat: to mute, to hear again, to report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from noughts.journal.sqlite.journal import SqliteJournal
from support.browser import BROWSER, expect, opened
from support.client import connected
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER


async def test_a_muted_players_lines_vanish_and_come_back(browser: Browser, address: str) -> None:
    url = f"{address.replace('http', 'ws', 1)}/ws"
    async with connected(url, None) as rude:
        room = await rude.create(private=True)
        async with opened(browser, f"{address}/rooms/{room}") as page:
            await page.get_by_role("button", name="Take the seat").click()
            await page.get_by_role("radio", name="Chat").check()
            await rude.ok(type="chat", room=room, text="you are bad at this")
            line = page.get_by_text("you are bad at this")
            await expect(line).to_be_visible()
            name = str(rude.welcome["player"]["name"])
            await page.get_by_role("button", name=name).first.click()
            await page.get_by_role("button", name="Mute", exact=True).click()
            await expect(line).to_have_count(0)
            await expect(page.get_by_text(f"You see nothing more of what {name} says")).to_be_visible()
            await rude.ok(type="chat", room=room, text="as I said")
            await page.reload()
            await page.get_by_role("radio", name="Chat").check()
            await expect(page.get_by_text("You have muted:")).to_be_visible()
            await expect(page.get_by_text("as I said")).to_have_count(0)
            await page.locator("a.me").click()
            await expect(page.get_by_role("heading", name="Muted players")).to_be_visible()
            await page.get_by_role("button", name="Back").click()
            await page.get_by_role("radio", name="Chat").check()
            await page.get_by_role("button", name="Hear again").click()
            await expect(page.get_by_text("as I said")).to_be_visible()
            await expect(line).to_be_visible()


async def test_a_report_reaches_the_operator_with_its_reason(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    async with running_page(journal=str(file)) as url, connected(url, "rude") as rude:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        room = await rude.create(private=True)
        async with opened(browser, f"{address}/rooms/{room}") as page:
            await page.get_by_role("button", name="Take the seat").click()
            await page.get_by_role("radio", name="Chat").check()
            await page.get_by_role("button", name="rude").click()  # who has said nothing, but has a rude name
            await page.get_by_role("button", name="Report …").click()
            await expect(page.get_by_role("textbox", name="What is wrong?")).to_be_focused()
            await expect(page.get_by_text("The operator of this server reads it")).to_be_visible()
            await page.keyboard.type("insults me")
            await page.keyboard.press("Enter")
            await expect(page.get_by_text("You have reported rude")).to_be_visible()
        journal = await SqliteJournal.open(file, exclusive=False)
        (report,) = await journal.talk.reports(10)
        await journal.close()
        assert (report.player, report.reason) == (rude.id, "insults me")
