"""The home view: the way back to a game, somebody else's seek, and boards that are alive."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from support.browser import PHONE, chromium, expect, opened, seek, terms
from support.client import connected
from support.eventually import soon
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as one:
        yield one


async def test_a_game_is_found_again_after_its_tab_was_closed(browser: Browser) -> None:
    async with running_page(away_s=0.1) as url, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            room = await bob.create(private=True)
            await page.goto(f"{address}/rooms/{room}")
            await page.get_by_role("button", name="Take the seat").click()
            await expect(page.locator(".status")).to_have_text("bob to move")
            await page.goto("about:blank")  # the tab is closed
            await bob.ok(type="play", room=room, turn=0, move="5")
            await page.goto(address)
            mine = page.locator(".continue .card")
            await expect(mine.locator(".names")).to_have_text("bob")
            await expect(mine.locator(".turn-of")).to_have_text("Your move")
            await expect(mine.locator(".piece")).to_have_count(1)
            await mine.click()
            await page.locator('[data-cell="1"]').click()
            await expect(page.locator(".status")).to_have_text("bob to move")
            await page.get_by_role("link", name="Noughts").click()
            await expect(mine.locator(".turn-of")).to_have_text("Their move")
            await bob.ok(type="play", room=room, turn=2, move="9")
            await expect(mine.locator(".turn-of")).to_have_text("Your move")
            await expect(mine.locator(".piece")).to_have_count(3)
            await bob.ok(type="resign", room=room)
            await expect(page.locator(".past .result")).to_have_text("won")
            await expect(page.locator(".continue")).to_have_count(0)
            await page.locator(".past a").first.click()
            await expect(page.locator(".status")).to_contain_text("You won")


async def test_a_phone_plays_the_computer_on_chosen_terms(browser: Browser) -> None:
    async with (
        running_page() as url,
        opened(browser, url.replace("ws://", "http://").removesuffix("/ws"), **PHONE) as page,
    ):
        form = await terms(page, "connect4")
        await form.get_by_role("button", name="Play the computer").click()
        await expect(page.locator(".ghost")).to_have_count(1)
        await page.locator('[data-cell="d1"]').click()
        await expect(page.locator(".moves .move")).to_have_count(2)
        await page.get_by_role("button", name="Resign").click()
        await page.get_by_role("button", name="Yes").click()
        await expect(page.locator(".ghost")).to_have_count(0)  # nobody's disc falls any more


async def test_a_seek_on_other_terms_is_seen_and_taken(browser: Browser) -> None:
    async with running_page() as url, connected(url, "bob") as bob, connected(url, "eve") as eve:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            await seek(page)
            await expect(page.get_by_text("Looking for an opponent in Tic-tac-toe")).to_be_visible()
            await eve.ok(type="seek", game="reversi")
            await bob.ok(type="seek", game="connect4", clock={"initial_s": 180, "increment_s": 2})
            offers = page.locator(".offers li")
            await expect(offers).to_have_count(2)
            await eve.ok(type="unseek")
            await expect(offers).to_have_count(1)
            await expect(offers.locator("span")).to_have_text(["Connect Four", "3+2, bob"])
            await offers.get_by_role("button", name="Play Connect Four with bob").click()
            await expect(page.locator(".look-holes[role=grid]")).to_be_visible()
            assert (await bob.push("room"))["game"] == "connect4"
            await page.go_back()
            await expect(page.get_by_text("Looking for an opponent in")).to_have_count(0)  # its own seek has ended


async def test_a_seek_that_somebody_takes_leads_to_the_game(browser: Browser) -> None:
    async with running_page() as url, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            await seek(page)
            await expect(page.get_by_text("Looking for an opponent in")).to_be_visible()
            (wanted,) = (await bob.ok(type="lobby"))["seeks"]
            await bob.ok(type="take", seek=wanted["seek"])
            await expect(page.locator(".board[role=grid]")).to_be_visible()


async def test_boards_of_others_are_alive_while_they_can_be_seen_and_count_as_no_spectator(browser: Browser) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        rooms = []
        for _ in range(10):
            rooms.append(await ann.create())
            await bob.join(rooms[-1])
        ann.pushed.clear()
        address = url.replace("ws://", "http://").removesuffix("/ws")
        watched: set[str] = set()

        def on_frame(frame: str | bytes) -> None:
            match json.loads(frame):
                case {"type": "watch", "room": room}:
                    watched.add(room)
                case {"type": "leave", "room": room}:
                    watched.discard(room)

        async with opened(browser, "about:blank", viewport={"width": 360, "height": 500}) as page:
            page.on("websocket", lambda socket: socket.on("framesent", on_frame))
            await page.goto(address)
            cards = page.locator("[data-live]")
            await expect(cards).to_have_count(4)
            await page.wait_for_timeout(300)
            assert not watched, "they are further down"
            await page.set_viewport_size({"width": 1280, "height": 4000})
            card = page.locator(f'[data-live="{rooms[-1]}"]')
            await soon(lambda: watched == set(rooms[6:]))
            await expect(card.locator(".piece")).to_have_count(0)
            await ann.ok(type="play", room=rooms[-1], turn=0, move="5")
            await expect(card.locator(".piece")).to_have_count(1)
            await ann.request(type="ping")
            assert not [message for message in ann.pushed if message["type"] == "spectators"], "these are previews"
            await card.click()
            assert await ann.push("spectators") == {"type": "spectators", "room": rooms[-1], "count": 1}
            await soon(lambda: watched == {rooms[-1]})


async def test_a_refused_list_is_explained_and_asked_for_again(browser: Browser) -> None:
    async with running_page() as url, connected(url, "bob") as bob:

        async def ask_too_much() -> None:
            while True:  # from the same address
                await bob.request(type="leaderboard", game="tictactoe")
                await asyncio.sleep(0.02)

        while (await bob.request(type="leaderboard", game="tictactoe"))["type"] != "error":
            pass
        asking = asyncio.create_task(ask_too_much())
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/watch") as page:
            refused, leaders = page.get_by_text("Too many pages requested"), page.locator(".leaders li")
            await expect(refused.or_(leaders).first).to_be_visible()
            while not await refused.is_visible():  # it was quicker than Bob
                await page.reload()
                await expect(refused.or_(leaders).first).to_be_visible()
            asking.cancel()
            await expect(leaders).to_have_count(4)
            await expect(refused).to_be_hidden()


async def test_a_page_of_another_origin_cannot_connect(browser: Browser) -> None:
    connects = """url => new Promise(resolve => {
        const socket = new WebSocket(url);
        socket.onopen = () => resolve(true);
        socket.onerror = () => resolve(false);
    })"""
    async with running_page() as url, running_page() as other:
        async with opened(browser, url.replace("ws://", "http://").removesuffix("/ws")) as page:
            assert await page.evaluate(connects, url)
        foreign = await browser.new_page()  # its console will have an error
        await foreign.goto(other.replace("ws://", "http://").removesuffix("/ws") + "/healthz")
        assert not await foreign.evaluate(connects, url)
        await foreign.close()
