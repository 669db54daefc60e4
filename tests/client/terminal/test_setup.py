"""Games that cannot be played or watched are refused with the reason."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from noughts_client.address import shortest
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal import join
from noughts_client.terminal.explainer import ExplainFile
from noughts_client.terminal.options import CommandError, Options, OwnServer
from noughts_client.terminal.screen import LineQueue, PlainScreen, Screen
from noughts_client.terminal.setup import choose_clock, set_up_play, set_up_watch
from noughts_client.terminal.view import title
from support.ports import free_port
from support.server import running_page, running_server

NO_OWN_SERVER = cast(OwnServer, None)
NOTHING_TO_EXPLAIN = cast(ExplainFile, None)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


class Script(PlainScreen):
    """The screen of a script whose input has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.scripted = True
        self.lines.end()
        self._thread = cast(Any, "not needed")


async def refusal(set_up: Any, url: str | None, **options: Any) -> str:
    """The reason why the command ends: its own message, or the code of the server's error."""
    async with AsyncExitStack() as stack:
        try:
            explain = [] if set_up is set_up_play else [NOTHING_TO_EXPLAIN]
            await set_up(stack, cast(Screen, Script()), Options(url=url, **options), NO_OWN_SERVER, *explain)
        except (CommandError, ConnectionLost) as error:
            return str(error)
        except RequestError as error:
            return error.code
    raise AssertionError("it was not refused")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"against": "nobody", "side": "X"},
            "Tic-tac-toe has no level 'nobody'. Its levels are best (the",
        ),
        (
            {"against": "perfect", "game": "gomoku"},
            "Gomoku has no level 'perfect'. Its levels are best (the",
        ),
        ({"against": "easy", "side": "Z"}, "No side 'Z' in Tic-tac-toe. Choose X, O or random."),
        ({"against": "easy", "side": "X", "clock": "3"}, "Write a clock as 3+2"),
        ({"clock": "3"}, "Write a clock as 3+2"),
        ({"against": "friend", "rated": True}, "A rated game is public"),
        ({"against": "easy", "rated": True}, "A rated game needs a clock: add for example --clock 3+2."),
        ({"against": "anybody", "side": "X"}, "The side against anybody is random: leave out --side."),
        ({"against": "easy", "side": "X", "clock": "3+2", "rated": True}, "not_allowed"),
        ({"against": "easy", "side": "X", "setup": (("size", "6"),)}, "not_allowed"),
        ({"against": "easy", "game": "shogi"}, "There is no game 'shogi'. The games are tictactoe, "),
        ({"game": "conect4"}, "There is no game 'conect4'. Did you mean connect4? "),
        ({"room": "none", "name": "player-1"}, "unknown_room"),
        ({"room": "none"}, "unknown_room"),
        ({"against": "friend", "name": " "}, "A name has 1 to 32 visible characters"),
    ],
)
async def test_a_game_that_cannot_be_played_is_refused(options: dict[str, Any], message: str) -> None:
    async with running_server() as url:
        assert (await refusal(set_up_play, url, **options)).startswith(message)


async def test_a_game_is_checked_before_any_question_without_a_server_too() -> None:
    assert (await refusal(set_up_play, None, game="conect4")).startswith("There is no game 'conect4'. Did you mean")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"between": ("easy", "easy"), "from_ply": 0}, "Two computers begin a new game"),
        ({"room": "aaaaaaaaaaaaa", "between": ("easy", "easy")}, "Two computers begin a new game"),
        (
            {"between": ("perfect", "godlike")},
            "Tic-tac-toe has no level 'godlike'. Its levels are best (the",
        ),
        (
            {"game": "gomoku", "between": ("perfect", "easy")},
            "Gomoku has no level 'perfect'. Its levels are best (the",
        ),
        ({}, "No public game is being played. Start one with: noughts play --against anybody --url 127.0.0.1:"),
    ],
)
async def test_a_game_that_cannot_be_watched_is_refused(options: dict[str, Any], message: str) -> None:
    async with running_server() as url:
        assert (await refusal(set_up_watch, url, **options)).startswith(message)


async def test_an_invitation_and_the_link_of_the_page_lead_to_the_same_seat() -> None:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_page())
        screen = cast(Screen, Script())
        options = Options(url=url, against="friend", side="X", name="ann")
        _, table = await set_up_play(stack, screen, options, NO_OWN_SERVER)
        link = table.link
        assert link is not None
        assert link.endswith(f"/rooms/{table.room}")
        assert table.invitation == f"noughts play {link}"
        assert (
            await refusal(set_up_play, "ws://127.0.0.2:1/ws", room=link)
            == f"The link leads to the server {shortest(url)}: leave out --url."
        )
        for room in (link.replace("/rooms/", "/room/"), link.partition("/rooms/")[0], "games/none.jsonl:"):
            told = await refusal(set_up_play, url, room=room)
            assert told.startswith(f"{room} is neither a room's id nor the link of a room's page")
        _, watched = await cast(Any, set_up_watch(stack, screen, Options(room=link), NO_OWN_SERVER, NOTHING_TO_EXPLAIN))
        assert (watched.room, watched.side) == (table.room, None)
        _, joined = await set_up_play(stack, screen, Options(room=link, name="bob"), NO_OWN_SERVER)
        assert (joined.room, joined.side) == (table.room, "second")


async def test_a_game_is_set_up_by_its_options() -> None:
    options: dict[str, Any] = {"game": "breakthrough", "setup": (("size", "6"),), "side": "White", "name": "ann"}
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(running_server())
        screen = cast(Screen, Script())
        for against in ("easy", "friend"):
            _, table = await set_up_play(stack, screen, Options(url=url, against=against, **options), NO_OWN_SERVER)
            assert [len(row) for row in table.game["layout"]] == [6] * 6
            assert "Size of the board: 6" in title(table)


async def test_a_missing_server_is_reported() -> None:
    nowhere = f"ws://127.0.0.1:{free_port()}/ws"
    for set_up in (set_up_play, set_up_watch):
        assert (await refusal(set_up, nowhere, against="easy")).startswith("No server answers at ws://")


@pytest.mark.parametrize("options", [{"room": "aaaaaaaaaaaaa"}, {"against": "anybody", "name": "player-1"}])
async def test_no_server_is_started_to_meet_other_players(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.setattr(join, "DEFAULT_URL", f"ws://127.0.0.1:{port}/ws")

    @asynccontextmanager
    async def own_server() -> AsyncIterator[str]:
        raise AssertionError("a server was started")
        yield ""

    async with AsyncExitStack() as stack:
        with pytest.raises(ConnectionLost, match=f"Start one with: noughts serve --port {port}"):
            await set_up_play(stack, cast(Screen, Script()), Options(**options), own_server)


async def test_the_question_about_the_clock_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Script()
    screen.lines = LineQueue()
    for line in ("h", "10/move"):
        screen.lines.add(line)
    assert await choose_clock(cast(Screen, screen), None, ask=True) == {"per_move_s": 10.0}
    assert "A player who runs out of time loses." in capsys.readouterr().out
