"""Bots in games, whatever they are written in: each is asked for a move, and its answer is checked."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from noughts.games import Game
from noughts.games.catalogue import UnknownGame, game_named, named
from noughts_client.bots.copies import Copy
from noughts_client.bots.dialogs import (
    DEFINITIONS,
    Dialog,
    DialogError,
    Gomocup,
    Gtp,
    Lines,
    NotAnAnswer,
    Raised,
    Result,
    Talk,
    TimeLeft,
    Uci,
    read_answer,
    time_left,
)
from noughts_client.bots.process import EXIT_S, Process, ProcessLimits
from noughts_client.bots.program import BotKind, BotSpec, Program, command_program, python_program
from noughts_client.bots.sandbox import Containment
from noughts_client.failure import BotFailed, Failure
from noughts_client.state import BotState, board, where, why_refused

GRACE_S = 5.0
"""With a clock, wait longer than it runs: the server ends the game then, and the wait is cancelled."""

LATE_S = 0.5
"""A bot that is cancelled so near to its deadline was too late: the server's clock is another."""

INTERRUPT_S = 1.0
"""The time that a Python bot that is interrupted may take to tell where it was."""

ENGINES: dict[BotKind, Callable[[Game], Dialog]] = {"uci": Uci, "gtp": Gtp, "gomocup": Gomocup}
"""The dialog with each kind of engine. It raises ValueError for a game that such engines do not play."""


class GameBot(Protocol):
    """A bot in one game."""

    async def choose(self, state: BotState, *, patience_s: float) -> tuple[str, str]:
        """A legal move or ``CLAIM_DRAW``, and a note, which is empty if there is none. Raises :class:`BotFailed`.

        ``patience_s`` is how long the caller waits.
        """
        ...

    async def interrupt(self) -> str:
        """End the bot. Returns where it was in its own code, by its traceback; empty if it does not tell."""
        ...

    async def close(self) -> None:
        """End the bot. It may be called more than once, and after a failure."""

    @property
    def stderr(self) -> str:
        """The end of what the bot has written to stderr, at most 4 KB."""
        ...


class ProgramBot:
    """A bot that is a program: its ``process``, and the dialog that its protocol prescribes. See :class:`GameBot`."""

    def __init__(self, process: Process, dialog: Dialog) -> None:
        self.process = process
        self._dialog = dialog
        self._idle = True

    @property
    def stderr(self) -> str:
        return self.process.stderr

    @property
    def may_be_kept(self) -> bool:
        """True if it can play another game: it has said so, and is not at anything."""
        return self._dialog.keeps and self._idle and not self.process.unread

    async def renew(self) -> None:
        """Make it ready for another game. Raises :class:`BotFailed`."""
        self._idle = False
        await _converse(self.process, self._dialog, self._dialog.renew(), self.process.limits.start_s)
        self._idle = True

    async def choose(self, state: BotState, *, patience_s: float) -> tuple[str, str]:
        left = time_left(state, time.monotonic())
        self._idle = False
        try:
            answer = await _converse(self.process, self._dialog, self._turn(state, left), patience_s)
        except BotFailed as error:
            if error.failure.kind != "time":
                raise
            raise BotFailed(replace(error.failure, traceback=await self.interrupt())) from None
        self._idle = True
        return answer

    def _turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:
        move, note = yield from self._dialog.turn(state, left)
        if why := why_refused(move, state):
            raise DialogError("illegal", f"{self._dialog.speaker} {why}")
        return move, note

    def show_place(self) -> None:
        """Have a Python bot write to stderr where in its own code it is."""
        if self._dialog.tells_place:
            self.process.show_place()

    async def interrupt(self) -> str:
        self._idle = False
        return await _interrupted(self.process, self._dialog)

    async def close(self) -> None:
        if self._dialog.goodbye:
            self.process.send(self._dialog.goodbye)
        await self.process.close()


async def start(
    spec: BotSpec,
    game: str,
    *,
    containment: Containment | None = None,
    limits: ProcessLimits = ProcessLimits(),  # noqa: B008
    log: Path | None = None,
    heard: Callable[[bytes], None] | None = None,
    copy: Copy | None = None,
) -> ProgramBot:
    """Start the bot for one game, named as :func:`~noughts.games.catalogue.name_of` names it.

    Without ``containment`` it runs as the user does, within ``limits``. Its input, its output and its stderr are
    appended to the file ``log``, and ``heard`` is called with what comes from stderr. ``copy`` is the one that ``spec``
    names, if it is a copy. Raises :class:`BotFailed` if it does not start, and ValueError for a kind that is not a
    program.
    """
    if spec.kind == "computer":
        raise ValueError("computer bots are not programs")
    try:
        program, dialog = _prepared(spec, game)
    except ValueError as error:
        raise BotFailed(Failure("start", str(error))) from None
    process = await Process.start(program, containment=containment, limits=limits, log=log, heard=heard, copy=copy)
    await greet(process, dialog)
    return ProgramBot(process, dialog)


def _prepared(spec: BotSpec, game: str) -> tuple[Program, Dialog]:
    """The program of a bot, and the dialog with it. Raises ValueError, whose text says to a person what is wrong."""
    if spec.kind == "python":
        return python_program(spec.target), Lines(python=True)
    if spec.kind not in ENGINES:
        return command_program(spec.target), Lines()
    try:
        dialog = ENGINES[spec.kind](game_named(game))
    except UnknownGame as error:
        raise ValueError(f"{error} Engines need it on this machine.") from None
    program = command_program(spec.target)
    return replace(program, reads=(*program.reads, DEFINITIONS.parent)), dialog


async def greet(process: Process, dialog: Dialog) -> None:
    """Make a program ready for its first turn. Raises :class:`BotFailed`, after the program has ended."""
    try:
        await _converse(process, dialog, dialog.greet(), process.limits.start_s)
    except BotFailed as error:
        failure = error.failure
        if failure.kind == "time":
            failure = replace(failure, traceback=await _interrupted(process, dialog))
        await process.close()
        kind = failure.kind if failure.kind in ("memory", "processes", "flood") else "start"
        raise BotFailed(replace(failure, kind=kind)) from None
    except asyncio.CancelledError:
        await process.close()
        raise


async def _interrupted(process: Process, dialog: Dialog) -> str:
    """See :meth:`GameBot.interrupt`."""
    if not dialog.tells_place:
        return ""
    process.interrupt()
    try:
        heard = read_answer(await process.line(INTERRUPT_S))
    except (BotFailed, NotAnAnswer):
        return ""
    return process.in_original(heard.traceback.removesuffix("\nKeyboardInterrupt")) if isinstance(heard, Raised) else ""


async def _converse(process: Process, dialog: Dialog, talk: Talk[Result], patience_s: float) -> Result:
    """The result of a talk with the program.

    Raises :class:`BotFailed`, where the line that was answered is all that the program was told in the talk.
    """
    until = asyncio.get_running_loop().time() + patience_s
    said, told = "", list[str]()
    try:
        lines = next(talk)
        while True:
            told += map(str.strip, lines)
            left_s = max(0.0, until - asyncio.get_running_loop().time())
            if dialog.asked_only and lines:
                said = await process.ask("\n".join(lines), left_s)
            else:
                for line in lines:
                    process.send(line)
                said = await process.line(left_s)
            lines = talk.send(said)
    except StopIteration as over:
        result: Result = over.value
        return result
    except DialogError as error:
        if error.ends:
            await process.ending(EXIT_S)
        answer = "" if error.ends else said
        failure = process.failure(
            error.kind, str(error), answer=answer, error=error.error, traceback=error.traceback
        ).failure
    except BotFailed as error:
        failure = error.failure
        if failure.kind == "time":
            failure = replace(failure, message=dialog.late(told, patience_s))
    raise BotFailed(replace(failure, line="\n".join(told)))


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
            self._bots[state.room] = await self._bot_for(named(state.game, state.setup.items()))
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
