"""A server for invited players, in a browser: a link with an invitation, and what the operator announces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from noughts.journal import FOREVER, SqliteJournal
from noughts.players.tokens import code_hash
from support.browser import BROWSER, expect, opened
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER


async def test_a_link_with_an_invitation_lets_a_stranger_in(browser: Browser, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    async with running_page(journal=str(journal), registration="invited", server_name="Ann's") as url:
        beside = await SqliteJournal.open(journal, exclusive=False)
        await beside.passes.put(code_hash("aaaabbbb"), "", FOREVER, 1)
        base = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{base}/#invitation=aaaa-bbbb") as page:
            await expect(page.locator(".notice")).to_have_text("You are invited. Welcome to Ann's.")
            assert page.url == f"{base}/"
            await beside.acts.put("ann", "announce", detail="The server restarts at 8 pm.")
            await expect(page.locator(".notice")).to_have_text("The server restarts at 8 pm.")
        await beside.close()
        async with opened(browser, f"{base}/#invitation=aaaa-bbbb") as page:
            await expect(page.locator(".notice")).to_contain_text("This code does not work")
