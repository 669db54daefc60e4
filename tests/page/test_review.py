"""The review of a finished game in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from support.browser import PHONE, chromium, expect, opened
from support.client import Client, connected
from support.server import running_page

pytestmark = [pytest.mark.services, pytest.mark.slow]

BLUNDER = "1259734"
"""O loses by the second move; only 5 would have drawn."""


async def played(first: Client, second: Client, moves: str, **options: Any) -> str:
    """A room with a game of these moves."""
    answer = await first.ok(type="create", seats={"first": "me", "second": "open"}, **options)
    await second.join(answer["room"])
    for turn, move in enumerate(moves):
        assert (await (first, second)[turn % 2].play(answer["room"], turn, move))["type"] == "ok"
    return str(answer["room"])


def pieces(page: Any) -> Any:
    """The cells of the board that are not empty."""
    return page.locator(".room .board .cell:has(.piece)")


async def test_the_review_names_the_blunder_in_a_known_game_and_shows_the_better_line() -> None:
    async with running_page(review_s=60) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await played(ann, bob, BLUNDER, game="tictactoe")
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with chromium() as browser, opened(browser, f"{address}/rooms/{room}") as page:
            await page.get_by_role("radio", name="Review").check()
            verdict = page.locator(".verdict")
            await expect(verdict).to_have_text("Move 2 decided the game: with square 2, bob (O) threw a draw away.")
            await expect(pieces(page)).to_have_count(1)  # the board is where the game was decided
            await expect(page.locator(".mistakes .now")).to_contain_text("bob played square 2.")
            await page.get_by_role("radio", name="Moves").check()
            await expect(page.get_by_role("button", name="2 draw thrown away", exact=True)).to_be_visible()
            await expect(page.locator(".moves .judged.kept")).to_have_count(6)
            await page.get_by_role("radio", name="Review").check()
            await page.get_by_role("button", name="bob played square 2.").click()
            await expect(pieces(page)).to_have_count(1)
            await page.get_by_role("button", name="Forward in this line").click()
            await expect(page.locator('[data-cell="5"] .piece.second')).to_have_count(1)
            await expect(page.locator(".status")).to_have_text("You are looking at a better line, 1 move on.")
            await page.keyboard.press("ArrowRight")
            await expect(page.locator(".status")).to_have_text("You are looking at a better line, 2 moves on.")
            await expect(pieces(page)).to_have_count(3)
            await page.locator(".line button").last.click()
            await expect(pieces(page)).to_have_count(9)
            await page.get_by_role("button", name="As played").click()
            await expect(page.locator('[data-cell="2"] .piece.second')).to_have_count(1)
            await expect(pieces(page)).to_have_count(2)
            await page.keyboard.press("Escape")
            await expect(page.locator(".status")).to_contain_text("ann won")


async def test_a_review_under_way_shows_how_the_game_went_so_far_and_a_missed_mate_without_a_probably() -> None:
    async with running_page(review_s=2) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        moves = ["f2f3", "e7e5", "g2g4", "a7a6", "a2a3", "d8h4"]
        answer = await ann.ok(type="create", seats={"first": "me", "second": "open"}, game="chess")
        await bob.join(answer["room"])
        for turn, move in enumerate(moves):
            await (ann, bob)[turn % 2].ok(type="play", room=answer["room"], turn=turn, move=move)
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with chromium() as browser, opened(browser, f"{address}/rooms/{answer['room']}?review") as page:
            await expect(page.locator(".course .line")).to_have_attribute("d", re.compile("M.*L"))
            await expect(page.locator("progress")).to_be_visible()
            await expect(page.get_by_text("Missed a win: Qh4# wins in 1 move")).to_be_visible()
            await expect(page.locator("progress")).to_have_count(0)
            await page.get_by_role("button", name="bob played a6.").click()
            await expect(page.locator(".better p")).to_contain_text("this was better (wins in 1 move)")


async def test_a_win_that_was_thrown_away_before_the_draw_is_told() -> None:
    async with running_page(review_s=60) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await played(ann, bob, "123548", game="tictactoe")
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with chromium() as browser, opened(browser, f"{address}/rooms/{room}") as page:
            await page.get_by_role("radio", name="Review").check()
            told = "with square 4, {} threw a draw away. Before, move 3 threw a win away."
            await expect(page.locator(".verdict")).to_contain_text(told.format("ann (X)"))
            await page.evaluate("(token) => localStorage.setItem('noughts.token', token)", ann.token)
            await page.reload()
            await page.get_by_role("radio", name="Review").check()
            await expect(page.locator(".verdict")).to_contain_text(told.format("you"))
            through = page.locator(".through [role=status]")
            await expect(through).to_have_text(re.compile(r"^Mistake 3 of \d(, both sides)?$"))  # which decided
            await page.keyboard.press(">")
            await expect(through).to_have_text(re.compile(r"^Mistake 1 of \d(, both sides)?$"))
            await page.get_by_role("button", name="Next mistake", exact=True).click()
            await expect(through).to_have_text(re.compile(r"^Mistake 2 of \d(, both sides)?$"))
            await page.keyboard.press("<")
            await expect(through).to_have_text(re.compile(r"^Mistake 1 of \d(, both sides)?$"))


async def test_who_resigned_a_won_position_is_told_so() -> None:
    async with running_page(review_s=60) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await played(ann, bob, "124", game="tictactoe")
        await ann.ok(type="resign", room=room)
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with chromium() as browser, opened(browser, f"{address}/rooms/{room}") as page:
            await page.get_by_role("radio", name="Review").check()
            verdict = page.locator(".review .verdict")
            await expect(verdict).to_have_text("ann (X) decided the game by resigning a won position.")
            await expect(page.locator(".mistakes li")).to_contain_text(["bob played square 2."])
            await expect(page.locator(".mistakes li")).to_contain_text(["draw thrown away; square 5 was better"])


async def test_on_a_phone_the_review_fills_the_screen_below_the_whole_board() -> None:
    async with running_page(review_s=60) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = await played(ann, bob, BLUNDER, game="tictactoe")
        address = url.replace("ws://", "http://").removesuffix("/ws")
        phone = {**PHONE, "viewport": {"width": 360, "height": 640}}
        async with chromium() as browser, opened(browser, "about:blank", **phone) as page:
            await page.add_init_script(f"localStorage.setItem('noughts.token', '{bob.token}')")
            await page.goto(f"{address}/rooms/{room}")
            await page.get_by_role("button", name="Review").click()
            practise = page.get_by_role("link", name="Practise my mistake")
            for part in (
                page.locator(".stage .board"),
                page.locator(".review .verdict"),
                page.locator(".course"),
                practise,
            ):
                await expect(part).to_be_in_viewport(ratio=1)
            await page.get_by_role("button", name="You played square 2.").click()
            await expect(page.get_by_role("button", name="Forward in this line")).to_be_in_viewport(ratio=1)
            wide = "(one) => one.getBoundingClientRect().width"
            for ring in await page.locator(".found-ring").all():
                assert await ring.locator("text").evaluate(wide) < await ring.locator(".under").evaluate(wide) * 0.85
                assert await ring.locator("circle").count() == 0  # which would look like a nought
            best = await page.locator(".found-ring.is-best").evaluate("(one) => getComputedStyle(one).color")
            bodies = "(all) => all.map((one) => getComputedStyle(one).stroke)"
            assert best not in await page.locator(".board .piece.lines").evaluate_all(bodies)
            await expect(page.locator(".stage .board")).to_be_in_viewport(ratio=1)
            await page.get_by_role("button", name="Back to the game").click()
            await expect(page.locator(".moves")).to_be_visible()
