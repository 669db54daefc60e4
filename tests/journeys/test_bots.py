"""Bots that play for a long time: many games at once, and a server that is killed under them."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from noughts_client import BotState, Connection, Result, finish, run_async
from support.eventually import soon
from support.server import ServerProcess

pytestmark = [pytest.mark.slow, pytest.mark.smoke, pytest.mark.timeout(600)]

SWAPPED: dict[Result, Result] = {"won": "lost", "lost": "won", "drawn": "drawn"}
BOTS = 50
GAMES_OF_A_PAIR = 20
KILLS = 10
MOVES_BETWEEN_KILLS = 40


class Asked:
    """A bot that plays at random and counts what it was asked."""

    def __init__(self, seed: int, wait_s: float = 0) -> None:
        self.turns = Counter[tuple[str, int]]()
        self.late = 0
        self._rng = random.Random(seed)
        self._wait_s = wait_s

    def __call__(self, state: BotState) -> str:
        self.turns[state.room, state["turn"]] += 1
        assert state.position.legal_moves == tuple(state["legal_moves"])
        if self._wait_s:
            time.sleep(self._wait_s)
        if state.deadline is not None and time.monotonic() > state.deadline:
            self.late += 1
        return str(self._rng.choice(state["legal_moves"]))

    async def patiently(self, state: BotState) -> str:
        """The same as an async bot."""
        return self(state)


async def seat_pairs(connections: list[Connection]) -> None:
    """Seat every two of them in so many rooms at the same time."""
    for one, other in zip(connections[::2], connections[1::2], strict=True):
        for number in range(GAMES_OF_A_PAIR):
            first, second = (one, other) if number % 2 else (other, one)
            terms = {"game": "tictactoe" if number % 4 else "connect4", "clock": {"initial_s": 300, "increment_s": 0}}
            room = (await first.request({"type": "create", **terms}))["room"]
            await second.request({"type": "join", "room": room})


async def test_fifty_bots_in_one_process_play_500_games_at_once(tmp_path: Path) -> None:
    bots = [Asked(number) for number in range(BOTS)]
    told: list[list[str]] = [[] for _ in bots]
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(ServerProcess(tmp_path / "journal", tmp_path / "log"))
        connections = [
            await stack.enter_async_context(Connection(server.url, name=f"bot-{number}", bot=True))
            for number in range(BOTS)
        ]
        await seat_pairs(connections)
        playing = (
            finish(bot.patiently if number % 2 else bot, connection, tell=told[number].append)
            for number, (bot, connection) in enumerate(zip(bots, connections, strict=True))
        )
        results = await asyncio.gather(*playing)
    assert [len(each) for each in results] == [GAMES_OF_A_PAIR] * BOTS
    assert sum(map(len, results)) == 2 * 500
    for one, other in zip(results[::2], results[1::2], strict=True):
        assert Counter(one) == Counter(SWAPPED[result] for result in other)
    ends = [line for lines in told for line in lines if not line.startswith("Room")]
    assert all(re.search(" in a row, | full row, ", line) or line.startswith("Drawn") for line in ends), Counter(ends)
    for bot in bots:
        assert set(bot.turns.values()) == {1}
        assert bot.late == 0


async def unfinished_games(url: str, count: int) -> list[str]:
    """Leave so many games of Reversi of two new players unfinished. Returns the players' tokens."""
    async with Connection(url, name="bot-4") as one, Connection(url, name="bot-5") as other:
        for _ in range(count):
            room = (await one.request({"type": "create", "game": "reversi"}))["room"]
            await other.request({"type": "join", "room": room})
        return [connection.welcome["token"] for connection in (one, other)]


async def test_bots_survive_ten_kills_and_find_their_games_again(tmp_path: Path) -> None:
    """Two series against the computer, two bots that look for each other, and two with eight unfinished games."""
    server = ServerProcess(tmp_path / "journal", tmp_path / "log", computer_pace_s=0)
    bots = [Asked(number, wait_s=0.01) for number in range(6)]
    told: list[list[str]] = [[] for _ in bots]

    def moves() -> int:
        return sum(bot.turns.total() for bot in bots)

    async with server, asyncio.TaskGroup() as group:
        tokens = await unfinished_games(server.url, 8)

        def start(number: int, **options: Any) -> asyncio.Task[list[Result]]:
            return group.create_task(run_async(bots[number], server.url, tell=told[number].append, **options))

        series = [start(number, against="easy", games=40) for number in (0, 1)]
        meeting = [start(number, against="anybody", game="reversi", clock="10+5", games=4) for number in (2, 3)]
        finishing = [start(number, token=tokens[number - 4], games=8) for number in (4, 5)]
        for kill in range(KILLS):
            until = moves() + MOVES_BETWEEN_KILLS
            await soon(lambda until=until: moves() >= until)  # type: ignore[misc]  # mypy cannot infer it
            if kill == KILLS // 2:  # a bot ends and starts again, too
                assert finishing[0].cancel()
                finished = sum("in room" in line for line in told[4])
                assert finished < 8
            await server.kill()
            await server.start()
            if kill == KILLS // 2:
                finishing[0] = start(4, token=tokens[0], games=1)
    assert [len(task.result()) for task in series] == [40, 40]
    assert [len(task.result()) for task in finishing] == [8 - finished, 8]
    one, other = (task.result() for task in meeting)
    assert one == [SWAPPED[result] for result in other]
    assert len(one) == 4
    for number, bot in enumerate(bots):
        assert number == 4 or set(bot.turns.values()) == {1}, "it was asked once for each move"
        ends = [line for line in told[number] if not line.startswith("Room")]
        assert all(re.search(r" in a row, | full row, |, \d+ to \d+, |^Drawn", line) for line in ends), ends
