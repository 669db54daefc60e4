"""Games of every kind, each played a few moves by clicks: paths, choices, edges, pits, and what is counted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support.browser import BROWSER, PHONE, expect, opened, pick, terms
from support.client import Client, connected

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = BROWSER


@dataclass
class Duel:
    """A game of the page against a socket."""

    page: Page
    other: Client
    room: str
    turn: int = 0

    async def click(self, *cells: str) -> None:
        """Play a move by clicks on its cells."""
        for cell in cells:
            await pick(self.page, cell)
        await self.moved()

    async def answer(self, *moves: str) -> None:
        """Play the other's moves."""
        for move in moves:
            await self.other.ok(type="play", room=self.room, turn=self.turn, move=move)
            await self.moved()

    async def moved(self) -> None:
        self.turn += 1
        await expect(self.page.locator(".moves .move")).to_have_count(self.turn)

    async def open_cells(self) -> set[str]:
        """The cells that can be picked."""
        cells = await self.page.locator(".cell.open").all()
        return {str(await cell.get_attribute("data-cell")) for cell in cells}


@asynccontextmanager
async def duel(browser: Browser, address: str, game: str, side: str, **terms: Any) -> AsyncIterator[Duel]:
    """A game that the page plays as ``side``. ``setup`` is the game's, the rest is for the browser's context."""
    setup = terms.pop("setup", {})
    seats = {"first": "open", "second": "me"} if side == "first" else {"first": "me", "second": "open"}
    async with connected(f"{address.replace('http://', 'ws://')}/ws", "Ben") as other:
        room = str((await other.ok(type="create", game=game, seats=seats, setup=setup))["room"])
        async with opened(browser, f"{address}/rooms/{room}", **terms) as page:
            await page.get_by_role("button", name="Take the seat").click()
            await expect(page.locator(".board[role=grid]")).to_be_visible()
            await expect(page.get_by_role("button", name="Abort")).to_be_visible()  # both seats are taken
            yield Duel(page, other, room)


async def says(page: Page, cell: str, words: str) -> None:
    """Wait until a cell has an accessible name that begins with its own and these words."""
    await expect(page.locator(f'[data-cell="{cell}"][aria-label^="{cell}, {words},"]')).to_have_count(1)


async def middle(page: Page, cell: str) -> tuple[float, float]:
    """Where a cell is in the window."""
    box = await page.locator(f'[data-cell="{cell}"]').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def test_chess_by_clicks_and_by_dragging(browser: Browser, address: str) -> None:
    async with duel(browser, address, "chess", "first") as game:
        page = game.page
        await pick(page, "g1")
        assert await game.open_cells() == {"f3", "h3"}
        await expect(page.locator(".hint")).to_have_count(2)
        await pick(page, "e4")  # where the knight cannot go, which is not the move e4 either
        await expect(page.locator(".cell.picked")).to_have_count(0)
        await pick(page, "e4")
        await expect(page.get_by_role("alert")).to_have_count(0)
        await game.click("e2", "e4")
        await game.answer("e5")
        await page.mouse.move(*await middle(page, "g1"))
        await page.mouse.down()
        await page.mouse.move(*await middle(page, "f3"), steps=3)
        await expect(page.locator(".carried")).to_have_count(1)
        await page.mouse.up()
        await game.moved()
        await expect(page.locator(".carried")).to_have_count(0)
        await game.answer("Nc6")
        await game.click("f1", "b5")
        await game.answer("a6")
        await game.click("b5", "c6")
        await expect(page.locator(".cell.last")).to_have_count(2)
        await expect(page.locator(".moves .move")).to_have_text(["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6"])
        await game.answer("dxc6")
        await game.click("e1", "g1")
        await says(page, "f1", "white rook")


async def test_black_sees_the_chessboard_turned_and_chooses_what_a_pawn_becomes(browser: Browser, address: str) -> None:
    start = "4k3/8/8/8/1p6/8/P6p/4K3 w - - 0 1"
    async with duel(browser, address, "chess", "second", setup={"start": start}) as game:
        page = game.page
        (_, white), (_, black) = await middle(page, "e1"), await middle(page, "e8")
        assert white < black
        await game.answer("a2a4")
        await game.click("b4", "a3")  # en passant
        await says(page, "a4", "empty")
        await game.answer("e1d2")
        await pick(page, "h2")
        await pick(page, "h1")
        await says(page, "h1", "black pawn")
        await page.get_by_role("button", name="black knight").click()
        await game.moved()
        await says(page, "h1", "black knight")


async def test_a_draw_is_claimed_where_the_rules_allow_it(browser: Browser, address: str) -> None:
    async with duel(browser, address, "chess", "first") as game:
        claim = game.page.get_by_role("button", name="Claim a draw")
        for _ in range(2):
            await game.click("g1", "f3")
            await game.answer("Nf6")
            await expect(claim).to_have_count(0)
            await game.click("f3", "g1")
            await game.answer("Ng8")
        await claim.click()
        await expect(game.page.locator(".status")).to_have_text("Draw by repetition.")


async def test_a_chain_of_jumps_in_draughts(browser: Browser, address: str) -> None:
    start = "B:WK27,18,11:B8"
    async with duel(browser, address, "draughts", "first", setup={"start": start}) as game:
        await pick(game.page, "8")
        assert await game.open_cells() == {"15"}
        await game.click("15", "22")
        await expect(game.page.locator(".moves .move")).to_have_text(["8x15x22"])


async def test_breakthrough_on_a_small_board(browser: Browser, address: str) -> None:
    async with duel(browser, address, "breakthrough", "first", setup={"size": 5}) as game:
        await game.click("b2", "b3")
        await game.answer("a4b3")
        await pick(game.page, "a2")
        await expect(game.page.locator(".hint.taken")).to_have_count(1)
        await game.click("b3")
        await expect(game.page.locator(".moves .move")).to_have_count(3)


async def test_morris_places_moves_and_takes_men(browser: Browser, address: str) -> None:
    async with duel(browser, address, "morris", "first") as game:
        mine = game.page.locator(".player.first .what")
        await expect(mine).to_contain_text("9")
        for place, answer in (("a7", "b6"), ("d7", "f6")):
            await game.click(place)
            await game.answer(answer)
        await expect(mine).to_contain_text("7")
        await game.click("g7", "b6")
        await expect(game.page.locator(".moves .move").last).to_have_text("g7xb6")
        await says(game.page, "b6", "empty")


async def test_kalah_counts_and_another_turn(browser: Browser, address: str) -> None:
    async with duel(browser, address, "kalah", "first") as game:
        page = game.page
        await game.click("c1")  # the last of four stones comes to the store
        await expect(page.locator(".status")).to_have_text("Your move")
        await expect(page.locator('[data-cell="s"] .count')).to_have_text("1")
        await expect(page.locator(".player.first .score")).to_have_text("score 1")
        await game.click("a1")
        await game.answer("a2")
        async with opened(browser, page.url) as visitor:  # who asks the server for the positions before
            await expect(visitor.locator(".move:enabled")).to_have_count(3)
            await visitor.get_by_role("button", name="Back", exact=True).click()
            await visitor.get_by_role("button", name="Back", exact=True).click()
            await expect(visitor.locator('[data-cell="c1"] .count')).to_have_text("0")


async def test_edges_between_dots_are_easy_to_hit_with_a_finger(browser: Browser, address: str) -> None:
    async with duel(browser, address, "dots", "first", setup={"size": 2}, **PHONE) as game:
        page = game.page
        x, y = await middle(page, "b1")
        await page.touchscreen.tap(x, y + 12)  # beside the line
        await game.moved()
        await expect(page.locator(".moves .move")).to_have_text(["b1"])
        await game.answer("a2")
        await game.click("c2")
        await game.answer("b3")
        await expect(page.locator(".box.second")).to_have_count(1)
        await expect(page.locator(".player.second .score")).to_have_text("score 1")


async def test_a_game_is_set_up_in_its_terms(browser: Browser, address: str) -> None:
    async with opened(browser, address) as page:
        chess = await terms(page, "chess")
        await chess.get_by_text("Start position").click()  # folded: a beginner never needs it
        await chess.get_by_label("Start position").fill("nonsense")
        await chess.get_by_role("button", name="Play the computer").click()
        await expect(chess.get_by_role("alert")).to_be_visible()
        await chess.get_by_role("button", name="Close").click()
        await expect(chess).to_have_count(0)
        form = await terms(page, "breakthrough")
        await form.get_by_label("Size of the board").select_option("6")
        await form.get_by_role("radio", name="Black").check()
        await form.get_by_role("button", name="Play the computer").click()
        await expect(page.locator(".board [data-cell]")).to_have_count(36)
        await expect(page.locator(".player.second .what")).to_contain_text("you")
        await page.get_by_role("radio", name="Rules").check()
        await expect(page.get_by_text("Breakthrough · Size of the board: 6")).to_be_visible()


async def test_gomoku_is_opened_by_swap2(browser: Browser, address: str) -> None:
    async with duel(browser, address, "gomoku", "second", setup={"opening": "swap2"}) as game:
        await game.answer("h8", "i9", "g6")
        await says(game.page, "i9", "White")
        await expect(game.page.locator(".choices button.main")).to_have_text(["Swap", "More"])
        await game.page.get_by_role("button", name="Swap").click()
        await game.moved()
        await says(game.page, "i9", "Black")
        await says(game.page, "h8", "White")
        await game.answer("a1")
        await says(game.page, "a1", "Black")
        await game.click("b1")


async def test_hex_has_coloured_edges_and_a_swap(browser: Browser, address: str) -> None:
    async with duel(browser, address, "hex", "second", setup={"size": 3}, **PHONE) as game:
        page = game.page
        await expect(page.locator(".board .border.tone-red")).to_have_count(1)
        await expect(page.locator(".board .border.tone-blue")).to_have_count(1)
        await game.answer("b1")
        await expect(page.get_by_text("or play a cell")).to_be_visible()
        for tab in ("Rules", "Moves"):
            await page.get_by_role("radio", name=tab).check()  # nothing lies over the tabs
        await page.get_by_role("button", name="Swap: take b1 as Blue", exact=True).click()
        await game.moved()
        await says(page, "a2", "Blue")
        await expect(page.locator(".cell.last")).to_have_attribute("data-cell", "a2")
        await game.answer("b2")
        await game.click("b1")
        await game.answer("c1")
        await game.click("c2")
        await game.answer("a3")
        await expect(page.get_by_text("You lost by a chain from edge to edge.").first).to_be_visible()
        await expect(page.locator(".cell.in-line")).to_have_count(3)


async def test_go_takes_stones_passes_and_counts_points(browser: Browser, address: str) -> None:
    async with duel(browser, address, "go", "first", setup={"komi": 0.5}) as game:
        page = game.page
        await game.click("a8")
        await game.answer("a9")
        await game.click("b9")
        await expect(page.locator(".player.first .what")).to_contain_text("has 1 captured")
        await says(page, "b9", "Black")
        await game.answer("pass")
        await page.locator(".actions").get_by_role("button", name="Pass").click()
        await game.moved()
        await expect(page.get_by_text("You won by 80.5 points.").first).to_be_visible()
