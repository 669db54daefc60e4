"""First steps of a process that has this directory on its path: it gives up what it is to lack.

Windows cannot be imitated whole. For our own modules ``sys.platform`` is what it is there, what other modules do not
have there is gone, and the event loop watches neither files nor signals. Other people's code goes on as on this system.
"""

from __future__ import annotations

import builtins
import os
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

MODULES = {
    "cluster": {"asyncpg", "paho"},
    "windows": {"crypt", "fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty", "uvloop"},
}
GONE = {
    "os": """
        O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK PRIO_PROCESS WNOHANG chown fchmod fchown fork forkpty getegid
        geteuid getgid getloadavg getpgid getpgrp getpriority getsid getuid killpg mkfifo nice openpty posix_spawn
        pread pwrite sched_getaffinity setpriority setsid sysconf uname wait4
    """,
    "signal": """
        SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH alarm
        pthread_kill pthread_sigmask setitimer siginterrupt
    """,
    "socket": "AF_UNIX SO_REUSEPORT",
    "sys": "",
    "time": "CLOCK_BOOTTIME CLOCK_MONOTONIC clock_gettime clock_gettime_ns pthread_getcpuclockid",
}
OURS = {"noughts", "noughts_client"}


class _Without(ModuleType):
    """A module without some of its names."""

    def __init__(self, module: ModuleType, gone: set[str], **other: object) -> None:
        self.__dict__.update(module=module, gone=gone, **other)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["gone"]:
            raise AttributeError(f"module {self.__dict__['module'].__name__!r} has no attribute {name!r}")
        return getattr(self.__dict__["module"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["module"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["module"], name)


def _imitate_windows() -> dict[str, ModuleType]:
    """The stand-ins for these imports of our modules."""
    import asyncio
    import fcntl

    def refuse(*_: object) -> NoReturn:
        raise NotImplementedError

    loop: Any = asyncio.SelectorEventLoop
    for method in ("add_signal_handler", "remove_signal_handler", "add_reader", "add_writer"):
        setattr(loop, method, refuse)

    msvcrt: Any = ModuleType("msvcrt")
    msvcrt.LK_NBLCK = fcntl.LOCK_EX | fcntl.LOCK_NB
    msvcrt.locking = lambda descriptor, how, _: fcntl.flock(descriptor, how)
    instead: dict[str, ModuleType] = {"msvcrt": msvcrt}
    for name, gone in GONE.items():
        other = {"platform": "win32"} if name == "sys" else {}
        instead[name] = _Without(__import__(name), set(gone.split()), **other)
    return instead


def _is_ours(importer: dict[str, Any] | None) -> bool:
    """True if the module with these globals is ours, also when it runs as a program."""
    if importer is None:
        return False
    if str(importer.get("__name__")).partition(".")[0] in OURS:
        return True
    return importer.get("__name__") == "__main__" and not OURS.isdisjoint(Path(importer.get("__file__") or "").parts)


def _change_imports(absent: set[str], instead: dict[str, ModuleType]) -> None:
    usual = builtins.__import__

    def changed(
        name: str,
        globals: Any = None,  # noqa: A002
        locals: Any = None,  # noqa: A002
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and _is_ours(globals):
            if name.partition(".")[0] in absent:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if name in instead:
                return instead[name]
        return usual(name, globals, locals, fromlist, level)

    builtins.__import__ = changed


if lacking := os.environ.get("TEST_LACKING"):
    _change_imports(MODULES[lacking], _imitate_windows() if lacking == "windows" else {})
