"""The seeks, in a plain dictionary."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

from noughts.journal.base import Append
from noughts.journal.memory.people import MemoryPeople
from noughts.journal.people import UnknownPlayer
from noughts.journal.seeks import PAIRED_MS, Seek


@dataclass(slots=True)
class _Kept:
    """A seek until when it waits; in which room it has been paired, and when."""

    seek: Seek
    until: int
    room: str | None = None
    paired_at: int = 0


class MemorySeeks:
    """A :class:`~noughts.journal.seeks.Seeks`; ``put_room`` stores a room's write as a whole, if it may be."""

    def __init__(
        self,
        now: Callable[[], int],
        check_open: Callable[[], None],
        people: MemoryPeople,
        put_room: Callable[[Append], bool],
    ) -> None:
        self._now = now
        self._check_open = check_open
        self._people = people
        self._put_room = put_room
        self._seeks: dict[str, _Kept] = {}  # by player

    async def put(self, seek: Seek, until: int) -> str | None:
        self._check_open()
        if self._people.stored(seek.player.id) is None:
            raise UnknownPlayer(seek.player.id)
        kept = self._find(seek.player.id, seek.key)
        if kept is None:
            kept = self._seeks[seek.player.id] = _Kept(seek, until)
        kept.until = until
        return kept.room

    async def withdraw(self, player: str) -> bool:
        self._check_open()
        kept = self._seeks.get(player)
        if kept is None or kept.room is not None:
            return False
        del self._seeks[player]
        return True

    async def renew(self, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        self._check_open()
        became = {}
        for player, key in seeks:
            kept = self._find(player, key)
            if kept is not None:
                kept.until = until
                became[player] = kept.room
        return became

    async def waiting(self, game: str, terms: str, now: int, limit: int) -> list[Seek]:
        self._check_open()
        wanted = (game, terms)
        alike = (kept for kept in self._seeks.values() if (kept.seek.game, kept.seek.terms) == wanted)
        waiting = (self._as_stored(kept.seek) for kept in alike if _waits(kept, now))
        allowed = (seek for seek in waiting if seek.player.banned_until <= now)
        return heapq.nsmallest(limit, allowed, key=lambda seek: (seek.since, seek.player.id))

    async def pair(self, one: Seek, other: Seek, write: Append) -> bool:
        self._check_open()
        now = self._now()
        two = [kept for seek in (one, other) if (kept := self._find(seek.player.id, seek.key)) and _waits(kept, now)]
        if len(two) < 2 or one.player.id == other.player.id or write.version != 1 or not self._put_room(write):
            return False
        for kept in two:
            kept.room, kept.paired_at = write.room, now
        return True

    async def forget(self, before: int) -> None:
        self._check_open()
        self.drop(before)

    def drop(self, before: int) -> Container[str]:
        """Forget; the players of the seeks that are left."""
        paired_before = self._now() - PAIRED_MS
        self._seeks = {
            player: kept
            for player, kept in self._seeks.items()
            if (kept.until >= before if kept.room is None else kept.paired_at >= paired_before)
        }
        return self._seeks

    def _as_stored(self, seek: Seek) -> Seek:
        return replace(seek, player=self._people.stored(seek.player.id) or seek.player)

    def _find(self, player: str, key: str) -> _Kept | None:
        kept = self._seeks.get(player)
        return kept if kept is not None and kept.seek.key == key else None


def _waits(kept: _Kept, now: int) -> bool:
    return kept.room is None and kept.until > now
