"""The page where it cannot go on: no storage, no such player, room or address, no values; and links."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from gateway.test_http import fetch
from noughts.features.analyses import OWN_GAME
from support.browser import BROWSER, expect, invite, opened, play_computer, show_values
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, WebSocketRoute

pytestmark = BROWSER

NO_STORAGE = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("The user denied permission.", "SecurityError"); }
});"""

HOME = "Play or watch another game"


@pytest.fixture
def server(address: str) -> str:
    """The URL for sockets of the server of the page."""
    return f"{address.replace('http://', 'ws://')}/ws"


async def test_a_browser_that_keeps_nothing_plays_and_is_warned(browser: Browser, address: str) -> None:
    async with opened(browser, "about:blank") as page:
        await page.add_init_script(NO_STORAGE)
        await page.goto(address)
        await expect(page.get_by_text("This browser keeps nothing for this page")).to_be_visible()
        me = await page.locator("a.me").inner_text()
        await play_computer(page, "tictactoe")
        told = page.get_by_role("alert").filter(has_text="when you close or reload it, you are somebody else")
        await expect(told).to_be_visible()
        await told.get_by_role("button", name="Close").click()
        await expect(told).to_have_count(0)
        await page.locator('[data-cell="5"]').click()
        await expect(page.locator(".moves .move")).to_have_count(2)
        await page.get_by_label("Sound").check()
        await page.get_by_role("link", name="Noughts").click()
        await expect(page.locator(".continue .card")).to_have_count(1)
        assert await page.locator("a.me").inner_text() == me


async def test_a_browser_that_the_server_does_not_know_is_told_so_and_may_use_a_code(
    browser: Browser, server: str, address: str
) -> None:
    async with opened(browser, address) as page, connected(server, "Dora") as dora:
        await dora.ok(type="register", name="Dora")
        code = (await dora.ok(type="recovery_code"))["code"]
        await expect(page.locator("a.me")).to_contain_text("guest-")
        told = page.get_by_role("alert").filter(has_text="The server does not know this browser any more")
        await expect(told).to_have_count(0)
        await page.evaluate("() => localStorage.setItem('noughts.token', 'x'.repeat(43))")
        await page.reload()
        await expect(told).to_contain_text(re.compile("new guest, guest-.* recovery code"))
        await told.get_by_role("button", name="Sign in with a code").click()
        await expect(told).to_have_count(0)
        await page.get_by_label("Code from another device, or recovery code").fill(code)
        await page.get_by_role("button", name="Continue").click()
        await page.get_by_role("button", name="Join", exact=True).click()
        await expect(page.locator("a.me")).to_have_text("Dora")
        await page.reload()
        await expect(page.locator("a.me")).to_have_text("Dora")
        await expect(told).to_have_count(0)


async def test_an_unknown_room_is_a_page_with_a_way_home(browser: Browser, address: str) -> None:
    async with opened(browser, f"{address}/rooms/aaaaaaaaaaaaa") as page:
        await way_home(page, "There is no such game")
        await page.go_back()
        await way_home(page, "There is no such game")


async def test_an_unknown_address_is_a_page_with_a_way_home(browser: Browser, address: str) -> None:
    page = await browser.new_page()  # its console says that the document was not found
    answer = await page.goto(f"{address}/rooms/a/b.html?replay")
    assert answer is not None
    assert answer.status == 404
    await way_home(page, "There is nothing at this address")
    await page.close()
    server = f"{address.replace('http://', 'ws://')}/ws"
    for_programs = await fetch(server, "/nowhere")
    assert (for_programs.status, for_programs.body) == (404, b"There is nothing here.\n")


async def way_home(page: Page, heading: str) -> None:
    await expect(page.get_by_role("heading", name=heading)).to_be_visible()
    assert (await page.title()).startswith(heading)
    await page.get_by_role("link", name=HOME).click()
    await expect(page.locator(".tile").first).to_be_visible()
    assert await page.title() == "Noughts"


@pytest.mark.parametrize("key", ["Shift", "Control"])
async def test_a_click_with_a_key_is_the_browsers(key: str, browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await page.get_by_role("link", name="Study").click()
        async with page.context.expect_page() as other:
            await page.get_by_role("link", name="Open a file").click(modifiers=[key])  # type: ignore[list-item]
        await expect((await other.value).locator("main input[type=file]")).to_be_visible()
        assert page.url == f"{address}/study"


async def test_the_level_that_was_chosen_last_is_remembered(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await expect(page.get_by_role("radio", name="medium")).to_be_checked()
        await page.get_by_role("radio", name="best").check()
        await page.reload()
        await expect(page.get_by_role("radio", name="best")).to_be_checked()
        await page.locator('.tile[data-game="tictactoe"] .go').click()
        await expect(page.locator(".player.second .what")).to_have_text("O, best")


async def test_a_declined_offer_is_told_and_chat_outlives_a_reload(browser: Browser, server: str, address: str) -> None:
    async with opened(browser, address) as page, connected(server, "Ben") as ben:
        await invite(page, "tictactoe")
        room = page.url.rsplit("/", 1)[1]
        await ben.ok(type="join", room=room)
        for turn, move in enumerate("51"):
            if turn % 2:
                await ben.ok(type="play", room=room, turn=turn, move=move)
            else:
                await page.locator(f'[data-cell="{move}"]').click()
            await expect(page.locator(".moves .move")).to_have_count(turn + 1)
        declined = page.get_by_text("Ben declines the draw.", exact=True)
        await page.get_by_role("button", name="Offer a draw").click()
        await expect(page.get_by_text("You have offered a draw.")).to_be_visible()
        await ben.ok(type="decline_draw", room=room)
        await expect(declined.first).to_be_visible()
        await ben.ok(type="offer_draw", room=room)
        await expect(page.get_by_text("Ben offers a draw.", exact=True).first).to_be_visible()
        await ben.ok(type="decline_draw", room=room)
        await expect(page.get_by_text("Ben withdraws the offer of a draw.", exact=True).first).to_be_visible()
        await page.locator('[data-cell="3"]').click()
        await expect(page.locator(".status")).to_have_text("Ben to move")
        await expect(page.locator(".standing").get_by_text("declines")).to_have_count(0)
        await page.get_by_role("button", name="Offer a draw").click()
        await expect(page.get_by_text("You have offered a draw.")).to_be_visible()
        await ben.ok(type="play", room=room, turn=3, move="7")
        await expect(declined.first).to_be_visible()
        await page.get_by_role("button", name="Take back").click()
        await page.get_by_role("button", name="Withdraw the offer").click()
        await expect(page.get_by_text("You have asked for a takeback.")).to_have_count(0)
        await ben.ok(type="chat", room=room, text="good luck")
        await expect(page.locator(".tabs .badge")).to_have_text("1")
        await page.get_by_role("radio", name="Chat").check()
        await expect(page.locator(".chat li")).to_have_text("Ben good luck")
        await page.reload()
        await page.get_by_role("radio", name="Chat").check()
        await expect(page.locator(".chat li")).to_have_text("Ben good luck")


async def test_a_server_that_refuses_values_is_asked_again_when_the_game_is_over(
    browser: Browser, server: str, address: str
) -> None:
    asked = 0

    def counting(socket: WebSocketRoute) -> None:
        behind = socket.connect_to_server()

        def sent(message: str | bytes) -> None:
            nonlocal asked
            asked += json.loads(message)["type"] == "analyse"
            behind.send(message)

        socket.on_message(sent)

    async with opened(browser, "about:blank") as page, connected(server, "Ben") as ben:
        await page.context.route_web_socket("**/ws*", counting)
        await page.goto(address)
        await invite(page, "tictactoe")
        room = page.url.rsplit("/", 1)[1]
        await ben.ok(type="join", room=room)
        await show_values(page)
        await expect(page.get_by_text(OWN_GAME.message)).to_be_visible()
        await page.locator('[data-cell="5"]').click()
        await expect(page.locator(".cell .piece")).to_have_count(1)
        await ben.ok(type="play", room=room, turn=1, move="1")
        await expect(page.locator(".cell .piece")).to_have_count(2)
        await expect(page.get_by_text(OWN_GAME.message)).to_be_visible()
        await expect(page.locator(".cell.worth")).to_have_count(0)
        assert asked == 1
        await ben.ok(type="resign", room=room)
        await page.get_by_role("button", name="Back", exact=True).click()
        await expect(page.locator(".cell.worth").first).to_be_visible()
