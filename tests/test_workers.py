"""``noughts serve --workers``, and ``noughts drain``: real processes, a real broker, a real database."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from noughts.cli import main
from noughts.config import Settings
from noughts.journal import JournalError
from noughts.journal.postgres.connect import Address
from noughts.serve import CannotListen
from noughts.workers import _run, reserve
from support.broker import Broker, running_broker
from support.client import PATIENCE_S, connected
from support.postgres import Postgres, database
from support.server import ServerProcess

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux spreads connections over processes")


@dataclass
class Shared:
    """What the nodes of a test have in common."""

    journal: str
    options: dict[str, Any]

    def arguments(self) -> list[str]:
        options = {"journal": self.journal, **self.options}
        return [f"--{key.replace('_', '-')}={value}" for key, value in options.items()]


@pytest.fixture
async def shared(postgres: Postgres, broker: Broker) -> AsyncIterator[Shared]:
    async with database(postgres) as url:
        yield Shared(url, {"bus": broker.url, "bus_prefix": f"test/{uuid4().hex}"})


@asynccontextmanager
async def noughts(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """``noughts`` with these arguments, in a process of its own that is ended at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "noughts",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def printed(process: asyncio.subprocess.Process, until: str) -> str:
    """What it prints, up to the line that ``until`` is in."""
    assert process.stdout is not None
    text = ""
    async with asyncio.timeout(60):
        while until not in text:
            line = await process.stdout.readline()
            assert line, text
            text += line.decode()
    return text


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pids: list[int]) -> list[int]:
    """Those that run still; a zombie does not."""
    return [pid for pid in pids if (line := _stat(pid)) and line.rpartition(")")[2].split()[0] != "Z"]


def _stat(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text()
    return ""


async def node_at(url: str) -> str:
    """The node that a new connection comes to."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /readyz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return str(json.loads(answer.partition(b"\r\n\r\n")[2])["node"])


async def nodes_at(url: str, all_of: set[str]) -> set[str]:
    """The nodes that new connections come to, once they are ``all_of`` those, or after a while."""
    found: set[str] = set()
    for _ in range(400):
        with suppress(ConnectionError, IndexError, ValueError):  # one that is just being ended
            found.add(await node_at(url))
        if found == all_of:
            break
        await asyncio.sleep(0.05)
    return found


async def until_gone(pids: list[int]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while alive(pids):  # noqa: ASYNC110  # nobody tells us
            await asyncio.sleep(0.05)


@asynccontextmanager
async def three_workers(shared: Shared) -> AsyncIterator[tuple[asyncio.subprocess.Process, str, str]]:
    """A parent with three workers that listen: it, the URL, and what it printed."""
    async with noughts("serve", "--port=0", "--workers=3", "--node=n", *shared.arguments()) as parent:
        pids: list[int] = []
        try:
            text = await printed(parent, "workers serve")
            pids = children(parent.pid)
            yield parent, re.findall(r"ws://\S+", text)[0], text
        finally:
            for pid in {*pids, *(children(parent.pid) if parent.returncode is None else [])}:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@LINUX
async def test_workers_serve_one_port_together_and_end_with_their_parent(shared: Shared) -> None:
    async with three_workers(shared) as (parent, url, text):
        assert text.count("Noughts is listening") == 1
        assert "3 workers serve: n-1 to n-3" in text
        assert parent.stdout is not None
        assert f"the bus {shared.options['bus']}\n" in (await parent.stdout.readline()).decode()
        assert await nodes_at(url, {"n-1", "n-2", "n-3"}) == {"n-1", "n-2", "n-3"}
        pids = children(parent.pid)
        assert len(pids) == 3
        async with connect(url) as socket:
            parent.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(socket.recv(), PATIENCE_S)
            assert socket.close_code == 1012
        told = (await asyncio.wait_for(parent.stdout.read(), PATIENCE_S)).decode()
        assert await asyncio.wait_for(parent.wait(), PATIENCE_S) == 0
        assert alive(pids) == []
        assert len(re.findall(r"(?m)^\S+ \S+ INFO \S+: stopping: SIGTERM$", told)) == 1
        for name in ("n-1", "n-2", "n-3"):
            assert len(re.findall(rf"(?m)^\S+ \S+ {name} INFO \S+: stopping: ", told)) == 1


@LINUX
async def test_who_looks_at_a_room_sees_it_whole_on_whichever_worker(shared: Shared) -> None:
    async with three_workers(shared) as (_, url, _), AsyncExitStack() as stack:
        ann, ben, *others = [await stack.enter_async_context(connected(url, f"player-{n}")) for n in range(14)]
        room = await ann.create()
        await ben.join(room)
        for spectator in others:
            await spectator.ok(type="watch", room=room)
            await spectator.push("room")
        for turn, move in enumerate("15263"):
            assert (await (ann, ben)[turn % 2].play(room, turn, move))["type"] == "ok"
        for client in (ann, ben, *others):
            seen = [await client.push("update")]
            while seen[-1]["state"]["status"] != "over":
                seen.append(await client.push("update"))
            versions = [update["version"] for update in seen]
            assert versions == list(range(versions[0], versions[0] + len(versions)))
            assert seen[-1]["state"]["outcome"]["winner"] == "first"


@LINUX
async def test_a_worker_that_dies_is_started_again(shared: Shared) -> None:
    async with three_workers(shared) as (parent, url, _):
        before = set(children(parent.pid))
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE_S):
            now = before
            while len(now) != 3 or victim in now:
                await asyncio.sleep(0.05)
                now = set(children(parent.pid))
        assert before - now == {victim}
        assert await nodes_at(url, {"n-1", "n-2", "n-3"}) == {"n-1", "n-2", "n-3"}
        assert "ended with status -9; it is started again" in await printed(parent, "started again")


@LINUX
async def test_a_worker_that_cannot_be_started_is_tried_again(shared: Shared) -> None:
    async with three_workers(shared) as (parent, url, _):
        before = children(parent.pid)
        _, most = resource.prlimit(parent.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(parent.pid, resource.RLIMIT_NOFILE, (0, most))
        os.kill(before[0], signal.SIGKILL)
        assert "Too many open files" in await printed(parent, "cannot be started")
        resource.prlimit(parent.pid, resource.RLIMIT_NOFILE, (most, most))
        assert await nodes_at(url, {"n-1", "n-2", "n-3"}) == {"n-1", "n-2", "n-3"}
        async with asyncio.timeout(PATIENCE_S):
            while len(children(parent.pid)) < 3:  # noqa: ASYNC110  # nobody tells us
                await asyncio.sleep(0.05)


@LINUX
async def test_where_the_first_worker_cannot_be_started_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    async with asyncio.timeout(PATIENCE_S):
        assert await _run(Settings(workers=2), 0) == 1


@LINUX
async def test_workers_end_when_their_parent_is_killed(shared: Shared) -> None:
    async with three_workers(shared) as (parent, _, _):
        pids = children(parent.pid)
        parent.kill()
        await until_gone(pids)


@LINUX
async def test_a_second_signal_ends_the_workers_at_once(shared: Shared) -> None:
    async with three_workers(shared) as (parent, _, _):
        pids = children(parent.pid)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)  # or they would be gone already
        parent.send_signal(signal.SIGTERM)
        await printed(parent, "Closing.")
        parent.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(parent.wait(), PATIENCE_S) == -signal.SIGINT
        await until_gone(pids)


@LINUX
async def test_what_is_wrong_is_told_by_one_worker_alone(shared: Shared) -> None:
    shared.journal = shared.journal.rpartition("/")[0] + "/nowhere"
    async with noughts("serve", "--port=0", "--workers=3", *shared.arguments()) as parent:
        assert parent.stdout is not None
        text = (await asyncio.wait_for(parent.stdout.read(), 60)).decode()
        assert await parent.wait() == 1
    assert text.count("noughts serve: ") == 1
    assert "Traceback" not in text


@LINUX
async def test_a_signal_while_the_first_worker_waits_for_the_database_ends_all(shared: Shared) -> None:
    shared.journal = "postgresql://noughts@127.0.0.1:1/nowhere"
    async with noughts("serve", "--port=0", "--workers=2", *shared.arguments()) as parent:
        await printed(parent, "waiting for the journal")
        parent.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(parent.wait(), PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--journal=memory", "--bus=mqtt://localhost"], "needs a journal that processes can share"),
        (["--journal=postgresql://localhost/x"], "needs a bus"),
    ],
)
@LINUX
def test_workers_need_what_they_share(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--workers=2", *options])
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]


def test_elsewhere_than_on_linux_workers_are_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--workers=2", "--journal=postgresql://localhost/x", "--bus=mqtt://localhost"])
    assert ended.value.code == 2
    assert "needs Linux" in capsys.readouterr().err


@LINUX
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1", "localhost"])
def test_a_port_that_is_held_is_nobody_elses(host: str) -> None:
    try:
        held = reserve(host, 0)
    except CannotListen:
        pytest.skip(f"this machine has no {host}")
    try:
        ports = {one.getsockname()[1] for one in held}
        assert len(ports) == 1
        held[0].listen()
        with pytest.raises(CannotListen):
            reserve(host, ports.pop())
    finally:
        for one in held:
            one.close()


# --- noughts drain


@asynccontextmanager
async def node(shared: Shared, name: str, log: Path) -> AsyncIterator[ServerProcess]:
    async with ServerProcess(shared.journal, log, node=name, **shared.options) as server:
        await nodes_at(server.url, {name})
        yield server


async def test_drain_stops_a_node_and_leaves_the_others(shared: Shared, tmp_path: Path) -> None:
    async with node(shared, "a", tmp_path / "a") as a, node(shared, "b", tmp_path / "b") as b:
        async with connected(a.url, "ann") as ann:
            room = await ann.create(second="computer:easy")
            async with noughts("drain", "a", *shared.arguments()) as drain:
                assert drain.stdout is not None
                text = (await asyncio.wait_for(drain.stdout.read(), PATIENCE_S)).decode()
                assert await drain.wait() == 0
            assert text == "a is told to stop.\na has stopped.\n"
            await ann.socket.wait_closed()
            assert ann.socket.close_code == 1012
        assert await a.wait() == 0
        assert a.output().count(" a INFO noughts.serve: stopping: told to by noughts drain\n") == 1
        assert f"This is node a on the bus {shared.options['bus']}\n" in a.output()
        async with connected(b.url, token=ann.token) as again:
            assert (await again.ok(type="watch", room=room))["seat"] == "first"


async def refused(*arguments: str) -> str:
    """Why ``noughts drain`` with these arguments could not be done: its one line."""
    async with noughts("drain", *arguments) as drain:
        assert drain.stdout is not None
        text = (await asyncio.wait_for(drain.stdout.read(), PATIENCE_S)).decode()
        assert await drain.wait() == 1
    *before, line = text.splitlines()
    assert before in ([], [f"{arguments[0]} is told to stop."])
    return line.removeprefix("noughts drain: ")


async def test_drain_says_that_there_is_no_such_node_and_which_there_are(shared: Shared, tmp_path: Path) -> None:
    assert (await refused("nobody", *shared.arguments())).startswith(
        "there is no node nobody on this bus, nor is another to be seen: "
    )
    async with node(shared, "a", tmp_path / "a"), node(shared, "b", tmp_path / "b"):
        words = await refused("nobody", *shared.arguments())
        assert words == "there is no node nobody on this bus; there are: a, b"


async def test_drain_says_why_the_broker_does_not_take_the_order(postgres: Postgres, tmp_path: Path) -> None:
    broker = Broker(
        tmp_path,
        [
            "allow_anonymous true",
            f"password_file {tmp_path / 'passwords'}",
            f"acl_file {Path(__file__).parents[1] / 'deploy/mosquitto/acl'}",
        ],
    )
    broker.add_user("noughts", "horse")
    for name in ("right", "wrong"):
        (tmp_path / name).write_text({"right": "horse", "wrong": "cow"}[name])
    broker.start()
    try:
        async with database(postgres) as url:
            account = broker.url.replace("//", "//noughts@")
            nodes = Shared(url, {"bus": account, "bus_password_file": tmp_path / "right"})
            async with node(nodes, "a", tmp_path / "a"):
                journal = f"--journal={url}"
                words = await refused("a", journal, f"--bus={account}", f"--bus-password-file={tmp_path / 'wrong'}")
                assert "refuses this server (Not authorized)" in words
                words = await refused("a", journal, f"--bus={broker.url}")
                assert "does not let this server publish to noughts/v1/bus/nodes/+: Not authorized" in words
                assert "nodes need an account" in words
        broker.kill()
        async with database(postgres) as url:
            words = await refused("a", f"--journal={url}", f"--bus={account}")
            assert "does not answer" in words
    finally:
        broker.kill()


async def test_a_database_that_does_not_answer_is_told_in_words(frozen: Postgres) -> None:
    frozen.freeze()
    with pytest.raises(JournalError, match=r"within 4 s: no answer$"):
        await Address(frozen.url("x")).connect_when_up(4)


async def test_an_order_to_stop_is_believed_from_nodes_alone(
    shared: Shared, postgres: Postgres, tmp_path: Path
) -> None:
    async with node(shared, "a", tmp_path / "a") as a, database(postgres) as another:
        forger = Shared(another, {**shared.options, "drain_s": 0})  # another journal, so another secret
        async with noughts("drain", "a", *forger.arguments()) as drain:
            assert await asyncio.wait_for(drain.wait(), PATIENCE_S) == 1
        assert await node_at(a.url) == "a"


@pytest.mark.parametrize("options", [["--journal=memory"], ["--journal=postgresql://localhost/x"]])
def test_drain_needs_what_the_nodes_share(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["drain", "a", *options])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("noughts drain: needs what the nodes share")


def test_drain_takes_the_name_of_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["drain", "+"])
    assert ended.value.code == 2
    assert "--node" in capsys.readouterr().err


# --- within a bound, whatever does not answer


@pytest.fixture
def frozen(postgres: Postgres) -> Iterator[Postgres]:
    yield postgres
    postgres.thaw()


async def test_a_node_stops_in_time_while_the_database_is_frozen(
    shared: Shared, frozen: Postgres, tmp_path: Path
) -> None:
    async with node(shared, "a", tmp_path / "a") as a, connected(a.url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        frozen.freeze()
        await ann.send(type="play", room=room, turn=0, move="5")
        loop = asyncio.get_running_loop()
        since = loop.time()
        status = await a.stop()
        assert loop.time() - since < 5 + 5 + 3
        assert status == 0
        frozen.thaw()


async def test_a_node_stops_in_time_while_the_broker_is_frozen(postgres: Postgres, tmp_path: Path) -> None:
    with running_broker() as own:
        async with database(postgres) as url, node(Shared(url, {"bus": own.url}), "a", tmp_path / "a") as a:
            own.freeze()
            loop = asyncio.get_running_loop()
            since = loop.time()
            assert await a.stop() == 0
            assert loop.time() - since < 5 + 5 + 3
            own.thaw()
