"""Compiles kernels into numba's cache, when run as a script; exits at the end of stdin.

Each line of stdin is the key of a game whose kernel is to be compiled; it is a line of stdout once that is done. Of
several compilers, also of other servers, one compiles a kernel and the others use its result.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from noughts.engine import engine_of
from noughts.engine.engines import kernel_of
from noughts.games import GAMES, Game

NICENESS = 19
"""Compiling is not urgent: it happens once per installation."""

LONGEST_WAIT_S = 120.0
"""The time to wait for another compiler, which may be stuck."""

PAUSE_S = 0.1


def main() -> None:
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    asked: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read_stdin, args=(asked,), daemon=True).start()
    while True:
        game = GAMES[asked.get()]
        with take_turn(game, LONGEST_WAIT_S):
            engine_of(game)
        print(game.key, flush=True)


def take_turn(game: Game, longest_s: float) -> IO[bytes]:
    """Wait for the lock that one compiler at a time holds for the kernel of ``game``, which has one, at most
    ``longest_s``. Close the file to release it.

    The lock is on the engine's source file, which needs no cleaning up. Without file locks nobody waits.
    """
    kernel = kernel_of(game)
    assert kernel is not None
    spec = find_spec(kernel.partition(":")[0])
    assert spec is not None
    assert spec.origin is not None
    file = Path(spec.origin).open("rb")  # noqa: SIM115  # closing it releases the lock
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


def _read_stdin(asked: SimpleQueue[str]) -> None:
    """Note what is asked for, and exit when the server does."""
    for line in sys.stdin:
        asked.put(line.strip())
    os._exit(0)


if __name__ == "__main__":
    main()
