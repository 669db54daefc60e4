"""The commands in docs/mqtt.md work: a shell runs them as written, with the ACL that the page points to."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from noughts.protocol.contract import MESSAGES
from support.broker import Broker
from support.client import Client, connected
from support.mqtt import PATIENCE_S, screen
from support.programs import program
from support.server import running_server

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "mqtt.md").read_text(encoding="utf-8")
(PROGRAM,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
BLOCKS = re.findall(r"^```sh\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
WATCHING = [block for block in BLOCKS if block.startswith("mosquitto_sub -") and "$" not in block]
OLD = [block for block in BLOCKS if "-V 311" in block]
PLAYING = [block for block in BLOCKS if block not in (*WATCHING, *OLD)]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    passwords = tmp_path / "passwords"
    made = Broker(tmp_path, [f"acl_file {ROOT / 'deploy/mosquitto/acl'}", f"password_file {passwords}"])
    made.add_user("noughts", "secret")
    (tmp_path / "secret").write_text("secret")
    for name in ("mosquitto_sub", "mosquitto_pub", "mosquitto_rr"):
        program(name)
        (tmp_path / name).write_text(f"-h 127.0.0.1\n-p {made.port}\n")
    try:
        made.start()
        yield made
    finally:
        made.kill()


@asynccontextmanager
async def served(broker: Broker) -> AsyncIterator[str]:
    """A server that publishes its public view; its URL."""
    url = broker.url.replace("//", "//noughts@")
    async with running_server(bus=url, bus_password_file=broker.directory / "secret") as served:
        async with screen(broker.port) as seen:
            await seen.until(lambda: "noughts/v1/lobby" in seen.now)
        yield served


@asynccontextmanager
async def shell(broker: Broker, script: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A shell that runs ``script``, with Mosquitto's clients configured for the broker."""
    process = await asyncio.create_subprocess_exec(
        "sh",
        "-c",
        f"set -e\n{script}",
        cwd=broker.directory,
        env={**os.environ, "XDG_CONFIG_HOME": str(broker.directory)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            os.killpg(process.pid, 9)
        await process.wait()


async def line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        return (await process.stdout.readline()).decode().strip()


async def play(one: Client, two: Client, room: str, moves: str) -> None:
    for turn, move in enumerate(moves):
        await (two if turn % 2 else one).play(room, turn, move)


async def test_the_commands_for_watching_show_a_game_as_it_is_played(broker: Broker) -> None:
    assert len(WATCHING) == 4  # the last is for a tournament
    async with served(broker) as url, AsyncExitStack() as stack:
        one, two = [await stack.enter_async_context(connected(url, name)) for name in ("one", "two")]
        events, states, lobby = [await stack.enter_async_context(shell(broker, block)) for block in WATCHING[:3]]
        assert json.loads(await line(lobby)) == {"type": "lobby", "rooms": []}
        assert await lobby.wait() == 0
        room = await one.create()
        await two.join(room)
        await play(one, two, room, "14253")
        topic = f"noughts/v1/rooms/{room}/state"
        versions: list[int] = []
        while not versions or versions[-1] < 7:
            shown = await line(states)
            assert shown.startswith(topic + " ")
            state = json.loads(shown.removeprefix(topic))
            versions.append(state["version"])
        assert versions == sorted(set(versions))
        assert state["state"]["rows"] == ["xxx", "oo.", "..."]
        MESSAGES.validate_python({**state, "now": "", "presence": {"spectators": 0}})
        events_seen = [json.loads(await line(events)) for _ in range(7)]
        assert [update["version"] for update in events_seen] == list(range(1, 8))
        await one.request(type="ping")
        assert events_seen[2:] == [push for push in one.pushed if push["type"] == "update"][-5:]


async def test_the_commands_for_playing_play_a_game_to_its_end(broker: Broker) -> None:
    async with served(broker), shell(broker, "\n".join(PLAYING)) as process:
        async with asyncio.timeout(60):
            out, _ = await process.communicate()
        printed = out.decode().splitlines()
        assert process.returncode == 0, printed
        correlation, answer = printed[0].split(" ", 1)
        assert (correlation, json.loads(answer)) == ("1", {"type": "ok", "version": 2})
        assert re.fullmatch(r'"outcome":\{"winner":("first"|"second"|null),.*\}', printed[-1])
        assert len(printed) == 2


async def test_the_commands_for_mqtt_3_1_1_get_their_answers(broker: Broker) -> None:
    (block,) = OLD
    async with served(broker), shell(broker, block) as process, asyncio.timeout(60):
        out, _ = await process.communicate()
        assert process.returncode == 0, out
        assert json.loads(out) == {"type": "ok", "id": 1, "version": 2}


async def test_the_program_for_mqtt_3_1_1_plays_a_game_to_its_end(broker: Broker) -> None:
    here = '"localhost", 1883'
    assert PROGRAM.count(here) == 1
    source = PROGRAM.replace(here, f'"127.0.0.1", {broker.port}')
    async with served(broker), asyncio.timeout(60):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", source), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        out, _ = await process.communicate()
    assert process.returncode == 0, out
    assert re.fullmatch(rb"\{'winner': ('first'|'second'|None), 'reason': .*\}\n", out)


async def test_strangers_can_read_neither_commands_nor_answers_to_others(broker: Broker) -> None:
    async with served(broker), screen(broker.port, "noughts/v1/+/+/replies/#", "noughts/v1/+/+/commands", "#") as spy:
        for block in (PLAYING[0], *OLD):
            async with shell(broker, block) as process:
                assert await process.wait() == 0
        await spy.until(lambda: any(topic.endswith("/state") for topic in spy.now))
        assert not [topic for topic, payload in spy.received if b"token" in payload]
