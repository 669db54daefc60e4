"""Programs as one bot for the kit: each room has a program of its own, which is started again after a crash."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from noughts_client.bots.failure import BotFailed, Failure
from noughts_client.bots.game_bot import GameBot, start
from noughts_client.bots.limits import Limits
from noughts_client.bots.spec import BotSpec
from noughts_client.state import BotState

TRUSTED = Limits(memory_bytes=2**60, processes=2**30, start_s=60)
"""A person's own bot on its own machine."""

NO_CLOCK_S = 24 * 3600.0
"""How long to wait for a move without a clock."""

GRACE_S = 5.0
"""With a clock, wait longer than it runs: the server ends the game then, and cancels the wait."""

WORTH_A_RESTART = ("crash", "exit")


class Programs:
    """An async bot: call it with a state. ``over`` is for the kit's; :meth:`close` it in the end.

    ``tell`` is called with some lines of text for each failure.
    """

    def __init__(self, spec: BotSpec, *, tell: Callable[[str], None], log: Path | None = None) -> None:
        self.failures: list[Failure] = []
        self._spec = spec
        self._tell = tell
        self._log = log
        self._ready: tuple[str, GameBot] | None = None  # started before there is a room, for a game
        self._bots: dict[str, GameBot] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def prepare(self, game: str) -> None:
        """Start the program of the first room, so that it is known to start. Raises :class:`BotFailed`."""
        self._ready = game, await self._start(game)

    async def __call__(self, state: BotState) -> tuple[str, str]:
        """A legal move and a note. Raises :class:`BotFailed` if the program fails, if it crashes once more."""
        try:
            return await self._ask(state)
        except BotFailed as error:
            if error.failure.kind not in WORTH_A_RESTART:
                await self._failed(state.room, error.failure)
                raise
            self._tell(f"{error.failure.message} It is started again, and asked once more.")
            await self.over(state.room)
        try:
            return await self._ask(state)
        except BotFailed as error:
            await self._failed(state.room, error.failure)
            raise

    async def _failed(self, room: str, failure: Failure) -> None:
        self.failures.append(failure)
        if words := details(failure):
            self._tell(words)
        await self.over(room)

    async def _ask(self, state: BotState) -> tuple[str, str]:
        if state.room not in self._bots:
            self._bots[state.room] = await self._bot_for(state.game)
        patience_s = NO_CLOCK_S if state.deadline is None else max(0, state.deadline - time.monotonic()) + GRACE_S
        try:
            return await self._bots[state.room].choose(state, patience_s=patience_s)
        except asyncio.CancelledError:  # it still thinks about a state that is past
            self._close_soon(self._bots.pop(state.room))
            raise

    async def _bot_for(self, game: str) -> GameBot:
        if self._ready is not None and self._ready[0] == game:
            (_, bot), self._ready = self._ready, None
            return bot
        return await self._start(game)

    async def _start(self, game: str) -> GameBot:
        return await start(self._spec, game, limits=TRUSTED, log=self._log)

    async def over(self, room: str) -> None:
        """End the program of a room."""
        if (bot := self._bots.pop(room, None)) is not None:
            await bot.close()

    def _close_soon(self, bot: GameBot) -> None:
        task = asyncio.create_task(bot.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End all programs."""
        for bot in [*self._bots.values(), *([self._ready[1]] if self._ready else [])]:
            self._close_soon(bot)
        self._bots, self._ready = {}, None
        if self._closing:
            await asyncio.wait(self._closing)


def details(failure: Failure) -> str:
    """What its author wants to know of a failure besides the message: where in the bot, and what it was asked."""
    parts = [failure.traceback.rstrip()]
    if not failure.traceback and failure.stderr.strip():
        parts.append(f"The end of its stderr:\n{failure.stderr.rstrip()}")
    if failure.kind != "start" and failure.line.strip():
        parts.append(f"It was asked: {failure.line.strip()}")
    return "\n".join(part for part in parts if part)
