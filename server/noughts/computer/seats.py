"""Computer seats: ordinary players whose moves are searched for off the event loop.

Any node may search for any room. A node leases the search in the journal for some seconds, and renews the lease while
the search runs. So no two nodes search for the same move, and when a node dies or is busy, another takes over.
"""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import suppress
from functools import partial
from typing import Protocol

from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.rooms import Play, Player, Refused, Room
from noughts.timing import Timing

log = logging.getLogger(__name__)


class MoveFinder(Protocol):
    """Finds moves, at most ``workers`` at a time; see :class:`~noughts.computer.searches.Searches`."""

    workers: int

    def find_move(
        self,
        game: str,
        moves: tuple[str, ...],
        level: str,
        seed: int,
        *,
        waited_s: float = 0,
        longest_s: float | None = None,
    ) -> asyncio.Future[str]: ...


class _Search:
    """The search for the move at ``turn`` of a room whose latest version is ``version``."""

    __slots__ = ("task", "turn", "version")

    def __init__(self, room: Room) -> None:
        self.turn = room.turn
        self.version = room.version
        self.task: asyncio.Task[None] | None = None


class ComputerSeats:
    """Plays the computer seats of a host's rooms.

    ``pace_s`` is the time between moves, in seconds, when only computers play. ``rng`` gives each search its seed.
    """

    def __init__(
        self, host: Host, finder: MoveFinder, pace_s: float, rng: random.Random, timing: Timing = Timing()
    ) -> None:
        self._host = host
        self._finder = finder
        self._pace_s = pace_s
        self._rng = rng
        self._timing = timing
        self._free = asyncio.Semaphore(finder.workers)
        self._searches: dict[str, _Search] = {}
        self._unreadable: set[str] = set()  # such as rooms of a newer server
        self._closed = False

    def on_update(self, update: RoomUpdate) -> None:
        """An event was stored."""
        room = update.room
        if room.id in self._searches or room.computer_to_move is not None:
            self.on_loaded(room)

    def on_loaded(self, room: Room) -> None:
        """Start a search if a computer is to move, and drop a search that the room no longer needs."""
        search = self._searches.get(room.id)
        player = room.computer_to_move
        if search is not None and (player is None or search.turn != room.turn):
            del self._searches[room.id]
            if search.task is not None:
                search.task.cancel()
            search = None
        if search is not None:
            search.version = room.version
        elif player is not None and not self._closed:
            search = self._searches[room.id] = _Search(room)
            search.task = asyncio.create_task(self._play(room, player, search))

    async def run(self) -> None:
        """Take over the searches of rooms that no node has leased, for ever."""
        while True:
            if not self._free.locked():
                with suppress(JournalError):
                    # The first ones may already wait here for a worker, or be unreadable here.
                    limit = len(self._searches) + len(self._unreadable) + self._finder.workers
                    for room_id in await self._host.journal.unleased(limit):
                        if room_id not in self._searches and room_id not in self._unreadable:
                            self._host.submit(room_id, None, partial(self._loaded, room_id))
            await asyncio.sleep(self._timing.unleased_s)

    def _loaded(self, room_id: str, result: Done | Refused | Failed) -> None:
        if isinstance(result, Done):
            self.on_loaded(result.room)  # the host does not say so of a room that was in memory
        elif isinstance(result, Failed) and result.code == "internal":
            self._unreadable.add(room_id)

    async def close(self) -> None:
        """Drop all searches, and start no more."""
        self._closed = True
        tasks = [search.task for search in self._searches.values() if search.task is not None]
        self._searches.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _play(self, room: Room, player: Player, search: _Search) -> None:
        """Find a move, and submit it."""
        pace_s = 0 if room.people else self._pace_s
        seed, wait_s = self._rng.getrandbits(32), self._timing.search_retry_s
        time = asyncio.get_running_loop().time
        while True:
            try:
                # Leased before the pause, or another node would search meanwhile.
                if pace_s and await self._lease(room.id, search, pace_s + self._timing.lease_s):
                    await asyncio.sleep(pace_s)
                since = time()
                async with self._free:
                    move = await self._find(room, player, search, seed, time() - since)
                break
            except JournalError:
                await asyncio.sleep(self._timing.search_retry_s)
            except Exception:
                log.exception("room %s: the computer's search failed and starts again in %s s", room.id, wait_s)
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, self._timing.search_retry_max_s)
        if move is None:
            self._forget(room.id, search)
        else:
            # If the journal does not answer, `run` finds the room again.
            self._host.submit(room.id, Play(player.id, room.turn, move), lambda _: self._forget(room.id, search))

    async def _find(self, room: Room, player: Player, search: _Search, seed: int, waited_s: float) -> str | None:
        """The move; None if another node has the lease. Raises JournalError, and what the search raises."""
        if not await self._lease(room.id, search, self._timing.lease_s):
            return None
        assert player.level is not None
        longest_s = None if room.allotted_ms is None else room.allotted_ms / 1000
        found = self._finder.find_move(
            room.game.key, room.moves, player.level, seed, waited_s=waited_s, longest_s=longest_s
        )
        try:
            while not (await asyncio.wait({found}, timeout=self._timing.renew_lease_s))[0]:
                with suppress(JournalError):  # if two nodes search, one move is accepted
                    await self._lease(room.id, search, self._timing.lease_s)
            return found.result()
        finally:
            found.cancel()

    async def _lease(self, room_id: str, search: _Search, for_s: float) -> bool:
        node, journal = self._host.bus.node, self._host.journal
        return await journal.lease(room_id, search.version, node, round(for_s * 1000))

    def _forget(self, room_id: str, search: _Search) -> None:
        if self._searches.get(room_id) is search:
            del self._searches[room_id]
