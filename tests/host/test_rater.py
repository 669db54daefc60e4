"""The rater, over a host that runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from noughts.bus import MemoryBus
from noughts.host import Done, Host, rater
from noughts.journal import GameResult, JournalError, MemoryJournal
from noughts.journal.memory.results import MemoryResults
from noughts.rooms import Command, Fischer, Open, Options, Play, Resign
from support.eventually import soon
from support.rooms import ANN, BEN

RATED = Options(rated=True, clock=Fischer(300_000, 0))


class Journal(MemoryJournal):
    """One that another node leads, and whose results do not always answer.

    ``looks`` is how often those were asked, ``claims`` how often somebody wished to lead.
    """

    def __init__(self) -> None:
        super().__init__()
        self.answers, self.looks, self.claims = True, 0, 0
        journal = self

        class Results(MemoryResults):
            async def unrated(self, limit: int) -> list[GameResult]:
                journal.looks += 1
                if not journal.answers:
                    raise JournalError("away")
                return await super().unrated(limit)

        self.results = Results(self.now, lambda: None, self.people, self._over)

    async def lead(self) -> bool:
        self.claims += 1
        return False


@asynccontextmanager
async def rating(journal: Journal) -> AsyncIterator[Host]:
    host = Host(journal, MemoryBus("node", alone=True))
    host.watched = lambda _: True
    task = asyncio.create_task(rater.Rater(host).run())
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


async def test_a_game_that_ends_here_is_rated_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rater, "LOOK_S", 3600)
    journal = Journal()
    async with rating(journal) as host:
        await soon(lambda: journal.looks > 0)
        looks = journal.looks
        await one_game(host)
        await soon(lambda: journal.looks > looks)
        assert await games_of(journal) == 2


async def test_what_others_have_stored_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rater, "LOOK_S", 0.1)
    journal = Journal()
    async with rating(journal):
        await soon(lambda: journal.looks > 0)
        game = GameResult("else", "tictactoe", ANN.id, BEN.id, None, "draw", public=True, pool="blitz", ended_at=1)
        await journal.results.put_anew([game])
        looks = journal.looks
        await soon(lambda: journal.looks > looks + 1)
        assert await games_of(journal) == 2


async def test_a_node_that_does_not_lead_rates_and_takes_the_lead_from_nobody() -> None:
    """It may be cut off from all else that who leads has to do."""
    journal = Journal()
    async with rating(journal) as host:
        await one_game(host)
        async with asyncio.timeout(10):
            while await games_of(journal) < 2:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.01)
        assert journal.claims == 0


async def test_while_the_journal_is_away_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rater, "LOOK_S", 0.1)
    journal = Journal()
    async with rating(journal) as host:
        journal.answers = False
        await one_game(host)
        looks = journal.looks
        await soon(lambda: journal.looks > looks)
        assert await games_of(journal) == 0
        journal.answers = True
        looks = journal.looks
        await soon(lambda: journal.looks > looks + 1)
        assert await games_of(journal) == 2
