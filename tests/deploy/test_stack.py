"""All of docker-compose.yml at once, without containers: games through the proxy, while nodes come and go."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from deploy.stack import (
    PATIENCE_S,
    ROOT,
    Caddy,
    Database,
    environment,
    mosquitto_configuration,
    rendered,
    running,
    running_caddy,
    running_mosquitto,
    running_postgres,
    wait_until,
)
from noughts.protocol.replay import replay
from support.client import Client, Json, connected
from support.ports import free_port
from support.postgres import programs
from support.programs import program

pytestmark = pytest.mark.services


class Node:
    """A node started as in its container, which can be stopped and restarted."""

    def __init__(self, name: str, directory: Path, database: int, broker: int) -> None:
        self.name = name
        self.port, self.metrics = free_port(), free_port()
        self.log = directory / name
        here = {
            "@postgres/": f"@127.0.0.1:{database}/",
            "@mosquitto": f"@localhost:{broker}",
            "/run/secrets/": f"{directory}/secrets/",
            "0.0.0.0:9765": f"127.0.0.1:{self.metrics}",
            '["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]': '["127.0.0.1"]',
        }
        text = "\n".join(f"{key}={value}" for key, value in environment(name).items())
        self._environment = {
            **dict(line.split("=", 1) for line in rendered(text, here).split("\n")),
            "NOUGHTS_PORT": str(self.port),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PATH": os.environ["PATH"],
        }
        self._processes = ExitStack()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it is ready and connected to the journal and the bus."""
        command = [sys.executable, "-m", "noughts", "serve"]
        self.process = self._processes.enter_context(running(command, self.log, env=self._environment))
        wait_until(self._is_well, self.process, self.log)

    def use(self, database: str) -> None:
        """Have it use another database of the same PostgreSQL when it starts again."""
        journal = self._environment["NOUGHTS_JOURNAL"]
        self._environment["NOUGHTS_JOURNAL"] = re.sub("/[a-z]+[?]", f"/{database}?", journal)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop it by a signal. Returns the exit status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(30)

    def _is_well(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as response:
                answer: Json = json.load(response)
        except OSError:
            return False
        return answer == {"ready": True, "node": self.name, "journal": "ok", "bus": "ok"}

    def close(self) -> None:
        """Stop it."""
        self._processes.close()


@dataclass(frozen=True, slots=True)
class Stack:
    """The running services."""

    caddy: Caddy
    nodes: tuple[Node, Node, Node]
    broker: int
    database: Database

    def retained(self, topic: str, count: int) -> list[str]:
        """The first messages on ``topic`` for an anonymous client."""
        command = [program("mosquitto_sub"), "-p", str(self.broker), "-t", f"noughts/v1/{topic}", "-C", str(count)]
        return subprocess.run(
            [*command, "-W", "10"], capture_output=True, text=True, timeout=PATIENCE_S, check=True
        ).stdout.splitlines()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    directory = tmp_path_factory.mktemp("stack")
    with ExitStack() as started:
        encrypted = free_port()
        broker = mosquitto_configuration(directory, "a-password-for-the-broker", encrypted)
        started.enter_context(running_mosquitto(directory, broker))
        password = directory / "secrets" / "journal_password"
        password.write_text("a-password-for-the-database")
        database = started.enter_context(running_postgres(password))
        one, two, three = (Node(name, directory, database.port, encrypted) for name in ("node1", "node2", "node3"))
        nodes = (one, two, three)
        for node in nodes:
            started.callback(node.close)
            node.start()
        caddy = started.enter_context(running_caddy(directory, [node.port for node in nodes]))
        yield Stack(caddy, nodes, broker, database)


class Player:
    """A client that reconnects whenever its connection ends."""

    def __init__(self, caddy: Caddy, name: str) -> None:
        self.client: Client
        self._caddy = caddy
        self._name = name
        self._token: str | None = None
        self._stack = AsyncExitStack()

    async def connect(self, room: str | None = None) -> None:
        """Connect or reconnect with the same token, and watch ``room``."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    await self._stack.aclose()
                    hello = connected(self._caddy.url, self._name, token=self._token)
                    self.client = await self._stack.enter_async_context(hello)
                    if room is not None:
                        await self.client.ok(type="watch", room=room)
                except (OSError, InvalidHandshake, ConnectionClosed):
                    await asyncio.sleep(0.2)
                else:
                    break
        self._token = self.client.token

    async def play(self, room: str, turn: int, move: str) -> None:
        """Play a move, reconnecting if the connection ends."""
        while True:
            try:
                answer = await self.client.play(room, turn, move)
            except ConnectionClosed:
                await self.connect(room)
            else:
                assert answer["type"] == "ok", answer
                return

    async def cut_off(self) -> int | None:
        """Wait until the connection ends. Returns the close code, if there is one."""
        while True:
            try:
                await self.client.receive()
            except ConnectionClosed as end:
                return end.rcvd.code if end.rcvd else None

    async def leave(self) -> None:
        """Disconnect."""
        await self._stack.aclose()


def test_each_node_serves_its_metrics(stack: Stack) -> None:
    for node in stack.nodes:
        with urllib.request.urlopen(f"http://127.0.0.1:{node.metrics}/metrics", timeout=20) as page:
            assert b"noughts_journal_up 1" in page.read()


async def test_a_game_goes_on_while_its_nodes_are_killed_and_replaced(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(stack.caddy.authority))
    one, two, three = stack.nodes
    assert await asyncio.to_thread(three.end) == 0
    await asyncio.sleep(2)  # the proxy checks the nodes every second
    ann, ben = Player(stack.caddy, "ann"), Player(stack.caddy, "ben")
    try:
        await ann.connect()
        await ben.connect()
        room = await ann.client.create()
        await ben.client.join(room)
        await ann.play(room, 0, "1")
        await ben.play(room, 1, "4")

        # The proxy has put the two on different nodes, so only one of them is disconnected.
        one.end(signal.SIGKILL)
        waiting = {asyncio.create_task(player.cut_off()) for player in (ann, ben)}
        done, left = await asyncio.wait(waiting, timeout=5, return_when=asyncio.FIRST_COMPLETED)
        assert len(done) == 1
        for task in left:
            task.cancel()
        await asyncio.wait(left)
        await ann.play(room, 2, "2")
        await ben.play(room, 3, "5")

        one.start()
        await asyncio.sleep(2)  # the proxy checks the nodes every second
        farewells = [asyncio.create_task(player.cut_off()) for player in (ann, ben)]
        assert await asyncio.to_thread(two.end) == 0
        assert await asyncio.gather(*farewells) == [1012, 1012]
        await ann.play(room, 4, "3")
        await ben.connect(room)
        over = await ben.client.push("room")
        assert over["state"]["moves"] == ["1", "4", "2", "5", "3"]
        assert over["state"]["outcome"]["winner"] == "first"
        two.start()
        three.start()
    finally:
        await ann.leave()
        await ben.leave()

    async with asyncio.timeout(PATIENCE_S):  # one node writes the retained state, a little later
        while True:
            (state,) = await asyncio.to_thread(stack.retained, f"rooms/{room}/state", 1)
            if json.loads(state)["state"]["outcome"] == over["state"]["outcome"]:
                break


def recipe(beginning: str) -> list[str]:
    """The commands of docs/operating.md that follow one another, the first of which has this beginning."""
    blocks = re.findall(r"(?:^    .*\n)+", (ROOT / "docs" / "operating.md").read_text(), re.MULTILINE)
    lines: list[str]
    (lines,) = [block.replace("\n    ", "\n").strip().split("\n") for block in blocks if beginning in block]
    return lines[[beginning in line for line in lines].index(True) :]


def shell(command: str, directory: Path) -> None:
    """Run a command."""
    subprocess.run(command, shell=True, check=True, cwd=directory)


async def test_a_game_goes_on_through_an_upgrade_node_by_node_and_from_a_backup(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(stack.caddy.authority))
    ann, ben = Player(stack.caddy, "ann"), Player(stack.caddy, "ben")
    try:
        await ann.connect()
        await ben.connect()
        room = await ann.client.create()
        await ben.client.join(room)
        moves = iter(zip(range(6), "142538", strict=True))
        for node in stack.nodes:
            turn, move = next(moves)
            await (ann, ben)[turn % 2].play(room, turn, move)
            assert await asyncio.to_thread(node.end) == 0
            await asyncio.to_thread(node.start)
        turn, move = next(moves)
        await ben.play(room, turn, move)

        dump, stop, create, restore = recipe("pg_dump -U postgres")
        assert stop.endswith(" stop node1 node2 node3")
        here = {
            "docker compose exec -T postgres ": f"{programs()}/",
            "-U postgres": f"-h {stack.database.socket} -p {stack.database.port} -U postgres",
        }
        await asyncio.to_thread(shell, rendered(dump, here), tmp_path)
        for node in stack.nodes:
            assert await asyncio.to_thread(node.end) == 0
            node.use("restored")
        for command in (create, restore):
            await asyncio.to_thread(shell, rendered(command, here), tmp_path)
        for node in stack.nodes:
            await asyncio.to_thread(node.start)
        await ann.connect(room)
        shown = await ann.client.push("room")
        assert shown["state"]["moves"] == ["1", "4", "2", "5"]
        await ann.play(room, 4, "3")
    finally:
        await ann.leave()
        await ben.leave()


async def test_a_games_record_can_be_downloaded_through_the_proxy(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(stack.caddy.authority))
    async with connected(stack.caddy.url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        await ann.ok(type="resign", room=room)
    site = f"https://localhost:{stack.caddy.https_port}"

    def get(page: str) -> tuple[str, bytes]:
        with urllib.request.urlopen(f"{site}/games/{page}", timeout=20, context=stack.caddy.tls()) as answer:
            return str(answer.headers["Content-Disposition"]), answer.read()

    name, body = await asyncio.to_thread(get, f"{room}.jsonl")
    assert name == f'attachment; filename="noughts-{room}.jsonl"'
    (step, *_) = replay(BytesIO(body))
    assert step.update["room"] == room
    assert b"O (computer) won by resignation." in (await asyncio.to_thread(get, f"{room}.txt"))[1]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        await asyncio.to_thread(get, "nowhere.jsonl")


async def test_clients_reject_a_proxy_with_an_unknown_certificate(stack: Stack) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        async with connected(stack.caddy.url):
            pass


async def test_the_printed_command_plays_through_the_proxy(stack: Stack) -> None:
    (line,) = re.findall(r"^    (SSL_CERT_FILE=.*)$", (ROOT / "docs" / "operating.md").read_text(), re.MULTILINE)
    replacements = {
        "root.crt": str(stack.caddy.authority),
        "noughts play": f"{sys.executable} -m noughts play",
        "wss://localhost/ws": stack.caddy.url,
    }
    script = f"printf '1\n' | {rendered(line, replacements)}"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "XDG_STATE_HOME": str(stack.caddy.authority.parent)}
    played = await asyncio.create_subprocess_shell(
        script, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await played.communicate()
    assert (err, played.returncode) == (b"", 0)
    assert b"Your seat is kept" in out or b"Goodbye" in out


def test_dashboards_see_the_nodes(stack: Stack) -> None:
    assert {json.loads(presence)["node"] for presence in stack.retained("nodes/+", 3)} == {"node1", "node2", "node3"}


async def test_behind_tls_the_server_prints_the_address_of_tls(stack: Stack) -> None:
    url = f"https://localhost:{stack.caddy.https_port}/"
    context = stack.caddy.tls()
    page = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=20, context=context).read().decode())
    assert f"--url wss://localhost:{stack.caddy.https_port}/ws" in page
    assert "ws://localhost" not in page.replace("wss://", "")
