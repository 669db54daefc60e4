"""Swiss pairings in a process of their own: for hundreds of players they take seconds of pure Python."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys

from noughts.tournaments.ranking import Field
from noughts.tournaments.rounds import Pairs
from noughts.tournaments.swiss import swiss_pairs


class PairingFailed(Exception):
    """The process ended without an answer."""


async def swiss_pairs_apart(field: Field, rounds: int) -> Pairs:
    """As :func:`~noughts.tournaments.swiss.swiss_pairs`. Raises :class:`PairingFailed`, and OSError."""
    process = await asyncio.to_thread(_start)
    try:
        answer, _ = await asyncio.to_thread(process.communicate, pickle.dumps((field, rounds)))
    finally:
        if process.poll() is None:
            process.kill()
    if process.returncode:
        raise PairingFailed(f"the process that pairs players ended with status {process.returncode}")
    pairs: Pairs = pickle.loads(answer)  # noqa: S301 - from our own process
    return pairs


def _start() -> subprocess.Popen[bytes]:
    # Not by uvloop, which forks in the event loop's thread: see noughts.computer.threads.
    return subprocess.Popen(  # noqa: S603 - a command of our own
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        start_new_session=True,  # Ctrl-C in the terminal is for the server
    )


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # games and their clocks come first
    sys.stdout.buffer.write(pickle.dumps(swiss_pairs(*pickle.load(sys.stdin.buffer))))  # noqa: S301
