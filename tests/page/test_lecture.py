"""The lecture in a real browser, with a real server and its real policy."""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from noughts.engine import Method, Sampling, Trace, Tracing, trace_playouts, trace_tree
from noughts.engine.iterations import Playout, Select
from noughts.engine.steps import Cut, Enter, Update
from noughts.games import GAMES
from support.browser import BROWSER, expect, opened, too_small
from support.server import running_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER

FIGURE = "A(B(3,12,8),C(2,4,6),D(14,5,2))"
USUAL = "3,12,8/2,4,6/14,5,2"

MINUS, ALPHA, INFINITY = "\N{MINUS SIGN}", "\N{GREEK SMALL LETTER ALPHA}", "\N{INFINITY}"

SHOWN = """() => {
  const text = (node, which) => node.querySelector(which)?.textContent ?? "";
  const nodes = [...document.querySelectorAll(".node")].map((node) => ({
    value: text(node, ".value"), seen: node.classList.contains("seen"), gone: node.classList.contains("gone"),
    window: [...node.querySelectorAll(".window")].map((part) => part.textContent), why: text(node, ".why"),
    now: node.classList.contains("now"),
  }));
  return { nodes, words: text(document, ".words"), count: text(document, ".count") };
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def address() -> AsyncIterator[str]:
    """The address of a server's lecture."""
    async with running_page() as url:
        yield url.replace("ws://", "http://").removesuffix("/ws") + "/lecture"


def end(value: float) -> str:
    return str(value) if math.isfinite(value) else "∞" if value > 0 else f"{MINUS}∞"


def as_shown(trace: Trace, count: int) -> list[dict[str, Any]]:
    """The page's view of each node after ``count`` steps."""
    nodes: list[dict[str, Any]] = [
        {
            "value": "" if place.value is None else str(place.value),
            "seen": False,
            "gone": False,
            "window": [],
            "why": "",
            "now": False,
        }
        for place in trace.places
    ]
    for step in trace.steps[:count]:
        node = nodes[step.node]
        window = [f"{ALPHA} {end(step.alpha)}", f"β {end(step.beta)}"]
        match step:
            case Enter():
                node |= {"seen": True, "window": window if step.end is None else []}
            case Update():
                node |= {"value": str(step.value), "window": window}
            case Cut():
                node["why"] = f"{step.alpha} ≥ {step.beta}"
                for index, place in enumerate(trace.places):
                    if place.parent == step.node and place.move in step.moves:
                        nodes[index]["gone"] = True
    if count:
        nodes[trace.steps[count - 1].node]["now"] = True
    return nodes


async def test_the_steps_of_a_lecture_are_those_of_the_trace(browser: Browser, address: str) -> None:
    trace = trace_tree(Tracing(tree=FIGURE))
    async with opened(browser, f"{address}?tree={FIGURE}") as page:
        await expect(page.locator(".count")).to_have_text(f"0 of {len(trace.steps)}")
        said = []
        for count in range(len(trace.steps) + 1):
            shown = await page.evaluate(SHOWN)
            assert shown["nodes"] == as_shown(trace, count), count
            assert shown["count"] == f"{count} of {len(trace.steps)}"
            said.append(shown["words"].strip())
            await page.keyboard.press("ArrowRight")
        assert said[3] == "Leaf is worth 3."
        assert said[4] == f"MIN B has read 3, so its β falls from {INFINITY} to 3."
        assert said[6] == "MIN B has read 12 and stays at 3."
        assert said[10] == f"MIN C is searched with {ALPHA} 3 and β {INFINITY}."
        assert said[13] == f"MIN C: {ALPHA} ≥ β, as 3 ≥ 2, so the rest (4, 6) cannot change the result."
        assert said[-2] == "MIN D has read 2, so its β falls from 5 to 2."
        assert await page.locator(".edge.chosen").count() == 2
        await page.keyboard.press("ArrowLeft")
        assert (await page.evaluate(SHOWN))["nodes"] == as_shown(trace, len(trace.steps) - 1)


PLACES = "(all) => all.map((one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().height])"


async def at(page: Page, step: int, last: int = 22) -> None:
    await expect(page.locator(".count")).to_have_text(f"{step} of {last}")


async def test_a_lecture_by_keyboard_and_buttons(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await at(page, 0)
        await expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()  # it is paused
        for key, step in (("ArrowRight", 1), ("End", 22), ("ArrowLeft", 21), ("Home", 0), ("ArrowLeft", 0)):
            await page.keyboard.press(key)
            await at(page, step)
        await page.get_by_label("Speed").select_option("10")
        await page.locator(".brand").focus()
        await page.locator("body").press("Space")
        await expect(page.get_by_role("button", name="Pause")).to_be_visible()
        await at(page, 22)
        await expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
        await page.get_by_role("button", name="First step").click()
        await page.get_by_role("button", name="Step forward").click()
        await at(page, 1)
        slider = page.get_by_role("slider")
        await slider.focus()
        await slider.press("ArrowRight")
        await at(page, 2)
        await page.get_by_role("button", name="What is searched").click()
        leaves = page.get_by_role("textbox", name="Leaves")
        await leaves.focus()
        await leaves.press("ArrowLeft")
        await at(page, 2)
        await expect(page.get_by_role("button", name="Step back")).to_be_in_viewport()
        await page.locator(".brand").click()
        await expect(page.locator(".tree")).to_have_count(0)
        await page.go_back()
        await at(page, 0)
        await expect(page.locator(".node")).to_have_count(13)


async def test_searches_next_to_each_other_and_a_link_that_holds_them(browser: Browser, address: str) -> None:
    async with opened(browser, address, viewport={"width": 360, "height": 740}) as page:
        await page.get_by_role("button", name="Side by side").click()
        await page.get_by_role("button", name="Table").click()
        await expect(page.locator(".search")).to_have_count(4)
        await page.get_by_role("button", name="What is searched").click()
        await page.keyboard.press("End")
        figures = await page.locator(".figures").all_text_contents()
        nodes = [trace_tree(Tracing(method, tree=USUAL)).visited for method in Method]
        assert [text.split(" · ")[0] for text in figures] == [f"{count} of {count} nodes" for count in nodes]
        await page.get_by_label("Cut where").select_option("strict")
        leaves = page.get_by_role("textbox", name="Leaves")
        await leaves.fill("3,5/x,2")
        await leaves.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("character 5: there is no complete node 'x'")
        assert await leaves.evaluate("(input) => [input.selectionStart, input.selectionEnd]") == [4, 5]
        await leaves.fill("3,5/3,2")
        await leaves.press("Enter")
        await at(page, 0, 13)
        assert page.url.removeprefix(address) == "?tree=3,5/3,2&search=minimax,alphabeta,ordered,table&cut=strict"
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        async with opened(browser, page.url + "&present") as other:
            await expect(other.locator(".lecture.present .search")).to_have_count(4)
            await at(other, 0, 13)
            await other.get_by_role("button", name="Projector").click()
            await other.get_by_role("button", name="What is searched").click()
            await expect(other.get_by_label("Cut where")).to_have_value("strict")


async def test_a_class_predicts_cuts(browser: Browser, address: str) -> None:
    async with opened(browser, f"{address}?tree={FIGURE}&predict") as page:
        await at(page, 0)
        for _ in range(9):
            await page.keyboard.press("ArrowRight")
        await at(page, 4)
        asked = page.locator(".predict")
        await expect(asked).to_contain_text(f"MIN B: is the rest cut? {ALPHA} is {MINUS}∞, and β is 3.")
        await expect(page.locator(".code .now")).to_have_text(f"if {ALPHA} ≥ β: cut the rest")
        await expect(page.get_by_role("button", name="Step forward")).to_be_disabled()
        await page.keyboard.press("s")
        await expect(asked).to_contain_text(f"Right: {ALPHA} {MINUS}∞ < β 3, so the rest is searched. ✓ 1 of 1 right")
        for step in range(5, 14):
            await page.keyboard.press("ArrowRight")
            if step == 12:
                await expect(asked).to_contain_text("MIN C: is the rest cut?")
                await asked.get_by_role("button", name="Search it").click()
                await expect(asked).to_contain_text(f"No: {ALPHA} 3 ≥ β 2, so the rest is cut.")
            elif await asked.get_by_role("button", name="Search it").is_visible():
                await page.keyboard.press("s")
        await expect(page.locator(".words")).to_contain_text(f"MIN C: {ALPHA} ≥ β, as 3 ≥ 2")
        await page.keyboard.press("End")
        await expect(asked).to_contain_text("That was the last question.")
        await expect(page.locator(".closing")).to_have_text(
            "MAX takes B: the value is 3. Alpha-beta visited 11 of 13 nodes: 2 saved."
        )
        await page.get_by_role("button", name="Start again").click()
        await at(page, 0)
        async with opened(browser, page.url) as other:
            await expect(other.get_by_role("button", name="Predict")).to_have_attribute("aria-pressed", "true")


async def test_the_last_row_can_read_a_projector(browser: Browser, address: str) -> None:
    for query, searches in (
        ("predict", 1),
        ("search=minimax,alphabeta,ordered", 3),
        ("game=tictactoe&moves=1,2,3,5,9", 1),
        ("game=tictactoe&moves=1,2,3,5,9&search=minimax,alphabeta", 2),
        ("tree=3,12,8/2,4,6/14,5,2&search=minimax,alphabeta", 2),
        ("tree=A(B(3,D=12),C(2,4))&search=minimax,alphabeta", 2),
        ("game=tictactoe&moves=1,2,3,5,9&search=mcts", 1),
        ("game=tictactoe&moves=1,2,3,5,9&search=minimax,mcts&predict", 2),
    ):
        async with opened(browser, f"{address}?{query}&present", viewport={"width": 1920, "height": 1080}) as page:
            await expect(page.locator(".search")).to_have_count(searches)
            for _ in range(4):
                await page.keyboard.press("PageDown")  # as a presenter's remote control does
            await expect(page.locator(".count")).to_contain_text("4 of")
            assert await too_small(page) == []
            assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


async def test_a_lecture_about_a_position(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        await page.get_by_role("button", name="What is searched").click()
        await page.locator("select[name=subject]").select_option("tictactoe")
        await expect(page.locator(".figures")).to_contain_text("of 22 nodes")
        await page.keyboard.press("End")
        await expect(page.locator(".node")).to_have_count(22)
        await expect(page.locator(".closing")).to_have_text(
            "MAX plays 8 and wins in 1 move: the value is 9. Alpha-beta visited 22 of 34 nodes: 12 saved."
        )
        await page.locator("select[name=subject]").select_option("connect4")
        await expect(page.locator(".figures")).to_contain_text("of 33 nodes")
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".position .piece")).to_have_count(1)
        for game, pieces in (("chess", 32), ("draughts", 2)):  # the discs of a side are one path
            await page.locator("select[name=subject]").select_option(game)
            await expect(page.locator(".position .piece")).to_have_count(pieces)
        await page.locator("select[name=subject]").select_option("kalah")
        await expect(page.locator(".position svg")).to_be_visible()
        await page.locator("select[name=subject]").select_option("connect4")
        await page.get_by_label("Moves from there").fill("9")
        await page.get_by_role("button", name="Show", exact=True).click()
        await expect(page.get_by_role("alert")).to_contain_text("moves: ")
        await page.get_by_label("Moves from there").fill("")
        await page.locator("select[name=subject]").select_option("tictactoe")
        await page.get_by_label("Position as text").fill("xox/.o./..x")
        await page.get_by_label("Moves from there").fill("6")
        await page.get_by_role("button", name="Show", exact=True).click()
        await expect(page.locator(".figures")).to_contain_text("0 of ")
        assert page.url.endswith("?game=tictactoe&start=xox/.o./..x&moves=6&search=alphabeta")
        drawn = page.locator(".node").first.locator("[class^=piece]")
        await page.keyboard.press("ArrowRight")
        await page.locator(".words").click()
        await page.keyboard.press("ArrowRight")
        await expect(drawn).to_have_text(list("xoxoox"))
        await page.get_by_label("Position as text").fill("xxx/.../...")
        await page.get_by_role("button", name="Show", exact=True).click()
        await expect(page.get_by_role("alert")).to_contain_text("as many x as o")


async def test_playouts_beside_minimax(browser: Browser, address: str) -> None:
    trace = trace_playouts(GAMES["tictactoe"], GAMES["tictactoe"].parse("xox/.o./..x"), Sampling(30, 0))
    async with opened(browser, address) as page:
        await page.get_by_role("button", name="Monte-Carlo").click()
        await at(page, 0, len(trace.steps))
        await expect(page.locator("select[name=subject]")).to_have_count(0)  # a tree of leaves has no playouts
        select = next(index for index, step in enumerate(trace.steps) if isinstance(step, Select))
        for _ in range(select + 1):
            await page.keyboard.press("ArrowRight")
        chosen = trace.steps[select]
        assert isinstance(chosen, Select)
        sums = [f"= {term.mean + term.bonus:.2f}" for term in chosen.terms]
        assert sorted(await page.locator(".term.sum").all_text_contents()) == sorted(sums)
        best = next(term for term in chosen.terms if term.child == chosen.child)
        await expect(page.locator(".term.best")).to_have_text(f"= {best.mean + best.bonus:.2f}")
        await expect(page.locator(".code .now").first).to_have_text("node ← the child with the greatest")
        while not isinstance(trace.steps[select], Playout):
            select += 1
            await page.keyboard.press("ArrowRight")
        await expect(page.locator(".playout .position svg")).to_be_visible()
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".words")).to_contain_text("Backing up: ")
        await page.get_by_role("button", name="Side by side").click()
        await expect(page.locator(".search")).to_have_count(2)
        await at(page, 0, len(trace.steps))
        await page.keyboard.press("End")
        closing = page.locator(".closing")
        await expect(closing.first).to_contain_text("MAX plays 8 and wins in 1 move")
        await expect(closing.last).to_have_text(
            re.compile(r"MAX plays 8: \d+ of 30 playouts began .* That is no proof\.")
        )
        assert await page.locator(".node .value").last.text_content()
        assert "search=minimax,mcts" in page.url
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


SIGNS = """() => [".alpha", ".beta"].map((kind) => {
  const box = (part) => document.querySelector(`.window-line ${part}${kind}`).getBoundingClientRect();
  const [bar, sign] = [box("path"), box("text")];
  return { bar: bar.left, left: sign.left, right: sign.right, above: sign.bottom <= bar.top + 6 };
})"""


async def test_the_signs_of_a_window_stand_apart(browser: Browser, address: str) -> None:
    async with opened(browser, f"{address}?present", viewport={"width": 1920, "height": 1080}) as page:
        forward = page.get_by_role("button", name="Step forward")
        for _ in range(12):  # alpha is 3 and beta 2: they have crossed
            await forward.click()
        await expect(page.locator(".window-line text.beta")).to_be_visible()
        alpha, beta = await page.evaluate(SIGNS)
        assert beta["bar"] < alpha["bar"]
        assert beta["left"] < beta["bar"] - 8
        assert alpha["right"] > alpha["bar"] + 8
        assert [alpha["above"], beta["above"]] == [True, True]


@pytest.mark.parametrize("searches", ["alphabeta", "minimax,alphabeta", "minimax,alphabeta,ordered,mcts"])
async def test_the_best_move_in_a_large_tree_is_on_the_projector(browser: Browser, address: str, searches: str) -> None:
    path = f"?game=tictactoe&moves=1,2,3,5,9&search={searches}&present"
    async with opened(browser, address + path, viewport={"width": 1920, "height": 1080}) as page:
        await expect(page.locator(".tree")).to_have_count(searches.count(",") + 1)
        await page.keyboard.press("End")
        await expect(page.locator(".edge.chosen").first).to_be_attached()
        await page.wait_for_timeout(200)  # for the frames to scroll
        for frame in await page.locator(".lecture .frame").all():
            outer = await frame.bounding_box()
            inner = await frame.locator(".edge.chosen").first.bounding_box()
            assert outer is not None
            assert inner is not None
            assert outer["x"] - 1 <= inner["x"]
            assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
        assert await page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        assert await too_small(page) == []


@pytest.mark.parametrize("query", ["", "?present"])
@pytest.mark.parametrize("beside", [False, True])
async def test_trees_stay_where_they_are_from_step_to_step(
    browser: Browser, address: str, query: str, beside: bool
) -> None:
    size = {"width": 1920, "height": 1080} if query else {"width": 1366, "height": 768}
    async with opened(browser, f"{address}{query}", viewport=size) as page:
        if beside:
            await page.get_by_role("button", name="Side by side").click()
        await expect(page.locator(".tree")).to_have_count(3 if beside else 1)
        places = []
        for _ in range(17):
            places.append(await page.locator(".tree").evaluate_all(PLACES))
            await page.get_by_role("button", name="Step forward").click()
        assert all(place == places[0] for place in places), places


async def test_three_trees_fit_a_small_projector_with_their_windows(browser: Browser, address: str) -> None:
    small = {"width": 1280, "height": 720}
    async with opened(browser, f"{address}?search=minimax,alphabeta,ordered&present", viewport=small) as page:
        await expect(page.locator(".tree")).to_have_count(3)
        await page.keyboard.press("End")
        await expect(page.locator(".tree .window").first).to_be_visible()
        await expect(page.locator(".tree .why").first).to_be_visible()
        fits = "(all) => all.every((one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight)"
        assert await page.locator(".lecture .frame").evaluate_all(fits)
        tops = await page.locator(".tree").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
        assert len(set(tops)) == 1
