"""A player's page in a real browser: ratings, results and the last games."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from features.test_profiles import against, profile_of
from features.test_tournaments import opened as opened_tournament
from noughts.journal.sqlite.journal import SqliteJournal
from page.test_review import played
from page.test_tournaments import as_player
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
            await expect(page.locator(".wins li")).to_contain_text(["1338 bob Tic-tac-toe"])
            await page.get_by_text("As a table").click()
            await expect(page.locator("details tr")).to_have_count(4)
            await expect(page.locator(".results tr").last).to_have_text(re.compile(r"Tic-tac-toe\s*2\s*0\s*1"))
            await expect(page.get_by_text(f"plays here since {date.today():%B %Y}")).to_be_visible()
            await expect(page.locator(".card .result")).to_have_text(["Lost to", "Won against", "Won against"])
            await expect(page.locator(".card").first).to_contain_text("to three in a row")
            await expect(page.get_by_role("radio", name="Tic-tac-toe blitz")).to_be_checked()
            await expect(page.locator(".card .board .piece")).to_have_count(15)
            await expect(page).to_have_title("Ann & Co · Player · Noughts")
            await page.locator(".card a").nth(-2).click()
            await expect(page).to_have_url(f"{address}/rooms/{rooms[0]}")
            await page.go_back()
            await page.get_by_role("link", name="Review of the game against bob").last.click()
            await expect(page).to_have_url(f"{address}/rooms/{rooms[0]}?review")
            await expect(page.get_by_role("radio", name="Review")).to_be_checked()
            await page.goto(f"{address}/players/nobody%")
            await expect(page.get_by_role("heading", level=1)).to_have_text("There is no such player")


@pytest.mark.parametrize("path", ["", "?present"])
async def test_the_way_to_the_review_of_ones_only_game_is_below_what_is_told_of_it(browser: Browser, path: str) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        await ann.ok(type="register")
        await played(ann, bob, "1213141", game="connect4")
        address = url.replace("ws://", "http://").removesuffix("/ws")
        size = {"width": 1920, "height": 1080}
        async with opened(browser, f"{address}/players/ann{path}", viewport=size) as page:
            await expect(page.locator(".card .board .joined")).to_be_attached()
            told, way, board = [
                await page.locator(f".card {one}").evaluate("(one) => one.getBoundingClientRect().toJSON()")
                for one in (".text", ".to-review", ".board")
            ]
            assert told["left"] == way["left"] >= board["right"]
            assert told["bottom"] <= way["top"] < told["bottom"] + 30
            assert way["bottom"] < board["bottom"]
            assert board["width"] <= 400
            await expect(page.get_by_role("button", name="Mute in chat")).to_be_visible(visible=not path)


async def test_a_stranger_invites_the_player_who_is_told_and_takes_the_seat(browser: Browser) -> None:
    async with running_page() as url, connected(url, "Ann") as ann:
        await ann.ok(type="register")
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/players/Ann") as page, opened(browser, f"{address}/study") as hers:
            await as_player(hers, address, ann, "/study")
            await expect(page.get_by_text("No public game of this player has ended yet.")).to_be_visible()
            await expect(page.get_by_role("link", name="Club")).to_have_count(0)
            await opened_tournament(ann)
            await page.reload()
            await expect(page.get_by_role("link", name="Club")).to_be_visible()
            await expect(page.get_by_role("button", name="Invite to play")).to_be_visible()
            await page.get_by_role("button", name="Invite to Connect Four").click()
            await expect(page.get_by_text("Send this link.")).to_be_visible()
            await expect(hers.get_by_text("invites you to a game of Connect Four.").first).to_be_visible()
            await hers.get_by_role("link", name="Look").click()
            await expect(hers).to_have_url(page.url)
            await hers.get_by_role("button", name="Take the seat").click()
            await expect(page.locator(".room .board")).to_be_visible()
            await expect(page.get_by_text("Send this link.")).to_have_count(0)


async def test_ones_own_page_has_the_way_to_a_first_game_and_the_ratings_by_puzzles(browser: Browser) -> None:
    async with running_page() as url, connected(url, "Ann") as ann, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        await ann.ok(type="register")
        await ann.request(type="puzzle_proof", puzzle="tictactoe/0dd0c0c4")
        async with opened(browser, f"{address}/players/Ann") as page:
            await expect(page.get_by_role("heading", level=1)).to_have_text("Ann")
            await expect(page.get_by_text("only you see this")).to_have_count(0)
            await as_player(page, address, ann, "/players/Ann")
            await expect(page.get_by_role("link", name="Tic-tac-toe 1 puzzle")).to_contain_text("only you see this")
            await expect(page.get_by_role("link", name="Settings")).to_have_attribute("href", "/settings")
            await expect(page.get_by_role("button", name="Invite to play")).to_have_count(0)
            await page.get_by_role("button", name="Play Reversi against the computer").click()
            await expect(page.get_by_role("heading", name="Reversi: ")).to_be_attached()
        assert "puzzles" not in await bob.request(type="player", player="Ann")


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
