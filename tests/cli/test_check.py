"""``noughts check``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from noughts.conformance import bot
from noughts.conformance.server import CHECKS
from noughts.games import GAMES
from support.altered import altered
from support.command import errors_of, noughts
from support.ports import free_port
from support.server import running_server

pytestmark = pytest.mark.slow


async def test_a_server_that_keeps_to_the_protocol() -> None:
    async with running_server(messages_per_s=100, burst=200) as url:
        done = await asyncio.to_thread(noughts, "check", url)
    lines = done.out.decode().splitlines()
    assert (done.status, done.err) == (0, "")
    assert lines == [*(f"ok      {name}" for name in CHECKS), f"{len(CHECKS)} checks, all ok."]


def takes_all_moves(message: dict[str, Any], _: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if message.get("code") == "illegal_move":
        message = {"type": "ok", "id": message["id"], "version": 4}
    yield message


async def test_a_server_that_does_not() -> None:
    async with running_server(messages_per_s=100, burst=200) as url, altered(url, takes_all_moves) as wrong:
        done = await asyncio.to_thread(noughts, "check", wrong)
        as_json = await asyncio.to_thread(noughts, "check", wrong, "--json")
    lines = done.out.decode().splitlines()
    assert (done.status, as_json.status) == (1, 1)
    fault = lines.index(
        "FAILED  wrong moves are refused and change nothing: the answer should be an error with the code `illegal_move`"
    )
    assert lines[fault + 1].startswith('          > {"id":')
    assert lines[fault + 2].endswith('"version":4}')
    assert lines[-1] == f"1 of {len(CHECKS)} checks failed."
    report = json.loads(as_json.out)
    assert (report["subject"], report["ok"]) == (wrong, False)
    assert [check["quotes"][0][:2] for check in report["checks"] if not check["ok"]] == ["> "]


def test_no_server() -> None:
    port = free_port()
    done = noughts("check", f"localhost:{port}")
    assert (done.status, done.err) == (1, "")
    line, _ = done.out.decode().splitlines()
    server = f"No server answers at ws://localhost:{port}/ws. Start one with: noughts serve --port {port}"
    assert line == f"FAILED  a connection: {server}"


def test_what_to_check_has_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "noughts check: " in errors_of(capsys, "check")
    assert "not the address of a server" in errors_of(capsys, "check", "not a server")


def test_a_bot(tmp_path: Path) -> None:
    file = tmp_path / "first.py"
    file.write_text("def choose(state):\n    return state['legal_moves'][0]\n")
    done = noughts("check", "--bot", str(file), "--game", "breakthrough?size=5", "--seconds", "30")
    assert (done.status, done.err) == (0, "")
    names = [f"ok      breakthrough?size=5: {name}" for name in bot.CHECKS]
    assert done.out.decode().splitlines() == [*names, f"{len(names)} checks, all ok."]
    file.write_text("def choose(state):\n    return 'x'\n")
    done = noughts("check", "--bot", str(file))
    assert done.out.decode().startswith(
        "The game is tictactoe. To check the bot in others: --game KEY\nFAILED  tictactoe: "
    )
    done = noughts("check", "--bot", str(file), "--json")
    assert done.status == 1
    (check,) = json.loads(done.out)["checks"]
    assert check["problem"].startswith("The bot answered 'x', which is not a legal move. Legal moves: ")


def test_a_game() -> None:
    done = noughts("check", "--game", "tictactoe", "--game", "dots?size=2", "--games", "1", "--seed", "7")
    first, *checks, last = done.out.decode().splitlines()
    assert (done.status, done.err) == (0, "")
    assert first == "1 random game of each, with --seed 7"
    assert {check.split()[1] for check in checks} == {"tictactoe:", "dots?size=2:"}
    assert all(check.startswith("ok ") for check in checks)
    assert last == f"{len(checks)} checks, all ok."


def test_a_game_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(GAMES["tictactoe"], margin=lambda position: 7 if position.outcome.winner is None else 0)
    monkeypatch.setitem(GAMES, "tictactoe", wrong)
    done = noughts("check", "--game", "tictactoe", "--json")
    assert (done.status, done.err) == (1, "")
    report = json.loads(done.out)
    assert (report["subject"], report["ok"]) == ("tictactoe", False)
    (wrong_check,) = [check for check in report["checks"] if not check["ok"]]
    assert wrong_check["check"] == "tictactoe: margin and score agree with the winner"
    assert wrong_check["quotes"][0].startswith("after ")
    (ends,) = [check for check in report["checks"] if check["check"] == "tictactoe: it ends"]
    assert ends["note"] == "at most 9 plies in 20 random games"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("localhost", "--game", "tictactoe"), "name a server, or a --bot or --game, to check"),
        (("--game", "tictactoe", "--games", "0"), "must be a whole number from 1 to 10000, not '0'"),
        (("--bot", "nothing"), "is not a bot"),
        (("--bot", "computer:hard"), "part of the server"),
        (("--bot", "a.py", "--seconds", "0"), "must be a number greater than 0 and at most 3600, not '0'"),
        (("--bot", "a.py", "--game", "shogi"), "There is no game 'shogi'."),
        (("--bot", "a.py", "localhost"), "name a server, or a --bot or --game"),
    ],
)
def test_what_cannot_be_checked(arguments: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert problem in errors_of(capsys, "check", *arguments)
