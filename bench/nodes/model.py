"""A model of 10,000, 100,000 and a million games at once: which part breaks first, and at how many games.

    python -m bench.nodes.model

Each part has a need that grows with the games, and what one of it can do. The need follows from the constants below,
which say how people play; what one can do is read from the tables in bench/results.md or, where that says nothing,
measured here: the memory of a room and the bytes of its record. So the table follows when a figure is measured again.
A last table says what a class of 120 takes on a farm. Nothing of this has been tried with so many machines.
"""

from __future__ import annotations

import asyncio
import random
import re
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from noughts.bus import MemoryBus
from noughts.games import Side
from noughts.host import Done, Failed, Host
from noughts.journal import SqliteJournal
from noughts.rooms import Command, Join, Open, Options, Play, Player, Refused, Room

RESULTS = Path(__file__).parents[1] / "results.md"

GAMES_AT_ONCE = (10_000, 100_000, 1_000_000)

MOVE_EVERY_S = 5.0
"""The time between two moves of a game: blitz, and some who think."""

PLIES = 40
"""The length of a game: so it takes 200 s, and one game in 200 begins and ends each second."""

OTHER_EVENTS = 6
"""The events of a game beside its moves: opened, joined, offers, its end."""

RATED = 0.5
"""The part of the games that is rated."""

SOUGHT = 0.5
"""The part of the games whose players have sought each other."""

ON_TIME = 0.1
"""The part of the games that time or absence ends."""

WATCHERS = 0.1
"""The spectators of a game, on the average."""

GAMES_IN_A_ROW = 3
"""The games of a player until the connection ends."""

CORE = 0.6
"""The part of a core that a node, the leader and the broker should use at most, so that bursts find room."""

PRESENCE = 0.1
"""The part of a core that each node should use at most for the absences that other nodes ask about."""

NODE_GB = 4.0
"""The memory that a node should use at most."""

LEADER_S = 10.0
"""The time that a new leader should take at most to know all rooms."""

RECEIVE_US = 47
"""The processor time to receive a message of the broker: bench/results.md, *A move*, its first point."""


@dataclass(frozen=True)
class Part:
    """A part of a cluster: what a game needs of it, and what one of it can do, in the same unit.

    ``more`` says what to do when one is not enough.
    """

    name: str
    unit: str
    need: float
    one: float
    more: str

    @property
    def most(self) -> float:
        """The number of games at once for which one is enough."""
        return self.one / self.need


def figure(section: str, row: str, column: int, *, lines: Sequence[str] | None = None) -> float:
    """The first number in a cell of a table of bench/results.md: of the first row under the heading ``section`` that
    begins with ``row``. Columns count from 0. Raises LookupError.
    """
    inside = False
    for line in RESULTS.read_text(encoding="utf-8").splitlines() if lines is None else lines:
        if line.startswith("#"):
            inside = line.lstrip("# ") == section
        elif inside and line.startswith(f"| {row}"):
            cells = line.strip("| ").split(" | ")
            if number := re.search(r"\d[\d,]*(\.\d+)?", cells[column]):
                return float(number[0].replace(",", ""))
    raise LookupError(f"bench/results.md has no number in column {column} of {row!r} under {section!r}")


@dataclass(frozen=True)
class Stored:
    """A room in the middle of a game of Reversi takes this: KiB of memory, and bytes of its journal for each event."""

    kib: float
    event_bytes: float


async def measured(rooms: int = 50, plies: int = 20) -> Stored:
    """Play the first half of some games, and look."""
    journal, chance, stored, events = SqliteJournal.in_memory(), random.Random(1), 0, 0
    host = Host(journal, MemoryBus("model"))
    host.watched = lambda _: True  # so rooms stay in memory

    async def do(room: str, command: Command) -> Room:
        nonlocal stored, events
        result: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()
        host.submit(room, command, result.set_result)
        done = await result
        assert isinstance(done, Done), done
        stored, events = stored + done.stored, events + 1
        for update in done.history:
            assert update.data  # it is kept, as it was sent
        return done.room

    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(rooms):
        name = f"room-{number}"
        first, second = (Player(f"p-{number}-{seat}", "somebody", "human") for seat in range(2))
        await do(name, Open(name, "reversi", first.id, first, None, Options()))
        room = await do(name, Join(second))
        for turn in range(plies):
            mover = first if room.to_move is next(iter(Side)) else second
            room = await do(name, Play(mover.id, turn, chance.choice(room.position.legal_moves)))
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    await host.close()
    await journal.close()
    return Stored(used / rooms / 1024, stored / events)


def parts(stored: Stored) -> list[Part]:
    """The parts of a cluster, what breaks first before the rest."""
    moves, ends = 1 / MOVE_EVERY_S, 1 / (MOVE_EVERY_S * PLIES)
    events, people = moves + OTHER_EVENTS * ends, 2 + WATCHERS
    second = 1e6 * CORE  # in microseconds
    together = "two nodes, opponents together"
    view_us = figure("A move", f"{together} |", 1) - figure("A move", f"{together}, no public view", 1)
    pairing_s = figure("A thousand players seek an opponent at once", "two nodes, PostgreSQL and MQTT", 1) / 1000
    connection_kib = figure("The gateway: moves and deliveries against a plain server", "noughts | 16", 1)
    node_gb = (people * connection_kib + 2 * stored.kib) / 1024**2  # both players' nodes have the room
    leader = figure("Work that grows", "until a new leader of 9,900 rooms", 3)
    found = [
        Part(
            *("PostgreSQL's primary: events stored", "a second", events),
            figure("With an index row for each append", "PostgreSQL | 256", 2),
            "not built: journals divided by room, docs/decisions.md",
        ),
        Part(
            *("the lock of the ratings: games rated", "a second", RATED * ends),
            figure("Work that grows", "games rated a second, with one on a disk", 3),
            "not built: a lock for each rated game's pool",
        ),
        Part(
            *("matchmaking: seeks", "a second", 2 * SOUGHT * ends, 1000 / pairing_s),
            "not built: a matchmaker for each game",
        ),
        Part(
            *("the leader: moves shown in the public view", "a second", moves, second / view_us),
            "--no-public-view",
        ),
        Part(
            *("a new leader: rooms to know", "", 1, LEADER_S * 9_900 / leader),
            "--no-public-view",
        ),
        Part(
            *("the broker: moves between nodes", "a second", moves),
            second / figure("A move", "two nodes, opponents apart", 5),
            "opponents on one node; a broker with several cores",
        ),
        Part(
            *("every node: absences of the others' players", "a second", people * ends / GAMES_IN_A_ROW),
            1e6 * PRESENCE / RECEIVE_US,
            "not built: a topic for each player",
        ),
        Part(
            *("a node's core: moves", "a second", moves, second / figure("A move", "two nodes, opponents apart", 3)),
            "more nodes",
        ),
        Part(*("a node's memory", "GB", node_gb, NODE_GB), "more nodes"),
        Part(
            *("rooms whose time is up", "a second", ON_TIME * ends),
            figure("Work that grows", "rooms a second whose time is up", 3),
            "more nodes, which divide them by chance",
        ),
    ]
    return sorted(found, key=lambda part: part.most)


def table(found: Iterable[Part]) -> Iterator[str]:
    """The parts as a table: how many of each are needed."""
    counts = " | ".join(f"{games:,}" for games in GAMES_AT_ONCE)
    yield f"| part | one does | {counts} | one is enough for | then |\n|---|---|---|---|---|---|---|"
    for part in found:
        needs = [games / part.most for games in GAMES_AT_ONCE]
        needed = " | ".join(f"{need:,.0f}" if need >= 10 else f"{need:.2f}" for need in needs)
        one = f"{part.one:,.0f} {part.unit}".strip()
        yield f"| {part.name} | {one} | {needed} | {part.most:,.0f} | {part.more} |"


def farmed() -> Iterator[str]:
    """The time that a class of 120 takes, whose players meet in pairs and play a game as either side."""
    games = 120 * 119
    submit_ms = figure("A farm", "64 ", 4)
    yield "| a game takes | laptop, 8 cores, 4 games at a time | 20 such machines | giving the games takes |"
    yield "|---|---|---|---|"
    for game_s in (2, 20, 60):
        hours = [games * game_s / places / 3600 for places in (4, 80)]
        given = f"{games * submit_ms / 1000:.0f} s of a core"
        yield f"| {game_s} s | {hours[0]:.1f} h | {60 * hours[1]:.0f} min | {given} |"


def main() -> None:
    """Measure, and print tables."""
    stored = asyncio.run(measured())
    print(f"Measured here: a room takes {stored.kib:.0f} KiB, an event {stored.event_bytes:.0f} bytes.\n")
    print(*table(parts(stored)), sep="\n")
    for games in GAMES_AT_ONCE:
        events = games * (1 + OTHER_EVENTS / PLIES) / MOVE_EVERY_S
        day = events * stored.event_bytes * 86_400 / 1e9
        print(f"\n{games:,} games at once store {events:,.0f} events a second: {day:,.0f} GB of records a day.")
    print("\nA class of 120 on a farm:\n")
    print(*farmed(), sep="\n")


if __name__ == "__main__":
    main()
