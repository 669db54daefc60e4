"""A player's page in a real browser: ratings, results and the last games."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from features.test_profiles import against, profile_of
from noughts.journal.sqlite.journal import SqliteJournal
from page.test_review import played
from support.browser import BROWSER, expect, opened
from support.client import connected
from support.rated import BLITZ, registered
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER


async def test_a_profile_shows_what_is_public_and_leads_to_the_games(browser: Browser) -> None:
    async with running_page() as url, connected(url, "Ann & Co") as ann, connected(url, "bob") as bob:
        for client in (ann, bob):
            await client.ok(type="register")
        rooms = [await played(ann, bob, "14253", game="tictactoe", clock=BLITZ, rated=True) for _ in range(2)]
        rooms.append(await played(bob, ann, "14253", game="tictactoe", clock=BLITZ, rated=True))
        await played(ann, bob, "14253", game="tictactoe", private=True)
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/rooms/{rooms[0]}") as page:
            await page.get_by_role("link", name="Ann & Co").click()
            await expect(page).to_have_url(f"{address}/players/Ann%20%26%20Co")
            await expect(page.get_by_role("heading", level=1)).to_have_text("Ann & Co")
            await expect(page.get_by_text("3 public games: 2 won, 1 lost")).to_be_visible()
            graph = page.get_by_role(
                "img", name=re.compile("Rating in Tic-tac-toe, blitz, over the last 3 rated games")
            )
            await expect(graph).to_be_visible()
            await page.get_by_text("As a table").click()
            await expect(page.locator("details tr")).to_have_count(4)
            await expect(page.locator(".results tr").last).to_have_text(re.compile(r"Tic-tac-toe\s*2\s*0\s*1"))
            await expect(page.locator(".card .result")).to_have_text(["lost", "won", "won"])
            await expect(page.locator(".card .board .piece")).to_have_count(15)
            await expect(page).to_have_title("Ann & Co · Player · Noughts")
            await page.locator(".card a").last.click()
            await expect(page).to_have_url(f"{address}/rooms/{rooms[0]}")
            await page.goto(f"{address}/players/nobody%")
            await expect(page.get_by_role("heading", level=1)).to_have_text("There is no such player")


async def test_the_rank_is_that_of_the_leaderboard(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    async with running_page(journal=str(file)) as url, registered(url) as (ann,):
        journal = await SqliteJournal.open(file, exclusive=False)
        games = [against(ann, ("perfect", "hard"), number, None) for number in range(30)]
        await journal.results.replace({game.room: game for game in games})
        await journal.close()
        await profile_of(ann, ann.id, 30)
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/players/{ann.id}") as page:
            await expect(page.locator(".pool").get_by_text("2nd of 5")).to_be_visible()
            await expect(page.get_by_text("Among all rated players")).to_be_visible()
