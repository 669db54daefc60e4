"""A real browser: Debian's Chromium, headless, driven by Playwright."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from support.programs import missing, program

if TYPE_CHECKING:
    from playwright.async_api import Browser, ConsoleMessage, Page, Request

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")

REFUSED = "net::ERR_CONNECTION_REFUSED"
"""What a browser says of a server that is not there. No script can keep it from saying so."""

ABORTED = "net::ERR_ABORTED"
"""What a browser says of a file that it no longer needs, because it goes to another page."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser. Without one, or without Playwright, the test is skipped, and fails where ``CI`` is set."""
    try:
        from playwright.async_api import async_playwright
    except ImportError:
        missing("playwright")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program("chromium"), args=list(ARGUMENTS))
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
        if message.type in ("error", "warning") and not (dies and REFUSED in message.text):
            wrong.append(f"console: {message.text}")

    def on_failure(request: Request) -> None:
        if request.failure != ABORTED:
            wrong.append(f"failed: {request.url}: {request.failure}")

    own = await browser.new_context(**context)
    own.set_default_timeout(20_000)
    page = await own.new_page()
    page.on("console", on_console)
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("requestfailed", on_failure)
    try:
        await page.goto(url)
        yield page
    finally:
        await own.close()
    assert not wrong, wrong


def expect(what: Any) -> Any:
    """Playwright's assertions about a page or a part of it, which wait until they hold."""
    from playwright.async_api import expect as playwrights

    return playwrights(what)
