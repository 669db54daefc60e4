import asyncio
from collections.abc import AsyncIterator

import pytest

from noughts.computer import Searches
from noughts.league.starting import ComputerBot, control_of
from noughts.rooms.clock import Fischer, PerMove
from noughts_client.failure import BotFailed
from noughts_client.state import BotState
from support.bots import state_after

CLOCK = {"initial_s": 60.0, "increment_s": 1.0}


@pytest.fixture
async def searches() -> AsyncIterator[Searches]:
    found = Searches(1)
    yield found
    await found.close()


def timed(*moves: str, left_ms: int = 60_000, game: str = "tictactoe") -> BotState:
    state = state_after(*moves, game=game)
    state["clock"] = {"first_ms": left_ms, "second_ms": left_ms, "running": None, "since": None}
    return state


async def test_it_plays_its_level(searches: Searches) -> None:
    bot = ComputerBot(searches, "perfect", CLOCK, "seed")
    assert await bot.choose(timed("1", "4", "2", "5"), patience_s=9) == ("3", "")
    await bot.close()


async def test_it_plays_a_game_as_it_was_set_up(searches: Searches) -> None:
    state = timed(game="breakthrough?size=5")
    move, _ = await ComputerBot(searches, "easy", CLOCK, "seed").choose(state, patience_s=9)
    assert move in state["legal_moves"]


async def test_the_same_seed_gives_the_same_moves(searches: Searches) -> None:
    async def moves(seed: str) -> list[str]:
        bot = ComputerBot(searches, "easy", CLOCK, seed)
        return [(await bot.choose(timed(), patience_s=9))[0] for _ in range(8)]

    one, same, other = await moves("a"), await moves("a"), await moves("b")
    assert one == same != other


async def test_it_does_not_use_more_time_than_it_has(searches: Searches) -> None:
    asked: list[float | None] = []
    find = searches.find_move

    def spy(
        game: str, moves: tuple[str, ...], level: str, seed: int, seconds: float | None = None
    ) -> asyncio.Future[str]:
        asked.append(seconds)
        return find(game, moves, level, seed, seconds)

    searches.find_move = spy  # type: ignore[assignment, method-assign]
    bot = ComputerBot(searches, "perfect", CLOCK, "seed")
    for left_ms in (3_600_000, 6_000, 100, 0):
        await bot.choose(timed(left_ms=left_ms), patience_s=9)
    assert asked == [2, 1, 0.05, 0.02]


async def test_a_search_that_fails_is_a_failure_of_the_bot(searches: Searches) -> None:
    state = timed()
    state["moves"] = ["1", "1"]
    with pytest.raises(BotFailed, match="The search failed"):
        await ComputerBot(searches, "perfect", CLOCK, "seed").choose(state, patience_s=9)


def test_clocks_are_those_of_rooms() -> None:
    assert control_of(CLOCK) == Fischer(60_000, 1000)
    assert control_of({"per_move_s": 2.5}) == PerMove(2500)
