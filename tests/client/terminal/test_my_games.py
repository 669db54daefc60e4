"""The way back to a game: ``noughts games``, and the first lines of the menu of ``noughts play``."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

import pytest

from noughts_client import Connection
from noughts_client.terminal import my_games
from noughts_client.terminal.credentials import keep_seat, registration_path, write
from noughts_client.terminal.my_games import continue_line, unfinished
from noughts_client.terminal.options import Options, OwnServer
from noughts_client.terminal.screen import Page, PlainScreen, Screen
from noughts_client.terminal.setup import set_up_play
from support.client import connected
from support.ports import free_port
from support.server import running_server


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


class Menu(PlainScreen):
    """A screen with somebody who types a line, and keeps what was shown."""

    def __init__(self, *typed: str) -> None:
        super().__init__()
        self.scripted = False
        self.shown: list[str] = []
        self._typed = list(typed)

    def show(self, page: Page) -> None:
        self.shown += ["".join(text for _, text in line) for line in page.body(80, 0)]

    async def line(self) -> str:
        return self._typed.pop(0)


async def test_games_are_found_by_a_registered_name_and_by_seats_that_were_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with running_server() as url, connected(url, "bob") as bob, AsyncExitStack() as stack:
        async with Connection(url, name="ann") as ann:
            token = ann.welcome["token"]
            theirs = await bob.create()
            await ann.request({"type": "join", "room": theirs})
            untimed = await bob.create("open", "me")
            await ann.request({"type": "join", "room": untimed})
            over = await bob.create("open", "me")
            await ann.request({"type": "join", "room": over})
            await ann.request({"type": "resign", "room": over})
            write(registration_path(url), {"url": url, "name": "ann", "token": token})
        async with Connection(url) as guest:
            clock = {"initial_s": 180, "increment_s": 2}
            seats = {"first": "me", "second": "open"}
            answer = await guest.request({"type": "create", "game": "connect4", "seats": seats, "clock": clock})
            await bob.join(answer["room"])
            keep_seat(url, answer["room"], guest.welcome["token"])
        mine, untimed_game, other = await unfinished(url)
        assert continue_line(mine) == "Continue: Connect Four against bob, your turn, 3:00 left"
        assert continue_line(untimed_game) == "Continue: Tic-tac-toe against bob, your turn"
        assert continue_line(other) == "Continue: Tic-tac-toe against bob, bob to move"
        assert await my_games.games(url, 9, as_json=False) == 0
        printed = capsys.readouterr().out
        assert [line.split() for line in printed.splitlines()[:4]] == [
            ["Under", "way:"],
            [answer["room"], "Connect", "Four", "bob", "your", "turn", "3:00"],
            [untimed, "Tic-tac-toe", "bob", "your", "turn"],
            [theirs, "Tic-tac-toe", "bob", "bob", "to", "move"],
        ]
        assert f"{over}  " in printed
        assert "lost by resignation" in printed
        assert await my_games.games(url, 9, as_json=True) == 0
        shown = json.loads(capsys.readouterr().out)
        assert [game["room"] for game in shown["running"]] == [answer["room"], untimed, theirs]
        assert [game["room"] for game in shown["over"]] == [over]

        menu = Menu("")
        no_server = cast(OwnServer, None)
        connection, table = await set_up_play(stack, cast(Screen, menu), Options(url=url), no_server)
        assert menu.shown[1].strip() == "1  Continue: Connect Four against bob, your turn, 3:00 left"
        assert menu.shown[4].strip() == "4  the computer"
        assert (table.room, table.side) == (answer["room"], "first")
        await connection.request({"type": "play", "room": table.room, "turn": 0, "move": "4"})
        assert [one.game["room"] for one in await unfinished(url)] == [untimed, theirs], "the seat was taken again"


async def test_without_a_known_player_or_a_server_there_is_nothing_to_continue(
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = f"ws://127.0.0.1:{free_port()}/ws"
    assert await unfinished(url) == []
    assert await my_games.games(url, 9, as_json=False) == 0
    assert "noughts register NAME" in capsys.readouterr().out
    keep_seat(url, "room", "token")
    assert await unfinished(url) == []
    assert await my_games.games(url, 9, as_json=False) == 1
    assert "No server answers" in capsys.readouterr().err
