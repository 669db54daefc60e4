"""A real browser: Debian's Chromium, headless, driven by Playwright."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from support.programs import missing, program

if TYPE_CHECKING:
    from playwright.async_api import Browser, ConsoleMessage, Locator, Page, Request

BROWSER = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]
"""The marks of a module of tests that use the fixtures of tests/page/conftest.py: they share an event loop."""

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
"""A context with a small touch screen."""

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")

PATIENCE_MS = 40_000
"""The time to wait for what should come: long, since the machine that runs the tests may be busy."""

REFUSED = ("net::ERR_CONNECTION_REFUSED", "net::ERR_INTERNET_DISCONNECTED")
"""A browser's messages about a server or a network that is not there. No script can keep it from saying so."""


ABORTED = "net::ERR_ABORTED"
"""A browser's message about a request of a page that was left."""


@asynccontextmanager
async def chromium(*arguments: str) -> AsyncIterator[Browser]:
    """A browser with these ``arguments`` and the usual ones.

    Without one, or without Playwright, the test is skipped, and fails where ``CI`` is set.
    """
    try:
        from playwright.async_api import async_playwright
    except ImportError:
        missing("playwright")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program("chromium"), args=[*ARGUMENTS, *arguments])
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def opened(browser: Browser, url: str, *, dies: bool = False, **context: Any) -> AsyncIterator[Page]:
    """A page at ``url`` in a browser profile of its own, with Playwright's options for a ``context``.

    Anything wrong in the console and any failed request fails the test, but refused connections if the server ``dies``.
    """
    wrong: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not (dies and any(words in message.text for words in REFUSED)):
            wrong.append(f"console: {message.text}")

    def on_failed(request: Request) -> None:
        if request.failure != ABORTED:
            wrong.append(f"failed: {request.url}: {request.failure}")

    own = await browser.new_context(**context)
    own.set_default_timeout(PATIENCE_MS)
    page = await own.new_page()
    page.on("console", on_console)
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("requestfailed", on_failed)
    try:
        await page.goto(url)
        yield page
    finally:
        await own.close()
    assert not wrong, "\n".join(wrong)


def expect(what: Any) -> Any:
    """Playwright's assertions about a page or a part of it, which wait until they hold."""
    from playwright.async_api import expect as playwrights

    playwrights.set_options(timeout=PATIENCE_MS)
    return playwrights(what)


async def terms(page: Page, game: str) -> Locator:
    """The choices of a game on the first view, opened."""
    tile = page.locator(f'.tile[data-game="{game}"]')
    await tile.locator(".terms").click()
    return tile.locator(".pop")


async def invite(page: Page, game: str) -> None:
    """Open a private room from the first view, and wait until it is shown."""
    await (await terms(page, game)).get_by_role("button", name="Invite a friend").click()
    await expect(page.get_by_text("Send this link.")).to_be_visible()


async def seek(page: Page, game: str = "tictactoe", clock: str = "no clock") -> None:
    """Look for an opponent from the first view."""
    form = await terms(page, game)
    await form.get_by_role("radio", name=clock).check()
    await form.get_by_role("button", name="Find an opponent").click()


async def play_computer(page: Page, game: str, level: str = "easy", side: str = "first") -> None:
    """Begin a game against the computer from the first view, and wait until it is shown."""
    await page.get_by_role("radio", name=level).check()
    if side == "first":
        await page.locator(f'.tile[data-game="{game}"] .go').click()
    else:
        form = await terms(page, game)
        await form.locator(f'[name=side][value="{side}"]').check()
        await form.get_by_role("button", name="Play the computer").click()
    await expect(page.locator(".board[role=grid]")).to_be_visible()


async def show_values(page: Page) -> None:
    """Open the tab with the values of a room."""
    await page.get_by_role("radio", name="Values").check()


async def pick(page: Page, cell: str) -> None:
    """Click a cell, also one where no move is legal."""
    await page.locator(f'[data-cell="{cell}"]').click(force=True)


async def my_move(page: Page, ply: int) -> None:
    """Wait until it is this page's turn, after ``ply`` moves. ``expect`` would look ever less often."""
    await page.wait_for_function(
        """(ply) => ["Your move", "No move: you must pass"].includes(document.querySelector(".status")?.textContent)
        && document.querySelectorAll(".moves .move").length === ply""",
        arg=ply,
    )


SMALL = """(least) => {
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || element.closest(".spoken, option, title, noscript")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const scale = element instanceof SVGElement ? element.getScreenCTM().d : 1;
    const size = parseFloat(getComputedStyle(element).fontSize) * scale;
    if (size < least - 0.05) found.add(`${size.toFixed(1)} px: ${element.getAttribute("class")} ${text.data.trim()}`);
  }
  return [...found];
}"""


async def too_small(page: Page, least_px: float = 28) -> list[str]:
    """The texts that are shown smaller than so many pixels, with their sizes."""
    found: list[str] = await page.evaluate(SMALL, least_px)
    return found
