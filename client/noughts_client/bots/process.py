"""The child process of a program that is not ours: a line out, a line in, within limits, until all of it is killed.

Linux alone shows a process's memory and children, in ``/proc``.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from noughts_client.bots.copies import Copy
from noughts_client.bots.program import Program
from noughts_client.bots.sandbox import MIB, OWN_PROCESSES, Containment, Unreadable, command, environment
from noughts_client.failure import ANSWER_BYTES, STDERR_BYTES, BotFailed, Failure, Kind

INTERVAL_S = 0.1
"""The time between two looks at a bot's processes. Meanwhile one can take a few hundred MiB more than it may."""

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
"""Of the processor times in ``/proc``, each second."""


@dataclass(frozen=True)
class ProcessLimits:
    """The limits of one bot in one game."""

    memory_bytes: int = 512 * MIB
    """Resident memory of all its processes. Pages that they share are counted for each."""
    processes: int = 16
    stdout_line: int = 64 * 1024
    """Bytes of one line of its answers, and of what it has written that nobody has read."""
    start_s: float = 10.0
    """The time that it may take to start."""


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


def excess(pid: int, limits: ProcessLimits, *, overhead: int = 0) -> Excess | None:
    """The limit that the tree of ``pid`` has passed. ``overhead`` processes of it are not the bot's."""
    processes = tree(pid, limits.processes + overhead + 1)
    if len(processes) - overhead > limits.processes:
        return Excess("processes", f"The bot started more than {limits.processes} processes.")
    held = sum(map(resident, processes))
    if held > limits.memory_bytes:
        allowed = limits.memory_bytes // MIB
        return Excess("memory", f"The bot held {held // MIB} MiB of memory; it may have {allowed} MiB.")
    return None


async def watch(pid: int, limits: ProcessLimits, *, overhead: int = 0) -> Excess:
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


LOG_PACE_S = 0.005
"""Between two reads of stderr, of 64 KiB at most: a bot that floods its log waits, not the parent."""

LOG_BYTES = 16 * 1024 * 1024
"""A log file that is longer takes no more."""


class Pipes(asyncio.SubprocessProtocol):
    """The unread output of a child: bounded, as reading stops at ``limit`` bytes."""

    def __init__(
        self, limit: int, log: Path | None, heard: Callable[[bytes], None] | None, *, asked: bool = True
    ) -> None:
        """Without ``asked``, what comes from stdout and from stderr is the same."""
        self._limit = limit
        self._asked = asked
        self._heard = heard
        self._log = None if log is None else log.open("ab", buffering=0)
        self.out = bytearray()
        self.err = bytearray()
        self.changed = asyncio.Event()
        self.out_ended = False
        self.err_ended = not asked
        self.exited = False
        self._transport: asyncio.SubprocessTransport | None = None
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1 and self._asked:
            self.out += data
            if len(self.out) > self._limit:
                self._pause()
            self.changed.set()
        else:
            self.log(data)
            if self._heard is not None:
                self._heard(data)
            self.err += data
            del self.err[:-STDERR_BYTES]
            self._rest(fd)

    def pipe_connection_lost(self, fd: int, _exc: Exception | None) -> None:
        if fd == 1:
            self.out_ended = True
        elif fd == 2:
            self.err_ended = True
            if self._log is not None:
                self._log.close()
        self.changed.set()

    def log(self, data: bytes) -> None:
        """Append to the log file, if there is one."""
        if self._log is not None and not self._log.closed and self._log.tell() < LOG_BYTES:
            self._log.write(data)

    def process_exited(self) -> None:
        self.exited = True
        self.changed.set()

    def take_line(self) -> bytes | None:
        """The next line without its end, or None if there is no whole one."""
        end = self.out.find(b"\n")
        if end < 0:
            return None
        line = bytes(self.out[:end])
        self.log(b"< " + line + b"\n")
        del self.out[: end + 1]
        if self._paused and len(self.out) <= self._limit:
            self._paused = False
            self._pipe(1).resume_reading()
        return line

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self._pipe(1).pause_reading()

    def _rest(self, fd: int) -> None:
        """Read no more of stderr for a moment."""
        pipe = self._pipe(fd)
        pipe.pause_reading()
        asyncio.get_running_loop().call_later(LOG_PACE_S, pipe.resume_reading)

    def _pipe(self, fd: int) -> asyncio.ReadTransport:
        assert self._transport is not None
        return cast(asyncio.ReadTransport, self._transport.get_pipe_transport(fd))


EXIT_S = 0.5
"""The time that a bot may take to end once its input has ended."""

BROKEN: tuple[Kind, ...] = ("start", "crash", "exit")
"""The kinds of failures of a bot that misses a file."""

NO_FILE = " It ran in the folder /, because no word of the command is a file: write the path of its main file."


class Process:
    """A running child. Make one with :meth:`start`, and :meth:`close` it."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        pipes: Pipes,
        limits: ProcessLimits,
        *,
        contained: bool = False,
        end: str = "",
        copy: Copy | None = None,
    ) -> None:
        """``end`` is said at the end of the failure of a child that has ended. Failures name the files of which a
        ``copy`` runs by their own paths.
        """
        self._transport = transport
        self._pipes = pipes
        self.limits = limits
        self._asked = ""
        self._failed = False
        self._contained = contained
        self._end = end
        self._copy = copy
        self._excess: Excess | None = None
        self.pid = transport.get_pid()
        self._watching = asyncio.create_task(self._watch())

    @classmethod
    async def start(
        cls,
        program: Program,
        *,
        containment: Containment | None,
        limits: ProcessLimits,
        log: Path | None = None,
        heard: Callable[[bytes], None] | None = None,
        copy: Copy | None = None,
        asked: bool = True,
    ) -> Process:
        """Start ``program``. Raises :class:`BotFailed`.

        The child's input (``> ``), its output (``< ``) and its stderr are appended to ``log``. ``heard`` is called with
        what comes from stderr. ``copy`` is the one of the bot's files that runs, if one does. Without ``asked`` the
        child has no input, and its stdout goes where its stderr goes.
        """
        if copy is not None and copy.refused:
            raise BotFailed(Failure("start", copy.refused))
        loop = asyncio.get_running_loop()
        try:
            argv = await asyncio.to_thread(command, program, containment)
            surroundings = await asyncio.to_thread(environment, containment)
            transport, pipes = await loop.subprocess_exec(
                lambda: Pipes(limits.stdout_line, log, heard, asked=asked),
                *argv,
                stdin=PIPE if asked else DEVNULL,
                stderr=PIPE if asked else STDOUT,
                cwd=program.folder,
                env=surroundings,
                start_new_session=True,  # Ctrl-C is for the parent, and the whole group can be killed
            )
        except Unreadable as error:
            raise BotFailed(Failure("start", str(error))) from None
        except OSError as error:
            raise BotFailed(Failure("start", f"The bot cannot be started: {error.strerror}.")) from None
        contained = containment is not None and containment.by == "bubblewrap"
        lost = contained and program.folder is None and len(program.argv) > 1
        return cls(transport, pipes, limits, contained=contained, end=NO_FILE if lost else "", copy=copy)

    async def _watch(self) -> None:
        self._excess = await watch(self.pid, self.limits, overhead=OWN_PROCESSES if self._contained else 0)
        self.kill()

    @property
    def stderr(self) -> str:
        """The end of what the child has written to stderr, at most 4 KB."""
        return self.in_original(self._pipes.err.decode(errors="replace"))

    def in_original(self, text: str) -> str:
        """A text of the child with the paths of the files of which it is a copy."""
        return text if self._copy is None else self._copy.in_original(text)

    def failure(self, kind: Kind, message: str, *, answer: str = "", error: str = "", traceback: str = "") -> BotFailed:
        """A failure at the line that was sent last. After it the child gets no time to end by itself."""
        self._failed = True
        advice = "" if self._copy is None or kind not in BROKEN else self._copy.advice(f"{message}\n{self.stderr}")
        message, traceback = self.in_original(message) + advice, self.in_original(traceback)
        return BotFailed(Failure(kind, message, error, traceback, self.stderr, self._asked, answer[:ANSWER_BYTES]))

    async def ask(self, line: str, patience_s: float) -> str:
        """Send ``line``, and wait for the line that answers it. Raises :class:`BotFailed`.

        What the child has said before is nobody's answer, so it fails.
        """
        await asyncio.sleep(0)  # reads what lies ready
        self._asked = line
        if said := self.unread:
            kind: Kind = "flood" if len(self._pipes.out) > self.limits.stdout_line else "garbage"
            raise self.failure(kind, f"The bot wrote {_shown(said)} to stdout without being asked.", answer=said)
        self.send(line)
        return await self.line(patience_s)

    @property
    def unread(self) -> str:
        """The unread output of the child to stdout, without blanks around it."""
        return bytes(self._pipes.out).strip().decode(errors="replace")

    def send(self, line: str) -> None:
        """Write a line to the child's stdin."""
        self._asked = line
        pipe = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        if not pipe.is_closing():
            pipe.write(line.encode() + b"\n")
        self._pipes.log(b"> " + line.encode() + b"\n")

    async def line(self, patience_s: float) -> str:
        """The next line that is not blank. Raises :class:`BotFailed` if it does not come within ``patience_s``."""
        try:
            async with asyncio.timeout(patience_s):
                await asyncio.sleep(0)  # others get their turns, and the time ends, also between lines without number
                return await self._line()
        except TimeoutError:
            raise self.failure("time", f"The bot gave no answer within {patience_s:.3g} s.") from None

    async def _line(self) -> str:
        pipes, limit, blank = self._pipes, self.limits.stdout_line, 0
        while True:
            pipes.changed.clear()
            while (line := pipes.take_line()) is not None:
                blank += len(line) + 1
                if blank > limit:
                    raise self._flood(line)
                if text := line.strip():
                    return self._text(text)
            if len(pipes.out) > limit:
                raise self._flood(pipes.out)
            if pipes.exited or pipes.out_ended:
                raise await self._ended()
            await pipes.changed.wait()

    def _flood(self, said: bytes | bytearray) -> BotFailed:
        message = f"The bot wrote a line of more than {self.limits.stdout_line} bytes."
        return self.failure("flood", message, answer=said.decode(errors="replace"))

    def _text(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError:
            said = line.decode(errors="replace")
            raise self.failure(
                "garbage", f"The bot answered {_shown(said)}, which is not UTF-8.", answer=said
            ) from None

    async def ending(self, patience_s: float | None = None) -> int | None:
        """Wait for the child to end, and for the end of its output; its exit status, None if it still runs.

        Without ``patience_s`` it takes as long as the child.
        """
        pipes = self._pipes
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while not (pipes.exited and pipes.out_ended and pipes.err_ended):
                    pipes.changed.clear()
                    await pipes.changed.wait()
        return self._transport.get_returncode()

    def end_input(self) -> None:
        """Close the child's stdin."""
        if (pipe := self._transport.get_pipe_transport(0)) is not None:
            pipe.close()

    async def _ended(self) -> BotFailed:
        code = await self.ending(EXIT_S)
        if self._excess is not None:
            return self.failure(self._excess.kind, self._excess.message)
        if code is None:
            return self.failure("exit", "The bot closed its stdout instead of answering.")
        if code < 0 or (self._contained and code > 128):  # bubblewrap tells a signal as a shell does
            return self.failure("crash", f"The bot was killed by {_signal(-code if code < 0 else code - 128)}.")
        return self.failure("exit", f"The bot ended with exit code {code} instead of answering.{self._end}")

    async def close(self) -> None:
        """End the child's input, wait a moment for it to end, and kill what is left of it and of its children."""
        self.end_input()
        try:
            if not self._failed:
                with suppress(TimeoutError):
                    async with asyncio.timeout(EXIT_S):
                        await self._exit()
        finally:  # also if the caller is cancelled
            self._watching.cancel()
            self.kill()
            try:
                await self._exit()  # closing the transport before would reap the child, and asyncio would miss it
            finally:
                self._transport.close()

    async def _exit(self) -> None:
        while not self._pipes.exited:
            self._pipes.changed.clear()
            await self._pipes.changed.wait()

    def interrupt(self) -> None:
        """Send the program what Ctrl-C sends, if the system has it."""
        if sys.platform != "win32":
            self._signal(signal.SIGINT)

    def hold(self, *, still: bool) -> None:
        """Stop the program's processes, or let them go on, where the system can: between games nobody thinks."""
        if sys.platform != "win32" and not self._pipes.exited:
            for process in tree(self.pid)[OWN_PROCESSES if self._contained else 0 :]:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGSTOP if still else signal.SIGCONT)

    def show_place(self) -> None:
        """Send the child of a Python file the signal at which it says where it is, if the system has it."""
        if sys.platform != "win32":
            self._signal(signal.SIGUSR1)

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to the program itself, which is behind the processes of its sandbox."""
        if self._pipes.exited:
            return
        if not self._contained:
            self._transport.send_signal(number)
        elif own := tree(self.pid)[OWN_PROCESSES:]:
            with suppress(ProcessLookupError):
                os.kill(own[0], number)

    def kill(self) -> None:
        """Kill the child, its process group and its other descendants at once."""
        kill_tree(self.pid)


def _shown(said: str) -> str:
    """An answer as a sentence quotes it."""
    return repr(said if len(said) <= 60 else said[:60] + "…")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
