"""Pictures of every view, in light and dark and on a phone, of games that this script plays on a server of its own.

scripts/screenshots FOLDER [VIEW ...]
scripts/screenshots --readme
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noughts.games import GAMES, Side
from support.browser import PHONE, chromium, expect, invite, opened, pick, play_computer, show_values
from support.client import Client, connected
from support.server import ServerProcess

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

Act = Callable[["Page"], Awaitable[None]]

WIDE = {"viewport": {"width": 1280, "height": 800}}
FORMS: dict[str, dict[str, Any]] = {
    "light": {**WIDE, "color_scheme": "light"},
    "dark": {**WIDE, "color_scheme": "dark"},
    "phone": {**PHONE, "color_scheme": "light", "device_scale_factor": 2},
}

SMALL = {"viewport": {"width": 1060, "height": 790}, "device_scale_factor": 0.6}
README = {
    "home": ("home-visitor", {**SMALL, "color_scheme": "light"}),
    "values": ("values-tictactoe", {**SMALL, "color_scheme": "dark"}),
    "lecture": ("lecture", {**SMALL, "color_scheme": "light"}),
}
"""The README's pictures: a view and a form of its own. They go to docs/images."""

MOVES = {
    "tictactoe": "5 1 3",
    "connect4": "4 5 5 4 4 6 4 5 5 1 2 2 1 2 2 1",
    "reversi": "c4 c5 d6 e3 b5 c7 d3 b4 d7 e6 f6 c3 f4 f5 a4 b3 g5 g6 h6 e7",
    "gomoku": "h8 h9 i9 j10 j8 i8 h10 g11 g9 g10 k7 l6 j7 i7 f11 i11 f10 g13 e11 d12 h12 j11 f8 k11",
    "go": "e5 c4 c5 d5 d6 d4 e6 f4 e4 e3 f5 g4 g5 h5 h6 h4 g6 d3 c6 b5 b6 a5 g7 pass",
    "hex": "c2 swap f6 e8 f7 g5 h5 f8 e9 i3 g8 h8 d9 c10 g9 h7",
    "ultimate": "e5 f6 i7 g2 b5 e6 e8 d5 b6 d9 c9 g7 a3 c7 h3 d7 c1 i2 h4 d2 b4 d3 a9 a8 b9 e9",
    "chess": "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 f7f6 d2d4 e5d4 f3d4 c6c5 d4b3",
    "draughts": (
        "10-14 22-17 7-10 23-19 11-16 26-23 2-7 24-20 10-15 20x11x2 15x24 17x10 6x15 28x19x10 8-11 30-26 3-7 10x3"
    ),
    "breakthrough": "e2e3 e7f6 e3e4 c7b6 f2g3 g7h6 c2c3 h6h5 g1f2 a7a6 f2e3 b7c6 h2h3 h8g7 b2b3 d8e7 e3d4 b8c7 b3a4",
    "morris": "c4 a4 g7 e3 e4 b2 g4 f2 g1xa4 d2xc4 f4xe3 c5 e3 b6 e5xc5 b4xe5 e5xb4 b4xe4",
    "kalah": "d1 d2 a2 c1 f2 d2 d1 e2 c2",
    "dots": "e4 b5 d1 f3 g6 e6 f5 c4 f7 g2 d5 c2 a6 a2 d3 e2",
}
"""Games that have begun, played by the engine with itself or at random."""

ANALYSED = "game=chess&moves=e2e4+e7e5+(c7c5+g1f3+d7d6+(b8c6))+g1f3+b8c6+f1b5+(f1c4+f8c5)&at=4.1.1&marks=g:f8~c5,r:f7"
"""A game with branches of branches, and marks."""

CLOCK = {"initial_s": 600, "increment_s": 5}


@dataclass(frozen=True)
class View:
    """A place in the page: its path, whose browser it is (nobody's: a new visitor's), and what is done there first."""

    path: str
    token: str | None
    act: Act | None = None


async def room(first: Client, second: Client, game: str, **terms: Any) -> str:
    """A room with two players."""
    seats = {"first": "me", "second": "open"}
    opened_room = await first.ok(type="create", game=game, seats=seats, **terms)
    await second.ok(type="join", room=opened_room["room"])
    return str(opened_room["room"])


async def play(first: Client, second: Client, game: str, where: str, moves: str) -> None:
    """Play from the start."""
    position = GAMES[game].start
    for turn, move in enumerate(moves.split()):
        player = first if position.to_move is Side.FIRST else second
        await player.ok(type="play", room=where, turn=turn, move=move)
        position = position.play(move)


async def prepared(stack: AsyncExitStack, url: str) -> dict[str, View]:
    """Play games on the server, and say what there is to see."""

    async def player(name: str) -> Client:
        client = await stack.enter_async_context(connected(url, name))
        await client.ok(type="register")
        return client

    ann, ben, cleo, dan = [await player(name) for name in ("Ann", "Benedikt", "Cleo", "Dan")]
    long = await player("longest-name-that-one-may-choose")
    hebrew = await player("דנה <b>&amp;")
    for one, two, move_count in ((ann, ben, 4), (cleo, dan, 3), (ann, cleo, 5)):
        rated = await room(one, two, "tictactoe", clock=CLOCK, rated=True)
        await play(one, two, "tictactoe", rated, "1 5 9 3 7"[: 2 * move_count])
        await two.request(type="resign", room=rated)
    views: dict[str, View] = {}
    for game, moves in MOVES.items():
        where = await room(ann, ben, game, clock=CLOCK)
        await play(ann, ben, game, where, moves)
        views[f"room-{game}"] = View(f"/rooms/{where}", (ben if len(moves.split()) % 2 else ann).token)
        views[f"values-{game}"] = View(f"/rooms/{where}", None, values)
        await play(cleo, dan, game, await room(cleo, dan, game, clock=CLOCK), " ".join(moves.split()[:9]))
    won = await room(ann, ben, "tictactoe", clock=CLOCK)
    await play(ann, ben, "tictactoe", won, "1 2 5 3 9")
    lost = await room(cleo, dan, "tictactoe", clock=CLOCK)
    await play(cleo, dan, "tictactoe", lost, "5 2 1 9 7 4 3")
    names = await room(long, hebrew, "connect4", clock=CLOCK)
    await play(long, hebrew, "connect4", names, "4 4 3")
    for client, text in ((long, "Good luck!"), (hebrew, "תודה, gl hf")):
        await client.ok(type="chat", room=names, text=text)
    await cleo.ok(type="create", game="gomoku", seats={"first": "me", "second": "open"}, clock=CLOCK)
    await long.ok(type="create", game="reversi", seats={"first": "open", "second": "me"})
    return {
        **views,
        "home": View("/", ann.token, boards),
        "home-visitor": View("/", None, boards),
        "waiting": View("/", dan.token, waiting),
        "computer": View("/", None, computer),
        "finished": View(f"/rooms/{won}", ann.token),
        "finished-watched": View(f"/rooms/{won}", None),
        "replay": View(views["room-connect4"].path, None, replay),
        "names": View(f"/rooms/{names}", None),
        "names-mine": View(f"/rooms/{names}", long.token),
        "review": View(f"/rooms/{lost}", cleo.token, review),
        "practice": View(f"/rooms/{lost}?practice=second", cleo.token, practice),
        "profile": View("/players/Ann", None, profile),
        "chat": View(f"/rooms/{names}", long.token, chat),
        "lecture": View("/lecture", None, lecture),
        "analysis": View(f"/analysis?{ANALYSED}", None, analysis),
        "present": View(f"{views['room-connect4'].path}?present", None, present),
        "settings": View("/settings", ann.token, settings),
        "refused": View("/", None, refused),
        "rules": View(views["room-ultimate"].path, None, rules),
        "unknown": View("/rooms/nowhere", None, unknown),
    }


async def values(page: Page) -> None:
    await show_values(page)
    await expect(page.locator(".cell.worth, .way").first).to_be_attached()


async def analysis(page: Page) -> None:
    await expect(page.locator(".board .way")).to_be_attached()


async def boards(page: Page) -> None:
    await expect(page.locator(".card").first).to_be_visible()
    await page.locator(".card").last.scroll_into_view_if_needed()
    await page.wait_for_timeout(1500)  # for the boards that are seen
    await page.evaluate("() => scrollTo(0, 0)")


async def waiting(page: Page) -> None:
    await invite(page, "reversi")


async def computer(page: Page) -> None:
    await play_computer(page, "tictactoe")
    await pick(page, "5")
    await expect(page.locator(".move")).to_have_count(2)


async def refused(page: Page) -> None:
    await computer(page)
    await pick(page, "5")
    await expect(page.get_by_role("alert")).to_be_visible()


async def replay(page: Page) -> None:
    await expect(page.locator(".move:enabled")).not_to_have_count(0)
    await page.get_by_role("button", name="Back", exact=True).click()
    await page.get_by_role("button", name="Back", exact=True).click()


async def review(page: Page) -> None:
    await page.locator(".actions").get_by_role("button", name="Review").click()  # a phone has no tab for it
    await expect(page.get_by_text("decided the game")).to_be_visible()


async def practice(page: Page) -> None:
    await page.get_by_role("button", name="Hint").click()


async def profile(page: Page) -> None:
    await expect(page.locator(".card .board .piece").first).to_be_visible()
    await page.wait_for_timeout(1500)  # for the other boards


async def chat(page: Page) -> None:
    await page.get_by_role("radio", name="Chat").check()
    await page.locator(".chat button.who").first.click()


async def lecture(page: Page) -> None:
    for _ in range(9):
        await page.get_by_role("button", name="Step forward").click()


async def present(page: Page) -> None:
    await expect(page.locator(".cell.worth").first).to_be_visible()


async def settings(page: Page) -> None:
    await page.get_by_role("button", name="Add a device").click()
    await expect(page.locator(".link")).to_be_visible()


async def rules(page: Page) -> None:
    await page.get_by_role("radio", name="Rules").check()


async def unknown(page: Page) -> None:
    await expect(page.locator("main")).not_to_be_empty()


async def take(folder: Path, wanted: set[str], *, readme: bool) -> None:
    """Take the pictures of the wanted views, or of all."""
    async with AsyncExitStack() as stack:
        made = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = await stack.enter_async_context(
            ServerProcess(made / "journal", made / "log", think_s=0.1, analyse_s=0.3, away_s=600)
        )
        browser = await stack.enter_async_context(chromium())
        address = server.url.replace("ws://", "http://").removesuffix("/ws")
        if readme:
            views = await prepared(stack, server.url)
            for name, (view, options) in README.items():
                await _picture(browser, address, views[view], options, folder / f"{name}.png", whole=False)
            return
        await _pictures(browser, address, {"home-empty": View("/", None)}, folder, wanted)
        await _pictures(browser, address, await prepared(stack, server.url), folder, wanted)


async def _pictures(browser: Browser, address: str, views: dict[str, View], folder: Path, wanted: set[str]) -> None:
    for view, form in product(views, FORMS):
        if not wanted or wanted & {view, f"{view}-{form}"}:
            await _picture(browser, address, views[view], FORMS[form], folder / f"{view}-{form}.png")


async def _picture(
    browser: Browser, address: str, view: View, options: dict[str, Any], file: Path, *, whole: bool = True
) -> None:
    script = "" if view.token is None else f"localStorage.setItem('noughts.token', '{view.token}')"
    async with opened(browser, "about:blank", reduced_motion="reduce", **options) as page:
        await page.add_init_script(script)
        await page.goto(address + view.path)
        await expect(page.locator("header .me")).not_to_be_empty()
        if view.act is not None:
            await view.act(page)
        await page.wait_for_timeout(300)  # for what comes without being asked for, such as past positions
        await page.mouse.move(0, 0)
        await page.screenshot(path=file, full_page=whole)
    print(file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/screenshots", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/images"))
    parser.add_argument("views", nargs="*", metavar="VIEW", help="only these, such as home or home-dark")
    parser.add_argument("--readme", action="store_true", help="the README's pictures, into docs/images")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(chosen.folder, set(chosen.views), readme=chosen.readme))
