"""Puzzles in a real browser: solved by clicks and keys, kept for guests and players, and in sets for a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noughts.puzzles import sets
from page.test_practice import signed_in
from support.browser import BROWSER, PHONE, expect, opened, pick
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER

PUZZLE = "tictactoe/0dd0c0c4"  # oo./.x./..x: X wins by 3, and then by 6 or 7
CHESS = "chess/12d367bf"  # g7g2 wins, the queen to g2

NOTE_BUSY = """() => {
  busy = [];
  new MutationObserver((changes) => {
    for (const { target } of changes) if (target.ariaBusy) busy.push(target.textContent);
  }).observe(document.body, { subtree: true, attributeFilter: ["aria-busy"] });
}"""
"""Notes what the buttons say that are busy, in ``busy``."""


async def solve(page: Page) -> None:
    await pick(page, "3")
    await expect(page.locator(".stage .piece")).to_have_count(6)  # with the answer to it
    await pick(page, "7")
    await expect(page.get_by_role("button", name="Next puzzle")).to_be_visible()


async def test_a_guest_solves_a_puzzle_and_the_browser_keeps_it(browser: Browser, address: str) -> None:
    async with opened(browser, f"{address}/study", reduced_motion="reduce") as page:
        await page.get_by_role("link", name="Solve puzzles").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("to move")
        await page.goto(f"{address}/puzzles?puzzle={PUZZLE}")
        await expect(page.get_by_role("heading", level=1)).to_have_text("X to move: win in 2 moves.")
        await expect(page.locator(".facts")).to_contain_text("875")
        await pick(page, "4")
        await expect(page.locator(".told")).to_contain_text("Wrong: O wins in 1 move.")
        await expect(page.locator(".facts")).to_contain_text("not known yet")
        await expect(page.get_by_text("Your rating")).to_have_count(0)
        await expect(page.locator(".stage .piece")).to_have_count(6)  # with O's answer
        await expect(page.locator(".way")).to_contain_text("move 1 of 2")
        await expect(page.locator(".way .found")).to_have_count(0)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Wrong: O answers.")
        await expect(page.locator(".actions button:visible")).to_have_text(["Try again", "Copy the link"])
        await page.get_by_role("button", name="Try again").click()
        await expect(page.locator(".stage .piece")).to_have_count(4)  # they go back
        await expect(page.get_by_role("heading", level=1)).to_have_text("X to move: win in 2 moves.")
        await solve(page)
        await expect(page.locator(".told")).to_contain_text("Solved, but not at the first try.")
        await expect(page.locator(".proof")).to_contain_text("4, 6, 7, 8")
        await expect(page.locator(".proof")).to_contain_text("O wins in 1 move")
        await page.get_by_role("button", name="A move back").click()
        await expect(page.locator(".stage .piece")).to_have_count(6)
        await page.keyboard.press("Home")
        await expect(page.locator(".stage .piece")).to_have_count(4)
        await page.reload()
        await expect(page.locator(".facts")).to_contain_text(f"1 of {len(sets.by_key('tictactoe'))}")
        await expect(page.locator(".note").first).to_contain_text("You have tried this puzzle before")
        await page.get_by_label("Difficulty of the next puzzle").select_option("harder")
        await page.get_by_role("button", name="Skip").click()
        await expect(page.locator(".facts")).not_to_contain_text("875")


async def test_a_puzzle_is_solved_by_keys_and_told_to_a_screen_reader(browser: Browser, address: str) -> None:
    async with opened(browser, f"{address}/puzzles?puzzle={PUZZLE}", **PHONE, reduced_motion="reduce") as page:
        more = page.locator(".also a").first
        await more.scroll_into_view_if_needed()
        await more.click()
        await expect(page).not_to_have_url(f"{address}/puzzles?puzzle={PUZZLE}")
        await page.wait_for_function("scrollY === 0")
        await page.go_back()
        await page.get_by_role("button", name="Hint").click()
        await expect(page.get_by_role("status").last).to_contain_text("One of these is right: 3, 4, 7.")
        await expect(page.locator(".found-ring.is-hint")).to_have_count(3)
        await page.get_by_label("Type a move").fill("9")
        await page.keyboard.press("Enter")
        await expect(page.locator(".error")).to_have_text("9 is not a legal move here.")
        await page.get_by_label("Type a move").fill("3")
        await page.keyboard.press("Enter")
        await expect(page.locator("[aria-live=polite]")).to_have_text("O plays 6.")
        await page.locator('[data-cell="7"]').press("Enter")
        await expect(page.get_by_role("button", name="Next puzzle")).to_be_visible()
        await expect(page.locator(".told")).to_contain_text("Solved with a hint.")
        await expect(page.locator(".week")).to_contain_text("1 day in a row.")


async def test_a_move_may_be_typed_as_players_write_it(browser: Browser, address: str) -> None:
    async with opened(browser, f"{address}/puzzles?puzzle={CHESS}", reduced_motion="reduce") as page:
        for typed in ("Qg9", "Qg2"):
            await page.get_by_label("Type a move").fill(typed)
            await page.keyboard.press("Enter")
            if typed == "Qg9":
                await expect(page.locator(".error")).to_have_text("Qg9 is not a legal move here.")
        await expect(page.locator(".told")).to_contain_text("Right.")


async def test_a_player_is_known_to_the_server_and_a_class_to_its_teacher(browser: Browser, address: str) -> None:
    url = f"{address.replace('http', 'ws', 1)}/ws"
    async with connected(url, "teacher") as teacher, connected(url, "pupil") as pupil:
        for each in (teacher, pupil):
            await each.ok(type="register")
        async with opened(browser, "about:blank", reduced_motion="reduce") as page:
            await signed_in(page, teacher.token)
            await page.goto(f"{address}/puzzles?puzzle={PUZZLE}")
            await page.get_by_text("A set for your class").click()
            await page.get_by_label("Name").fill("Week 1")
            await page.get_by_label("Puzzles", exact=True).fill("3")
            await page.get_by_role("button", name="Make the set").click()
            await expect(page.get_by_text("Nobody has tried one of these puzzles yet.")).to_be_visible()
            await expect(page.locator(".set .progress a")).to_have_count(3)
            link = await page.get_by_label("Link for your class").input_value()
            async with opened(browser, "about:blank", reduced_motion="reduce") as other:
                await signed_in(other, pupil.token)
                await other.goto(link)
                await expect(other.get_by_text("teacher sees what you solve of this set.")).to_be_visible()
                await other.evaluate(NOTE_BUSY)
                await other.get_by_role("button", name="Show the answer").click()
                await expect(other.get_by_role("link", name="Puzzle 1: not solved")).to_be_visible()
                await other.get_by_role("button", name="Next puzzle").click()
                await expect(other.locator(".progress [aria-current=step]")).to_have_attribute(
                    "title", "Puzzle 2: not tried"
                )
                assert await other.evaluate("() => busy") == ["Show the answer"]
                await expect(other.locator("[aria-busy]")).to_have_count(0)
            await page.get_by_role("button", name="Look again").click()
            await expect(page.get_by_role("row", name="pupil")).to_contain_text("not solved")
            await page.get_by_role("button", name="Delete the set").click()
            await expect(page.locator(".set")).to_have_count(0)
            await page.goto(link)
            await expect(page.get_by_text("There is no such set")).to_be_visible()
