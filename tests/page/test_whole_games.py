"""Games of each kind by random clicks, whole but for long ones: after each ply the page shows what the rules say."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from noughts.games import GAMES, Game, Position, Side
from noughts.games.catalogue import game_named
from noughts.games.paths import cells_of
from page.test_games import Duel, duel
from support.browser import BROWSER, expect, pick

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [*BROWSER, pytest.mark.slow]

GAMES_EACH = 1
MOST_PLIES = 90
"""Random games of chess and of Nine Men's Morris may go on for hundreds."""

SETUPS = ("gomoku?opening=swap2", "breakthrough?size=5", "dots?size=2", "kalah?pits=4")

PAWNS = "4k3/PPP3P1/8/8/8/8/ppp3p1/4K3 w - - 0 1"
"""From here random moves soon promote."""

LABELS = """() => Object.fromEntries([...document.querySelectorAll("[data-cell]")].map((cell) =>
  [cell.dataset.cell, cell.getAttribute("aria-label").split(", ")[1]]))"""


def parts_of(game: Game, move: str) -> tuple[str, ...]:
    """The cells to click for ``move``, and its choice if it has one."""
    cells, choice = cells_of(move, {name for row in game.layout for name in row if name})
    return (*cells, choice) if choice else cells


def contents(game: Game, position: Position) -> dict[str, str]:
    """The names of the cells for a screen reader."""
    words = {".": "empty"} | {game.style(side).symbol: game.style(side).name for side in Side}
    words |= {piece.symbol: piece.name for piece in game.pieces}
    counts = None if game.counts is None else game.counts(position)
    found = {}
    for r, names in enumerate(game.cells or game.layout):
        for c, name in enumerate(names):
            if name:
                count = None if counts is None else counts[r][c]
                told = "1 seed" if count == 1 else f"{count} seeds"  # of Kalah, as its rules say
                found[name] = words[position.rows[r][c]] if count is None else told
    return found


async def play_by_clicks(here: Duel, game: Game, position: Position, move: str) -> None:
    """Click as a person does: the cells of the path, and then a button if there is a choice left."""
    *_, last = parts = parts_of(game, move)
    names = {name for row in game.layout for name in row if name}
    cells = game.cells or game.layout
    place = {part: cells[r][c] for r, row in enumerate(game.layout) for c, part in enumerate(row)}
    for part in parts:
        if part in names:
            await pick(here.page, place[part])
            continue
        mine = [piece.name for piece in game.pieces if piece.side is position.to_move and piece.symbol.lower() == part]
        buttons = here.page.locator(".choices, .actions")
        await buttons.get_by_role("button", name=mine[0] if mine else part).first.click()
    others = (parts_of(game, other) for other in position.legal_moves if other != move)
    if any(other[: len(parts)] == parts for other in others):
        await pick(here.page, place[last])  # longer paths begin so, and this one is meant
    await here.moved()


async def play(browser: Browser, address: str, name: str, seed: int) -> int:
    """Play a game of the page against a socket, and return how many plies it had."""
    game, rng = game_named(name), random.Random(seed)
    side = Side.SECOND if seed % 2 else Side.FIRST
    position = game.start
    async with duel(browser, address, game.key, side.value, setup=dict(game.setup)) as here:
        while position.outcome is None and here.turn < MOST_PLIES:
            move = rng.choice(position.legal_moves)
            if position.to_move is side:
                await play_by_clicks(here, game, position, move)
            else:
                await here.answer(move)
            position = position.play(move)
            assert await here.page.evaluate(LABELS) == contents(game, position), (seed, here.turn, move, position.text)
        if position.outcome is not None:
            await expect(here.page.get_by_role("button", name="Rematch")).to_be_visible()
        await expect(here.page.get_by_role("alert")).to_have_count(0)
    return here.turn


@pytest.mark.parametrize("name", [*GAMES, *SETUPS, "chess?start=" + PAWNS.replace(" ", "%20")])
async def test_a_random_game_by_clicks_shows_each_position(browser: Browser, address: str, name: str) -> None:
    for seed in range(GAMES_EACH):
        assert await play(browser, address, name, seed)
