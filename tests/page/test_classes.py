"""Classes in a real browser: made by a teacher, joined by a link, watched, and played in a simul."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from features.test_classes import asked, people, student, taught
from features.test_puzzles import PUZZLE
from page.test_tournaments import as_player
from support.browser import BROWSER, PHONE, expect, opened, too_small
from support.server import QUICK, running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER

FAST = replace(QUICK, classes_s=0.05)


@asynccontextmanager
async def served() -> AsyncIterator[tuple[str, str]]:
    """The address of a server's page, and that of its sockets."""
    async with running_page(timing=FAST) as url:
        yield url.replace("ws://", "http://").removesuffix("/ws"), url


async def move(page: Page, cell: str) -> None:
    """Play in a cell of tic-tac-toe, once it is the player's move."""
    await expect(page.locator(".standing")).to_contain_text("Your move")
    await page.locator(f'[data-cell="{cell}"]').click(force=True)


async def test_a_teacher_makes_a_class_and_a_student_joins_on_a_phone(browser: Browser) -> None:
    async with served() as (address, url), taught(url, "x") as (tea, _), opened(browser, f"{address}/study") as page:
        await as_player(page, address, tea, "/study")
        await page.get_by_role("link", name="Your classes").click()
        form = page.locator(".opening")
        await form.get_by_label("Name of the class").fill("Class C")
        await form.get_by_label("Names of the students").fill("Ada\nada\n")
        await form.get_by_role("button", name="Make it").click()
        await expect(form.get_by_role("alert")).to_contain_text("'ada' is there twice")
        await form.get_by_label("Names of the students").fill(" Ada  Lovelace\n\nBen\n")
        await form.get_by_role("button", name="Make it").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Class C")
        await expect(page).to_have_title("Class C · Noughts")
        await expect(page.locator(".k-needs")).to_contain_text("2 names not taken yet")
        link, name = page.url, page.url.rpartition("/")[2]
        await page.get_by_role("button", name="Link", exact=True).click()  # it has no code, from 127.0.0.1
        await expect(page.get_by_text("Only this machine can open this link.")).to_be_visible()
        await expect(page.locator(".qr")).to_have_count(0)
        await expect(page.get_by_label("The link to this class")).to_have_value(link)
        async with opened(browser, link, **PHONE) as phone:
            await expect(phone.get_by_role("heading", level=1)).to_contain_text("Class C")
            await phone.get_by_role("button", name="Ada Lovelace").click()
            await phone.get_by_role("button", name="No, back").click()
            await phone.get_by_role("button", name="Ada Lovelace").click()
            await phone.get_by_role("button", name="I am").click()
            await expect(phone.get_by_role("heading", level=1)).to_contain_text("Ada Lovelace")
            assert await phone.evaluate("() => document.documentElement.scrollWidth") <= 360
            row = page.locator(".k-roster tbody", has_text="Ada Lovelace")
            await expect(row.get_by_role("img", name="is here")).to_be_visible()
            await expect(page.locator(".k-legend")).to_have_text(re.compile(r"0 play\s*1 here\s*1 away"))
            await phone.reload()
            await expect(phone.get_by_role("heading", level=1)).to_contain_text("Ada Lovelace")
            await phone.get_by_role("button", name="This is not me").click()
            await phone.get_by_role("button", name="Yes").click()
            await expect(phone.get_by_role("button", name="Ada Lovelace")).to_be_visible()
        await expect(row.get_by_role("img", name="is away")).to_be_visible()
        shown = await asked(tea, "class", class_id=name)
        assert "player" not in student(shown, "Ada Lovelace")["person"]
        async with opened(browser, f"{address}/classes/none") as lost:
            await expect(lost.get_by_role("heading", name="There is no such class")).to_be_visible()


async def test_the_teacher_sees_what_each_student_does_and_changes_the_class(browser: Browser) -> None:
    async with (
        served() as (address, url),
        taught(url, "Ada", "Ben", "Cleo") as (tea, name),
        people(url, "x", "y") as (ada, ben),
        people(url, "ada-bot", bot=True) as (bot,),
        opened(browser, f"{address}/study") as page,
    ):
        for client, who in ((ada, "Ada"), (ben, "Ben"), (bot, "Ada")):
            await asked(client, "join_class", class_id=name, name=who)
        made = await asked(tea, "make_puzzle_set", title="Week 1", puzzles=[PUZZLE])
        await as_player(page, address, tea, f"/classes/{name}")
        row = page.locator(".k-roster tbody", has=page.locator(".k-who", has_text="Ada"))
        await expect(row.locator(".k-bot")).to_contain_text("connected")
        await page.get_by_role("button", name="Settings").click()
        await page.get_by_role("combobox", name="Puzzles").select_option(label="Week 1")
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator("thead")).to_contain_text("Puzzles of 1")
        await ada.request(type="puzzle_move", puzzle=PUZZLE, moves=["3", "6"], move="7", set=made["set"])
        room = await ada.create()
        await expect(row.locator(".k-now")).to_have_text("waits for an opponent")
        await expect(row.locator(".k-puzzles")).to_have_text("1")
        await expect(page.locator(".k-roster tbody").first).to_contain_text("Ada")
        await ben.join(room)
        await expect(row.locator(".k-now")).to_have_text(re.compile("plays .?Ben"))
        for turn, cell in enumerate("14253"):
            await (ben if turn % 2 else ada).play(room, turn, cell)
        await expect(row.locator(".k-results")).to_have_text("1\u20130\u20130")
        await expect(row.get_by_role("img", name="won", exact=True)).to_be_visible()
        await page.get_by_role("button", name=re.compile("More about .?Ada")).click()
        await expect(row.get_by_role("link", name=re.compile("won Tic-tac-toe, Ben"))).to_have_attribute(
            "href", f"/rooms/{room}"
        )
        await row.get_by_role("button", name="Free this name").click()
        await expect(page.locator(".k-needs")).to_contain_text("2 names not taken yet")
        await page.get_by_label("Add names").fill("Dan")
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.locator(".k-roster tbody", has_text="Dan")).to_contain_text("has not joined")
        await page.get_by_role("button", name="Delete the class").click()
        await page.get_by_role("button", name="Yes").click()
        await expect(page.get_by_text("You are in no class yet")).to_be_visible()


async def test_a_projector_shows_a_class_the_link_and_what_everybody_does_and_long_names_are_whole(
    browser: Browser,
) -> None:
    names = [
        "Wolfeschlegelsteinhausenberger",
        "Maximilian-Alexander Wittgens",
        "Bartholomew Featherstonehaugh2",
        "Cleo",
    ]
    async with (
        served() as (address, url),
        taught(url, *names) as (tea, name),
        people(url, "x", "y") as (ada, ben),
        opened(browser, f"{address}/study", viewport={"width": 1920, "height": 1080}) as page,
        opened(browser, f"{address}/classes/{name}", viewport={"width": 1366, "height": 768}) as laptop,
    ):
        buttons = laptop.locator(".names-of button")
        await expect(buttons).to_have_count(4)
        assert await buttons.evaluate_all("(all) => all.every((one) => one.scrollWidth <= one.clientWidth)")
        for client, who in ((ada, names[3]), (ben, names[0])):
            await asked(client, "join_class", class_id=name, name=who)
        await ada.create()
        await as_player(page, address, tea, f"/classes/{name}?present")
        await expect(page.locator(".k-link")).to_contain_text(f"/classes/{name}")
        rows = page.locator(".k-projected li")
        await expect(rows.locator("bdi").first).to_have_text("Cleo")  # who waits comes first
        await expect(rows.locator(".k-now")).to_have_text(
            ["waits for an opponent", "is here", "has not joined", "has not joined"]
        )
        whole = "(all) => all.every((one) => one.scrollWidth <= one.clientWidth)"
        assert await rows.locator("bdi, .k-now").evaluate_all(whole)
        await expect(page.locator(".k-projected :is(table, form, button)")).to_have_count(0)
        assert await too_small(page) == []
        assert await page.evaluate("() => document.documentElement.scrollHeight") <= 1080


async def test_a_class_of_24_fits_on_a_projector_and_below_a_short_table_are_boards(browser: Browser) -> None:
    names = [f"Student Number-{number:02}" for number in range(1, 25)]
    async with (
        served() as (address, url),
        taught(url, *names) as (tea, name),
        people(url, "x", "y") as (one, two),
        opened(browser, f"{address}/study", viewport={"width": 1920, "height": 1080}) as page,
    ):
        await as_player(page, address, tea, f"/classes/{name}?present")
        await expect(page.locator(".k-projected li")).to_have_count(24)
        sizes = "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        assert await page.evaluate(sizes) == [1920, 1080]
        assert await too_small(page) == []
        short = (await asked(tea, "make_class", title="Class B", names=["Ada", "Ben"]))["listing"]["class_id"]
        for client, who in ((one, "Ada"), (two, "Ben")):
            await asked(client, "join_class", class_id=short, name=who)
        await two.join(await one.create())
        await page.goto(f"{address}/classes/{short}")
        await expect(page.locator(".k-left .live-board .who")).to_have_text(["Ben", "Ada"])


async def test_a_simul_leads_to_the_next_board_that_waits(browser: Browser) -> None:
    async with (
        served() as (address, url),
        taught(url, "Ada", "Ben", "Cleo") as (tea, name),
        people(url, "x", "y") as (ada, ben),
        opened(browser, f"{address}/study") as page,
        opened(browser, f"{address}/classes/{name}", **PHONE) as phone,
    ):
        for client, who in ((ada, "Ada"), (ben, "Ben")):
            await asked(client, "join_class", class_id=name, name=who)
        await phone.get_by_role("button", name="Cleo").click()
        await phone.get_by_role("button", name="I am").click()
        await as_player(page, address, tea, f"/classes/{name}")
        simul = page.locator(".k-simul")
        await simul.get_by_label("Game").select_option("tictactoe")
        await simul.get_by_role("button", name="Start with 3 boards").click()
        bar = page.locator("header .next-board")
        await expect(bar).to_contain_text("2 other boards wait for you")
        assert await page.evaluate("() => document.querySelector('header').offsetHeight") == 56, (
            "nothing moves when it comes"
        )
        rooms = [(await client.push("simul_game"))["room"] for client in (ada, ben)]
        assert page.url == f"{address}/rooms/{rooms[0]}"
        await expect(page.locator(".player .who").first).to_have_text("Ada")
        await expect(phone.locator(".call-band")).to_contain_text("You play")
        await expect(phone.locator("[aria-live]")).to_contain_text("Simul: you play O against")
        await expect(page.get_by_label("Go on after each move")).to_be_checked()
        await move(page, "5")
        await page.wait_for_url(f"**/rooms/{rooms[1]}")  # by itself
        await expect(bar).to_contain_text("1 other board waits for you")
        await ada.play(rooms[0], 1, "1")
        await expect(bar).to_contain_text("2 other boards wait for you")
        await bar.get_by_role("button", name="Next board").click()
        await page.wait_for_url(re.compile(f"/rooms/(?!{rooms[0]}|{rooms[1]})"))  # Cleo's has waited longer than Ada's
        await page.get_by_label("Go on after each move").uncheck()
        shown = (await ada.request(type="watch", room=rooms[0])) and await ada.push("room")
        assert shown["state"]["seats"]["first"]["online"], "the teacher is there on all boards"
        await page.goto(f"{address}/classes/{name}")
        await expect(simul).to_contain_text("3 boards under way")
        await expect(simul.locator(".live-board.waits")).to_have_count(3)
        needs = page.locator(".k-needs")
        await expect(needs).to_contain_text("3 boards of the simul wait for your move")
        await needs.get_by_role("link", name="Next board").click()
        await expect(bar).to_contain_text("2 other boards wait for you")
        await expect(phone.locator(".board[role=grid]")).to_be_visible()  # it has opened by itself
        await page.goto(f"{address}/classes/{name}?wall")
        await expect(page.locator(".wall .live-board")).to_have_count(3)
        seats = page.locator(".wall .live-board").first.locator(".who")
        await expect(seats).to_have_text(["Ada", "tea"])  # the first side is below


async def test_a_student_asks_for_help_and_the_teacher_opens_the_board(browser: Browser) -> None:
    async with (
        served() as (address, url),
        taught(url, "Ada", "Ben") as (tea, name),
        people(url, "x") as (ben,),
        opened(browser, f"{address}/study") as page,
        opened(browser, f"{address}/classes/{name}", **PHONE) as phone,
    ):
        await asked(ben, "join_class", class_id=name, name="Ben")
        await phone.get_by_role("button", name="Ada").click()
        await phone.get_by_role("button", name="I am").click()
        await phone.get_by_role("button", name="Ask for help").click()
        await expect(phone.get_by_role("status")).to_contain_text("Your teacher sees that you ask for help")
        await as_player(page, address, tea, f"/classes/{name}")
        needs = page.locator(".k-needs")
        row = page.locator(".k-roster tbody").first
        await expect(row).to_contain_text("Ada")
        await expect(row.locator(".k-now")).to_have_text("asks for help")
        await expect(needs).to_contain_text(re.compile("Ada.? asks for help"))
        await needs.get_by_role("button", name="Answer").click()
        await expect(phone.get_by_role("button", name="Ask for help")).to_be_visible()
        await expect(needs).not_to_contain_text("asks for help")
        await expect(row.locator(".k-now")).to_have_text("is here")
        await ben.ok(type="ask_help", class_id=name)
        room = await ben.create()
        await needs.get_by_role("link", name="Open the board").click()
        await page.wait_for_url(f"**/rooms/{room}")
        await page.go_back()
        await expect(needs).not_to_contain_text("asks for help")
        await phone.get_by_role("button", name="Ask for help").click()
        await phone.get_by_role("button", name="Take it back").click()
        await expect(phone.get_by_role("button", name="Ask for help")).to_be_visible()


async def test_the_teacher_sees_who_reads_a_review(browser: Browser) -> None:
    async with (
        served() as (address, url),
        taught(url, "Ada", "Ben") as (tea, name),
        people(url, "x", "y") as (ada, ben),
        opened(browser, f"{address}/study") as page,
        opened(browser, f"{address}/study") as reader,
    ):
        for client, who in ((ada, "Ada"), (ben, "Ben")):
            await asked(client, "join_class", class_id=name, name=who)
        room = await ada.create()
        await ben.join(room)
        for turn, cell in enumerate("14253"):
            await (ben if turn % 2 else ada).play(room, turn, cell)
        await as_player(page, address, tea, f"/classes/{name}")
        row = page.locator(".k-roster tbody", has=page.locator(".k-who", has_text="Ada"))
        await expect(row.locator(".k-now")).to_have_text("is here")
        await as_player(reader, address, ada, f"/rooms/{room}")
        await reader.get_by_role("radio", name="Review").check()
        await expect(row.locator(".k-now")).to_have_text("reads a review")
        await reader.get_by_role("link", name="Study").click()
        await expect(row.locator(".k-now")).to_have_text("is here")
