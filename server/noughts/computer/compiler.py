"""Compiles the kernels of all games into numba's cache, when run as a script, and ends with the end of stdin.

Of several that are run at a time one compiles, and the others find what it has made.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from noughts.engine import engine_of, has_kernel
from noughts.games import GAMES

NICENESS = 19
"""It has no hurry: whoever waits for a kernel meanwhile does so once in the life of an installation."""


LONGEST_WAIT_S = 120.0
"""How long one waits for its turn: the other may be stuck."""

PAUSE_S = 0.1


def main() -> None:
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    threading.Thread(target=_watch_over, daemon=True).start()
    turn = take_turn(LONGEST_WAIT_S)
    for game in GAMES.values():
        if has_kernel(game):
            engine_of(game)
    turn.close()
    os._exit(0)


def take_turn(longest_s: float) -> IO[bytes]:
    """Wait until no other process has its turn, for so many seconds at most. The turn is over when the file is closed.

    The lock is on this very file, which nobody need make or clear away. Where there are no such locks nobody waits.
    """
    file = Path(__file__).open("rb")  # noqa: SIM115  # closed when the turn is over
    with suppress(ImportError, OSError):  # Windows; some file systems of a network
        import fcntl  # noqa: PLC0415

        until = time.monotonic() + longest_s
        while time.monotonic() < until:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(PAUSE_S)
            else:
                break
    return file


def _watch_over() -> None:
    """End with the server."""
    while os.read(0, 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
