"""The rater over a running host."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from noughts.bus import MemoryBus
from noughts.features.rater import Rater
from noughts.host import Done, Host
from noughts.journal import GameResult, JournalError, Results
from noughts.rooms import Command, Fischer, Open, Options, Play, Resign
from noughts.timing import Timing
from support.eventually import soon
from support.journals import MemoryJournal
from support.rooms import ANN, BEN

RATED = Options(rated=True, clock=Fischer(300_000, 0))


class Journal(MemoryJournal):
    """A journal that another node leads, and whose results sometimes fail.

    ``asked`` counts the calls for unrated games, ``candidacies`` the attempts to lead.
    """

    def __init__(self) -> None:
        super().__init__()
        self.answers, self.asked, self.candidacies = True, 0, 0
        journal = self

        class Unreliable(Results):
            async def unrated(self, limit: int) -> list[GameResult]:
                journal.asked += 1
                if not journal.answers:
                    raise JournalError("away")
                return await super().unrated(limit)

        self.results = Unreliable(self.database, self.now)

    async def lead(self) -> bool:
        self.candidacies += 1
        return False


@asynccontextmanager
async def rating(journal: Journal, every_s: float = 3) -> AsyncIterator[Host]:
    host = Host(journal, MemoryBus("node", alone=True))
    host.watched = lambda _: True
    rater = Rater(journal, Timing(rating_s=every_s))
    host.listen(rater.on_update)
    task = asyncio.create_task(rater.run())
    try:
        yield host
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await host.close()


async def played(host: Host, *commands: Command) -> None:
    for command in commands:
        done = asyncio.get_running_loop().create_future()
        host.submit("room", command, done.set_result)
        assert isinstance(await done, Done)


async def one_game(host: Host) -> None:
    first, second = replace(ANN, registered=True), replace(BEN, registered=True)
    await played(
        host,
        Open("room", "tictactoe", ANN.id, first, second, RATED),
        Play(ANN.id, 0, "5"),
        Play(BEN.id, 1, "1"),
        Resign(BEN.id),
    )


async def games_of(journal: Journal) -> int:
    return sum(one.games for one in await journal.results.ratings([ANN.id, BEN.id]))


async def test_a_game_that_ends_on_this_node_is_rated_at_once() -> None:
    journal = Journal()
    async with rating(journal, 3600) as host:
        await soon(lambda: journal.asked > 0)
        asked = journal.asked
        await one_game(host)
        async with asyncio.timeout(30):
            while await games_of(journal) < 2:  # noqa: ASYNC110 # there is no event to wait for
                await asyncio.sleep(0.01)
        assert journal.asked > asked


async def test_games_that_other_nodes_stored_are_rated() -> None:
    journal = Journal()
    async with rating(journal, 0.1):
        await soon(lambda: journal.asked > 0)
        game = GameResult("else", "tictactoe", ANN.id, BEN.id, None, "draw", public=True, pool="blitz", ended_at=1)
        await journal.results.replace({game.room: game})
        asked = journal.asked
        await soon(lambda: journal.asked > asked + 1)
        assert await games_of(journal) == 2


async def test_a_node_that_is_not_the_leader_rates_and_does_not_try_to_lead() -> None:
    journal = Journal()
    async with rating(journal) as host:
        await one_game(host)
        async with asyncio.timeout(60):
            while await games_of(journal) < 2:  # noqa: ASYNC110  # there is no event to wait for
                await asyncio.sleep(0.01)
        assert journal.candidacies == 0


async def test_games_that_end_while_the_journal_is_away_are_rated_later() -> None:
    journal = Journal()
    async with rating(journal, 0.1) as host:
        journal.answers = False
        await one_game(host)
        asked = journal.asked
        await soon(lambda: journal.asked > asked)
        assert await games_of(journal) == 0
        journal.answers = True
        asked = journal.asked
        await soon(lambda: journal.asked > asked + 1)
        assert await games_of(journal) == 2
