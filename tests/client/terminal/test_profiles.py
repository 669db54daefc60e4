"""Printed leaderboards and profiles."""

from __future__ import annotations

import pytest

from noughts.protocol.player_messages import LeaderboardInfo, PlayerPage, RatedPlayer
from noughts.protocol.room_messages import OutcomeInfo, SeatInfo
from noughts.protocol.words import WORDS
from noughts.ratings import rating_of
from noughts_client.terminal import profiles
from support.ports import free_port
from support.rated import rated_game, registered
from support.server import running_server

TITLES = {"connect4": "Connect Four", "tictactoe": "Tic-tac-toe"}

PERFECT: RatedPlayer = {
    "id": "computer:perfect",
    "name": "computer",
    "kind": "computer",
    "rating": 2150,
    "deviation": 50,
}
BOT: RatedPlayer = {"id": "p-2", "name": "bot-1", "kind": "bot", "rating": 1712, "deviation": 62, "games": 140}
ODD: RatedPlayer = {"id": "p-1", "name": "a\x1b[2J", "kind": "human", "rating": 987, "deviation": 101, "games": 9}
BOARD: LeaderboardInfo = {"type": "leaderboard", "game": "connect4", "pool": "blitz", "players": [PERFECT, BOT, ODD]}
GUESSED: RatedPlayer = {**PERFECT, "fixed": True, "measured": False}
ANN: SeatInfo = {"id": "p-1", "name": "ann", "kind": "human", "registered": True, "online": True}
MINIMAX: SeatInfo = {"id": "computer:easy", "name": "computer", "kind": "computer", "online": True}
PAGE: PlayerPage = {
    "type": "player",
    "player": {"id": "p-1", "name": "ann", "kind": "human", "registered": True},
    "ratings": [
        {"game": "connect4", "pool": "blitz", "rating": 987, "deviation": 101, "provisional": False, "games": 9},
        {"game": "tictactoe", "pool": "bullet", "rating": 1662, "deviation": 290, "provisional": True, "games": 1},
    ],
    "record": [{"game": "connect4", "won": 12, "drawn": 0, "lost": 3}],
    "games": [
        {
            "room": "k3f9qzm2xw7ta",
            "game": "tictactoe",
            "ended_at": "2026-11-20T12:00:05.104Z",
            "rated": True,
            "seats": {"first": ANN, "second": MINIMAX},
            "outcome": {"winner": "first", "reason": "time", "cells": []},
        },
        {
            "room": "nl7tqk3f9qzm2",
            "game": "unheard-of",
            "ended_at": "2026-11-19T12:00:05.104Z",
            "rated": False,
            "seats": {"first": MINIMAX, "second": ANN},
            "outcome": {"winner": None, "reason": "draw", "cells": []},
        },
    ],
    "best": [
        {
            "room": "3f9qzm2xw7tak",
            "game": "connect4",
            "ended_at": "2026-11-18T12:00:05.104Z",
            "rated": True,
            "seats": {"first": {**MINIMAX, "id": "p-2", "name": "bot-1", "kind": "bot"}, "second": ANN},
            "outcome": {"winner": "second", "reason": "line", "cells": []},
            "rating": 1712,
        },
    ],
    "course": [
        {
            "game": "connect4",
            "pool": "blitz",
            "points": [{"at": "2026-11-20T12:00:05.104Z", "rating": rating} for rating in range(975, 988)],
        }
    ],
}


def test_a_leaderboard() -> None:
    assert profiles.leaderboard_lines(BOARD, TITLES) == [
        "Connect Four, blitz",
        "",
        "    rating  deviation  games  player",
        "1.    2150         50  fixed  computer (best)",
        "2.    1712         62    140  bot-1, a bot",
        "3.     987        101      9  a?[2J",
        "",
        *profiles.UNLISTED,
    ]


def test_a_level_that_nobody_has_measured_has_no_rating() -> None:
    assert profiles.leaderboard_lines({**BOARD, "players": [BOT, GUESSED]}, TITLES)[2:5] == [
        "          rating  deviation  games  player",
        "1.          1712         62    140  bot-1, a bot",
        "    not measured                    computer (best)",
    ]


def test_a_profile() -> None:
    assert profiles.profile_lines(PAGE, TITLES, WORDS) == [
        "ann, id p-1",
        "",
        "rating  deviation  games  game",
        "  987         101      9  Connect Four, blitz",
        " 1662?        290      1  Tic-tac-toe, bullet",
        "? marks a provisional rating",
        "",
        "won  drawn  lost  game",
        " 12      0     3  Connect Four",
        "",
        "Best wins:",
        "1712  bot-1  Connect Four  3f9qzm2xw7tak",
        "",
        "Rating history:",
        "Connect Four, blitz  978 979 980 981 982 983 984 985 986 987",
        "",
        "Latest games:",
        "2026-11-20  Tic-tac-toe  ann - computer (easy)  ann won on time  rated  k3f9qzm2xw7ta",
        "2026-11-19  unheard-of   computer (easy) - ann  draw                    nl7tqk3f9qzm2",
    ]


def test_a_game_takes_two_lines_in_a_narrow_window() -> None:
    assert profiles.profile_lines(PAGE, TITLES, WORDS, width=90) == profiles.profile_lines(PAGE, TITLES, WORDS)
    assert profiles.profile_lines(PAGE, TITLES, WORDS, width=60)[-4:] == [
        "2026-11-20  Tic-tac-toe  rated  k3f9qzm2xw7ta",
        "  ann - computer (easy)  ann won on time",
        "2026-11-19  unheard-of          nl7tqk3f9qzm2",
        "  computer (easy) - ann  draw",
    ]


def test_a_profile_of_a_player_without_games() -> None:
    page: PlayerPage = {**PAGE, "ratings": [], "record": [], "games": [], "best": [], "course": []}
    assert profiles.profile_lines(page, TITLES, WORDS) == [
        "ann, id p-1",
        "",
        "This player has not finished a public game yet.",
    ]


def test_text_from_a_server_cannot_control_the_terminal() -> None:
    odd = "\x1b]0;x\x07"
    outcome: OutcomeInfo = {"winner": None, "reason": odd, "cells": []}
    page: PlayerPage = {
        **PAGE,
        "player": {**PAGE["player"], "id": odd},
        "games": [{**PAGE["games"][0], "room": odd, "ended_at": odd, "outcome": outcome}],
    }
    board: LeaderboardInfo = {**BOARD, "game": odd}
    printed = [*profiles.profile_lines(page, TITLES, WORDS), *profiles.leaderboard_lines(board, {})]
    assert all(line.isprintable() for line in printed)
    assert "?]0;x?  Tic-tac-toe  ann - computer (easy)  draw by ?]0;x?  rated  ?]0;x?" in printed


def test_wide_characters_keep_the_columns_aligned() -> None:
    wide = "ｗｉｄｅ"  # noqa: RUF001  # each of its letters takes two columns
    page: PlayerPage = {
        **PAGE,
        "games": [{**PAGE["games"][0], "seats": {"first": {**ANN, "name": wide}, "second": ANN}}],
    }
    assert profiles.profile_lines(page, TITLES, WORDS)[-1].split("  ")[2:4] == [f"{wide} - ann", f"{wide} won on time"]


async def test_profiles_and_leaderboards_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url, registered(url, url) as (one, other):
        room = await rated_game(one, other, "first")
        assert await profiles.player(url, "player-1") == 0
        printed = capsys.readouterr().out
        assert printed.startswith(f"player-1, id {one.id}\n")
        assert f"player-1 - player-2  player-1 won by resignation  rated  {room}\n" in printed
        assert await profiles.leaderboard(url, "connect4", "rapid") == 0
        perfect = rating_of("connect4", "perfect").rating
        assert capsys.readouterr().out.startswith(
            f"Connect Four, rapid\n\n    rating  deviation  games  player\n1.    {perfect:.0f}"
        )


async def test_errors_are_printed_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url:
        assert await profiles.player(url, "player-9") == 1
        assert await profiles.leaderboard(url, "shogi", "blitz") == 1
    assert await profiles.leaderboard(f"ws://127.0.0.1:{free_port()}/ws", "connect4", "blitz") == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    _, no_game, no_server = printed.err.splitlines()
    assert "shogi" in no_game
    assert no_server.startswith("No server answers at ")
