"""The games of a league, several at once, until all are played or somebody stops it."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from typing import Literal

from noughts import embed
from noughts.config import UnusableSetting
from noughts.farm import AHEAD, Farm, FarmError, Submit, begun
from noughts.journal import JournalError, JournalInUse
from noughts.journal.sqlite.schema import lock_journal
from noughts.league.disqualified import Disqualified
from noughts.league.job import first_move, job_of, play
from noughts.league.pairing import Pairing
from noughts.league.plan import games_left, pairings_of, programs_of, spec_of
from noughts.league.records import LeagueRecord, Record
from noughts.league.seating import ORGANISER, Guest, Site
from noughts.league.sprt import RunningTest
from noughts.league.starting import frozen, hiding, starts
from noughts.league.state import Folder, LeagueError
from noughts_client.bots.game_bot import GameBot
from noughts_client.bots.sandbox import Containment
from noughts_client.failure import Failure
from noughts_client.handshake import RequestError

Ending = Literal["played", "decided", "stopped"]
"""The reason why a league has ended: all games are played, its test is decided, or somebody stopped it."""


@dataclass(frozen=True)
class Report:
    """The callbacks of a league while it is played: its server's URL, which is empty on a farm, once; then each game
    that is stored, with the test of the league."""

    begun: Callable[[str], None]
    game: Callable[[Record, RunningTest], None]


def games_at_once() -> int:
    """The number of games that are played at once by default: in each, both bots may keep a core busy."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // 2)


async def play_league(
    folder: Folder,
    *,
    containment: Containment | None,
    report: Report,
    stop: asyncio.Event,
    tokens: Mapping[str, str] | None = None,
    concurrency: int | None = None,
    farm: Farm | None = None,
) -> Ending:
    """Play the games of a league that are not yet in its ``folder``, on its own server or a live one, or on the workers
    of a ``farm``, each of which has a server of its own.

    ``containment`` is how programs are contained on this machine, None for not at all. ``tokens`` are those of players
    at a live server, by name; the others play as guests. Once ``stop`` is set no game is begun, and those under way are
    finished. A cancelled league stores nothing of the games under way; they are played anew when it is continued.

    Raises :class:`~noughts.league.state.LeagueError`.
    """
    league = folder.league
    test = RunningTest(league, folder.records)
    if test.decided or not games_left(league, folder.records):
        return _ending(folder, test)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(server_of(folder, farm))
        await asyncio.to_thread(folder.take_up)
        test = RunningTest(league, folder.records)
        report.begun(url)
        if farm is not None:
            workers = concurrency or AHEAD * farm.threads
            submit = await stack.enter_async_context(_submitting(folder, farm))
        else:
            workers = concurrency or games_at_once()
            bots = await stack.enter_async_context(frozen(folder, contained=containment is not None))
            contained = hiding(containment, folder)
            start_bot = await stack.enter_async_context(starts(league, bots, contained, workers))
            site = Site(url, dict(tokens or {}))
            guests = await _guests_of(league, site)
            submit = partial(play, site, league, start_bot=start_bot, guests=guests)
        out = Disqualified(league, folder.records)
        games = _Games(folder)
        if test.decided:
            stop.set()

        async def play_some() -> None:
            while (pairing := await games.take()) is not None:
                if stop.is_set():
                    games.done()
                    return
                if not out.has(pairing.first, pairing.second):
                    record: Record = await submit(pairing)
                    await folder.append(record)
                    test.add(record)
                    out.add(record)
                    report.game(record, test)
                    if test.decided:
                        stop.set()
                games.done()

        async with begun(play_some() for _ in range(workers)) as tasks:
            await asyncio.gather(*tasks)  # the first error cancels the others
    return _ending(folder, test)


class _Games:
    """The games of a league that are left, for those who play them. A Swiss league pairs a round after the last."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._left: deque[Pairing] = deque()
        self._under_way = 0
        self._changed = asyncio.Event()

    async def take(self) -> Pairing | None:
        """The next game, when there is one; None when all are played. Say :meth:`done` afterwards."""
        while not self._left and self._under_way:
            self._changed.clear()
            await self._changed.wait()
        if not self._left:
            self._left.extend(games_left(self._folder.league, self._folder.records))
        if not self._left:
            return None
        self._under_way += 1
        return self._left.popleft()

    def done(self) -> None:
        """A game has ended."""
        self._under_way -= 1
        self._changed.set()


@asynccontextmanager
async def server_of(folder: Folder, farm: Farm | None = None) -> AsyncIterator[str]:
    """The WebSocket URL of the server that the league is played on: a live one, or its own, which runs in the block.
    On a ``farm`` there is none, and the URL is empty.

    Within the block nobody else can play the league: its journal is locked. Raises LeagueError.
    """
    live = folder.league["server"]
    try:
        if live is None and farm is None:
            async with embed.server(journal=folder.journal, page=True, search_workers=1) as server:
                yield server.url
        else:
            with closing(lock_journal(folder.journal)):
                yield live or ""
    except JournalInUse:
        raise LeagueError(f"the league in {folder.path} is being played already") from None
    except (JournalError, UnusableSetting) as error:
        raise LeagueError(f"the league's server cannot start: {error}") from error


@asynccontextmanager
async def one_bot(folder: Folder, containment: Containment | None, name: str, game: int) -> AsyncIterator[GameBot]:
    """A bot of the league, started as for the game of this number. Raises :class:`BotFailed`."""
    pairing = next(each for each in pairings_of(folder.league, folder.records) if each.game == game)
    async with (
        frozen(folder, contained=containment is not None, only=name) as bots,
        starts(folder.league, bots, hiding(containment, folder), 1) as start_bot,
    ):
        bot = await start_bot(name, pairing)
        try:
            yield bot
        finally:
            await bot.close()


def _ending(folder: Folder, test: RunningTest) -> Ending:
    if test.decided:
        return "decided"
    return "stopped" if games_left(folder.league, folder.records) else "played"


async def _guests_of(league: LeagueRecord, site: Site) -> dict[str, Guest]:
    """The players who are connected to the server by themselves, by their names in the league."""
    specs = [spec for player in league["players"] if (spec := spec_of(player)).kind == "player"]
    if not specs:
        return {}
    async with site.connected(ORGANISER) as connection:
        found: dict[str, Guest] = {}
        for spec in specs:
            try:
                answer = await connection.request({"type": "player", "player": spec.target})
            except RequestError as error:
                raise LeagueError(f"player:{spec.target}: {error.sentence}") from None
            found[spec.name] = Guest(answer["player"]["id"])
    return found


async def rehearse(
    folder: Folder, containment: Containment | None, *, at_once: int, farm: Farm | None = None
) -> dict[str, Failure]:
    """Start each program of the league in ``folder``, which need not exist yet, and ask it for the first move of a
    game; the failures by player, in the order of the players.
    """
    turns = asyncio.Semaphore(at_once)
    names = programs_of(folder.league)
    if not names:
        return {}
    async with AsyncExitStack() as stack:
        if farm is not None:
            submit = await stack.enter_async_context(_submitting(folder, farm))
        else:
            bots = await stack.enter_async_context(frozen(folder, contained=containment is not None))
            contained = hiding(containment, folder)
            start_bot = await stack.enter_async_context(starts(folder.league, bots, contained, at_once))
            submit = partial(first_move, folder.league, start_bot=start_bot)

        async def failure_of(name: str) -> Failure | None:
            async with turns:
                failure: Failure | None = await submit(name)
                return failure

        found = await asyncio.gather(*map(failure_of, names))
    return {name: failure for name, failure in zip(names, found, strict=True) if failure is not None}


@asynccontextmanager
async def _submitting(folder: Folder, farm: Farm) -> AsyncIterator[Submit]:
    """Gives tasks of the league to the workers of a farm. Raises LeagueError, also when a task is given."""
    try:
        contained = farm.requirement is not None
        async with frozen(folder, contained=contained) as bots:
            try:
                job = await asyncio.to_thread(job_of, folder.league, bots, contained=contained)
            except OSError as error:
                raise LeagueError(f"cannot copy {error.filename}: {error.strerror}") from None
        async with farm.submitting(job) as submit:
            yield submit
    except FarmError as error:
        raise LeagueError(str(error)) from None
