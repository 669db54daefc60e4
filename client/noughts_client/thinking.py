"""Asks a bot for its move: on the event loop if it is async, else in a thread. Checks the answer."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from contextlib import suppress
from typing import Any

from noughts_client.bots.failure import BotFailed
from noughts_client.own_traceback import own_place, own_traceback
from noughts_client.state import Bot, BotState

NOTE_BYTES = 1024
"""The server's limit for a note, in UTF-8."""

SHOWN_MOVES = 40
"""How many legal moves an error lists."""

SHOWN_ANSWER = 200
"""How many characters of a wrong answer an error shows."""


class BotError(Exception):
    """The bot raised an exception, which is the cause, or its answer was not a legal move.

    The text is for the bot's author. It has several lines: where it happened, and the bot's own part of the traceback,
    or the answer, the rows and the legal moves.
    """


class Thinker:
    """Asks one bot, for any number of games.

    A plain function runs in a thread, and is never called for two games at once. An async one runs on the event loop,
    and is called for all games that wait for it.
    """

    def __init__(self, bot: Bot) -> None:
        self._bot: Any = bot
        self._is_async = inspect.iscoroutinefunction(bot) or inspect.iscoroutinefunction(type(bot).__call__)
        self._free = asyncio.Lock()
        self._thread: threading.Thread | None = None

    async def until_free(self, within_s: float) -> bool:
        """Whether the function has returned from its last call, or does so within that time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s), self._free:
                return True
        return False

    @property
    def place(self) -> str:
        """Where in its own code the function is now, such as ``my_bot.py, line 4``; empty if that is not known."""
        thread = self._thread
        frame = None if thread is None else sys._current_frames().get(thread.ident or 0)
        return "" if frame is None else own_place(frame)

    async def ask(self, state: BotState) -> dict[str, str]:
        """The fields of the ``play`` that the bot's answer stands for.

        Raises BotError, and BotFailed if that is what the bot raised.
        """
        try:
            answer = await (self._bot(state) if self._is_async else self._in_thread(state))
        except (BotFailed, BotError):
            raise
        except Exception as error:
            raise BotError(f"The bot failed {_where(state)}.\n{own_traceback(error)}") from error
        return _fields(answer, state)

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
        answer, error = await done
        if isinstance(error, BotFailed):
            raise error
        if error is not None:
            raise BotError(f"The bot failed {_where(state)}.\n{own_traceback(error)}") from error
        return await answer if inspect.isawaitable(answer) else answer


def _fields(answer: object, state: BotState) -> dict[str, str]:
    match answer:
        case str(move):
            note = ""
        case (str(move), str(note)):
            pass
        case _:
            raise _wrong(answer, "must be a move, or a move and a note, as strings", state)
    if move not in state["legal_moves"]:
        raise _wrong(answer, "is not a legal move", state)
    note = note.encode(errors="replace")[:NOTE_BYTES].decode(errors="ignore")
    return {"move": move, "note": note} if note else {"move": move}


def _wrong(answer: object, what: str, state: BotState) -> BotError:
    rows = "".join(f"\n  {row}" for row in state["rows"])
    moves, more = ", ".join(state["legal_moves"][:SHOWN_MOVES]), len(state["legal_moves"]) - SHOWN_MOVES
    end = f" and {more} more" if more > 0 else ""
    shown = repr(answer)
    shown = shown if len(shown) <= SHOWN_ANSWER else f"{shown[:SHOWN_ANSWER]}..."
    return BotError(
        f"The bot failed {_where(state)}: its answer {shown} {what}.\nThe position:{rows}\nLegal moves: {moves}{end}"
    )


def _where(state: BotState) -> str:
    return f"in room {state.room}, with {state.symbol!r} at turn {state['turn']}"
