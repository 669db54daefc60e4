"""What a process that is started with this directory on its path does first: it gives up what it is to lack.

Windows cannot be imitated whole: ``sys.platform`` stays, as the standard library goes by it. What is absent there is
absent here, for everything but the standard library.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

MODULES = {
    "cluster": {"aiomqtt", "asyncpg", "paho"},
    "windows": {"crypt", "fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty", "uvloop"},
}
OS = """
    O_CLOEXEC O_DIRECTORY O_NOFOLLOW PRIO_PROCESS WNOHANG chown fchmod fchown fork forkpty getegid geteuid getgid
    getloadavg getpgid getpgrp getpriority getsid getuid killpg mkfifo nice openpty posix_spawn pread pwrite
    sched_getaffinity setpriority setsid sysconf uname wait4
"""
SIGNALS = """
    SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH alarm pthread_kill
    pthread_sigmask setitimer siginterrupt
"""
TIME = "CLOCK_MONOTONIC CLOCK_BOOTTIME clock_gettime clock_gettime_ns"
SOCKET = "AF_UNIX SO_REUSEPORT"


class Absent:
    """A finder of the modules that are not to be found."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Leave every other module to the next finder."""
        if name.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def _imitate_windows() -> None:
    import asyncio
    import asyncio.base_subprocess
    import signal
    import socket
    import subprocess
    import tempfile  # noqa: F401
    import time

    for user in (subprocess, asyncio.unix_events, asyncio.base_subprocess):  # the standard library keeps what it has
        for module in (os, signal):
            if hasattr(user, module.__name__):
                setattr(user, module.__name__, SimpleNamespace(**vars(module)))
    pair, family = socket.socketpair, socket.AF_UNIX
    socket.socketpair = lambda *of: pair(*(of or (family,)))
    taken: dict[ModuleType, str] = {os: OS, signal: SIGNALS, time: TIME, socket: SOCKET}
    for module, names in taken.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)

    def refuse(*_: object) -> NoReturn:
        raise NotImplementedError

    loop: Any = asyncio.SelectorEventLoop
    for name in ("signal_handler", "reader", "writer"):  # which Windows' own loop has not
        setattr(loop, f"add_{name}", refuse)
        setattr(loop, f"remove_{name}", refuse)


lacking = os.environ.get("TEST_LACKING")
if lacking is not None:
    sys.meta_path.insert(0, Absent(MODULES[lacking]))
    if lacking == "windows":
        _imitate_windows()
