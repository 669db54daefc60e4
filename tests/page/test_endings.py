"""The end of a game: its winner sees a short celebration once, and everybody what comes next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from features.test_tournaments import players
from page.test_tournaments import as_player, begun_tournament, served
from support.browser import BROWSER, PHONE, expect, opened, pick
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

    from support.client import Client

pytestmark = BROWSER

ANIMATED = "() => document.getAnimations().map((one) => one.animationName)"


async def game(page: Page, other: Client, address: str, moves: str) -> None:
    """Play the moves of tic-tac-toe; those of the second side on ``page``."""
    room = await other.create(private=True)
    await page.goto(f"{address}/rooms/{room}")
    await page.get_by_role("button", name="Take the seat").click()
    for turn, move in enumerate(moves):
        if turn % 2 == 0:
            await other.ok(type="play", room=room, turn=turn, move=move)
        else:
            await expect(page.locator(".status")).to_have_text("Your move")
            await pick(page, move)
        await expect(page.locator(".moves .move")).to_have_count(turn + 1)


async def test_the_winner_sees_it_once(browser: Browser, address: str) -> None:
    async with connected(address.replace("http", "ws") + "/ws", None) as other, opened(browser, address) as page:
        await game(page, other, address, "142596")
        room = page.locator(".room")
        await expect(room).to_have_class(re.compile("won ends"))
        assert {"burst", "join"} <= set(await page.evaluate(ANIMATED))
        await expect(page.locator(".standing")).to_contain_text("You won with three in a row.")
        await page.keyboard.press(",")
        await page.keyboard.press(".")
        await expect(room).not_to_have_class(re.compile("ends"))
        assert "burst" not in await page.evaluate(ANIMATED)
        await page.get_by_role("link", name="New game").click()
        await expect(page.locator(".tile").first).to_be_visible()


async def test_no_field_has_a_ring_when_a_typed_move_has_ended_the_game(browser: Browser, address: str) -> None:
    async with connected(address.replace("http", "ws") + "/ws", None) as other, opened(browser, address) as page:
        room = await other.create(private=True)
        await page.goto(f"{address}/rooms/{room}")
        await page.get_by_role("button", name="Take the seat").click()
        for turn, move in enumerate("142596"):
            if turn % 2 == 0:
                await other.ok(type="play", room=room, turn=turn, move=move)
            else:
                await expect(page.locator(".status")).to_have_text("Your move")
                await page.locator("#typed").fill(move)
                await page.keyboard.press("Enter")
            await expect(page.locator(".moves .move")).to_have_count(turn + 1)
        await expect(page.locator(".move.now")).to_be_focused()  # and not a field beside the row that has won
        await page.keyboard.press(",")
        await expect(page.locator(".status")).to_contain_text("Move 5 of 6.")


async def test_the_loser_and_whoever_wants_no_motion_see_it_still(browser: Browser, address: str) -> None:
    async with connected(address.replace("http", "ws") + "/ws", None) as other:
        async with opened(browser, address) as page:
            await game(page, other, address, "14253")
            await expect(page.locator(".room")).to_have_class(re.compile("lost ends"))
            await expect(page.locator(".status")).to_have_text("You lost to three in a row.")
            assert "burst" not in await page.evaluate(ANIMATED)
        async with opened(browser, address, reduced_motion="reduce") as page:
            await game(page, other, address, "142596")
            await expect(page.locator(".room")).to_have_class(re.compile("won ends"))
            assert await page.evaluate(ANIMATED) == []


LOW = [(360, 640), (375, 667), (390, 640)]

LONG = "Maximiliane-Konstantina-Wilhel"
"""A name as long as one may be."""

IN_THE_WAY = """(selector) => {
  const parts = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const boxes = parts.map((one) => one.getBoundingClientRect());
  const before = (a, b) => a.right <= b.left + 1 || a.bottom <= b.top + 1;
  const over = (a, b) => a !== b && !before(a, b) && !before(b, a);
  const out = ({ left, right, bottom }) => left < 0 || right > innerWidth || bottom > innerHeight || right - left < 36;
  return parts.filter((one, index) => out(boxes[index]) || boxes.some((box) => over(box, boxes[index])) ||
    one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent);
}"""
"""The parts that lie over another, leave the screen, or have no room for a word."""

PARTS = ".status, .tabs, .standing .note, .offer p, .offer button, .actions > :is(a, button), .actions summary"


@pytest.mark.parametrize(("width", "height"), LOW)
async def test_a_low_phone_says_how_a_game_of_a_tournament_ended_above_what_to_do_next(
    width: int, height: int, browser: Browser
) -> None:
    phone = PHONE | {"viewport": {"width": width, "height": height}}
    async with (
        served() as (address, url),
        players(url, "tea", LONG, "ben") as (tea, ann, ben),
        opened(browser, f"{address}/study", **phone) as page,
    ):
        await begun_tournament(tea, [ann, ben])
        call = await ann.push("tournament_game")
        room = call["room"]
        seats = [ann, ben] if call["seat"] == "first" else [ben, ann]
        for turn, move in enumerate("14253"):
            await seats[turn % 2].ok(type="play", room=room, turn=turn, move=move)
        await as_player(page, address, ann, f"/rooms/{room}")
        await expect(page.get_by_role("link", name="Back to the tournament")).to_be_visible()
        assert await page.evaluate(IN_THE_WAY, PARTS) == []


@pytest.mark.parametrize(("width", "height"), LOW)
async def test_a_low_phone_has_room_for_the_offer_of_a_rematch(
    width: int, height: int, browser: Browser, address: str
) -> None:
    server = address.replace("http", "ws") + "/ws"
    phone = PHONE | {"viewport": {"width": width, "height": height}}
    async with (
        connected(server, None) as one,
        connected(server, LONG) as other,
        opened(browser, f"{address}/study", **phone) as page,
    ):
        room = await one.create(private=True)
        await other.ok(type="join", room=room)
        for turn, move in enumerate("512738469"):
            await (one, other)[turn % 2].ok(type="play", room=room, turn=turn, move=move)
        await as_player(page, address, one, f"/rooms/{room}")
        await expect(page.get_by_role("button", name="Rematch")).to_be_visible()
        assert await page.evaluate(IN_THE_WAY, PARTS) == []
        await other.ok(type="offer_rematch", room=room)
        await expect(page.locator(".offer p")).to_be_visible()
        assert await page.evaluate(IN_THE_WAY, PARTS) == []
        await page.get_by_role("button", name="Decline").tap()
        await page.get_by_role("button", name="Rematch").tap()
        await expect(page.locator(".asked .note")).to_be_visible()
        assert await page.evaluate(IN_THE_WAY, PARTS) == []
