"""A bot in one game, whatever it is written in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from noughts_client.bots import lines
from noughts_client.bots.child import READY
from noughts_client.bots.copies import Copy
from noughts_client.bots.dialogs import Gomocup, Gtp, Uci
from noughts_client.bots.engine_bot import start_engine
from noughts_client.bots.process import Launch, Limits, Process
from noughts_client.bots.program import BotKind, BotSpec, NoSuchProgram, command_program, python_program
from noughts_client.bots.sandbox import Containment
from noughts_client.failure import LONGEST, BotFailed, Failure
from noughts_client.state import BotState, illegal, wrong

INTERRUPT_S = 1.0
"""How long a Python bot that is interrupted may take to tell where it was."""


class GameBot(Protocol):
    """A bot in one game."""

    async def choose(self, state: BotState, *, patience_s: float) -> tuple[str, str]:
        """A legal move, and a note, which is empty if there is none. Raises :class:`BotFailed`.

        ``patience_s`` is how long the caller waits.
        """

    async def close(self) -> None:
        """End the bot. It may be called more than once, and after a failure."""

    @property
    def stderr(self) -> str:
        """The end of what the bot has written to stderr, at most 4 KB."""


async def start(
    spec: BotSpec,
    game: str,
    *,
    containment: Containment | None = None,
    limits: Limits = Limits(),  # noqa: B008
    log: Path | None = None,
    heard: Callable[[bytes], None] | None = None,
    copy: Copy | None = None,
) -> GameBot:
    """Start the bot for one game. Without ``containment`` it runs as the user does, within ``limits``.

    Its input, its output and its stderr are appended to the file ``log``, and ``heard`` is called with what comes from
    stderr. ``copy`` is the one that ``spec`` names, if it is a copy. Raises :class:`BotFailed` if it does not start,
    and ValueError for a kind that is not a program.
    """
    starter = STARTERS.get(spec.kind)
    if starter is None:
        raise ValueError(f"{spec.kind} bots are not programs")
    try:
        launch = partial(Process.start, containment=containment, limits=limits, log=log, heard=heard, copy=copy)
        return await starter(spec.target, game, launch)
    except NoSuchProgram as error:
        raise BotFailed(Failure("start", str(error))) from None


async def _start_python(file: str, _game: str, launch: Launch) -> GameBot:
    process = await launch(python_program(file))
    try:
        await ready(process, process.limits)
    except asyncio.CancelledError:
        await process.close()
        raise
    return LinesBot(process)


async def _start_command(command: str, _game: str, launch: Launch) -> GameBot:
    return LinesBot(await launch(command_program(command)))


Starter = Callable[[str, str, Launch], Awaitable[GameBot]]

STARTERS: dict[BotKind, Starter] = {
    "python": _start_python,
    "exec": _start_command,
    "uci": partial(start_engine, Uci),
    "gtp": partial(start_engine, Gtp),
    "gomocup": partial(start_engine, Gomocup),
}
"""How each kind of program is started: from its target and the key of the game."""


async def ready(process: Process, limits: Limits) -> None:
    """Wait until the child process of a Python file has loaded it. Raises :class:`BotFailed`; it has ended then."""
    try:
        said = await process.line(limits.start_s)
        if said == f'"{READY}"':
            return
        heard = lines.answer(said)
    except BotFailed as error:
        failure = error.failure
        if failure.kind == "time":
            message = f"The bot was not loaded within {limits.start_s:.3g} s."
            failure = replace(failure, message=message, traceback=await interrupted(process))
        await process.close()
        raise BotFailed(_at_start(failure)) from None
    except lines.Unreadable:
        heard = lines.Answer(said)
    if isinstance(heard, lines.Raised):
        await process.ending()
        await process.close()
        raise BotFailed(_at_start(raised(process, heard).failure))
    await process.close()
    raise process.failure("start", "The bot wrote to stdout before it was ready.", answer=said)


async def interrupted(process: Process) -> str:
    """Where a Python bot is in its own code, by its traceback; it ends. Empty if it does not say so soon."""
    process.interrupt()
    try:
        heard = lines.answer(await process.line(INTERRUPT_S))
    except (BotFailed, lines.Unreadable):
        return ""
    if not isinstance(heard, lines.Raised):
        return ""
    return process.in_original(heard.traceback.removesuffix("\nKeyboardInterrupt"))


def _at_start(failure: Failure) -> Failure:
    kind = failure.kind if failure.kind in ("memory", "processes", "flood") else "start"
    return Failure(kind, failure.message, failure.error, failure.traceback, failure.stderr, "", failure.answer)


def raised(process: Process, heard: lines.Raised) -> BotFailed:
    """The failure that a Python bot's exception or wrong answer is. Any program may tell of one, at any length."""
    if not heard.type:
        return process.failure("illegal", _line(heard.message, 1000))
    said = _line(f"{heard.type}: {heard.message}" if heard.message else heard.type, 200)
    message = f"The bot raised {said.removesuffix('.')}."
    return process.failure("crash", message, error=heard.type[:200], traceback=heard.traceback[-LONGEST:])


def _line(text: str, most: int) -> str:
    """The first line of a text, of at most so many characters, all of them printable."""
    return "".join(each if each.isprintable() else "?" for each in text.partition("\n")[0][:most])


class LinesBot:
    """A bot that speaks JSON lines."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def stderr(self) -> str:
        return self._process.stderr

    async def choose(self, state: BotState, *, patience_s: float) -> tuple[str, str]:
        time_ms = None if state.deadline is None else max(0, round((state.deadline - time.monotonic()) * 1000))
        line = lines.turn(
            state, game=state.game, room=state.room, side=state.side, symbol=state.symbol, time_ms=time_ms
        )
        said = await self._process.ask(line, patience_s)
        try:
            answer = lines.answer(said)
        except lines.Unreadable as error:
            message = f"The bot {wrong(said, str(error), state['legal_moves'])}"
            raise self._process.failure("garbage", message, answer=said) from None
        if isinstance(answer, lines.Raised):
            await self._process.ending()
            raise raised(self._process, answer)
        if answer.move not in state["legal_moves"]:
            message = f"The bot {illegal(answer.move, state['legal_moves'])}"
            raise self._process.failure("illegal", message, answer=said)
        return answer.move, answer.note

    def show_place(self) -> None:
        """Have a Python bot write to stderr where in its own code it is."""
        self._process.show_place()

    async def interrupt(self) -> str:
        """As :func:`interrupted`."""
        return await interrupted(self._process)

    async def close(self) -> None:
        await self._process.close()
