"""Shared analyses, over searches that the tests control."""

from __future__ import annotations

import asyncio

import pytest

from noughts.computer import Analyser, Searches
from noughts.engine import Analysis, Limits, MoveValue
from noughts.timing import Timing

SECONDS = 2.0


class Scripted(Searches):
    """A searcher whose answers come from the test."""

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[str, ...], asyncio.Future[Analysis]]] = []

    def analyse(self, game: str, moves: tuple[str, ...], limits: Limits, seconds: float) -> asyncio.Future[Analysis]:
        assert game in ("tictactoe", "gomoku")
        assert (limits, seconds) == (Limits(), SECONDS)
        future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        self.asked.append((moves, future))
        return future


def analysis(*, exact: bool = True, seconds: float = 0.1) -> Analysis:
    return Analysis(0, exact, {"5": MoveValue(0, exact, None, ("5",))}, ("5",), 1, 1, seconds)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_requests_for_one_position_share_a_search() -> None:
    searches = Scripted()
    made = Analyser(searches, SECONDS)
    futures = [made.analyse("tictactoe", ("1",)) for _ in range(30)]
    other = made.analyse("tictactoe", ("2",))
    await settle()
    assert [moves for moves, _ in searches.asked] == [("1",), ("2",)]
    found = analysis()
    searches.asked[0][1].set_result(found)
    assert await asyncio.gather(*futures) == [found] * 30
    assert not other.done()
    await made.close()
    assert other.cancelled()


@pytest.mark.parametrize(
    ("found", "again"),
    [
        (analysis(), False),
        (analysis(exact=False, seconds=SECONDS), False),
        (analysis(exact=False), True),  # it was ended early for the sake of a move
    ],
)
async def test_complete_analyses_are_remembered(found: Analysis, again: bool) -> None:
    searches = Scripted()
    made = Analyser(searches, SECONDS)
    first = made.analyse("tictactoe", ())
    await settle()
    searches.asked[0][1].set_result(found)
    assert await first is found
    second = made.analyse("tictactoe", ())
    await settle()
    assert (second.done(), len(searches.asked)) == ((False, 2) if again else (True, 1))
    await made.close()


async def test_estimates_are_forgotten_sooner_than_exact_analyses() -> None:
    searches = Scripted()
    made = Analyser(searches, SECONDS, timing=Timing(estimate_kept_s=0.05))
    for game, exact in (("gomoku", False), ("tictactoe", True)):
        future = made.analyse(game, ())
        await settle()
        searches.asked[-1][1].set_result(analysis(exact=exact, seconds=SECONDS))
        await future
    await asyncio.sleep(0.1)
    assert made.analyse("tictactoe", ()).done()
    assert not made.analyse("gomoku", ()).done()
    await made.close()


async def test_the_number_of_remembered_analyses_is_bounded() -> None:
    searches = Scripted()
    made = Analyser(searches, SECONDS, kept=2)
    for move in ("1", "2", "1", "3"):
        future = made.analyse("tictactoe", (move,))
        await settle()
        if not future.done():
            searches.asked[-1][1].set_result(analysis())
        await future
    assert [moves for moves, _ in searches.asked] == [("1",), ("2",), ("3",)]
    assert made.analyse("tictactoe", ("1",)).done(), "it was asked for after the second"
    assert not made.analyse("tictactoe", ("2",)).done()
    await made.close()


async def test_a_search_is_cancelled_with_its_last_request() -> None:
    searches = Scripted()
    made = Analyser(searches, SECONDS)
    futures = [made.analyse("tictactoe", ()) for _ in range(2)]
    await settle()
    futures[0].cancel()
    await settle()
    assert not searches.asked[0][1].cancelled()
    futures[1].cancel()
    third = made.analyse("tictactoe", ())
    await settle()
    assert not searches.asked[0][1].cancelled(), "somebody came just in time"
    third.cancel()
    await asyncio.sleep(0)
    again = made.analyse("tictactoe", ())
    await settle()
    assert searches.asked[0][1].cancelled()
    searches.asked[1][1].set_result(analysis())
    assert await asyncio.wait_for(again, 20)


async def test_a_failure_reaches_all_and_is_not_remembered() -> None:
    searches = Scripted()
    made = Analyser(searches, SECONDS)
    futures = [made.analyse("tictactoe", ()) for _ in range(2)]
    await settle()
    searches.asked[0][1].set_exception(MemoryError("no"))
    for future in futures:
        with pytest.raises(MemoryError):
            await future
    made.analyse("tictactoe", ())
    await settle()
    assert len(searches.asked) == 2
    await made.close()


async def test_a_closed_analyser_starts_no_search() -> None:
    searches = Scripted()
    made = Analyser(searches, SECONDS)
    await made.close()
    assert made.analyse("tictactoe", ()).cancelled()
    assert not searches.asked
