from __future__ import annotations

import sys
from io import StringIO

import pytest

from noughts_client.terminal.printing import tell

LINK = "http://example.org/#join=abcdefghijklmnopqrstuvwxyz"


class Terminal(StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_lines_break_between_words_and_links_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "30")
    tell("Your token is in this file. Whoever has it can play as you.", f"Open: {LINK}", "a\x1b[31mb")
    tell("Come back with: noughts play --room abcdefgh --url 127.0.0.1:1")
    assert terminal.getvalue().splitlines() == [
        "Your token is in this file.",
        "Whoever has it can play as",
        "you.",
        "Open:",
        LINK,
        "a?[31mb",
        "Come back with:",
        "noughts play --room abcdefgh --url 127.0.0.1:1",
    ]


def test_elsewhere_each_sentence_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    tell("A sentence of many words.", "\n  Another one.")
    tell("An error.", error=True)
    assert capsys.readouterr() == ("A sentence of many words.\n\n  Another one.\n", "An error.\n")
