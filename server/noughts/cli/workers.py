"""``noughts serve --workers N``: a parent, and N workers that serve the same port, each a node of its own.

The parent serves nobody. It holds the port, restarts workers that die, and stops them all when it is stopped. A worker
reads its settings from the first line of stdin. It stops when stdin ends, which is also what happens when the parent
is killed. Once it listens, it writes one line to stdout.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from noughts.app import Running, made_up_name
from noughts.cli.output import leave, say
from noughts.cli.process import CLOSING_S, CannotListen, serve, stop_signals
from noughts.cli.run import report, set_log
from noughts.cli.welcome import welcome
from noughts.computer import search_workers
from noughts.config import Settings, address_of, masked

log = logging.getLogger(__name__)

BACKOFF_S = (0.5, 30.0)
"""The first and the longest wait before a worker that died is restarted; each wait is twice the one before."""

STABLE_S = 60.0
"""After a worker has run for this long, the wait starts again from the first."""

MARGIN_S = 1.0
"""The time beyond its own deadline that a worker may take to stop before it is killed."""


def serve_with_workers(settings: Settings) -> int:
    """Run ``settings.workers`` processes until a signal stops them; the exit status."""
    problem = _problem(settings)
    if problem is not None:
        say(f"noughts serve: --workers: {problem}", to_stderr=True)
        return 2
    set_log(settings.log_level, as_json=settings.log_format == "json")
    try:
        sockets = reserve(settings.host, settings.port)
    except CannotListen as error:
        return report("serve", error)
    try:
        return asyncio.run(run(settings, sockets[0].getsockname()[1]))
    finally:
        for each in sockets:
            each.close()


def _problem(settings: Settings) -> str | None:
    """The reason why these settings do not allow several workers."""
    if sys.platform != "linux":
        return "needs Linux, which spreads connections over processes; elsewhere run servers on separate ports"
    if not settings.journal.startswith(("postgresql://", "postgres://")):
        return "needs a journal that processes can share: --journal postgresql://USER@HOST/DATABASE"
    if settings.bus is None:
        return "needs a bus, or each worker would treat players of the others as gone: --bus mqtt://HOST"
    if len(f"{settings.node}-{settings.workers}") > 64:
        return "needs a shorter --node, because each worker's number is added to it"
    if settings.metrics_token_file is not None:
        return "needs --metrics instead of --metrics-token-file: the workers share a port, and each has its own metrics"
    if settings.metrics is not None and address_of(settings.metrics)[1] + settings.workers > 65536:
        return "needs a lower port in --metrics, because each worker takes the next"
    return None


def reserve(host: str, port: int) -> list[socket.socket]:
    """Hold ``port`` on every address of ``host``, or any free port for 0, so that only our own processes share it.

    Raises :class:`CannotListen`, also when other servers of the same user share the port already.
    """
    held: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in dict.fromkeys(found):
            one = socket.socket(family, kind, protocol)
            held.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind((address[0], held[0].getsockname()[1] if len(held) > 1 else port, *address[2:]))
            # Only after binding: set earlier, it would let us join another server's port instead of being refused.
            assert hasattr(socket, "SO_REUSEPORT")
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    except OSError as error:
        for one in held:
            one.close()
        raise CannotListen(host, port, error) from error
    return held


async def run(settings: Settings, port: int) -> int:
    """Run the workers on ``port``, which the caller holds; the exit status."""
    stopping = asyncio.Event()
    workers = _workers(settings, port, stopping)
    _on_signal(stopping, workers)
    tasks: list[asyncio.Task[int]] = []
    # The first starts alone: it alone reports what is wrong with the settings, and it updates the database's schema.
    for batch in (workers[:1], workers[1:]):
        tasks += [asyncio.create_task(worker.keep_running()) for worker in batch]
        if None in [await worker.listening for worker in batch]:
            stopping.set()
            break
    else:
        first = workers[0].listening.result()
        assert first is not None
        assert settings.bus is not None
        welcome(settings, first["urls"], first["port"])
        say(
            f"{len(workers)} workers serve: {workers[0].name} to {workers[-1].name}",
            f"They are nodes on the bus {masked(settings.bus)}",
        )
        await stopping.wait()
        say("Closing.")
    return max(await asyncio.gather(*tasks))


def _workers(settings: Settings, port: int, stopping: asyncio.Event) -> list[_Worker]:
    name = settings.node or made_up_name()
    searches = settings.search_workers or search_workers(settings.workers)
    common = {"port": port, "workers": 1, "search_workers": searches}
    return [
        _Worker(settings.model_copy(update={**common, **_of_worker(settings, number, name)}), stopping)
        for number in range(1, settings.workers + 1)
    ]


def _of_worker(settings: Settings, number: int, name: str) -> dict[str, object]:
    """The settings that worker ``number`` has for itself."""
    own: dict[str, object] = {"node": f"{name}-{number}"}
    if settings.metrics is not None:
        host, colon, port = settings.metrics.rpartition(":")
        own["metrics"] = f"{host}{colon}{int(port) + number - 1 if int(port) else 0}"
    return own


def _on_signal(stopping: asyncio.Event, workers: list[_Worker]) -> None:
    """Stop the workers on the first signal; on the second, kill them and end as that signal ends a process."""
    loop = asyncio.get_running_loop()

    def handle(number: signal.Signals) -> None:
        if not stopping.is_set():
            log.info("stopping: %s", number.name)
            stopping.set()
            return
        for worker in workers:
            worker.kill()
        loop.remove_signal_handler(number)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    for number in stop_signals():
        loop.add_signal_handler(number, handle, number)


class _Worker:
    """One of the nodes: a process that has the same name whenever it is restarted.

    ``listening`` is what the process wrote when it first listened, or None if it ended before.
    """

    def __init__(self, settings: Settings, stopping: asyncio.Event) -> None:
        self.name = settings.node
        self.listening: asyncio.Future[dict[str, Any] | None] = asyncio.get_running_loop().create_future()
        self._settings = settings
        self._stopping = stopping
        self._process: asyncio.subprocess.Process | None = None

    async def keep_running(self) -> int:
        """Run the process, and restart it until ``stopping`` is set; 1 if it failed at its start or its end, else 0."""
        loop = asyncio.get_running_loop()
        wait = BACKOFF_S[0]
        while True:
            started = loop.time()
            status = await self._run_once()
            if not self.listening.done():
                self.listening.set_result(None)
                return 1 if status or not self._stopping.is_set() else 0
            if self._stopping.is_set():
                return 1 if status else 0
            if loop.time() - started > STABLE_S:
                wait = BACKOFF_S[0]
            log.warning("%s ended with status %d; restarting it in %g s", self.name, status, wait)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), wait)
                return 0
            wait = min(2 * wait, BACKOFF_S[1])

    async def _run_once(self) -> int:
        """Run the process to its end; its exit status, or 1 if it could not be started."""
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "noughts.cli.workers"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C goes to the parent, which stops the workers
            )
        except OSError as error:  # the machine is out of memory, processes or files
            log.error("cannot start %s: %s", self.name, error)
            return 1
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(self._settings.model_dump_json().encode() + b"\n")
        stop = asyncio.create_task(self._stop(process))
        line = await process.stdout.readline()
        if line and not self.listening.done():
            self.listening.set_result(json.loads(line))
        await process.stdout.read()
        status = await process.wait()
        stop.cancel()
        return status

    async def _stop(self, process: asyncio.subprocess.Process) -> None:
        """Once ``stopping`` is set, ask the process to stop; kill it if it takes too long."""
        await self._stopping.wait()
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.sleep(self._settings.drain_s + CLOSING_S + MARGIN_S)
        log.warning("%s does not stop; killing it", self.name)
        self.kill()

    def kill(self) -> None:
        """Kill the process, if it is running."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()


def work() -> int:
    """Serve as a worker; the exit status."""
    with open(0, "rb", buffering=0, closefd=False) as stdin:
        line = stdin.readline()
    if not line:  # the parent was killed before it could write the settings
        return 1

    def announce(server: Running) -> None:
        say(json.dumps({"urls": server.urls, "port": server.port}))

    return serve(Settings.model_validate_json(line), announce, reuse_port=True, watch=_watch_stdin)


def _watch_stdin(stop: Callable[[str], None]) -> None:
    """Call ``stop`` when stdin ends."""

    def watch() -> None:
        while os.read(0, 1024):  # sys.stdin would hold a lock that Python needs when it exits
            pass
        stop("the parent is stopping or gone")

    threading.Thread(target=watch, name="parent", daemon=True).start()


if __name__ == "__main__":
    leave(work())
