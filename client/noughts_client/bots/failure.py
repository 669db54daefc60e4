"""Why a bot lost its game by itself: a value that goes into records as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
"""How much of the end of a bot's stderr is kept."""

ANSWER_BYTES = 1024
"""How much of a bot's answer is kept."""


@dataclass(frozen=True)
class Failure:
    """What a bot did wrong. All fields are text, for people and for JSON."""

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
    """What it answered, cut to 1 KB."""


class BotFailed(Exception):
    """A bot did not answer with a legal move."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure
