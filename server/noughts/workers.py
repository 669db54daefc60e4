"""``noughts serve --workers N``: one parent, and N processes that serve the same port, each a node of its own.

The parent serves nobody. It holds the port, starts again who dies, and passes on that all shall stop. Each worker
has its settings from the first line of its stdin, and stops when that ends: when the parent is gone, however it
went. On its stdout it says once that it listens.
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

from noughts.app import Running, made_up_name, search_workers
from noughts.config import Settings, masked
from noughts.serve import CLOSING_S, CannotListen, leave, say, serve, set_log, stop_signals, welcome

log = logging.getLogger(__name__)

BACKOFF_S = (0.5, 30.0)
"""The first and the longest wait before a worker that died is started again."""

SETTLED_S = 60.0
"""Who has lived so long begins with the first wait again."""

MARGIN_S = 1.0
"""How much longer than its own bound a worker is given before it is killed."""


def run(settings: Settings) -> int:
    """Run ``settings.workers`` processes until a signal says to stop; the exit status."""
    unable = _unable(settings)
    if unable is not None:
        say(f"noughts serve: --workers: {unable}", to_stderr=True)
        return 2
    set_log(settings.log_level)
    try:
        sockets = reserve(settings.host, settings.port)
    except CannotListen as error:
        say(f"noughts serve: {error}", to_stderr=True)
        return 1
    try:
        return asyncio.run(_run(settings, sockets[0].getsockname()[1]))
    finally:
        for one in sockets:
            one.close()


def _unable(settings: Settings) -> str | None:
    if sys.platform != "linux":
        return (
            "needs Linux, which spreads connections over processes; elsewhere run several servers on ports of their own"
        )
    if not settings.journal.startswith(("postgresql://", "postgres://")):
        return "needs a journal that processes can share: --journal postgresql://USER@HOST/DATABASE"
    if settings.bus is None:
        return "needs a bus, or each worker would take the players of the others for gone: --bus mqtt://HOST"
    if len(f"{settings.node}-{settings.workers}") > 64:
        return "needs a shorter --node, since each worker's number is added to it"
    return None


def reserve(host: str, port: int) -> list[socket.socket]:
    """Hold ``port``, or with 0 any that is free, on all addresses of ``host``, and let one's own processes share it.

    Raises :class:`CannotListen`, also when others of one's own serve the port already.
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
            # Not before it is bound, or we would join in with another server instead of being refused.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    except OSError as error:
        for one in held:
            one.close()
        raise CannotListen(host, port, error) from error
    return held


async def _run(settings: Settings, port: int) -> int:
    return await _Parent(settings, port).run()


class _Worker:
    """One of the processes, under the same number and name whenever it is started."""

    def __init__(self, settings: Settings) -> None:
        self.name = settings.node
        self.first: asyncio.Future[dict[str, Any] | int] = asyncio.get_running_loop().create_future()
        self._settings = settings.model_dump_json()
        self._process: asyncio.subprocess.Process | None = None
        self._stopped = False

    async def run(self) -> int:
        """Start it and wait for its end; its exit status, or 1 if it could not be started.

        ``first`` is what came first: that it listens, or that.
        """
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "noughts.workers",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # a Ctrl-C is the parent's, which passes it on
            )
        except OSError as error:  # the machine has no memory, processes or files to spare
            log.error("%s cannot be started: %s", self.name, error)
            if not self.first.done():
                self.first.set_result(1)
            return 1
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(self._settings.encode() + b"\n")
        if self._stopped:
            process.stdin.close()
        said = await process.stdout.readline()
        if said and not self.first.done():
            self.first.set_result(json.loads(said))
        await process.stdout.read()
        status = await process.wait()
        if not self.first.done():
            self.first.set_result(status)
        return status

    def stop(self) -> None:
        """Have it stop, also if it is just being started."""
        self._stopped = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()


class _Parent:
    def __init__(self, settings: Settings, port: int) -> None:
        self._settings = settings
        self._stopping = asyncio.Event()
        name = settings.node or made_up_name()
        searching = settings.search_workers or search_workers(settings.workers)
        self._workers = [
            _Worker(
                settings.model_copy(
                    update={"node": f"{name}-{number}", "port": port, "workers": 1, "search_workers": searching}
                )
            )
            for number in range(1, settings.workers + 1)
        ]

    async def run(self) -> int:
        self._on_signals()
        status = 0
        keeping: list[asyncio.Task[int]] = []
        # One first: it tells once what is wrong with the settings, and brings the database up to date.
        for batch in (self._workers[:1], self._workers[1:]):
            keeping += [asyncio.create_task(self._keep(worker)) for worker in batch]
            for worker in batch:
                first = await worker.first
                if isinstance(first, int) and not self._stopping.is_set():
                    status = first or 1
                    self._stop()
            if self._stopping.is_set():
                break
        else:
            listening = await self._workers[0].first
            assert isinstance(listening, dict)
            welcome(self._settings, listening["urls"], listening["port"])
            assert self._settings.bus is not None
            names = f"{self._workers[0].name} to {self._workers[-1].name}"
            say(
                f"{len(self._workers)} workers serve: {names}",
                f"They are nodes on the bus {masked(self._settings.bus)}",
            )
            await self._stopping.wait()
            say("Closing.")
        return status or max(await asyncio.gather(*keeping))

    async def _keep(self, worker: _Worker) -> int:
        """Run a worker, again and again until all shall stop; 0 if it then ended well, else 1."""
        loop = asyncio.get_running_loop()
        wait = BACKOFF_S[0]
        while True:
            began = loop.time()
            ended = asyncio.create_task(worker.run())
            stopping = asyncio.create_task(self._stopping.wait())
            await asyncio.wait({ended, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if self._stopping.is_set():
                return await self._end(worker, ended)
            if loop.time() - began > SETTLED_S:
                wait = BACKOFF_S[0]
            log.warning("%s ended with status %d; it is started again in %g s", worker.name, ended.result(), wait)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), wait)
                return 0
            wait = min(2 * wait, BACKOFF_S[1])

    async def _end(self, worker: _Worker, ended: asyncio.Task[int]) -> int:
        """Wait for a worker that was told to stop."""
        await asyncio.wait({ended}, timeout=self._settings.drain_s + CLOSING_S + MARGIN_S)
        if not ended.done():
            log.warning("%s does not stop: it is killed", worker.name)
            worker.kill()
        return 1 if await ended else 0

    def _on_signals(self) -> None:
        loop = asyncio.get_running_loop()

        def heard(number: signal.Signals) -> None:
            if not self._stopping.is_set():
                log.info("stopping: %s", number.name)
                self._stop()
                return
            for worker in self._workers:
                worker.kill()
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

        for number in stop_signals():
            loop.add_signal_handler(number, heard, number)

    def _stop(self) -> None:
        self._stopping.set()
        for worker in self._workers:
            worker.stop()


def work() -> int:
    """Be a worker; the exit status."""
    with open(0, "rb", buffering=0, closefd=False) as stdin:
        settings = Settings.model_validate_json(stdin.readline())

    def announce(server: Running) -> None:
        say(json.dumps({"urls": server.urls, "port": server.port}))

    return serve(settings, announce, reuse_port=True, watch=_watch_stdin)


def _watch_stdin(stop: Callable[[str], None]) -> None:
    """Call ``stop`` when stdin ends."""

    def watch() -> None:
        while os.read(0, 1024):  # not by way of sys.stdin, whose lock would be held when the interpreter ends
            pass
        stop("told to by the parent, or the parent is gone")

    threading.Thread(target=watch, name="parent", daemon=True).start()


if __name__ == "__main__":
    leave(work())
