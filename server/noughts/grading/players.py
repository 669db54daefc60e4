"""The players that are verified: bots that are programs, and the computer's levels."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

from noughts.engine import Interrupt, levels_of, odds, usable_engine_of
from noughts.engine.levels import LEVELS
from noughts.games import Game, Position, Side
from noughts.games.sentences import no_such_level
from noughts.grading.proof import Moves
from noughts_client.bots.game_bot import GameBot
from noughts_client.bots.programs import HINT_S
from noughts_client.state import BotState

Start = Callable[[], Awaitable[GameBot]]
"""Starts a bot for one game. Raises :class:`~noughts_client.failure.BotFailed`."""


class NoSuchLevel(ValueError):
    """The text says which levels there are."""


class Program:
    """A bot that is a program. One process is asked all the time; :meth:`afresh` starts another one.

    ``tell`` is called with a sentence while an answer is waited for.
    """

    def __init__(self, game: Game, start: Start, patience_s: float, tell: Callable[[str], None]) -> None:
        self._game = game
        self._start = start
        self._patience_s = patience_s
        self._tell = tell
        self.hurried = False
        self._waited_for: set[str] = set()
        self._bot: GameBot | None = None

    async def ask(self, moves: Moves, position: Position) -> Moves:
        """See :data:`~noughts.grading.proof.Ask`. Raises :class:`~noughts_client.failure.BotFailed`."""
        names = ("Bot", "Other") if position.to_move is Side.FIRST else ("Other", "Bot")
        state = BotState.after(self._game, moves, names=names)
        hint = asyncio.get_running_loop().call_later(HINT_S, self._hint, state)
        try:
            if self._bot is None:
                self._bot = await self._start()
            move, _ = await self._bot.choose(state, patience_s=self._patience_s)
        finally:
            hint.cancel()
        return (move,)

    def _hint(self, state: BotState) -> None:
        if state.side in self._waited_for:
            return
        self._waited_for.add(state.side)
        name = self._game.style(Side(state.side)).name
        played = f"after {' '.join(state['moves'])}" if state["moves"] else "at the start"
        self._tell(f"As {name}, {played}: no answer yet. It has {self._patience_s:g} s for each.")

    async def afresh(self) -> None:
        """End the process: the next question starts another one."""
        bot, self._bot = self._bot, None
        if bot is not None:
            await bot.close()


class Computer:
    """A level of the computer: it may play several moves in a position, and all of them count.

    ``hurried`` says that a search ran out of the level's time, so that it may play otherwise another time. Raises
    :class:`NoSuchLevel`.
    """

    def __init__(self, game: Game, level: str) -> None:
        if level not in levels_of(game):
            raise NoSuchLevel(no_such_level(game.title, level, levels_of(game)))
        self._engine, _ = usable_engine_of(game)
        self._level = LEVELS[level]
        self.hurried = False

    async def ask(self, moves: Moves, position: Position) -> Moves:  # noqa: ARG002 - see Ask
        """See :data:`~noughts.grading.proof.Ask`."""
        return await asyncio.to_thread(self._moves, position)

    async def afresh(self) -> None:
        """Nothing to do: it keeps nothing."""

    def _moves(self, position: Position) -> Moves:
        if len(position.legal_moves) == 1:
            return position.legal_moves
        stop = Interrupt()
        timer = threading.Timer(self._level.seconds, stop.set)
        timer.start()
        try:
            return tuple(odds(self._engine, position, self._level, stop))
        finally:
            self.hurried = self.hurried or stop()
            timer.cancel()
