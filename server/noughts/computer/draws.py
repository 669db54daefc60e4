"""The computer's answers to offers of a draw, by what it finds its position worth."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from noughts.engine import Analysis, MoveValue, expected_result
from noughts.games import Game, Side
from noughts.host import Host, RoomUpdate
from noughts.rooms import AcceptDraw, DeclineDraw, Offered, Room

log = logging.getLogger(__name__)

CONTENT = 0.4
"""The expected result below which it is content with a draw where it cannot see the end; above, it plays on."""

PATIENCE_S = 10.0
"""How long it thinks about an offer, moves and others coming first, until it declines."""


def content(game: Game, analysis: Analysis, *, to_move: bool) -> bool:
    """Whether a draw is as much as the computer can hope for, or more; ``to_move``: the position is its own to play."""
    value = analysis.value if to_move else -analysis.value
    if analysis.exact:
        return value <= 0
    return expected_result(game, MoveValue(value, exact=False, distance=None, line=())) < CONTENT


class Draws:
    """Answers for the computers at ``host``'s tables. ``analyse`` is as that of the analyst."""

    def __init__(self, host: Host, analyse: Callable[[str, tuple[str, ...]], asyncio.Future[Analysis]]) -> None:
        self._host = host
        self._analyse = analyse
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False
        host.listeners.append(self.tell)

    def tell(self, happening: RoomUpdate) -> None:
        """Something has happened in a room. One node answers: the one that has written the offer."""
        event, room = happening.event, happening.room
        if not isinstance(event, Offered) or event.offer != "draw" or not happening.ours or self._closed:
            return
        asked = room.seat(event.side.other)
        if asked is not None and asked.kind == "computer":
            task = asyncio.create_task(self._answer(room, event.side.other, asked.id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Answer no more; what is asked stands until the next move."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _answer(self, room: Room, side: Side, player: str) -> None:
        accepts = await self._content(room, side)
        now = self._host.room(room.id)
        if now is None or now.turn == room.turn:  # else that offer was withdrawn, and it is not this that stands
            self._host.submit(room.id, AcceptDraw(player) if accepts else DeclineDraw(player))

    async def _content(self, room: Room, side: Side) -> bool:
        analysis = self._analyse(room.game.key, room.moves)
        try:
            await asyncio.wait({analysis}, timeout=PATIENCE_S)
            if not analysis.done() or analysis.cancelled():
                return False
            return content(room.game, analysis.result(), to_move=room.to_move is side)
        except Exception:
            log.exception("room %s: the computer could not say what a draw is worth", room.id)
            return False
        finally:
            analysis.cancel()
