"""The event loops that the gateway's tests run on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest
import uvloop

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, LoopFactory]:
    """Run a test that is marked ``both_loops`` on plain asyncio and on uvloop, any other on plain asyncio."""
    loops: dict[str, LoopFactory] = {"asyncio": asyncio.SelectorEventLoop}
    if item.get_closest_marker("both_loops"):
        loops["uvloop"] = uvloop.new_event_loop
    return loops
