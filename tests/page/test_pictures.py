"""Each view looks as it did, in light and dark and at three widths. page/pictures.py says how to renew the pictures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from page.pictures import FORMS, LIMIT, difference, file_of, kept, pictured, shown, views
from support.browser import BROWSER

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

    from page.screenshots import View

pytestmark = [*BROWSER, pytest.mark.slow]

NAMES = (
    "home", "play", "over", "watch", "analysis", "review",
    "practice", "puzzle", "lecture", "present", "profile", "study", "settings",
    "compete", "tournament", "projector", "wall", "class",
)  # fmt: skip

TRIES, PAUSE_MS = 100, 200
"""The number of looks at a page until it is as expected, since the server's answers come later."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shows() -> AsyncIterator[tuple[str, dict[str, View]]]:
    async with views() as found:
        yield found


async def distance(page: Page, view: str, form: tuple[str, int]) -> tuple[int, bytes]:
    """The difference of a page from a picture, and the page as a PNG."""
    expected = kept(view, *form)
    for _ in range(TRIES):
        png, picture = await pictured(page)
        found = difference(expected, picture)
        if found <= LIMIT:
            break
        await page.wait_for_timeout(PAUSE_MS)
    return found, png


@pytest.mark.parametrize("view", NAMES)
async def test_a_view_looks_as_it_did(
    view: str, browser: Browser, shows: tuple[str, dict[str, View]], tmp_path: Path
) -> None:
    address, all_views = shows
    wrong = []
    async with shown(browser, address, all_views[view]) as page:
        for scheme, width, height in FORMS:
            await page.set_viewport_size({"width": width, "height": height})
            await page.emulate_media(color_scheme=scheme)
            found, png = await distance(page, view, (scheme, width))
            if found > LIMIT:
                new = tmp_path / file_of(view, scheme, width).name
                new.write_bytes(png)
                wrong.append(f"{new} differs by {found} from {file_of(view, scheme, width)}; {LIMIT} is allowed")
    assert not wrong, "\n".join([*wrong, "", f"If that is meant: PYTHONPATH=tests python -m page.pictures {view}"])


CHANGES = {
    "a button moved by 12 pixels": "document.querySelector('.actions .main').style.translate = '12px 4px'",
    "a button gone": "document.querySelector('.actions button:not(.main)').style.visibility = 'hidden'",
    "a panel gone": "document.querySelector('.beside .view').style.visibility = 'hidden'",
    "text over text": "document.querySelector('.player.bottom .what').style.translate = '0 -14px'",
    "larger type": "document.querySelector('.tabs').style.fontSize = '18px'",
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_of_a_view_is_found(change: str, browser: Browser, shows: tuple[str, dict[str, View]]) -> None:
    address, all_views = shows
    async with shown(browser, address, all_views["over"]) as page:
        await page.set_viewport_size({"width": 1366, "height": 768})
        assert (await distance(page, "over", ("light", 1366)))[0] <= LIMIT
        await page.evaluate(f"() => {{ {CHANGES[change]} }}")
        assert difference(kept("over", "light", 1366), (await pictured(page))[1]) > LIMIT
