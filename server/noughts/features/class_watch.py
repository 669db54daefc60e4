"""Classes as their organisers watch them: who is here, who plays, and what each student has done.

All of it comes from the journal, the rooms in memory, and what the nodes know of connected players. A class that
somebody watches is looked at again when something has happened in it here, and every few seconds for what happened on
other nodes. A watcher is sent the students of whom something has changed; one that reads slowly gets them later, each
once.
"""

from __future__ import annotations

import asyncio
import logging
from typing import cast

from pydantic_core import to_json

from noughts.bus import Doing
from noughts.features.class_rows import Facts, students
from noughts.gateway.client import Subscriber
from noughts.gateway.connection import framed
from noughts.gateway.replies import player_info
from noughts.gateway.server import Server
from noughts.host import RoomUpdate
from noughts.journal import GameResult, JournalError, StoredClass, StoredPlayer
from noughts.protocol.class_messages import ClassInfo, ClassListing, Student

log = logging.getLogger(__name__)

LOOK_S = 5.0
"""The time after which a class is looked at again though nothing is known to have happened."""

RESULTS = 10_000
"""The most games of a class that are counted, the last."""

UNDER_WAY = 2000
"""The most games under way that are looked at."""

REVIEWABLE = 20
"""Of how many of a player's games, the last, it is looked whether they have a review."""

LATE_MS = 15_000
"""The time by which each look at the results reaches back beyond the last: commits take time, and clocks differ."""


class Watched:
    """A class as it was last looked at; and by watcher, the names of the students of whom it is still to be told."""

    def __init__(self, known: StoredClass) -> None:
        self.of = known
        self.watchers: dict[Subscriber, set[str]] = {}
        self.players: frozenset[str] = frozenset()
        self.here: set[str] = set()
        self.doing: dict[str, Doing] = {}
        self.rows: dict[str, Student] = {}
        self.fields: dict[str, object] = {}
        self.results: list[GameResult] = []
        self.since = 0
        self.reviewed: set[str] = set()
        self.looked_at = 0.0
        self.dirty = True

    def shown(self) -> dict[str, object]:
        """The fields of ``class`` for the organiser. Encoding those of hundreds of students takes milliseconds."""
        return {**self.fields, "students": list(self.rows.values())}


class ClassWatch:
    """Looks at classes, and tells those who watch them."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._host = server.host
        self._journal = server.host.journal
        self._watched: dict[str, Watched] = {}
        self._looking = asyncio.Lock()

    def __len__(self) -> int:
        """The number of classes that are watched on this node."""
        return len(self._watched)

    def watched_by(self, subscriber: Subscriber) -> int:
        """The number of classes that ``subscriber`` watches."""
        return sum(subscriber in each.watchers for each in self._watched.values())

    def is_watched(self, name: str) -> bool:
        """True if somebody watches the class with the id ``name``."""
        return name in self._watched

    def note(self, name: str) -> None:
        """Something has changed in a class."""
        if (watched := self._watched.get(name)) is not None:
            watched.dirty = True

    def on_update(self, update: RoomUpdate) -> None:
        """A room was opened, somebody has joined it, or its game is over."""
        seated = {seat.id for seat in (update.room.first, update.room.second) if seat is not None}
        for watched in self._watched.values():
            if not watched.players.isdisjoint(seated):
                watched.dirty = True

    def unwatch(self, name: str, subscriber: Subscriber) -> None:
        """Tell ``subscriber`` no more of a class."""
        watched = self._watched.get(name)
        if watched is not None and watched.watchers.pop(subscriber, None) is not None and not watched.watchers:
            del self._watched[name]

    def drop(self, subscriber: Subscriber) -> None:
        """The subscriber is gone."""
        for name in list(self._watched):
            self.unwatch(name, subscriber)

    async def look(self, found: StoredClass, organiser: StoredPlayer) -> Watched:
        """A class as it is now. Raises JournalError."""
        watched = self._watched.get(found.id) or Watched(found)
        async with self._looking:
            await self._look(watched, found, organiser)
        return watched

    def watch(self, seen: Watched, told: dict[str, Student], subscriber: Subscriber) -> None:
        """Tell ``subscriber``, which was just ``told`` of these students, of what changes from now on."""
        watched = self._watched.setdefault(seen.of.id, seen)
        same = watched.rows is told
        watched.watchers[subscriber] = {
            name for name, row in watched.rows.items() if not same and told.get(name) != row
        }

    async def run(self) -> None:
        """Look at what is watched, and tell of it, for ever."""
        while True:
            await asyncio.sleep(self._server.timing.classes_s)
            for watched in list(self._watched.values()):
                try:
                    await self._look_again(watched)
                except JournalError:  # it was logged
                    watched.dirty = True
                self._tell(watched)

    async def _look_again(self, watched: Watched) -> None:
        """Look at a class, if anything may have changed. Raises JournalError."""
        attendance = self._server.attendance
        if self._journal.shared:
            attendance.ask(watched.players)
        changed = watched.here != attendance.among(watched.players)
        changed = changed or watched.doing != attendance.doing(watched.players)
        if not (watched.dirty or changed or self._server.time() >= watched.looked_at + LOOK_S):
            return
        async with self._looking:
            found = await self._host.retry.once(self._journal.classes.find(watched.of.id))
            organiser = None if found is None else await self._journal.people.find(found.player)
            if found is None or organiser is None:
                self._watched.pop(watched.of.id, None)
                return
            await self._look(watched, found, organiser)

    async def _look(self, watched: Watched, found: StoredClass, organiser: StoredPlayer) -> None:
        """Bring what is known of a class up to date, and note of whom watchers are to be told. Hold ``_looking``.

        Raises JournalError.
        """
        journal, before, fields = self._journal, watched.rows, watched.fields
        watched.of = found
        watched.dirty, watched.looked_at = False, self._server.time()
        members = await journal.classes.members(found.id)
        players = frozenset(one.player.id for one in members)
        since = watched.since - LATE_MS if players <= watched.players else 0  # who is new may have played before
        ids = sorted(players)
        new = await journal.results.among(ids, since, RESULTS) if ids else []
        # Hundreds of students and thousands of games take milliseconds, so a thread counts them.
        watched.results, unreviewed = await asyncio.to_thread(_merged, watched.results, new, players, watched.reviewed)
        watched.since = watched.results[-1].ended_at if watched.results else 0
        watched.players = players
        wanted = await self.puzzles_of(found)
        solved = await journal.puzzles.solved(
            ids, None if wanted is None else [each.partition("/")[2] for each in wanted]
        )
        watched.reviewed |= await journal.results.reviewed(unreviewed)
        under_way = await journal.games.under_way(ids, UNDER_WAY) if ids else []
        watched.here = self._server.attendance.among(players)
        watched.doing = self._server.attendance.doing(players)
        rooms = {game.room: self._host.room(game.room) for game in under_way}
        plies = {name: len(room.plies) for name, room in rooms.items() if room is not None}
        reviewed = watched.reviewed
        facts = Facts(found, members, watched.here, under_way, plies, watched.results, reviewed, solved, watched.doing)
        watched.fields = {"listing": listing(found, organiser), **({} if wanted is None else {"solves": len(wanted)})}
        watched.rows, other = await asyncio.to_thread(_rows, facts, before, whole=fields != watched.fields)
        for behind in watched.watchers.values():
            behind.update(other)

    async def puzzles_of(self, found: StoredClass) -> tuple[str, ...] | None:
        """The puzzles of a class's set; None without one. Raises JournalError."""
        if found.puzzle_set is None:
            return None
        wanted = await self._journal.puzzles.find_set(found.puzzle_set)
        return None if wanted is None else wanted.puzzles

    def _tell(self, watched: Watched) -> None:
        """Send what has changed to all who are to be told of it, encoded once for those who are behind alike."""
        frames: dict[frozenset[str], bytes] = {}
        for subscriber, behind in watched.watchers.items():
            if not behind or not subscriber.open or subscriber.paused:
                continue
            key = frozenset(behind)
            if key not in frames:
                frames[key] = framed(self._encoded(watched, key))
            behind.clear()
            subscriber.push(frames[key])

    def _encoded(self, watched: Watched, names: frozenset[str]) -> bytes:
        rows = [row for name, row in watched.rows.items() if name in names]
        if len(rows) == len(watched.rows):
            return to_json(cast(ClassInfo, {"type": "class", **watched.fields, "students": rows}))
        return to_json({"type": "class_changes", "class_id": watched.of.id, "students": rows})


def listing(found: StoredClass, organiser: StoredPlayer, name: str | None = None) -> ClassListing:
    """A class in a list; ``name`` is the reader's own in it."""
    shown: ClassListing = {
        "class_id": found.id,
        "title": found.title,
        "by": player_info(organiser),
        "names": len(found.entries),
    }
    if name is not None:
        shown["name"] = name
    if found.puzzle_set is not None:
        shown["puzzle_set"] = found.puzzle_set
    if found.tournament is not None:
        shown["tournament"] = found.tournament
    return shown


def _merged(
    known: list[GameResult], new: list[GameResult], players: frozenset[str], reviewed: set[str]
) -> tuple[list[GameResult], list[str]]:
    """The last results in the order of their ends; and the rooms of each player's last games without a known review."""
    by_room = {result.room: result for result in (*known, *new)}
    results = sorted(by_room.values(), key=lambda each: (each.ended_at, each.room))[-RESULTS:]
    left = dict.fromkeys(players, REVIEWABLE)
    rooms: dict[str, None] = {}
    for result in reversed(results):
        for player in {result.first, result.second} & players:
            left[player] -= 1
            if left[player] >= 0 and result.room not in reviewed:
                rooms[result.room] = None
    return results, list(rooms)


def _rows(facts: Facts, before: dict[str, Student], *, whole: bool) -> tuple[dict[str, Student], list[str]]:
    """The students, and the names of those of whom something has changed; of all if the class itself has."""
    rows = students(facts)
    whole = whole or list(before) != list(rows)
    return rows, [name for name, row in rows.items() if whole or before.get(name) != row]
