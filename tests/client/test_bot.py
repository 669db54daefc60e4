import asyncio
import os
import random
import re
import sys
from pathlib import Path

import pytest

from noughts.protocol.replay import replay
from noughts_client import (
    CLAIM_DRAW,
    BotError,
    BotState,
    Connection,
    ConnectionLost,
    RequestError,
    play,
    run,
    run_async,
)
from noughts_client.terminal.recordings import fetch
from support.client import connected
from support.ports import free_port
from support.server import running_server

PATIENCE_S = 20


def lowest(state: BotState) -> str:
    return str(min(state["legal_moves"]))


def quiet(_: str) -> None:
    """Print nothing."""


async def test_games_follow_each_other_with_the_sides_swapped() -> None:
    sides = []

    def bot(state: BotState) -> str:
        if state["ply"] < 2:
            sides.append(state["to_move"])
        return str(random.choice(state["legal_moves"]))

    printed: list[str] = []
    async with running_server() as url:
        results = await run_async(bot, url, games=3, tell=printed.append)
    assert sides == ["first", "second", "first"]
    assert printed[0].startswith("Room ")
    # The computer plays perfectly.
    room = r"in room [0-9a-z]{13}"
    for line, result, side in zip(printed[1:], results, "XOX", strict=True):
        reason = {"lost": ", to three in a row", "drawn": ""}[result]
        assert re.fullmatch(rf"{result.capitalize()} as {side} against computer \(best\){reason}, {room}", line)
    assert len(results) == 3


async def test_an_unknown_level_game_or_side_is_refused_with_the_known_ones() -> None:
    async with running_server() as url:
        with pytest.raises(
            ValueError,
            match=r"Tic-tac-toe has no level 'godlike'. .* against is anybody, invitations or open\.",
        ):
            await run_async(lowest, url, against="godlike", tell=quiet)
        with pytest.raises(ValueError, match=r"There is no game 'shogi'\."):
            await run_async(lowest, url, game="shogi", tell=quiet)
        with pytest.raises(ValueError, match="side is one of first, second, x, o, not 'z'"):
            await run_async(lowest, url, side="z", tell=quiet)


async def test_a_bot_must_play_at_least_one_game() -> None:
    async with running_server() as url, Connection(url, bot=True) as me:
        for games in (0, -1):
            with pytest.raises(ValueError, match="at least one game"):
                await play(lowest, me, games=games, tell=quiet)
            with pytest.raises(ValueError, match="at least one game"):
                await run_async(lowest, url, games=games, tell=quiet)


async def test_the_server_is_at_the_port_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOUGHTS_PORT", str(port := free_port()))
    with pytest.raises(ConnectionLost, match=f"No server answers at ws://127.0.0.1:{port}/ws"):
        await run_async(lowest, tell=quiet)


async def test_errors_reach_the_caller() -> None:
    async with running_server() as url:
        with pytest.raises(BotError, match="answered 'castle', which is not a legal move"):
            await run_async(lambda _: "castle", url, tell=quiet)
        with pytest.raises(RequestError, match="unknown_room"):
            await run_async(lowest, url, room="none", tell=quiet)
    with pytest.raises(ConnectionLost, match="No server answers"):
        await run_async(lowest, f"127.0.0.1:{free_port()}", tell=quiet)


async def test_a_bot_with_a_token_plays_under_its_registered_name(monkeypatch: pytest.MonkeyPatch) -> None:
    seats = []

    def bot(state: BotState) -> str:
        seats.append(state["seats"]["first"])
        return lowest(state)

    async with running_server() as url, connected(url, "bot-1", bot=True) as known:
        await known.ok(type="register")
        await run_async(bot, url, against="easy", token=known.token, tell=quiet)
        monkeypatch.setenv("NOUGHTS_TOKEN", known.token)
        await run_async(bot, url, against="easy", name="another", tell=quiet)
    assert {(seat["id"], seat["registered"]) for seat in seats if seat} == {(known.id, True)}


async def test_notes_are_in_the_record_of_the_game() -> None:
    def bot(state: BotState) -> tuple[str, str]:
        return lowest(state), f"{len(state['legal_moves'])} to choose from"

    printed: list[str] = []
    async with running_server() as url:
        await run_async(bot, url, against="easy", tell=printed.append)
        lines = await fetch(url, printed[0].removeprefix("Room "))
    assert lines is not None
    notes = [step.note for step in replay(lines) if step.note]
    assert notes[:2] == ["9 to choose from", "7 to choose from"]


async def test_a_long_note_is_cut_and_an_empty_one_is_not_sent() -> None:
    def bot(state: BotState) -> tuple[str, str]:
        return lowest(state), {0: "", 2: "x" + "é" * 1000}.get(state["ply"], "short")

    printed: list[str] = []
    async with running_server() as url:
        await run_async(bot, url, against="easy", tell=printed.append)
        lines = await fetch(url, printed[0].removeprefix("Room "))
    assert lines is not None
    assert [step.note for step in replay(lines) if step.note][:2] == ["x" + "é" * 511, "short"]


async def test_a_bot_claims_a_draw_when_the_position_has_come_up_three_times() -> None:
    claimed = []

    def shuffle(state: BotState) -> str:
        if "claim_draw" in state:
            claimed.append((state["claim_draw"], state["ply"]))
            return CLAIM_DRAW
        ways = {"first": ("g1f3", "f3g1"), "second": ("g8f6", "f6g8")}
        return ways[state.side][state["ply"] // 2 % 2]

    told: asyncio.Queue[str] = asyncio.Queue()
    async with running_server() as url:
        first = asyncio.create_task(run_async(shuffle, url, game="chess", against="open", tell=told.put_nowait))
        room = (await told.get()).removeprefix("Room ")
        second = await run_async(shuffle, url, room=room, tell=quiet)
        assert (await first, second) == (["drawn"], ["drawn"])
    assert claimed == [("repetition", 8)]
    assert (await told.get()).startswith("Drawn as White against bot, by repetition, ")


async def test_an_unknown_token_raises_value_error() -> None:
    async with running_server() as url:
        with pytest.raises(ValueError, match=r"The server at ws://.* does not know the token"):
            await run_async(lowest, url, token="A" * 43, tell=quiet)


async def test_wrong_options_are_refused_before_connecting() -> None:
    with pytest.raises(ValueError, match="against anybody a bot does not choose its side"):
        await run_async(lowest, "ws://127.0.0.1:1/ws", against="anybody", side="first")
    with pytest.raises(ValueError, match="A bot is a function"):
        await run_async(lambda: "5", "ws://127.0.0.1:1/ws")  # type: ignore[arg-type, misc]  # what the test is about
    with pytest.raises(ValueError, match="Write a clock as"):
        await run_async(lowest, "ws://127.0.0.1:1/ws", against="anybody", clock="soon")
    with pytest.raises(ValueError, match=r"Write 2s[+]0 for a clock"):
        await run_async(lowest, "ws://127.0.0.1:1/ws", clock="2s")
    with pytest.raises(ValueError, match="clock is a string, not 10"):
        await run_async(lowest, "ws://127.0.0.1:1/ws", clock=10)  # type: ignore[arg-type]  # what the test is about
    with pytest.raises(ValueError, match="not the address of a server"):
        await run_async(lowest, "no server")


async def program(path: Path, source: str, *arguments: str) -> tuple[int | None, str, str]:
    """Run a bot's file. Returns its status, stdout and stderr."""
    path.write_text(source)  # noqa: ASYNC240 - a few bytes
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(path),
        *arguments,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


BOT = """
import sys
from noughts_client import run
run(lambda state: state["legal_moves"][0], sys.argv[1], **eval(sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"against": "godlike"}, "Tic-tac-toe has no level 'godlike'. .*"),
        ({"side": "z"}, "side is one of first, second, x, o, not 'z'"),
        ({"game": "shogi"}, "There is no game 'shogi'. .*"),
        ({"clock": "soon"}, "Write a clock as .*"),
        ({"room": "none"}, r"There is no room with that id\."),
        ({"token": "A" * 43}, r"The server at ws://127\.0\.0\.1:\d+/ws does not know the token; .*"),
    ],
)
async def test_a_program_ends_with_one_plain_line(options: dict[str, str], line: str, tmp_path: Path) -> None:
    async with running_server() as url:
        status, out, err = await program(tmp_path / "my_bot.py", BOT, url, repr(options))
    assert (status, out) == (1, "")
    assert re.fullmatch(f"{line}\n", err), err


async def test_a_program_without_a_server_ends_with_one_plain_line(tmp_path: Path) -> None:
    port = free_port()
    ended = await program(tmp_path / "my_bot.py", BOT, f"127.0.0.1:{port}", "{}")
    line = f"No server answers at ws://127.0.0.1:{port}/ws. Start one with: noughts serve --port {port}\n"
    assert ended == (1, "", line)


BROKEN = """
import sys
from noughts_client import run

def best(moves):
    return moves[99]

def bot(state):
    return best(state["legal_moves"]) if state["ply"] > 1 else "5"

run(bot, sys.argv[1], against="easy")
"""


async def test_a_program_shows_the_traceback_of_its_bot_alone(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    async with running_server() as url, connected(url) as watcher:
        status, out, err = await program(file, BROKEN, url)
        room, *_ = re.findall(r"Room (\w+)", out)
        await watcher.ok(type="watch", room=room)
        outcome = (await watcher.push("room"))["state"]["outcome"]
    assert outcome["reason"] == "resignation"
    assert status == 1
    assert f"The bot failed in room {room} and resigns.\nLost as X against computer (easy), by" in out
    frames = re.findall(r'  File "(.*)", line (\d+), in (\w+)', err)
    assert frames == [(str(file), "9", "bot"), (str(file), "6", "best")]
    assert err.startswith(f"The bot failed in room {room}, with 'x' at turn 2.\nTraceback (most recent call last):\n")
    assert err.endswith("\nIndexError: list index out of range\n")


async def test_a_program_with_an_event_loop_is_told_of_run_async() -> None:
    with pytest.raises(SystemExit, match=r"use await run_async\(\.\.\.\) instead"):
        run(lowest, "127.0.0.1:1")
