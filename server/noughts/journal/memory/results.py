"""The games that are over, in sorted lists."""

from __future__ import annotations

import asyncio
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import islice
from typing import TypeAlias

from noughts.journal import results
from noughts.journal.memory.people import MemoryPeople
from noughts.journal.results import GameResult, StoredRating, Tally, start_of, tallies

Place: TypeAlias = tuple[int, str]
"""A game's place in the order of all: when it ended, and its room."""


class MemoryResults:
    """A :class:`~noughts.journal.results.Results`; ``listings`` are those of the rooms that are over."""

    def __init__(
        self,
        now: Callable[[], int],
        check_open: Callable[[], None],
        people: MemoryPeople,
        listings: Mapping[str, bytes],
    ) -> None:
        self._now = now
        self._check_open = check_open
        self._people = people
        self._listings = listings
        self._results: dict[str, GameResult] = {}
        self._all: list[Place] = []
        self._of: dict[str, list[Place]] = {}  # by player
        self._unrated: list[Place] = []
        self._rated: dict[tuple[str, str | None], list[Place]] = {}  # by game and pool
        # A player's ratings, by game and pool, after each game that changed it, in order.
        self._courses: dict[tuple[str, str | None], dict[str, list[tuple[Place, StoredRating]]]] = {}

    async def just_finished(self, game: str | None, since: int, limit: int) -> list[bytes]:
        self._check_open()
        latest = (
            self._listings[found.room]
            for found in self._backwards(self._all)
            if found.public and game in (None, found.game) and found.ended_at > since and found.room in self._listings
        )
        return list(islice(latest, limit))

    async def finished(
        self,
        *,
        player: str | None = None,
        game: str | None = None,
        since: int = 0,
        private: bool = False,
        after: GameResult | None = None,
        limit: int,
    ) -> list[GameResult]:
        self._check_open()
        order = self._all if player is None else self._of.get(player, [])
        start = bisect_right(order, start_of(since, after))
        results = (self._results[order[number][1]] for number in range(start, len(order)))
        wanted = (found for found in results if game in (None, found.game) and (private or found.public))
        return list(islice(wanted, limit))

    async def last_of(self, player: str, limit: int) -> list[tuple[GameResult, bytes]]:
        self._check_open()
        public = (
            (found, self._listings[found.room])
            for found in self._backwards(self._of.get(player, []))
            if found.public and found.room in self._listings
        )
        return list(islice(public, limit))

    async def tally(self, player: str, limit: int) -> list[Tally]:
        self._check_open()
        public = (found for found in self._backwards(self._of.get(player, [])) if found.public)
        counts = Counter((found.game, _outcome(found, player)) for found in islice(public, limit))
        return tallies((game, outcome, count) for (game, outcome), count in counts.items())

    async def unrated(self, limit: int) -> list[GameResult]:
        self._check_open()
        return [self._results[room] for _, room in self._unrated[: max(limit, 0)]]

    async def before(self, finished: GameResult) -> tuple[StoredRating | None, StoredRating | None]:
        self._check_open()
        while self._rewind(finished):  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0)  # others have their turn
        return self._as_of(finished, finished.first), self._as_of(finished, finished.second)

    async def rate(self, finished: GameResult, first: StoredRating | None, second: StoredRating | None) -> bool:
        self._check_open()
        here, new = place(finished), [rating for rating in (first, second) if rating is not None]
        rated = self._rated.setdefault((finished.game, finished.pool), [])
        courses = self._courses.setdefault((finished.game, finished.pool), {})
        if here not in self._unrated or (rated and rated[-1] > here) or len({one.player for one in new}) < len(new):
            return False
        if any(one.games != _games(courses.get(one.player)) + 1 for one in new):
            return False
        self._unrated.remove(here)
        rated.append(here)
        for one in new:
            courses.setdefault(one.player, []).append((here, one))
        return True

    async def ratings(self, players: Sequence[str]) -> list[StoredRating]:
        self._check_open()
        found = (courses.get(player) for courses in self._courses.values() for player in set(players))
        return [course[-1][1] for course in found if course]

    async def leaders(
        self, game: str, pool: str, deviation: float, limit: int
    ) -> list[tuple[StoredRating, str, str, bool]]:
        self._check_open()
        ratings = (course[-1][1] for course in self._courses.get((game, pool), {}).values() if course)
        sure = ((one, *self._named(one.player)) for one in ratings if one.deviation <= deviation)
        return nsmallest(
            limit,
            ((rating, name, kind, registered) for rating, name, kind, registered, banned in sure if not banned),
            key=lambda row: (-row[0].rating, row[0].player),
        )

    async def rating_history(self, player: str, game: str, pool: str, limit: int) -> list[tuple[int, float]]:
        self._check_open()
        course = self._courses.get((game, pool), {}).get(player, [])
        return [(ended_at, rating.rating) for (ended_at, _), rating in course[max(len(course) - limit, 0) :]]

    async def over(self, after: str, limit: int) -> list[str]:
        self._check_open()
        return nsmallest(limit, (room for room in self._listings if room > after))

    async def put_anew(self, finished: Sequence[GameResult]) -> None:
        self._check_open()
        for one in finished:
            self.put(one)

    async def forget_all(self) -> None:
        self._check_open()
        self._results.clear()
        self._all.clear()
        self._of.clear()
        self._unrated.clear()
        self._rated.clear()
        self._courses.clear()

    def put(self, finished: GameResult) -> None:
        """Store a result if it is not there yet."""
        if finished.room in self._results:
            return
        self._results[finished.room] = finished
        insort(self._all, place(finished))
        for player in {finished.first, finished.second}:
            insort(self._of.setdefault(player, []), place(finished))
        if finished.pool is not None:
            insort(self._unrated, place(finished))

    def _backwards(self, order: Sequence[Place]) -> Iterator[GameResult]:
        return (self._results[room] for _, room in reversed(order))

    def _rewind(self, finished: GameResult) -> bool:
        """Make games after ``finished`` unrated, the latest first; whether there are more."""
        rated = self._rated.get((finished.game, finished.pool), [])
        courses = self._courses.get((finished.game, finished.pool), {})
        for _ in range(results.UNDONE):
            if not rated or rated[-1] <= place(finished):
                return False
            later = rated.pop()
            insort(self._unrated, later)
            result = self._results[later[1]]
            for player in {result.first, result.second}:
                course = courses.get(player, [])
                if course and course[-1][0] == later:
                    course.pop()
        return bool(rated) and rated[-1] > place(finished)

    def _as_of(self, finished: GameResult, player: str) -> StoredRating | None:
        """The player's rating after all games before ``finished``, of those that have been rated."""
        course = self._courses.get((finished.game, finished.pool), {}).get(player, [])
        earlier = [rating for at, rating in course[-1:-3:-1] if at < place(finished)]
        return earlier[0] if earlier else None

    def _named(self, player: str) -> tuple[str, str, bool, bool]:
        """A player's name and kind, whether the name is registered, and whether the player is banned."""
        stored = self._people.stored(player)
        if stored is None:  # only computers play without being stored
            return player, "computer", False, False
        return stored.name, stored.kind, stored.registered, stored.banned_until > self._now()


def place(finished: GameResult) -> Place:
    """Where the game is in the order of all."""
    return finished.ended_at, finished.room


def _games(course: Sequence[tuple[Place, StoredRating]] | None) -> int:
    return course[-1][1].games if course else 0


def _outcome(finished: GameResult, player: str) -> str:
    if finished.winner is None:
        return "drawn"
    loser = finished.second if finished.winner == "first" else finished.first
    return "lost" if loser == player else "won"
