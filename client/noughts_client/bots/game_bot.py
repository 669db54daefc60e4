"""A bot in one game, whatever it is written in: it is asked for a move, and what it says is checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from noughts.games import GAMES, Game
from noughts.games.sentences import no_such_game
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
from noughts_client.state import BotState, illegal

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
        """A legal move, and a note, which is empty if there is none. Raises :class:`BotFailed`.

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

    @property
    def stderr(self) -> str:
        return self.process.stderr

    async def choose(self, state: BotState, *, patience_s: float) -> tuple[str, str]:
        left = time_left(state, time.monotonic())
        try:
            return await _converse(self.process, self._dialog, self._turn(state, left), patience_s)
        except BotFailed as error:
            if error.failure.kind != "time":
                raise
            raise BotFailed(replace(error.failure, traceback=await self.interrupt())) from None

    def _turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:
        move, note = yield from self._dialog.turn(state, left)
        if move not in state["legal_moves"]:
            raise DialogError("illegal", f"{self._dialog.speaker} {illegal(move, state['legal_moves'])}")
        return move, note

    def show_place(self) -> None:
        """Have a Python bot write to stderr where in its own code it is."""
        if self._dialog.tells_place:
            self.process.show_place()

    async def interrupt(self) -> str:
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
    """Start the bot for one game. Without ``containment`` it runs as the user does, within ``limits``.

    Its input, its output and its stderr are appended to the file ``log``, and ``heard`` is called with what comes from
    stderr. ``copy`` is the one that ``spec`` names, if it is a copy. Raises :class:`BotFailed` if it does not start,
    and ValueError for a kind that is not a program.
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
    if game not in GAMES:
        raise ValueError(f"{no_such_game(game, GAMES)} Engines need it on this machine.")
    dialog = ENGINES[spec.kind](GAMES[game])
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
