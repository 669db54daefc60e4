"""Leagues on a farm: a real scheduler and real workers of Dask, as processes of their own."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench.farm_processes import FarmProcesses
from noughts.farm import Farm, FarmError, connected
from noughts.farm_bots import cannot_contain
from noughts.league.plan import pairings_of, plan
from noughts.league.records import Record
from noughts.league.runner import Ending, Report, play_league, rehearse
from noughts.league.state import Folder, LeagueError, create, load
from support.eventually import soon
from support.farm import farm_processes

pytestmark = pytest.mark.services

BOT = """
import random, time
def new_game():
    pass
def choose(state):
    time.sleep({pause})
    return random.Random("{name} " + " ".join(state["moves"])).choice(state["legal_moves"])
"""
TERMS: dict[str, Any] = {"game": "tictactoe", "rounds": 3, "seed": 5, "clock": "60s+1", "plies": 2}


def new(folder: Path, bots: int, pause: float = 0.0, **terms: Any) -> Folder:
    """A league of bots that always answer a position in the same way, each with a file of its own beside it."""
    files = []
    for number in range(bots):
        (folder / f"b{number}").mkdir(parents=True)
        files.append(folder / f"b{number}" / f"b{number}.py")
        files[-1].write_text(f"from pauses import PAUSE\n{BOT.format(pause='PAUSE', name=number)}")
        files[-1].with_name("pauses.py").write_text(f"PAUSE = {pause}\n")
    return create(folder / "league", plan([str(file) for file in files], **(TERMS | terms)))


async def played(folder: Folder, farm: Farm | None, *, stop_after: int = 1000, over: Any = None) -> Ending:
    stop, told = asyncio.Event(), []

    def game(record: Record, _: object) -> None:
        assert record in load(folder.path).records  # stored before it is told
        told.append(record)
        if len(told) >= stop_after:
            stop.set()
        if over is not None:
            over(record)

    report = Report(begun=lambda _: None, game=game)
    return await play_league(folder, containment=None, report=report, stop=stop, farm=farm)


def games_of(folder: Folder) -> list[dict[str, Any]]:
    """The parts of records that are the same wherever and whenever a game is played."""
    changing = {"room", "started", "seconds", "longest_s"}
    records = sorted(load(folder.path).records, key=lambda each: each["game"])
    return [{key: value for key, value in record.items() if key not in changing} for record in records]


def said() -> tuple[list[str], Any]:
    sentences: list[str] = []
    return sentences, sentences.append


async def test_a_league_whose_workers_are_killed_in_each_round_equals_the_local_one(tmp_path: Path) -> None:
    here, there = new(tmp_path / "here", 3), new(tmp_path / "there", 3, pause=0.1)
    await played(here, None)
    assert len(games_of(here)) == 18
    killed: dict[int, subprocess.Popen[bytes]] = {}

    async with farm_processes(tmp_path / "farm", 3) as processes:

        def kill_one(record: Record) -> None:
            """Kill a worker, which plays a game, at the first result of each round; another one takes its place."""
            if record["round"] not in killed:
                victim = killed[record["round"]] = processes.workers.pop(0)
                victim.kill()
                victim.wait()
                processes.add()

        sentences, tell = said()
        async with connected(processes.address, None, tell) as farm:
            assert farm.threads == 3
            assert await played(there, farm, over=kill_one) == "played"
    assert len(killed) == 3
    assert games_of(there) == games_of(here)
    assert all("has gone" in sentence or "has come" in sentence for sentence in sentences)


async def test_a_league_on_a_farm_is_stopped_and_resumed(tmp_path: Path) -> None:
    folder = new(tmp_path, 2, pause=0.05)
    async with (
        farm_processes(tmp_path / "farm", 1, threads=2) as processes,
        connected(processes.address, None, print) as farm,
    ):
        assert farm.threads == 2
        assert await played(folder, farm, stop_after=1) == "stopped"
        assert 1 <= len(load(folder.path).records) < 6
        again = load(folder.path)
        assert await played(again, farm) == "played"
        assert [record["game"] for record in games_of(again)] == [each.game for each in pairings_of(folder.league)]


async def test_a_cancelled_league_leaves_no_bots_on_the_workers(tmp_path: Path) -> None:
    folder = new(tmp_path, 2, pause=300)
    async with (
        farm_processes(tmp_path / "farm", 1) as processes,
        connected(processes.address, None, print) as farm,
    ):
        playing = asyncio.create_task(played(folder, farm))
        await soon(lambda: bool(children(processes)))
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        await soon(lambda: not children(processes), 20)
    assert not load(folder.path).records


def children(processes: FarmProcesses) -> list[str]:
    """The processes of bots that workers have started."""
    pids = ",".join(str(worker.pid) for worker in processes.workers)
    found = subprocess.run(["ps", "--ppid", pids, "-o", "args="], capture_output=True, text=True, check=False)
    return [line for line in found.stdout.splitlines() if "bots.child" in line]


async def test_bots_are_rehearsed_on_the_farm(tmp_path: Path) -> None:
    folder = new(tmp_path, 2)
    (tmp_path / "b1" / "b1.py").write_text("import no_such_module\n")
    async with (
        farm_processes(tmp_path / "farm", 1) as processes,
        connected(processes.address, None, print) as farm,
    ):
        found = await rehearse(folder, None, at_once=2, farm=farm)
    assert list(found) == ["b1"]
    assert "no_such_module" in found["b1"].message


async def test_a_worker_that_cannot_contain_programs_is_not_used(tmp_path: Path) -> None:
    sentences, tell = said()
    async with farm_processes(tmp_path / "farm", 1, PATH="/nonexistent") as processes:
        with pytest.raises(FarmError, match=r"no worker of .* can be used"):
            async with connected(processes.address, cannot_contain, tell):
                pass
    assert len(sentences) == 1
    assert "cannot be contained" in sentences[0]


async def test_a_worker_with_another_version_is_not_used_also_if_it_comes_later(tmp_path: Path) -> None:
    folder = new(tmp_path, 2, rounds=6)
    other, root = tmp_path / "other", Path(__file__).parents[2]
    shutil.copytree(root / "server/noughts", other / "noughts")
    shutil.copytree(root / "client/noughts_client", other / "noughts_client")
    (other / "noughts" / "added.py").write_text("ADDED = True\n")
    sentences, tell = said()
    async with farm_processes(tmp_path / "farm", 1) as processes:
        async with connected(processes.address, None, tell) as farm:
            processes.add(PYTHONPATH=str(other), threads=4)
            await processes.has(2)
            assert await played(folder, farm) == "played"
        assert len(games_of(folder)) == 12
        (unfit,) = [sentence for sentence in sentences if "has come" not in sentence]
        assert "Install the same everywhere" in unfit
        async with connected(processes.address, None, tell) as farm:
            assert farm.threads == 1
        assert sentences.count(unfit) == 2


async def test_it_is_told_which_workers_come_and_go(tmp_path: Path) -> None:
    sentences, tell = said()
    async with farm_processes(tmp_path / "farm", 1) as processes, connected(processes.address, None, tell):
        processes.add()
        await soon(lambda: any("has come" in sentence for sentence in sentences))
        victim = processes.workers.pop(0)
        victim.kill()
        victim.wait()
        await soon(lambda: any("has gone" in sentence for sentence in sentences))


async def test_a_lost_scheduler_ends_the_league(tmp_path: Path) -> None:
    folder = new(tmp_path, 2, pause=0.2)
    async with (
        farm_processes(tmp_path / "farm", 1) as processes,
        connected(processes.address, None, print) as farm,
    ):
        with pytest.raises(LeagueError, match="scheduler"):
            await played(folder, farm, over=lambda _: processes.stop())
    assert 1 <= len(load(folder.path).records) < 6


async def test_a_game_of_which_worker_after_worker_dies_ends_the_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    folder = new(tmp_path, 2, pause=300)
    async with (
        farm_processes(tmp_path / "farm", 1) as processes,
        connected(processes.address, None, print) as farm,
    ):
        playing = asyncio.create_task(played(folder, farm))
        await soon(lambda: bool(children(processes)))
        processes.workers[0].kill()
        with pytest.raises(LeagueError, match="after another died of the same task"):
            await playing
    assert not load(folder.path).records


async def test_no_farm_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.farm.CONNECT_S", 0.5)
    with pytest.raises(FarmError, match=r"cannot reach the scheduler tcp://127\.0\.0\.1:1"):
        async with connected("tcp://127.0.0.1:1", None, print):
            pass
