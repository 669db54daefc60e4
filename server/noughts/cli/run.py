"""How a command that uses the journal or the network logs, runs and fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from noughts.cli.output import say
from noughts.config import UnusableSetting
from noughts.journal import JournalError, JournalInUse


class CommandFailed(Exception):
    """The text says why, for the person who gave the command."""


EXPECTED = (CommandFailed, JournalError, JournalInUse, UnusableSetting)
"""What is reported in one line, without a traceback."""


def run(command: str, work: Coroutine[Any, Any, None]) -> int:
    """Run ``work``, log warnings only, and report an expected error; the exit status."""
    set_log("WARNING")
    try:
        asyncio.run(work)
    except EXPECTED as error:
        return report(command, error)
    return 0


def report(command: str, error: Exception) -> int:
    """Print ``error`` and, where it is known, what to do about it; the exit status."""
    advice = "; put its password into --journal-password-file" if "password authentication failed" in str(error) else ""
    say(f"noughts {command}: {error}{advice}", to_stderr=True)
    return 1


def set_log(level: str, node: str | None = None) -> None:
    """Log to stderr from ``level`` up, with the name of ``node`` in each line if there is one."""
    name = "" if node is None else f"{node} "
    logging.basicConfig(level=level, format=f"%(asctime)s {name}%(levelname)s %(name)s: %(message)s")
