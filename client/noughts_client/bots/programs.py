"""Programs as one bot for the kit: each room has a program of its own, which is started again after a crash."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from noughts_client.bots.game_bot import GRACE_S, LATE_S, ProgramBot, start
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.program import BotSpec
from noughts_client.failure import BotFailed, Failure
from noughts_client.state import BotState, board, where

TRUSTED = ProcessLimits(memory_bytes=2**60, processes=2**30, start_s=60)
"""A person's own bot on its own machine."""

NO_CLOCK_S = 24 * 3600.0
"""The time to wait for a move without a clock."""

WORTH_A_RESTART = ("crash", "exit")

HINT_S = 5.0
"""After so long without a word, people want to know what is waited for. A program's first answer may be in a buffer."""

SHOWN_LINE = 200
"""The number of characters shown of the line that a program was asked."""


class Programs:
    """An async bot: call it with a state. Await :meth:`over` after each game, and :meth:`close` in the end.

    ``tell`` is called with some lines of text for each failure. What the programs write to stderr is appended to
    ``log`` or, without one, copied to stderr.
    """

    def __init__(self, spec: BotSpec, *, tell: Callable[[str], None], log: Path | None = None) -> None:
        self.failures: dict[str, Failure] = {}
        """By the room whose game was lost by it."""
        self.late: set[str] = set()
        """The rooms whose games were lost on time."""
        self.left_at = ""
        """The place in its own code where a Python bot was last stopped while it thought, as a traceback's lines."""
        self._spec = spec
        self._tell = tell
        self._log = log
        self._hinted = spec.kind not in ("exec", "python")  # engines are known to answer
        self._ready: tuple[str, ProgramBot] | None = None  # started before there is a room, for a game
        self._bots: dict[str, ProgramBot] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def prepare(self, game: str) -> None:
        """Start the program of the first room, so that it is known to start. Raises :class:`BotFailed`."""
        slow = f"Still waiting for {self._spec.target} to start."
        hint = asyncio.get_running_loop().call_later(HINT_S, self._tell, slow)
        try:
            self._ready = game, await self._start(game)
        finally:
            hint.cancel()

    async def __call__(self, state: BotState) -> tuple[str, str]:
        """A legal move and a note. Raises :class:`BotFailed` if the program fails, if it crashes once more."""
        try:
            return await self._ask(state)
        except BotFailed as error:
            failure = error.failure
            if failure.kind not in WORTH_A_RESTART:
                await self._failed(state, failure)
                raise
            await self.over(state.room)
        try:
            answer = await self._ask(state)
        except BotFailed as error:
            await self._failed(state, error.failure)
            raise
        self._tell(f"{self._report(failure, state)}\nIt was started again, and has answered.")
        return answer

    async def _failed(self, state: BotState, failure: Failure) -> None:
        self.failures[state.room] = failure
        self._tell(self._report(failure, state))
        await self.over(state.room)

    def _report(self, failure: Failure, state: BotState) -> str:
        position = f"The position {where(state)}:{board(state)}"
        parts = [failure.message, self.details(failure), position]
        if self._spec.kind == "exec":
            line = failure.line.strip()
            parts.append(f"It was asked: {line[:SHOWN_LINE]}{'...' if len(line) > SHOWN_LINE else ''}")
        return "\n".join(filter(None, parts))

    def details(self, failure: Failure) -> str:
        """The place in its own code where the bot failed, or the end of its stderr, unless that was shown."""
        if failure.traceback or self._log is None or not failure.stderr.strip():
            return failure.traceback.rstrip()
        return f"The end of its stderr:\n{failure.stderr.rstrip()}"

    async def _ask(self, state: BotState) -> tuple[str, str]:
        if state.room not in self._bots:
            self._bots[state.room] = await self._bot_for(state.game)
        patience_s = NO_CLOCK_S if state.deadline is None else max(0, state.deadline - time.monotonic()) + GRACE_S
        hint = asyncio.get_running_loop().call_later(HINT_S, self._hint, self._bots[state.room])
        try:
            answer = await self._bots[state.room].choose(state, patience_s=patience_s)
        except asyncio.CancelledError:  # it still thinks about a state that is past
            late = _runs_out(state, LATE_S)
            self.late |= {state.room} if late else set()
            self._soon(self._interrupt(self._bots.pop(state.room), late=late))
            raise
        finally:
            hint.cancel()
        self._hinted |= self._spec.kind == "exec"  # it flushes its output
        self.late |= {state.room} if _runs_out(state) else set()
        return answer

    def _hint(self, bot: ProgramBot) -> None:
        if self._hinted:
            return
        self._hinted = True
        question = " Does it flush its output?" if self._spec.kind == "exec" else ""
        self._tell(f"Still waiting for an answer from {self._spec.target}.{question}")
        bot.show_place()

    async def _bot_for(self, game: str) -> ProgramBot:
        if self._ready is not None and self._ready[0] == game:
            (_, bot), self._ready = self._ready, None
            return bot
        return await self._start(game)

    async def _start(self, game: str) -> ProgramBot:
        return await start(self._spec, game, limits=TRUSTED, log=self._log, heard=None if self._log else _show)

    async def over(self, room: str) -> None:
        """End the program of a room."""
        if (bot := self._bots.pop(room, None)) is not None:
            await bot.close()

    def _soon(self, closing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(closing)
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _interrupt(self, bot: ProgramBot, *, late: bool) -> None:
        self.left_at = await bot.interrupt()
        if late and self.left_at:
            self._tell(f"It was still thinking when its time was up.\n{self.left_at}")
        await bot.close()

    async def close(self) -> None:
        """End all programs."""
        for bot in [*self._bots.values(), *([self._ready[1]] if self._ready else [])]:
            self._soon(bot.close())
        self._bots, self._ready = {}, None
        if self._closing:
            await asyncio.wait(self._closing)


def _runs_out(state: BotState, within_s: float = 0) -> bool:
    """True if the clock that runs for the bot runs out so soon."""
    if state.deadline is None or state.told["clock"]["running"] is None:
        return False
    return state.deadline - time.monotonic() < within_s


def _show(said: bytes) -> None:
    with suppress(OSError, ValueError):  # nobody reads it
        sys.stderr.write(said.decode(errors="replace"))
        sys.stderr.flush()
