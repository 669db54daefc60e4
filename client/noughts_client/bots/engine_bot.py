"""An engine in one game: its process, and the dialog that its protocol prescribes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from noughts.games import GAMES, Game
from noughts.games.sentences import no_such_game
from noughts_client.bots.dialogs import DEFINITIONS, Dialog, EngineError, Result, Talk, TimeLeft, time_left
from noughts_client.bots.process import Launch, Process
from noughts_client.bots.program import command_program
from noughts_client.failure import BotFailed, Failure
from noughts_client.state import BotState, illegal


class EngineBot:
    """An engine that has been told which game it plays."""

    def __init__(self, process: Process, dialog: Dialog) -> None:
        self._process = process
        self._dialog = dialog

    @property
    def stderr(self) -> str:
        """The end of what the engine has written to stderr, at most 4 KB."""
        return self._process.stderr

    async def choose(self, state: BotState, *, patience_s: float) -> tuple[str, str]:
        """A legal move, and a note, which is empty if there is none. Raises :class:`BotFailed`."""
        left = time_left(state, time.monotonic())
        return await _converse(self._process, self._turn(state, left), patience_s)

    def _turn(self, state: BotState, left: TimeLeft | None) -> Talk[tuple[str, str]]:
        move, note = yield from self._dialog.turn(state, left)
        if move not in state["legal_moves"]:
            raise EngineError("illegal", f"The engine {illegal(move, state['legal_moves'])}")
        return move, note

    async def close(self) -> None:
        """Say goodbye to the engine, and end it."""
        self._process.send(self._dialog.goodbye)
        await self._process.close()


async def start_engine(dialog_for: Callable[[Game], Dialog], command: str, game: str, launch: Launch) -> EngineBot:
    """Start an engine for a game, and greet it.

    Raises :class:`BotFailed`, after the engine has ended, and NoSuchProgram.
    """
    if game not in GAMES:
        raise BotFailed(Failure("start", f"{no_such_game(game, GAMES)} Engines need it on this machine."))
    try:
        dialog = dialog_for(GAMES[game])
    except ValueError as error:
        raise BotFailed(Failure("start", str(error))) from None
    program = command_program(command)
    program = replace(program, reads=(*program.reads, DEFINITIONS.parent))
    process = await launch(program)
    try:
        await _converse(process, dialog.greet(), process.limits.start_s)
    except BotFailed as error:
        await process.close()
        failure = error.failure
        kind = failure.kind if failure.kind in ("memory", "processes", "flood") else "start"
        raise BotFailed(replace(failure, kind=kind)) from None
    except asyncio.CancelledError:
        await process.close()
        raise
    return EngineBot(process, dialog)


async def _converse(process: Process, talk: Talk[Result], patience_s: float) -> Result:
    """The result of a talk with the engine.

    Raises :class:`BotFailed`, where the line that was answered is all that the engine was told in the talk.
    """
    until = asyncio.get_running_loop().time() + patience_s
    said, told = "", list[str]()
    try:
        lines = next(talk)
        while True:
            for line in lines:
                process.send(line)
                told.append(line.strip())
            said = await process.line(max(0.0, until - asyncio.get_running_loop().time()))
            lines = talk.send(said)
    except StopIteration as over:
        result: Result = over.value
        return result
    except EngineError as error:
        failure = process.failure(error.kind, str(error), answer=said).failure
    except BotFailed as error:
        failure = error.failure
        if failure.kind == "time":
            message = f"The engine did not answer {told[-1]!r} within {patience_s:.3g} s."
            failure = replace(failure, message=message)
    raise BotFailed(replace(failure, line="\n".join(told)))
