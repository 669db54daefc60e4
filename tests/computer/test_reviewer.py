"""Searches for reviews, over searches that the tests control."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from noughts.computer import Reviewer, Searches
from noughts.computer.searches import Preempted
from noughts.engine import Analysis, Limits, MoveValue

SECONDS = 2.0
FOUND = Analysis(0, False, {"5": MoveValue(0, False, None, ("5",))}, ("5",), 1, 1, SECONDS)


class Scripted(Searches):
    """A searcher whose answers come from the test."""

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[str, ...], asyncio.Future[Analysis]]] = []

    def review(self, game: str, moves: tuple[str, ...], limits: Limits, seconds: float) -> asyncio.Future[Analysis]:
        assert (game, limits, seconds) == ("tictactoe", Limits(), SECONDS)
        future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self.asked.append((moves, future))
        return future


async def settle() -> None:
    for _ in range(8):
        await asyncio.sleep(0)


async def test_one_position_at_a_time_is_searched_and_addresses_and_players_take_turns() -> None:
    searches = Scripted()
    made = Reviewer(searches, SECONDS)
    wanted = {
        name: made.analyse("tictactoe", (name,), address, player)
        for name, address, player in (
            ("1", "there", "crowd"),
            ("2", "there", "crowd"),
            ("3", "there", "crowd"),
            ("4", "there", "other"),
            ("5", "here", "quiet"),
        )
    }
    for _ in range(5):
        await settle()
        running = [future for _, future in searches.asked if not future.done()]
        assert len(running) == 1
        running[0].set_result(FOUND)
    await asyncio.gather(*wanted.values())
    assert [moves[0] for moves, _ in searches.asked] == ["1", "5", "4", "2", "3"]
    await made.close()


async def test_a_search_that_was_ended_early_goes_on_until_it_has_had_its_time() -> None:
    searches = Scripted()
    made = Reviewer(searches, SECONDS)
    future = made.analyse("tictactoe", (), "here", "quiet")
    for _ in range(2):
        await settle()
        searches.asked[-1][1].set_exception(Preempted(replace(FOUND, seconds=0.7)))
    await settle()
    assert not future.done()
    last = replace(FOUND, seconds=0.7, depth=9)
    searches.asked[-1][1].set_exception(Preempted(last))
    assert await future is last
    assert len(searches.asked) == 3
    await made.close()


async def test_it_does_not_begin_again_for_ever() -> None:
    searches = Scripted()
    made = Reviewer(searches, SECONDS)
    future = made.analyse("tictactoe", (), "here", "quiet")
    while not future.done():
        await settle()
        if not searches.asked[-1][1].done():
            searches.asked[-1][1].set_exception(Preempted(replace(FOUND, seconds=0)))
    assert len(searches.asked) <= 51


async def test_a_search_that_nobody_wants_is_dropped() -> None:
    searches = Scripted()
    made = Reviewer(searches, SECONDS)
    first, second, third = [made.analyse("tictactoe", (name,), "here", "quiet") for name in "123"]
    await settle()
    second.cancel()
    first.cancel()
    await settle()
    assert searches.asked[0][1].cancelled()
    assert [moves for moves, _ in searches.asked] == [("1",), ("3",)]
    searches.asked[1][1].set_exception(RuntimeError("broken"))
    with pytest.raises(RuntimeError, match="broken"):
        await third
    held = made.analyse("tictactoe", ("4",), "here", "quiet")
    for _ in range(100):
        made.analyse("tictactoe", ("5",), "here", "crowd").cancel()
    await settle()
    assert len(made) == 0, "what nobody wants does not wait"
    held.cancel()
    last = made.analyse("tictactoe", ("6",), "here", "quiet")
    await settle()
    await made.close()
    assert last.cancelled()
    assert made.analyse("tictactoe", (), "here", "quiet").cancelled()
