"""The bots of a league: their private copies, and how they are started for a game, on this machine or on a worker's."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from noughts.computer import Searches
from noughts.computer.processes import Processes
from noughts.computer.threads import Threads
from noughts.games import Side as GameSide
from noughts.games.catalogue import named
from noughts.league.keeping import Keeper
from noughts.league.pairing import Pairing
from noughts.league.plan import files_of, spec_of
from noughts.league.records import LeagueRecord
from noughts.league.state import SETTINGS, Folder, LeagueError
from noughts.rooms.clock import Clocks, Fischer, PerMove, TimeControl, allotted_ms
from noughts_client.bots.copies import Copy, freeze
from noughts_client.bots.game_bot import GameBot, start
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.program import BotSpec, NoSuchProgram
from noughts_client.bots.sandbox import MIB, Containment
from noughts_client.failure import BotFailed, Failure
from noughts_client.state import BotState
from noughts_client.time_control import parse_time_control

StartBot = Callable[[str, Pairing], Awaitable[GameBot]]
"""Starts the bot of a player for one game. Raises :class:`~noughts_client.failure.BotFailed`."""

Frozen = Mapping[str, "tuple[BotSpec, Copy | None]"]
"""The bots that run, from private copies, by player. A guest has none."""


@asynccontextmanager
async def frozen(folder: Folder, *, contained: bool, only: str = "") -> AsyncIterator[Frozen]:
    """Private copies of the league's bots, or of one, which end with the block. Raises LeagueError.

    ``contained`` says whether they will run in a sandbox.
    """
    with TemporaryDirectory(prefix="noughts-", ignore_cleanup_errors=True) as copies:
        specs = _specs(folder.league)
        names = [only] if only else list(specs)
        try:
            bots = await asyncio.to_thread(_frozen, specs, names, Path(copies), contained=contained)
        except OSError as error:
            raise LeagueError(f"cannot copy {error.filename}: {error.strerror}") from None
        yield bots


@asynccontextmanager
async def starts(
    league: LeagueRecord, bots: Frozen, containment: Containment | None, workers: int
) -> AsyncIterator[StartBot]:
    """Starts frozen bots. At most ``workers`` levels of the computer search at once."""
    searches = _searches(workers)
    limits = ProcessLimits(memory_bytes=league["memory_mib"] * MIB)
    keeper = Keeper()

    async def start_bot(name: str, pairing: Pairing) -> GameBot:
        spec, copy = bots[name]
        if spec.kind == "computer":
            await searches.ready(league["game"])  # before the clock runs
            clock = parse_time_control(league["clock"])
            return ComputerBot(searches, spec.target, clock, f"{league['seed']} {pairing.game} {name}")
        new = partial(start, spec, league["game"], containment=containment, limits=limits, copy=copy)
        return await keeper.lend(name, new)

    try:
        yield start_bot
    finally:
        await keeper.close()
        await searches.close()


def _searches(workers: int) -> Searches:
    """Searches with the priority of the bots: on a busy machine all of them wait for a processor alike."""
    return Searches(workers, threads=Threads(workers, niceness=0), processes=Processes(workers, niceness=0))


def hiding(containment: Containment | None, folder: Folder) -> Containment | None:
    """The containment of bots that do not see, even where a program is installed that they need, any league beside
    ``folder``, nor the own files of its bots."""
    if containment is None:
        return None
    leagues = [settings.parent for settings in folder.path.resolve().parent.glob(f"*/{SETTINGS}")]
    files = (file for spec in _specs(folder.league).values() for file in files_of(spec))
    return replace(containment, hide=(folder.path.resolve(), *leagues, *files))


def _specs(league: LeagueRecord) -> dict[str, BotSpec]:
    """The bots of the players whom the league starts."""
    players = {player["name"]: spec_of(player) for player in league["players"]}
    return {name: spec for name, spec in players.items() if isinstance(spec, BotSpec)}


def _frozen(specs: Mapping[str, BotSpec], names: Iterable[str], folder: Path, *, contained: bool) -> Frozen:
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
