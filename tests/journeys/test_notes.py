"""A bot's notes on its moves are in the record, and stay secret until the game is over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from noughts.journal import FOREVER, SqliteJournal
from support.broker import Broker, running_broker
from support.client import Client, Json, connected
from support.mqtt import screen
from support.postgres import Postgres, database
from support.server import running_server

SECRET = "what the bot thinks"
LONGEST = "é" * 512
MOVES = "14253"


@pytest.fixture
def broker() -> Iterator[Broker]:
    with running_broker() as running:
        yield running


@asynccontextmanager
async def recorded(client: Client) -> AsyncIterator[list[str]]:
    """All messages that ``client`` receives within the block."""
    received: list[str] = []
    receive = client.receive

    async def record() -> Json:
        message = await receive()
        received.append(json.dumps(message, ensure_ascii=False))
        return message

    client.receive = record  # type: ignore[method-assign]
    yield received


async def over_http(url: str, path: str) -> bytes:
    """The whole response to a request for ``path``."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer


async def test_a_note_is_secret_until_the_end_and_public_afterwards(broker: Broker, postgres: Postgres) -> None:
    """Two nodes; both players, spectators of both nodes, the lobby, what is on the broker, and HTTP."""
    async with (
        database(postgres) as journal,
        running_server(journal=journal, bus=broker.url) as one,
        running_server(journal=journal, bus=broker.url) as two,
        connected(one, "bot-1", bot=True) as bot,
        connected(two, "player-1") as player,
        connected(one) as near,
        connected(two) as far,
        screen(broker.port, "#") as spy,
        recorded(bot) as by_bot,
        recorded(player) as by_player,
        recorded(near) as by_near,
        recorded(far) as by_far,
    ):
        for spectator in (near, far):
            await spectator.ok(type="lobby", watch=True)
        room = await bot.create()
        await player.join(room)
        for spectator in (near, far):
            await spectator.ok(type="watch", room=room)
        for turn, move in enumerate(MOVES):
            who, note = (player, {}) if turn % 2 else (bot, {"note": f"{SECRET}, {turn}"})
            await who.ok(type="play", room=room, turn=turn, move=move, **note)
            if turn < len(MOVES) - 1:
                for kind in ("jsonl", "txt"):
                    assert b" 404 " in await over_http(one, f"/games/{room}.{kind}")
        for client in (bot, player, near, far):
            await client.ok(type="watch", room=room, since=0)
            await client.ok(type="watch", room=room)
            await client.ok(type="lobby")
            await client.request(type="ping")
        await spy.until(lambda: spy.shown(room) == 7)
        await asyncio.sleep(1.2)  # until the lobby sends its changes
        for client in (near, far):
            await client.request(type="ping")
        received = [*by_bot, *by_player, *by_near, *by_far, *map(repr, spy.received)]
        assert not [message for message in received if SECRET in message or '"note"' in message]
        assert sum(payload.count(b'"kind":"appended"') for topic, payload in spy.received if "/bus/" in topic) >= 7
        for url in (one, two):
            for kind in ("jsonl", "txt"):
                text = (await over_http(url, f"/games/{room}.{kind}")).decode()
                assert [f"{SECRET}, {turn}" in text for turn in range(5)] == [True, False, True, False, True]


async def test_notes_are_short_and_only_from_bots() -> None:
    async with running_server() as url, connected(url) as player, connected(url, "bot-1", bot=True) as bot:
        room = await player.create()
        await bot.join(room)
        play = {"type": "play", "room": room, "turn": 0, "move": "5"}
        assert await player.refused(**play, note=SECRET) == "not_allowed"
        await player.ok(**play)
        play |= {"turn": 1, "move": "1"}
        for wrong in ("", LONGEST + "x", "\0", 7, ["5"]):
            assert await bot.refused(**play, note=wrong) == "bad_message"
        assert (await bot.ok(**play, note=LONGEST))["version"] == 4
        assert (await bot.ok(**play, note=LONGEST))["version"] == 4
        assert (await bot.ok(**play))["version"] == 4


@pytest.mark.slow
async def test_a_muted_bot_plays_without_notes(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    async with (
        running_server(journal=str(path)) as url,
        connected(url, "player-1") as player,
        connected(url, "bot-1", bot=True) as bot,
    ):
        operator = await SqliteJournal.open(path, exclusive=False)
        try:
            room = await bot.create()
            await player.join(room)
            for turn, move in enumerate(MOVES):
                if turn % 2:
                    await player.ok(type="play", room=room, turn=turn, move=move)
                    continue
                assert await operator.people.mute(bot.id, FOREVER if turn == 2 else 0)
                await asyncio.sleep(2.5)  # until the server reads it from the journal
                await bot.ok(type="play", room=room, turn=turn, move=move, note=f"{SECRET}, {turn}")
        finally:
            await operator.close()
        text = (await over_http(url, f"/games/{room}.jsonl")).decode()
        assert [f"{SECRET}, {turn}" in text for turn in range(5)] == [True, False, False, False, True]
