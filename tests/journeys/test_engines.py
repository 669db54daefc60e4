"""Engines at the tables of a server: Fairy-Stockfish, which is not ours, and the C engine of the tests."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from noughts.games import GAMES
from noughts_client import BotState, run_async
from noughts_client.bots.game_bot import Programs, start
from noughts_client.bots.program import parse_spec
from noughts_client.bots.sandbox import probe
from page.hexapawn import HEXAPAWN
from support.bots import state_after
from support.command_aside import noughts_process
from support.engines import engine_in_c
from support.programs import program
from support.server import running_server

pytestmark = pytest.mark.services

HEXAPAWN_INI = Path(__file__).with_name("hexapawn.ini")


async def test_fairy_stockfish_never_loses_at_tic_tac_toe_over_uci(tmp_path: Path) -> None:
    bot = ("--uci", program("fairy-stockfish"), "--against", "perfect", "--clock", "30s+0", "--games", "2")
    async with running_server() as url:
        ended = await noughts_process("bot", *bot, "--url", url)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("Drawn as ") == 2


async def test_fairy_stockfish_beats_the_easy_computer_at_connect_four_over_uci(tmp_path: Path) -> None:
    bot = ("--uci", program("fairy-stockfish"), "--game", "connect4", "--against", "easy", "--clock", "30s+0.1")
    async with running_server() as url:
        ended = await noughts_process("bot", *bot, "--games", "2", "--url", url, "--log", tmp_path / "log")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("Won as ") == 2
    log = (tmp_path / "log").read_text()
    assert "< id name Fairy-Stockfish" in log
    assert "> go wtime 29" in log


@pytest.mark.parametrize("game", ["chess", "breakthrough"])
async def test_fairy_stockfish_beats_the_easy_computer_over_uci(game: str) -> None:
    bot = ("--uci", program("fairy-stockfish"), "--game", game, "--against", "easy", "--clock", "2s+0.05")
    async with running_server() as url:
        ended = await noughts_process("bot", *bot, "--games", "2", "--url", url)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("Won as ") == 2


async def test_fairy_stockfish_plays_the_game_of_another_package_over_uci(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is told the moves as they are, and how the game goes by a file of its own user."""
    monkeypatch.setitem(GAMES, "hexapawn", HEXAPAWN)
    engine = Programs(parse_spec(f"uci:{program('fairy-stockfish')} load {HEXAPAWN_INI}"), tell=print)
    told: list[str] = []
    chance = random.Random(3)

    async def anyhow(state: BotState) -> str:
        return str(chance.choice(state["legal_moves"]))

    async with running_server() as url:
        opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def tell(line: str) -> None:
            told.append(line)
            if line.startswith("Room ") and not opened.done():
                opened.set_result(line.split()[1])

        seat = run_async(
            engine,
            url,
            game="hexapawn",
            against="open",
            side="second",
            clock="30s+0",
            games=4,
            tell=tell,
            over=lambda room, _: engine.over(room),
        )
        playing = asyncio.create_task(seat)
        opponent = run_async(anyhow, url, room=await opened, games=4, tell=lambda _: None)
        results, _ = await asyncio.gather(playing, opponent)
    await engine.close()
    assert engine.failures == {}
    assert len(results) == 4, told
    assert results[0] == "won", "the side that moves second wins hexapawn"


@pytest.mark.parametrize("protocol", ["gtp", "gomocup"])
async def test_the_c_engine_plays_gomoku(protocol: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = f"{engine_in_c(tmp_path)} {protocol} {log}"
    bot = (f"--{protocol}", command, "--game", "gomoku", "--against", "easy", "--clock", "1+1", "--games", "2")
    async with running_server() as url:
        ended = await noughts_process("bot", *bot, "--url", url)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("by a full row, in room") == 2
    assert "VIOLATION" not in log.read_text()
    assert "time_left" in log.read_text()


async def test_an_engine_in_the_sandbox_can_read_our_variants(tmp_path: Path) -> None:
    program("bwrap")
    containment = await asyncio.to_thread(probe)
    if containment.by != "bubblewrap":
        pytest.skip("bubblewrap does not work here")
    spec = parse_spec(f"uci:{program('fairy-stockfish')}")
    bot = await start(spec, "connect4", containment=containment)
    move, note = await bot.choose(state_after("4", "1", "4", "1", "4", "1", game="connect4"), patience_s=60)
    await bot.close()
    assert (move, note[:4]) == ("4", "mate")
