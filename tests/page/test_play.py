"""The page in a real browser, with a real server and its real policy."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from noughts.games import GAMES
from noughts.protocol.render import games
from support.browser import BROWSER, PHONE, expect, invite, my_move, opened, pick, play_computer
from support.server import ServerProcess

if TYPE_CHECKING:
    from playwright.async_api import Browser, WebSocketRoute

pytestmark = BROWSER


def cells_of(key: str) -> dict[str, str]:
    """A cell to click for each move of a game."""
    info = next(game for game in games() if game["key"] == key)
    names = info.get("cells", info["layout"])
    return {
        move: name
        for moves, row in zip(info["layout"], names, strict=True)
        for move, name in zip(moves, row, strict=True)
    }


SEEDS = {"tictactoe": 7, "connect4": 84, "reversi": 55, "ultimate": 71}
"""Of random games: a draw, a short one, one with a pass, and a short one."""


@pytest.mark.parametrize("key", SEEDS)
async def test_two_browsers_play_a_game_to_the_end_while_a_third_watches(
    key: str, browser: Browser, address: str
) -> None:
    rng, position, cells = random.Random(SEEDS[key]), GAMES[key].start, cells_of(key)
    async with opened(browser, address) as one:
        await invite(one, key)
        await expect(one.get_by_text(f"You play {GAMES[key].first.name}.")).to_be_visible()
        await expect(one.get_by_text("It is not under Watch.")).to_be_visible()
        async with opened(browser, one.url) as two, opened(browser, one.url) as third:
            await expect(two.get_by_text(f"You would play {GAMES[key].second.name}.")).to_be_visible()
            await two.get_by_role("button", name="Take the seat").click()
            await expect(one.locator(".status")).to_have_text("Your move")
            players = {"first": one, "second": two}
            while position.to_move is not None:
                page, move = players[position.to_move.value], rng.choice(position.legal_moves)
                await my_move(page, position.ply)
                if move in cells:
                    await pick(page, cells[move])
                else:
                    await page.get_by_role("button", name=move.capitalize(), exact=True).click()
                position = position.play(move)
            assert position.outcome is not None
            winner = position.outcome.winner
            for page in (one, two, third):
                await expect(page.locator(".moves .move")).to_have_count(position.ply)
                ended = re.compile("Draw" if winner is None else "won|lost")
                await expect(page.locator(".status")).to_contain_text(ended)
            if winner is not None:
                await expect(players[winner.value].locator(".status")).to_contain_text("You won")


async def test_gomoku_is_won_by_five_in_a_row(browser: Browser, address: str) -> None:
    async with opened(browser, address) as one:
        await invite(one, "gomoku")
        async with opened(browser, one.url) as two:
            await two.get_by_role("button", name="Take the seat").click()
            for number, column in enumerate("abcde"):
                await my_move(one, 2 * number)
                await pick(one, f"{column}1")
                if number < 4:
                    await my_move(two, 2 * number + 1)
                    await pick(two, f"{column}2")
            await expect(one.locator(".status")).to_contain_text("You won by a full row")
            await expect(one.locator(".joined")).to_have_count(1)


async def test_a_game_against_the_computer_and_a_rematch(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await play_computer(page, "tictactoe", "best", "second")
        status = page.locator(".status")
        await expect(status).to_have_text("Your move")
        for answer in (3, 5, 7):
            await page.locator(".cell.open").first.click()
            await expect(page.locator(".moves .move")).to_have_count(answer)
            if await status.text_content() != "Your move":
                break
        await expect(status).to_contain_text("You lost to three in a row")
        before = page.url
        await page.get_by_role("button", name="Rematch").click()
        await expect(page.locator(".status")).to_have_text("Your move")
        assert page.url != before
        await expect(page.locator(".player.first .what")).to_contain_text("you")


async def test_an_illegal_move_is_refused_with_the_reason(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await play_computer(page, "tictactoe")
        await pick(page, "5")
        await expect(page.locator(".status")).to_have_text("Your move")
        await pick(page, "5")
        await expect(page.get_by_role("alert")).to_have_text("Cell 5 is taken")
        await expect(page.locator(".status")).to_have_text("Your move")


async def test_a_player_without_a_network_is_told_at_once(browser: Browser, address: str) -> None:
    async with opened(browser, address, dies=True) as page:
        await play_computer(page, "tictactoe")
        await page.context.set_offline(True)
        await expect(page.get_by_text("The connection is lost.")).to_be_visible()
        await page.context.set_offline(False)
        await expect(page.locator(".notice")).to_have_count(0)
        await pick(page, "5")
        await expect(page.locator(".move")).to_have_count(2)


async def test_a_player_whose_network_dies_without_a_word_is_told(browser: Browser, address: str) -> None:
    dead = False

    def passed(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: None if dead else server.send(message))
        server.on_message(lambda message: None if dead else socket.send(message))

    async with opened(browser, "about:blank") as page:
        await page.context.route_web_socket("**/ws*", passed)
        await page.goto(address)
        await play_computer(page, "tictactoe")
        dead = True
        await expect(page.get_by_text("The connection is lost.")).to_be_visible()


async def test_a_game_goes_on_after_the_server_was_killed(browser: Browser, tmp_path: Path) -> None:
    async with ServerProcess(tmp_path / "journal", tmp_path / "log", away_s=30) as server:
        address = server.url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address, dies=True) as page:
            await play_computer(page, "tictactoe")
            await pick(page, "5")
            await expect(page.locator(".move")).to_have_count(2)
            await server.kill()
            await expect(page.get_by_text("The connection is lost.")).to_be_visible()
            await server.start()
            await expect(page.get_by_text("Connected again.")).to_be_visible()
            await expect(page.locator(".notice")).to_have_count(0)
            await page.locator(".cell.open").first.click()
            await expect(page.locator(".move")).to_have_count(4)


async def test_the_page_fits_a_phone(browser: Browser, address: str) -> None:
    async with opened(browser, address, **PHONE) as page:
        for key in GAMES:
            await page.goto(address)
            await play_computer(page, key)
            width = await page.evaluate("() => document.documentElement.scrollWidth")
            assert width <= 360, key


async def test_a_piece_follows_the_finger_and_a_swipe_elsewhere_scrolls(browser: Browser, address: str) -> None:
    async with opened(browser, address, **{**PHONE, "viewport": {"width": 390, "height": 640}}) as page:
        await play_computer(page, "chess")
        finger = await page.context.new_cdp_session(page)

        async def middle(cell: str) -> tuple[float, float]:
            box = await page.locator(f'[data-cell="{cell}"]').bounding_box()
            assert box is not None
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

        async def touch(kind: str, *points: tuple[float, float]) -> None:
            touches = [{"x": x, "y": y} for x, y in points]
            await finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

        async def drag(start: tuple[float, float], end: tuple[float, float]) -> None:
            await touch("touchStart", start)
            for step in range(1, 9):
                share = step / 8
                x, y = (start[axis] + (end[axis] - start[axis]) * share for axis in (0, 1))
                await touch("touchMove", (x, y))
                await page.wait_for_timeout(20)

        await drag(await middle("g1"), await middle("f3"))
        await expect(page.locator(".carried")).to_have_count(1)
        await touch("touchEnd")
        await expect(page.locator(".moves .move").first).to_have_text("Nf3")
        assert await page.evaluate("scrollY") == 0
        await page.get_by_role("radio", name="Rules").check()  # which are longer than the screen
        await page.wait_for_function("scrollY > 0")
        await page.evaluate("scrollTo(0, 0)")
        x, y = await middle("e5")
        await drag((x, y), (x, y - 150))
        await touch("touchEnd")
        await page.wait_for_function("scrollY > 0")
