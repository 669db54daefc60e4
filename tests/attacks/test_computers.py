"""Many tables against the computer, and those of others who play it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from attacks.bystander import bystander
from noughts.config import Settings
from support.client import Client, Json, connected
from support.server import ServerProcess

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

Record = Callable[[str, object], None]

ATTACK_S = 25.0
ANSWER_S = 8.0
"""A wide bound for one move of the computer; without turns, a move waits for half a minute."""


@asynccontextmanager
async def server_of(directory: Path, **options: object) -> AsyncIterator[ServerProcess]:
    """A server with the default limits."""
    defaults = Settings.model_validate({}).model_dump(exclude={"journal", "port"})
    async with ServerProcess(directory / "journal.sqlite3", directory / "log", **{**defaults, **options}) as server:
        yield server
        assert "Traceback" not in server.output()


async def play_on(client: Client, until: Callable[[], bool]) -> int:
    """Answer each move of the computer at once, in whatever room, and open new rooms. Returns the number of moves."""
    moves = 0
    while not until():
        try:
            message = client.pushed.pop(0) if client.pushed else await asyncio.wait_for(client.receive(), 1)
        except TimeoutError:
            continue
        if message["type"] not in ("room", "update") or message["state"]["status"] != "playing":
            continue
        state = message["state"]
        mine = [side for side, seat in state["seats"].items() if seat["id"] == client.id]
        if state["to_move"] in mine:
            moves += 1
            await client.send(type="play", room=message["room"], turn=state["turn"], move=state["legal_moves"][0])
            await asyncio.sleep(1 / 30)
    return moves


async def crowd(client: Client, count: int, **options: Any) -> None:
    """Open so many tables against the strongest level, which moves first."""
    for _ in range(count):
        seats = {"first": "computer:best", "second": "me"}
        answer = await client.request(type="create", game="gomoku", seats=seats, **options)
        assert answer["type"] == "ok", answer
        await asyncio.sleep(1 / 30)


async def test_fifty_tables_of_one_guest_delay_nobody_elses_computer(tmp_path: Path, record_property: Record) -> None:
    loop = asyncio.get_running_loop()
    async with server_of(tmp_path) as server, bystander(server.url) as quiet:
        await quiet.report()
        async with connected(server.url, "crowd") as client:
            await client.ok(
                type="register", name="crowd"
            )  # for rated games, in which no search is shortened to nothing
            await crowd(client, 50, rated=True, clock={"initial_s": 600, "increment_s": 5})
            end = loop.time() + ATTACK_S
            moves = await play_on(client, lambda: loop.time() > end)
            report = await quiet.report()
    record_property("moves of the crowd", moves)
    report.check(record_property, "fifty tables", computer_s=ANSWER_S)
    assert len(report.computer_s) >= 5, "the computer has played"
    assert moves > 5


async def rated_game(client: Client) -> tuple[str, list[Json]]:
    """A rated game of 4 s against the computer, which must not lose it on time; its outcome, and its pauses."""
    seats = {"first": "me", "second": "computer:perfect"}
    clock = {"initial_s": 4, "increment_s": 4}
    room = (await client.ok(type="create", game="connect4", seats=seats, clock=clock, rated=True))["room"]
    paused: list[Json] = []
    while True:
        message = await client.push()
        if message["type"] not in ("room", "update") or message["room"] != room:
            continue
        state = message["state"]
        if message.get("event", {}).get("kind") == "paused":
            paused.append(message["event"])
        if state["status"] == "over":
            return state["outcome"]["reason"], paused
        if state["to_move"] == "first":
            move = state["legal_moves"][0]
            await asyncio.sleep(0.1)
            answer = await client.play(room, state["turn"], move)
            assert answer["type"] == "ok", (answer, message)


async def test_nobody_wins_rated_games_by_keeping_the_computer_busy(tmp_path: Path, record_property: Record) -> None:
    loop = asyncio.get_running_loop()
    async with server_of(tmp_path) as server, AsyncExitStack() as stack:
        cheat = await stack.enter_async_context(connected(server.url, "cheat"))
        await cheat.ok(type="register", name="cheat")
        crowds = [await stack.enter_async_context(connected(server.url, None, token=cheat.token)) for _ in range(2)]
        ended = False
        await crowd(crowds[0], 45)
        playing = asyncio.create_task(play_on(crowds[0], lambda: ended))
        games = []
        began = loop.time()
        while loop.time() - began < ATTACK_S and not playing.done():
            games.append(await rated_game(cheat))
        ended = True
        await playing
    record_property("rated games", [(reason, [event["ms"] for event in paused]) for reason, paused in games])
    assert games
    assert all(reason == "line" for reason, _ in games), "the computer has won on the board"
    assert all(event["cause"] == "queue" for _, paused in games for event in paused)


async def test_thirty_tables_have_their_moves_in_time(tmp_path: Path, record_property: Record) -> None:
    """2 s is the aim on two quiet cores."""
    loop = asyncio.get_running_loop()
    async with server_of(tmp_path) as server, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(server.url, f"player-{n}")) for n in range(30)]
        rooms = []
        for client in clients:
            seats = {"first": "me", "second": "computer:best"}
            rooms.append((await client.ok(type="create", game="gomoku", seats=seats, private=True))["room"])
            await client.push("room")
        rounds = []
        for turn in range(0, 8, 2):
            began = loop.time()

            async def answered(client: Client, room: str, turn: int = turn, began: float = began) -> float:
                state: Json = {"turn": turn, "legal_moves": "abcdefgh"}
                move = f"{state['legal_moves'][turn]}1"
                while (await client.play(room, turn, move))["type"] == "error":
                    move = f"{move[0]}{int(move[1:]) + 1}"
                while (await client.push("update"))["state"]["turn"] < turn + 2:
                    pass
                return loop.time() - began

            rounds.append(max(await asyncio.gather(*map(answered, clients, rooms))))
    record_property("slowest answers in s", rounds)
    print("slowest answers in s:", [round(each, 2) for each in rounds])
    assert min(rounds[1:]) < 5, "15 s without shorter searches"


async def test_a_player_has_a_few_tables_of_computers_on_all_connections(tmp_path: Path) -> None:
    async with server_of(tmp_path) as server, AsyncExitStack() as stack:
        first = await stack.enter_async_context(connected(server.url, "first"))
        clients = [await stack.enter_async_context(connected(server.url, None, token=first.token)) for _ in range(10)]
        request = {
            "type": "create",
            "game": "connect4",
            "seats": {"first": "computer:easy", "second": "computer:perfect"},
        }
        answers = await asyncio.gather(*(client.request(**request) for client in clients))
        kinds = sorted(answer.get("code", "ok") for answer in answers)
        assert kinds == sorted(["ok"] * kinds.count("ok") + ["room_limit"] * (10 - kinds.count("ok")))
        assert kinds.count("ok") <= 3
        for _ in range(3 - kinds.count("ok")):
            await first.ok(**request)
        assert await first.refused(**request) == "room_limit"
        assert f"limit computer_rooms_per_player stopped {first.id}" in server.output()
        key = "again and again"
        other = await stack.enter_async_context(connected(server.url, "other"))
        rooms = {(await other.ok(**request, key=key))["room"] for _ in range(5)}
        assert len(rooms) == 1
