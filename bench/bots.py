"""The cost of running a bot as a process: its start, a round trip and its end, with and without the sandbox.

    python -m bench.bots [--quick]

*Start*: from the call to the bot's readiness for its first turn; of a shell script to its first answer. *Round trip*: a
turn of tic-tac-toe out, the first legal move back, in the parent's event loop. *End*: from the end of its input to the
end of all its processes. The ways to run it are visited in turns, and the medians are shown.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from noughts.games import GAMES
from noughts_client.bots.game_bot import start
from noughts_client.bots.program import BotSpec
from noughts_client.bots.sandbox import Containment, probe
from noughts_client.state import BotState

FIRST_MOVE = "def choose(state):\n    return state['legal_moves'][0]\n"

SHELL = """#!/bin/sh
while read -r turn; do
    echo 1
done
"""

Times = dict[str, list[float]]


def first_turn() -> BotState:
    """The state at the start of a game of tic-tac-toe."""
    return BotState.after(GAMES["tictactoe"], [])


async def play(spec: BotSpec, containment: Containment | None, turns: int, times: Times) -> None:
    """Add the times of one game, in seconds."""
    began = time.perf_counter()
    bot = await start(spec, "tictactoe", containment=containment)
    state = first_turn()
    if spec.kind == "exec":  # it says nothing at its start
        await bot.choose(state, patience_s=60)
    times["start"].append(time.perf_counter() - began)
    for _ in range(turns):
        began = time.perf_counter()
        await bot.choose(state, patience_s=60)
        times["round trip"].append(time.perf_counter() - began)
    began = time.perf_counter()
    await bot.close()
    times["end"].append(time.perf_counter() - began)


def bots_in(folder: Path) -> dict[str, BotSpec]:
    """The bots, written into ``folder``."""
    python, shell = folder / "bot.py", folder / "bot.sh"
    python.write_text(FIRST_MOVE)
    shell.write_text(SHELL)
    for path in (folder, shell):
        path.chmod(0o755)
    return {"Python": BotSpec("python", str(python), "bot"), "shell": BotSpec("exec", str(shell), "bot")}


async def measure(bots: dict[str, BotSpec], games: int, turns: int) -> dict[tuple[str, str], Times]:
    """The times of each kind of bot in each way to run it."""
    sandbox = await asyncio.to_thread(probe)
    ways: dict[str, Containment | None] = {"alone": None}
    if sandbox.by == "bubblewrap":
        ways["sandbox"] = sandbox
    found: dict[tuple[str, str], Times] = {
        (name, way): {"start": [], "round trip": [], "end": []} for name in bots for way in ways
    }
    for _ in range(games):
        for (name, way), times in found.items():
            await play(bots[name], ways[way], turns, times)
    return found


def empty_interpreter(times: int) -> float:
    """The median time in seconds of a Python process that does nothing."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-S", "-c", "pass"], check=True)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.bots", description="What a bot costs as a process.")
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    options = parser.parse_args()
    games, turns = (1, 3) if options.quick else (15, 200)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(bots_in(Path(folder)), games, turns))
    print("| bot | run | start ms | round trip us, p50 | p95 | end ms |\n|---|---|---|---|---|---|")
    for (name, way), times in found.items():
        trips = sorted(times["round trip"])
        middle, late = statistics.median(trips) * 1e6, trips[int(len(trips) * 0.95)] * 1e6
        begun, ended = (statistics.median(times[part]) * 1000 for part in ("start", "end"))
        print(f"| {name} | {way} | {begun:.0f} | {middle:.0f} | {late:.0f} | {ended:.0f} |")
    print(f"An empty interpreter: {empty_interpreter(games) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
