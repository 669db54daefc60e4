"""``noughts bot``: programs and Python files at a table, and what it says about those that fail."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from noughts.engine import levels_of
from noughts.games import GAMES
from noughts.games.sentences import no_such_game, no_such_level
from noughts_client import Connection, play
from noughts_client.address import shortest
from support.command import errors_of, noughts
from support.command_aside import Ended, noughts_process
from support.server import running_server
from support.tracebacks import unmarked

CHOOSE = "def choose(state):\n    return state['legal_moves'][0]\n"


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("a.py", "--exec", "b"),
        ("--uci", "a", "--gtp", "b"),
    ],
)
def test_there_is_one_bot(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert "give one bot: FILE.py, or one of --exec, --uci, --gtp and --gomocup" in errors_of(capsys, "bot", *argv)


def test_what_is_no_bot_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'bot.txt' is not a bot: write FILE.py" in errors_of(capsys, "bot", "bot.txt")


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        (["no.py"], "There is no file no.py."),
        (["--exec", "no-such-program -x"], "There is no program no-such-program."),
        (["--uci", "cat", "--game", "gomoku"], "No UCI engine plays Gomoku."),
        (["--uci", "cat", "--game", "shogi"], f"{no_such_game('shogi', GAMES)} Engines need it on this machine."),
        (["BOT", "--game", "shogi"], no_such_game("shogi", GAMES)),
        (["BOT", "--against", "greatest"], no_such_level("Tic-tac-toe", "greatest", levels_of(GAMES["tictactoe"]))),
        (["BOT", "--room", "nosuchroom"], "There is no room with that id."),
        (["BOT", "--clock", "3"], "Write a clock as 3+2 "),
        (["BOT", "--log", "no/such/log"], "cannot write to no/such/log: No such file or directory"),
        (["BOT", "--url", "127.0.0.1:1"], "No server answers at ws://127.0.0.1:1/ws."),
    ],
)
async def test_what_cannot_be_done_is_said_in_a_line(argv: list[str], error: str, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(CHOOSE)
    argv = [str(bot) if word == "BOT" else word for word in argv]
    async with running_server() as url:
        ended = await asyncio.to_thread(noughts, "bot", "--url", url, *argv)
    assert (ended.status, ended.out) == (1, b"")
    *before, line = ended.err.splitlines()
    assert line.startswith(f"noughts bot: {error}")
    assert all(each.startswith("Still waiting for ") for each in before)  # if the machine is busy


async def test_a_bot_that_fails_resigns_and_plays_the_next_game(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "def choose(state):\n"
        "    if state.side == 'first' and state['turn'] == 2:\n"
        "        return state['rows']['e4']\n"
        "    return state['legal_moves'][0]\n"
    )
    async with running_server() as url:
        ended = await noughts_process("bot", "bot.py", "--url", url, "--games", "3", folder=tmp_path)
    assert ended.status == 1
    assert ended.out.count("Lost as X against computer (best), by resignation") == 2
    (lost,) = re.findall(r"as O against computer \(best\), to three in a row, in room (\w+)\n", ended.out)
    assert ended.out.endswith(f"\nTo see where it lost: noughts review {lost} --url {shortest(url)}\n")
    room = ended.out.split()[1]
    reason = "The bot raised TypeError: list indices must be integers or slices, not str."
    assert re.fullmatch(
        rf"{reason}\nTraceback \(most recent call last\):\n"
        r"  File \".*bot\.py\", line 3, in choose\n    return state\['rows'\]\['e4'\]\n.*"
        r"TypeError: list indices must be integers or slices, not str\n"
        rf"The position in room {room}, with 'x' at turn 2:\n  x\.\.\n  \.o\.\n  \.\.\.\n"
        rf"{reason}\n.*noughts bot: the bot failed in 2 games, and resigned there\n",
        ended.err,
        re.DOTALL,
    ), ended.err


async def test_a_game_that_was_won_needs_no_review(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(CHOOSE)
    async with running_server() as url, Connection(url, name="ann", bot=True) as other:
        seats = {"first": "open", "second": "me"}
        room = (await other.request({"type": "create", "game": "tictactoe", "seats": seats}))["room"]
        playing = asyncio.create_task(play(lambda state: str(min(state["legal_moves"])), other, tell=lambda _: None))
        ended = await noughts_process("bot", "bot.py", "--url", url, "--room", room, folder=tmp_path)
        assert await playing == ["lost"]
    assert ended == Ended(0, f"Room {room}\nWon as X against ann, with three in a row, in room {room}\n", "")


async def test_what_a_bot_prints_goes_to_stderr_or_with_both_sides_of_the_talk_to_the_log(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text("def choose(state):\n    print('hm')\n    return state['legal_moves'][0]\n")
    async with running_server() as url:
        shown = await noughts_process("bot", "my_bot.py", "--url", url, folder=tmp_path)
        ended = await noughts_process("bot", "my_bot.py", "--url", url, "--log", "log", folder=tmp_path)
    assert (shown.status, set(shown.err.splitlines())) == (0, {"hm"})
    assert (ended.status, ended.err) == (0, "")
    log = (tmp_path / "log").read_text()
    assert '> {"game":"tictactoe"' in log
    assert "\n< " in log
    assert "hm\n" in log
    assert '"name":"my_bot"' in log


def said(file: Path) -> bool:
    """True if a whole line is in a file."""
    return file.exists() and file.read_text().endswith("\n")


async def test_ctrl_c_ends_the_program_too(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "import os, time\n"
        "def choose(state):\n"
        "    with open('pid', 'w') as file: file.write(f'{os.getpid()}\\n')\n"
        "    time.sleep(600)\n"
    )
    pid = tmp_path / "pid"
    async with running_server() as url:
        ended = await noughts_process("bot", "bot.py", "--url", url, folder=tmp_path, interrupt_when=lambda: said(pid))
    room = ended.out.split()[1]
    assert ended.status == 130
    assert unmarked(ended.err) == (
        f"Stopped. The game in room {room} is resigned.\nTraceback (most recent call last):\n"
        f'  File "{tmp_path}/bot.py", line 4, in choose\n    time.sleep(600)\n'
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
