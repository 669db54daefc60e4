"""Every view in every form, by axe-core: contrast, names, roles, sizes of targets."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count, product
from typing import TYPE_CHECKING, Literal

import pytest

from features.test_tournaments import opened as opened_tournament
from features.test_tournaments import players
from noughts.games import GAMES
from page.test_practice import signed_in
from page.test_review import played
from support.browser import BROWSER, expect, invite, opened, pick, play_computer, show_values, terms
from support.client import connected

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER

RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]},
    "resultTypes": ["violations"],
}
"""By name, since size of targets (wcag22aa) is not among the rules that axe applies by default. The best practices are
about headings and landmarks."""

FRESH = count(10)

FORMS: tuple[tuple[Literal["light", "dark"], int], ...] = tuple(product(("light", "dark"), (1280, 360)))


async def room(page: Page, game: str) -> None:
    """A game against the computer, with the value of every move."""
    await play_computer(page, game)
    await show_values(page)
    await expect(page.locator(".cell.worth, .way").first).to_be_attached()


async def waiting(page: Page) -> None:
    await invite(page, "connect4")


async def finished(page: Page) -> None:
    await play_computer(page, "tictactoe")
    await pick(page, "5")
    await expect(page.locator(".move")).to_have_count(2)
    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("button", name="Yes").click()
    await expect(page.get_by_role("button", name="Rematch")).to_be_visible()


async def replay(page: Page) -> None:
    await finished(page)
    await page.get_by_role("button", name="First move").click()
    await expect(page.locator(".status")).to_contain_text(" of ")


async def review(page: Page) -> None:
    await finished(page)
    await page.get_by_role("radio", name="Review").check()
    await expect(page.get_by_text("decided the game")).to_be_visible()


async def practice(page: Page) -> None:
    """The answer to a mistake, after a hint."""
    url = f"{page.url.replace('http', 'ws', 1).rstrip('/')}/ws"
    async with connected(url, None) as one, connected(url, None) as other:
        room = await played(one, other, "123548", game="tictactoe")
    await page.goto(f"{page.url.rstrip('/')}/rooms/{room}?practice=first")
    await page.get_by_role("button", name="Hint").click()
    await page.get_by_role("button", name="Show the move").click()
    await expect(page.locator(".line .now")).to_be_visible()


async def chat(page: Page) -> None:
    """A line of chat, with the actions against its author."""
    await page.get_by_role("radio", name="easy").check()
    async with connected(f"{page.url.replace('http', 'ws', 1).rstrip('/')}/ws", None) as other:
        room = await other.create(private=True)
        await page.goto(f"{page.url.rstrip('/')}/rooms/{room}")
        await page.get_by_role("button", name="Take the seat").click()
        await page.get_by_role("radio", name="Chat").check()
        await other.ok(type="chat", room=room, text="hello")
        await page.locator(".chat button.who").first.click()
        await page.get_by_role("button", name="Report …").click()
        await page.locator(".chat button.who").first.click()


async def profile(page: Page) -> None:
    """One's own page, with a finished game."""
    async with connected(f"{page.url.replace('http', 'ws', 1).rstrip('/')}/ws", None) as other:
        room = await other.create()
        await page.goto(f"{page.url.rstrip('/')}/rooms/{room}")
        await page.get_by_role("button", name="Take the seat").click()
        await expect(page.locator(".board[role=grid]")).to_be_visible()
        await other.ok(type="play", room=room, turn=0, move="5")
        await page.locator('[data-cell="1"]').click()
        await expect(page.locator(".move")).to_have_count(2)
        await other.ok(type="resign", room=room)
    await page.locator(".player.bottom .person-link").click()
    await expect(page.locator(".card .board .piece")).to_have_count(2)


async def compete(page: Page) -> None:
    """The list of tournaments, and the form to open one."""
    async with players(f"{page.url.replace('http', 'ws', 1).rstrip('/')}/ws", "Ada") as (ada,):
        await opened_tournament(ada)
        await page.add_init_script(f"localStorage.setItem('noughts.token', '{ada.token}')")
        await page.goto(f"{page.url.rstrip('/')}/compete")
        await expect(page.get_by_role("link", name="Club").first).to_be_visible()


async def classroom(page: Page, query: str = "") -> None:
    """A class for its teacher: one student waits for an opponent, and one plays the teacher."""
    url = f"{page.url.replace('http', 'ws', 1).rstrip('/')}/ws"
    async with players(url, f"Tea{next(FRESH)}") as (tea,), connected(url, None) as ada, connected(url, None) as ben:
        made = await tea.request(type="make_class", title="Class B", names=["Ada", "Ben", "Cleo"])
        name = made["listing"]["class_id"]
        for client, who in ((ada, "Ada"), (ben, "Ben")):
            await client.request(type="join_class", class_id=name, name=who)
        await tea.request(type="simul", class_id=name, game="connect4", names=["Ben"])
        await ada.create()
        await page.add_init_script(f"localStorage.setItem('noughts.token', '{tea.token}')")
        await page.goto(f"{page.url.rstrip('/')}/classes/{name}{query}")
        await expect(page.locator(".live-board")).to_have_count(1)
        if query:
            return
        await page.get_by_role("button", name="Settings").click()
        await page.get_by_role("button", name=re.compile("More about .?Ben")).click()
        await expect(page.get_by_text("No game yet.")).to_be_visible()


async def classes(page: Page) -> None:
    """The list of classes, and the form to make one."""
    await classroom(page)
    await page.goto(f"{'/'.join(page.url.split('/')[:3])}/classes")
    await expect(page.get_by_role("link", name="Class B")).to_be_visible()


async def joining(page: Page, *, member: bool) -> None:
    """A class for a student, who takes a name or has one."""
    async with players(f"{page.url.replace('http', 'ws', 1).rstrip('/')}/ws", f"Tea{next(FRESH)}") as (tea,):
        made = await tea.request(type="make_class", title="Class B", names=[f"Ada {number}" for number in range(20)])
        await page.goto(f"{page.url.rstrip('/')}/classes/{made['listing']['class_id']}")
        await page.get_by_role("button", name="Ada 7").click()
        if member:
            await page.get_by_role("button", name="I am").click()
            await page.get_by_text("Hand in a bot").click()
        else:
            await page.get_by_role("button", name="No, back").click()


async def tournament(page: Page, query: str = "") -> None:
    """A round of a tournament, for its organiser, who also plays."""
    names = [f"{name}{next(FRESH)}" for name in ("Bea", "Cas", "Dee", "Eli")]  # all tests share a server
    async with players(f"{page.url.replace('http', 'ws', 1).rstrip('/')}/ws", *names) as clients:
        tournament = await opened_tournament(clients[0], rounds=2)
        for client in clients:
            await client.ok(type="enter_tournament", tournament=tournament)
        await clients[0].ok(type="start_tournament", tournament=tournament)
        await page.add_init_script(f"localStorage.setItem('noughts.token', '{clients[0].token}')")
        await page.goto(f"{page.url.rstrip('/')}/tournaments/{tournament}{query}")
        await expect(page.locator(".live-board")).to_have_count(2 if query else 1)


async def cross(page: Page) -> None:
    """The cross table."""
    await tournament(page)
    await page.get_by_role("radio", name="Cross table").check()
    await expect(page.locator(".cross .cell").first).to_be_visible()


async def organising(page: Page) -> None:
    """The decisions that an organiser can make, and has made."""
    await tournament(page)
    await page.get_by_role("button", name="Pause").click()
    await page.get_by_role("button", name="Results and players").click()
    await page.get_by_role("button", name=re.compile("^Decide .+ against")).first.click()
    await expect(page.get_by_text("paused the tournament")).to_be_visible()


async def lecture(page: Page) -> None:
    await page.goto(f"{page.url.rstrip('/')}/lecture")
    await page.get_by_role("button", name="Step forward").click()
    await page.get_by_role("button", name="What is searched").click()


async def playouts(page: Page) -> None:
    """A lecture of playouts beside minimax."""
    await page.goto(f"{page.url.rstrip('/')}/lecture?game=tictactoe&moves=1,2,3,5,9&search=minimax,mcts&predict")
    await expect(page.locator(".count")).to_have_text("0 of 110")
    for _ in range(13):
        await page.keyboard.press("ArrowRight")
    await expect(page.locator(".term.sum").first).to_be_visible()


async def predicted(page: Page) -> None:
    """A lecture that asks."""
    await page.goto(f"{page.url.rstrip('/')}/lecture?predict")
    for _ in range(4):
        await page.get_by_role("button", name="Step forward").click()
    await page.get_by_role("button", name="Cut it").click()


async def present(page: Page) -> None:
    """The projector view."""
    await play_computer(page, "ultimate")
    await page.goto(f"{page.url}?present")
    await expect(page.locator(".cell.worth").first).to_be_visible()


async def settings(page: Page) -> None:
    await page.locator("a.me").click()
    await page.get_by_role("button", name="Add a device").click()
    await expect(page.locator(".link")).to_be_visible()


async def home(page: Page) -> None:
    """The first view, with a game to continue."""
    await play_computer(page, "tictactoe")
    await page.locator('[data-cell="5"]').click()
    await expect(page.locator(".moves .move")).to_have_count(2)
    await page.get_by_role("link", name="Noughts").click()
    await expect(page.locator(".continue .card")).to_be_visible()


async def terms_of(page: Page) -> None:
    """The terms of a game."""
    await expect(await terms(page, "gomoku")).to_be_visible()


async def watch(page: Page) -> None:
    """Live games and the leaderboard."""
    url = f"{page.url.replace('http', 'ws', 1).rstrip('/')}/ws"
    async with connected(url, "Ida") as one, connected(url, "Jan") as other:
        for _ in range(2):
            await other.join(await one.create())
        await page.get_by_role("link", name="Watch").click()
        await expect(page.locator(".live .card")).not_to_have_count(0)
        await expect(page.locator(".leaders li")).not_to_have_count(0)


async def study(page: Page) -> None:
    await page.get_by_role("link", name="Study").click()
    await expect(page.get_by_role("link", name="Open the lecture")).to_be_visible()


async def file(page: Page) -> None:
    """Where a game in a file is opened."""
    await page.get_by_role("link", name="Study").click()
    await page.get_by_role("link", name="Open a file").click()
    await expect(page.locator("main input[type=file]")).to_be_visible()


async def analysis(page: Page, tab: str) -> None:
    """A branch of a branch, with marks."""
    tree = "e2e4+e7e5+(c7c5+g1f3+d7d6+(b8c6)+d2d4)+g1f3"
    await page.goto(
        f"{page.url.rstrip('/')}/analysis?game=chess&moves={tree}&at=1.1.1.1.0&marks=g:e2~e4,r:d5,b:a1,y:h1"
    )
    await expect(page.locator(".board .way")).to_be_attached()
    await page.get_by_role("button", name="Mark", exact=True).click()
    await page.get_by_role("radio", name=tab).check()


async def nothing(page: Page) -> None:
    """No such room, for a browser that the server does not know any more."""
    await expect(page.locator("a.me")).not_to_be_empty()
    await page.evaluate("() => localStorage.setItem('noughts.token', 'x'.repeat(43))")
    await page.goto(f"{page.url.rstrip('/')}/rooms/aaaaaaaaaaaaa")
    await expect(page.get_by_role("heading", name="There is no such game")).to_be_visible()
    await expect(page.get_by_text("The server does not know this browser any more")).to_be_visible()


async def puzzle(page: Page) -> None:
    """A puzzle with a hint, and the form for a set."""
    await page.goto(f"{page.url.rstrip('/')}/puzzles?puzzle=tictactoe/0dd0c0c4")
    await page.get_by_role("button", name="Hint").click()
    await expect(page.locator(".found-ring.is-hint")).to_have_count(3)
    await expect(page.locator(".also li")).to_have_count(3)
    await page.get_by_text("A set for your class").click()


async def solution(page: Page) -> None:
    """The proof of a puzzle."""
    await page.goto(f"{page.url.rstrip('/')}/puzzles?puzzle=tictactoe/0dd0c0c4")
    await page.get_by_role("button", name="Show the answer").click()
    await expect(page.locator(".proof dl div")).to_have_count(1)


async def puzzle_set(page: Page) -> None:
    """A set as its maker sees it."""
    url = f"{page.url.rstrip('/').replace('http', 'ws', 1)}/ws"
    puzzle = "tictactoe/0dd0c0c4"
    async with connected(url, None) as teacher, connected(url, None) as pupil:
        for number, each in enumerate((teacher, pupil)):
            await each.ok(type="register", name=f"set-{number}-{each.id[-5:]}")
        made = await teacher.request(type="make_puzzle_set", title="Week 1", puzzles=[puzzle, "tictactoe/ec837d51"])
        await pupil.request(type="puzzle_move", puzzle=puzzle, move="4", set=made["set"])
        await signed_in(page, teacher.token)
        await page.goto(f"{page.url.rstrip('/')}/puzzles?set={made['set']}")
    await expect(page.locator(".solvers tbody tr")).to_have_count(1)


VIEWS: dict[str, Callable[[Page], Awaitable[None]]] = {
    "home": home,
    "terms": terms_of,
    "watch": watch,
    "study": study,
    **{f"room: {game}": partial(room, game=game) for game in GAMES},
    "waiting": waiting,
    "finished": finished,
    "replay": replay,
    "review": review,
    "practice": practice,
    "chat": chat,
    "profile": profile,
    "compete": compete,
    "tournament": tournament,
    "tournament: cross table": cross,
    "tournament: organiser": organising,
    "tournament: projector": partial(tournament, query="?present"),
    "tournament: wall": partial(tournament, query="?wall"),
    "classes": classes,
    "class: teacher": classroom,
    "class: wall": partial(classroom, query="?wall"),
    "class: names": partial(joining, member=False),
    "class: student": partial(joining, member=True),
    "puzzle": puzzle,
    "puzzle: solution": solution,
    "puzzle: set": puzzle_set,
    "lecture": lecture,
    "lecture: playouts": playouts,
    "lecture: predict": predicted,
    **{f"analysis: {tab}": partial(analysis, tab=tab) for tab in ("Analysis", "Set up", "Share")},
    "present": present,
    "settings": settings,
    "file": file,
    "nothing": nothing,
}
"""The way from the first view to each view. A new view is a line here."""


@pytest.mark.parametrize("view", VIEWS)
async def test_nothing_keeps_anybody_from_using_a_view(view: str, browser: Browser, address: str) -> None:
    from axe_playwright_python.async_playwright import Axe

    async with opened(browser, address, reduced_motion="reduce") as page:
        await VIEWS[view](page)
        for scheme, width in FORMS:
            await page.set_viewport_size({"width": width, "height": 800})
            await page.emulate_media(color_scheme=scheme)
            assert await page.evaluate("() => document.documentElement.scrollWidth") <= width
            found = await Axe().run(page, options=RULES)
            assert found.violations_count == 0, f"{scheme}, {width} px\n{found.generate_report()}"
