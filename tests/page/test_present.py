"""Rooms on a projector: what is written there can be read from the last row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browser import BROWSER, expect, opened, too_small
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = BROWSER

SCREEN = {"width": 1920, "height": 1080}

MOVES = {
    "tictactoe": "51",
    "reversi": ("c4", "c5"),
    "gomoku": ("h8", "h9"),
    "chess": ("e2e4",),
    "kalah": (),
    "dots": (),
}


@pytest.mark.parametrize("game", MOVES)
async def test_a_room_on_a_projector(browser: Browser, address: str, game: str) -> None:
    url = address.replace("http://", "ws://") + "/ws"
    async with connected(url, "Ann") as ann, connected(url, "Ben") as ben:
        room = (await ann.ok(type="create", game=game, seats={"first": "me", "second": "open"}))["room"]
        await ben.ok(type="join", room=room)
        for turn, move in enumerate(MOVES[game]):
            await (ben if turn % 2 else ann).ok(type="play", room=room, turn=turn, move=move)
        async with opened(browser, f"{address}/rooms/{room}?present", viewport=SCREEN) as page:
            await expect(page.locator(".board[role=grid]")).to_be_visible()
            await expect(page.locator(".verdict").first).to_be_visible()
            assert await too_small(page) == []
            assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
