"""Searches on a farm: a real scheduler and real workers of Dask, as processes of their own."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from bench.farm_processes import FarmProcesses
from noughts.app import running
from noughts.computer import Searches
from noughts.computer.farm_pool import FarmPool, SearchJob
from noughts.computer.processes import Processes
from noughts.computer.searches import Preempted
from noughts.computer.threads import Threads
from noughts.engine import Limits
from noughts.games import IllegalMove
from noughts.timing import Timing
from support.client import connected
from support.eventually import settle, soon
from support.farm import farm_processes
from support.ports import free_port
from support.searches import DEPTHS, PATIENT, TEST_LEVELS, Whereabouts, no_kernels
from support.server import settings

pytestmark = pytest.mark.services

ENDLESS = Limits(depth=DEPTHS["endless"])
QUICK = Timing(farm_begin_s=(60, 60, 60), farm_late_s=60, farm_look_s=0.05, farm_retry_s=0.1, farm_pause_s=0.3)
"""Patient with workers on a busy machine."""
PATIENCE_S = 100

HERE = os.pathsep.join(sys.path)
"""Where workers find the engines of tests."""


@asynccontextmanager
async def searching(
    address: str, *, own: int = 1, places: int = 1, timing: Timing = QUICK
) -> AsyncIterator[tuple[Searches, FarmPool]]:
    """Searches with this farm, of which so many places are there."""
    farm = FarmPool(address, timing, SearchJob(no_kernels))
    processes, threads = Processes(own, Whereabouts, PATIENT), Threads(own, fast=lambda _: False)
    searches = Searches(own, TEST_LEVELS, threads=threads, processes=processes, farm=farm)
    connecting = asyncio.create_task(farm.connect())
    try:
        await soon(lambda: farm.most == places)
        yield searches, farm
    finally:
        connecting.cancel()
        await asyncio.wait({connecting})
        await searches.close()


def parent(pid: int | None) -> int | None:
    """The parent of a process that has searched, None if it has been killed since."""
    found = subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return int(found.stdout) if found.returncode == 0 else None


def analyse(searches: Searches, limits: Limits = ENDLESS, seconds: float = 600) -> asyncio.Future[Any]:
    return searches.analyse("tictactoe", (), limits, seconds)


async def begun(processes: FarmProcesses, count: int = 1) -> None:
    """Wait until workers have begun so many searches, which no other process of theirs does."""
    pids = ",".join(str(worker.pid) for worker in processes.workers)
    command = ["ps", "-ww", "--ppid", pids, "-o", "args="]

    def searching() -> bool:
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return sum("computer/worker.py" in line for line in found.splitlines()) >= count

    await soon(searching)
    await asyncio.sleep(0.5)


async def test_analyses_go_to_the_farm_and_moves_only_if_the_places_here_are_taken(tmp_path: Path) -> None:
    async with (
        farm_processes(tmp_path, 1, PYTHONPATH=HERE) as processes,
        searching(processes.address) as (searches, farm),
    ):
        (worker,) = processes.workers
        assert searches.workers == 2
        analysis = await analyse(searches, Limits(1))
        assert parent(analysis.nodes) == worker.pid
        assert await searches.find_move("tictactoe", (), "easy", 1)
        assert farm.done == 1
        await settle()  # its place is free
        here = searches.find_move("tictactoe", (), "endless", 1)
        assert await searches.find_move("tictactoe", (), "easy", 1)
        assert farm.done == 2
        short = searches.find_move("tictactoe", (), "easy", 1, 0.04)
        only_here = searches.find_move("tictactoe", (), "easy", 1, here=True)
        assert await searches.find_move("tictactoe", (), "easy", 1)
        assert not short.done()
        here.cancel()
        await asyncio.gather(short, only_here)
        assert farm.done == 3
        with pytest.raises(IllegalMove):
            await searches.analyse("tictactoe", ("1", "1"), Limits(1), 600)
        assert farm.lost == 1, "it could have been the worker's mistake"


async def test_a_cancelled_search_frees_its_place_and_its_worker_at_once(tmp_path: Path) -> None:
    async with (
        farm_processes(tmp_path, 1, PYTHONPATH=HERE) as processes,
        searching(processes.address) as (searches, farm),
    ):
        here, endless = searches.find_move("tictactoe", (), "endless", 1), analyse(searches)
        await begun(processes)
        endless.cancel()
        assert (await asyncio.wait_for(analyse(searches, Limits(1)), PATIENCE_S)).best
        assert (farm.done, farm.lost) == (1, 0)
        here.cancel()


async def test_a_more_urgent_search_ends_one_on_the_farm_which_answers(tmp_path: Path) -> None:
    async with (
        farm_processes(tmp_path, 1, PYTHONPATH=HERE) as processes,
        searching(processes.address) as (searches, farm),
    ):
        review = searches.review("tictactoe", (), ENDLESS, 600)
        await begun(processes)
        here = searches.find_move("tictactoe", (), "endless", 1)
        analysis = await asyncio.wait_for(analyse(searches, Limits(1)), PATIENCE_S)
        assert parent(analysis.nodes) == processes.workers[0].pid
        with pytest.raises(Preempted) as early:
            await asyncio.wait_for(review, PATIENCE_S)
        assert early.value.found.depth
        here.cancel()
        assert (farm.done, farm.lost) == (2, 0)


async def test_what_a_killed_worker_was_doing_is_done_by_another_or_here(tmp_path: Path) -> None:
    limits = Limits(depth=DEPTHS["slow"])
    async with (
        farm_processes(tmp_path, 2, PYTHONPATH=HERE) as processes,
        searching(processes.address, places=2) as (searches, farm),
    ):
        both = [analyse(searches, limits) for _ in range(2)]
        await begun(processes, 2)
        first, second = processes.workers
        both += [analyse(searches, limits) for _ in range(2)]
        first.kill()
        found = await asyncio.gather(*both)
        assert {parent(each.nodes) for each in found} >= {second.pid}
        second.kill()
        await soon(lambda: farm.most == 0)
        assert (await asyncio.wait_for(analyse(searches, limits), PATIENCE_S)).best


async def test_a_lost_scheduler_is_told_once_and_used_again_when_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    port = free_port()
    async with (
        farm_processes(tmp_path / "1", 1, PYTHONPATH=HERE, port=port) as processes,
        searching(processes.address) as (searches, farm),
    ):
        running = analyse(searches, Limits(depth=DEPTHS["slow"]))
        await begun(processes)
        processes.stop()
        assert (await asyncio.wait_for(running, PATIENCE_S)).best
        assert (farm.most, searches.workers) == (0, 1)
        assert farm.lost == 1
        assert (await asyncio.wait_for(analyse(searches, Limits(1)), PATIENCE_S)).best
        async with farm_processes(tmp_path / "2", 1, PYTHONPATH=HERE, port=port) as again:
            await soon(lambda: farm.most == 1)
            found = await analyse(searches, Limits(1))
            assert parent(found.nodes) == again.workers[0].pid
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(told) == 1, [record.getMessage() for record in told]
    assert "this server searches alone" in told[0].getMessage()
    assert caplog.text.count("search as well from now on") == 2


async def test_a_search_that_no_worker_begins_is_done_here_and_then_others_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    timing = replace(QUICK, farm_begin_s=(60, 0.5, 60), farm_pause_s=5)
    async with (
        farm_processes(tmp_path, 1, PYTHONPATH=HERE) as processes,
        searching(processes.address, timing=timing) as (searches, farm),
    ):
        pausing = asyncio.create_task(soon(lambda: (farm.most, searches.workers) == (0, 1)))
        processes.workers[0].send_signal(signal.SIGSTOP)
        found = await analyse(searches, Limits(1))
        assert parent(found.nodes) == os.getpid()
        assert farm.lost == 1
        await pausing
        assert "has begun a search in time" in caplog.text
        processes.workers[0].send_signal(signal.SIGCONT)
        await soon(lambda: farm.most == 1)
        review = await searches.review("tictactoe", (), Limits(1), 600)
        assert parent(review.nodes) == processes.workers[0].pid


async def test_a_worker_with_another_version_does_not_search(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    other, root = tmp_path / "other", Path(__file__).parents[2]
    shutil.copytree(root / "server/noughts", other / "noughts")
    shutil.copytree(root / "client/noughts_client", other / "noughts_client")
    (other / "noughts" / "added.py").write_text("ADDED = True\n")
    async with (
        farm_processes(tmp_path / "farm", 1, PYTHONPATH=f"{other}{os.pathsep}{HERE}") as processes,
        searching(processes.address, places=0) as (_, farm),
    ):
        await soon(lambda: "Install the same everywhere" in caplog.text)
        processes.add(PYTHONPATH=HERE)
        await soon(lambda: farm.most == 1)
    assert caplog.text.count("Install the same everywhere") == caplog.text.count("searches alone") == 1


def page_of(url: str) -> str:
    """The thing at this address."""
    with urlopen(url, timeout=20) as answer:
        text: str = answer.read().decode()
    return text


async def test_a_server_reviews_a_game_on_a_farm_of_which_a_worker_is_killed(tmp_path: Path) -> None:
    async with (
        farm_processes(tmp_path, 2) as processes,
        running(
            settings(farm=processes.address, review_s=0.3, search_workers=1, metrics="127.0.0.1:0"), timing=QUICK
        ) as server,
        connected(server.urls[0], "ann") as ann,
        connected(server.urls[0], "bob") as bob,
    ):
        assert server.metrics is not None
        while "noughts_farm_places 2.0" not in await asyncio.to_thread(page_of, server.metrics):  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        room = (await ann.ok(type="create", game="gomoku"))["room"]
        await bob.join(room)
        for turn, move in enumerate(("h8", "a1", "i9", "b1", "h9", "c1")):
            await (ann, bob)[turn % 2].play(room, turn, move)
        await ann.ok(type="resign", room=room)
        assert not (await ann.request(type="review", room=room))["complete"]
        for _ in range(3):
            await ann.push("reviewed")
        processes.workers[0].kill()
        async with asyncio.timeout(60):
            while not (last := await ann.push("reviewed"))["complete"]:
                pass
        assert "problem" not in last
        page = await asyncio.to_thread(page_of, server.metrics)
        done, lost = (
            re.search(rf"^noughts_farm_{name}_total (.*)", page, re.MULTILINE) for name in ("searches", "lost")
        )
        assert done is not None
        assert float(done[1]) >= 3
        assert lost is not None
