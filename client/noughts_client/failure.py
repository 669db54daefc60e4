"""The failure of a bot: a value that goes into records as it is, exceptions, and its own part of a traceback."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import re
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import noughts
from noughts.games.sentences import POSITION_HAS

Kind = Literal["start", "crash", "exit", "illegal", "garbage", "time", "memory", "processes", "flood"]
"""Kinds of failures.

- ``start``: it never got as far as its first turn. ``crash``: its exception, or a signal. ``exit``: it ended by itself.
- ``illegal``: an answer that is not one of the legal moves. ``garbage``: one that cannot be read, or that nobody asked
  for. ``time``: no answer.
- ``memory``, ``processes``, ``flood``: more memory, processes or output than it may have.
"""

FAILURES: dict[str, str] = {
    "start": "did not start",
    "crash": "crash",
    "exit": "program ended",
    "illegal": "illegal move",
    "garbage": "unreadable answer",
    "time": "too late",
    "memory": "too much memory",
    "processes": "too many processes",
    "flood": "too much output",
}
"""By each kind of failure, what it is in a word or two."""

STDERR_BYTES = 4096
"""The length of the end of a bot's stderr that is kept."""

ANSWER_BYTES = 1024
"""The length of a bot's answer that is kept."""


@dataclass(frozen=True)
class Failure:
    """Something that a bot did wrong. All fields are text, for people and for JSON."""

    kind: Kind
    message: str
    """One plain sentence, such as ``The bot raised KeyError: 'e4'.``"""
    error: str = ""
    """The type of the bot's exception, if it is in Python."""
    traceback: str = ""
    """The traceback of that exception, the bot's own frames only."""
    stderr: str = ""
    """The end of what the bot wrote to stderr, at most 4 KB."""
    line: str = ""
    """The exact line that the bot was answering."""
    answer: str = ""
    """Its answer, cut to 1 KB."""


class BotFailed(Exception):
    """A bot did not answer with a legal move."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class BotError(Exception):
    """The bot raised an exception, which is the cause, or its answer was not a legal move.

    The text is for the bot's author. It has several lines: where it happened, and the bot's own part of the traceback,
    or the answer, the legal moves and the rows.
    """


SHOWN_LINES = 24
"""The number of lines shown from each end of a long traceback, as of a search that does not end."""

LONGEST = 4096
"""The most characters of a traceback: an exception's message can be of any length."""

_FOLDERS = tuple(
    f"{Path(file).parent}{os.sep}"
    for file in (__file__, noughts.__file__, asyncio.__file__, concurrent.futures.__file__)
    if file is not None
)
LIBRARIES = (*_FOLDERS, threading.__file__, "<frozen ")
"""The beginnings of the names of these libraries' files."""


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
    """True if ``error`` is about an attribute that a position does not have, or about a call of one that it has."""
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
