"""The two ways to show pages and to read what is typed: in place on a terminal, or line by line."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.shortcuts import print_formatted_text
from prompt_toolkit.utils import is_dumb_terminal

from noughts_client.terminal.board import Fragments
from noughts_client.terminal.view import joined, plain, squeezed, text
from noughts_client.terminal.words import IDLE


@dataclass(frozen=True)
class Page:
    """What is shown: ``body`` gives it for a number of columns. ``asked`` stands before what is typed.

    ``note`` is a word about what was typed or has happened. A page that is to ``stay`` can still be read after
    the end.
    """

    body: Callable[[int], list[Fragments]]
    asked: str
    note: str = ""
    stay: bool = False


class Screen(Protocol):
    """Shows pages and reads lines. ``patient``: lines may come before their time, and are to wait for it."""

    patient: bool

    def show(self, page: Page) -> None:
        """Show ``page`` in place of the one before."""

    async def line(self) -> str:
        """The next line that is typed. Raises EOFError at the end of input, and on Ctrl-C and Ctrl-D."""

    async def close(self) -> None:
        """Leave the terminal as it was."""


def fitting_screen() -> Screen:
    """The screen that fits where we run."""
    if sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb_terminal():
        return InPlace()
    return Lines()


class InPlace:
    """Draws on the terminal's alternate screen, with colour unless the environment says ``NO_COLOR``."""

    patient = False

    def __init__(self) -> None:
        self._page = Page(lambda _: [], "")
        self._back = 0
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._buffer = Buffer(accept_handler=self._accept, multiline=False)
        self._app: Application[None] = Application(
            Layout(
                HSplit(
                    [
                        Window(FormattedTextControl(self._body), dont_extend_height=True),
                        Window(
                            BufferControl(self._buffer, [BeforeInput(lambda: self._page.asked)]),
                            height=1,
                        ),
                        Window(),
                    ]
                )
            ),
            key_bindings=self._keys(),
            full_screen=True,
        )
        self._running: asyncio.Task[None] | None = None

    def show(self, page: Page) -> None:
        self._page = page
        self._back = 0
        if self._running is None:
            self._running = asyncio.create_task(self._app.run_async(handle_sigint=False))
            self._running.add_done_callback(lambda _: self._lines.put_nowait(None))
        self._app.invalidate()

    async def line(self) -> str:
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
            raise EOFError
        return line

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})
        if self._page.stay:
            columns = self._app.output.get_size().columns
            print_formatted_text(FormattedText(joined(self._page.body(columns))), end="")

    def _accept(self, buffer: Buffer) -> bool:
        self._lines.put_nowait(buffer.text)
        return False

    def _body(self) -> FormattedText:
        size = self._app.output.get_size()
        lines = self._page.body(size.columns) + text(self._page.note, size.columns)
        self._back = max(0, min(self._back, len([line for line in lines if line]) - size.rows + 1))
        return FormattedText(joined(squeezed(lines, size.rows - 1, self._back))[:-1])

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def leave(event: KeyPressEvent) -> None:
            event.app.exit()

        def up(_: KeyPressEvent) -> None:
            self._back += 1

        def down(_: KeyPressEvent) -> None:
            self._back -= 1

        keys.add("c-c")(leave)
        keys.add("c-d", filter=Condition(lambda: not self._buffer.text))(leave)
        keys.add("up")(up)
        keys.add("down")(down)
        return keys


class Lines:
    """Prints pages one after the other as plain text; what has not changed is not printed again."""

    def __init__(self) -> None:
        self.patient = not sys.stdin.isatty()
        self._printed = ""
        self._asked = ""
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._thread: threading.Thread | None = None

    def show(self, page: Page) -> None:
        body = plain(page.body(shutil.get_terminal_size().columns))
        parts = []
        if body != self._printed:
            parts += ["", body]
        if page.note:
            parts.append(page.note)
        if page.asked != IDLE and (parts or page.asked != self._asked):
            parts.append(page.asked.rstrip())
        if parts:
            print(*parts, sep="\n", flush=True)
        self._printed, self._asked = body, page.asked

    async def line(self) -> str:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._thread.start()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
            raise EOFError
        return line

    async def close(self) -> None:
        """Nothing to do: the terminal was never touched."""

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read in a thread, as a file cannot be waited for otherwise, and from the descriptor itself: the lock of
        ``sys.stdin`` would hold up the program's end."""
        rest = b""
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            while data := _more():
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    loop.call_soon_threadsafe(self._lines.put_nowait, line.decode(errors="replace"))
            if rest:
                loop.call_soon_threadsafe(self._lines.put_nowait, rest.decode(errors="replace"))
            loop.call_soon_threadsafe(self._lines.put_nowait, None)


def _more() -> bytes:
    try:
        return os.read(0, 4096)
    except OSError:  # the terminal has gone
        return b""
