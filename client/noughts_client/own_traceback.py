"""The traceback of an exception without the frames of the libraries between the program and a bot."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
import traceback
from pathlib import Path
from types import FrameType

import noughts

SHOWN_LINES = 24
"""How many lines are shown from each end of a long traceback, as of a search that does not end."""

_FOLDERS = tuple(
    f"{Path(file).parent}{os.sep}"
    for file in (__file__, noughts.__file__, asyncio.__file__, concurrent.futures.__file__)
    if file is not None
)
_LIBRARIES = (*_FOLDERS, threading.__file__, "<frozen ")


def own_traceback(error: BaseException) -> str:
    """The traceback of ``error`` as Python prints it, with the frames of the bot's author alone.

    Frames of Noughts, asyncio, threads and Python's import are left out, here and in the exceptions that led to this
    one. A long traceback has no middle.
    """
    shown = traceback.TracebackException.from_exception(error)
    _keep_own_frames(shown)
    lines = "".join(shown.format()).splitlines()
    if len(lines) > 2 * SHOWN_LINES + 1:
        lines[SHOWN_LINES:-SHOWN_LINES] = [f"  ... {len(lines) - 2 * SHOWN_LINES} more lines ..."]
    return "\n".join(lines)


def _keep_own_frames(shown: traceback.TracebackException) -> None:
    own = [frame for frame in shown.stack if not frame.filename.startswith(_LIBRARIES)]
    shown.stack = traceback.StackSummary.from_list(own)
    for other in (shown.__cause__, shown.__context__, *(shown.exceptions or ())):
        if other is not None:
            _keep_own_frames(other)


def own_place(frame: FrameType) -> str:
    """Where ``frame`` is in the author's own code, such as ``my_bot.py, line 4``; empty if it is not there."""
    own = [each for each in traceback.extract_stack(frame) if not each.filename.startswith(_LIBRARIES)]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
