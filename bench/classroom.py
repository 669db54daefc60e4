"""A class of hundreds on a server, and the longest steps of its event loop: nobody else is served during a step.

    python -m bench.classroom [--students N] [--quick] [--directory DIRECTORY]

The teacher watches the class. All students come and take their names, are opened a simul, play each other in pairs, ask
for help, and come back after all connections were lost. For each of these it prints how many steps the loop took, and
the longest, in processor time of the loop's thread, so that other programs do not count. The server runs on asyncio's
own loop, whose steps can be timed; those of uvloop run the same code.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import random
import sys
import time
from asyncio.events import Handle
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import alone
from bench.gateway.connection import Connection, connect, stop_at_errors
from bench.gateway.servers import SERVER_CORE
from bench.standings import AT_ONCE, Asking
from bench.turns import each_turn
from noughts import embed
from noughts.cli.process import collect_garbage_less_often

PAUSE_S = 1.0
"""The time that a student takes for a move, on average."""

LONG_MS = 1.0
"""No step should be longer."""


GARBAGE = "garbage collection"

UNDER = f"under {LONG_MS:g} |"


# The server, in a process of its own.


class Steps:
    """The steps of the event loop in this process, in ms of processor time."""

    def __init__(self) -> None:
        self.count = 0
        self.long: list[tuple[float, str]] = []
        self._collected = 0.0

    def took(self, handle: Handle, seconds: float) -> None:
        """A step is over."""
        took, garbage = 1000 * seconds, 1000 * self._collected
        self._collected = 0.0
        self.count += 1
        if took > LONG_MS:
            self.long.append((took, GARBAGE if garbage > took / 2 else _name(handle)))

    def collecting(self, phase: str, _: object) -> None:
        """Garbage is about to be collected, or was."""
        now = time.thread_time()
        self._collected += now if phase == "stop" else -now

    def taken(self) -> dict[str, object]:
        """The steps since the last call."""
        found = {"count": self.count, "long": sorted(self.long, reverse=True)}
        self.count, self.long = 0, []
        return found


def _name(handle: Handle) -> str:
    """The coroutine or the function that a step ran."""
    callback: Any = handle._callback  # type: ignore[attr-defined]  # asyncio tells it nowhere else
    of = getattr(callback, "__self__", None)
    if isinstance(of, asyncio.Task):
        return str(getattr(of.get_coro(), "__qualname__", of.get_name()))
    return str(getattr(callback, "__qualname__", callback))


async def serve(directory: Path) -> None:
    """Run the server. Print its port, and for each line on stdin the steps since the last."""
    os.sched_setaffinity(0, {SERVER_CORE})
    steps = Steps()
    async with embed.server(journal=directory / "journal.sqlite3") as server:
        collect_garbage_less_often()
        gc.callbacks.append(steps.collecting)
        with each_turn(steps.took):
            print(server.port, flush=True)
            while await asyncio.to_thread(sys.stdin.readline):
                print(json.dumps(steps.taken()), flush=True)


# The load.


@dataclass
class Server:
    """A server, and what it says about its steps, by what happened meanwhile."""

    port: int
    process: asyncio.subprocess.Process
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def during(self, what: str, work: Awaitable[Any]) -> None:
        """Do something, wait until all have heard of it, and note the steps meanwhile."""
        await self._taken()
        await work
        await asyncio.sleep(2)
        self.rows[what] = await self._taken()

    async def _taken(self) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"\n")
        found: dict[str, Any] = json.loads(await self.process.stdout.readline())
        return found


@asynccontextmanager
async def started(directory: Path) -> AsyncIterator[Server]:
    words = ("-m", "bench.classroom", "--serve", "--directory", str(directory))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdin=pipe, stdout=pipe, limit=2**24)
    assert process.stdout is not None
    try:
        yield Server(int(await process.stdout.readline()), process)
    finally:
        process.kill()
        await process.wait()


class Student:
    """A student, who plays by chance whatever game is watched."""

    def __init__(self, name: str, rng: random.Random) -> None:
        self.name, self._rng = name, rng
        self._connection: Connection | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._side: dict[str, str] = {}
        self._turns: dict[str, int] = {}

    async def come(self, port: int, class_id: str) -> None:
        """Connect, take the name, and go on with all games."""
        token = None if self._connection is None else self._connection.token
        self._connection = await connect(port, "player", token)
        self.asking = Asking(self._connection)
        self.asking.pushed = self._hear
        await self.asking.ask(type="join_class", class_id=class_id, name=self.name)
        for room in self._side:
            await self.asking.ask(type="watch", room=room)

    async def play(self, other: Student) -> None:
        """Begin a game against another student."""
        room = (await self.asking.ask(type="create", game="connect4"))["room"]
        self._side[room], other._side[room] = "first", "second"
        await other.asking.ask(type="join", room=room)

    def lose_connection(self) -> None:
        """Vanish, as when the network of the school is down."""
        assert self._connection is not None
        for task in self._tasks:
            task.cancel()
        self._turns.clear()
        self._connection.abort()

    def _hear(self, message: dict[str, Any]) -> None:
        room = message.get("room")
        if message["type"] == "simul_game":
            self._side[message["room"]] = message["seat"]
            self._do(self.asking.ask(type="watch", room=room))
        elif "state" in message and room in self._side:
            state = message["state"]
            mine = state["outcome"] is None and state["to_move"] == self._side[room] and state["status"] == "playing"
            if mine and self._turns.get(room) != state["turn"]:
                self._turns[room] = state["turn"]
                self._do(self._move(room, state["turn"], self._rng.choice(state["legal_moves"])))

    async def _move(self, room: str, turn: int, move: str) -> None:
        await asyncio.sleep(PAUSE_S * self._rng.uniform(0.5, 1.5))
        await self.asking.ask(type="play", room=room, turn=turn, move=move)

    def _do(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def at_once(work: list[Awaitable[Any]]) -> None:
    """All of it, some at a time."""
    for start in range(0, len(work), AT_ONCE):
        await asyncio.gather(*work[start : start + AT_ONCE])


async def main(count: int, seconds: float, directory: Path) -> None:
    stop_at_errors()
    async with started(directory) as server:
        teacher = Asking(await connect(server.port, "teacher"))
        await teacher.ask(type="register")
        students = [Student(f"Student {number} of a class", random.Random(number)) for number in range(count)]
        names = [each.name for each in students]
        made = await teacher.ask(type="make_class", title="bench", names=names)
        of = {"class_id": made["listing"]["class_id"]}
        await teacher.ask(type="class", watch=True, **of)

        async def play() -> None:
            await at_once([one.play(other) for one, other in zip(students[::2], students[1::2], strict=True)])
            await asyncio.sleep(seconds)

        await server.during("they come", at_once([each.come(server.port, **of) for each in students]))
        await server.during("a simul", teacher.ask(type="simul", game="connect4", side="second", **of))
        await server.during("they play", play())
        await server.during("they ask for help", at_once([each.asking.ask(type="ask_help", **of) for each in students]))
        await server.during("the teacher looks", teacher.ask(type="class", watch=True, **of))
        for each in students:
            each.lose_connection()
        await server.during("all have gone", asyncio.sleep(2))
        await server.during("they come back", at_once([each.come(server.port, **of) for each in students]))
        for each in students:
            each.lose_connection()
    print(f"Python {platform.python_version()}, {count} students, load average {os.getloadavg()[0]:.1f}\n")
    print(f"| while | steps | over {LONG_MS:g} ms | longest ms | of | longest other ms | of |")
    print("|---|---|---|---|---|---|---|")
    for what, row in server.rows.items():
        long = row["long"]
        most = " | ".join(map(_longest, (long, [step for step in long if step[1] != GARBAGE])))
        print(f"| {what} | {row['count']} | {len(long)} | {most} |")


def _longest(steps: list[tuple[float, str]]) -> str:
    """The first of ``steps``, the longest, for a table."""
    return f"{steps[0][0]:.1f} | {steps[0][1]}" if steps else UNDER


if __name__ == "__main__":
    parser = alone.parser("classroom", __doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(Path(given.directory)))
    else:
        size, seconds = (6, 2.0) if given.quick else (given.students, 20.0)
        alone.run(lambda directory: main(size, seconds, directory), given.directory)
