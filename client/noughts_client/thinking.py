"""Asks a bot for its move: on the event loop if it is async, else in a thread. Checks the answer."""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
import threading
import traceback
from contextlib import suppress
from types import FrameType
from typing import Any

from noughts_client.failure import LIBRARIES, BotError, BotFailed, own_stack, own_traceback
from noughts_client.state import Bot, BotState, WrongAnswer, board, fields, where, why_no_bot, why_refused

log = logging.getLogger(__name__)

HINT_S = 5.0
"""After so long, people want to know where the bot is."""


class Thinker:
    """Asks one bot, for any number of games.

    A plain function runs in a thread, and is never called for two games at once. An async one runs on the event loop,
    and is called for all games that wait for it.
    """

    def __init__(self, bot: Bot) -> None:
        """Raises ValueError if ``bot`` cannot be called with a state."""
        if why := why_no_bot(bot):
            raise ValueError(why)
        self._bot: Any = bot
        self._is_async = inspect.iscoroutinefunction(bot) or inspect.iscoroutinefunction(type(bot).__call__)
        self._free = asyncio.Lock()
        self._thread: threading.Thread | None = None
        self._left_at = ""
        self._hinted = False

    async def until_free(self, within_s: float) -> bool:
        """Wait for the function to return from its last call; false if it does not within that time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s), self._free:
                return True
        return False

    @property
    def stack(self) -> str:
        """The place in its own code where the function is, or was when it was last cancelled, as a traceback's lines.

        Empty if that is not known.
        """
        thread = self._thread
        frame = None if thread is None or not thread.is_alive() else sys._current_frames().get(thread.ident or 0)
        return self._left_at if frame is None else own_stack(traceback.extract_stack(frame))

    async def ask(self, state: BotState) -> dict[str, str]:
        """The fields of the ``play`` that the bot's answer stands for; its ``move`` may be ``CLAIM_DRAW``.

        Raises BotError, and BotFailed if that is what the bot raised.
        """
        try:
            answer = await (self._bot(state) if self._is_async else self._in_thread(state))
            said = fields(answer, state.told["legal_moves"])
        except (BotFailed, BotError):
            raise
        except WrongAnswer as error:
            raise _wrong(str(error), state) from None
        except asyncio.CancelledError as error:
            self._left_at = own_stack(traceback.extract_tb(error.__traceback__))
            raise
        except Exception as error:
            raise BotError(f"The bot failed {where(state)}.\n{own_traceback(error)}") from error
        if why := why_refused(said["move"], state.told):
            raise _wrong(why, state)
        return said

    async def _in_thread(self, state: BotState) -> object:
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        done: asyncio.Future[tuple[object, BaseException | None]] = loop.create_future()

        def think() -> None:
            answer, error = None, None
            try:
                answer = self._bot(state)
            except BaseException as raised:  # also what a bot raises that calls sys.exit()
                error = raised
            with suppress(RuntimeError):  # the program does not wait for a bot whose game is over
                loop.call_soon_threadsafe(end, answer, error)

        def end(answer: object, error: BaseException | None) -> None:
            self._free.release()
            if not done.done():
                done.set_result((answer, error))

        # Not a pool: its threads are few, and a program cannot end before they have.
        self._thread = threading.Thread(target=think, name="bot", daemon=True)
        self._thread.start()
        hint = loop.call_later(HINT_S, self._hint, state)
        try:
            answer, error = await done
        finally:
            hint.cancel()
        if isinstance(error, BotFailed):
            raise error
        if error is not None:
            raise BotError(f"The bot failed {where(state)}.\n{own_traceback(error)}") from error
        return await answer if inspect.isawaitable(answer) else answer

    def _hint(self, state: BotState) -> None:
        """Say where the bot is, once: it may be in an endless loop, or have much to think about."""
        if not self._hinted:
            self._hinted = True
            log.warning("Still waiting for the bot's answer %s.\n%s", where(state), self.stack)


def is_asked(frame: FrameType | None) -> bool:
    """True if ``frame`` is in a call from here of a bot that is not our own."""
    called = ""
    while frame is not None and frame.f_code.co_filename != __file__:
        called, frame = frame.f_code.co_filename, frame.f_back
    return frame is not None and bool(called) and not called.startswith(LIBRARIES)


def _wrong(what: str, state: BotState) -> BotError:
    return BotError(f"The bot failed {where(state)}: it {what}\nThe position:{board(state)}")
