"""The web page's weight, its time to be usable, the cost of drawing, and spectating pages' cost for the server.

    python -m bench.page [--quick]

All in Debian's Chromium, headless, against a server in a process of its own, with its settings raised as for the tests:

- Home: everything that a new visitor's browser receives and sends, HTTP with headers and WebSocket frames, and the
  time from the start of the navigation until one can play. Each visit is a browser profile of its own, with an empty
  cache.
- Drawing: what each drawing of a full-sized Gomoku board costs while one goes through a game, with values, where each
  step draws twice, and without them: the page's script, by the clock, and the browser's style and layout, in processor
  time by its own measure (``Performance.getMetrics``). Painting is not counted.
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

WATCH_READY = """
new MutationObserver((_, observer) => {
  if (document.querySelector(".tile .go")) {
    window.readyAt = performance.now();
    observer.disconnect();
  }
}).observe(document, {childList: true, subtree: true});
"""
"""Notes when the games can be chosen and played: after the server's welcome."""


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
    """A first visit: bytes received and sent by kind, and when the page could be used, in ms."""

    requests: int
    http: int
    frames: int
    ready_ms: float


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
    await page.add_init_script(WATCH_READY)
    await page.goto(address)
    await page.wait_for_function("() => window.readyAt")
    ready_ms = float(await page.evaluate("() => window.readyAt"))
    await page.wait_for_load_state("networkidle")
    await context.close()
    return Visit(len(received), sum(received), sum(frames) + FRAME_BYTES * len(frames), ready_ms)


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
    """The time that one step through a game took, in ms: the script of each drawing, and style and layout of all."""

    scripts: list[float]
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

        async def layout() -> float:
            metrics = (await measure.send("Performance.getMetrics"))["metrics"]
            return 1000.0 * sum(float(one["value"]) for one in metrics if one["name"] in LAYOUT)

        async def drawn() -> None:
            await (values(page) if valued else expect(page.locator(".board .piece").first).to_be_visible())
            await page.evaluate(TWO_FRAMES)

        await drawn()
        found = []
        for step in range(scale.steps):
            await page.evaluate("() => { window.drawings.length = 0 }")
            before = await layout()
            await page.get_by_role("button", name="Forward" if (step // 4) % 2 else "Back", exact=True).click()
            await drawn()
            scripts = [float(took) for took in await page.evaluate(DRAWN)]
            found.append(Step(scripts, await layout() - before))
        await context.close()
        return found


LAYOUT = ("LayoutDuration", "RecalcStyleDuration")
"""The browser's names for what layout and style have taken since the page was opened, in s."""

DRAWN = "() => window.drawings.filter((took) => took > 0.2)"
"""The times of the microtasks that drew something."""

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until what has been drawn is laid out."""


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
    print()
    print("| drawing a Gomoku board, ms | script, p50 | p95 | style and layout, p50 | p95 |")
    print("|---|---|---|---|---|")
    for what, each in steps.items():
        scripts = [script for step in each for script in step.scripts]
        layouts = [step.layout / max(1, len(step.scripts)) for step in each for _ in step.scripts]
        cells = " | ".join(f"{_at(times, share):.1f}" for times in (scripts, layouts) for share in (0.5, 0.95))
        print(f"| {what} | {cells} |")
    print()
    print(f"| who watches: {scale.spectators} | server's CPU us per move, median | lowest | highest |")
    print("|---|---|---|---|")
    for kind, took in by_kind.items():
        print(f"| {kind} | {statistics.median(took):,.0f} | {min(took):,.0f} | {max(took):,.0f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few seconds, to check that it runs")
    asyncio.run(main(QUICK if parser.parse_args().quick else FULL))
