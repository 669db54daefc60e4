"""What a bot's processes may use, all together. Linux alone shows a process's memory and children, in ``/proc``."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MIB = 1024 * 1024

INTERVAL_S = 0.1
"""How often a bot's processes are looked at. In that time a process can take a few hundred MiB more than it may."""

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
"""Of the processor times in ``/proc``, each second."""


@dataclass(frozen=True)
class Limits:
    """Of one bot in one game."""

    memory_bytes: int = 512 * MIB
    """Resident memory of all its processes. Pages that they share are counted for each."""
    processes: int = 16
    stdout_line: int = 64 * 1024
    """Bytes of one line of its answers, and of what it has written that nobody has read."""
    start_s: float = 10.0
    """How long it may take to start."""


@dataclass(frozen=True)
class Excess:
    """A limit that a bot's processes have passed."""

    kind: Literal["memory", "processes"]
    message: str


def tree(pid: int, most: int = 4096) -> list[int]:
    """The process and its descendants, parents first, at most ``most``; empty without ``/proc``.

    A process whose parent has ended belongs to another tree, except in a sandbox: there the sandbox's own first
    process takes it over.
    """
    found = [pid] if Path(f"/proc/{pid}").exists() else []
    for process in found:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                with suppress(OSError):
                    found += map(int, Path(f"/proc/{process}/task/{thread}/children").read_text().split())
        if len(found) > most:
            break
    return found


def resident(pid: int) -> int:
    """The resident memory of a process in bytes, 0 if it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except OSError:
        return 0


def processor_s(pid: int) -> float | None:
    """The processor time that the tree of ``pid`` has used, in seconds, None without ``/proc``.

    That of all threads counts, and that of children which have ended, if they were waited for.
    """
    found = None
    for process in tree(pid):
        with suppress(OSError, ValueError, IndexError):
            # What follows the name in parentheses, which may contain anything: fields 14 to 17 of proc_pid_stat(5).
            fields = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
            found = (found or 0) + sum(map(int, fields[11:15])) / TICKS
    return found


def excess(pid: int, limits: Limits, *, overhead: int = 0) -> Excess | None:
    """Which limit the tree of ``pid`` has passed. ``overhead`` processes of it are not the bot's."""
    processes = tree(pid, limits.processes + overhead + 1)
    if len(processes) - overhead > limits.processes:
        return Excess("processes", f"The bot started more than {limits.processes} processes.")
    held = sum(map(resident, processes))
    if held > limits.memory_bytes:
        allowed = limits.memory_bytes // MIB
        return Excess("memory", f"The bot held {held // MIB} MiB of memory; it may have {allowed} MiB.")
    return None


async def watch(pid: int, limits: Limits, *, overhead: int = 0) -> Excess:
    """Wait until the tree of ``pid`` passes a limit."""
    while True:
        found = excess(pid, limits, overhead=overhead)
        if found is not None:
            return found
        await asyncio.sleep(INTERVAL_S)


def kill_tree(pid: int) -> None:
    """Kill the group of ``pid``, which leads it, and its descendants in other groups; on Windows only the process."""
    if sys.platform == "win32":
        with suppress(ProcessLookupError, PermissionError):  # it has ended
            os.kill(pid, signal.SIGTERM)  # which cannot be caught there
        return
    descendants = tree(pid)[1:]
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    for process in descendants:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
