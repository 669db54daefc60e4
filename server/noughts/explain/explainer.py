"""The values of the positions and moves of a recorded game, searched here and not by a server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from importlib.metadata import version

from noughts.engine import Analysis, Engine, Interrupt, Limits, ReviewedMove, named, review_move, usable_engine_of
from noughts.games import Position
from noughts.protocol.render import analysed
from noughts.protocol.reviews import UNDECIDED, Budget, Verdict, finished, review_fields, reviewed_move, verdict
from noughts.protocol.study_messages import Analysed, Review, ReviewedMoveInfo
from noughts.rooms import Room


class GameExplainer:
    """Searches the positions of ``room``, each once, one at a time and in at most ``seconds``. Its game is over.

    The moves before the ply ``begins`` are not judged: nobody chose them.
    ``say`` is called with the reason if the game has a compiled search that cannot be used.
    """

    def __init__(
        self, room: Room, seconds: float, say: Callable[[str], None] = lambda _: None, *, begins: int = 0
    ) -> None:
        self._room = room
        self._game = finished(room)
        self._begins = begins
        self._seconds = seconds
        self._say = say
        self._engine: Engine | None = None
        self._lock = asyncio.Lock()
        self._known: dict[int, Analysis] = {}

    async def analyse(self, ply: int) -> Analysed:
        """The values of the position after ``ply`` moves, as a server answers."""
        found: Analysed = {
            "type": "analysis",
            "room": self._room.id,
            "game": self._room.game.key,
            "ply": ply,
            "to_move": None if (to_move := self._position(ply).to_move) is None else to_move.value,
            **analysed(self._room.game, self._position(ply), await self._analysis(ply)),  # type: ignore[typeddict-item]
        }
        return found

    async def review(self) -> AsyncIterator[Review]:
        """The review, again after each move, from the last to the first; the last one is complete."""
        budget = Budget(f"noughts {version('noughts')}", self._seconds)
        found: list[ReviewedMove] = []
        moves: list[ReviewedMoveInfo] = []

        def review(decided: Verdict = UNDECIDED, *, complete: bool) -> Review:
            fields = review_fields(self._room, budget, complete=complete)
            made: Review = {"type": "review", "moves": [*moves], **decided, **fields}  # type: ignore[typeddict-item]
            return made

        plies = len(self._game.moves)
        following = None if self._game.to_move is None else await self._analysis(plies)
        for ply in reversed(range(self._begins, plies)):
            analysis = await self._analysis(ply)
            found.insert(0, review_move(self._game, ply, analysis, following))
            moves.insert(0, reviewed_move(found[0], self._room.game, self._position(ply)))
            following = analysis
            yield review(complete=False)
        yield review(verdict(found, self._game), complete=True)

    def _position(self, ply: int) -> Position:
        plies = self._room.plies
        return plies[ply].position if ply < len(plies) else self._room.position

    async def _analysis(self, ply: int) -> Analysis:
        async with self._lock:
            if ply not in self._known:
                stop = Interrupt()
                timer = asyncio.get_running_loop().call_later(self._seconds, stop.set)
                try:
                    self._known[ply] = await asyncio.to_thread(self._search, self._position(ply), stop)
                finally:
                    timer.cancel()
                    stop.set()  # nobody waits any more
            return self._known[ply]

    def _search(self, position: Position, stop: Interrupt) -> Analysis:
        if self._engine is None:
            self._engine, why = usable_engine_of(self._room.game)
            if why is not None:
                self._say(why)
        begun = time.perf_counter()
        found = self._engine.analyse(position, Limits(), stop)
        return named(self._room.game, position, replace(found, seconds=time.perf_counter() - begun))
