"""The home view: the way back to a game, somebody else's seek, and boards that are alive."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from support.browser import PHONE, chromium, expect, opened, seek, terms
from support.client import connected
from support.eventually import soon
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, WebSocketRoute

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="module")]

CLOCK = {"initial_s": 600, "increment_s": 5}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as one:
        yield one


async def test_a_game_is_found_again_after_its_tab_was_closed(browser: Browser) -> None:
    async with running_page(away_s=0.1) as url, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            room = await bob.create(private=True)
            await page.goto(f"{address}/rooms/{room}")
            await page.get_by_role("button", name="Take the seat").click()
            await expect(page.locator(".status")).to_have_text("bob to move")
            await page.goto("about:blank")  # the tab is closed
            await bob.ok(type="play", room=room, turn=0, move="5")
            await page.goto(address)
            mine = page.locator(".continue .card")
            await expect(mine.locator(".names")).to_have_text("bob")
            await expect(mine.locator(".turn-of")).to_have_text("Your move")
            await expect(mine.locator(".piece")).to_have_count(1)
            await mine.click()
            await page.locator('[data-cell="1"]').click()
            await expect(page.locator(".status")).to_have_text("bob to move")
            await page.get_by_role("link", name="Noughts").click()
            await expect(mine.locator(".turn-of")).to_have_text("Their move")
            await bob.ok(type="play", room=room, turn=2, move="9")
            await expect(mine.locator(".turn-of")).to_have_text("Your move")
            await expect(mine.locator(".piece")).to_have_count(3)
            await bob.ok(type="resign", room=room)
            await expect(page.locator(".past .result")).to_have_text("won")
            await expect(page.locator(".continue")).to_have_count(0)
            await page.locator(".past a").first.click()
            await expect(page.locator(".status")).to_contain_text("You won")


async def test_many_games_are_one_row_until_they_are_unfolded(browser: Browser) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        for _ in range(6):
            await bob.join(await ann.create())
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, "about:blank", viewport={"width": 1366, "height": 768}) as page:
            await page.add_init_script(f"localStorage.setItem('noughts.token', '{ann.token}')")
            await page.goto(address)
            cards = page.locator(".continue .card:visible")
            await expect(cards).to_have_count(4)
            await expect(page.locator(".tile").first).to_be_in_viewport(ratio=1)
            await page.get_by_role("button", name="All 6 games").click()
            await expect(cards).to_have_count(6)
            await page.get_by_role("button", name="Show fewer").click()
            await expect(cards).to_have_count(4)
            await page.set_viewport_size({"width": 360, "height": 640})
            await expect(page.locator(".continue .card")).to_have_count(6)
            await expect(page.get_by_role("button", name="All 6 games")).to_be_hidden()
            await expect(page.locator(".tile .board").first).to_be_in_viewport(ratio=1)


async def test_a_click_on_a_name_plays_and_a_game_without_a_move_waits_for_nobody(browser: Browser) -> None:
    size = {"width": 1366, "height": 768}
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address, viewport=size) as page:
            names = page.locator(".tile .name")
            under = "(name) => { const {x, y, width, height} = name.getBoundingClientRect();"
            under += " return [0.05, 0.5, 0.95].every((s) => document.elementFromPoint(x + s * width, y + 0.9 * height)"
            under += ".closest('.go')?.contains(name)) && x + width <= innerWidth }"
            assert await names.count() > 10
            for name in await names.all():
                await name.scroll_into_view_if_needed()
                assert await name.evaluate(under), await name.text_content()
            await page.locator('.tile[data-game="ultimate"] .name').click(position={"x": 100, "y": 30})
            await expect(page.locator(".board[role=grid]")).to_be_visible()
            await page.get_by_role("link", name="Noughts").click()
            await expect(page.get_by_text("1 playing")).to_be_visible()
            await expect(page.locator(".continue, nav .badge")).to_have_count(0)
            await page.locator('.tile[data-game="tictactoe"] .name').click()
            await page.locator('[data-cell="5"]').click()
            await expect(page.locator(".moves .move")).to_have_count(2)
            await page.get_by_role("link", name="Noughts").click()
            await expect(page.locator(".continue .card")).to_have_count(1)
            await expect(page.locator("nav .badge")).to_contain_text("1")
            # beside the heading, so that two rows of boards are on a laptop's first screen
            await expect(page.locator(".tile").last).to_be_in_viewport(ratio=1)


async def test_terms_open_within_the_window_and_leave_the_page_where_it_is(browser: Browser) -> None:
    size = {"width": 1366, "height": 768}
    async with (
        running_page() as url,
        opened(browser, url.replace("ws://", "http://").removesuffix("/ws"), viewport=size) as page,
    ):
        await expect(page.get_by_text("Board games for two")).to_be_visible()
        await page.locator(".tile .terms").last.click()
        await expect(page.locator(".pop")).to_be_in_viewport(ratio=1)
        assert await page.evaluate("() => scrollY") == 0


async def test_terms_are_left_by_the_keyboard(browser: Browser) -> None:
    async with running_page() as url, opened(browser, url.replace("ws://", "http://").removesuffix("/ws")) as page:
        button = page.locator('.tile[data-game="connect4"] .terms')
        for leave in ("Escape", "Enter"):
            await button.focus()
            await page.keyboard.press("Enter")
            await expect(page.locator(".pop")).to_be_visible()
            await page.keyboard.press("Tab")
            await expect(page.locator(".pop").get_by_role("button", name="Close")).to_be_focused()
            await page.keyboard.press(leave)
            await expect(page.locator(".pop")).to_have_count(0)
            await expect(button).to_be_focused()


async def test_a_phone_plays_the_computer_on_chosen_terms(browser: Browser) -> None:
    async with (
        running_page() as url,
        opened(browser, url.replace("ws://", "http://").removesuffix("/ws"), **PHONE) as page,
    ):
        form = await terms(page, "connect4")
        await form.get_by_role("button", name="Play the computer").click()
        await expect(page.locator(".ghost")).to_have_count(1)
        await page.locator('[data-cell="d1"]').click()
        await expect(page.locator(".moves .move")).to_have_count(2)
        await page.get_by_label("More", exact=True).click()
        await page.get_by_role("button", name="Resign").click()
        await page.get_by_role("button", name="Yes").click()
        await expect(page.locator(".ghost")).to_have_count(0)  # nobody's disc falls any more


async def test_a_seek_on_other_terms_is_seen_and_taken(browser: Browser) -> None:
    async with running_page() as url, connected(url, "bob") as bob, connected(url, "eve") as eve:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            await seek(page)
            await expect(page.locator(".seeking")).to_contain_text("Tic-tac-toe, no clock")
            await expect(page.get_by_role("button", name="Stop looking")).to_be_focused()
            await expect(page.locator(".offers p")).to_have_text("You: Tic-tac-toe, no clock")
            await eve.ok(type="seek", game="reversi")
            await bob.ok(type="seek", game="connect4", clock={"initial_s": 180, "increment_s": 2})
            offers = page.locator(".offers li")
            await expect(offers).to_have_count(2)
            await eve.ok(type="unseek")
            await expect(offers).to_have_count(1)
            await expect(offers.locator("span")).to_have_text(["Connect Four", "3+2", "bob"])
            await offers.get_by_role("button", name="Play Connect Four with bob").click()
            await expect(page.locator(".look-holes[role=grid]")).to_be_visible()
            assert (await bob.push("room"))["game"] == "connect4"
            await page.go_back()
            await expect(page.locator(".seeking")).to_have_count(0)  # its own seek has ended


@pytest.mark.parametrize(("size", "count"), [((390, 844), 6), ((360, 640), 4)])
async def test_a_phones_first_screen_has_most_of_the_boards(
    browser: Browser, size: tuple[int, int], count: int
) -> None:
    width, height = size
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address, **PHONE | {"viewport": {"width": width, "height": height}}) as page:
            cards = page.locator(".tile")
            await expect(cards).not_to_have_count(0)
            bar = await page.locator("nav").evaluate("(one) => one.getBoundingClientRect().top")
            ends = await cards.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().bottom)")
            assert sum(end <= bar for end in ends) == count
            buttons = await page.locator(".tile .terms").evaluate_all("(all) => all.map((one) => one.clientHeight)")
            assert min(buttons) >= 44


@pytest.mark.parametrize("size", [(390, 844), (360, 640)])
async def test_the_first_row_of_boards_is_on_a_phones_screen_below_all_that_can_stand_above_it(
    browser: Browser, size: tuple[int, int]
) -> None:
    width, height = size
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        await ann.ok(type="register")
        for name in ("Friday blitz of the whole school", "Open day"):
            await ann.ok(type="open_tournament", name=name, format="arena", minutes=30, game="reversi", clock=CLOCK)
        await bob.ok(type="seek", game="connect4")
        seats = {"first": "me", "second": "computer:medium"}
        room = (await ann.ok(type="create", game="tictactoe", seats=seats))["room"]
        await ann.ok(type="play", room=room, turn=0, move="1")
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, "about:blank", **PHONE | {"viewport": {"width": width, "height": height}}) as page:
            await page.add_init_script(f"localStorage.setItem('noughts.token', '{ann.token}')")
            await page.goto(address)
            for part in (".continue .card", ".offers li", ".soon a.name"):
                await expect(page.locator(part).first).to_be_visible()
            opponent = page.locator(".continue .names")
            assert await opponent.evaluate("(one) => one.scrollWidth <= one.clientWidth"), "the name is whole"
            bar = await page.locator("nav").evaluate("(one) => one.getBoundingClientRect().top")
            board = await page.locator(".tile .board").nth(1).evaluate("(one) => one.getBoundingClientRect().bottom")
            assert board <= bar


async def test_a_phones_board_with_a_long_name_says_whole_how_many_play(browser: Browser) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        room = (await ann.ok(type="create", game="ultimate"))["room"]
        await bob.ok(type="join", room=room)
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address, **PHONE | {"viewport": {"width": 390, "height": 844}}) as page:
            tile = page.locator('.tile[data-game="ultimate"]')
            await expect(tile.locator(".note")).to_have_text("1 playing")
            low = "(one) => one.getBoundingClientRect().bottom"
            assert await tile.locator(".note").evaluate(low) <= await tile.evaluate(low)


@pytest.mark.parametrize("size", [(390, 844), (360, 640), (1366, 768)])
async def test_who_looks_for_an_opponent_is_shown_where_one_looks(browser: Browser, size: tuple[int, int]) -> None:
    width, height = size
    phone = width < 900
    view = {"viewport": {"width": width, "height": height}}
    async with running_page() as url, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address, **(PHONE | view if phone else view)) as page:
            await seek(page, "gomoku", "10+5")
            await expect(page.locator(".seeking")).to_be_in_viewport(ratio=1)
            await expect(page.locator(".seeking .note")).to_have_text("Gomoku, 10+5")
            await page.evaluate("() => scrollTo(0, 0)")
            await bob.ok(type="seek", game="connect4")
            await expect(page.get_by_role("button", name="Play Connect Four with bob")).to_be_in_viewport(ratio=1)
            await expect(page.locator("section.offers")).to_have_count(int(phone))
            label = page.locator('.tile[data-game="connect4"]')
            await expect(label.get_by_role("button", name="Play Connect Four with people")).to_be_visible()
            await expect(label.locator(".text")).to_contain_text("1 waits")
            await page.get_by_role("button", name="Stop looking").click()
            await expect(page.locator(".seeking")).to_have_count(0)
            await bob.ok(type="unseek")
            await expect(page.locator("section.offers")).to_have_count(0)


async def test_the_bar_at_the_bottom_of_a_phone_has_room_for_its_words(browser: Browser) -> None:
    async with running_page() as url, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address, **PHONE) as page:
            room = await bob.create(private=True)
            await page.goto(f"{address}/rooms/{room}")
            await page.get_by_role("button", name="Take the seat").click()
            await bob.ok(type="play", room=room, turn=0, move="5")
            await page.goto(address)
            await expect(page.locator("nav .badge")).to_be_visible()
            places = ("nav .badge", "nav .icon", ".me bdi")
            badge, sign, name = [await page.locator(one).first.evaluate(BOX) for one in places]
            assert badge["x"] >= sign["x"] + sign["width"]
            assert name["x"] + name["width"] <= 354


async def test_a_seek_that_somebody_takes_leads_to_the_game(browser: Browser) -> None:
    async with running_page() as url, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            await bob.ok(type="lobby", watch=True)
            await seek(page)
            await expect(page.get_by_text("Looking for an opponent")).to_be_visible()
            (wanted,) = (await bob.push("lobby"))["seeks"]
            await bob.ok(type="take", seek=wanted["seek"])
            await expect(page.locator(".board[role=grid]")).to_be_visible()


async def test_boards_of_others_are_alive_while_they_can_be_seen_and_count_as_no_spectator(browser: Browser) -> None:
    async with running_page() as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        rooms = []
        for _ in range(10):
            rooms.append(await ann.create())
            await bob.join(rooms[-1])
        ann.pushed.clear()
        address = url.replace("ws://", "http://").removesuffix("/ws")
        watched: set[str] = set()

        def on_frame(frame: str | bytes) -> None:
            match json.loads(frame):
                case {"type": "watch", "room": room}:
                    watched.add(room)
                case {"type": "leave", "room": room}:
                    watched.discard(room)

        async with opened(browser, "about:blank", viewport={"width": 360, "height": 500}) as page:
            page.on("websocket", lambda socket: socket.on("framesent", on_frame))
            await page.goto(address)
            cards = page.locator("[data-live]")
            await expect(cards).to_have_count(4)
            await page.wait_for_timeout(300)
            assert not watched, "they are further down"
            await page.set_viewport_size({"width": 1280, "height": 4000})
            card = page.locator(f'[data-live="{rooms[-1]}"]')
            await soon(lambda: watched == set(rooms[6:]))
            await expect(card.locator(".board .piece")).to_have_count(0)
            await ann.ok(type="play", room=rooms[-1], turn=0, move="5")
            await expect(card.locator(".board .piece")).to_have_count(1)
            await ann.request(type="ping")
            assert not [message for message in ann.pushed if message["type"] == "spectators"], "these are previews"
            await card.click()
            assert await ann.push("spectators") == {"type": "spectators", "room": rooms[-1], "count": 1}
            await soon(lambda: watched == {rooms[-1]})


async def test_a_refused_list_is_explained_and_asked_for_again(browser: Browser) -> None:
    async with running_page() as url, connected(url, "bob") as bob:

        async def ask_too_much() -> None:
            while True:  # from the same address
                await bob.request(type="leaderboard", game="tictactoe")
                await asyncio.sleep(0.02)

        while (await bob.request(type="leaderboard", game="tictactoe"))["type"] != "error":
            pass
        asking = asyncio.create_task(ask_too_much())
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/watch") as page:
            refused, leaders = page.get_by_text("Too many pages requested"), page.locator(".leaders li")
            await expect(refused.or_(leaders).first).to_be_visible()
            while not await refused.is_visible():  # it was quicker than Bob
                await page.reload()
                await expect(refused.or_(leaders).first).to_be_visible()
            asking.cancel()
            await expect(leaders).to_have_count(4)
            await expect(refused).to_be_hidden()


async def test_a_page_of_another_origin_cannot_connect(browser: Browser) -> None:
    connects = """url => new Promise(resolve => {
        const socket = new WebSocket(url);
        socket.onopen = () => resolve(true);
        socket.onerror = () => resolve(false);
    })"""
    async with running_page() as url, running_page() as other:
        async with opened(browser, url.replace("ws://", "http://").removesuffix("/ws")) as page:
            assert await page.evaluate(connects, url)
        foreign = await browser.new_page()  # its console will have an error
        await foreign.goto(other.replace("ws://", "http://").removesuffix("/ws") + "/healthz")
        assert not await foreign.evaluate(connects, url)
        await foreign.close()


BOX = "(one) => one.getBoundingClientRect().toJSON()"

STYLES = "() => [...document.styleSheets].filter((one) => !one.disabled).map((one) => one.href.split('/').pop())"
"""The names of the style sheets in use."""


async def test_a_view_is_styled_by_no_sheet_of_another(browser: Browser) -> None:
    """Two views may mean something else by a class, and a sheet that was loaded stays."""
    async with running_page() as url, opened(browser, url.replace("ws://", "http://").removesuffix("/ws")) as page:
        every = ["style.css", "board.css"]
        for link, own in (
            ("Study", ["study.css"]),
            ("Compete", ["compete.css"]),
            ("Study", ["study.css"]),
            ("Your classes", ["compete.css", "classes.css"]),
            ("Play", ["home.css"]),
        ):
            await page.get_by_role("link", name=link, exact=True).click()
            await page.wait_for_function(f"(wanted) => String(({STYLES})()) === wanted", arg=",".join([*every, *own]))
        await page.locator('.tile[data-game="tictactoe"] .go').click()
        await expect(page.locator(".board[role=grid]")).to_be_visible()
        in_room = [*every, "room.css", "next_board.css"]
        await page.wait_for_function(f"(wanted) => String(({STYLES})()) === wanted", arg=",".join(in_room))
        await page.go_back()
        await page.get_by_role("link", name="Compete").click()
        await expect(page.get_by_role("heading", name="Tournaments")).to_be_visible()
        assert await page.evaluate(STYLES) == [*every, "compete.css"]


async def test_a_game_chosen_before_the_welcome_begins_after_it(browser: Browser) -> None:
    welcomes = asyncio.Event()

    async def later(server: WebSocketRoute, message: str | bytes) -> None:
        await welcomes.wait()
        server.send(message)

    def slow(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: asyncio.ensure_future(later(server, message)))

    async with running_page() as url, opened(browser, "about:blank") as page:
        await page.context.route_web_socket("**/ws*", slow)
        await page.goto(url.replace("ws://", "http://").removesuffix("/ws"))
        await page.locator('.tile[data-game="tictactoe"] .go').click()
        await expect(page.locator("header .me")).to_have_count(0)
        welcomes.set()
        await expect(page.locator(".board[role=grid]")).to_be_visible()


async def test_the_first_view_has_puzzles_of_the_day(browser: Browser) -> None:
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address) as page:
            cards = page.locator(".today .card")
            await expect(cards).to_have_count(4)
            await expect(cards.first.locator(".board .piece").first).to_be_visible()
            await expect(cards.first.locator(".names")).to_contain_text("to move")
            await cards.first.locator("a").click()
            await expect(page.locator(".puzzle .source")).to_contain_text("Puzzle of the day")


async def test_where_nobody_plays_two_computers_do_and_their_board_is_alive_for_others(browser: Browser) -> None:
    async with running_page() as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, f"{address}/watch") as page, opened(browser, f"{address}/watch") as other:
            await page.get_by_role("button", name="Watch two computers play Go", exact=True).click()
            await expect(page.locator(".board[role=grid]")).to_be_visible()
            await expect(page.get_by_role("link", name="Watch", exact=True)).to_have_attribute("aria-current", "page")
            card = other.locator(".watch .card")
            await expect(card.locator(".names").first).to_have_text("computer (medium)")
            await expect(card.locator(".board .piece").first).to_be_visible()
