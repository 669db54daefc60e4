"""The values of the moves of a replayed game: from the server of its room, or from whoever has searched its file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from noughts.protocol.gamefile import RecordedGame
from noughts.protocol.study_messages import Analysed, Review, ReviewProgress
from noughts_client.connection import Connection
from noughts_client.reviews import ReviewFailed, extended


class Explainer(Protocol):
    """Explains one game. Both methods raise what :meth:`Connection.request` raises, and :class:`ReviewFailed`."""

    async def analyse(self, ply: int) -> Analysed:
        """The values of the position after ``ply`` moves."""

    def review(self) -> AsyncIterator[Review]:
        """The review of the game when it is over, again each time that more is known; the last one is complete."""


ExplainFile = Callable[[RecordedGame], Explainer]
"""Explains a game from a file."""


class ServerExplainer:
    """The explainer of a room. ``on_reviewed`` and ``on_restored`` must hear what its connection says of that."""

    def __init__(self, connection: Connection, room: str) -> None:
        self._connection = connection
        self._room = room
        self._pushed: asyncio.Queue[ReviewProgress | None] = asyncio.Queue()

    async def analyse(self, ply: int) -> Analysed:
        return await self._connection.analyse(self._room, ply)

    async def review(self) -> AsyncIterator[Review]:
        review = await self._connection.review(self._room)
        yield review
        while not review["complete"]:
            progress = await self._pushed.get()
            if progress is None:  # what came while there was no connection is lost
                review = await self._connection.review(self._room)
            elif "problem" in progress:
                raise ReviewFailed(progress["problem"])
            else:
                review = extended(review, progress)
            yield review

    def on_reviewed(self, message: ReviewProgress) -> None:
        """The server sends more of a review."""
        if message["room"] == self._room:
            self._pushed.put_nowait(message)

    def on_restored(self) -> None:
        """The connection was restored."""
        self._pushed.put_nowait(None)
