"""Engines as bots in a game: a C engine that checks all it is told, and small Python ones that misbehave."""

from __future__ import annotations

import asyncio
import random
import shlex
import sys
from pathlib import Path

import pytest

from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts_client.bots.game_bot import GameBot, start
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.program import BotSpec, parse_spec
from noughts_client.failure import BotFailed, Failure
from support.bots import state_after
from support.engines import engine_in_c, until_a_pass
from support.programs import program

PATIENCE_S = 60.0


def python_engine(folder: Path, kind: str, source: str) -> BotSpec:
    """An engine in Python: ``source`` runs for each ``line`` that it reads, and answers with ``say``."""
    path = folder / "engine.py"
    body = "".join(f"    {line}\n" for line in source.splitlines())
    path.write_text(
        f"import sys, time\ndef say(text): print(text, flush=True)\nfor line in map(str.strip, sys.stdin):\n{body}"
    )
    return parse_spec(f"{kind}:{shlex.quote(sys.executable)} {shlex.quote(str(path))}")


async def play_out(bot: GameBot, game: str, side: str, seed: int) -> list[str]:
    """A game of a bot against random moves, to its end."""
    chance, position = random.Random(seed), GAMES[game].start
    moves: list[str] = []
    while position.to_move is not None:
        if position.to_move == side:
            move, _ = await bot.choose(state_after(*moves, game=game), patience_s=PATIENCE_S)
        else:
            move = chance.choice(position.legal_moves)
        moves.append(move)
        position = position.play(move)
    assert position.outcome is not None
    assert position.outcome.winner == side
    return moves


async def failure_of(spec: BotSpec, game: str, limits: ProcessLimits | None = None) -> Failure:
    """A bot's failure at its start."""
    with pytest.raises(BotFailed) as raised:
        await start(spec, game, limits=limits or ProcessLimits())
    return raised.value.failure


@pytest.mark.services
@pytest.mark.parametrize("side", ["first", "second"])
@pytest.mark.parametrize("protocol", ["gtp", "gomocup"])
async def test_a_c_engine_plays_whole_games_and_finds_nothing_wrong(protocol: str, side: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    bot = await start(parse_spec(f"{protocol}:{engine_in_c(tmp_path)} {protocol} {log}"), "gomoku")
    moves = await play_out(bot, "gomoku", side, seed=1)
    await bot.close()
    heard = [line[2:] for line in log.read_text().splitlines() if line.startswith("> ")]
    assert "VIOLATION" not in log.read_text()
    asked = "genmove" if protocol == "gtp" else ("BEGIN", "TURN")
    assert sum(line.startswith(asked) for line in heard) == (len(moves) + 1) // 2
    assert heard[-1] == ("quit" if protocol == "gtp" else "END")


@pytest.mark.services
@pytest.mark.parametrize("protocol", ["gtp", "gomocup"])
async def test_the_c_engine_follows_a_game_under_way_and_a_takeback(protocol: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    bot = await start(parse_spec(f"{protocol}:{engine_in_c(tmp_path)} {protocol} {log}"), "gomoku")
    for moves in (["h8", "a1", "h9"], ["h8", "a1"], []):
        await bot.choose(state_after(*moves, game="gomoku"), patience_s=PATIENCE_S)
    await bot.close()
    assert "VIOLATION" not in log.read_text()


@pytest.mark.services
async def test_the_c_engine_may_suggest_a_move(tmp_path: Path) -> None:
    log = tmp_path / "log"
    bot = await start(parse_spec(f"gomocup:{engine_in_c(tmp_path)} gomocup {log} suggest"), "gomoku")
    await play_out(bot, "gomoku", "first", seed=2)
    await bot.close()
    assert "> PLAY" in log.read_text()
    assert "VIOLATION" not in log.read_text()


@pytest.mark.services
async def test_the_c_engine_may_resign(tmp_path: Path) -> None:
    bot = await start(parse_spec(f"gtp:{engine_in_c(tmp_path)} gtp {tmp_path / 'log'} resign"), "gomoku")
    await bot.choose(state_after(game="gomoku"), patience_s=PATIENCE_S)
    with pytest.raises(BotFailed, match="The engine resigned"):
        await bot.choose(state_after("h8", "a1", game="gomoku"), patience_s=PATIENCE_S)
    await bot.close()


@pytest.mark.services
async def test_the_c_engine_ends_when_it_is_told_what_the_protocol_forbids(tmp_path: Path) -> None:
    engine, log = engine_in_c(tmp_path), tmp_path / "log"
    for protocol, said in (
        ("gomocup", b"START 15\n"),
        ("gomocup", b"BEGIN\r\n"),
        ("gtp", b"boardsize 15\ngenmove x\n"),
    ):
        process = await asyncio.create_subprocess_exec(engine, protocol, log, stdin=-1, stdout=-1)
        await process.communicate(said)
        assert process.returncode == 3
    assert log.read_text().count("VIOLATION") == 3


async def test_an_engine_that_does_not_answer_is_named_with_the_question(tmp_path: Path) -> None:
    failure = await failure_of(python_engine(tmp_path, "uci", "pass"), "connect4", ProcessLimits(start_s=1.5))
    assert (failure.kind, failure.message) == ("start", "The engine did not answer 'uci' within 1.5 s.")


async def test_an_engine_that_ends_at_the_start_fails_there_and_keeps_its_stderr(tmp_path: Path) -> None:
    failure = await failure_of(python_engine(tmp_path, "gtp", "sys.exit('no licence')"), "gomoku")
    assert (failure.kind, failure.message) == ("start", "The bot ended with exit code 1 instead of answering.")
    assert failure.stderr == "no licence\n"


async def test_an_illegal_move_is_a_failure_with_the_answer(tmp_path: Path) -> None:
    source = "say('OK' if line.startswith('START') else '7,7') if line[:4] in ('STAR', 'TURN') else None"
    spec = python_engine(tmp_path, "gomocup", source)
    bot = await start(spec, "gomoku")
    with pytest.raises(BotFailed) as raised:
        await bot.choose(state_after("h8", game="gomoku"), patience_s=PATIENCE_S)
    await bot.close()
    failure = raised.value.failure
    assert failure.kind == "illegal"
    assert failure.message.startswith("The engine answered 'h8', which is not a legal move. Legal moves: a1, b1, ")
    assert failure.line.splitlines()[0] == "INFO rule 0"
    assert failure.line.splitlines()[-1] == "TURN 7,7"
    assert failure.answer == "7,7"


async def test_a_move_that_takes_too_long_is_a_failure_of_time(tmp_path: Path) -> None:
    source = "if line.startswith('START'): say('OK')\nwhile line == 'BEGIN': say('MESSAGE hm'); time.sleep(0.05)"
    bot = await start(python_engine(tmp_path, "gomocup", source), "gomoku")
    with pytest.raises(BotFailed) as raised:
        await bot.choose(state_after(game="gomoku"), patience_s=1)
    await bot.close()
    failure = raised.value.failure
    assert (failure.kind, failure.message) == ("time", "The engine did not answer 'BEGIN' within 1 s.")


@pytest.mark.parametrize(
    ("text", "game", "message"),
    [
        ("uci:no-such-engine", "connect4", "There is no program no-such-engine."),
        ("uci:cat", "gomoku", "No UCI engine plays Gomoku."),
        ("gomocup:cat", "reversi", "Gomocup engines play Gomoku, not Reversi."),
        ("gtp:cat", "chess", "GTP has no names for the moves of Chess."),
        ("gtp:cat", "shogi", f"{no_such_game('shogi', GAMES)} Engines need it on this machine."),
    ],
)
async def test_what_cannot_start_is_said_in_a_sentence(text: str, game: str, message: str) -> None:
    failure = await failure_of(parse_spec(text), game)
    assert (failure.kind, failure.message) == ("start", message)


async def test_an_engine_can_be_closed_again_and_after_it_has_ended(tmp_path: Path) -> None:
    source = "if line.startswith('START'): say('OK')\nelse: sys.exit(3)"
    bot = await start(python_engine(tmp_path, "gomocup", source), "gomoku")
    with pytest.raises(BotFailed, match="exit code 3"):
        await bot.choose(state_after(game="gomoku"), patience_s=PATIENCE_S)
    await bot.close()
    await bot.close()


async def test_an_engine_that_floods_leaves_others_their_turns(tmp_path: Path) -> None:
    lines, turns = 5000, 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    source = (
        "if line.startswith('go'): say('info x\\n' * LINES + 'bestmove P@d1')\n"
        "elif line == 'uci': say('option name UCI_Variant type combo var noughts-connect4\\nuciok')\n"
        "elif line == 'isready': say('readyok')\n"
    ).replace("LINES", str(lines))
    bot = await start(python_engine(tmp_path, "uci", source), "connect4")
    other = asyncio.create_task(take_turns())
    try:
        assert await bot.choose(state_after(game="connect4"), patience_s=PATIENCE_S) == ("4", "")
    finally:
        other.cancel()
        await bot.close()
    assert turns >= lines


@pytest.mark.services
@pytest.mark.parametrize("side", ["first", "second"])
async def test_grhino_which_knows_no_pass_plays_reversi(side: str) -> None:
    spec = parse_spec(f"gtp:{program('gtp-rhino')}")
    bot = await start(spec, "reversi")
    try:
        assert len(await play_out(bot, "reversi", side, seed=2)) > 8
        own = until_a_pass(side, seed=3)
        assert await bot.choose(state_after(*own, game="reversi"), patience_s=PATIENCE_S) == ("pass", "")
        other = until_a_pass("second" if side == "first" else "first", seed=4)
        for _ in range(2):  # a takeback sets up the board anew
            move, _ = await bot.choose(state_after(*other, "pass", game="reversi"), patience_s=PATIENCE_S)
            assert move != "pass"
    finally:
        await bot.close()
