"""Leaderboards and players' pages as they are printed."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from noughts.protocol.messages import LeaderboardInfo, OutcomeInfo, PlayerPage, RatedPlayer, SeatInfo
from noughts.ratings import rating_of
from noughts_client.terminal import standings
from support.rated import rated_game, registered
from support.server import free_port, running_server

TITLES = {"connect4": "Connect Four", "tictactoe": "Tic-tac-toe"}

PERFECT: RatedPlayer = {
    "id": "computer:perfect",
    "name": "minimax",
    "kind": "computer",
    "rating": 2150,
    "deviation": 50,
}
BOT: RatedPlayer = {"id": "p-2", "name": "bot-1", "kind": "bot", "rating": 1712, "deviation": 62, "games": 140}
ODD: RatedPlayer = {"id": "p-1", "name": "a\x1b[2J", "kind": "human", "rating": 987, "deviation": 101, "games": 9}
BOARD: LeaderboardInfo = {"type": "leaderboard", "game": "connect4", "pool": "blitz", "players": [PERFECT, BOT, ODD]}
ANN: SeatInfo = {"id": "p-1", "name": "ann", "kind": "human", "registered": True, "online": True}
MINIMAX: SeatInfo = {"id": "computer:easy", "name": "minimax", "kind": "computer", "online": True}
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
    "course": [
        {
            "game": "connect4",
            "pool": "blitz",
            "points": [{"at": "2026-11-20T12:00:05.104Z", "rating": rating} for rating in range(975, 988)],
        }
    ],
}


def test_a_leaderboard() -> None:
    assert standings.board_lines(BOARD, TITLES) == [
        "Connect Four, blitz",
        "",
        "    rating  deviation  games  player",
        "1.    2150         50  fixed  minimax (perfect)",
        "2.    1712         62    140  bot-1, a bot",
        "3.     987        101      9  a?[2J",
        "",
        *standings.UNLISTED,
    ]


def test_a_page() -> None:
    assert standings.page_lines(PAGE, TITLES) == [
        "ann, id p-1",
        "",
        "rating  deviation  games  at",
        "  987         101      9  Connect Four, blitz",
        " 1662?        290      1  Tic-tac-toe, bullet",
        "? is still uncertain",
        "",
        "won  drawn  lost  at",
        " 12      0     3  Connect Four",
        "",
        "The last ratings:",
        "Connect Four, blitz  978 979 980 981 982 983 984 985 986 987",
        "",
        "The last games:",
        "2026-11-20  Tic-tac-toe  ann - minimax (easy)  ann won (time)  rated  k3f9qzm2xw7ta",
        "2026-11-19  unheard-of   minimax (easy) - ann  drawn                  nl7tqk3f9qzm2",
    ]


def test_in_a_narrow_window_a_game_takes_two_lines() -> None:
    assert standings.page_lines(PAGE, TITLES, 90) == standings.page_lines(PAGE, TITLES)
    assert standings.page_lines(PAGE, TITLES, 60)[-4:] == [
        "2026-11-20  Tic-tac-toe  rated  k3f9qzm2xw7ta",
        "  ann - minimax (easy)  ann won (time)",
        "2026-11-19  unheard-of          nl7tqk3f9qzm2",
        "  minimax (easy) - ann  drawn",
    ]


def test_a_page_of_who_has_not_played() -> None:
    page: PlayerPage = {**PAGE, "ratings": [], "record": [], "games": [], "course": []}
    assert standings.page_lines(page, TITLES) == ["ann, id p-1", "", "No public game of this player is over yet."]


def test_nothing_that_a_server_says_is_for_the_terminal_to_obey() -> None:
    odd = "\x1b]0;x\x07"
    outcome: OutcomeInfo = {"winner": None, "reason": odd, "cells": []}
    page: PlayerPage = {
        **PAGE,
        "player": {**PAGE["player"], "id": odd},
        "games": [{**PAGE["games"][0], "room": odd, "ended_at": odd, "outcome": outcome}],
    }
    board: LeaderboardInfo = {**BOARD, "game": odd}
    printed = [*standings.page_lines(page, TITLES), *standings.board_lines(board, {})]
    assert all(line.isprintable() for line in printed)
    assert "?]0;x?  Tic-tac-toe  ann - minimax (easy)  drawn (?]0;x?)  rated  ?]0;x?" in printed


def test_a_name_may_be_as_wide_as_it_likes() -> None:
    wide = "ｗｉｄｅ"  # noqa: RUF001  # each of its letters takes two columns
    page: PlayerPage = {
        **PAGE,
        "games": [{**PAGE["games"][0], "seats": {"first": {**ANN, "name": wide}, "second": ANN}}],
    }
    assert standings.page_lines(page, TITLES)[-1].split("  ")[2:4] == [f"{wide} - ann", f"{wide} won (time)"]


async def test_they_are_asked_for_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url, registered(url, url) as (one, other):
        room = await rated_game(one, other, "first")
        assert await standings.player(url, "player-1") == 0
        printed = capsys.readouterr().out
        assert printed.startswith(f"player-1, id {one.id}\n")
        assert f"player-1 - player-2  player-1 won (resignation)  rated  {room}\n" in printed
        assert await standings.leaderboard(url, "connect4", "rapid") == 0
        perfect = rating_of("connect4", "perfect").rating
        assert capsys.readouterr().out.startswith(
            f"Connect Four, rapid\n\n    rating  deviation  games  player\n1.    {perfect:.0f}"
        )


async def test_they_are_asked_for_as_typed() -> None:
    async with running_server() as url, registered(url) as (one,):
        for words, first in (
            (("leaderboard", "connect4", "--pool", "classical"), "Connect Four, classical"),
            (("player", "Player-1"), f"player-1, id {one.id}"),
        ):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "noughts", *words, "--url", url),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
            said, _ = await asyncio.wait_for(process.communicate(), 60)
            assert (process.returncode, said.decode().splitlines()[0]) == (0, first)


async def test_what_cannot_be_had_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    async with running_server() as url:
        assert await standings.player(url, "player-9") == 1
        assert await standings.leaderboard(url, "chess", "blitz") == 1
    assert await standings.leaderboard(f"ws://127.0.0.1:{free_port()}/ws", "connect4", "blitz") == 1
    told = capsys.readouterr()
    assert told.out == ""
    unknown, no_game, nobody = told.err.splitlines()
    assert unknown == "There is no player of that id or registered name."
    assert no_game == "There is no game called 'chess' here."
    assert nobody.startswith("No server answers at ")
