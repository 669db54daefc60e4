"""A process that serves: signals, the system's limits, and what is told on the terminal."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from noughts.app import Running, made_up_name, running
from noughts.computer import loading
from noughts.config import Settings, UnusableSetting, masked
from noughts.engine import has_kernel
from noughts.engine.engines import kernel_of
from noughts.games import GAMES
from noughts.journal import JournalError, JournalInUse

log = logging.getLogger(__name__)

CLOSING_S = 5.0
"""How long, past ``drain_s``, a process may take to stop before it ends itself in the middle of what it does."""


def serve(
    settings: Settings,
    announce: Callable[[Running], None],
    *,
    reuse_port: bool = False,
    watch: Callable[[Callable[[str], None]], None] | None = None,
) -> int:
    """Serve until a signal or a message of another node says to stop; the exit status.

    ``announce`` is called once the server listens. ``watch`` is handed a function that stops the server for the reason
    that it is given, safe to be called in any thread. A second signal ends the process at once.
    """
    if settings.bus is None:
        set_log(settings.log_level)
    else:
        settings = settings.model_copy(update={"node": settings.node or made_up_name()})
        set_log(settings.log_level, settings.node)
    _allow_many_connections()
    _collect_seldom()
    try:
        _run(_Process(settings, announce).serve(reuse_port, watch))
    except asyncio.CancelledError:  # told to stop before it listened
        return 0
    except (JournalInUse, JournalError, UnusableSetting, CannotListen) as error:
        say(f"noughts serve: {error}{advice(error)}", to_stderr=True)
        return 1
    return 0


class CannotListen(Exception):
    """The address cannot be had."""

    def __init__(self, host: str, port: int, error: OSError) -> None:
        reason = error.strerror.rpartition(": ")[2] if error.strerror else error
        super().__init__(f"cannot listen on {host}:{port}: {reason}")


class _Process:
    def __init__(self, settings: Settings, announce: Callable[[Running], None]) -> None:
        self._settings = settings
        self._announce = announce
        self._server: Running | None = None
        self._task: asyncio.Task[Any] | None = None
        self._deadline: threading.Timer | None = None
        self._reason = "told to by noughts drain"  # unless it is told in another way

    async def serve(self, reuse_port: bool, watch: Callable[[Callable[[str], None]], None] | None) -> None:
        self._task = asyncio.current_task()
        on_signal(lambda number: self._stop(number.name))
        if watch is not None:
            loop = asyncio.get_running_loop()
            watch(lambda reason: _call(loop, lambda: self._stop(reason)))
        try:
            async with running(self._settings, reuse_port=reuse_port) as self._server:
                self._announce(self._server)
                await self._server.drain.wait()
                self._set_deadline()
                log.info("stopping: %s", self._reason)
                say("Closing.")
        except OSError as error:
            if self._server is None:
                raise CannotListen(self._settings.host, self._settings.port, error) from error
            raise

    def _stop(self, reason: str) -> None:
        self._reason = reason
        self._set_deadline()
        if self._server is not None:
            self._server.drain.set()
        elif self._task is not None:
            self._task.cancel()

    def _set_deadline(self) -> None:
        """See to it that the process ends, whatever it waits for: a disk or a database that does not answer."""
        if self._deadline is None:
            self._deadline = threading.Timer(self._settings.drain_s + CLOSING_S, _give_up)
            self._deadline.daemon = True
            self._deadline.start()


def _give_up() -> None:
    with suppress(OSError):
        os.write(2, b"noughts serve: what was under way could not be finished in time\n")
    os._exit(1)


def _call(loop: asyncio.AbstractEventLoop, function: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop is closed: there is nothing left to stop
        loop.call_soon_threadsafe(function)


def stop_signals() -> list[signal.Signals]:
    """The signals that stop a server. A SIGHUP that is ignored, as by ``nohup``, stays ignored."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # not there on Windows
        signals.append(signal.SIGHUP)
    return signals


def on_signal(stop: Callable[[signal.Signals], None]) -> None:
    """Call ``stop`` within the running loop at the first signal to stop; the second ends the process at once."""
    loop = asyncio.get_running_loop()
    signals = stop_signals()

    def heard(number: signal.Signals) -> None:
        for each in signals:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        stop(number)

    for number in signals:
        try:
            loop.add_signal_handler(number, heard, number)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda which, _: loop.call_soon_threadsafe(heard, signal.Signals(which)))


def set_log(level: str, node: str | None = None) -> None:
    """Log to stderr, from ``level`` on; with ``node``, each line has the node's name."""
    name = "" if node is None else f"{node} "
    logging.basicConfig(level=level, format=f"%(asctime)s {name}%(levelname)s %(name)s: %(message)s")


def advice(error: Exception) -> str:
    """What there is to do about ``error``, where that is known, to be added to its words."""
    if "password authentication failed" in str(error):
        return "; its password is to be in --journal-password-file"
    return ""


def welcome(settings: Settings, urls: Iterable[str], port: int, node: str | None = None) -> None:
    """Say where the server is, and how to play; and where there is a bus, which ``node`` it is."""
    urls = list(urls)
    say("Noughts is listening. Connect to", *(f"    {url}" for url in urls))
    kept = "nowhere: they end with this server" if settings.journal == "memory" else f"in {masked(settings.journal)}"
    default = Settings.model_fields["port"].default
    url = "" if port == default else f" --url {urls[0]}"
    say(*without_kernels(), f"Games are kept {kept}", f"Play in another terminal with:  noughts play{url}")
    if node is not None and settings.bus is not None:
        say(f"This is node {node} on the bus {masked(settings.bus)}")


def leave(status: int) -> NoReturn:
    """End the process. A kernel that is being compiled cannot be stopped, takes seconds, and is not waited for."""
    if loading():
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(status)
    sys.exit(status)


def without_kernels() -> list[str]:
    """What is to be said of games that are searched without the fast kernels that there are for them."""
    slow = [game.title for game in GAMES.values() if kernel_of(game) and not has_kernel(game)]
    return [searched_slowly(slow)] if slow else []


def searched_slowly(titles: Sequence[str]) -> str:
    """What is to be said of games, one or more, by their titles."""
    *others, last = titles
    games = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return f"{games} searched slowly, without the fast kernels: pip install 'noughts[fast]'"


def say(*lines: str, to_stderr: bool = False) -> None:
    """Print lines. A reader that has gone, a terminal or that of ``noughts serve | head -1``, is no reason to stop."""
    stream = sys.stderr if to_stderr else sys.stdout
    try:
        for line in lines:
            print(line, file=stream)
        stream.flush()
    except OSError:
        # What is still in the buffer would be written again at the end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _allow_many_connections() -> None:
    """Each connection is an open file; the usual limit of 1024 is a default, and ours to raise."""
    try:
        import resource  # noqa: PLC0415  # not there on Windows
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS has a bound of its own below the one that it tells
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _collect_seldom() -> None:
    """Moves make hardly any garbage in cycles, and to look for it at the usual rate costs a tenth of a move."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run ``work`` on uvloop where there is one, else on asyncio."""
    try:
        import uvloop  # noqa: PLC0415  # not there on Windows and PyPy
    except ImportError:
        asyncio.run(work)
    else:
        uvloop.run(work)
