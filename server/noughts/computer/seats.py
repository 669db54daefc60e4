"""Computer seats: ordinary players whose moves are searched for elsewhere than on the event loop."""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import dataclass

from noughts.computer.searcher import Searcher, SearchQueueFull, Task
from noughts.host import Done, Failed, Happening, Host
from noughts.rooms import Play, Refused, Room

log = logging.getLogger(__name__)

RETRY_S = 1.0
"""The wait before a search that could not be had is asked for again; after failures it doubles each time."""

LONGEST_RETRY_S = 60.0


@dataclass(frozen=True, slots=True)
class _Thought:
    """The search for the move at ``turn``."""

    turn: int
    task: asyncio.Task[None]


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
        self._thoughts: dict[str, _Thought] = {}
        self._closed = False
        host.listeners.append(self.tell)
        host.finders.append(self.consider)

    def tell(self, happening: Happening) -> None:
        """Something has happened in a room."""
        self.consider(happening.room)

    def consider(self, room: Room) -> None:
        """Begin to think where a computer is to move; drop the thought that a room has no more use for."""
        thought = self._thoughts.get(room.id)
        to_move = room.computer_to_move is not None
        if thought is not None and not (to_move and thought.turn == room.turn):
            del self._thoughts[room.id]
            thought.task.cancel()
            thought = None
        if to_move and thought is None and not self._closed:
            self._thoughts[room.id] = _Thought(room.turn, asyncio.create_task(self._think(room)))

    async def close(self) -> None:
        """Drop every thought, and begin no other."""
        self._closed = True
        tasks = [thought.task for thought in self._thoughts.values()]
        self._thoughts.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _think(self, room: Room) -> None:
        player = room.computer_to_move
        assert player is not None
        assert player.level is not None
        task = Task(room.game.key, room.moves, player.level, self._rng.getrandbits(32))
        if all(seat is not None and seat.kind == "computer" for seat in (room.first, room.second)):
            await asyncio.sleep(self._pace_s)
        move = await self._search(room.id, task)

        def reply(result: Done | Refused | Failed) -> None:
            self._forget(room)
            if isinstance(result, Failed):
                asyncio.get_running_loop().call_later(RETRY_S, self._look_again, room.id)

        self._host.submit(room.id, Play(player.id, room.turn, move), reply)

    async def _search(self, room_id: str, task: Task) -> str:
        """The move, however long it takes to have it found: a computer does not give up."""
        wait = RETRY_S
        while True:
            try:
                return await self._searcher.submit(task)
            except SearchQueueFull:
                await asyncio.sleep(RETRY_S)
            except Exception:
                log.exception("room %s: the computer's search failed and will be done again in %s s", room_id, wait)
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_RETRY_S)

    def _look_again(self, room_id: str) -> None:
        def reply(result: Done | Refused | Failed) -> None:
            if isinstance(result, Done):
                self.consider(result.room)

        self._host.submit(room_id, None, reply)

    def _forget(self, room: Room) -> None:
        thought = self._thoughts.get(room.id)
        if thought is not None and thought.turn == room.turn:
            del self._thoughts[room.id]
