"""A Python file as a program that answers JSON lines: ``python -m noughts_client.bots.child my_bot.py``.

Its exceptions are answers too, so that the parent can tell them. It is started by the parent, not by people.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, BinaryIO

from noughts_client.state import BotState, StartsGame, WrongAnswer, fields, loading, meant, why_no_bot

READY = "ready"
"""The first line: the file is loaded."""

READY_AGAIN = "ready for more"
"""The first line of a file that defines ``new_game``: its process may be kept for further games."""

LONGEST_MESSAGE = 1024
"""The most characters of an exception's message."""


class NoFunction(Exception):
    """The file lacks what the command needs. The text says so to a person."""


def own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Stdin and stdout, for this module alone: what the bot prints goes to stderr, and it reads nothing."""
    lines_in, lines_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return lines_in, lines_out


def load(file: str) -> ModuleType:
    """The module of a bot's file. Modules beside it can be imported. Raises what the file raises."""
    path = Path(file)
    sys.argv = [file]
    sys.path.insert(0, str(path.parent))
    loader = SourceFileLoader(path.stem, file)  # whatever the file's ending is
    spec = importlib.util.spec_from_file_location(path.stem, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    with loading(path.name):
        loader.exec_module(module)
    return module


def function(module: ModuleType, name: str) -> Callable[..., Any]:
    """The function ``name`` of a bot's file. Raises :class:`NoFunction`."""
    found: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(found):
        own = {key: each for key, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}
        missing = f"{Path(str(module.__file__)).name} defines no function {name}."
        raise NoFunction(f"{missing} {meant(name, own)}".rstrip())
    return found


def raised(error: BaseException) -> dict[str, Any]:
    """An exception of the bot as an answer, which is short enough for a line."""
    if isinstance(error, NoFunction | StartsGame | WrongAnswer):
        message = f"The bot {error}" if isinstance(error, WrongAnswer) else str(error)
        return {"error": {"type": "", "message": message, "traceback": ""}}
    from noughts_client.failure import own_traceback  # noqa: PLC0415 - few bots need it

    try:
        message, traceback = str(error), own_traceback(error)
    except Exception:  # the exception is the bot's own, and cannot be shown
        message, traceback = "", ""
    kind = type(error).__name__
    return {"error": {"type": kind, "message": message[:LONGEST_MESSAGE], "traceback": traceback}}


def serve(lines_in: BinaryIO, lines_out: BinaryIO, answer: Answerer) -> None:
    """Answer each line until the input ends. An exception ends it too, after it has been told."""
    for line in lines_in:
        try:
            said = answer(json.loads(line))
        except BaseException as error:  # also SystemExit: the bot does not decide when it ends
            tell(lines_out, raised(error))
            return
        tell(lines_out, said)


def tell(lines_out: BinaryIO, said: object) -> None:
    """Write ``said`` as a JSON line."""
    lines_out.write(json.dumps(said).encode() + b"\n")
    lines_out.flush()


Answerer = Callable[[dict[str, Any]], object]
"""Answers the object of one line with what is written as another."""


def started(
    lines_out: BinaryIO, start: Callable[[], Answerer], ready: Callable[[], str] = lambda: READY
) -> Answerer | None:
    """The answerer that ``start`` makes, after the parent was told that it is ``ready``; None after it was told why
    there is none.
    """
    try:
        answer = start()
    except BaseException as error:  # a file can raise anything
        tell(lines_out, raised(error))
        return None
    tell(lines_out, ready())
    return answer


def chooser(choose: Callable[[Any], Any], new_game: Callable[[], Any] | None = None) -> Answerer:
    """Answers turns by ``choose``, and the line before another game by ``new_game``. Both may be async: they are
    awaited in one event loop.

    Raises :class:`NoFunction` if it cannot be called with a state.
    """
    if why := why_no_bot(choose):
        raise NoFunction(why)
    before: BotState | None = None
    awaited = functools.cache(_event_loop)

    def answer(turn: dict[str, Any]) -> object:
        nonlocal before
        if new_game is not None and "new_game" in turn:
            before, said = None, new_game()
            if inspect.isawaitable(said):
                awaited()(said)
            return READY
        before = state = BotState.from_line(turn, before=before)
        said = choose(state)
        said = awaited()(said) if inspect.isawaitable(said) else said
        return fields(said, turn["legal_moves"])

    return answer


def _event_loop() -> Callable[[Awaitable[Any]], Any]:
    import asyncio  # noqa: PLC0415 - most bots do not need it, and it takes a quarter of the time of their start

    runner = asyncio.Runner()

    async def wait(said: Awaitable[Any]) -> Any:
        return await said

    return lambda said: runner.run(wait(said))


def _show_place(_number: int, frame: FrameType | None) -> None:
    """Write where the bot is in its own code to stderr."""
    import traceback  # noqa: PLC0415 - few bots need it

    from noughts_client.failure import own_stack  # noqa: PLC0415 - few bots need it

    if stack := own_stack(traceback.extract_stack(frame)):
        os.write(2, f"{stack}\n".encode())


def main() -> None:
    lines_in, lines_out = own_pipes()
    file = sys.argv[1]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # by it the parent asks where the bot is
    if sys.platform != "win32":
        signal.signal(signal.SIGUSR1, _show_place)
    with suppress(KeyboardInterrupt):
        new_game: Callable[[], Any] | None = None

        def start() -> Answerer:
            nonlocal new_game
            module = load(file)
            new_game = getattr(module, "new_game", None)
            if hasattr(module, "agent") and not hasattr(module, "choose"):
                from noughts_client.bots.kaggle import as_choose  # noqa: PLC0415 - few bots need it

                return chooser(as_choose(function(module, "agent")), new_game)
            return chooser(function(module, "choose"), new_game)

        answer = started(lines_out, start, lambda: READY if new_game is None else READY_AGAIN)
        if answer is not None:
            serve(lines_in, lines_out, answer)


if __name__ == "__main__":
    main()
