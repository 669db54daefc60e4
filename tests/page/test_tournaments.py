"""Tournaments in a real browser: opened, entered, run and watched."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from features.test_tournaments import opened as opened_tournament
from features.test_tournaments import players
from noughts.tournaments import swiss
from support.browser import BROWSER, PHONE, expect, opened, too_small
from support.client import Client
from support.server import QUICK, running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER

FAST = replace(QUICK, tournaments_s=0.05, round_break_s=0, standings_s=0.05)


@asynccontextmanager
async def served() -> AsyncIterator[tuple[str, str]]:
    """A server without waits between rounds: its address, and that of its sockets."""
    async with running_page(timing=FAST) as url:
        yield url.replace("ws://", "http://").removesuffix("/ws"), url


async def as_player(page: Page, address: str, client: Client, path: str) -> None:
    """Show the page to the player of a client."""
    await page.evaluate("(token) => localStorage.setItem('noughts.token', token)", client.token)
    await page.goto(address + path)


async def win(clients: list[Client]) -> str:
    """Play the game that each of the two is called to: the first side wins. The winner's name."""
    calls = [await client.push("tournament_game") for client in clients]
    sides = {call["seat"]: client for call, client in zip(calls, clients, strict=True)}
    room = calls[0]["room"]
    for turn, move in enumerate("14253"):
        await sides["second" if turn % 2 else "first"].ok(type="play", room=room, turn=turn, move=move)
    return str(sides["first"].welcome["player"]["name"])


async def test_one_opens_a_tournament_and_sees_its_standings_change(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, ann, ben),
        opened(browser, f"{address}/study") as page,
    ):
        await as_player(page, address, tea, "/")
        await page.get_by_role("link", name="Compete").click()
        await expect(page.get_by_text("There is no tournament yet.")).to_be_visible()
        form = page.locator(".opening")
        await form.get_by_label("Name").fill("Friday")
        await form.get_by_label("Game").select_option("tictactoe")
        await form.get_by_role("radio", name="Gauntlet").check()
        await form.get_by_label("Opponents").fill("nobody")
        await form.get_by_role("button", name="Open it").click()
        await expect(form.get_by_role("alert")).to_contain_text("'nobody'")
        await form.get_by_role("radio", name="Round robin").check()
        await form.get_by_role("button", name="Open it").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Friday")
        await expect(page).to_have_title("Friday · Noughts")
        tournament = page.url.rpartition("/")[2]
        await page.get_by_role("button", name="Start").click()
        await expect(page.get_by_role("alert")).to_have_text("At least two players must have entered.")
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        await expect(page.locator(".standings th[scope]")).to_have_text(["ann", "ben"])
        await page.get_by_role("button", name="Start").click()
        winner = await win([ann, ben])
        first = page.locator(".standings tr").nth(1)
        await expect(first).to_have_text(re.compile(rf"1\s*{winner}\s*1\s*1 0 0"))
        await expect(page.get_by_text(f"Over. {winner} has won.")).to_be_visible()
        await expect(page.locator(".pairings .points")).to_have_text(re.compile("1 : 0"))
        await page.get_by_text("Cross table").click()
        await page.get_by_role("link", name=re.compile("^1 against")).click()
        await expect(page.locator(".board[role=grid] .piece")).to_have_count(5)


async def test_a_player_enters_and_is_called_to_the_board(browser: Browser) -> None:
    async with served() as (address, url), players(url, "tea", "ann") as (tea, ann):
        tournament = await opened_tournament(tea)
        await ann.ok(type="enter_tournament", tournament=tournament)
        async with opened(browser, f"{address}/tournaments/none", **PHONE) as page:
            await expect(page.get_by_role("heading", name="There is no such tournament")).to_be_visible()
            await page.get_by_role("link", name="All tournaments").click()
            await page.get_by_role("link", name="Club").click()
            await page.get_by_role("button", name="Enter").click()
            await expect(page.locator(".standings th[scope]")).to_have_count(2)
            assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360
            await tea.ok(type="start_tournament", tournament=tournament)
            await expect(page.get_by_text("You play ann now.")).to_be_visible()
            await page.get_by_role("link", name="Watch").click()
            await page.get_by_role("link", name="Compete").click()
            await page.get_by_role("link", name="Club").click()
            await page.get_by_role("link", name="To the board").click()
            await expect(page.locator(".board[role=grid]")).to_be_visible()


async def test_whoever_looks_elsewhere_is_called_and_a_projector_shows_large_type(browser: Browser) -> None:
    async with served() as (address, url), players(url, "tea", "ann", "ben") as (tea, ann, ben):
        tournament = await opened_tournament(tea)
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        async with (
            opened(browser, f"{address}/study") as away,
            opened(
                browser, f"{address}/tournaments/{tournament}?present", viewport={"width": 1920, "height": 1080}
            ) as projector,
        ):
            await as_player(away, address, ben, "/study")
            await expect(away.get_by_role("button", name="ben")).to_be_visible()
            await tea.ok(type="start_tournament", tournament=tournament)
            await expect(projector.locator(".pairings li")).to_have_count(1)
            assert await too_small(projector) == []
            await away.get_by_role("link", name="To the board").click()
            await expect(away.locator(".board[role=grid]")).to_be_visible()
            await expect(away.locator(".notice")).to_have_count(0)


async def test_the_form_says_when_swiss_is_missing(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea") as (tea,),
        opened(browser, f"{address}/compete") as page,
    ):
        await expect(page.get_by_role("button", name="Register a name")).to_be_visible()
        await as_player(page, address, tea, "/compete")
        await page.get_by_label("Name", exact=True).fill("Swiss")
        await page.get_by_role("radio", name="Swiss").check()
        await page.get_by_role("button", name="Open it").click()
        if swiss.installed():
            await expect(page.get_by_text("Swiss, 5 rounds")).to_be_visible()
        else:
            await expect(page.get_by_role("alert")).to_contain_text("'swiss' is not installed")
