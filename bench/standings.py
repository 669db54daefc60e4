"""A tournament of hundreds, and its standings for a thousand watchers: what others on the server notice of it.

    python -m bench.standings [--entrants N] [--watchers N] [--format swiss|arena] [--quick] [--directory DIRECTORY]

Players enter a tournament of tic-tac-toe, and play by chance, each move after some seconds, so that half as many games
as entrants go on at once. Watchers, in a process of their own, have the standings pushed to them. Meanwhile two
bystanders play each other, ten moves a second. It prints the bystanders' delay from a move to its answer; the delay
from the end of a game, as its players hear of it, to standings that count it; and the processor time of the server.
Linux only, on two cores: one for the server and the process that pairs, one for the load.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import alone
from bench.gateway.connection import Connection, connect, kind_of, stop_at_errors
from bench.gateway.servers import commands, started

CLOCK = {"initial_s": 300, "increment_s": 0}

PAUSE_S = 2.0
"""The time that a player takes for a move, on average; at least half of it, and at most one and a half."""

BYSTANDER_S = 0.1
"""The time between two moves of the bystanders."""

AT_ONCE = 20
"""The number of connections that are opened at the same time."""


class Asking:
    """Requests on a connection whose answers are awaited. Pushed messages go to ``pushed``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._number = 0
        self.pushed: Callable[[dict[str, Any]], None] = lambda _: None
        connection.receive = self._receive

    async def ask(self, **fields: Any) -> dict[str, Any]:
        """The answer to a request."""
        self._number += 1
        self._answers[self._number] = answer = asyncio.get_running_loop().create_future()
        self._connection.send(json.dumps({**fields, "id": self._number}).encode())
        found: dict[str, Any] = await answer
        return found

    def _receive(self, message: bytes) -> None:
        kind_of(message)
        told = json.loads(message)
        if "id" in told and told["type"] != "chat":
            answer = self._answers.pop(told["id"])
            if not answer.done():  # whoever asked may have been stopped
                answer.set_result(told)
        else:
            self.pushed(told)


@dataclass
class Seen:
    """The ends of games, the standings that were pushed, each with the number of results that it counts, and delays."""

    ended: list[float] = field(default_factory=list)
    pushed: list[tuple[float, int]] = field(default_factory=list)
    bystander: list[float] = field(default_factory=list)
    rooms: set[str] = field(default_factory=set)

    def delays(self) -> list[float]:
        """For each game that is over, the seconds until standings counted it."""
        found: list[float] = []
        pushed = iter(self.pushed)
        at, counted = next(pushed, (0.0, 0))
        for number, ended in enumerate(sorted(self.ended), 1):
            while counted < number:
                try:
                    at, counted = next(pushed)
                except StopIteration:
                    return found
            found.append(max(0.0, at - ended))
        return found


class Entrant:
    """A player of the tournament, who plays by chance."""

    def __init__(self, connection: Connection, seen: Seen, rng: random.Random, pause_s: float) -> None:
        self.asking, self._seen, self._rng, self._pause_s = Asking(connection), seen, rng, pause_s
        self.asking.pushed = self._hear
        self._side: dict[str, str] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "tournament_game":
            self._side[message["room"]] = message["seat"]
            self._do(self.asking.ask(type="watch", room=message["room"]))
        elif "state" in message and message["room"] in self._side:
            state, room = message["state"], message["room"]
            if state["outcome"] is not None:
                if room not in self._seen.rooms:
                    self._seen.rooms.add(room)
                    self._seen.ended.append(time.perf_counter())
                del self._side[room]
            elif state["to_move"] == self._side[room]:
                self._do(self._move(room, state["turn"], self._rng.choice(state["legal_moves"])))

    async def _move(self, room: str, turn: int, move: str) -> None:
        await asyncio.sleep(self._pause_s * self._rng.uniform(0.5, 1.5))
        await self.asking.ask(type="play", room=room, turn=turn, move=move)

    def stop(self) -> None:
        """Play no more."""
        for task in self._tasks:
            task.cancel()

    def _do(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def stand_by(port: int, seen: Seen) -> None:
    """Play without end at a table that has nothing to do with the tournament."""
    one, two = Asking(await connect(port, "bystander-1")), Asking(await connect(port, "bystander-2"))
    while True:
        room = (await one.ask(type="create", game="tictactoe"))["room"]
        await two.ask(type="join", room=room)
        for turn, move in enumerate("152647"):
            await asyncio.sleep(BYSTANDER_S)
            began = time.perf_counter()
            await (two if turn % 2 else one).ask(type="play", room=room, turn=turn, move=move)
            seen.bystander.append(time.perf_counter() - began)
        await one.ask(type="resign", room=room)
        for player in (one, two):
            await player.ask(type="leave", room=room)


async def connections(port: int, count: int, name: str) -> list[Connection]:
    """So many players, with names of their own."""
    found: list[Connection] = []
    for start in range(0, count, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, count))
        found += await asyncio.gather(*(connect(port, f"{name}-{number}") for number in numbers))
    return found


async def watch(port: int, tournament: str, count: int) -> None:
    """Have the standings pushed to ``count`` connections, and drop them."""
    request = json.dumps({"type": "tournament", "tournament": tournament, "watch": True, "id": 1}).encode()
    for connection in await connections(port, count, "watcher"):
        connection.send(request)
    print("ready", flush=True)
    await asyncio.Event().wait()


@asynccontextmanager
async def watched(port: int, tournament: str, count: int) -> AsyncIterator[None]:
    """Watchers in a process of their own."""
    words = ("-m", "bench.standings", "--watch", str(port), tournament, "--watchers", str(count))
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"ready\n"
        yield
    finally:
        process.kill()
        await process.wait()


@dataclass(frozen=True)
class Scale:
    """The size of a run."""

    entrants: int = 500
    watchers: int = 1000
    seconds: float = 90
    pause_s: float = PAUSE_S


QUICK = Scale(entrants=6, watchers=5, seconds=8, pause_s=0.1)


async def main(scale: Scale, format_: str, directory: Path) -> None:
    stop_at_errors()
    seen = Seen()
    async with started(commands(directory)["noughts"]) as server:
        organiser = Asking(await connect(server.port, "organiser"))
        await organiser.ask(type="register")
        length = {"rounds": 2} if format_ == "swiss" else {"minutes": 60}
        terms = {"name": "bench", "format": format_, "game": "tictactoe", "clock": CLOCK, "most": 500, **length}
        tournament = (await organiser.ask(type="open_tournament", **terms))["tournament"]
        players = [
            Entrant(connection, seen, random.Random(number), scale.pause_s)
            for number, connection in enumerate(await connections(server.port, scale.entrants, "player"))
        ]
        for player in players:
            await player.asking.ask(type="enter_tournament", tournament=tournament)

        def hear(message: dict[str, Any]) -> None:
            if message["type"] == "tournament":
                counted = message["version"] - 2 - scale.entrants - message["tournament"]["round"]
                seen.pushed.append((time.perf_counter(), counted))

        organiser.pushed = hear
        onlooker = Asking(await connect(server.port, "onlooker"))
        await organiser.ask(type="tournament", tournament=tournament, watch=True)
        async with watched(server.port, tournament, scale.watchers):
            standing_by = asyncio.create_task(stand_by(server.port, seen))
            await asyncio.sleep(5)
            alone_s, seen.bystander = seen.bystander, []
            before, began = server.cpu(), time.perf_counter()
            await organiser.ask(type="start_tournament", tournament=tournament)
            shown = {"tournament": {"status": "running"}}
            while time.perf_counter() < began + scale.seconds and shown["tournament"]["status"] != "finished":
                await asyncio.sleep(5)
                shown = await onlooker.ask(type="tournament", tournament=tournament)
            used, took = server.cpu() - before, time.perf_counter() - began
            standing_by.cancel()
            for player in players:
                player.stop()
            await asyncio.sleep(1)
    print(f"Python {platform.python_version()}, load average {os.getloadavg()[0]:.1f}")
    print(
        f"{scale.entrants} entrants, {scale.watchers} watchers, {format_}: {took:.0f} s, {len(seen.ended)} games,",
        end=" ",
    )
    print(f"{len(seen.pushed)} standings pushed of {len(json.dumps(shown)) / 1000:.0f} KB; {used / took:.0%} of a core")
    print("\n| | n | p50 ms | p99 ms | most ms |\n|---|---|---|---|---|")
    rows = {
        "bystander's move, before": alone_s,
        "bystander's move": seen.bystander,
        "result in standings": seen.delays(),
    }
    for name, values in rows.items():
        cuts = statistics.quantiles(values, n=100)
        figures = " | ".join(f"{1000 * each:.1f}" for each in (statistics.median(values), cuts[98], max(values)))
        print(f"| {name} | {len(values)} | {figures} |")


if __name__ == "__main__":
    parser = alone.parser("standings", __doc__)
    parser.add_argument("--entrants", type=int, default=500)
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--format", choices=("swiss", "arena"), default="arena")
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--watch", nargs=2, metavar=("PORT", "TOURNAMENT"), help="for the process of the watchers")
    given = parser.parse_args()
    scale = QUICK if given.quick else Scale(given.entrants, given.watchers, given.seconds)
    if given.watch is not None:
        port, name = given.watch
        alone.run(lambda _: watch(int(port), name, given.watchers), None)
    else:
        alone.run(lambda directory: main(scale, given.format, directory), given.directory)
