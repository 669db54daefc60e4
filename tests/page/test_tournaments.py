"""Tournaments in a real browser: opened, entered, run and watched."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from features.test_tournaments import opened as opened_tournament
from features.test_tournaments import players, shown, until
from noughts.tournaments import swiss
from noughts_client import run_async
from page.test_your_move import LOOK_AGAIN, LOOK_AWAY
from support.browser import BROWSER, PHONE, expect, opened, play_computer, too_small
from support.client import Client, connected
from support.server import QUICK, running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, FloatRect, Locator, Page

pytestmark = BROWSER

FAST = replace(QUICK, tournaments_s=0.05, round_break_s=0, standings_s=0.05)

SLIDES = "() => { slides = 0; addEventListener('transitionrun', ({ target }) => slides += target.matches('.s-row')); }"
"""Counts the rows of a projector that slide, in ``slides``."""

FAR_LINE = """async (path) => {
  await Promise.all(path.getAnimations().map(({ finished }) => finished));
  path.setAttribute("d", "M4 0L55 600");
  return path.isPointInStroke(new DOMPoint(54.5, 594));
}"""
"""True if the line of a change of nine places is drawn up to its end."""

NAMES_FIT = """() => [...document.querySelectorAll(".screen :is(.named, .who)")].every((name) => {
  const { fontSize, lineHeight, textOverflow, overflowX, webkitLineClamp } = getComputedStyle(name);
  const lines = name.clientHeight / parseFloat(lineHeight);
  if (Math.abs(lines - Math.round(lines)) > 0.1 || lines > 2.1) return false; // no sliver of a third
  if (parseFloat(lineHeight) < 1.12 * parseFloat(fontSize)) return false; // descenders have room
  if (lines > 1.5 && parseFloat(fontSize) > 29) return false; // first it is smaller
  const cut = name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1;
  if (cut && (textOverflow !== "ellipsis" || overflowX !== "hidden" || webkitLineClamp !== "2")) return false;
  const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    for (const { index, 0: word } of text.data.matchAll(/[^\\s-]+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) return false;
    }
  }
  return true;
})"""
"""True if each name of a projector is in one line or two, no word is broken, and what is cut ends with an ellipsis."""

WHOLE = """(all) => all.every((one) => one.scrollWidth <= one.clientWidth + 1
  && one.clientHeight < 1.5 * parseFloat(getComputedStyle(one).lineHeight))"""
"""True if each text is whole and in one line."""

GAP = """() => {
  window.gap = 0;
  const all = document.querySelector(".s-rows");
  const look = () => {
    const away = [...all.querySelectorAll(".s-row")].map((row) => row.getBoundingClientRect())
      .map(({ top, height }) => Math.abs(top - all.getBoundingClientRect().top) / height);
    window.gap = Math.max(window.gap, Math.min(...away));
    requestAnimationFrame(look);
  };
  look();
}"""
"""The largest distance, in rows, of the nearest row from the first rank: half a row and more is a gap."""

LONG_NAMES = ["Wolfeschlegelsteinhausenberger", "Maximilian-Alexander Wittgens", "Anne-Sophie von Hohenlohe-Lang"]

CUT = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
"""The texts of which not all is seen."""


@asynccontextmanager
async def served() -> AsyncIterator[tuple[str, str]]:
    """A server without waits between rounds: its address, and that of its sockets."""
    async with running_page(timing=FAST) as url:
        yield url.replace("ws://", "http://").removesuffix("/ws"), url


async def as_player(page: Page, address: str, client: Client, path: str) -> None:
    """Show the page to the player of a client."""
    await page.add_init_script(f"localStorage.setItem('noughts.token', '{client.token}')")  # in time for the welcome
    await page.goto(address + path)


async def begun_tournament(organiser: Client, entrants: Iterable[Client], **terms: Any) -> str:
    """A tournament that has begun, with these entrants."""
    tournament = await opened_tournament(organiser, **terms)
    for client in entrants:
        await client.ok(type="enter_tournament", tournament=tournament)
    await organiser.ok(type="start_tournament", tournament=tournament)
    return tournament


async def until_over(page: Page) -> None:
    """Play the first move that there is, until the game is over."""
    async with asyncio.timeout(60):
        while not await page.locator(".decided").count():
            if await page.locator(".mine .cell.open").count():
                await page.locator(".cell.open").first.click(force=True)
            await page.wait_for_timeout(50)


async def box_of(what: Locator) -> FloatRect:
    """The place and the size of what is seen, in px."""
    box = await what.bounding_box()
    assert box is not None
    return box


def lowest(state: dict[str, Any]) -> str:
    """A bot that plays the first of its moves."""
    return str(state["legal_moves"][0])


def in_round(number: int) -> Callable[[dict[str, Any]], bool]:
    """A test of a tournament: true in this round."""
    return lambda found: bool(found["tournament"]["round"] == number)


async def win(clients: list[Client]) -> str:
    """Play the game that each of the two is called to: the first side wins. The winner's name."""
    calls = [await client.push("tournament_game") for client in clients]
    sides = {call["seat"]: client for call, client in zip(calls, clients, strict=True)}
    room = calls[0]["room"]
    for turn, move in enumerate("14253"):
        await sides["second" if turn % 2 else "first"].ok(type="play", room=room, turn=turn, move=move)
    return str(sides["first"].welcome["player"]["name"])


async def test_one_opens_a_tournament_and_sees_its_standings_change(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, ann, ben),
        opened(browser, f"{address}/study", permissions=["clipboard-read", "clipboard-write"]) as page,
    ):
        await as_player(page, address, tea, "/")
        await page.get_by_role("link", name="Compete").click()
        await expect(page.get_by_text("There is no tournament yet.")).to_be_visible()
        form = page.locator(".opening")
        await expect(form).to_have_count(0)
        await page.get_by_role("button", name="Arena").click()
        await expect(form.get_by_role("radio", name="Arena")).to_be_checked()
        await expect(page.get_by_text("There is no tournament yet.")).to_have_count(0)
        await form.get_by_role("button", name="Close").click()
        await expect(form).to_have_count(0)
        await page.get_by_role("button", name="Open a tournament").click()
        await expect(form.get_by_label("Name")).to_have_value(re.compile(r"day, "))
        await form.get_by_label("Game").select_option("tictactoe")
        await expect(form.get_by_label("Name")).to_have_value(re.compile(r"day, Tic-tac-toe"))
        await form.get_by_label("Name").fill("")
        await form.get_by_role("button", name="Open it").click()
        await expect(form.get_by_role("alert")).to_have_text("This must be filled in.")
        await expect(form.get_by_label("Name")).to_be_focused()
        await form.get_by_label("Name").fill("Friday")
        await form.get_by_role("radio", name="Gauntlet").check()
        await form.get_by_label("Opponents").fill("nobody")
        await form.get_by_role("button", name="Open it").click()
        await expect(form.get_by_role("alert")).to_contain_text("'nobody'")
        await form.get_by_role("radio", name="Round robin").check()
        await form.get_by_role("button", name="Open it").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Friday")
        await expect(page).to_have_title("Friday · Noughts")
        tournament = page.url.rpartition("/")[2]
        await expect(page.get_by_text("Nobody has entered yet.")).to_be_visible()
        await expect(page.get_by_role("button", name="Start")).to_have_count(0)
        await expect(page.locator("button.main")).to_have_text(["Copy"])  # others come by the link
        await ann.ok(type="enter_tournament", tournament=tournament)
        await page.get_by_role("button", name="Start").click()
        await expect(page.get_by_role("alert")).to_have_text("At least two players must have entered.")
        await ben.ok(type="enter_tournament", tournament=tournament)
        await expect(page.locator(".standings th[scope]")).to_have_text(["ann", "ben"])
        name, row = (
            await box_of(page.locator(".standings .named").first),
            await box_of(page.locator(".standings tr").nth(1)),
        )
        assert name["width"] > 20
        assert row["height"] < 40
        await page.get_by_role("button", name="Start").click()
        winner = await win([ann, ben])
        first = page.locator(".standings tr").nth(1)
        await expect(page.locator(".standings .moves")).to_have_count(0)  # nobody has another place than before
        await expect(first).to_have_text(re.compile(rf"1\s*{winner}\s*1"))
        await expect(first.get_by_role("img", name="won", exact=True)).to_be_visible()
        await expect(page.locator(".podium .named").first).to_have_text(winner)
        await expect(page.locator(".podium .p1 .no .icon")).to_be_visible()
        small = await page.locator(".podium .live-board").bounding_box()
        assert small is not None
        assert small["width"] <= 360
        await expect(page.locator(".podium .live-board .piece")).to_have_count(7)  # with the players' marks
        await page.get_by_role("button", name="Share the result").click()
        pasted = await page.evaluate("() => navigator.clipboard.readText()")
        assert pasted == f"Friday: {winner} has won {page.url}"
        await expect(page.locator(".pairings .score")).to_have_text("1\u20130")
        await page.get_by_role("radio", name="Cross table").check()
        await page.get_by_role("link", name=re.compile("^1 against")).click()
        await expect(page.locator(".board[role=grid] .piece")).to_have_count(5)
        await page.get_by_role("link", name="Compete").click()
        card = page.locator(".finished .card")
        await expect(card).to_contain_text(f"{winner} has won")
        await expect(card.locator(".piece")).to_have_count(5)
        await expect(page.get_by_role("button", name="Open a tournament")).to_be_visible()


async def test_a_player_enters_and_is_called_to_the_board(browser: Browser) -> None:
    async with served() as (address, url), players(url, "tea", "ann") as (tea, ann):
        tournament = await opened_tournament(tea)
        await ann.ok(type="enter_tournament", tournament=tournament)
        async with opened(browser, f"{address}/tournaments/none", **PHONE) as page:
            await expect(page.get_by_role("heading", name="There is no such tournament")).to_be_visible()
            await page.get_by_role("link", name="All tournaments").click()
            await page.get_by_role("link", name="Club").click()
            name = await page.get_by_role("textbox", name="Your name").input_value()
            assert name.startswith("guest-")
            await page.get_by_role("textbox", name="Your name").press("Enter")
            await expect(page.locator(".standings .named")).to_have_text(["ann", name])
            assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360
            await tea.ok(type="start_tournament", tournament=tournament)
            band = page.locator(".call-band")
            await expect(band).to_contain_text("You play ann now")
            await expect(band).to_contain_text(
                re.compile(r"Round 1, board 1\.\s+You are\s+(X and move first|O and move second)\.")
            )
            await expect(page.locator("[aria-live]")).to_have_text(
                re.compile(r"You play [XO] against ann and move (first|second)\. The board opens by itself")
            )
            await page.get_by_role("link", name="Watch").click()
            await page.get_by_role("link", name="Compete").click()
            await page.get_by_role("link", name="Club").click()
            await page.get_by_role("link", name="Go to my board").click()
            await expect(page.locator(".board[role=grid]")).to_be_visible()


async def test_whoever_looks_elsewhere_is_called_and_a_projector_shows_large_type(browser: Browser) -> None:
    async with served() as (address, url), players(url, "tea", "ann", "ben") as (tea, ann, ben):
        tournament = await opened_tournament(tea)
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        async with (
            opened(browser, f"{address}/study") as away,
            opened(
                browser, f"{address}/tournaments/{tournament}?present", viewport={"width": 1920, "height": 1080}
            ) as projector,
        ):
            await as_player(away, address, ben, "/study")
            await expect(away.get_by_role("link", name="ben")).to_be_visible()
            await tea.ok(type="start_tournament", tournament=tournament)
            await expect(projector.locator(".s-boards .live-board")).to_have_count(1)
            await expect(projector.locator(".s-row")).to_have_count(2)
            assert await too_small(projector) == []
            await expect(away.locator(".notice")).to_contain_text(re.compile("Club: You play [XO] against ann"))
            await away.get_by_role("link", name="Go to my board").click()
            await expect(away.locator(".board[role=grid]")).to_be_visible()
            await expect(away.locator(".notice")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1366, 768)])
async def test_a_call_moves_no_board_that_a_finger_is_about_to_touch(width: int, height: int, browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, ann, ben),
        opened(browser, "about:blank", viewport={"width": width, "height": height}) as page,
    ):
        await as_player(page, address, ben, "/puzzles?puzzle=tictactoe/0dd0c0c4")
        board = page.locator(".stage .board")
        await expect(page.get_by_role("button", name="Hint")).to_be_visible()
        before = await box_of(board)
        await begun_tournament(tea, (ann, ben))
        await expect(page.get_by_role("button", name="Stay here")).to_be_in_viewport(ratio=1)
        assert await box_of(board) == before
        call = await box_of(page.locator(".notice"))
        assert call["x"] >= before["x"] + before["width"] or call["y"] + call["height"] <= before["y"] + 12


async def test_a_projector_draws_the_ways_of_ranks_beside_their_numbers(browser: Browser) -> None:
    async with served() as (address, url), players(url, "tea", "ann", "ben", "cid", "dee") as (tea, *entrants):
        tournament = await begun_tournament(tea, entrants)
        for game, result in zip((await shown(tea, tournament))["games"], ("first", "second"), strict=True):
            await tea.ok(type="adjudicate", tournament=tournament, room=game["room"], result=result)
        found = await until(tea, tournament, in_round(2))
        losers = {row["player"]["id"] for row in found["standings"] if not row["points"]}
        game = found["games"][0]
        result = "first" if game["first"]["id"] in losers else "second"  # who passes others
        await tea.ok(type="adjudicate", tournament=tournament, room=game["room"], result=result)
        async with opened(
            browser, f"{address}/tournaments/{tournament}?present", viewport={"width": 1920, "height": 1080}
        ) as projector:
            await expect(projector.locator(".s-lines circle")).to_have_count(4)
            right = "(all) => Math.max(...all.map((one) => one.getBoundingClientRect().right))"
            left = "(all) => Math.min(...all.map((one) => one.getBoundingClientRect().left))"
            end = await projector.locator(".s-lines circle").evaluate_all(right)
            assert end < await projector.locator(".moves span").evaluate_all(left)
            assert await projector.locator(".s-lines path").first.evaluate(FAR_LINE)


async def test_a_projectors_pages_of_twelve_rows_turn_by_themselves(browser: Browser) -> None:
    names = [f"p{number:02}" for number in range(1, 15)]
    async with (
        served() as (address, url),
        players(url, "tea", *names) as (tea, *entrants),
        opened(browser, f"{address}/study") as projector,
    ):
        tournament = await opened_tournament(tea)
        for client in entrants:
            await client.ok(type="enter_tournament", tournament=tournament)
        await projector.clock.install()
        await projector.goto(f"{address}/tournaments/{tournament}?present")
        # Two rows are shown for a shorter time than twelve.
        for page, shown_ms in ((names[:12], 12_000), (names[12:], 5000), (names[:12], 12_000)):
            await expect(projector.locator(".s-row .named")).to_have_text(page)
            await projector.clock.fast_forward(shown_ms)


async def test_names_on_a_projector_and_a_wall_are_smaller_or_in_two_lines_and_no_word_is_broken(
    browser: Browser,
) -> None:
    names = [*LONG_NAMES, *(f"p{number}" for number in range(4, 11))]
    large: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}
    async with (
        served() as (address, url),
        players(url, "tea", *names) as (tea, *entrants),
        opened(browser, f"{address}/study", **large) as projector,
        opened(browser, f"{address}/study", **large) as wall,
    ):
        tournament = await opened_tournament(tea, game="reversi", format="swiss", rounds=4)
        for client in entrants:
            await client.ok(type="enter_tournament", tournament=tournament)
        await projector.goto(f"{address}/tournaments/{tournament}?present")
        await wall.goto(f"{address}/tournaments/{tournament}?wall")
        await expect(projector.locator(".s-row .named")).to_have_text(names)
        await expect(wall.locator(".s-leaders .named")).to_have_text(names)
        await expect(wall.locator(".s-join")).to_contain_text(f"/tournaments/{tournament}")
        for screen in (projector, wall):
            await screen.wait_for_function(NAMES_FIT)
            assert await screen.locator(".named").evaluate_all(WHOLE)
            assert await too_small(screen) == []
        await tea.ok(type="start_tournament", tournament=tournament)
        found = await until(tea, tournament, in_round(1))
        pairings = projector.locator(".s-results li")
        await expect(pairings).to_have_count(5)
        for pairing in await pairings.all():
            await expect(pairing).to_be_in_viewport(ratio=1)
        assert (await box_of(projector.locator(".s-join")))["height"] < 60, "one line"
        await expect(projector.locator(".s-ranks.plain .moves > *")).to_have_count(0)
        boards = wall.locator(".live-board")
        await expect(boards).to_have_count(5)
        await expect(boards.first.locator(".count")).to_have_text(["2", "2"])
        sizes = [await box_of(board) for board in await boards.all()]
        assert len({(round(size["width"]), round(size["height"])) for size in sizes}) == 1
        await expect(wall.locator(".s-leaders li").last).to_be_in_viewport(ratio=1)
        await tea.ok(type="adjudicate", tournament=tournament, room=found["games"][0]["room"], result="first")
        await expect(boards.last.locator(".got")).to_have_count(2)  # those that go on come first
        await expect(boards.first.locator(".got")).to_have_count(0)
        for screen in (projector, wall):
            await screen.wait_for_function(NAMES_FIT)
            assert await too_small(screen) == []


async def test_a_tournament_that_is_over_shows_its_whole_title_and_the_winner_in_one_line(browser: Browser) -> None:
    async with served() as (address, url), players(url, "tea", *LONG_NAMES) as (tea, *entrants):
        tournament = await begun_tournament(tea, entrants, name="Grand Autumn Championship of 3B")
        for number in (1, 2, 3):
            for game in (await until(tea, tournament, in_round(number)))["games"]:
                first = game["first"]["name"] < game["second"]["name"]
                result = "second" if first else "first"  # the longest name wins
                await tea.ok(type="adjudicate", tournament=tournament, room=game["room"], result=result)
        await until(tea, tournament, lambda found: found["tournament"]["status"] == "finished")
        for view in ("present", "wall"):
            async with opened(
                browser,
                f"{address}/tournaments/{tournament}?{view}",
                viewport={"width": 1920, "height": 1080},
            ) as screen:
                await expect(screen.locator(".podium .p1 .named")).to_have_text(LONG_NAMES[0])
                await screen.wait_for_function(NAMES_FIT)
                assert await screen.locator("h1, .p1 .named").evaluate_all(WHOLE)
                if view == "wall":
                    assert (await box_of(screen.locator(".podium")))["height"] > 800


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
async def test_a_change_of_rank_slides_but_under_reduced_motion(browser: Browser, motion: str) -> None:
    async with served() as (address, url), players(url, "tea", "ann", "ben") as (tea, *entrants):
        tournament = await begun_tournament(tea, entrants, rounds=2)
        async with opened(browser, f"{address}/tournaments/{tournament}?present", reduced_motion=motion) as projector:
            rows = projector.locator(".s-row:not(.climbs)")
            await expect(rows).to_have_count(2)
            await projector.evaluate(SLIDES)
            await projector.evaluate(GAP)
            found = await shown(tea, tournament)
            (game,), last = found["games"], found["standings"][-1]["player"]
            result = "first" if game["first"]["id"] == last["id"] else "second"
            await tea.ok(type="adjudicate", tournament=tournament, room=game["room"], result=result)
            await expect(rows.filter(has_text=last["name"])).to_have_attribute("style", re.compile("--at: 0"))
            await expect(rows).to_have_count(2)
            assert await projector.evaluate("() => slides") == (2 if motion == "no-preference" else 0)
            assert await projector.evaluate("() => gap") < 0.4


async def test_the_title_calls_a_player_and_nobody_is_taken_from_a_game(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, ann, ben),
        opened(browser, f"{address}/study") as away,
        opened(browser, f"{address}/study") as busy,
    ):
        tournament = await opened_tournament(tea)
        for client in (ann, ben):
            await client.ok(type="enter_tournament", tournament=tournament)
        await as_player(away, address, ann, "/study")
        await as_player(busy, address, ben, "/")
        await play_computer(busy, "reversi")
        await expect(away.get_by_role("link", name="ann")).to_be_visible()
        await away.evaluate(LOOK_AWAY)
        await tea.ok(type="start_tournament", tournament=tournament)
        await expect(away).to_have_title("(1) You play ben now")
        (note,) = await away.evaluate("() => window.notes")
        assert re.fullmatch(r"You play [XO] against ben and move (first|second)\.", note)
        await away.evaluate(LOOK_AGAIN)
        await expect(away).to_have_title("Study · Noughts")
        await expect(busy.locator(".notice")).to_contain_text("Go to my board")
        assert (
            await busy.evaluate("() => document.documentElement.scrollHeight") <= 720
        )  # the board leaves room for the line
        await expect(busy.get_by_role("button", name="Stay here")).to_have_count(0)
        await expect(away.get_by_role("button", name="Stay here")).to_have_count(1)
        await away.get_by_role("button", name="Stay here").click()
        await expect(away.locator(".notice")).to_have_count(0)


async def test_whoever_would_forfeit_a_game_is_asked_first(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, ann, ben),
        opened(browser, f"{address}/study") as page,
    ):
        tournament = await begun_tournament(tea, [ann, ben])
        room = (await ann.push("tournament_game"))["room"]
        await as_player(page, address, ann, f"/rooms/{room}")
        await page.get_by_role("button", name="Forfeit the game").click()
        await expect(page.get_by_text("You lose the point of this game. Forfeit it?")).to_be_visible()
        await page.get_by_role("button", name="No").click()
        await page.get_by_role("button", name="Forfeit the game").click()
        await page.get_by_role("button", name="Yes").click()
        await expect(page.locator(".status")).to_have_text("You forfeited the game: the point goes to ben.")
        found = await until(tea, tournament, lambda found: found["tournament"]["status"] == "finished")
        assert [row["player"]["name"] for row in found["standings"]] == ["ben", "ann"]
        await as_player(page, address, ben, f"/rooms/{room}")
        await expect(page.locator(".status")).to_have_text("ann forfeited the game: the point goes to you.")


async def test_everybody_sees_how_long_a_first_move_is_waited_for(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, ann, ben),
        opened(browser, f"{address}/study", **PHONE) as page,
        opened(browser, f"{address}/study") as watching,
    ):
        await begun_tournament(tea, [ann, ben])
        room = (call := await ann.push("tournament_game"))["room"]
        first, second = (ann, ben) if call["seat"] == "first" else (ben, ann)
        await as_player(page, address, first, f"/rooms/{room}")
        await watching.goto(f"{address}/rooms/{room}")
        name = first.welcome["player"]["name"]
        await expect(page.get_by_text(re.compile(r"You have 0:\d\d to make the first move, or"))).to_be_visible()
        await expect(watching.get_by_text(re.compile(rf"{name}.? has 0:\d\d to make the first move"))).to_be_visible()
        before = await watching.locator(".countdown").text_content()
        await expect(watching.locator(".countdown")).not_to_have_text(before or "")
        await first.ok(type="play", room=room, turn=0, move="5")
        await expect(page.locator(".standing")).to_contain_text("to make the first move, or")
        await second.ok(type="play", room=room, turn=1, move="1")
        for each in (page, watching):
            await expect(each.locator(".countdown")).to_have_count(0)


async def test_the_form_says_when_swiss_is_missing(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea") as (tea,),
        opened(browser, f"{address}/compete") as page,
    ):
        await page.get_by_role("button", name="Swiss").click()
        await expect(page.get_by_role("button", name="Register it")).to_be_visible()
        await expect(page.locator(".formats")).to_have_count(0)
        await opened_tournament(tea)
        await as_player(page, address, tea, "/compete")
        await page.get_by_role("button", name="Open a tournament").click()
        await page.get_by_label("Name", exact=True).fill("Swiss")
        await page.get_by_role("radio", name="Swiss").check()
        await page.get_by_role("button", name="Open it").click()
        if swiss.installed():
            await expect(page.get_by_text("Swiss, 5 rounds")).to_be_visible()
        else:
            await expect(page.get_by_role("alert")).to_contain_text("installs py4swiss")


@pytest.mark.slow
async def test_two_people_and_two_bots_play_swiss_and_one_leaves(browser: Browser) -> None:
    if not swiss.installed():
        pytest.skip("py4swiss is not installed")
    async with (
        served() as (address, url),
        players(url, "tea") as (tea,),
        opened(browser, address) as one,
        opened(browser, address, **PHONE) as two,
    ):
        tournament = await opened_tournament(tea, format="swiss", rounds=3, first_move_s=20)
        bots = [
            asyncio.create_task(run_async(lowest, url, name=name, tournament=tournament, tell=lambda _: None))
            for name in ("tick", "tock")
        ]
        await one.reload()
        await one.get_by_role("link", name="Club").click()  # on the first view
        await two.goto(f"{address}/tournaments/{tournament}")
        for page in (one, two):
            await page.get_by_role("button", name="Enter").click()
        await expect(one.locator(".standings tbody tr")).to_have_count(4)
        await two.get_by_role("link", name="Study").click()  # called wherever it is
        await tea.ok(type="start_tournament", tournament=tournament)
        await expect(one.locator(".call-band")).to_contain_text("now")

        async def first_game(page: Page, way: Locator) -> None:
            await way.click()
            await until_over(page)
            await expect(page.get_by_role("button", name="Rematch")).to_have_count(0)
            await page.get_by_role("link", name="Back to the tournament").click()

        # At once, since lots may have paired the two with each other.
        await asyncio.gather(
            first_game(one, one.locator(".call-band .go")),
            first_game(two, two.get_by_role("link", name="Go to my board")),
        )
        await two.get_by_text("More", exact=True).click()
        await two.get_by_role("button", name="Withdraw").click()
        await two.get_by_role("button", name="Yes").click()
        await expect(two.locator("tr.gone")).to_have_count(1)
        while not await one.locator(".podium").count():  # of whom several may share the first place
            if await one.locator(".call-band .go").count():
                await one.locator(".call-band .go").click()
                await until_over(one)
                await one.get_by_role("link", name="Back to the tournament").click()
            await one.wait_for_timeout(50)
        await asyncio.gather(*bots)
        found = await tea.request(type="tournament", tournament=tournament)
        assert [row["withdrawn"] for row in found["standings"] if "withdrawn" in row] == ["left"]
        assert sum(row["points"] for row in found["standings"]) >= 2 * 2


@pytest.mark.slow
async def test_the_board_opens_by_itself_and_after_the_game_the_tournament(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea") as (tea,),
        opened(browser, f"{address}/study") as page,
    ):
        tournament = await opened_tournament(tea)
        bot = asyncio.create_task(run_async(lowest, url, name="tick", tournament=tournament, tell=lambda _: None))
        await page.goto(f"{address}/tournaments/{tournament}")
        await page.get_by_role("button", name="Enter").click()
        await expect(page.locator(".standings tbody tr")).to_have_count(2)
        await tea.ok(type="start_tournament", tournament=tournament)
        await expect(page.locator(".call-band .left")).to_have_text(re.compile(r"^\s*(10|\d)\s*$"))
        await expect(page.locator(".board[role=grid]")).to_be_visible()
        await until_over(page)
        await expect(page.get_by_text("The tournament opens again by itself")).to_be_visible()
        await expect(page.locator(".podium")).to_be_visible()
        await bot


async def test_a_guest_enters_with_a_name_and_the_organiser_sees_who_is_here(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann") as (tea, ann),
        opened(browser, f"{address}/study") as page,
        opened(browser, f"{address}/study", **PHONE) as guest,
    ):
        tournament = await opened_tournament(tea, registered=True)
        await ann.ok(type="enter_tournament", tournament=tournament)
        await guest.goto(f"{address}/tournaments/{tournament}")
        await guest.get_by_role("textbox", name="Your name").fill("ann")
        await guest.get_by_role("button", name="Enter").click()
        await expect(guest.get_by_role("alert")).to_contain_text("registered to somebody else")
        await guest.get_by_role("textbox", name="Your name").fill("Zoe")
        await guest.get_by_role("button", name="Enter").click()
        await expect(guest.locator(".standings .named")).to_have_text(["ann", "Zoe"])
        await as_player(page, address, tea, f"/tournaments/{tournament}")
        await expect(page.get_by_role("img", name="is here")).to_have_count(2)
        async with players(url, "ben") as (ben,):
            await ben.ok(type="enter_tournament", tournament=tournament)
            await expect(page.get_by_role("img", name="is here")).to_have_count(3)


async def test_the_organiser_sees_the_bots_command_and_is_asked_before_a_start_without_a_player(
    browser: Browser,
) -> None:
    async with served() as (address, url), players(url, "ada", "ben") as (ada, ben):
        tournament = await opened_tournament(ada, registered=True)
        await ben.ok(type="enter_tournament", tournament=tournament)
        async with players(url, "cal") as (cal,):
            await cal.ok(type="enter_tournament", tournament=tournament)
        async with opened(browser, "about:blank") as page:
            await as_player(page, address, ada, f"/tournaments/{tournament}")
            command = f"noughts bot my_bot.py --url {url} --token TOKEN --tournament {tournament}"
            await expect(page.locator(".command")).to_have_text(command)
            await expect(page.locator(".presence.is-away")).to_have_count(1)
            await expect(page.locator("button.main")).to_have_text(["Start"])
            await page.get_by_role("button", name="Start").click()
            await expect(page.locator(".ask")).to_contain_text("1 player is away. Start?")
            await page.get_by_role("button", name="Yes").click()
            await page.get_by_role("button", name="Link", exact=True).click()  # from 127.0.0.1
            await expect(page.locator(".t-link")).to_contain_text("Only this machine can open this link.")
            row = page.locator(".standings tbody tr")
            await expect(row.filter(has_text="cal").locator(".presence")).to_have_class(re.compile("is-away"))
            await expect(row.filter(has_text="ben").locator(".presence")).to_have_class(re.compile("is-plays"))
            await expect(page.locator(".command")).to_have_count(0)


async def test_compete_leads_with_the_first_open_tournament_and_enters_it_at_one_click(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, ann, ben),
        opened(browser, f"{address}/study") as page,
    ):
        first = await opened_tournament(tea, name="Friday")
        await ann.ok(type="enter_tournament", tournament=first)
        await opened_tournament(tea, name="Saturday")
        await as_player(page, address, ben, "/compete")
        lead = page.locator(".leading")
        name = await lead.get_by_role("heading", level=2).text_content()
        await expect(page.locator(".open .card")).to_have_count(1)  # the other
        await expect(page.locator(".open .card")).not_to_contain_text(name or "")
        if name == "Friday":
            await expect(lead.locator("li")).to_have_text(["ann"])
        await lead.get_by_role("button", name="Enter").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(name or "")
        await expect(page.locator(".standings .named").last).to_have_text("ben")


async def test_a_guest_registers_a_name_where_a_tournament_is_opened(browser: Browser) -> None:
    async with served() as (address, _), opened(browser, f"{address}/compete") as page:
        await expect(page.locator(".formats li")).to_have_count(5)
        await page.get_by_role("button", name="Round robin").click()
        await page.get_by_label("Your name").fill("ada")
        await page.get_by_role("button", name="Register it").click()
        await expect(page.get_by_role("radio", name="Round robin")).to_be_checked()
        await page.get_by_role("button", name="Open it").click()
        await expect(page.locator("h1")).to_contain_text("Tic-tac-toe")


async def test_two_names_alike_are_told_apart(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea") as (tea,),
        connected(url, "sam") as sam,
        connected(url, "SAM") as other,
        opened(browser, f"{address}/study") as page,
    ):
        tournament = await opened_tournament(tea)
        for client in (sam, other):
            await client.ok(type="enter_tournament", tournament=tournament)
        await page.goto(f"{address}/tournaments/{tournament}")
        await expect(page.locator(".standings .named")).to_have_text(["sam (no. 1)", "SAM (no. 2)"])


@pytest.mark.parametrize("width", [1280, 1920])
async def test_the_organiser_sees_whole_names_beside_the_buttons_to_remove_them(browser: Browser, width: int) -> None:
    names = ["randomly_playing_a", "randomly_playing_b"]
    async with (
        served() as (address, url),
        players(url, "tea", *names, "cid") as (tea, *entrants),
        opened(browser, f"{address}/study", viewport={"width": width, "height": 800}) as page,
    ):
        tournament = await begun_tournament(tea, entrants)
        await tea.ok(type="withdraw", tournament=tournament, player=entrants[0].welcome["player"]["id"])
        await as_player(page, address, tea, f"/tournaments/{tournament}")
        await page.get_by_role("button", name="Results and players").click()
        await expect(page.get_by_role("button", name=re.compile("^Remove "))).to_have_count(2)
        await expect(page.locator(".standings .named")).to_have_count(3)
        assert await page.locator(".standings .named").evaluate_all(CUT) == []


async def test_a_bye_is_in_the_list_of_a_round_and_in_the_cross_table(browser: Browser) -> None:
    if not swiss.installed():
        pytest.skip("py4swiss is not installed")
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben", "cid") as (tea, *entrants),
        opened(browser, f"{address}/study") as page,
    ):
        tournament = await opened_tournament(tea, format="swiss", rounds=2)
        for client in entrants:
            await client.ok(type="enter_tournament", tournament=tournament)
        await page.goto(f"{address}/tournaments/{tournament}")
        await tea.ok(type="start_tournament", tournament=tournament)
        bye = page.locator(".pairings li").filter(has_text="bye")
        await expect(bye).to_have_count(1)
        name = await bye.locator(".named").text_content()
        free = next(client for client in entrants if client.welcome["player"]["name"] == name)
        async with opened(browser, f"{address}/study", **PHONE) as phone:
            await as_player(phone, address, free, f"/tournaments/{tournament}")
            await expect(phone.get_by_text("You sit out round 1.")).to_be_visible()
        await expect(bye.locator(".score")).to_have_text("1")
        (game,) = (await shown(tea, tournament))["games"]
        await tea.ok(type="adjudicate", tournament=tournament, room=game["room"], result="first")
        await expect(page.get_by_role("radio", name="Round 2")).to_be_visible()
        await page.get_by_role("radio", name="Round 1").check()
        await expect(bye.locator(".score")).to_have_text("1")
        await page.get_by_role("radio", name="Cross table").check()
        await expect(page.locator("td.byes").filter(has_text="1")).to_have_count(2)  # of both rounds


async def test_a_projector_shows_forfeits_and_the_first_three_and_players_their_place(browser: Browser) -> None:
    large: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben", "cid", "dee") as (tea, *entrants),
        opened(browser, f"{address}/study", **large) as projector,
        opened(browser, f"{address}/study", **large) as wall,
        opened(browser, f"{address}/study") as page,
    ):
        tournament = await begun_tournament(tea, entrants)
        await projector.goto(f"{address}/tournaments/{tournament}?present")
        await wall.goto(f"{address}/tournaments/{tournament}?wall")
        await expect(wall.locator(".s-legend")).to_be_visible()
        await expect(projector.locator(".s-boards .live-board")).to_have_count(2)
        await expect(projector.locator(".s-results")).to_have_count(0)  # the boards say who plays
        games = (await shown(tea, tournament))["games"]
        (forfeit,) = [game["room"] for game in games if "ann" in (game["first"]["name"], game["second"]["name"])]
        await tea.ok(type="adjudicate", tournament=tournament, room=forfeit, result="none")
        await expect(projector.locator(".s-results li").first).to_have_text(re.compile("0\u20130.*without a game"))
        for number in (1, 2, 3):
            found = await until(tea, tournament, in_round(number))
            await expect(projector.locator(".s-boards .live-board")).to_have_count(2)  # none of the round before
            rooms = [game["room"] for game in found["games"]]
            for room in rooms:
                await expect(projector.locator(f'.s-boards [href$="{room}"]')).to_be_visible()
            for game in found["games"]:
                if not game["points"]:
                    result = "first" if game["first"]["name"] < game["second"]["name"] else "second"
                    await tea.ok(type="adjudicate", tournament=tournament, room=game["room"], result=result)
        over = await until(tea, tournament, lambda found: found["tournament"]["status"] == "finished")
        names = [row["player"]["name"] for row in over["standings"]]  # tie-breaks decide if ann and ben have not met
        for screen in (projector, wall):
            await expect(screen.locator(".podium .named")).to_have_text(names[:3])
            assert await too_small(screen) == []
            await expect(screen.locator(".s-over > .live-board")).to_be_visible()
        await expect(wall.locator(".s-legend")).to_have_count(0)
        winner = entrants[["ann", "ben", "cid", "dee"].index(names[0])]
        await as_player(page, address, winner, f"/tournaments/{tournament}")
        await expect(page.get_by_text("You came 1st of 4.")).to_be_visible()
        await expect(page.locator("table.square tbody tr")).to_have_count(4)
        await page.get_by_text("More", exact=True).click()
        async with page.expect_download() as download:
            await page.get_by_role("link", name="Standings (CSV)").click()
        assert (await download.value).suggested_filename == f"noughts-{tournament}.csv"
        await expect(page.locator(".t-menu a[download]")).to_have_count(4)


async def test_a_wall_marks_who_is_to_move_and_says_when_the_connection_is_lost(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, *entrants),
        opened(browser, f"{address}/study", dies=True, viewport={"width": 1920, "height": 1080}) as wall,
    ):
        tournament = await opened_tournament(tea)
        for client in entrants:
            await client.ok(type="enter_tournament", tournament=tournament)
        await wall.goto(f"{address}/tournaments/{tournament}?wall")
        await expect(wall.locator(".s-leaders .named")).to_have_text(["ann", "ben"])
        await expect(wall.locator(".s-legend")).to_have_count(0)
        await tea.ok(type="start_tournament", tournament=tournament)
        to_move = wall.locator(".live-board .seat:is(.turn, :has(.clock.runs)) .who")
        (game,) = (await until(tea, tournament, lambda found: found["tournament"]["round"] == 1))["games"]
        await expect(wall.locator(".s-legend")).to_be_visible()
        await expect(to_move).to_have_text(game["first"]["name"])  # whose clock does not run yet
        seats = {(await client.push("tournament_game"))["seat"]: client for client in entrants}
        for turn, (seat, move) in enumerate((("first", "5"), ("second", "1"), ("first", "2"))):
            await seats[seat].ok(type="play", room=game["room"], turn=turn, move=move)
        await expect(to_move).to_have_text(game["second"]["name"])
        await expect(wall.locator(".clock.runs")).to_have_count(1)
        await wall.context.set_offline(True)
        await expect(wall.get_by_text("The connection is lost.")).to_be_visible()
        assert await too_small(wall) == []
        await expect(wall.locator(".clock.runs")).to_have_count(0)


async def test_the_organiser_decides_removes_and_pauses_on_the_page(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben", "cid", "dee") as (tea, *entrants),
        opened(browser, f"{address}/study") as page,
    ):
        tournament = await opened_tournament(tea)
        for client in entrants:
            await client.ok(type="enter_tournament", tournament=tournament)
        await as_player(page, address, tea, f"/tournaments/{tournament}")
        await page.get_by_role("button", name="Start").click()
        await expect(page.locator(".live-boards .live-board")).to_have_count(2)
        await page.get_by_role("button", name="Pause after this round").click()
        await page.get_by_role("button", name="Results and players").click()
        await page.get_by_role("button", name=re.compile("^Decide .+ against")).first.click()
        await page.get_by_role("button", name="A draw").click()
        await expect(page.locator(".pairings .score").first).to_have_text("½\u2013½")
        ends = page.locator(".pairings li").last
        name = await ends.locator(".named").last.text_content() or ""
        removed = next(each for each in ("ann", "ben", "cid", "dee") if each in name)
        await page.get_by_role("button", name=f"Remove {removed}").click()
        await expect(page.get_by_text("This player loses a game under way")).to_be_visible()
        await page.get_by_role("button", name="Yes").click()
        await expect(page.locator("tr.gone .named")).to_have_text(removed)
        await expect(ends.locator(".score")).to_have_text("1\u20130")
        acts = [f"decided .+ \u2013 .?{removed}.?: 1\u20130", f"removed .?{removed}", "decided .+: ½\u2013½", "paused"]
        await expect(page.locator(".t-acts li")).to_have_text([re.compile(each) for each in acts])
        await page.get_by_role("button", name="Pair the next round").click()
        await expect(page.get_by_role("status").filter(has_text="Round 2 of 3")).to_be_visible()
        await page.get_by_role("radio", name="Round 1").check()
        await expect(page.locator(".pairings .score")).to_have_text([re.compile("½\u2013½|1\u20130")] * 2)


async def test_the_organiser_removes_an_entrant_before_the_start(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben", "cid") as (tea, *entrants),
        opened(browser, f"{address}/study", **PHONE) as page,
    ):
        tournament = await opened_tournament(tea)
        await as_player(page, address, tea, f"/tournaments/{tournament}")
        await expect(page.get_by_text("Nobody has entered yet.")).to_be_visible()
        await expect(page.get_by_role("button", name="Remove players")).to_have_count(0)
        for client in entrants:
            await client.ok(type="enter_tournament", tournament=tournament)
        await page.get_by_role("button", name="Remove players").click()
        await page.get_by_role("button", name="Remove cid").click()
        await expect(page.get_by_text(re.compile("Remove .?cid.?. This player cannot enter again."))).to_be_visible()
        await page.get_by_role("button", name="Yes").click()
        await expect(page.locator("tr.gone")).to_contain_text("removed")
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360
        await page.get_by_role("button", name="Start").click()
        await expect(page.locator(".standings .named")).to_have_text([re.compile("ann|ben")] * 2)


async def test_whoever_withdraws_finishes_the_game_under_way(browser: Browser) -> None:
    async with (
        served() as (address, url),
        players(url, "tea", "ann", "ben") as (tea, ann, ben),
        opened(browser, f"{address}/study") as page,
    ):
        tournament = await begun_tournament(tea, [ann, ben])
        await as_player(page, address, ann, f"/tournaments/{tournament}")
        await page.get_by_text("More").click()
        await page.get_by_role("button", name="Withdraw").click()
        await expect(page.get_by_text("A game under way goes on until its end.")).to_be_visible()
        await page.get_by_role("button", name="Yes").click()
        await expect(page.locator(".call-band")).to_contain_text("You have withdrawn, and this is your last game.")


async def test_a_wall_shows_the_boards_and_watches_no_more_than_it_shows(browser: Browser) -> None:
    names = [f"p{number}" for number in range(10)]
    async with served() as (address, url), players(url, "tea", *names) as (tea, *entrants):
        tournament = await begun_tournament(tea, entrants, clock={"initial_s": 600, "increment_s": 0})
        async with opened(
            browser, f"{address}/tournaments/{tournament}?wall", viewport={"width": 1920, "height": 1080}
        ) as wall:
            await expect(wall.locator(".live-board")).to_have_count(5)
            await expect(wall.locator(".s-name")).to_contain_text("Round 1 of")
            await expect(wall.locator(".clock").first).to_have_text(re.compile(r"\d+:\d\d"))
            assert await too_small(wall) == []
            call = await entrants[0].push("tournament_game")
            mover = entrants[0] if call["seat"] == "first" else None
            for client in entrants[1:]:
                other = await client.push("tournament_game")
                if mover is None and other["room"] == call["room"]:
                    mover = client
            assert mover is not None
            await mover.ok(type="play", room=call["room"], turn=0, move="5")
            await expect(wall.locator(".live-board .piece")).to_have_count(11)  # ten of the players' marks
            assert await wall.evaluate("() => document.documentElement.scrollWidth") <= 1920


@pytest.mark.parametrize("rated", [False, True])
async def test_a_wall_shows_who_is_ahead_where_the_organiser_wants_it_but_not_in_rated_games(
    browser: Browser, rated: bool
) -> None:
    async with served() as (address, url), players(url, "tea", "ann", "ben") as (tea, *entrants):
        tournament = await begun_tournament(tea, entrants, rated=rated)
        async with opened(browser, f"{address}/tournaments/{tournament}?wall&values") as wall:
            board = wall.locator(".live-board")
            await expect(board).to_have_count(1)
            if not rated:
                await expect(board.locator(".worth i")).to_have_css("height", re.compile("px"))
                await expect(board.locator(".says")).to_have_text(re.compile("A draw with best play|About even"))
            else:
                await wall.wait_for_timeout(2000)
                await expect(board.locator(".worth")).to_have_count(0)
            await wall.goto(f"{address}/tournaments/{tournament}?wall")
            await expect(board).to_have_count(1)
            await wall.wait_for_timeout(500)
            await expect(board.locator(".worth")).to_have_count(0)
