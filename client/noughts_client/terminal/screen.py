"""Two ways to show pages and read lines: redrawn in place on a terminal, or printed one after the other."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
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

from noughts_client.terminal.printing import tell
from noughts_client.terminal.text import IDLE, Fragments, join, newest, plain, squeeze, wrap

CHAT_ROWS = 3
"""The rows below the input that chat may take from a page that fills the window. It always gets one."""

TO_THE_TOP = 10_000
"""More lines than any page has."""

KEYS = ("left", "right", "home", "end", "space", "n", "p", "q", "v")
"""The keys that a page may bind to a line."""


def steady_ms() -> float:
    """The local time of a clock that is never set. It says nothing about the time of day."""
    return time.monotonic() * 1000


def never(_: float) -> None:
    """``changes_in`` of a page that does not change."""


Body = Callable[[int, float], list[Fragments]]
"""The lines of a page for a number of columns, at a time of :func:`steady_ms`."""


@dataclass(frozen=True)
class Page:
    """The content of the screen: the ``body``, a ``notice``, and ``prompt`` before the input.

    ``stay`` leaves the body on the terminal after the end. ``changes_in`` gives the ms until the body changes with time
    alone, or None. ``chat`` are the last of ``chat_count`` chat lines. ``keys`` maps prompt_toolkit's names of keys to
    lines: while the input is empty, such a key enters its line. ``compact`` replaces the body in a window that has too
    few rows for it. A page that is too high for the window shows its end, or its ``top``.
    """

    body: Body
    prompt: str
    notice: str = ""
    stay: bool = False
    changes_in: Callable[[float], float | None] = never
    chat: list[str] = field(default_factory=list)
    chat_count: int = 0
    keys: Mapping[str, str] = field(default_factory=dict)
    compact: Body | None = None
    top: bool = False


class LineQueue:
    """Lines that were typed and not read yet, for one reader at a time."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._ended = False
        self._changed = asyncio.Event()

    def add(self, line: str) -> None:
        """Append a line."""
        self._lines.append(line)
        self._changed.set()

    def put_back(self, line: str) -> None:
        """Return a line that was read too early: it comes next."""
        self._lines.appendleft(line)
        self._changed.set()

    def end(self) -> None:
        """No more lines will come."""
        self._ended = True
        self._changed.set()

    async def next(self) -> str:
        """The next line. Raises EOFError at the end."""
        while not self._lines:
            if self._ended:
                raise EOFError
            self._changed.clear()
            await self._changed.wait()
        return self._lines.popleft()


class Screen(Protocol):
    """Shows pages and reads lines. ``scripted``: the input is not a terminal; lines may come early, and must wait."""

    scripted: bool
    lines: LineQueue

    def show(self, page: Page) -> None:
        """Show ``page`` in place of the last one."""

    def remark(self, text: str) -> None:
        """Show ``text`` as the notice of the page, until the next page is shown."""

    async def line(self) -> str:
        """The next typed line. Raises EOFError at the end of the input, and on Ctrl-C and Ctrl-D."""

    async def close(self) -> None:
        """Leave the terminal as it was."""


def fitting_screen() -> Screen:
    """The screen for this process's input and output."""
    if sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb_terminal():
        return FullScreen()
    return PlainScreen()


class FullScreen:
    """Draws on the terminal's alternate screen, in colour unless ``NO_COLOR`` is set in the environment."""

    scripted = False

    def __init__(self) -> None:
        self._page = Page(lambda *_: [], "")
        self._scroll = 0
        self._body_rows = 0
        self._tick: asyncio.TimerHandle | None = None
        self.lines = LineQueue()
        self._buffer = Buffer(accept_handler=self._accept, multiline=False)
        self._app: Application[None] = Application(
            Layout(
                HSplit(
                    [
                        Window(FormattedTextControl(self._body), dont_extend_height=True),
                        Window(
                            BufferControl(self._buffer, [BeforeInput(lambda: self._page.prompt)]),
                            height=1,
                            # Scrolls sideways only as far as the cursor needs, and back for the next line.
                            get_horizontal_scroll=lambda _: 0,
                        ),
                        Window(FormattedTextControl(self._chat), height=Dimension(preferred=0)),
                    ]
                )
            ),
            key_bindings=self._keys(),
            full_screen=True,
        )
        self._running: asyncio.Task[None] | None = None

    def show(self, page: Page) -> None:
        if (page.prompt, page.notice) != (self._page.prompt, self._page.notice):
            self._scroll = TO_THE_TOP if page.top else 0  # elsewhere what is new shows at the end
        self._page = page
        if self._running is None:
            self._running = asyncio.create_task(self._app.run_async(handle_sigint=False))
            self._running.add_done_callback(lambda _: self.lines.end())
        self._redraw()

    def remark(self, text: str) -> None:
        self.show(replace(self._page, notice=text))

    async def line(self) -> str:
        return await self.lines.next()

    async def close(self) -> None:
        if self._tick is not None:
            self._tick.cancel()
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})
        if self._page.stay:
            columns = self._app.output.get_size().columns
            print_formatted_text(FormattedText(join(self._page.body(columns, steady_ms()))), end="")

    def _redraw(self) -> None:
        """Draw the page now, and again as soon as time changes it."""
        self._app.invalidate()
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
        wait_ms = self._page.changes_in(steady_ms())
        if wait_ms is not None:
            self._tick = asyncio.get_running_loop().call_later(wait_ms / 1000, self._redraw)

    def _accept(self, buffer: Buffer) -> bool:
        self.lines.add(buffer.text)
        return False

    def _body(self) -> FormattedText:
        size = self._app.output.get_size()
        page, notice = self._page, wrap(self._page.notice, size.columns)
        lines = page.body(size.columns, steady_ms()) + notice
        wanted = sum(len(wrap(line, size.columns)) for line in page.chat)
        chat_rows = min(wanted, max(1, min(CHAT_ROWS, size.rows - 1 - _least_rows(lines))))
        height = size.rows - 1 - chat_rows
        if page.compact is not None and _least_rows(lines) > height:
            lines = page.compact(size.columns, steady_ms()) + notice
        self._scroll = max(0, min(self._scroll, _least_rows(lines) - height))
        self._body_rows = min(len(lines), height)
        return FormattedText(join(squeeze(lines, height, self._scroll))[:-1])

    def _chat(self) -> FormattedText:
        """The last chat lines, in the rows below the input: there they move nothing else."""
        size = self._app.output.get_size()
        rows = size.rows - 1 - self._body_rows
        return FormattedText(join(newest(self._page.chat, size.columns, rows))[:-1])

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def leave(event: KeyPressEvent) -> None:
            event.app.exit()

        def up(_: KeyPressEvent) -> None:
            self._scroll += 1

        def down(_: KeyPressEvent) -> None:
            self._scroll -= 1

        def enter(key: str) -> Callable[[KeyPressEvent], None]:
            return lambda _: self.lines.add(self._page.keys[key])

        for key in KEYS:
            keys.add(key, filter=Condition(partial(self._is_bound, key)))(enter(key))
        keys.add("c-c")(leave)
        keys.add("c-d", filter=Condition(lambda: not self._buffer.text))(leave)
        keys.add("up")(up)
        keys.add("down")(down)
        return keys

    def _is_bound(self, key: str) -> bool:
        return key in self._page.keys and not self._buffer.text


def _least_rows(lines: list[Fragments]) -> int:
    """The number of rows that ``lines`` take without the empty ones."""
    return len([line for line in lines if line])


class PlainScreen:
    """Prints pages one after the other as plain text, and only the parts that have changed."""

    def __init__(self) -> None:
        self.scripted = not sys.stdin.isatty()
        self._printed, self._printed_ms = "", steady_ms()
        self._prompt = ""
        self._chat_count = 0
        self.lines = LineQueue()
        self._thread: threading.Thread | None = None

    def show(self, page: Page) -> None:
        columns, now = shutil.get_terminal_size().columns, steady_ms()
        parts = []
        # Compared at the same time: ticking clocks alone are not printed again.
        if plain(page.body(columns, self._printed_ms)) != self._printed:
            self._printed, self._printed_ms = plain(page.body(columns, now)), now
            parts += ["", self._printed]
        if page.chat_count > self._chat_count:
            parts += page.chat[self._chat_count - page.chat_count :]
        if page.notice:
            parts.append(page.notice)
        if page.prompt != IDLE and (parts or page.prompt != self._prompt):
            parts.append(page.prompt.rstrip())
        if parts:
            lines = "\n".join(parts).split("\n")
            tell(*lines)  # printable: a server must not send commands to the terminal
        self._prompt, self._chat_count = page.prompt, page.chat_count

    def remark(self, text: str) -> None:
        tell(text)

    async def line(self) -> str:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._thread.start()
        return await self.lines.next()

    async def close(self) -> None:
        """Do nothing: the terminal was never changed."""

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read in a thread, since a loop cannot wait for a file.

        It reads from the descriptor, since the lock of ``sys.stdin`` would delay the program's end.
        """
        rest = b""
        with suppress(RuntimeError):  # the loop is closed
            while data := _read_input():
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    loop.call_soon_threadsafe(self.lines.add, line.decode(errors="replace"))
            if rest:
                loop.call_soon_threadsafe(self.lines.add, rest.decode(errors="replace"))
            loop.call_soon_threadsafe(self.lines.end)


def _read_input() -> bytes:
    try:
        return os.read(0, 4096)
    except OSError:  # the terminal is gone
        return b""
