"""Practice on the mistakes of a finished game, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from noughts.games import GAMES, Side
from page.test_review import played
from support.browser import BROWSER, PHONE, expect, opened, pick
from support.client import connected
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER


async def test_each_mistake_is_tried_until_a_move_keeps_what_there_was(browser: Browser, address: str) -> None:
    url = f"{address.replace('http', 'ws', 1)}/ws"
    async with connected(url, None) as ann, connected(url, None) as bob:
        # 3 threw a win away, and 4 a draw, which decided the game
        room = await played(ann, bob, "123548", game="tictactoe")
        async with opened(browser, "about:blank", reduced_motion="reduce") as page:
            await signed_in(page, ann.token)
            await page.goto(f"{address}/rooms/{room}")
            await page.get_by_role("radio", name="Review").check()
            await page.get_by_role("link", name="Practise my 2 mistakes").click()
            await expect(page.get_by_role("heading", level=1)).to_contain_text("You played square 4.")
            await page.get_by_role("button", name="Hint").click()
            await expect(page.locator(".found-ring.is-hint")).not_to_have_count(0)
            await page.get_by_role("button", name="Show the move").click()
            await expect(page.locator(".told")).to_contain_text("was better")
            await page.get_by_role("button", name="Next").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text(
                "You played square 3. Find a move that wins."
            )
            await expect(page.locator(".room .board .piece")).to_have_count(2)
            await expect(page.locator(".cell.open")).to_have_count(7)
            await pick(page, "3")
            await expect(page.locator(".told")).to_contain_text("Not square 3: that is what you played.")
            await page.get_by_label("Type a move").fill("8")
            await page.keyboard.press("Enter")
            await expect(page.locator(".told")).to_contain_text("Not square 8: it ")
            await page.get_by_role("button", name="Hint").click()
            await expect(page.locator(".found-ring.is-hint")).to_have_count(3)
            assert not {"3", "8"} & set(await ringed(page))  # both are known to be wrong
            await expect(page.locator(".told")).to_contain_text("Hint: one of these is right: square ")
            await page.get_by_role("button", name="Next hint").click()
            await expect(page.locator(".found-ring.is-hint")).to_have_count(1)
            await expect(page.locator(".told")).to_have_text(f"Hint: play square {(await ringed(page))[0]}.")
            await expect(page.get_by_role("button", name="Next hint")).to_be_disabled()
            await page.locator('[data-cell="7"]').press("Enter")
            await expect(page.locator(".told")).to_contain_text("Right: square 7 wins in 3 moves.")
            await expect(page.locator(".told")).to_contain_text("That is proved.")
            await expect(page.locator(".line button").first).to_be_visible()
            before = await page.locator(".room .board .piece").count()
            await page.keyboard.press(".")
            await expect(page.locator(".room .board .piece")).to_have_count(before + 1)
            await page.get_by_role("button", name="See how it went").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("1 of 2 found")
            await page.get_by_role("button", name="Try the missed one again").click()
            await expect(page.get_by_role("heading", level=1)).to_contain_text("You played square 4.")
            await page.get_by_role("button", name="Back to the review").click()
            await expect(page.locator(".review .verdict")).to_contain_text("decided the game")


async def ringed(page: Page) -> list[str]:
    """The cells in the middle of a ring."""
    cells: list[str] = await page.evaluate(
        """() => [...document.querySelectorAll(".found-ring.is-hint .under")].map((ring) => {
            const { x, y, width, height } = ring.getBoundingClientRect();
            return document.elementFromPoint(x + width / 2, y + height / 2).closest("[data-cell]").dataset.cell;
        })"""
    )
    return cells


def worth(value: int, *, exact: bool = False, bound: str | None = None) -> dict[str, Any]:
    return {"value": value, "exact": exact, "distance": None, "line": [], **({"bound": bound} if bound else {})}


JUDGED = [
    # the mark of the mistake, the move that is tried, its worth; right, and proved
    ("win_thrown_away", "good", worth(3, exact=True), True, True),
    ("win_thrown_away", "draw", worth(0, exact=True), False, True),
    ("win_thrown_away", "bound", worth(1, bound="lower"), True, True),
    ("win_thrown_away", "bound", worth(0, bound="upper"), False, True),
    ("win_thrown_away", "guess", worth(70), True, False),
    ("win_thrown_away", "guess", worth(50), False, False),
    ("draw_thrown_away", "draw", worth(0, exact=True), True, True),
    ("draw_thrown_away", "loss", worth(-3, exact=True), False, True),
    ("draw_thrown_away", "bound", worth(0, bound="lower"), True, True),
    ("draw_thrown_away", "guess", worth(-30), True, False),
    ("draw_thrown_away", "guess", worth(-50), False, False),
    ("probable_mistake", "good", worth(5, exact=True), True, True),
    ("probable_mistake", "loss", worth(-1, bound="upper"), False, True),
    ("probable_mistake", "guess", worth(100), True, False),
    ("probable_mistake", "guess", worth(-80), False, False),
    ("probable_mistake", "played", worth(100), False, False),
    ("win_thrown_away", "better", worth(-9), True, True),
]


async def test_a_proof_decides_and_otherwise_the_estimates_by_as_much_as_the_review_does(
    browser: Browser, address: str
) -> None:
    async with opened(browser, address) as page:
        await expect(page.locator(".tile").first).to_be_visible()
        found = await page.evaluate(
            """async (cases) => {
                const base = document.querySelector("script[type=module]").src.replace(/[^/]*$/, "");
                const { judge } = await import(`${base}judging.js`);
                return cases.map(([mark, move, worth]) => {
                  const better = { move: "better", worth: { value: 1, exact: true, distance: 1, line: [] } };
                  const mistake = { mark, move: "played", better, before: { result: null, expected: 0.8 } };
                  const other = { value: 100, exact: false, distance: null, line: [] };
                  const analysis = { moves: { other, [move]: worth } };
                  const { right, proved } = judge(move, mistake, analysis, { unit: 100 }, 0.2);
                  return [right, proved];
                });
            }""",
            [case[:3] for case in JUDGED],
        )
    assert [(*case[:3], *judged) for case, judged in zip(JUDGED, found, strict=True)] == JUDGED


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("chess", "f2f3 e7e5 g2g4 a7a6"),
        ("kalah", "d1 d2 a2 c1 f2 d2 d1 e2 c2"),
        ("dots", "e4 b5 d1 f3 g6 e6 f5 c4 f7 g2 d5 c2 a6 a2 d3 e2"),
    ],
)
async def test_practice_works_with_moves_of_every_kind(game: str, moves: str, browser: Browser) -> None:
    """Pieces that are dragged, pits, and edges: where there is a mistake the answer is shown with its line."""
    async with (
        running_page(review_s=0.2, analyse_s=0.2) as url,
        connected(url, "ann") as ann,
        connected(url, "bob") as bob,
    ):
        opened_room = await ann.ok(type="create", game=game, seats={"first": "me", "second": "open"})
        room = str(opened_room["room"])
        await bob.join(room)
        position = GAMES[game].start
        for turn, move in enumerate(moves.split()):
            await (ann if position.to_move is Side.FIRST else bob).ok(type="play", room=room, turn=turn, move=move)
            position = position.play(move)
        await ann.ok(type="resign", room=room)
        address = url.replace("ws://", "http://").removesuffix("/ws")
        for side in ("first", "second"):
            async with opened(
                browser, f"{address}/rooms/{room}?practice={side}", reduced_motion="reduce", **PHONE
            ) as page:
                await expect(page.locator(".work h1")).to_be_visible()
                if await page.get_by_text("There is no mistake").is_visible():
                    continue
                await expect(page.locator(".cell.open").first).to_be_visible()
                await page.get_by_role("button", name="Hint").click()
                await expect(page.get_by_text("Hint:")).to_be_visible()
                await page.get_by_role("button", name="Show the move").click()
                await expect(page.locator(".line .now")).to_be_visible()
                assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360


async def test_a_piece_is_dragged_to_where_it_wins_and_a_game_under_way_has_no_practice(browser: Browser) -> None:
    async with running_page(review_s=1) as url, connected(url, "ann") as ann, connected(url, "bob") as bob:
        address = url.replace("ws://", "http://").removesuffix("/ws")
        opened_room = await ann.ok(type="create", game="chess", seats={"first": "me", "second": "open"})
        room = str(opened_room["room"])
        await bob.join(room)
        for turn, move in enumerate(["f2f3", "e7e5", "g2g4", "a7a6"]):  # Black does not see the mate
            await (ann, bob)[turn % 2].ok(type="play", room=room, turn=turn, move=move)
        async with opened(browser, f"{address}/rooms/{room}?practice=second", reduced_motion="reduce") as page:
            await expect(page.locator(".status")).to_have_text("ann to move")
            await ann.ok(type="resign", room=room)
            await page.goto(f"{address}/rooms/{room}?practice=second")
            await expect(page.locator(".work h1")).to_contain_text("Black played a6.")
            await expect(page.locator(".cell.movable").first).to_be_visible()
            await page.locator('[data-cell="d8"]').drag_to(page.locator('[data-cell="f6"]'))
            await expect(page.locator(".told.wrong")).to_contain_text("ot Qf6: ")
            await page.wait_for_timeout(1200)  # the queen goes back
            await page.locator('[data-cell="d8"]').drag_to(page.locator('[data-cell="h4"]'))
            await expect(page.locator(".told.right")).to_contain_text("Right: Qh4# wins in 1 move.")
            await expect(page.locator('[data-cell="h4"] .piece')).to_have_count(1)


async def signed_in(page: Page, token: Any) -> None:
    await page.add_init_script(f"localStorage.setItem('noughts.token', '{token}')")
