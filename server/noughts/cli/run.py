"""The frame of a command that uses the journal or the network: its log, its run and its failures."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Coroutine
from typing import Any

from noughts.cli.output import say
from noughts.config import UnusableSetting
from noughts.journal import JournalError, JournalInUse


class CommandFailed(Exception):
    """The text says why, for the person who gave the command."""


EXPECTED = (CommandFailed, JournalError, JournalInUse, UnusableSetting)
"""The exceptions that are reported in one line, without a traceback."""


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


def set_log(level: str, node: str | None = None, *, as_json: bool = False) -> None:
    """Log to stderr from ``level`` up, with the name of ``node`` in each line if there is one.

    ``as_json``: each line is a JSON object.
    """
    name = "" if node is None else f"{node} "
    logging.basicConfig(level=level, format=f"%(asctime)s {name}%(levelname)s %(name)s: %(message)s")
    if as_json:
        for handler in logging.getLogger().handlers:
            handler.setFormatter(JsonFormatter(node))


class JsonFormatter(logging.Formatter):
    """A line as a JSON object: ``at`` in UTC, ``level``, ``logger``, ``message``; if there are any, ``node``,
    ``exception``, and the ``fields`` that the line was logged with."""

    def __init__(self, node: str | None = None) -> None:
        super().__init__()
        self._node = {} if node is None else {"node": node}

    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "at": f"{at}.{int(record.msecs):03}Z",
            "level": record.levelname,
            "logger": record.name,
            **self._node,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)
