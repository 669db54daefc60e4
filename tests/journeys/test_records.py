"""Games with every kind of event are exported from one server and imported into another."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from noughts.cli.main import main
from noughts.protocol.replay import replay
from support.client import Client, Json, connected
from support.server import ServerProcess

pytestmark = pytest.mark.slow

MINUTE: Json = {"initial_s": 60, "increment_s": 1}


async def run(*words: str) -> None:
    """Run a command that must succeed."""

    def command() -> None:
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 0

    await asyncio.to_thread(command)


async def begun(first: Client, second: Client, **more: object) -> str:
    """Begin a game and play one move for each side. Returns the room."""
    room = str((await first.ok(type="create", game="tictactoe", **more))["room"])
    await second.ok(type="join", room=room)
    await first.ok(type="play", room=room, turn=0, move="1")
    note = {"note": "even"} if second.welcome["player"]["kind"] == "bot" else {}
    await second.ok(type="play", room=room, turn=1, move="5", **note)
    return room


async def taken_back(one: Client, bot: Client) -> str:
    """A private game with a takeback and a draw by agreement."""
    room = await begun(one, bot, private=True)
    await one.ok(type="play", room=room, turn=2, move="2")
    await one.ok(type="offer_takeback", room=room)
    await bot.ok(type="decline_takeback", room=room)
    await bot.ok(type="offer_takeback", room=room)
    await one.ok(type="accept_takeback", room=room)
    await bot.ok(type="play", room=room, turn=5, move="9")
    await bot.ok(type="offer_draw", room=room)
    await one.ok(type="decline_draw", room=room)
    await one.ok(type="offer_draw", room=room)
    await bot.ok(type="accept_draw", room=room)
    return room


async def played_again(one: Client, bot: Client) -> list[str]:
    """A resigned game and its aborted rematch."""
    room = await begun(one, bot, clock=MINUTE)
    await one.ok(type="resign", room=room)
    await one.ok(type="offer_rematch", room=room)
    await bot.ok(type="accept_rematch", room=room)
    while (again := await one.push("room"))["previous"] != room:
        pass
    await bot.ok(type="abort", room=again["room"])
    return [room, str(again["room"])]


async def flagged(one: Client, bot: Client) -> str:
    """A game lost on time."""
    room = await begun(one, bot, clock={"per_move_s": 1})
    await until(one, room, "ended")
    return room


async def claimed(server: ServerProcess, one: Client) -> str:
    """A game that a player leaves, returns to and leaves again, and that is claimed."""
    async with connected(server.url, "player-2") as two:
        room = await begun(one, two, clock=MINUTE)
        await two.ok(type="leave", room=room)
        await until(one, room, "disconnected")
        await two.ok(type="watch", room=room)
        await until(one, room, "returned")
    await until(one, room, "disconnected")
    await asyncio.sleep(0.6)
    await one.ok(type="claim", room=room, result="win")
    return room


async def until(client: Client, room: str, kind: str) -> None:
    """Wait for an event of this kind in a room."""
    while True:
        update = await client.push("update")
        if (update["room"], update["event"]["kind"]) == (room, kind):
            return


def replayed(file: str) -> list[object]:
    """The updates of a recorded game."""
    with Path(file).open("rb") as lines:
        return [step.update for step in replay(lines)]


async def seen(server: ServerProcess, rooms: list[str]) -> list[list[Json]]:
    """All updates of each room, as a later spectator receives them."""
    async with connected(server.url) as eve:
        told = []
        for room in rooms:
            head = (await eve.ok(type="watch", room=room, since=0))["version"]
            told.append([await eve.push("update") for _ in range(head)])
        return told


async def interrupted(server: ServerProcess, one: Client, bot: Client) -> str:
    """A timed game during which the server is killed and down for a while."""
    room = await begun(one, bot, clock=MINUTE)
    await server.kill()
    await asyncio.sleep(3)
    await server.start()
    async with connected(server.url, token=one.token) as again, connected(server.url, token=bot.token) as other:
        await again.ok(type="watch", room=room)
        await other.ok(type="watch", room=room)
        await again.ok(type="play", room=room, turn=2, move="2")
        await other.ok(type="resign", room=room)
    return room


async def test_imported_games_are_the_same_as_the_exported_ones(tmp_path: Path) -> None:
    first = ServerProcess(tmp_path / "first", tmp_path / "log", away_s=0.2, claim_s=0.5)
    async with first:
        async with AsyncExitStack() as stack:
            one = await stack.enter_async_context(connected(first.url, "player-1"))
            bot = await stack.enter_async_context(connected(first.url, "bot-1", bot=True))
            rooms = [
                await taken_back(one, bot),
                *await played_again(one, bot),
                await flagged(one, bot),
                await claimed(first, one),
                await interrupted(first, one, bot),
            ]
        async with connected(first.url, "player-3") as three:
            rooms.append(await three.create(second="computer:easy"))
            await three.ok(type="play", room=rooms[-1], turn=0, move="5")
            await until(three, rooms[-1], "played")
            await until(three, rooms[-1], "played")
            await three.ok(type="offer_takeback", room=rooms[-1])
            await three.ok(type="resign", room=rooms[-1])
        files = []
        for room in rooms:
            files.append(str(tmp_path / f"{room}.jsonl"))
            await run("export", "--room", room, "--output", files[-1], f"--journal={first.journal}")
        told = await seen(first, rooms)
        assert await first.stop() == 0
    second = ServerProcess(tmp_path / "second", tmp_path / "log-2")
    await run("import", *files, f"--journal={second.journal}")
    async with second:
        assert await seen(second, rooms) == told
        async with connected(second.url) as eve:
            listed = (await eve.ok(type="lobby"))["rooms"]
            assert {room["status"] for room in listed} <= {"over"}, "some have just ended"
            assert not [room for room in listed if room["options"]["private"]]
        await asyncio.sleep(1.5)  # until the sweeper has run
        assert await seen(second, rooms) == told
        assert await second.stop() == 0
    for server in (first, second):
        assert "Traceback" not in server.output()
    for file, updates in zip(files, told, strict=True):
        assert replayed(file) == updates
    kinds = {update["event"]["kind"] for updates in told for update in updates}
    assert kinds == {
        "opened",
        "joined",
        "played",
        "taken_back",
        "offered",
        "declined",
        "disconnected",
        "returned",
        "paused",
        "ended",
        "rematched",
    }
