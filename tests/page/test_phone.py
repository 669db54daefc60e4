"""The parts of each view that a low phone shows before anybody scrolls."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from noughts.games import GAMES
from support.browser import BROWSER, PHONE, expect, invite, opened, pick, play_computer, show_values
from support.client import Client, connected
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER

LOW = PHONE | {"viewport": {"width": 360, "height": 640}}

ENDS = """(one) => {
  const { bottom } = one.getBoundingClientRect();
  const bars = [...document.querySelectorAll("header nav, .lecture .steps")].filter((bar) => bar.checkVisibility());
  return Math.min(innerHeight, ...bars.map((bar) => bar.getBoundingClientRect().top)) - bottom;
}"""
"""The distance by which a part ends above the bars at the bottom of the screen."""


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/puzzles?puzzle=tictactoe/0dd0c0c4", ".actions"),
        ("/analysis?game=connect4", ".verdict"),
        ("/lecture", ".tree"),
        ("/settings", "aside .button"),
        ("/study", ".today .card >> nth=0"),
    ],
)
async def test_a_low_phone_shows_whole_what_a_view_is_for(browser: Browser, address: str, path: str, part: str) -> None:
    async with opened(browser, address + path, **LOW) as page:
        await expect(page.locator(part)).to_be_visible()
        await page.wait_for_timeout(300)  # for what comes later, such as values
        assert await page.locator(part).evaluate(ENDS) >= 0
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360


async def test_a_phones_way_to_a_subject_is_as_large_as_a_finger(browser: Browser, address: str) -> None:
    async with opened(browser, f"{address}/study", **LOW) as page:
        await expect(page.locator(".today .card").first).to_be_visible()  # which moves what is below it
        subject = page.locator(".subject").first
        await subject.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
        await subject.locator(".picture").tap(force=True)  # all of it leads there
        await expect(page.get_by_role("heading", level=1)).to_contain_text("to move")


def on_its_side(width: int, height: int) -> dict[str, Any]:
    return PHONE | {"viewport": {"width": width, "height": height}}


BESIDE = """(selectors) => {
  const board = document.querySelector(".stage .board").getBoundingClientRect();
  return selectors.filter((selector) => {
    const { left, right, top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return left < board.right || right > innerWidth + 1 || top < 0 || bottom > innerHeight + 1;
  });
}"""
"""The parts that are not beside the board, whole on the screen."""


async def between_two(one: Client, other: Client, game: str, moves: str) -> str:
    """A room of two clients in which these moves are played."""
    room = str((await one.ok(type="create", game=game))["room"])
    await other.ok(type="join", room=room)
    for turn, move in enumerate(moves.split()):
        await (one, other)[turn % 2].ok(type="play", room=room, turn=turn, move=move)
    return room


async def height_of_board(page: Page) -> float:
    box = await page.locator(".stage .board").bounding_box()
    assert box is not None
    return box["height"]


@pytest.mark.parametrize(("width", "height"), [(640, 360), (844, 390), (932, 430)])
async def test_a_phone_on_its_side_has_the_board_as_high_as_the_screen_and_all_else_beside_it(
    width: int, height: int, browser: Browser, address: str
) -> None:
    async with opened(browser, address, **on_its_side(width, height)) as page:
        await play_computer(page, "chess")
        await expect(page.locator(".has-in-room header .back")).to_be_visible()
        await page.wait_for_function("(height) => document.querySelector('.stage').clientHeight === height", arg=height)
        for cell in ("e2", "e4"):
            await page.locator(f'[data-cell="{cell}"]').tap()
        await expect(page.locator(".moves .move")).to_have_count(2)
        parts = [".player.top", ".player.bottom", ".status", ".tabs", ".steps-through", ".more", ".move.now", "header"]
        assert await page.evaluate(BESIDE, parts) == []
        assert await page.evaluate("() => document.documentElement.scrollHeight") <= height + 1
        for path, parts in (
            ("/puzzles?puzzle=tictactoe/0dd0c0c4", [".work h1", ".actions"]),
            ("/analysis?game=chess", [".verdict", ".status", ".actions", ".tabs"]),
        ):
            await page.goto(address + path)
            for part in parts:
                await expect(page.locator(part)).to_be_visible()
            assert await height_of_board(page) > height - 40  # beside the bar for values the board is not as wide
            assert await page.evaluate(BESIDE, parts) == []


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/", ".tile .board >> nth=0"),
        ("/compete", "h1"),
        ("/settings", ".to-back"),
        ("/lecture", ".tree"),
        ("/lecture", ".code li >> nth=3"),
    ],
)
@pytest.mark.parametrize("size", [(740, 360), (932, 430)])
async def test_a_phone_on_its_side_has_its_places_at_the_left_and_the_view_from_the_top(
    path: str, part: str, size: tuple[int, int], browser: Browser, address: str
) -> None:
    async with opened(browser, address + path, **on_its_side(*size)) as page:
        rail = page.locator("header")
        await page.wait_for_function("() => document.querySelector('header').clientHeight === innerHeight")
        for link in ("Noughts", "Play", "Watch", "Study", "Compete"):
            way = rail.get_by_role("link", name=link, exact=True)
            await expect(way).to_be_in_viewport(ratio=1)
            assert await way.evaluate("(one) => one.clientHeight") >= 44
        await expect(page.locator(part)).to_be_in_viewport(ratio=1)
        box = await page.locator(part).bounding_box()
        assert box is not None
        assert box["x"] >= 64
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize(("width", "height"), [(360, 640), (390, 844)])
async def test_the_pits_of_an_upright_phone_are_as_large_as_a_finger_and_keep_their_order_for_keys(
    width: int, height: int, browser: Browser, address: str
) -> None:
    async with opened(browser, address, **on_its_side(width, height)) as page:
        await play_computer(page, "kalah")
        await expect(page.locator(".shape-pits .count").first).to_be_visible()
        tops = []
        for name in ("n", "a2", "a1", "s"):
            box = await page.locator(f'[data-cell="{name}"] .square').bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44
            tops.append(box["y"])
        assert tops == sorted(tops), "each store is beside its side's player"
        counts = await page.locator(".board .count").evaluate_all(
            "(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().d)"
        )
        assert min(counts) >= 16
        await page.locator('[data-cell="a1"]').focus()
        await page.keyboard.press("ArrowRight")
        assert await page.evaluate("() => document.activeElement.dataset.cell") == "b1"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740)])
async def test_a_phone_cuts_no_row_of_moves_after_the_game(
    width: int, height: int, browser: Browser, address: str
) -> None:
    server = address.replace("http", "ws") + "/ws"
    async with (
        connected(server, None) as one,
        connected(server, None) as other,
        opened(browser, address, **on_its_side(width, height)) as page,
    ):
        room = await between_two(one, other, "tictactoe", "5 1 2 8 3 7 4 6 9")
        await page.goto(f"{address}/rooms/{room}")
        await expect(page.locator(".move.now")).to_be_in_viewport(ratio=1)
        cut = """() => {
          const list = document.querySelector(".moves").getBoundingClientRect();
          const rows = [...document.querySelectorAll(".move")].map((one) => one.getBoundingClientRect());
          const seen = rows.filter(({ top, bottom }) => bottom > list.top + 1 && top < list.bottom - 1);
          return seen.filter(({ top, bottom }) => top < list.top - 1 || bottom > list.bottom + 1).length;
        }"""
        assert await page.evaluate(cut) == 0


async def test_a_phone_that_is_turned_round_has_the_board_beside_the_rest_and_then_above_it(
    browser: Browser, address: str
) -> None:
    async with opened(browser, address, **on_its_side(390, 844)) as page:
        await play_computer(page, "tictactoe")
        under = """() => {
          const [tabs, stage] = [".tabs", ".stage"].map((part) => document.querySelector(part).getBoundingClientRect());
          return tabs.top >= stage.bottom;
        }"""
        await page.wait_for_function(under)
        await page.set_viewport_size({"width": 844, "height": 390})
        await page.wait_for_function("() => document.querySelector('.stage').clientHeight === 390")
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.wait_for_function(under)


ONE_LINE = """(one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  const { right } = words.getBoundingClientRect();
  return one.scrollHeight < 1.6 * parseFloat(getComputedStyle(one).fontSize) && one.scrollWidth <= one.clientWidth &&
    right <= document.querySelector(".actions").getBoundingClientRect().left + 1;
}"""
"""True if all of a text is in one line, beside what can be done."""


@pytest.mark.parametrize("game", ["kalah", "hex"])
async def test_a_phone_on_its_side_has_whose_move_it_is_in_one_line_beside_a_wide_board(
    game: str, browser: Browser, address: str
) -> None:
    server = address.replace("http", "ws") + "/ws"
    async with (
        connected(server, "Wilhelmina-Aloisia-Magdalena-X") as other,
        opened(browser, address, **on_its_side(844, 390)) as page,
    ):
        await invite(page, game)
        room = page.url.rpartition("/")[2]
        await other.ok(type="join", room=room)
        status = page.locator(".status")
        await expect(status).to_have_text("Your move")
        if game == "kalah":
            await page.locator('[data-cell="c1"]').tap()  # which moves again
            await expect(page.get_by_role("button", name="Abort")).to_be_visible()
            await expect(page.get_by_role("button", name="Take back")).to_be_visible()
        else:
            await page.locator('[data-cell="c3"]').tap()
            await expect(status).to_contain_text("to move")
            assert await status.evaluate("(one) => one.clientHeight < 26")
            await other.ok(type="play", room=room, turn=1, move="d4")
        await expect(status).to_have_text("Your move")
        assert await status.evaluate(ONE_LINE)


async def test_an_invitation_is_shared_first_and_is_seen_from_the_free_side(browser: Browser, address: str) -> None:
    async with opened(browser, "about:blank", **LOW) as host, opened(browser, "about:blank", **LOW) as friend:
        await host.add_init_script("navigator.share = async ({ url }) => { document.title = url }")
        await host.goto(address)
        await invite(host, "breakthrough")
        assert await host.locator(".stage .board").evaluate("(board) => board.clientWidth > 200")
        await expect(host.locator(".link button").last).to_be_in_viewport(ratio=1)
        await expect(host.locator(".link button")).to_have_text(["Share", "Copy"])
        await host.locator(".link .main").tap()
        await expect(host).to_have_title(host.url)
        await friend.goto(host.url)
        await expect(friend.get_by_text("You would play Black.")).to_be_visible()
        higher = "(cell) => cell.getBoundingClientRect().top < innerHeight / 3"
        assert await friend.locator('[data-cell="a1"]').evaluate(higher)
        assert not await host.locator('[data-cell="a1"]').evaluate(higher)


async def test_a_lecture_on_a_phone_names_a_line_of_its_code_from_the_start(browser: Browser, address: str) -> None:
    async with opened(browser, f"{address}/lecture", **LOW) as page:
        await expect(page.locator(".present-line code")).to_contain_text("search(node")
        await expect(page.locator(".present-line code")).to_be_in_viewport(ratio=1)


async def test_a_phone_on_its_side_confirms_a_move_where_else_the_buttons_are(browser: Browser, address: str) -> None:
    async with opened(browser, address, **on_its_side(844, 390)) as page:
        await play_computer(page, "gomoku")
        await page.locator('[data-cell="h8"]').tap()
        play = page.get_by_role("button", name="Play it: h8")
        await expect(play).to_be_visible()
        assert (
            await page.evaluate(BESIDE, [".player.top", ".player.bottom", ".choices", ".choices button:last-child"])
            == []
        )
        gap = "() => innerWidth - document.querySelector('.choices').getBoundingClientRect().right"
        assert await page.evaluate(gap) >= 8
        await expect(page.locator(".actions")).to_be_hidden()
        await play.tap()
        await expect(page.locator(".move")).not_to_have_count(0)


async def test_a_chessboard_has_its_names_in_the_frame_however_the_phone_is_turned(
    browser: Browser, address: str
) -> None:
    async with opened(browser, address, **on_its_side(390, 844)) as page:
        await play_computer(page, "chess")
        names = """() => {
          const field = document.querySelector(".board .field").getBoundingClientRect();
          const all = [...document.querySelectorAll(".board .edge")];
          return all.length === 16 && all.every((one) => {
            const { left, right, top, height } = one.getBoundingClientRect();
            const size = parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().d;
            return (right <= field.left || top + height / 4 >= field.bottom) && size >= 10 &&
              getComputedStyle(one).fill === "rgb(244, 230, 210)";
          });
        }"""
        for width, height in ((390, 844), (844, 390), (390, 844)):
            await page.set_viewport_size({"width": width, "height": height})
            await page.wait_for_function(names)
        box = await page.locator(".stage .board").bounding_box()
        assert box is not None
        assert abs(box["width"] - box["height"]) < 2  # the board has the place for which it is drawn


async def test_a_low_phone_has_the_moves_in_sight_and_every_arrow_also_after_the_game(
    browser: Browser, address: str
) -> None:
    server = address.replace("http", "ws") + "/ws"
    async with (
        connected(server, None) as one,
        connected(server, None) as other,
        opened(browser, address, **LOW) as page,
    ):
        room = await between_two(one, other, "connect4", "1 2 5 2 2 3 6 3")
        await page.goto(f"{address}/rooms/{room}")
        await expect(page.locator(".move:enabled")).to_have_count(8)
        assert await page.locator(".moves .number").all_text_contents() == ["1.", "2.", "3.", "4."]
        gap = """() => {
          const [, second] = document.querySelectorAll(".moves .move");
          const words = document.createRange();
          words.selectNodeContents(document.querySelectorAll(".moves .number")[1]);
          return words.getBoundingClientRect().left - second.getBoundingClientRect().right;
        }"""
        assert await page.evaluate(gap) >= 12
        for turn, move in enumerate("73", 8):
            await (one, other)[turn % 2].ok(type="play", room=room, turn=turn, move=move)
        await one.ok(type="resign", room=room)
        for part in (".status", ".move.now", ".more"):
            await expect(page.locator(part)).to_be_in_viewport(ratio=1)
        await expect(page.get_by_role("button", name="Review")).to_be_visible()
        await expect(page.get_by_role("radio", name="Review")).to_be_hidden()
        for width in (360, 390):
            await page.set_viewport_size({"width": width, "height": 844})
            for arrow in ("First move", "Back", "Forward", "Present"):
                await expect(page.get_by_role("button", name=arrow, exact=True)).to_be_in_viewport(ratio=1)


async def test_a_phone_says_only_that_the_computer_thinks(browser: Browser) -> None:
    async with running_page(think_s=60) as url:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        async with opened(browser, address, **LOW) as page:
            await play_computer(page, "chess", "best")
            for cell in ("e2", "e4"):
                await pick(page, cell)
            await expect(page.locator(".status")).to_have_text("Thinking", use_inner_text=True)
            assert await page.locator(".status").evaluate("(one) => one.scrollWidth <= one.clientWidth")
            assert "The computer is thinking" in await page.title()


async def test_there_is_no_bar_where_no_value_may_be_seen(browser: Browser, address: str) -> None:
    server = address.replace("http", "ws") + "/ws"
    async with connected(server, None) as other, opened(browser, address, **LOW) as page:
        room = str((await other.ok(type="create", game="chess"))["room"])
        await page.goto(f"{address}/rooms/{room}")
        await page.get_by_role("button", name="Take the seat").click()
        await expect(page.locator(".status")).to_contain_text("to move")
        await show_values(page)
        told = page.get_by_text("In a game between people")
        await expect(told).to_be_visible()
        await expect(page.locator(".bar, .verdict")).to_have_count(0)
        assert await told.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)") < 17


async def test_one_line_joins_the_boards_that_have_won_ultimate_tic_tac_toe(browser: Browser, address: str) -> None:
    server = address.replace("http", "ws") + "/ws"
    rng, position = random.Random(71), GAMES["ultimate"].start
    played = []
    while position.to_move is not None:
        played.append(rng.choice(position.legal_moves))
        position = position.play(played[-1])
    async with (
        connected(server, "Xena") as one,
        connected(server, "Otto") as other,
        opened(browser, address, **LOW) as page,
    ):
        room = await between_two(one, other, "ultimate", " ".join(played))
        await page.goto(f"{address}/rooms/{room}")
        await expect(page.locator(".status")).to_have_text("Xena won with three boards in a row.")
        await expect(page.locator(".board .joined")).to_have_count(1)
        await expect(page.locator(".board .ringed")).to_have_count(0)
