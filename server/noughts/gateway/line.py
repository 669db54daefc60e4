"""The server's end of a connection, as far as sending goes: nothing here waits for the client."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from typing import Any

from pydantic_core import to_json
from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection

log = logging.getLogger(__name__)

TRY_AGAIN_LATER = 1013


class Line:
    """Sends without waiting, and cuts a client that has more than ``backlog`` bytes unread.

    ``open`` is False as soon as nothing more is to be sent.
    """

    def __init__(self, connection: ServerConnection, backlog: int) -> None:
        self.connection = connection
        self.transport = connection.transport
        self.open = True
        self._backlog = backlog
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send one message, without waiting; a connection that does not read is cut."""
        self.send_bytes(to_json(message))

    def send_bytes(self, message: bytes) -> None:
        """Send one encoded message."""
        broadcast((self.connection,), message, text=True)
        self.cut_if_clogged()

    def cut_if_clogged(self) -> None:
        """Cut a connection that has too much unsent."""
        if self.transport.get_write_buffer_size() > self._backlog:
            self.cut()

    def cut(self) -> None:
        """End the connection at once: the client does not read, so that it would not see a close frame either."""
        self.open = False
        self.transport.abort()

    def close(self, code: int, reason: str) -> None:
        """Close the connection with a code of RFC 6455 and a reason, without waiting for it."""
        if self.open:
            self.open = False
            self.spawn(self.connection.close(code, reason))

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
        """The connection is gone: let go of what was still being done for it."""
        self.open = False
        for task in self._tasks:
            task.cancel()
