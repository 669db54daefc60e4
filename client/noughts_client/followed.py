"""The rooms whose streams a connection has, so that each update is taken once and in order. Does no I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from noughts.protocol import Snapshot, Update
from noughts.protocol.messages import Ok


@dataclass
class _Room:
    """The last version seen, and up to where it is caught up with what was missed."""

    version: int | None = None
    missed_to: int = 0


class Followed:
    """Rooms by their ids. ``seen`` are those that were sent, whether they are followed still or not."""

    def __init__(self) -> None:
        self._rooms: dict[str, _Room] = {}
        self.seen: set[str] = set()

    def resumed(self) -> Iterator[dict[str, Any]]:
        """The requests that take every room up where its stream stopped."""
        for room, seen in self._rooms.items():
            yield {"type": "watch", "room": room, "since": seen.version}

    def answered(self, asked: dict[str, Any], answer: Ok) -> None:
        """Follow what was asked for, or no longer."""
        if asked["type"] in ("create", "join", "watch"):
            room = self._rooms.setdefault(answer["room"], _Room(asked.get("since")))
            room.missed_to = answer.get("version", 0)
        elif asked["type"] == "leave":
            self.forget(asked["room"])

    def forget(self, room: str) -> None:
        """Follow ``room`` no longer."""
        self._rooms.pop(room, None)

    def start_at(self, snapshot: Snapshot) -> None:
        """Go on from ``snapshot``, of a room that was asked for or that the server has taken us to."""
        self._rooms.setdefault(snapshot["room"], _Room()).version = snapshot["version"]
        self.seen.add(snapshot["room"])

    def takes(self, update: Update) -> bool:
        """Whether ``update`` is news; not of a room left meanwhile, nor one that is sent again."""
        room = self._rooms.get(update["room"])
        if room is None or update["version"] <= (room.version or 0):
            return False
        room.version = update["version"]
        return True

    def after(self, update: Update) -> str | None:
        """Follow the rematch that ``update`` tells of instead; its room, where that has to be asked for.

        The server carries over to the next room who is there then; who was away must follow by himself.
        """
        if update["event"]["kind"] != "rematched":
            return None
        next_room: str = update["event"]["next"]
        before = self._rooms.pop(update["room"])
        self._rooms.setdefault(next_room, _Room())
        return next_room if update["version"] <= before.missed_to else None
