"""A process that serves: its signals, its limits and its deadline for stopping."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from noughts.app import Running, made_up_name, running
from noughts.cli.output import say
from noughts.cli.run import EXPECTED, CommandFailed, report, set_log
from noughts.config import Settings

_run: Callable[[Coroutine[Any, Any, None]], None]
try:
    import uvloop
except ImportError:  # not available on Windows and PyPy
    _run = asyncio.run
else:
    _run = uvloop.run

log = logging.getLogger(__name__)

CLOSING_S = 5.0
"""The time a process may take to stop, beyond ``drain_s``, before it gives up and exits."""


class CannotListen(CommandFailed):
    """The address is taken, or not one of this machine's."""

    def __init__(self, host: str, port: int, error: OSError) -> None:
        reason = error.strerror.rpartition(": ")[2] if error.strerror else error
        super().__init__(f"cannot listen on {host}:{port}: {reason}")


def serve(settings: Settings, announce: Callable[[Running], None]) -> int:
    """Serve until a signal or a message from another node stops the server; the exit status.

    ``announce`` is called once the server listens. A second signal ends the process at once.
    """
    if settings.bus is not None:
        settings = settings.model_copy(update={"node": settings.node or made_up_name()})
    node = settings.node if settings.bus is not None else None
    set_log(settings.log_level, node, as_json=settings.log_format == "json")
    _allow_many_connections()
    collect_garbage_less_often()
    try:
        _run(_Process(settings, announce).serve())
    except asyncio.CancelledError:  # stopped before it listened
        return 0
    except EXPECTED as error:
        return report("serve", error)
    return 0


class _Process:
    def __init__(self, settings: Settings, announce: Callable[[Running], None]) -> None:
        self._settings = settings
        self._announce = announce
        self._server: Running | None = None
        self._task: asyncio.Task[Any] | None = None
        self._deadline: threading.Timer | None = None
        self._reason = "noughts drain"  # the only one that does not come through _stop

    async def serve(self) -> None:
        self._task = asyncio.current_task()
        on_signal(lambda number: self._stop(number.name))
        try:
            page = None
            if self._settings.page:
                from noughts_client.page import FOLDER

                page = FOLDER
            async with running(self._settings, page=page) as self._server:
                self._announce(self._server)
                log.info("started: version %s, %s", version("noughts"), " ".join(self._server.urls))
                await self._server.drain.wait()
                self._set_deadline()
                log.info("stopping: %s", self._reason)
                say("Closing.")
            log.info("stopped")
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
        """Make sure that the process ends, even if a disk or a database does not answer."""
        if self._deadline is None:
            self._deadline = threading.Timer(self._settings.drain_s + CLOSING_S, _give_up)
            self._deadline.daemon = True
            self._deadline.start()


def _give_up() -> None:
    with suppress(OSError):
        os.write(2, b"noughts serve: could not finish in time; exiting\n")
    os._exit(1)


def stop_signals() -> list[signal.Signals]:
    """The signals that stop a server. If SIGHUP is ignored, as under ``nohup``, it stays ignored."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # Windows has none
        signals.append(signal.SIGHUP)
    return signals


def on_signal(stop: Callable[[signal.Signals], None]) -> None:
    """Call ``stop`` in the running loop on the first signal that stops a server. The second ends the process."""
    loop = asyncio.get_running_loop()
    signals = stop_signals()

    def handle(number: signal.Signals) -> None:
        for each in signals:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        stop(number)

    for number in signals:
        try:
            loop.add_signal_handler(number, handle, number)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda which, _: loop.call_soon_threadsafe(handle, signal.Signals(which)))


def _allow_many_connections() -> None:
    """Raise the limit on open files to the hard limit: each connection is one, and 1024 is a common default."""
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS enforces a lower limit than the one it reports
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def collect_garbage_less_often() -> None:
    """Moves create hardly any cycles; collecting at the default rate takes a tenth of the time of a move.

    Each collection of so many new objects takes some 4 ms. Of five times as many it held up the event loop for 20 ms.
    """
    gc.freeze()
    gc.set_threshold(10_000, 100, 20)
