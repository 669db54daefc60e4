"""One child process: a line out, a line in. It is killed with all its children."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import cast

from noughts_client.bots.bubblewrap import OWN_PROCESSES, Unreadable
from noughts_client.bots.copies import Copy
from noughts_client.bots.failure import ANSWER_BYTES, BotFailed, Failure, Kind
from noughts_client.bots.limits import Excess, Limits, kill_tree, tree, watch
from noughts_client.bots.pipes import Pipes
from noughts_client.bots.program import Program
from noughts_client.bots.sandbox import Containment, command, environment

EXIT_S = 0.5
"""How long a bot may take to end once its input has ended."""

BROKEN: tuple[Kind, ...] = ("start", "crash", "exit")
"""How a bot fails that misses a file."""

NO_FILE = " It ran in the folder /, because no word of the command is a file: write the path of its main file."


class Process:
    """A running child. Make one with :meth:`start`, and :meth:`close` it."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        pipes: Pipes,
        limits: Limits,
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
        limits: Limits,
        log: Path | None = None,
        heard: Callable[[bytes], None] | None = None,
        copy: Copy | None = None,
    ) -> Process:
        """Start ``program``. Raises :class:`BotFailed`.

        The child's input (``> ``), its output (``< ``) and its stderr are appended to ``log``. ``heard`` is called with
        what comes from stderr. ``copy`` is the one of the bot's files that runs, if one does.
        """
        if copy is not None and copy.refused:
            raise BotFailed(Failure("start", copy.refused))
        loop = asyncio.get_running_loop()
        try:
            argv = await asyncio.to_thread(command, program, containment)
            surroundings = await asyncio.to_thread(environment, containment)
            transport, pipes = await loop.subprocess_exec(
                lambda: Pipes(limits.stdout_line, log, heard),
                *argv,
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
        early = bytes(self._pipes.out).strip()
        self._asked = line
        if early:
            said = early.decode(errors="replace")
            kind: Kind = "flood" if len(early) > self.limits.stdout_line else "garbage"
            raise self.failure(kind, f"The bot wrote {_shown(said)} to stdout without being asked.", answer=said)
        self.send(line)
        return await self.line(patience_s)

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

    async def ending(self) -> None:
        """Wait a moment for the child to end, and for the end of its stderr."""
        pipes = self._pipes
        with suppress(TimeoutError):
            async with asyncio.timeout(EXIT_S):
                while not (pipes.exited and pipes.out_ended and pipes.err_ended):
                    pipes.changed.clear()
                    await pipes.changed.wait()

    async def _ended(self) -> BotFailed:
        await self.ending()
        if self._excess is not None:
            return self.failure(self._excess.kind, self._excess.message)
        code = self._transport.get_returncode()
        if code is None:
            return self.failure("exit", "The bot closed its stdout instead of answering.")
        if code < 0 or (self._contained and code > 128):  # bubblewrap tells a signal as a shell does
            return self.failure("crash", f"The bot was killed by {_signal(-code if code < 0 else code - 128)}.")
        return self.failure("exit", f"The bot ended with exit code {code} instead of answering.{self._end}")

    async def close(self) -> None:
        """End the child's input, wait a moment for it to end, and kill what is left of it and of its children."""
        cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0)).close()
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


Launch = Callable[[Program], Awaitable[Process]]
"""Starts programs, all in the same way."""


def _shown(said: str) -> str:
    """An answer as a sentence quotes it."""
    return repr(said if len(said) <= 60 else said[:60] + "…")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
