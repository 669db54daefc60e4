"""The two ways to show pages and to read what is typed: in place on a terminal, or line by line."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.shortcuts import print_formatted_text
from prompt_toolkit.utils import is_dumb_terminal

from noughts_client.terminal.board import Fragments
from noughts_client.terminal.table import printable
from noughts_client.terminal.typed import Typed
from noughts_client.terminal.view import joined, latest, plain, squeezed, text
from noughts_client.terminal.words import IDLE

TALK_ROWS = 3
"""So many lines below what is typed are for what was said, as far as the page has no need of them, but one at least."""

KEYS = ("left", "right", "home", "end", "space", "n", "p", "q")
"""The keys that can be as good as a line."""


def steady_ms() -> float:
    """The time here, by a clock that nobody sets; it says nothing of what time it is."""
    return time.monotonic() * 1000


def never(_: float) -> None:
    """When a page changes that does not."""


Body = Callable[[int, float], list[Fragments]]
"""What is shown in a number of columns at a time of :func:`steady_ms`."""


@dataclass(frozen=True)
class Page:
    """What is shown: the ``body``, and ``asked`` before what is typed.

    ``note`` is a word about what was typed or has happened. A page that is to ``stay`` can still be read after
    the end. ``changes_in`` tells after how many ms from a time the body is another by itself, None if it is not.
    ``talk`` are the last of the ``said`` lines that were said. ``keys`` are those that are as good as typing a line,
    while nothing is typed: prompt_toolkit's names, and the line. ``low`` takes the body's place where a window has not
    enough rows for it.
    """

    body: Body
    asked: str
    note: str = ""
    stay: bool = False
    changes_in: Callable[[float], float | None] = never
    talk: list[str] = field(default_factory=list)
    said: int = 0
    keys: Mapping[str, str] = field(default_factory=dict)
    low: Body | None = None


class Screen(Protocol):
    """Shows pages and reads lines. ``patient``: lines may come before their time, and are to wait for it."""

    patient: bool
    typed: Typed

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
        self._page = Page(lambda *_: [], "")
        self._back = 0
        self._body_rows = 0
        self._tick: asyncio.TimerHandle | None = None
        self.typed = Typed()
        self._buffer = Buffer(accept_handler=self._accept, multiline=False)
        self._app: Application[None] = Application(
            Layout(
                HSplit(
                    [
                        Window(FormattedTextControl(self._body), dont_extend_height=True),
                        Window(
                            BufferControl(self._buffer, [BeforeInput(lambda: self._page.asked)]),
                            height=1,
                            # Sideways only as far as the cursor needs it, and so back at the next line.
                            get_horizontal_scroll=lambda _: 0,
                        ),
                        Window(FormattedTextControl(self._talk), height=Dimension(preferred=0)),
                    ]
                )
            ),
            key_bindings=self._keys(),
            full_screen=True,
        )
        self._running: asyncio.Task[None] | None = None

    def show(self, page: Page) -> None:
        if (page.asked, page.note) != (self._page.asked, self._page.note):
            self._back = 0  # something has happened, and that is seen at the end
        self._page = page
        if self._running is None:
            self._running = asyncio.create_task(self._app.run_async(handle_sigint=False))
            self._running.add_done_callback(lambda _: self.typed.end())
        self._redraw()

    async def line(self) -> str:
        return await self.typed.next()

    async def close(self) -> None:
        if self._tick is not None:
            self._tick.cancel()
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})
        if self._page.stay:
            columns = self._app.output.get_size().columns
            print_formatted_text(FormattedText(joined(self._page.body(columns, steady_ms()))), end="")

    def _redraw(self) -> None:
        """Draw the page, and again when it is another by itself; no more often."""
        self._app.invalidate()
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
        wait_ms = self._page.changes_in(steady_ms())
        if wait_ms is not None:
            self._tick = asyncio.get_running_loop().call_later(wait_ms / 1000, self._redraw)

    def _accept(self, buffer: Buffer) -> bool:
        self.typed.add(buffer.text)
        return False

    def _body(self) -> FormattedText:
        size = self._app.output.get_size()
        page, note = self._page, text(self._page.note, size.columns)
        lines = page.body(size.columns, steady_ms()) + note
        said = sum(len(text(words, size.columns)) for words in page.talk)
        talk_rows = min(said, max(1, min(TALK_ROWS, size.rows - 1 - _needed(lines))))
        height = size.rows - 1 - talk_rows
        if page.low is not None and _needed(lines) > height:
            lines = page.low(size.columns, steady_ms()) + note
        needed = _needed(lines)
        self._back = max(0, min(self._back, needed - height))
        self._body_rows = min(len(lines), height)
        return FormattedText(joined(squeezed(lines, height, self._back))[:-1])

    def _talk(self) -> FormattedText:
        """The end of what was said, in the rows that are left; it stands where it moves nothing else."""
        size = self._app.output.get_size()
        rows = size.rows - 1 - self._body_rows
        return FormattedText(joined(latest(self._page.talk, size.columns, rows))[:-1])

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def leave(event: KeyPressEvent) -> None:
            event.app.exit()

        def up(_: KeyPressEvent) -> None:
            self._back += 1

        def down(_: KeyPressEvent) -> None:
            self._back -= 1

        def line_of(key: str) -> Callable[[KeyPressEvent], None]:
            return lambda _: self.typed.add(self._page.keys[key])

        for key in KEYS:
            keys.add(key, filter=Condition(partial(self._is_a_line, key)))(line_of(key))
        keys.add("c-c")(leave)
        keys.add("c-d", filter=Condition(lambda: not self._buffer.text))(leave)
        keys.add("up")(up)
        keys.add("down")(down)
        return keys

    def _is_a_line(self, key: str) -> bool:
        return key in self._page.keys and not self._buffer.text


def _needed(lines: list[Fragments]) -> int:
    """In how many rows ``lines`` can be shown."""
    return len([line for line in lines if line])


class Lines:
    """Prints pages one after the other as plain text; what has not changed is not printed again."""

    def __init__(self) -> None:
        self.patient = not sys.stdin.isatty()
        self._printed, self._printed_ms = "", steady_ms()
        self._asked = ""
        self._said = 0
        self.typed = Typed()
        self._thread: threading.Thread | None = None

    def show(self, page: Page) -> None:
        columns, now = shutil.get_terminal_size().columns, steady_ms()
        parts = []
        # The mere course of time is no reason to print it all again.
        if plain(page.body(columns, self._printed_ms)) != self._printed:
            self._printed, self._printed_ms = plain(page.body(columns, now)), now
            parts += ["", self._printed]
        if page.said > self._said:
            parts += page.talk[self._said - page.said :]
        if page.note:
            parts.append(page.note)
        if page.asked != IDLE and (parts or page.asked != self._asked):
            parts.append(page.asked.rstrip())
        if parts:
            lines = "\n".join(parts).split("\n")
            print(*map(printable, lines), sep="\n", flush=True)  # what the server says is not for the terminal to obey
        self._asked, self._said = page.asked, page.said

    async def line(self) -> str:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._thread.start()
        return await self.typed.next()

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
                    loop.call_soon_threadsafe(self.typed.add, line.decode(errors="replace"))
            if rest:
                loop.call_soon_threadsafe(self.typed.add, rest.decode(errors="replace"))
            loop.call_soon_threadsafe(self.typed.end)


def _more() -> bytes:
    try:
        return os.read(0, 4096)
    except OSError:  # the terminal has gone
        return b""
