"""Ends games whose opponent has left: claims them as soon as the rules allow."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from noughts.protocol.messages import Snapshot, Update
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError


@dataclass(frozen=True)
class AbsenceTiming:
    """How long to wait, in seconds."""

    abort_s: float = 60.0
    """Before aborting a game in which each side has not moved yet, so that there is nothing to claim."""
    margin_s: float = 0.1
    """After the time at which the game can be claimed."""
    retry_s: float = 1.0
    """Before trying again after the connection broke."""


def ending_request(
    message: Snapshot | Update, me: str, timing: AbsenceTiming
) -> tuple[Mapping[str, Any], float] | None:
    """The request that ends a game whose opponent has left, and the seconds to wait before sending it. Pure.

    None while the opponent is there, or no game is being played. ``me`` is the player's own id.
    """
    state = message["state"]
    if state["status"] != "playing":
        return None
    for seat in (state["seats"]["first"], state["seats"]["second"]):
        if seat is None or seat["id"] == me or seat["online"]:
            continue
        if "claimable_at" not in seat:
            return {"type": "abort", "room": message["room"]}, timing.abort_s
        now = message["at"] if message["type"] == "update" else message["now"]
        wait = datetime.fromisoformat(seat["claimable_at"]) - datetime.fromisoformat(now)
        wait_s = max(0.0, wait.total_seconds()) + timing.margin_s
        return {"type": "claim", "room": message["room"], "result": "win"}, wait_s
    return None


class AbsenceWatch:
    """Ends games that the opponent has left. Call :meth:`close` when done."""

    def __init__(self, connection: Connection, timing: AbsenceTiming) -> None:
        self._connection = connection
        self._timing = timing
        self._task: asyncio.Task[None] | None = None

    def follow(self, message: Snapshot | Update) -> None:
        """Take in the newest message about the game being played."""
        self.close()
        if found := ending_request(message, self._connection.welcome["player"]["id"], self._timing):
            self._task = asyncio.create_task(self._send(*found))

    def close(self) -> None:
        """Claim nothing."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _send(self, request: Mapping[str, Any], wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        with suppress(RequestError):  # the opponent has come back
            while True:
                with suppress(ConnectionLost):  # if the request had arrived, the next one is refused
                    await self._connection.request(dict(request))
                    return
                await asyncio.sleep(self._timing.retry_s)
