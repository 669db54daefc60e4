"""The rooms that a connection follows, so that it passes on each update once and in order. Does no I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from noughts.protocol.messages import Ok
from noughts.protocol.room_messages import Snapshot, Update


@dataclass
class _Room:
    """The last version received, and the version up to which updates repeat what was missed.

    ``resumed``: it was requested by the connection itself, after a time away.
    """

    version: int | None = None
    missed_to: int = 0
    resumed: bool = False


class FollowedRooms:
    """Rooms by id. ``seen`` are all rooms that were ever received, followed or not."""

    def __init__(self) -> None:
        self._rooms: dict[str, _Room] = {}
        self.seen: set[str] = set()

    @property
    def newest(self) -> str | None:
        """The room that was entered last and is still followed."""
        return next(reversed(self._rooms), None)

    def resume_requests(self) -> Iterator[dict[str, Any]]:
        """The requests that resume every room at the version where its updates stopped."""
        for room, followed in self._rooms.items():
            yield {"type": "watch", "room": room, "since": followed.version}

    def answered(self, request: dict[str, Any], answer: Ok, *, resumes: bool = False) -> None:
        """Follow the room that a granted request enters, or stop following the one that it leaves."""
        if request["type"] in ("create", "join", "take", "watch"):
            room = self._rooms.setdefault(answer["room"], _Room(request.get("since")))
            room.missed_to = answer.get("version", 0)
            room.resumed = resumes
        elif request["type"] == "leave":
            self.forget(request["room"])

    def forget(self, room: str) -> None:
        """Stop following ``room``."""
        self._rooms.pop(room, None)

    def restart(self, snapshot: Snapshot) -> None:
        """Follow a room from ``snapshot`` on, whether it was requested or the server moved the player there."""
        self._rooms.setdefault(snapshot["room"], _Room()).version = snapshot["version"]
        self.seen.add(snapshot["room"])

    def accept(self, update: Update) -> bool:
        """True if ``update`` is new. It is not if it was received before, or its room is no longer followed."""
        room = self._rooms.get(update["room"])
        if room is None or update["version"] <= (room.version or 0):
            return False
        room.version = update["version"]
        return True

    def rematch_after(self, snapshot: Snapshot) -> str | None:
        """Follow the rematch of a resumed room, if there is one already. Returns its room, which must be requested."""
        next_room = snapshot["state"]["next"]
        if next_room is None or not self._rooms[snapshot["room"]].resumed:
            return None
        del self._rooms[snapshot["room"]]
        self._rooms.setdefault(next_room, _Room())
        return next_room

    def rematch_to_watch(self, update: Update) -> str | None:
        """Follow the rematch that ``update`` announces, if any. Returns its room if it must be requested.

        The server moves everybody who is connected on to the next room. A client that was away must ask for it.
        """
        if update["event"]["kind"] != "rematched":
            return None
        next_room: str = update["event"]["next"]
        previous = self._rooms.pop(update["room"])
        self._rooms.setdefault(next_room, _Room())
        return next_room if update["version"] <= previous.missed_to else None
