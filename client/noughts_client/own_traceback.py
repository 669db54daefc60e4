"""The traceback of an exception without the frames of the libraries between the program and a bot."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import re
import threading
import traceback
from pathlib import Path

import noughts
from noughts.games.sentences import POSITION_HAS

SHOWN_LINES = 24
"""How many lines are shown from each end of a long traceback, as of a search that does not end."""

LONGEST = 4096
"""The most characters of a traceback: an exception's message can be of any length."""

_FOLDERS = tuple(
    f"{Path(file).parent}{os.sep}"
    for file in (__file__, noughts.__file__, asyncio.__file__, concurrent.futures.__file__)
    if file is not None
)
LIBRARIES = (*_FOLDERS, threading.__file__, "<frozen ")
"""How the files of these libraries begin."""


def own_traceback(error: BaseException) -> str:
    """The traceback of ``error`` as Python prints it, with the frames of the bot's author alone.

    Frames of Noughts, asyncio, threads and Python's import are left out, here and in the exceptions that led to this
    one. If something was looked for that a position does not have, the last line says what it has. A long traceback
    has no middle, and has at most :data:`LONGEST` characters.
    """
    shown = traceback.TracebackException.from_exception(error)
    _keep_own_frames(shown)
    if _misses_in_position(error, shown.stack):
        shown.__notes__ = [*(shown.__notes__ or ()), POSITION_HAS]
    return _shortened("".join(shown.format()))


def _misses_in_position(error: BaseException, own: traceback.StackSummary) -> bool:
    """Whether ``error`` is about an attribute that a position does not have, or about a call of one that it has."""
    if isinstance(error, AttributeError):
        return hasattr(type(error.obj), "legal_moves")
    called = isinstance(error, TypeError) and "is not callable" in str(error) and own
    return bool(called and re.search(r"\.(legal_moves|rows|to_move|outcome|ply|text)\(\)", own[-1].line or ""))


def own_stack(stack: traceback.StackSummary) -> str:
    """The author's own part of ``stack`` as a traceback without its exception; empty if nothing of it is."""
    own = _own(stack)
    return _shortened("Traceback (most recent call last):\n" + "".join(own.format())) if own else ""


def _keep_own_frames(shown: traceback.TracebackException) -> None:
    shown.stack = _own(shown.stack)
    for other in (shown.__cause__, shown.__context__, *(shown.exceptions or ())):
        if other is not None:
            _keep_own_frames(other)


def _own(stack: traceback.StackSummary) -> traceback.StackSummary:
    return traceback.StackSummary.from_list([each for each in stack if not each.filename.startswith(LIBRARIES)])


def _shortened(text: str) -> str:
    lines = text.splitlines()
    if len(lines) > 2 * SHOWN_LINES + 1:
        lines[SHOWN_LINES:-SHOWN_LINES] = [f"  ... {len(lines) - 2 * SHOWN_LINES} more lines ..."]
    return "\n".join(lines)[-LONGEST:]
