"""``noughts`` commands in a process of their own, beside a server in this one."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.eventually import soon


@dataclass(frozen=True)
class Ended:
    """A program's exit status and output."""

    status: int
    out: str
    err: str


async def noughts_process(
    *argv: str | Path, folder: Path | None = None, interrupt_when: Callable[[], bool] | None = None
) -> Ended:
    """Run ``noughts`` with ``argv`` to its end."""
    command = (sys.executable, "-m", "noughts", *argv)
    return await program_process(*command, folder=folder, interrupt_when=interrupt_when)


async def program_process(
    *argv: str | Path, folder: Path | None = None, interrupt_when: Callable[[], bool] | None = None
) -> Ended:
    """Run a program to its end, in ``folder``, with the modules that this process can import.

    It is sent Ctrl-C when ``interrupt_when`` holds.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NOUGHTS_")}
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        if interrupt_when is not None:
            await soon(interrupt_when)
            process.send_signal(signal.SIGINT)
        async with asyncio.timeout(240):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())
