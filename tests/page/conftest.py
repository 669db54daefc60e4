"""One browser and one server for all tests of the page that a process runs: each takes most of a second to start."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest_asyncio

from support.browser import chromium
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as one:
        yield one


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def address() -> AsyncIterator[str]:
    """The address of a server's page. Tests that count what is in the lobby need a server of their own."""
    async with running_page(think_s=0.2) as url:
        yield url.replace("ws://", "http://").removesuffix("/ws")
