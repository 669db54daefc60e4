"""The way to a client, as far as sending goes: nothing here waits for the client."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping
from typing import Any

from pydantic_core import to_json

log = logging.getLogger(__name__)

TRY_AGAIN_LATER = 1013


class Line(ABC):
    """Sends without waiting. ``open`` is False as soon as nothing more is to be sent."""

    def __init__(self) -> None:
        self.open = True
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send one message, without waiting."""
        self.send_bytes(to_json(message))

    @abstractmethod
    def send_bytes(self, message: bytes) -> None:
        """Send one encoded message."""

    @abstractmethod
    def close(self, code: int, reason: str) -> None:
        """Turn the client away, with a code of RFC 6455 and a reason, without waiting for it."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do what has to wait beside what comes in."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            log.error("a request failed", exc_info=failure)

    def drop(self) -> None:
        """The client is gone. What was still being done for it ends by itself: nothing waits for ever."""
        self.open = False
