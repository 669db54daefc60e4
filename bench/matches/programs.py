"""Somebody else's engine, which thinks until it is stopped, and gets as much processor time as its opponent.

Linux only: it reads the clock of the program's processor time.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

POLL_S = 0.001
PATIENCE_S = 0.05


class Program:
    """The running program, and the lines that it has written: it stops to think while nobody reads them.

    It ends with us, when its input does.
    """

    def __init__(self, command: Sequence[str], *, folder: Path | None = None) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=folder
        )
        self._lines: SimpleQueue[str] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def tell(self, *lines: str) -> None:
        assert self._process.stdin
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()

    def answer(self, *begins: str) -> str:
        """The next line that begins with one of these."""
        while not (line := self._lines.get()).startswith(begins):
            pass
        return line

    def wake(self, line: str, begins: str) -> None:
        """Send ``line`` until it is answered with a line that begins so. Some programs ignore what comes too early."""
        while True:
            self.tell(line)
            try:
                while not self._lines.get(timeout=PATIENCE_S).startswith(begins):
                    pass
            except Empty:
                continue
            return

    def think(self, seconds: float, *lines: str, stop: str, begins: tuple[str, ...]) -> str:
        """The line that begins with one of these, in answer to ``lines``, and after ``seconds`` of processor time to
        ``stop``.
        """
        end = self.used_s() + seconds
        self.tell(*lines)
        while (left := end - self.used_s()) > 0:
            # One thread cannot use more processor time than wall time passes, so it is safe to wait for the rest.
            try:
                line = self._lines.get(timeout=max(left, POLL_S))
            except Empty:
                continue
            if line.startswith(begins):
                return line
        self.tell(stop)
        return self.answer(*begins)

    def used_s(self) -> float:
        """The processor time that the program has used."""
        # As clock_getcpuclockid(3) computes it. Unlike /proc, this clock counts threads that have ended.
        return time.clock_gettime(~self._process.pid << 3 | 2)

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
