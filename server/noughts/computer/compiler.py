"""Compiles the kernels of all games into numba's cache, when run as a script, and ends with the end of stdin."""

from __future__ import annotations

import os
import threading

from noughts.engine import engine_of, has_kernel
from noughts.games import GAMES

NICENESS = 19
"""It has no hurry: whoever waits for a kernel meanwhile does so once in the life of an installation."""


def main() -> None:
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    threading.Thread(target=_watch_over, daemon=True).start()
    for game in GAMES.values():
        if has_kernel(game):
            engine_of(game)
    os._exit(0)


def _watch_over() -> None:
    """End with the server."""
    while os.read(0, 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
