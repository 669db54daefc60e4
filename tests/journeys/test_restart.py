"""A server's restart: the games that it restores, and its last messages to clients."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from support.client import Client, connected
from support.server import ServerProcess


async def read_on(client: Client) -> None:
    """Read until the connection ends."""
    while True:
        await client.receive()


@pytest.mark.slow
async def test_two_computers_play_on_after_a_kill_for_whoever_watches(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log", computer_pace_s=0.2)
    async with server:
        async with connected(server.url) as ann:
            room = await ann.create("computer:easy", "computer:easy")
            begun = await ann.push("update")
        await server.kill()
        await server.start()
        async with connected(server.url) as ann, asyncio.timeout(60):
            await ann.ok(type="watch", room=room)
            state = (await ann.push("room"))["state"]
            while state["status"] != "over":
                state = (await ann.push("update"))["state"]
    assert state["moves"][0] == begun["event"]["move"]


@pytest.mark.slow
async def test_updates_are_the_same_after_a_restart(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log", away_s=60)
    async with server, connected(server.url, "ann") as ann:
        room = await ann.create(second="computer:perfect")
        await ann.play(room, 0, "5")
        before = [await ann.push("update"), await ann.push("update")]
        await server.kill()
        await server.start()
        async with connected(server.url, token=ann.token) as again:
            assert again.id == ann.id
            await again.ok(type="watch", room=room, since=1)
            assert [await again.push(), await again.push()] == before
            assert await again.push() == {"type": "spectators", "room": room, "count": 0}
            await again.quiet()


@pytest.mark.slow
async def test_a_player_who_does_not_return_after_a_kill_counts_as_away(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log", away_s=0.3)
    async with server:
        async with connected(server.url, "ann") as ann, connected(server.url, "ben") as ben:
            room = await ann.create()
            await ben.join(room)
            await server.kill()
        await server.start()
        async with connected(server.url, token=ann.token) as again:
            await again.ok(type="watch", room=room)
            assert (await again.push("update"))["event"] == {"kind": "disconnected", "side": "second"}
            await again.quiet()


async def test_a_stopping_server_closes_connections_with_service_restart(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "journal", tmp_path / "log")
    async with server, connected(server.url) as ann:
        room = await ann.create(second="computer:perfect")
        await ann.send(type="play", room=room, turn=0, move="5")
        stopping = asyncio.create_task(server.stop())
        with pytest.raises(ConnectionClosed) as closed:
            await read_on(ann)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert await stopping == 0
        assert "Traceback" not in server.output()


async def test_a_second_server_on_the_same_journal_is_refused(tmp_path: Path) -> None:
    async with ServerProcess(tmp_path / "journal", tmp_path / "log") as server:
        with pytest.raises(RuntimeError, match="open: stop that server first, or name another"):
            await ServerProcess(server.journal, tmp_path / "other-log").start()


@pytest.mark.slow
async def test_a_port_in_use_is_reported_in_one_line(tmp_path: Path) -> None:
    async with ServerProcess(tmp_path / "journal", tmp_path / "log") as server:
        second = ServerProcess(tmp_path / "other", tmp_path / "other-log")
        second.port = server.port
        with pytest.raises(RuntimeError, match=f"noughts serve: cannot listen on 127.0.0.1:{server.port}"):
            await second.start()
