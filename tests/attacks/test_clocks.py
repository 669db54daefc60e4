"""Players who try to gain time: by a flood that keeps the server busy, and by late answers to its pings."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.frames import PONG, Frame

from attacks.bystander import bystander
from attacks.test_computers import server_of
from support.client import Client, Json, connected
from support.server import running_server

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(600)]

Record = Callable[[str, object], None]

HANDSHAKE = (
    "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
PING = b"\x89\x80\x00\x00\x00\x00"
FLOOD_S = 12.0


def flood(url: str, seconds: float) -> None:
    """Send pings at 1 MB/s, on one connection after the other."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), 5) as connection:
                connection.sendall(HANDSHAKE.encode())
                connection.recv(4096)
                connection.setblocking(False)
                while time.monotonic() < end:
                    time.sleep(0.02)
                    with suppress(BlockingIOError):
                        connection.send(PING * 3333)
                    with suppress(BlockingIOError):
                        while connection.recv(2**20):
                            pass
        except OSError:
            time.sleep(0.1)


async def begun(ann: Client, ben: Client, initial_s: float) -> str:
    """A game in which each side has moved, and ``ann`` is to move."""
    room = await ann.create(clock={"initial_s": initial_s, "increment_s": 0})
    await ben.join(room)
    await ann.play(room, 0, "5")
    await ben.play(room, 1, "1")
    return room


async def ending(client: Client) -> tuple[Json, list[Json]]:
    """The game's end, and its pauses."""
    paused = []
    while (update := await client.push("update"))["event"]["kind"] != "ended":
        if update["event"]["kind"] == "paused":
            paused.append(update["event"])
    return update["event"], paused


async def test_a_flood_stops_nobodys_clock(tmp_path: Path, record_property: Record) -> None:
    loop = asyncio.get_running_loop()
    async with (
        server_of(tmp_path) as server,
        bystander(server.url) as quiet,
        connected(server.url, "ann") as ann,
        connected(server.url, "ben") as ben,
    ):
        await quiet.report()
        await begun(ann, ben, 6)
        began = loop.time()
        flooding = asyncio.create_task(asyncio.to_thread(flood, server.url, FLOOD_S))
        event, paused = await ending(ben)
        ended_s = loop.time() - began
        await flooding
        report = await quiet.report()
        record_property("flood", {"ended after s": ended_s, "p99 of pings": report.p99_s, "paused": report.paused_ms})
        print(f"the flooder's clock of 6 s ended after {ended_s:.1f} s; pings p99 {report.p99_s:.2f} s")
        assert event["outcome"] == {"winner": "second", "reason": "time", "cells": []}
        assert paused == []
        assert report.paused_ms == []
        assert ended_s < 40, "the flag, what a late server gives back, and what it takes to say so"


async def test_a_stopped_process_does_stop_the_clocks(tmp_path: Path) -> None:
    async with (
        server_of(tmp_path) as server,
        connected(server.url, "ann") as ann,
        connected(server.url, "ben") as ben,
    ):
        await begun(ann, ben, 6)
        server.send(signal.SIGSTOP)
        await asyncio.sleep(8)
        server.send(signal.SIGCONT)
        event, paused = await ending(ben)
        assert event["outcome"]["reason"] == "time"
        assert sum(each["ms"] for each in paused) >= 7000
        assert "cause" not in paused[0]


def delay_pongs(client: Client, seconds: float) -> None:
    """Have ``client`` answer pings late, but send everything else at once."""
    protocol, loop = client.socket.protocol, asyncio.get_running_loop()
    at_once = protocol.send_frame

    def answer(pong: Frame) -> None:
        at_once(pong)
        client.socket.send_data()

    def send_frame(frame: Frame) -> None:
        if frame.opcode is PONG:
            loop.call_later(seconds, answer, frame)
        else:
            at_once(frame)

    protocol.send_frame = send_frame  # type: ignore[method-assign]


@pytest.mark.parametrize("delay_s", [0.0, 0.9])
async def test_late_pongs_gain_little(delay_s: float, record_property: Record) -> None:
    """In a game of a minute they once gave back 52 % of the thinking time."""
    events: list[Json] = []
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        delay_pongs(ann, delay_s)
        answer = await ann.ok(type="create", game="gomoku", clock={"initial_s": 60, "increment_s": 0})
        await ben.ok(type="join", room=answer["room"])
        for turn in range(24):
            mover = (ann, ben)[turn % 2]
            if mover is ann and turn > 1:
                await asyncio.sleep(1)
            move = f"{'acegikmo'[turn % 8]}{1 + turn // 8 * 2}"
            played = await mover.play(answer["room"], turn, move)
            assert played["type"] == "ok"
        while len(events) < 12:
            event = (await ann.push("update"))["event"]
            if event["kind"] == "played" and event["side"] == "first":
                events.append(event)
    spent, given = (sum(event[name] for event in events[1:]) for name in ("spent_ms", "compensated_ms"))
    record_property(f"pongs late by {delay_s} s", f"{given / spent:.0%} of {spent} ms")
    print(f"pongs late by {delay_s} s gave back {given / spent:.0%} of {spent} ms")
    assert given / spent < (0.2 if delay_s else 0.05)
