"""Output that survives a reader who leaves, and the exit of the process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, TextIO

INTERRUPTED = 130
"""The exit status after Ctrl-C, the same as a shell reports."""

WIDEST = 100
"""The longest line of text, in columns."""


def say(*lines: str, to_stderr: bool = False) -> None:
    """Print lines. A reader that has gone, as in ``noughts serve | head -1``, is no reason to stop."""
    stream = sys.stderr if to_stderr else sys.stdout
    try:
        # One write also where Python does not buffer: another process's log can share the terminal or pipe.
        stream.write("".join(f"{line}\n" for line in lines))
        stream.flush()
    except OSError:
        discard(stream)


def columns(unlimited: int) -> int:
    """The width of the terminal that stdout is; ``unlimited`` if it is none."""
    return shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else unlimited


def text_width() -> int:
    """The length of lines of text: at most the terminal's width, which a file or pipe does not have."""
    return min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)


@contextmanager
def under_way(line: str) -> Iterator[None]:
    """Show a line on a terminal, until what takes so long is done."""
    shown = sys.stderr.isatty()
    if shown:
        print(f"\r{line}", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print(f"\r{' ' * len(line)}\r", end="", file=sys.stderr, flush=True)


def discard(stream: TextIO) -> None:
    """Send ``stream`` to nowhere once nobody reads it: Python would otherwise write its buffer again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def leave(status: int) -> NoReturn:
    """End the process without waiting for a kernel that is being compiled: it takes seconds and cannot be stopped."""
    if "noughts.computer" in sys.modules:  # only a process with a server can be compiling
        from noughts.computer import loading

        if loading():
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(status)
    sys.exit(status)
