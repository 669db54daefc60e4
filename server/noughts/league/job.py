"""The job of a league: what its games need that are played elsewhere, and how one is played there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from noughts import embed
from noughts.farm_bots import unpack
from noughts.league.game import Start, play_game
from noughts.league.pairing import Pairing
from noughts.league.plan import pairings_of
from noughts.league.records import LeagueRecord, Record, Side
from noughts.league.seating import Guest, Site
from noughts.league.starting import Frozen, StartBot, starts
from noughts.league.turn import ask, first_line
from noughts_client.bots.copies import Packed, pack
from noughts_client.bots.sandbox import probe
from noughts_client.failure import BotFailed, Failure
from noughts_client.time_control import parse_time_control

ATTEMPTS = 2
"""The most times that a game is played which its server closes without a result, before that is its result."""

PATIENCE_S = 0.5
"""The time that a bot may think about its first move. One that thinks longer has not failed."""


@dataclass(frozen=True)
class LeagueJob:
    """A league whose games are played by workers. Its tasks are games, which have records, and names of players, who
    are asked for a first move and have failures, None if all is well.

    ``contained`` says whether bots must run in a sandbox.
    """

    league: LeagueRecord
    bots: Mapping[str, Packed]
    contained: bool

    @asynccontextmanager
    async def open(
        self, folder: Path, threads: int
    ) -> AsyncIterator[Callable[[Pairing | str], Awaitable[Record | Failure | None]]]:
        """Unpack the bots into ``folder``, and start a server for the games, ``threads`` of which are played at once.

        Raises :class:`~noughts.farm.Unfit` if a program is not installed here.
        """
        bots = await asyncio.to_thread(self._unpacked, folder)
        containment = await asyncio.to_thread(probe) if self.contained else None
        async with (
            embed.server(search_workers=1) as server,
            starts(self.league, bots, containment, threads) as start_bot,
        ):
            site = Site(server.url)

            async def do(task: Pairing | str) -> Record | Failure | None:
                if isinstance(task, str):
                    return await first_move(self.league, task, start_bot=start_bot)
                return await play(site, self.league, task, start_bot=start_bot, guests={})

            yield do

    def _unpacked(self, folder: Path) -> Frozen:
        bots = enumerate(self.bots.items())
        return {name: unpack(name, bot, folder / str(number)) for number, (name, bot) in bots}


def job_of(league: LeagueRecord, bots: Frozen, *, contained: bool) -> LeagueJob:
    """The job of a league with these bots. Raises OSError if their copies cannot be read."""
    return LeagueJob(league, {name: pack(spec, copy) for name, (spec, copy) in bots.items()}, contained)


async def first_move(league: LeagueRecord, name: str, *, start_bot: StartBot) -> Failure | None:
    """Start a player's bot and ask it for the first move of a game; its failure, if it fails."""
    try:
        bot = await start_bot(name, pairings_of(league)[0])
        try:
            answered = await ask(bot, league, first_line(league, name), patience_s=PATIENCE_S)
        finally:
            await bot.close()
    except BotFailed as error:
        return error.failure
    return None if answered.failure is None or answered.failure.kind == "time" else answered.failure


async def play(
    site: Site, league: LeagueRecord, pairing: Pairing, *, start_bot: StartBot, guests: Mapping[str, Guest]
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
