"""A farm of Dask on this machine: the cost of giving a task to a worker, and the rate of games with 1, 2, 4, 8 workers.

    python -m bench.farm [--quick]

*Tasks* do nothing: the time from giving one to its result, one after the other; and with 64 under way, the time for
each and the processor time of all processes. *Searches* are those of a server, one ply deep: the same, with the
processor time in the server's process, and the longest turn of its event loop, in processor time. *Games* are of bots
that only wait, so that a worker needs little of a core: the rate beside that of one worker. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.farm_processes import FarmProcesses, Nothing, farm_processes
from bench.turns import each_turn
from noughts.computer import Searches
from noughts.computer.farm_pool import FarmPool
from noughts.engine import Limits
from noughts.farm import connected
from noughts.league.plan import plan
from noughts.league.runner import Report, play_league
from noughts.league.state import create
from noughts.timing import Timing

TICKS = os.sysconf("SC_CLK_TCK")

WAITS = """
import time
def new_game():
    pass
def choose(state):
    time.sleep({pause})
    return state["legal_moves"][0]
"""


def processor_s(processes: FarmProcesses) -> float:
    """The processor time of this process, the scheduler and the workers so far."""
    ticks = 0
    for process in (processes.scheduler, *processes.workers):
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return time.process_time() + ticks / TICKS


async def tasks(folder: Path, count: int) -> None:
    """Print what tasks cost."""
    print("| under way | tasks | ms a task | p95 | processor ms a task, all processes |\n|---|---|---|---|---|")
    async with (
        farm_processes(folder, 2, PYTHONPATH=os.getcwd()) as processes,
        connected(processes.address, None, print) as farm,
        farm.submitting(Nothing()) as submit,
    ):
        for each in range(20):  # both workers have the job
            await submit(each)
        for at_once in (1, 64):
            left = iter(range(count))
            took: list[float] = []

            async def some(left: Any = left, took: list[float] = took) -> None:
                for each in left:
                    since = time.perf_counter()
                    await submit(each)
                    took.append(time.perf_counter() - since)

            used, began = processor_s(processes), time.perf_counter()
            await asyncio.gather(*(some() for _ in range(at_once)))
            wall, used = time.perf_counter() - began, processor_s(processes) - used
            p95 = statistics.quantiles(took, n=20)[-1]
            print(f"| {at_once} | {count} | {1000 * wall / count:.2f} | {1000 * p95:.1f} | {1000 * used / count:.2f} |")


async def searches(folder: Path, count: int) -> None:
    """Print what searches on a farm cost a server, and what the first one waits for."""
    print("| under way | searches | ms a search | p95 | ms in the server | turns over 1 ms | longest turn, ms |")
    print("|---|---|---|---|---|---|---|")
    async with farm_processes(folder, 2, threads=4) as processes:
        pool = FarmPool(processes.address, Timing(farm_begin_s=(60, 60, 60), farm_look_s=0.1))
        connecting, began = asyncio.create_task(pool.connect()), time.perf_counter()
        while pool.most < 8:  # noqa: ASYNC110 - the pool tells nobody when its workers are ready
            await asyncio.sleep(0.1)
        ready_s = time.perf_counter() - began
        searching = Searches(1, farm=pool)
        for at_once in (1, 8):
            await asyncio.gather(*(searching.analyse("tictactoe", (), Limits(1), 60) for _ in range(16)))
            left, took = iter(range(count)), list[float]()

            async def some(left: Any = left, took: list[float] = took) -> None:
                for _ in left:
                    since = time.perf_counter()
                    await searching.analyse("tictactoe", (), Limits(1), 60)
                    took.append(time.perf_counter() - since)

            taken = list[float]()

            def note(_: object, seconds: float, taken: list[float] = taken) -> None:
                taken.append(seconds)

            with each_turn(note):
                used, began = time.process_time(), time.perf_counter()
                await asyncio.gather(*(some() for _ in range(at_once)))
                wall, used = time.perf_counter() - began, time.process_time() - used
            p95, slow = statistics.quantiles(took, n=20)[-1], sum(turn > 0.001 for turn in taken)
            numbers = f"{1000 * wall / count:.2f} | {1000 * p95:.1f} | {1000 * used / count:.2f}"
            print(f"| {at_once} | {count} | {numbers} | {slow} of {len(taken)} | {1000 * max(taken):.2f} |")
        print(f"\nUntil both workers had loaded all kernels: {ready_s:.1f} s. Lost: {pool.lost}.")
        connecting.cancel()
        await asyncio.wait({connecting})
        await searching.close()


async def rate(folder: Path, workers: int, pause: float, each: int) -> float:
    """The games a second of a league of bots that wait ``pause`` for each move, of ``each`` games a worker."""
    over: list[float] = []
    stop = asyncio.Event()
    files = []
    for name in ("one", "other"):
        folder.joinpath(name).mkdir(parents=True)
        files.append(folder / name / f"{name}.py")
        files[-1].write_text(WAITS.format(pause=pause))
    terms: dict[str, Any] = {
        "game": "tictactoe",
        "rounds": each * workers // 2,
        "seed": 1,
        "clock": "60s+1",
        "plies": 0,
    }
    league = create(folder / "league", plan([str(file) for file in files], **terms))
    report = Report(begun=lambda _: None, game=lambda *_: over.append(time.perf_counter()))
    async with (
        farm_processes(folder / "farm", workers) as processes,
        connected(processes.address, None, print) as farm,
    ):
        await play_league(league, containment=None, report=report, stop=stop, farm=farm)
    # The first games wait for the server of their worker and the start of their bots; at the end some workers idle.
    counted = over[workers:-workers]
    return (len(counted) - 1) / (counted[-1] - counted[0])


async def main(folder: Path, *, quick: bool) -> None:
    """Measure, and print tables."""
    load = os.getloadavg()[0]
    software = f"Python {platform.python_version()}, distributed {version('distributed')}"
    print(f"{software}, {os.cpu_count()} cores, a load of {load:.1f}\n")
    await tasks(folder / "tasks", 50 if quick else 1000)
    print()
    await searches(folder / "searches", 20 if quick else 400)
    print("\n| workers | games a second | of linear |\n|---|---|---|")
    alone = 0.0
    for workers in (1, 2) if quick else (1, 2, 4, 8):
        found = await rate(folder / str(workers), workers, *((0.02, 6) if quick else (0.4, 10)))
        alone = alone or found
        print(f"| {workers} | {found:.2f} | {100 * found / (alone * workers):.0f} % |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.farm", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a minute, to check that it runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(main(Path(made), quick=options.quick))
