"""The board of notebooks: clicks, moves that have no cell, the slider, and the computer's answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest

import noughts
from noughts.explain.position import BadRequest
from noughts.explain.widget import FRONT, Board
from support.browser import chromium, opened

if TYPE_CHECKING:
    from playwright.async_api import Browser


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as one:
        yield one


def click(board: Board, cell: str) -> None:
    """Click in the middle of a cell."""
    layout = board.game.cells or board.game.layout
    place = next((r, c) for r, row in enumerate(layout) for c, name in enumerate(row) if name == cell)
    board.click(*board._middles[place])


def test_a_click_plays_a_move_and_the_slider_looks_back() -> None:
    board = noughts.board("tictactoe", moves="5")
    click(board, "1")
    assert (board.moves, board.at, len(board.pictures)) == (["5", "1"], 2, 3)
    assert board.pictures[-1] == board.position._repr_svg_()  # type: ignore[attr-defined]
    click(board, "1")
    assert board.said == "No legal move goes there."
    board.at = 1
    click(board, "3")
    assert board.moves == ["5", "1"], "only the last position is played on"
    board.at = 2
    board.click(-500, -500)
    assert board.moves == ["5", "1"], "that was beside the board"


def test_a_move_of_several_cells_is_picked_one_by_one() -> None:
    board = noughts.board("chess", "8/P6k/8/8/8/8/8/K7 w - - 0 1")
    click(board, "a7")
    assert board.said == "a7"
    click(board, "a1")
    assert board.said == "a1", "another piece"
    click(board, "a7")
    click(board, "a8")
    assert set(board.choices) == {"a7a8b", "a7a8n", "a7a8q", "a7a8r"}
    board._heard({"move": "a7a8q"})
    assert board.moves == ["a7a8q"]
    draughts = noughts.board("draughts")
    first = draughts.position.legal_moves[0]
    for cell in first.split("-"):
        click(draughts, cell)
    assert draughts.moves == [first]


def test_a_move_without_a_cell_is_a_button() -> None:
    board = noughts.board("go")
    assert board.choices == ["pass"]
    board._heard({"move": "pass"})
    assert board.moves == ["pass"]


def test_the_computer_answers_for_the_other_side() -> None:
    board = noughts.board("connect4", level="easy", side="second", seconds=0.1)
    assert len(board.moves) == 1
    click(board, board.game.cells[5][0] if board.game.cells else "1")
    assert len(board.moves) == 3


def test_it_says_what_moves_are_worth_where_it_is_asked_to() -> None:
    board = noughts.board("tictactoe", moves="59")
    assert board.worth == ""
    board.valued = True
    assert board.worth.startswith("X to move, value 0\n")
    click(board, "1")
    assert board.worth.startswith("O to move, value 0\n")
    board.at = 1
    assert board.worth.startswith("O to move, value 0\n")
    assert "Best: 1, 3, 7, 9\n" in board.worth
    board.valued = False
    assert board.worth == ""
    over = noughts.board("tictactoe", moves="512746", values=True)
    assert over.worth
    over.play("8")
    assert over.worth == "", "the game is over"


def test_what_does_not_exist_is_named() -> None:
    for wrong in ({"game": "x"}, {"moves": "55"}, {"side": "third"}, {"level": "godlike"}, {"position": "x"}):
        with pytest.raises(BadRequest):
            noughts.board(**{"game": "tictactoe", **wrong})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="taken"):
        noughts.board("tictactoe", moves="5").play("5")


@pytest.mark.services
async def test_in_a_browser_clicks_and_the_slider_arrive(browser: Browser) -> None:
    board = noughts.board("go", moves="e5")
    state = {name: getattr(board, name) for name in ("pictures", "at", "choices", "said", "valued", "worth")}
    async with opened(browser, "about:blank") as page:
        # What anywidget gives to the front end: the synchronized values, and a way to send messages.
        await page.evaluate(
            """async ([front, state]) => {
              const { default: widget } = await import(`data:text/javascript,${encodeURIComponent(front)}`);
              window.sent = [];
              window.state = state;
              const model = {
                get: (name) => state[name],
                set: (name, value) => (state[name] = value),
                on: () => {},
                send: (message) => window.sent.push(message),
                save_changes: () => {},
              };
              widget.render({ model, el: document.body });
            }""",
            [FRONT, state],
        )
        x, y = board._middles[0, 0]
        await page.locator("svg").click(position={"x": x, "y": y})
        await page.get_by_role("button", name="pass").click()
        click_, choice = await page.evaluate("() => window.sent")
        assert abs(click_["x"] - x) < 1
        assert abs(click_["y"] - y) < 1
        assert choice == {"move": "pass"}
        await page.get_by_role("slider", name="Move").fill("0")
        assert await page.evaluate("() => window.state.at") == 0
        await page.get_by_label("What each move is worth").check()
        assert await page.evaluate("() => window.state.valued")
