"""The computer as a player of a league: its levels, searched off the event loop at low priority."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from noughts.computer import Searches
from noughts.games import Side
from noughts.rooms.clock import Clocks, Fischer, PerMove, TimeControl, allotted_ms
from noughts_client.failure import BotFailed, Failure
from noughts_client.state import BotState

LEAST_S = 0.02
"""What a search gets however little time is left."""


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
        side = Side.FIRST if state.side == "first" else Side.SECOND
        allotted_s = allotted_ms(Clocks(first, second), self._control, side) / 1000
        seconds = max(LEAST_S, min(allotted_s, self._searches.levels[self._level].seconds))
        seed = self._rng.getrandbits(32)
        try:
            return await self._searches.find_move(state.game, tuple(state["moves"]), self._level, seed, seconds), ""
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
