"""What a child process writes: read as fast as its reader takes it, and no faster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

from noughts_client.failure import STDERR_BYTES

LOG_PACE_S = 0.005
"""Between two reads of stderr, of 64 KiB at most: a bot that floods its log waits, not the parent."""

LOG_BYTES = 16 * 1024 * 1024
"""A log file that is longer takes no more."""


class Pipes(asyncio.SubprocessProtocol):
    """What a child has written and nobody has read yet: bounded, as reading stops at ``limit`` bytes."""

    def __init__(self, limit: int, log: Path | None, heard: Callable[[bytes], None] | None) -> None:
        self._limit = limit
        self._heard = heard
        self._log = None if log is None else log.open("ab", buffering=0)
        self.out = bytearray()
        self.err = bytearray()
        self.changed = asyncio.Event()
        self.out_ended = False
        self.err_ended = False
        self.exited = False
        self._transport: asyncio.SubprocessTransport | None = None
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.out += data
            if len(self.out) > self._limit:
                self._pause()
            self.changed.set()
        else:
            self.log(data)
            if self._heard is not None:
                self._heard(data)
            self.err += data
            del self.err[:-STDERR_BYTES]
            self._rest()

    def pipe_connection_lost(self, fd: int, _exc: Exception | None) -> None:
        if fd == 1:
            self.out_ended = True
        elif fd == 2:
            self.err_ended = True
            if self._log is not None:
                self._log.close()
        self.changed.set()

    def log(self, data: bytes) -> None:
        """Append to the log file, if there is one."""
        if self._log is not None and not self._log.closed and self._log.tell() < LOG_BYTES:
            self._log.write(data)

    def process_exited(self) -> None:
        self.exited = True
        self.changed.set()

    def take_line(self) -> bytes | None:
        """The next line without its end, or None if there is no whole one."""
        end = self.out.find(b"\n")
        if end < 0:
            return None
        line = bytes(self.out[:end])
        self.log(b"< " + line + b"\n")
        del self.out[: end + 1]
        if self._paused and len(self.out) <= self._limit:
            self._paused = False
            self._pipe(1).resume_reading()
        return line

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self._pipe(1).pause_reading()

    def _rest(self) -> None:
        """Read no more of stderr for a moment."""
        pipe = self._pipe(2)
        pipe.pause_reading()
        asyncio.get_running_loop().call_later(LOG_PACE_S, pipe.resume_reading)

    def _pipe(self, fd: int) -> asyncio.ReadTransport:
        assert self._transport is not None
        return cast(asyncio.ReadTransport, self._transport.get_pipe_transport(fd))
