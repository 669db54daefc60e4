"""A board in a frame of another site, in a browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from support.browser import BROWSER, expect, opened
from support.client import connected
from support.ports import free_port
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER

CLOCK = {"initial_s": 300, "increment_s": 2}


@asynccontextmanager
async def site(body: str, port: int) -> AsyncIterator[None]:
    """Another site, which has one page, at ``port``."""
    head = ("HTTP/1.1 200 OK", "Content-Type: text/html", "Connection: close", f"Content-Length: {len(body)}")
    page = "\r\n".join([*head, "", body])

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(page.encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", port):
        yield


@pytest.mark.parametrize("sandbox", ["", 'sandbox="allow-scripts"'])
async def test_a_site_that_may_shows_a_game_as_it_goes_on(browser: Browser, sandbox: str) -> None:
    port = free_port()
    club = f"http://localhost:{port}"
    async with (
        running_page(embed_sites=[club]) as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
    ):
        room = (await ann.ok(type="create", game="chess", clock=CLOCK))["room"]
        address = f"{url.replace('ws:', 'http:').removesuffix('/ws')}/embed/rooms/{room}"
        frame = f'<iframe id="board" {sandbox} width="420" height="560" src="{address}"></iframe>'
        async with site(frame, port), opened(browser, club) as page:
            board = page.frame_locator("#board")
            await expect(board.get_by_text("Waiting for an opponent")).to_be_visible()
            await ben.ok(type="join", room=room)
            for turn, (player, move) in enumerate([(ann, "e2e4"), (ben, "e7e5")]):
                await player.ok(type="play", room=room, turn=turn, move=move)
            await expect(board.locator(".status")).to_have_text("ann to move")
            await expect(board.get_by_role("gridcell", name="e5, Black pawn")).to_be_visible()
            await expect(board.locator(".player .who")).to_have_text(["ben", "ann"])  # the first side is at the bottom
            width = await board.locator(".player .mark").first.evaluate("(mark) => mark.getBoundingClientRect().width")
            assert width < 40, "the piece beside a name has its size"
            before = await board.locator(".time.running").inner_text()
            await expect(board.locator(".time.running")).not_to_have_text(before)  # the clock runs between two answers
            link = board.get_by_role("link", name="Chess, Noughts")
            assert await link.get_attribute("href") == f"/rooms/{room}"
            await ben.ok(type="resign", room=room)
            await expect(board.locator(".status")).to_have_text("ann won by resignation.")
            assert await page.context.cookies() == []  # and a frame in a sandbox could store nothing


async def test_a_site_that_may_not_shows_nothing(browser: Browser) -> None:
    port = free_port()
    async with running_page(embed_sites=["https://club.example.org"]) as url, connected(url, "ann") as ann:
        room = await ann.create()
        base = url.replace("ws:", "http:").removesuffix("/ws")
        frames = "".join(f'<iframe src="{base}/{path}"></iframe>' for path in (f"embed/rooms/{room}", f"rooms/{room}"))
        async with site(frames, port):
            context = await browser.new_context()
            page = await context.new_page()
            refused: list[str] = []
            page.on("console", lambda message: refused.append(message.text))
            await page.goto(f"http://localhost:{port}")
            for frame in page.frames[1:]:
                assert await frame.locator(".board").count() == 0
            await expect(page.locator("iframe")).to_have_count(2)
            await context.close()
        assert sum("frame-ancestors" in line for line in refused) == 2, refused
