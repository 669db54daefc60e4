"""The games of a league, several at once, until all are played or somebody stops it."""

from __future__ import annotations

import asyncio
import os
import random
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from noughts import embed
from noughts.computer import Searches
from noughts.computer.processes import Processes
from noughts.computer.threads import Threads
from noughts.config import UnusableSetting
from noughts.games import Side as GameSide
from noughts.games.catalogue import named
from noughts.journal import JournalError, JournalInUse
from noughts.journal.sqlite.schema import lock_journal
from noughts.league.disqualified import Disqualified
from noughts.league.game import Start, play_game
from noughts.league.pairing import Pairing
from noughts.league.plan import files_of, games_left, pairings_of, programs_of, spec_of
from noughts.league.records import LeagueRecord, Record, Side
from noughts.league.seating import ORGANISER, Guest, Site
from noughts.league.sprt import RunningTest
from noughts.league.state import SETTINGS, Folder, LeagueError
from noughts.league.turn import ask, first_line
from noughts.rooms.clock import Clocks, Fischer, PerMove, TimeControl, allotted_ms
from noughts_client.bots.copies import Copy, freeze
from noughts_client.bots.game_bot import GameBot, start
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.program import BotSpec, NoSuchProgram
from noughts_client.bots.sandbox import MIB, Containment
from noughts_client.failure import BotFailed, Failure
from noughts_client.handshake import RequestError
from noughts_client.state import BotState
from noughts_client.time_control import parse_time_control

Ending = Literal["played", "decided", "stopped"]
"""The reason why a league has ended: all games are played, its test is decided, or somebody stopped it."""

StartBot = Callable[[str, Pairing], Awaitable[GameBot]]
"""Starts the bot of a player for one game. Raises :class:`~noughts_client.failure.BotFailed`."""

ATTEMPTS = 2
"""The most times that a game is played which its server closes without a result, before that is its result."""


@dataclass(frozen=True)
class Report:
    """The callbacks of a league while it is played: its server's URL, once; then each game that is stored, with the
    test of the league."""

    watch: Callable[[str], None]
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
) -> Ending:
    """Play the games of a league that are not yet in its ``folder``, on its own server or a live one.

    ``containment`` is how programs are contained, None for not at all. ``tokens`` are those of players at a live
    server, by name; the others play as guests. Once ``stop`` is set no game is begun, and those under way are finished.
    A cancelled league stores nothing of the games under way; they are played anew when it is continued.

    Raises :class:`~noughts.league.state.LeagueError`.
    """
    league = folder.league
    test = RunningTest(league, folder.records)
    if test.decided or not games_left(league, folder.records):
        return _ending(folder, test)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(server_of(folder))
        await asyncio.to_thread(folder.take_up)
        test = RunningTest(league, folder.records)
        report.watch(url)
        site = Site(url, dict(tokens or {}))
        workers = concurrency or games_at_once()
        searches = _searches(workers)
        stack.push_async_callback(searches.close)
        start_bot = await stack.enter_async_context(_starts(folder, containment, searches))
        guests = await _guests_of(league, site)
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
                    record = await _play(site, league, pairing, start_bot, guests)
                    await folder.append(record)
                    test.add(record)
                    out.add(record)
                    report.game(record, test)
                    if test.decided:
                        stop.set()
                games.done()

        await _together([play_some() for _ in range(workers)])
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
async def server_of(folder: Folder) -> AsyncIterator[str]:
    """The WebSocket URL of the server that the league is played on: a live one, or its own, which runs in the block.

    Within the block nobody else can play the league: its journal is locked. Raises LeagueError.
    """
    live = folder.league["server"]
    try:
        if live is None:
            async with embed.server(journal=folder.journal, page=True, search_workers=1) as server:
                yield server.url
        else:
            with closing(lock_journal(folder.journal)):
                yield live
    except JournalInUse:
        raise LeagueError(f"the league in {folder.path} is being played already") from None
    except (JournalError, UnusableSetting) as error:
        raise LeagueError(f"the league's server cannot start: {error}") from error


@asynccontextmanager
async def one_bot(folder: Folder, containment: Containment | None, name: str, game: int) -> AsyncIterator[GameBot]:
    """A bot of the league, started as for the game of this number. Raises :class:`BotFailed`."""
    pairing = next(each for each in pairings_of(folder.league, folder.records) if each.game == game)
    searches = _searches(1)
    try:
        async with _starts(folder, containment, searches, only=name) as start_bot:
            bot = await start_bot(name, pairing)
            try:
                yield bot
            finally:
                await bot.close()
    finally:
        await searches.close()


def _searches(workers: int) -> Searches:
    """Searches with the priority of the bots: on a busy machine all of them wait for a processor alike."""
    return Searches(workers, threads=Threads(workers, niceness=0), processes=Processes(workers, niceness=0))


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


async def _play(
    site: Site, league: LeagueRecord, pairing: Pairing, start_bot: StartBot, guests: Mapping[str, Guest]
) -> Record:
    """Play a game, and again if the server closes it without a result."""
    clock = parse_time_control(league["clock"])
    names: dict[Side, str] = {"first": pairing.first, "second": pairing.second}
    seats = {side: guests[name] for side, name in names.items() if name in guests}
    bots: dict[Side, Start] = {
        side: partial(start_bot, name, pairing) for side, name in names.items() if name not in guests
    }
    async with AsyncExitStack() as stack:
        for side in sorted(seats, key=names.__getitem__):  # an order, or two would wait for each other
            await stack.enter_async_context(seats[side].busy)
        for _ in range(ATTEMPTS):
            record = await play_game(site, league["game"], clock, pairing, starts=bots, guests=seats)
            if record["result"] is not None or record["failure"] is not None:
                break
    return record


@asynccontextmanager
async def _starts(
    folder: Folder, containment: Containment | None, searches: Searches, *, only: str = ""
) -> AsyncIterator[StartBot]:
    """Starts the league's bots, or one of them, from private copies, which end with it. Raises LeagueError."""
    league = folder.league
    with TemporaryDirectory(prefix="noughts-", ignore_cleanup_errors=True) as copies:
        players = {player["name"]: spec_of(player) for player in league["players"]}
        specs = {name: spec for name, spec in players.items() if isinstance(spec, BotSpec)}
        names = [only] if only else list(specs)
        try:
            frozen = await asyncio.to_thread(_frozen, specs, names, Path(copies), contained=containment is not None)
        except OSError as error:
            raise LeagueError(f"cannot copy {error.filename}: {error.strerror}") from None
        hidden = replace(containment, hide=_hidden(folder, specs)) if containment is not None else None
        limits = ProcessLimits(memory_bytes=league["memory_mib"] * MIB)

        async def start_bot(name: str, pairing: Pairing) -> GameBot:
            spec, copy = frozen[name]
            if spec.kind == "computer":
                await searches.ready(league["game"])  # before the clock runs
                clock = parse_time_control(league["clock"])
                return ComputerBot(searches, spec.target, clock, f"{league['seed']} {pairing.game} {name}")
            return await start(spec, league["game"], containment=hidden, limits=limits, copy=copy)

        yield start_bot


def _frozen(
    specs: Mapping[str, BotSpec], names: Iterable[str], folder: Path, *, contained: bool
) -> dict[str, tuple[BotSpec, Copy | None]]:
    """The copies of the bots ``names``, each in a folder of its own in ``folder``. Raises OSError."""
    frozen: dict[str, tuple[BotSpec, Copy | None]] = {}
    for number, name in enumerate(names):
        spec = frozen_spec = specs[name]
        copy = None
        others = [file for other, each in specs.items() if other != name for file in files_of(each)]
        if spec.kind != "computer":
            with suppress(NoSuchProgram):  # which its start will say
                frozen_spec, copy = freeze(spec, folder / str(number), others, contained=contained)
        frozen[name] = frozen_spec, copy
    return frozen


def _hidden(folder: Folder, specs: Mapping[str, BotSpec]) -> tuple[Path, ...]:
    """The files that no bot sees, even where a program is installed that it needs: leagues, and all bots' own files."""
    leagues = [settings.parent for settings in folder.path.resolve().parent.glob(f"*/{SETTINGS}")]
    return (folder.path.resolve(), *leagues, *(file for spec in specs.values() for file in files_of(spec)))


async def _together(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines until all have ended. The first error cancels the others, and is raised."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


LEAST_S = 0.02
"""The time that a search gets however little is left."""


class ComputerBot:
    """A :class:`~noughts_client.bots.game_bot.GameBot` that plays at ``level``, for one game.

    ``seed`` makes its choices repeatable, unless a search runs out of time. ``clock`` is the game's.
    """

    stderr = ""

    def __init__(self, searches: Searches, level: str, clock: Any, seed: str) -> None:
        self._searches = searches
        self._level = level
        self._control = control_of(clock)
        self._rng = random.Random(seed)

    async def choose(self, state: BotState, *, patience_s: float) -> tuple[str, str]:  # noqa: ARG002 - see GameBot
        """The move, and no note. It uses a part of the time that is left, and at most the level's."""
        first, second = (int(state["clock"][f"{side}_ms"]) for side in ("first", "second"))
        side = GameSide(state.side)
        allotted_s = allotted_ms(Clocks(first, second), self._control, side) / 1000
        seconds = max(LEAST_S, min(allotted_s, self._searches.levels[self._level].seconds))
        name, seed = named(state.game, state.setup.items()), self._rng.getrandbits(32)
        try:
            return await self._searches.find_move(name, tuple(state["moves"]), self._level, seed, seconds), ""
        except asyncio.CancelledError:
            raise
        except Exception as error:  # a game of another package may do anything
            raise BotFailed(Failure("crash", f"The search failed: {error}", error=type(error).__name__)) from error

    async def interrupt(self) -> str:
        """Nothing to tell."""
        return ""

    async def close(self) -> None:
        """Nothing to do: a search that runs is cancelled with :meth:`choose`."""


def control_of(clock: Any) -> TimeControl:
    """The time control in the protocol's form, as :mod:`noughts.rooms` has it."""
    if "per_move_s" in clock:
        return PerMove(round(clock["per_move_s"] * 1000))
    return Fischer(round(clock["initial_s"] * 1000), round(clock["increment_s"] * 1000))


PATIENCE_S = 0.5
"""The time that a bot may think about its first move. One that thinks longer has not failed."""


async def rehearse(folder: Folder, containment: Containment | None, *, at_once: int) -> dict[str, Failure]:
    """Start each program of the league in ``folder``, which need not exist yet, and ask it for the first move of a
    game; the failures by player, in the order of the players.
    """
    turns = asyncio.Semaphore(at_once)
    names = programs_of(folder.league)
    game = pairings_of(folder.league)[0].game

    async def failure_of(name: str) -> Failure | None:
        async with turns:
            try:
                async with one_bot(folder, containment, name, game) as bot:
                    answered = await ask(bot, folder.league, first_line(folder.league, name), patience_s=PATIENCE_S)
            except BotFailed as error:
                return error.failure
        return None if answered.failure is None or answered.failure.kind == "time" else answered.failure

    found = await asyncio.gather(*map(failure_of, names))
    return {name: failure for name, failure in zip(names, found, strict=True) if failure is not None}
