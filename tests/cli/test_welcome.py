"""The lines that a server prints when it listens."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from noughts.cli.welcome import invitation, slow_games, welcome
from noughts.config import Settings
from noughts.protocol.qr import qr_rows, qr_text

SLOW = "searched slowly, as numba is not installed: pip install numba"


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (["Reversi"], f"Reversi is {SLOW}"),
        (["Reversi", "Gomoku"], f"Reversi and Gomoku are {SLOW}"),
        (["Connect Four", "Reversi", "Gomoku"], f"Connect Four, Reversi and Gomoku are {SLOW}"),
    ],
)
def test_games_without_kernels_are_listed(titles: list[str], expected: str) -> None:
    assert slow_games(titles) == expected


def test_the_welcome_shows_where_to_connect_and_hides_passwords(capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings(journal="postgresql://noughts:sesame@db/games", bus="mqtt://noughts:sesame@broker")
    welcome(settings, ["ws://127.0.0.1:9000/ws", "ws://10.0.0.1:9000/ws"], 9000, "node1")
    assert capsys.readouterr().out.splitlines() == [
        "Noughts is listening. Connect to",
        "    ws://10.0.0.1:9000/ws",
        "    ws://127.0.0.1:9000/ws  (from this machine)",
        "Others in this network join",
        "    in a browser:    http://10.0.0.1:9000/",
        "    in a terminal:   noughts play --url 10.0.0.1:9000",
        "    with a bot:      noughts bot my_bot.py --url 10.0.0.1:9000",
        "Games are kept in postgresql://noughts:***@db/games",
        "Play in another terminal of this machine with:  noughts play --url 127.0.0.1:9000",
        "This is node node1 on the bus mqtt://noughts:***@broker",
    ]


def test_a_server_at_one_address_of_the_network_is_played_there(capsys: pytest.CaptureFixture[str]) -> None:
    welcome(Settings(journal="memory"), ["ws://10.0.0.1:8765/ws"], 8765)
    assert capsys.readouterr().out.endswith("of this machine with:  noughts play --url 10.0.0.1\n")


def test_the_default_port_needs_no_url(capsys: pytest.CaptureFixture[str]) -> None:
    welcome(Settings(journal="memory"), ["ws://127.0.0.1:8765/ws"], 8765)
    assert "Games are kept in memory, until the server stops\n" in (out := capsys.readouterr().out)
    assert out.endswith("with:  noughts play\n")
    assert "Others" not in out


def test_a_server_without_a_page_invites_to_terminals_only(capsys: pytest.CaptureFixture[str]) -> None:
    welcome(Settings(journal="memory", page=False), ["ws://127.0.0.1:8765/ws", "ws://10.0.0.1:8765/ws"], 8765)
    out = capsys.readouterr().out
    assert "noughts play --url 10.0.0.1\n" in out
    assert "browser" not in out


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, columns: int, lines: int) -> Iterator[None]:
    """Stdout is a terminal of this size."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    try:
        with open(theirs, "w") as stdout, monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stdout)
            yield
    finally:
        os.close(ours)


def test_a_terminal_with_room_shows_the_code_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = qr_text(qr_rows("http://10.0.0.1:8765/"))
    with terminal(monkeypatch, 80, 24):
        lines = invitation("ws://10.0.0.1:8765/ws", page=True)
    assert [line.removeprefix("\x1b[30;107m").removesuffix("\x1b[0m") for line in lines[4:]] == expected
    assert len(expected) < 24


@pytest.mark.parametrize(("columns", "lines"), [(20, 24), (80, 10)])
def test_a_terminal_without_room_shows_no_code(monkeypatch: pytest.MonkeyPatch, columns: int, lines: int) -> None:
    with terminal(monkeypatch, columns, lines):
        assert len(invitation("ws://10.0.0.1:8765/ws", page=True)) == 4
