"""The web page's weight, its time to be usable, the cost of drawing, and spectating pages' cost for the server.

    python -m bench.page [--quick]

All in Debian's Chromium, headless, against a server in a process of its own, with its settings raised as for the tests:

- Home: everything that a new visitor's browser receives and sends, HTTP with headers and WebSocket frames, the time
  from the start of the navigation until one can play, and how far the layout shifts (cumulative, as browsers count it).
  Each visit is a browser profile of its own, with an empty cache.
- Drawing: what each drawing of a full-sized Gomoku board costs while one goes through a game, with values, where each
  step draws twice, and without them: script, and style and layout, in processor time by the browser's own measure
  (``Performance.getMetrics``). The script includes that of the click. Painting is not counted.
- Clicks: the time from a click on that board until the browser has painted the next frame, by its own measure
  (``PerformanceEventTiming``, in steps of 8 ms, from 16 ms on); and the processor time of all that the page's thread
  does for the click and for the server's answer.
- Spectators: the CPU time of the server's process while a game of Gomoku is played, with nobody watching, with sockets
  that ask for what a page asks for, and with pages. They take turns in random order.

Nothing is pinned: server, browser and load share the machine's cores. Needs Chromium and the extra ``browser``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # where the browser, the server and the clients come from

from bench.gateway.servers import cpu_of
from support.browser import chromium, expect, opened
from support.client import Client, connected
from support.server import ServerProcess

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, WebSocket

FRAME_BYTES = 4
"""The header of a WebSocket frame of up to 64 KiB from the server."""

WATCH_DRAWING = """
window.drawings = [];
const queue = window.queueMicrotask.bind(window);
window.queueMicrotask = (work) => queue(() => {
  const began = performance.now();
  work();
  window.drawings.push(performance.now() - began);
});
"""
"""Times what the page does in microtasks, which is where it draws."""

WATCH_SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifted += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""
"""Adds up by how much the layout shifts without being asked to."""

WATCH_CLICKS = """
window.clicks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === "click") window.clicks.push(entry.duration);
}).observe({type: "event", durationThreshold: 16, buffered: true});
"""
"""Notes how long each click took until the next frame was painted."""

QUICKEST_MS = 16.0
"""A click that the browser does not tell of was not slower."""

WATCH_READY = """
new MutationObserver((_, observer) => {
  if (document.querySelector(".tile .go")) {
    window.readyAt ??= performance.now();
  }
  if (document.querySelector("header .me")) {
    window.welcomedAt = performance.now();
    observer.disconnect();
  }
}).observe(document, {childList: true, subtree: true});
"""
"""Notes when a game can be chosen, which is carried out once the server has said welcome; and when it has."""


@dataclass(frozen=True)
class Scale:
    """The size of a run."""

    visits: int
    moves: int
    steps: int
    spectators: int
    rounds: int
    moves_per_s: float


FULL = Scale(visits=20, moves=60, steps=100, spectators=10, rounds=5, moves_per_s=30)
QUICK = Scale(visits=2, moves=8, steps=6, spectators=2, rounds=1, moves_per_s=30)


@dataclass(frozen=True)
class Visit:
    """A first visit: bytes received and sent by kind, and when the page could be used and was welcomed, in ms."""

    requests: int
    http: int
    frames: int
    ready_ms: float
    welcomed_ms: float
    shift: float


async def visit(browser: Browser, address: str) -> Visit:
    """Visit the page as somebody new."""
    received: list[int] = []
    frames: list[int] = []

    def on_socket(socket: WebSocket) -> None:
        for event in ("framereceived", "framesent"):
            socket.on(event, lambda data: frames.append(len(data.encode() if isinstance(data, str) else data)))

    context = await browser.new_context()
    page = await context.new_page()
    page.on("websocket", on_socket)
    network = await context.new_cdp_session(page)
    network.on("Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"])))
    await network.send("Network.enable")
    await page.add_init_script(WATCH_READY + WATCH_SHIFTS)
    await page.goto(address)
    await page.wait_for_function("() => window.welcomedAt")
    ready_ms, welcomed_ms = await page.evaluate("() => [window.readyAt, window.welcomedAt]")
    await page.wait_for_load_state("networkidle")
    shift = float(await page.evaluate("() => window.shifted"))
    await context.close()
    return Visit(len(received), sum(received), sum(frames) + FRAME_BYTES * len(frames), ready_ms, welcomed_ms, shift)


def without_five() -> list[tuple[str, str]]:
    """Cells of a Gomoku board for both sides in turns, of which no five of one side are in a row."""
    sides: tuple[list[str], list[str]] = ([], [])
    for row in range(15):
        for column in range(15):
            sides[(column // 2 + row) % 2].append(f"{'abcdefghijklmno'[column]}{row + 1}")
    for cells in sides:
        random.Random(len(cells)).shuffle(cells)
    return list(zip(*sides, strict=False))


@asynccontextmanager
async def table(url: str) -> AsyncIterator[tuple[Client, Client]]:
    """Two players."""
    async with connected(url, "first") as first, connected(url, "second") as second:
        yield first, second


async def seated(first: Client, second: Client) -> str:
    """Let them open a room of Gomoku. Returns its id."""
    room = str((await first.ok(type="create", game="gomoku", seats={"first": "me", "second": "open"}))["room"])
    await second.ok(type="join", room=room)
    return room


async def play(first: Client, second: Client, room: str, turns: range, moves_per_s: float) -> None:
    """Play the moves of these turns of a game, at a steady rate."""
    cells = [cell for pair in without_five() for cell in pair]
    due = time.monotonic()
    for turn in turns:
        due += 1 / moves_per_s
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        player = (first, second)[turn % 2]
        await player.ok(type="play", room=room, turn=turn, move=cells[turn])
        player.pushed.clear()


BOARDS = ("without values", "with values")


@dataclass(frozen=True)
class Step:
    """The processor time of one drawing in a step through a game, in ms: script, and style and layout."""

    script: float
    layout: float


async def drawings(browser: Browser, url: str, scale: Scale, *, valued: bool) -> list[Step]:
    """The cost of each step, while one goes back and forth in a game of Gomoku."""
    async with table(url) as (first, second):
        room = await seated(first, second)
        await play(first, second, room, range(scale.moves), 1000)
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        page = await context.new_page()
        await page.add_init_script(WATCH_DRAWING)
        await page.goto(f"{page_of(url)}/rooms/{room}")
        await page.get_by_role("radio", name="Values" if valued else "Moves").check()
        measure = await context.new_cdp_session(page)
        await measure.send("Performance.enable", {"timeDomain": "threadTicks"})

        async def spent() -> tuple[float, float]:
            found = await measure.send("Performance.getMetrics")
            ms = {one["name"]: 1000 * float(one["value"]) for one in found["metrics"]}
            return ms["ScriptDuration"], ms["LayoutDuration"] + ms["RecalcStyleDuration"]

        async def drawn() -> None:
            await (values(page) if valued else expect(page.locator(".board .piece").first).to_be_visible())
            await page.evaluate(TWO_FRAMES)

        await drawn()
        buttons = [page.get_by_role("button", name=name, exact=True) for name in ("Back", "Forward")]
        boxes = [await button.bounding_box() for button in buttons]
        found = []
        for step in range(scale.steps):
            await page.evaluate("() => { window.drawings.length = 0 }")
            box = boxes[(step // 4) % 2]
            assert box is not None
            before = await spent()
            await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            await asyncio.sleep(ANSWERED_S)  # without a look at the page, which takes as much script as a drawing
            after = await spent()
            await drawn()
            count = max(1, int(await page.evaluate(DRAWN)))
            script, layout = (now - then for now, then in zip(after, before, strict=True))
            found += [Step(script / count, layout / count)] * count
        await context.close()
        return found


DRAWN = "() => window.drawings.filter((took) => took > 0.2).length"
"""The number of microtasks that drew something."""

ANSWERED_S = 0.4
"""The time in which the values of a position come, which are searched for a quarter of it, and are drawn."""

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until what has been drawn is laid out."""


async def clicks(browser: Browser, url: str, scale: Scale) -> list[tuple[float, float]]:
    """For each click of a player on a Gomoku board: the time until it was painted, and that of the processor, in ms."""
    cells = [cell for pair in without_five() for cell in pair]
    async with connected(url, "other") as other:
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        page = await context.new_page()
        await page.add_init_script(WATCH_CLICKS)
        room = str((await other.ok(type="create", game="gomoku", seats={"first": "open", "second": "me"}))["room"])
        await page.goto(f"{page_of(url)}/rooms/{room}")
        await page.get_by_role("button", name="Take the seat").click()
        measure = await context.new_cdp_session(page)
        await measure.send("Performance.enable", {"timeDomain": "threadTicks"})

        async def busy() -> float:
            metrics = (await measure.send("Performance.getMetrics"))["metrics"]
            return next(1000 * float(one["value"]) for one in metrics if one["name"] == "TaskDuration")

        found = []
        for turn in range(0, scale.moves, 2):
            await expect(page.locator(".status")).to_have_text("Your move")
            await page.evaluate(TWO_FRAMES)
            await page.evaluate("() => { window.clicks.length = 0 }")
            await page.locator(f'[data-cell="{cells[turn]}"]').hover()
            await page.evaluate(TWO_FRAMES)
            before = await busy()
            await page.mouse.down()
            await page.mouse.up()
            await page.evaluate(TWO_FRAMES)
            spent = await busy() - before
            await expect(page.locator(".cell:not(.pending) .piece")).to_have_count(turn + 1)
            found.append((max([QUICKEST_MS, *await page.evaluate("() => window.clicks")]), spent))
            await other.ok(type="play", room=room, turn=turn + 1, move=cells[turn + 1])
            other.pushed.clear()
        await context.close()
        return found


CLICKS = ("from a click on a board to the next frame", "processor time of a click and its answer")
"""Both are measured of each click."""


async def values(page: Page) -> None:
    """Wait until the board has values on it."""
    await expect(page.locator(".board:not(.stale) .cell.worth").nth(20)).to_be_visible(timeout=30_000)


def page_of(url: str) -> str:
    """The address of the page of the server at ``url``."""
    return url.replace("ws://", "http://").removesuffix("/ws")


async def spectate(url: str, room: str, stack: AsyncExitStack) -> None:
    """Watch with a socket, as a page does, until ``stack`` is closed."""
    client = await stack.enter_async_context(connected(url, None))
    version = (await client.ok(type="watch", room=room))["version"]
    if version > 1:
        await client.ok(type="watch", room=room, since=0)

    async def read() -> None:
        async for _ in client.socket:
            pass

    reading = asyncio.create_task(read())
    stack.callback(reading.cancel)


async def costs(browser: Browser, server: ServerProcess, scale: Scale) -> dict[str, list[float]]:
    """The server's CPU time for each move, in us, with nobody, sockets and pages that watch."""
    found: dict[str, list[float]] = {"nobody": [], "sockets": [], "pages": []}
    async with table(server.url) as (first, second):
        for _ in range(scale.rounds):
            for kind in random.sample(list(found), len(found)):
                room = await seated(first, second)
                await play(first, second, room, range(1), 1000)
                async with AsyncExitStack() as stack:
                    for _ in range(0 if kind == "nobody" else scale.spectators):
                        if kind == "sockets":
                            await spectate(server.url, room, stack)
                        else:
                            address = f"{page_of(server.url)}/rooms/{room}"
                            page = await stack.enter_async_context(opened(browser, address))
                            await expect(page.locator(".cell .piece")).to_have_count(1)
                    await asyncio.sleep(0.3)
                    before = cpu_of(server.pid)
                    await play(first, second, room, range(1, scale.moves + 1), scale.moves_per_s)
                    await asyncio.sleep(0.2)  # in which the last update is delivered
                    found[kind].append((cpu_of(server.pid) - before) * 1e6 / scale.moves)
    return found


def _at(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


async def main(scale: Scale) -> None:
    packages = ", ".join(f"{name} {version(name)}" for name in ("noughts", "websockets", "uvloop", "playwright"))
    async with AsyncExitStack() as stack:
        made = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = await stack.enter_async_context(ServerProcess(made / "journal", made / "log", analyse_s=0.1))
        browser = await stack.enter_async_context(chromium())
        machine = f"Chromium {browser.version}; {os.cpu_count()} cores"
        print(f"Python {platform.python_version()}, {packages}, {machine}; {scale}")
        visits = [await visit(browser, page_of(server.url)) for _ in range(scale.visits + 1)][1:]
        by_kind = await costs(browser, server, scale)  # before the first analysis, which loads a kernel
        clicked = await clicks(browser, server.url, scale)
        steps = {what: await drawings(browser, server.url, scale, valued=what == "with values") for what in BOARDS}
    print()
    print("| home | |")
    print("|---|---|")
    print(f"| HTTP responses, the most requests in a visit | {max(each.requests for each in visits)} |")
    print(f"| bytes of HTTP, with headers | {max(each.http for each in visits):,} |")
    print(f"| bytes of WebSocket frames | {max(each.frames for each in visits):,} |")
    ready = [each.ready_ms for each in visits]
    print(f"| ready to play, median ms | {statistics.median(ready):.0f} |")
    print(f"| the slowest of {len(ready)} visits, ms | {max(ready):.0f} |")
    print(f"| welcomed by the server, median ms | {statistics.median(each.welcomed_ms for each in visits):.0f} |")
    print(f"| layout shift, the most of a visit | {max(each.shift for each in visits):.4f} |")
    for index, name in enumerate(CLICKS):
        took = [click[index] for click in clicked]
        print(f"| {name}, median ms | {statistics.median(took):.0f} |")
        print(f"| p95 | {_at(took, 0.95):.0f} |")
    print()
    print("| Gomoku, processor ms a drawing | script, p50 | p95 | style and layout, p50 | p95 | together, p95 |")
    print("|---|---|---|---|---|---|")
    for what, each in steps.items():
        scripts, layouts = [step.script for step in each], [step.layout for step in each]
        both = [step.script + step.layout for step in each]
        cells = " | ".join(f"{_at(times, share):.1f}" for times in (scripts, layouts) for share in (0.5, 0.95))
        print(f"| {what} | {cells} | {_at(both, 0.95):.1f} |")
    print()
    print(f"| who watches: {scale.spectators} | server's CPU us per move, median | lowest | highest |")
    print("|---|---|---|---|")
    for kind, took in by_kind.items():
        print(f"| {kind} | {statistics.median(took):,.0f} | {min(took):,.0f} | {max(took):,.0f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few seconds, to check that it runs")
    asyncio.run(main(QUICK if parser.parse_args().quick else FULL))
