"""Computer seats: ordinary players whose moves are searched for elsewhere than on the event loop.

Any node may think for any room. Who begins claims the move in the journal for some seconds, time and again while it
thinks: so nobody thinks twice, and when a node dies, or has no hand free, another takes over.
"""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import suppress
from dataclasses import replace
from functools import partial

from noughts.computer.searcher import Searcher, Task
from noughts.host import Done, Failed, Host, RoomUpdate
from noughts.journal import JournalError
from noughts.rooms import Play, Refused, Room

log = logging.getLogger(__name__)

CLAIM_S = 2.5
"""How long a claim lasts unless it is renewed: as long a dead node's rooms wait."""

RENEW_S = 0.8
"""How often a claim is renewed while the search goes on."""

SWEEP_S = 1.0
"""How often a node with a worker to spare looks for rooms in which nobody thinks."""

RETRY_S = 1.0
"""The wait before a search that failed is begun again; it doubles each time."""

LONGEST_RETRY_S = 60.0


class _Thought:
    """The search for the move at ``turn`` of a room, whose last version is ``version``."""

    __slots__ = ("task", "turn", "version")

    def __init__(self, room: Room) -> None:
        self.turn = room.turn
        self.version = room.version
        self.task: asyncio.Task[None] | None = None


class Computers:
    """Plays the computer seats of a host's rooms.

    ``pace_s`` is the time between moves, in seconds, where no person or bot is at the table; ``rng`` gives
    each search its seed.
    """

    def __init__(self, host: Host, searcher: Searcher, pace_s: float, rng: random.Random) -> None:
        self._host = host
        self._searcher = searcher
        self._pace_s = pace_s
        self._rng = rng
        self._free = asyncio.Semaphore(searcher.workers)
        self._thoughts: dict[str, _Thought] = {}
        self._failed: set[str] = set()  # rooms that cannot be had here, such as those of a newer server
        self._closed = False
        host.listeners.append(self.tell)
        host.on_loaded.append(self.consider)

    def tell(self, happening: RoomUpdate) -> None:
        """Something has happened in a room."""
        self.consider(happening.room)

    def consider(self, room: Room) -> None:
        """Begin to think where a computer is to move; drop the thought that a room has no more use for."""
        thought = self._thoughts.get(room.id)
        to_move = room.computer_to_move is not None
        if thought is not None and not (to_move and thought.turn == room.turn):
            del self._thoughts[room.id]
            if thought.task is not None:
                thought.task.cancel()
            thought = None
        if thought is not None:
            thought.version = room.version
        elif to_move and not self._closed:
            thought = self._thoughts[room.id] = _Thought(room)
            thought.task = asyncio.create_task(self._think(room, thought))

    async def sweep(self) -> None:
        """Take up the rooms in which nobody thinks, for ever."""
        while True:
            if not self._free.locked():
                with suppress(JournalError):
                    # Those that wait here for a worker may be among them, and those that another node must take.
                    limit = len(self._thoughts) + len(self._failed) + self._searcher.workers
                    for room_id in await self._host.journal.unleased(limit):
                        if room_id not in self._thoughts and room_id not in self._failed:
                            self._host.submit(room_id, None, partial(self._found, room_id))
            await asyncio.sleep(SWEEP_S)

    def _found(self, room_id: str, result: Done | Refused | Failed) -> None:
        # A room that is watched here was in memory already, and nobody would speak of it again.
        if isinstance(result, Done):
            self.consider(result.room)
        elif isinstance(result, Failed) and result.code == "internal":
            self._failed.add(room_id)

    async def close(self) -> None:
        """Drop every thought, and begin no other."""
        self._closed = True
        tasks = [thought.task for thought in self._thoughts.values() if thought.task is not None]
        self._thoughts.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _think(self, room: Room, thought: _Thought) -> None:
        player = room.computer_to_move
        assert player is not None
        assert player.level is not None
        longest_s = None if room.allotted_ms is None else room.allotted_ms / 1000
        task = Task(room.game.key, room.moves, player.level, self._rng.getrandbits(32), longest_s=longest_s)
        time = asyncio.get_running_loop().time
        pace_s = self._pace_s
        if any(seat is None or seat.kind != "computer" for seat in (room.first, room.second)):
            pace_s = 0
        wait = RETRY_S
        while True:
            try:
                # Claimed before the pause, or another node would come in between.
                if pace_s and await self._claim(room.id, thought, pace_s + CLAIM_S):
                    await asyncio.sleep(pace_s)
                since = time()
                async with self._free:
                    move = await self._search(room.id, thought, replace(task, waited_s=time() - since))
                break
            except JournalError:
                await asyncio.sleep(RETRY_S)
            except Exception:
                log.exception("room %s: the computer's search failed and will be done again in %s s", room.id, wait)
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_RETRY_S)
        if move is None:
            self._forget(room.id, thought)
            return

        def reply(_: Done | Refused | Failed) -> None:
            # Where it was not to be had, the sweep will find the room again.
            self._forget(room.id, thought)

        self._host.submit(room.id, Play(player.id, room.turn, move), reply)

    async def _search(self, room_id: str, thought: _Thought, task: Task) -> str | None:
        """The move; None where another node has the claim. Raises what the search raises, and JournalError."""
        if not await self._claim(room_id, thought, CLAIM_S):
            return None
        search = self._searcher.submit(task)
        try:
            while not (await asyncio.wait({search}, timeout=RENEW_S))[0]:
                with suppress(JournalError):  # whoever thinks as well meanwhile, one move is taken
                    await self._claim(room_id, thought, CLAIM_S)
            return search.result()
        finally:
            search.cancel()

    async def _claim(self, room_id: str, thought: _Thought, for_s: float) -> bool:
        node, journal = self._host.bus.node, self._host.journal
        return await journal.lease(room_id, thought.version, node, round(for_s * 1000))

    def _forget(self, room_id: str, thought: _Thought) -> None:
        if self._thoughts.get(room_id) is thought:
            del self._thoughts[room_id]
