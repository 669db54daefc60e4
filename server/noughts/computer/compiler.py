"""Compiles all kernels into numba's cache, when run as a script; exits at the end of stdin.

Each line of stdin is the key of a game that somebody waits for: its kernel is compiled next. A line of stdout is that
of a game whose kernel is compiled. If several compilers run at once, one compiles and the others use its results.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import IO

from noughts.engine import engine_of, has_kernel
from noughts.games import GAMES

NICENESS = 19
"""Compiling is not urgent: it happens once per installation."""

LONGEST_WAIT_S = 120.0
"""The time to wait for another compiler, which may be stuck."""

PAUSE_S = 0.1


def main() -> None:
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    asked: deque[str] = deque()
    threading.Thread(target=_read_stdin, args=(asked,), daemon=True).start()
    turn = take_turn(LONGEST_WAIT_S)
    left = [key for key, game in GAMES.items() if has_kernel(game)]
    while left:
        key = take_next(left, asked)
        engine_of(GAMES[key])
        print(key, flush=True)
    turn.close()
    os._exit(0)


def take_next(left: list[str], asked: deque[str]) -> str:
    """Remove a key from ``left``, and return it: the first of ``asked`` that is there, or else the first."""
    while asked:
        key = asked.popleft()
        if key in left:
            left.remove(key)
            return key
    return left.pop(0)


def take_turn(longest_s: float) -> IO[bytes]:
    """Wait for the lock that one compiler at a time holds, at most ``longest_s``. Close the file to release it.

    The lock is on this source file, which needs no cleaning up. Without file locks nobody waits.
    """
    file = Path(__file__).open("rb")  # noqa: SIM115  # closing it releases the lock
    if sys.platform == "win32":
        return file
    import fcntl  # noqa: PLC0415

    with suppress(OSError):  # on some network file systems
        until = time.monotonic() + longest_s
        while time.monotonic() < until:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(PAUSE_S)
            else:
                break
    return file


def _read_stdin(asked: deque[str]) -> None:
    """Note what is asked for, and exit when the server does."""
    for line in sys.stdin:
        asked.append(line.strip())
    os._exit(0)


if __name__ == "__main__":
    main()
