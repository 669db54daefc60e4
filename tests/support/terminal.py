"""A program in a terminal: keys in, and the screen as a person would see it."""

from __future__ import annotations

import os
import signal
import sys
import termios
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import pexpect
import pyte

PATIENCE_S = 60.0


class Terminal:
    """``noughts`` with ``arguments`` in a terminal of its own. All that it wrote is in ``written``."""

    def __init__(
        self, *arguments: str, columns: int = 80, rows: int = 24, environment: Mapping[str, str] | None = None
    ) -> None:
        self.written = ""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        base = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        path = {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm-256color"}
        self._child: Any = pexpect.spawn(
            sys.executable,
            ["-m", "noughts", *arguments],
            env={**base, **path, **(environment or {})},
            dimensions=(rows, columns),
            encoding="utf-8",
            echo=True,
        )
        self._modes_before = self.modes()

    def modes(self) -> list[Any]:
        """The settings of the terminal driver."""
        modes: list[Any] = termios.tcgetattr(self._child.child_fd)
        return modes

    @property
    def as_it_was(self) -> bool:
        """True if the driver is set as before the program, and the cursor and the main screen are back."""
        left = self.written.count("\x1b[?1049h") == self.written.count("\x1b[?1049l")
        seen = self.written.rfind("\x1b[?25h") >= self.written.rfind("\x1b[?25l")
        return self.modes() == self._modes_before and left and seen

    def text(self) -> str:
        """The text on the screen, without trailing blanks."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def see(self, *wanted: str) -> str:
        """Wait until the screen shows everything in ``wanted``. Returns the screen."""
        until = time.monotonic() + PATIENCE_S
        goes_on = True
        while not all(words in self.text() for words in wanted):
            assert goes_on, f"it ended without {wanted}:\n{self.text()}"
            assert time.monotonic() < until, f"{wanted} not seen in:\n{self.text()}"
            goes_on = self._read()
        return self.text()

    def look(self) -> str:
        """The screen a moment later."""
        self._read()
        return self.text()

    def enter(self, line: str) -> None:
        """Type a line."""
        self.send(f"{line}\r")

    def send(self, keys: str) -> None:
        """Type something."""
        self._child.send(keys)

    def press(self, key: str) -> None:
        """Press a key together with Ctrl."""
        self._child.sendcontrol(key)

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size."""
        self._screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def signal(self, number: int) -> None:
        """Send the program a signal."""
        self._child.kill(number)

    def end(self) -> int:
        """Wait until the program ends; its exit status."""
        until = time.monotonic() + PATIENCE_S
        while self._read():
            assert time.monotonic() < until, f"it goes on, and shows:\n{self.text()}"
        self._child.wait()
        status: int | None = self._child.exitstatus
        assert status is not None, f"ended by signal {self._child.signalstatus}"
        return status

    def _read(self) -> bool:
        """Take what was written within a moment; False once all is read and the program has ended."""
        try:
            data = self._child.read_nonblocking(65_536, timeout=0.1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.written += data
        self._stream.feed(data)
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child.isalive():
            self._child.kill(signal.SIGKILL)
            self._child.wait()  # close() alone gives up on a program that takes more than 0.1 s to die
        self._child.close()
