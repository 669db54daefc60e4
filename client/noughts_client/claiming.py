"""What a bot does about an opponent who has left: it claims the game as soon as it may."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from noughts.protocol import Snapshot, Update
from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError

UNBEGUN_S = 60.0
"""After so long an opponent who left before each side had moved is given up: there is nothing to claim yet."""

LATE_S = 0.1
"""How long after it may be done it is done."""

AGAIN_S = 1.0
"""After how long it is tried again when the connection broke meanwhile."""


def way_out(message: Snapshot | Update, me: str) -> tuple[Mapping[str, Any], float] | None:
    """The request that ends a game whose other player has left, and in how many seconds it may be sent.

    None while that one is there, or no game is on. ``me`` is one's own id. Pure.
    """
    state = message["state"]
    if state["status"] != "playing":
        return None
    for seat in (state["seats"]["first"], state["seats"]["second"]):
        if seat is None or seat["id"] == me or seat["online"]:
            continue
        if "claimable_at" not in seat:
            return {"type": "abort", "room": message["room"]}, UNBEGUN_S
        now = message["at"] if message["type"] == "update" else message["now"]
        away = datetime.fromisoformat(seat["claimable_at"]) - datetime.fromisoformat(now)
        return {"type": "claim", "room": message["room"], "result": "win"}, max(0.0, away.total_seconds()) + LATE_S
    return None


class Claiming:
    """Ends games that others have left. :meth:`close` it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._task: asyncio.Task[None] | None = None

    def heard(self, message: Snapshot | Update) -> None:
        """``message`` is the newest of the game that is played."""
        self.close()
        if found := way_out(message, self._connection.welcome["player"]["id"]):
            self._task = asyncio.create_task(self._send(*found))

    def close(self) -> None:
        """Claim nothing."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _send(self, request: Mapping[str, Any], wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        with suppress(RequestError):  # the other has come back
            while True:
                with suppress(ConnectionLost):  # it may have arrived: then it is refused
                    await self._connection.request(dict(request))
                    return
                await asyncio.sleep(AGAIN_S)
