"""Plain output, and the queue of typed lines."""

import asyncio
import time
from functools import partial

import pytest

from noughts_client.terminal.screen import LineQueue, Page, PlainScreen
from noughts_client.terminal.text import wrap


def page(words: str, *, chat_count: int = 0, notice: str = "", prompt: str = "> ") -> Page:
    chat = [f"player-2: line {number}" for number in range(1, chat_count + 1)][-2:]
    return Page(lambda width, _: wrap(words, width), prompt, notice, chat=chat, chat_count=chat_count)


def test_chat_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = PlainScreen()
    lines.show(page("board", chat_count=1))
    assert capsys.readouterr().out == "\nboard\nplayer-2: line 1\n"
    lines.show(page("board", chat_count=1))
    assert capsys.readouterr().out == ""
    lines.show(page("board", chat_count=3, notice="a notice"))
    assert capsys.readouterr().out == "player-2: line 2\nplayer-2: line 3\na notice\n"
    lines.show(page("another", chat_count=9))
    assert capsys.readouterr().out == "\nanother\nplayer-2: line 8\nplayer-2: line 9\n"


def test_a_remark_is_printed_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = PlainScreen()
    lines.show(page("board"))
    lines.remark("Too much.\x1b[2J")
    assert capsys.readouterr().out == "\nboard\nToo much.?[2J\n"


def test_time_alone_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    def clock(move: str, _: int, local_ms: float) -> list[list[tuple[str, str]]]:
        return [[("", f"{move} at {local_ms}")]]

    lines = PlainScreen()
    lines.show(Page(partial(clock, "first"), "> "))
    first = capsys.readouterr().out
    assert first.startswith("\nfirst at ")
    for notice, printed in (("", ""), ("a notice", "a notice\n")):
        time.sleep(0.001)
        lines.show(Page(partial(clock, "first"), "> ", notice))
        assert capsys.readouterr().out == printed
    lines.show(Page(partial(clock, "second"), "> "))
    second = capsys.readouterr().out
    assert second.startswith("\nsecond at ")
    assert second.rpartition(" ")[2] != first.rpartition(" ")[2]


def test_text_from_a_server_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    rooms = [[("", "1  player\x1b[2J - (open)")], [("", "2  \x9b31m")]]
    PlainScreen().show(Page(lambda *_: rooms, "x\x1b[8m: ", "You play \x07.", chat=["player-2: \x1b"], chat_count=1))
    assert capsys.readouterr().out.split("\n") == [
        "",
        "1  player?[2J - (open)",
        "2  ?31m",
        "player-2: ?",
        "You play ?.",
        "x?[8m:",
        "",
    ]


async def test_lines_come_in_order_and_a_returned_one_comes_first() -> None:
    lines = LineQueue()
    lines.add("1")
    lines.add("2")
    assert await lines.next() == "1"
    lines.put_back("1")
    assert [await lines.next(), await lines.next()] == ["1", "2"]


async def test_a_reader_waits_and_the_end_stays_the_end() -> None:
    lines = LineQueue()
    reading = asyncio.create_task(lines.next())
    await asyncio.sleep(0)
    assert not reading.done()
    lines.add("1")
    assert await reading == "1"
    lines.add("2")
    lines.end()
    assert await lines.next() == "2"
    for _ in range(2):
        with pytest.raises(EOFError):
            await lines.next()
