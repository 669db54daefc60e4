"""The computer's answers to draw offers, by the value of its position."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from noughts.engine import Analysis, MoveValue, expected_result
from noughts.games import Game, Side
from noughts.games.catalogue import name_of
from noughts.host import Host, RoomUpdate
from noughts.rooms import AcceptDraw, DeclineDraw, Offered, Room
from noughts.timing import Timing

log = logging.getLogger(__name__)

ACCEPT_BELOW = 0.4
"""The computer accepts a draw if it expects less than this and cannot see the end; 0 is a loss, 1 a win."""


def accepts_draw(game: Game, analysis: Analysis, *, to_move: bool) -> bool:
    """True if a draw is at least what the computer can expect. ``to_move``: the computer is to move."""
    value = analysis.value if to_move else -analysis.value
    if analysis.exact:
        return value <= 0
    return expected_result(game, MoveValue(value, exact=False, distance=None, line=())) < ACCEPT_BELOW


class DrawAnswers:
    """Answers draw offers for the computers in ``host``'s rooms. ``analyse`` is that of the analyser."""

    def __init__(
        self,
        host: Host,
        analyse: Callable[[str, tuple[str, ...]], asyncio.Future[Analysis]],
        timing: Timing = Timing(),
    ) -> None:
        self._host = host
        self._analyse = analyse
        self._timing = timing
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def on_update(self, update: RoomUpdate) -> None:
        """An event was stored. The node that stored a draw offer answers it."""
        event, room = update.event, update.room
        if not isinstance(event, Offered) or event.offer != "draw" or not update.ours or self._closed:
            return
        opponent = room.seat(event.side.other)
        if opponent is not None and opponent.kind == "computer":
            task = asyncio.create_task(self._answer(room, event.side.other, opponent.id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Answer no more. Unanswered offers stay open until the next move."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _answer(self, room: Room, side: Side, player: str) -> None:
        accepts = await self._accepts(room, side)
        now = self._host.room(room.id)
        if now is None or now.turn == room.turn:  # otherwise a move withdrew the offer
            self._host.submit(room.id, AcceptDraw(player) if accepts else DeclineDraw(player))

    async def _accepts(self, room: Room, side: Side) -> bool:
        analysis = self._analyse(name_of(room.game), room.moves)
        try:
            await asyncio.wait({analysis}, timeout=self._timing.draw_answer_s)
            if not analysis.done() or analysis.cancelled():
                return False
            return accepts_draw(room.game, analysis.result(), to_move=room.to_move is side)
        except Exception:
            log.exception("room %s: the analysis for a draw offer failed", self._host.log_name(room.id))
            return False
        finally:
            analysis.cancel()
