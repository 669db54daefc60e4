"""What is printed where nothing can be drawn in place."""

import time
from functools import partial

import pytest

from noughts_client.terminal.screen import Lines, Page
from noughts_client.terminal.view import text


def page(words: str, *, said: int = 0, note: str = "", asked: str = "> ") -> Page:
    talk = [f"player-2: line {number}" for number in range(1, said + 1)][-2:]
    return Page(lambda width, _: text(words, width), asked, note, talk=talk, said=said)


def test_what_was_said_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    lines.show(page("board", said=1))
    assert capsys.readouterr().out == "\nboard\nplayer-2: line 1\n"
    lines.show(page("board", said=1))
    assert capsys.readouterr().out == ""
    lines.show(page("board", said=3, note="a note"))
    assert capsys.readouterr().out == "player-2: line 2\nplayer-2: line 3\na note\n"
    lines.show(page("another", said=9))
    assert capsys.readouterr().out == "\nanother\nplayer-2: line 8\nplayer-2: line 9\n"


def test_time_alone_prints_nothing_again(capsys: pytest.CaptureFixture[str]) -> None:
    def clock(move: str, _: int, here_ms: float) -> list[list[tuple[str, str]]]:
        return [[("", f"{move} at {here_ms}")]]

    lines = Lines()
    lines.show(Page(partial(clock, "first"), "> "))
    first = capsys.readouterr().out
    assert first.startswith("\nfirst at ")
    for note, printed in (("", ""), ("a note", "a note\n")):
        time.sleep(0.001)
        lines.show(Page(partial(clock, "first"), "> ", note))
        assert capsys.readouterr().out == printed
    lines.show(Page(partial(clock, "second"), "> "))
    second = capsys.readouterr().out
    assert second.startswith("\nsecond at ")
    assert second.rpartition(" ")[2] != first.rpartition(" ")[2]


def test_nothing_that_a_server_says_is_for_the_terminal_to_obey(capsys: pytest.CaptureFixture[str]) -> None:
    rooms = [[("", "1  player\x1b[2J - (open)")], [("", "2  \x9b31m")]]
    Lines().show(Page(lambda *_: rooms, "x\x1b[8m: ", "You play \x07.", talk=["player-2: \x1b"], said=1))
    assert capsys.readouterr().out.split("\n") == [
        "",
        "1  player?[2J - (open)",
        "2  ?31m",
        "player-2: ?",
        "You play ?.",
        "x?[8m:",
        "",
    ]
