"""Computer seats: ordinary players whose moves are searched for off the event loop.

Any node may search for any room. A node leases the search in the journal for some seconds, and renews the lease while
the search runs. So no two nodes search for the same move, and when a node dies or is busy, another takes over.

Searches that have to wait take turns: by the address from which their room was opened, then by the player who opened
it. Tables at which only computers play come last, and sleep while nobody watches them.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Hashable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar

from noughts.computer.turns import LEAST_S, Rotation, share_s
from noughts.engine import Analysis, Level, Limits
from noughts.games.catalogue import name_of
from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.ratings.levels import measured_s
from noughts.rooms import WAIT_MS, ClaimDraw, Fail, Play, Player, Refused, Room, Wait
from noughts.timing import Timing

log = logging.getLogger(__name__)

T = TypeVar("T")

FAILURES = 5
"""So many searches for a move may fail, one after the other with growing pauses: some 15 s. Then the game ends without
a result, so that nobody waits for a move that cannot come."""

REFUSED = ("illegal_move", "malformed_move", "internal")
"""The answers to a move that the search found and the game does not play: its ``legal_moves`` and ``play`` disagree."""


class MoveFinder(Protocol):
    """Finds moves, at most ``workers`` at a time; see :class:`~noughts.computer.searches.Searches`."""

    @property
    def workers(self) -> int:
        """The number of searches that can run at a time. It changes with a farm."""

    @property
    def levels(self) -> Mapping[str, Level]:
        """The levels by name."""

    def find_move(
        self,
        game: str,
        moves: tuple[str, ...],
        level: str,
        seed: int,
        seconds: float | None = None,
        *,
        here: bool = False,
    ) -> asyncio.Future[str]: ...

    def analyse(
        self, game: str, moves: tuple[str, ...], limits: Limits, seconds: float
    ) -> asyncio.Future[Analysis]: ...

    def hurry(self, found: asyncio.Future[Any], seconds: float) -> None: ...


class _Search:
    """The search for the computer's move in ``room``, which is the room as it is now.

    ``address`` and the room's opener say whose turn it is. ``ready`` is done when the turn has come, after a wait of
    ``waited_s``. It runs ``here`` and not on a farm if what has come from there was no move of the game.
    """

    __slots__ = ("address", "here", "ready", "room", "task", "waited_s")

    def __init__(self, room: Room) -> None:
        self.room = room
        self.here = False
        self.task: asyncio.Task[None] | None = None
        self.address: Hashable = None
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waited_s = 0.0


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
        self._time = asyncio.get_running_loop().time
        self._searches: dict[str, _Search] = {}
        self._running: dict[_Search, asyncio.Future[Any]] = {}  # with the move, or the analysis before a claim
        self._tables: Rotation[_Search] = Rotation()
        self._sleepers: Rotation[_Search] = Rotation()  # tables at which only computers play
        self._postponed: set[str] = set()  # those of them whose search another node had, or that could not be stored
        self._unreadable: set[str] = set()  # rooms of a newer server, and of rules that have changed
        self._busy = 0
        self._closed = False

    @property
    def waiting(self) -> int:
        """The number of searches that wait for a worker."""
        return len(self._tables) + len(self._sleepers)

    def on_update(self, update: RoomUpdate) -> None:
        """An event was stored."""
        room = update.room
        if room.id in self._searches or room.computer_to_move is not None:
            self.on_loaded(room)

    def on_loaded(self, room: Room) -> None:
        """Start a search if a computer is to move, and drop a search that the room no longer needs."""
        search = self._searches.get(room.id)
        player = room.computer_to_move
        if search is not None and (player is None or search.room.turn != room.turn):
            del self._searches[room.id]
            if search.task is not None:
                search.task.cancel()
            search = None
        if search is not None:
            search.room = room
        elif player is not None and not self._closed and self._is_awake(room):
            search = self._searches[room.id] = _Search(room)
            search.task = asyncio.create_task(self._play(player, search))

    def on_watched(self, room_id: str) -> None:
        """Somebody begins to watch a room: a table at which only computers play wakes up."""
        room = self._host.room(room_id)
        if room is not None and room.sleeps and room_id not in self._searches:
            self.on_loaded(room)

    async def run(self) -> None:
        """Take over the searches of rooms that no node has leased, for ever."""
        while True:
            if self._is_free():
                with suppress(JournalError):
                    # The first ones may already wait here for a worker, or be unreadable here.
                    limit = len(self._searches) + len(self._unreadable) + self._finder.workers
                    found, self._postponed = {*await self._host.journal.unleased(limit), *self._postponed}, set()
                    for room_id in found - self._searches.keys() - self._unreadable:
                        self._host.submit(room_id, None, partial(self._loaded, room_id))
            await asyncio.sleep(self._timing.unleased_s)

    def _loaded(self, room_id: str, result: Done | Refused | Failed) -> None:
        if isinstance(result, Done) and result.room.stopped:
            self._unreadable.add(room_id)
        elif isinstance(result, Done):
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

    def _is_awake(self, room: Room) -> bool:
        return not room.sleeps or self._host.watched(room.id)

    async def _play(self, player: Player, search: _Search) -> None:
        """Find a move, and submit it."""
        room_id = search.room.id
        pace_s = 0 if search.room.people else self._pace_s
        seed, wait_s, failures = self._rng.getrandbits(32), self._timing.search_retry_s, 0
        while True:
            try:
                # Leased during the pause, or another node would search meanwhile.
                if pace_s and await self._lease(search, pace_s):
                    await asyncio.sleep(pace_s)
                since = self._time()
                await self._take_turn(search)
                try:
                    search.waited_s = self._time() - since
                    command = await self._find(player, search, seed) if self._is_awake(search.room) else None
                finally:
                    self._end_turn()
                break
            except JournalError:
                await asyncio.sleep(self._timing.search_retry_s)
            except Exception:
                name, failures = self._host.log_name(room_id), failures + 1
                if failures == FAILURES:
                    log.exception("room %s: the computer's search failed %s times, and the game ends", name, failures)
                    self._fail(search)
                    return
                log.exception("room %s: the computer's search failed and starts again in %s s", name, wait_s)
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, self._timing.search_retry_max_s)
        if command is None:
            self._forget(search, postponed=True)
        else:
            # If the journal does not answer, `run` finds the room again.
            self._host.submit(room_id, command, partial(self._done, search, command))

    def _done(self, search: _Search, command: Play | ClaimDraw, result: Done | Refused | Failed) -> None:
        if isinstance(command, Play) and isinstance(result, Refused | Failed) and result.code in REFUSED:
            name = self._host.log_name(search.room.id)
            then = "ends" if search.here else "waits for another"
            log.error("room %s: the game refuses the computer's move %r (%s), and %s", name, command.move, result, then)
            player = search.room.computer_to_move
            if search.here:
                self._fail(search)
            elif player is not None and self._searches.get(search.room.id) is search:
                search.here = True
                search.task = asyncio.create_task(self._play(player, search))
        else:
            self._forget(search, postponed=not isinstance(result, Done))

    def _fail(self, search: _Search) -> None:
        """End the game without a result."""
        room = search.room
        self._host.submit(room.id, Fail(room.turn), lambda _: self._forget(search, postponed=False))

    # --- turns

    def _is_free(self) -> bool:
        return self._busy < self._finder.workers and not self.waiting

    async def _take_turn(self, search: _Search) -> None:
        """Wait for a worker; :meth:`_end_turn` gives it back. Raises JournalError."""
        if not self._is_free():
            search.address = await self._host.journal.index.opener(search.room.id) or search.room.by
        if self._is_free():
            self._busy += 1
            return
        search.ready = asyncio.get_running_loop().create_future()
        waiting, keys = self._line(search), (search.address, search.room.by)
        waiting.add(search, *keys)
        for running, found in self._running.items():  # their shares may have become less
            self._finder.hurry(found, self._share_s(running))
        try:
            await search.ready
        except asyncio.CancelledError:
            if search.ready.cancelled():
                with suppress(KeyError):
                    waiting.remove(search, *keys)
            else:
                self._end_turn()
            raise

    def _end_turn(self) -> None:
        self._busy -= 1
        while self._busy < self._finder.workers and self.waiting:
            search = (self._tables or self._sleepers).pop()
            if not search.ready.done():
                self._busy += 1
                search.ready.set_result(None)

    def _line(self, search: _Search) -> Rotation[_Search]:
        return self._sleepers if search.room.sleeps else self._tables

    def _share_s(self, search: _Search) -> float:
        """The time the search may run, as many as wait now."""
        room, line = search.room, self._line(search)
        player = room.computer_to_move
        assert player is not None
        assert player.level is not None
        level_s = self._finder.levels[player.level].seconds
        if room.allotted_ms is not None:
            level_s = min(level_s, room.allotted_ms / 1000)
        if room.sleeps and self._tables:
            return min(level_s, LEAST_S)
        own = line.of(search.address)
        return share_s(
            level_s,
            measured_s(room.game.key) if room.rated else LEAST_S,
            waited_s=search.waited_s,
            workers=self._finder.workers,
            groups=line.groups + (own == 0),
            tables=own + 1,
        )

    # --- searches

    async def _find(self, player: Player, search: _Search, seed: int) -> Play | ClaimDraw | None:
        """The claim of a draw, if the rules allow it and the computer does not stand better, otherwise a move.

        None if another node has the lease. Raises JournalError, and what the search raises.
        """
        await self._charge_nobody(search)
        if not await self._lease(search, self._timing.lease_s):
            return None
        assert player.level is not None
        room, monitor = search.room, self._host.monitor
        name = name_of(room.game)
        monitor.search_wait_s.observe(search.waited_s)
        began = self._time()
        if room.claimable_draw is not None:
            limits = self._finder.levels[player.level].limits(every_move=False)
            found = self._finder.analyse(name, room.moves, limits, self._share_s(search) / 2)
            analysis = await self._found(search, found)
            if analysis.depth and analysis.value <= 0:  # without a depth it was stopped before it found anything
                return ClaimDraw(player.id)
        move = self._finder.find_move(name, room.moves, player.level, seed, self._share_s(search), here=search.here)
        played = Play(player.id, room.turn, await self._found(search, move))
        monitor.search_s[player.level].observe(self._time() - began)
        return played

    async def _found(self, search: _Search, found: asyncio.Future[T]) -> T:
        """The result of a search, with its lease renewed until then."""
        self._running[search] = found
        try:
            while not (await asyncio.wait({found}, timeout=self._timing.renew_lease_s))[0]:
                with suppress(JournalError):  # if two nodes search, one move is accepted
                    await self._lease(search, self._timing.lease_s)
            return found.result()
        finally:
            del self._running[search]
            found.cancel()

    async def _charge_nobody(self, search: _Search) -> None:
        """Stop the clocks for the time in which nobody searched for this move. Raises JournalError."""
        room, now = search.room, self._host.journal.now()
        if room.clocks is None or now - room.moved_at < WAIT_MS:
            return
        searched_until = await self._host.searched_until(room)
        if searched_until < now:
            stored: asyncio.Future[Done | Refused | Failed] = asyncio.get_running_loop().create_future()

            def reply(result: Done | Refused | Failed) -> None:
                if not stored.done():
                    stored.set_result(result)

            self._host.submit(room.id, Wait(room.turn, searched_until), reply)
            if isinstance(await stored, Failed):
                raise JournalError("the wait for the search could not be stored")

    async def _lease(self, search: _Search, for_s: float) -> bool:
        room, node, journal = search.room, self._host.bus.node, self._host.journal
        return await journal.lease(room.id, room.version, node, round(for_s * 1000))

    def _forget(self, search: _Search, *, postponed: bool) -> None:
        room = search.room
        if self._searches.get(room.id) is search:
            del self._searches[room.id]
            if postponed and room.sleeps and self._is_awake(room):
                self._postponed.add(room.id)
