"""Pictures of the page's views, small enough to be kept, and how far another picture is from one.

PYTHONPATH=tests python -m page.pictures [VIEW ...]     takes them anew, after a change of the page that is meant
"""

from __future__ import annotations

import argparse
import asyncio
import io
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from page.screenshots import CLOCK, View, lecture, play, practice, review, room
from support.browser import chromium, expect, opened
from support.client import Client, connected
from support.programs import missing
from support.server import ServerProcess

if TYPE_CHECKING:
    from PIL.Image import Image
    from playwright.async_api import Browser, Page

FOLDER = Path(__file__).parent / "pictures"

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FORMS = tuple((scheme, *size) for size, scheme in product(((360, 740), (768, 1024), (1366, 768)), SCHEMES))
"""Colours, and the width and height of the window."""

SCALE = 8
"""So many pixels of the page, in each direction, are one of a picture."""

NOISE = 10
"""A pixel's difference up to which it may be the rendering of letters, which no two versions of Chromium do alike."""

WINDOW = 2
"""Differences are averaged over a square of so many pixels on each side of one, which is 40 pixels of the page."""

LIMIT = 3
"""The largest average difference above the noise, of 255, at which two pictures are alike."""

MOVING = (
    ".time, time, .left, .qr, [readonly], .settings .note, header bdi, "
    ".profile .note.small, .profile td, .profile dd, .rating-graph, .person-name .note, .last-game .told .note, "
    ".clock, .tournament .named, .s-row .named, .s-results .named, .live-board .who, .k-join b, "
    ".home .live :is(.board, .no-board), .today .card a, .tile:is([data-game=tictactoe], [data-game=gomoku]) .board"
)
"""The parts that differ each time: clocks, dates, names of guests and of those who are paired by lot, links, codes, and
boards of live games on the first view, which are loaded when they are seen: a picture of the whole page may see them;
and puzzles of the day.

Pictures are taken without them. A mask over them would have to be put there each time, and may miss them.
"""

HIDE = """(parts) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:is(${parts}), :is(${parts}) * { visibility: hidden !important }`);
  document.adoptedStyleSheets.push(sheet);
}"""

FONT = "Liberation Sans"
"""The font of the pictures: metric-compatible with Arial, and in Debian's fonts-liberation."""


@asynccontextmanager
async def views() -> AsyncIterator[tuple[str, dict[str, View]]]:
    """A server with the same games each time: the address of its page, and what there is to see."""
    async with AsyncExitStack() as stack:
        made = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = await stack.enter_async_context(
            ServerProcess(made / "journal", made / "log", think_s=0.1, analyse_s=0.3, away_s=600)
        )

        async def player(name: str) -> Client:
            client = await stack.enter_async_context(connected(server.url, name))
            await client.ok(type="register")
            return client

        ann, ben, cleo, dan = [await player(name) for name in ("Ann", "Ben", "Cleo", "Dan")]

        async def game(one: Client, two: Client, key: str, moves: str, **more: object) -> str:
            where = await room(one, two, key, **more)
            await play(one, two, key, where, moves)
            return f"/rooms/{where}"

        won = await game(ann, ben, "tictactoe", "1 2 5 3 9", clock=CLOCK, rated=True)
        lost = await game(cleo, ann, "tictactoe", "5 2 1 9 7 4 3")
        begun = await game(ann, ben, "connect4", "4 5 5 4 4 6 4 5 5 1 2 2", clock=CLOCK)
        await game(ben, ann, "breakthrough", "e2e3 e7f6 e3e4", clock=CLOCK)
        watched = await game(cleo, dan, "tictactoe", "5 1 3")
        await game(cleo, dan, "gomoku", "h8 h9 i9 j10 j8 i8")
        await dan.ok(type="create", game="reversi", seats={"first": "me", "second": "open"}, clock=CLOCK)
        chosen = await ben.request(
            type="make_puzzle_set", title="Week 1", puzzles=["tictactoe/0dd0c0c4", "tictactoe/ec837d51"]
        )  # of which no part depends on the day
        eve, fay = await player("Eve"), await player("Fay")
        club = await _tournament(eve, [await player(name) for name in ("Gil", "Hal", "Ida", "Jon")])
        await eve.ok(type="open_tournament", name="Open day", format="arena", minutes=30, game="reversi", clock=CLOCK)
        students = [await stack.enter_async_context(connected(server.url, None)) for _ in range(4)]
        taught = await _class(await player("Kim"), students, chosen["set"])
        analysed = "game=tictactoe&moves=5+1+(2+3)+9+(3)&at=2&marks=g:5~9"
        yield (
            server.url.replace("ws://", "http://").removesuffix("/ws"),
            {
                "home": View("/", ann.token, _boards),
                "play": View(begun, ann.token),
                "over": View(won, ann.token),
                "watch": View("/watch", ben.token, _boards),
                "analysis": View(f"/analysis?{analysed}", ann.token, _worth),
                "review": View(lost, cleo.token, review),
                "practice": View(f"{lost}?practice=second", ann.token, practice),
                "lecture": View("/lecture", ann.token, lecture),
                "present": View(f"{watched}?present", ann.token, _worth),
                "profile": View("/players/Ann", ben.token, _boards),
                "study": View("/study", ann.token),
                "puzzle": View(f"/puzzles?set={chosen['set']}", ann.token, _boards),
                "compete": View("/compete", ben.token, _listed),
                "tournament": View(club, fay.token, _live),
                "projector": View(f"{club}?present", fay.token, _live),
                "wall": View(f"{club}?wall", fay.token, _live),
                "class": View(taught[0], taught[1], _simul),
                "settings": View("/settings", ann.token, _settings),
            },
        )


async def _tournament(organiser: Client, entrants: Sequence[Client]) -> str:
    """A tournament in its second round, in which the two boards have the same position; its path."""
    # It is in no list, since lots decide who plays whom.
    terms = {"format": "round_robin", "game": "connect4", "rounds": 1, "clock": CLOCK, "private": True}
    tournament = (await organiser.ok(type="open_tournament", name="Club", **terms))["tournament"]
    for client in entrants:
        await client.ok(type="enter_tournament", tournament=tournament)
    await organiser.ok(type="start_tournament", tournament=tournament)
    for moves in ("1 2 1 2 1 2 1", "4 4 3 4 5"):
        boards: defaultdict[str, dict[str, Client]] = defaultdict(dict)
        for client in entrants:
            call = await client.push("tournament_game")
            boards[call["room"]][call["seat"]] = client
        for room_id, sides in boards.items():
            await play(sides["first"], sides["second"], "connect4", room_id, moves)
    return f"/tournaments/{tournament}"


async def _class(teacher: Client, students: Sequence[Client], puzzles: str) -> tuple[str, str]:
    """A class of whom two play each other, one plays the teacher, one is here, and two have not come.

    Its path, and the teacher's token.
    """
    names = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Fay"]
    name = (await teacher.request(type="make_class", title="Class B", names=names))["listing"]["class_id"]
    await teacher.request(type="change_class", class_id=name, puzzle_set=puzzles)
    for client, who in zip(students, names, strict=False):
        await client.request(type="join_class", class_id=name, name=who)
    ada, ben, cleo, _ = students
    for moves in ("1 2 5 3 9", "5 1 3"):  # in no list
        await play(ada, ben, "tictactoe", await room(ada, ben, "tictactoe", private=True), moves)
    await ada.request(type="puzzle_move", puzzle="tictactoe/0dd0c0c4", moves=["3", "6"], move="7", set=puzzles)
    simul = {"type": "simul", "class_id": name, "game": "connect4", "names": ["Cleo"], "private": True}
    (board,) = (await teacher.request(**simul))["rooms"]
    await play(teacher, cleo, "connect4", board, "4 4 3 4")
    return f"/classes/{name}", teacher.token


async def _simul(page: Page) -> None:
    await expect(page.locator(".live-board.waits .board .piece")).to_have_count(3)


async def _listed(page: Page) -> None:
    await expect(page.get_by_role("link", name="Open day")).to_be_visible()


async def _live(page: Page) -> None:
    await expect(page.locator(".live-board .board .piece")).to_have_count(6)


async def _boards(page: Page) -> None:
    await expect(page.locator(":is(.card .board, .puzzle) .piece").first).to_be_visible()


async def _worth(page: Page) -> None:
    await expect(page.locator(".cell.worth").first).to_be_visible()


async def _settings(page: Page) -> None:
    await expect(page.get_by_text("this device", exact=True)).to_be_attached()


@asynccontextmanager
async def shown(browser: Browser, address: str, view: View) -> AsyncIterator[Page]:
    """A page that shows a view, without motion, in the font of the pictures."""
    async with opened(browser, "about:blank", reduced_motion="reduce") as page:
        await page.add_init_script(f"localStorage.setItem('noughts.token', '{view.token}')")
        await page.goto(address + view.path)
        await expect(page.locator("header .me")).not_to_be_empty()
        await page.evaluate("(font) => document.documentElement.style.setProperty('--font', `'${font}'`)", FONT)
        if not await page.evaluate(HAS_FONT, FONT):
            missing("fonts-liberation")
        if view.act is not None:
            await view.act(page)
        await page.mouse.move(0, 0)
        await page.evaluate(HIDE, MOVING)
        yield page


HAS_FONT = """(font) => {
  const pen = document.createElement("canvas").getContext("2d");
  const width = (family) => { pen.font = `40px ${family}`; return pen.measureText("Noughts, mine").width; };
  return width(`"${font}", monospace`) !== width("monospace");
}"""


async def pictured(page: Page) -> tuple[bytes, Image]:
    """A page from top to bottom, as a PNG, and its small picture."""
    from PIL import Image, ImageOps

    png = await page.screenshot(full_page=True)
    with Image.open(io.BytesIO(png)) as whole:
        return png, ImageOps.posterize(whole.convert("RGB").reduce(SCALE), 5)


def difference(one: Image, other: Image) -> int:
    """The largest difference of any part of two pictures, 0 to 255: above the noise, averaged over 40 by 40 pixels.

    It is 255 for pictures whose sizes differ by more than one pixel.
    """
    from PIL import ImageChops, ImageFilter

    size = min(one.width, other.width), min(one.height, other.height)
    if max(one.width, other.width) > size[0] + 1 or max(one.height, other.height) > size[1] + 1:
        return 255
    red, green, blue = ImageChops.difference(one.crop((0, 0, *size)), other.crop((0, 0, *size))).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    above = largest.point([max(0, value - NOISE) for value in range(256)])
    extrema = above.filter(ImageFilter.BoxBlur(WINDOW)).getextrema()
    return int(extrema[1])  # type: ignore[arg-type]


def file_of(view: str, scheme: str, width: int) -> Path:
    """Where a picture is kept."""
    return FOLDER / f"{view}-{width}-{scheme}.png"


def kept(view: str, scheme: str, width: int) -> Image:
    """The picture that is kept."""
    from PIL import Image

    with Image.open(file_of(view, scheme, width)) as picture:
        return picture.copy()


async def renew(wanted: Iterable[str]) -> None:
    """Take the pictures of the wanted views, or of all."""
    FOLDER.mkdir(exist_ok=True)
    async with chromium() as browser, views() as (address, all_views):
        for name in wanted or all_views:
            async with shown(browser, address, all_views[name]) as page:
                for scheme, width, height in FORMS:
                    await page.set_viewport_size({"width": width, "height": height})
                    await page.emulate_media(color_scheme=scheme)
                    before = None
                    _, picture = await pictured(page)
                    while picture != before:  # what comes without being asked for may be missing
                        await page.wait_for_timeout(500)
                        before, (_, picture) = picture, await pictured(page)
                    picture.save(file_of(name, scheme, width), optimize=True)
            print(name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m page.pictures", description=__doc__.partition("\n")[0])
    parser.add_argument("views", nargs="*", metavar="VIEW", help="only these, such as home")
    asyncio.run(renew(parser.parse_args().views))
