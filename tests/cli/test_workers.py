"""``noughts serve --workers``: real processes that share a database, a broker and a port."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from gateway.test_http import fetch
from noughts.cli.main import main
from noughts.cli.process import CannotListen
from noughts.cli.workers import reserve, run
from noughts.config import Settings
from support.broker import Broker
from support.client import PATIENCE_S, connected
from support.nodes import Shared, nodes_at, noughts, shared_by_nodes
from support.ports import free_port
from support.postgres import Postgres

ALL = {"n-1", "n-2", "n-3"}
SHARED = ["--journal=postgresql://localhost/x", "--bus=mqtt://localhost"]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux spreads connections over processes")


@pytest.fixture
async def shared(postgres: Postgres, broker: Broker) -> AsyncIterator[Shared]:
    async with shared_by_nodes(postgres, broker) as shared:
        yield shared


async def printed(process: asyncio.subprocess.Process, until: str) -> str:
    """The output of ``process`` up to the line that contains ``until``."""
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
    """The processes that still run; a zombie does not."""
    return [pid for pid in pids if (line := _stat(pid)) and line.rpartition(")")[2].split()[0] != "Z"]


def _stat(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text()
    return ""


async def until_gone(pids: list[int]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while alive(pids):  # noqa: ASYNC110  # they are not our children
            await asyncio.sleep(0.05)


@asynccontextmanager
async def three_workers(shared: Shared, *options: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str, str]]:
    """A parent with three workers that listen: the process, the URL, and what it has printed."""
    async with noughts("serve", "--port=0", "--workers=3", "--node=n", *options, *shared.arguments()) as parent:
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
@pytest.mark.services
async def test_workers_share_one_port_and_stop_with_their_parent(shared: Shared) -> None:
    async with three_workers(shared) as (parent, url, text):
        assert text.count("Noughts is listening") == 1
        assert "3 workers serve: n-1 to n-3" in text
        assert parent.stdout is not None
        assert f"the bus {shared.options['bus']}\n" in (await parent.stdout.readline()).decode()
        assert await nodes_at(url, ALL) == ALL
        pids = children(parent.pid)
        assert len(pids) == 3
        await play_before_spectators(url)
        async with connect(url) as socket:
            parent.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(socket.recv(), PATIENCE_S)
            assert socket.close_code == 1012
        rest = (await asyncio.wait_for(parent.stdout.read(), PATIENCE_S)).decode()
        assert await asyncio.wait_for(parent.wait(), PATIENCE_S) == 0
        assert alive(pids) == []
        assert len(re.findall(r"(?m)^\S+ \S+ INFO \S+: stopping: SIGTERM$", rest)) == 1
        for name in ALL:
            assert len(re.findall(rf"(?m)^\S+ \S+ {name} INFO \S+: stopping: ", rest)) == 1


@LINUX
@pytest.mark.services
async def test_each_worker_has_its_own_metrics_on_the_next_port(shared: Shared) -> None:
    port = free_port()
    async with three_workers(shared, f"--metrics=127.0.0.1:{port}") as (_, url, _text):
        pages = [await fetch(f"http://127.0.0.1:{port + number}", "/metrics") for number in range(3)]
        assert [page.status for page in pages] == [200] * 3
        assert (await fetch(url, "/metrics")).status == 404
        async with AsyncExitStack() as stack:
            for number in range(20):
                await stack.enter_async_context(connected(url, f"player-{number}"))
            counts = []
            for number in range(3):
                page = await fetch(f"http://127.0.0.1:{port + number}", "/metrics")
                counts.append(float(re.findall(rb"\nnoughts_players (\S+)", page.body)[0]))
            assert sum(counts) == 20
            assert max(counts) < 20


async def play_before_spectators(url: str) -> None:
    """A game with enough spectators that each worker has some. All receive every update in order."""
    async with AsyncExitStack() as stack:
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
@pytest.mark.services
async def test_a_worker_that_dies_is_restarted_as_soon_as_it_can_be(shared: Shared) -> None:
    async with three_workers(shared) as (parent, url, _):
        before = set(children(parent.pid))
        _, most = resource.prlimit(parent.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(parent.pid, resource.RLIMIT_NOFILE, (0, most))
        os.kill(min(before), signal.SIGKILL)
        text = await printed(parent, "cannot start")
        assert "ended with status -9; restarting it" in text
        assert "Too many open files" in text
        resource.prlimit(parent.pid, resource.RLIMIT_NOFILE, (most, most))
        async with asyncio.timeout(PATIENCE_S):
            while len(now := set(children(parent.pid))) < 3:  # noqa: ASYNC110  # they are not our children
                await asyncio.sleep(0.05)
        assert before - now == {min(before)}
        assert await nodes_at(url, ALL) == ALL


@LINUX
async def test_the_parent_exits_if_the_first_worker_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    async with asyncio.timeout(PATIENCE_S):
        assert await run(Settings(workers=2), 0) == 1


@LINUX
@pytest.mark.services
async def test_workers_end_when_their_parent_is_killed(shared: Shared) -> None:
    async with three_workers(shared) as (parent, _, _):
        pids = children(parent.pid)
        parent.kill()
        await until_gone(pids)


@LINUX
@pytest.mark.services
async def test_a_second_signal_ends_the_workers_at_once(shared: Shared) -> None:
    async with three_workers(shared) as (parent, _, _):
        pids = children(parent.pid)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)  # or they would end before the second signal
        parent.send_signal(signal.SIGTERM)
        await printed(parent, "Closing.")
        parent.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(parent.wait(), PATIENCE_S) == -signal.SIGINT
        await until_gone(pids)


@LINUX
@pytest.mark.services
async def test_only_one_worker_reports_an_error(shared: Shared) -> None:
    shared.journal = shared.journal.rpartition("/")[0] + "/nowhere"
    async with noughts("serve", "--port=0", "--workers=3", *shared.arguments()) as parent:
        assert parent.stdout is not None
        text = (await asyncio.wait_for(parent.stdout.read(), 60)).decode()
        assert await parent.wait() == 1
    assert text.count("noughts serve: ") == 1
    assert "Traceback" not in text


@LINUX
@pytest.mark.services
async def test_a_signal_ends_a_parent_whose_first_worker_waits_for_the_database(shared: Shared) -> None:
    shared.journal = "postgresql://noughts@127.0.0.1:1/nowhere"
    async with noughts("serve", "--port=0", "--workers=2", *shared.arguments()) as parent:
        await printed(parent, "waiting for the journal")
        parent.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(parent.wait(), PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--journal=memory", "--bus=mqtt://localhost"], "needs a journal that processes can share"),
        (["--journal=postgresql://localhost/x"], "needs a bus"),
        ([*SHARED, "--metrics-token-file=token"], "needs --metrics instead of --metrics-token-file"),
        ([*SHARED, "--metrics=127.0.0.1:65535"], "needs a lower port in --metrics"),
    ],
)
@LINUX
def test_workers_need_a_shared_journal_a_bus_and_ports_for_their_metrics(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--workers=2", *options])
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert expected in lines[0]


def test_workers_need_linux(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--workers=2", "--journal=postgresql://localhost/x", "--bus=mqtt://localhost"])
    assert ended.value.code == 2
    assert "needs Linux" in capsys.readouterr().err


@LINUX
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1", "localhost"])
def test_another_program_cannot_take_a_reserved_port(host: str) -> None:
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
