"""The lines of the log."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from noughts.cli.run import JsonFormatter
from noughts.monitor import Monitor


def record(message: str, *values: object, **more: object) -> logging.LogRecord:
    made = logging.LogRecord("noughts.host", logging.WARNING, "file.py", 1, message, values, None)
    made.created, made.msecs = 1_794_916_800.25, 250
    made.__dict__.update(more)
    return made


def test_a_line_is_a_json_object() -> None:
    line = JsonFormatter("node-1").format(record('limit %s stopped "%s"\n', "burst", "ä", fields={"limit": "burst"}))
    assert "\n" not in line
    assert json.loads(line) == {
        "at": "2026-11-17T12:00:00.250Z",
        "level": "WARNING",
        "logger": "noughts.host",
        "node": "node-1",
        "message": 'limit burst stopped "ä"\n',
        "limit": "burst",
    }


def test_a_traceback_is_a_field_of_its_line() -> None:
    try:
        raise ValueError("oh")
    except ValueError:
        line = JsonFormatter().format(record("failed", exc_info=sys.exc_info()))
    shown = json.loads(line)
    assert "node" not in shown
    assert shown["exception"].endswith("ValueError: oh")


def test_the_line_of_a_limit_has_its_parts_as_fields(caplog: pytest.LogCaptureFixture) -> None:
    Monitor().limit("chat", "p-1 at 192.0.2.1")
    shown = json.loads(JsonFormatter().format(caplog.records[0]))
    assert (shown["limit"], shown["player"], shown["address"]) == ("chat", "p-1", "192.0.2.1")
