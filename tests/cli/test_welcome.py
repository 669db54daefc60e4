"""What a server prints when it listens."""

from __future__ import annotations

import pytest

from noughts.cli.welcome import slow_games, welcome
from noughts.config import Settings

SLOW = "searched slowly, without numba. Install it from the project's directory: pip install '.[fast]'"


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
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "Noughts is listening. Connect to",
        "    ws://127.0.0.1:9000/ws",
        "    ws://10.0.0.1:9000/ws",
    ]
    assert lines[-3:] == [
        "Games are kept in postgresql://noughts:***@db/games",
        "Play in another terminal with:  noughts play --url ws://127.0.0.1:9000/ws",
        "This is node node1 on the bus mqtt://noughts:***@broker",
    ]


def test_the_default_port_needs_no_url(capsys: pytest.CaptureFixture[str]) -> None:
    welcome(Settings(journal="memory"), ["ws://127.0.0.1:8765/ws"], 8765)
    assert "Games are kept in memory, until the server stops\n" in (out := capsys.readouterr().out)
    assert out.endswith("with:  noughts play\n")
