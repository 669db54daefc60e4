"""The subscribers of each room, what they are sent, and what happens to slow readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from pydantic_core import to_json

from noughts.gateway.client import Subscriber
from noughts.gateway.connection import framed
from noughts.host import RoomUpdate
from noughts.rooms import Joined, Room

UNKNOWN = -1


class Subscribers:
    """The subscribers of each room.

    One that is paused gets no more updates and, once it has caught up, the whole room by ``resend``. ``on_change`` is
    called with each room whose number of spectators may have changed, ``on_watched`` when the first begins to watch.
    """

    def __init__(self) -> None:
        self.resend: Callable[[Subscriber, str], None] = lambda _subscriber, _room: None
        self.on_change: Callable[[str], None] = lambda _room: None
        self.on_watched: list[Callable[[str], None]] = []
        # For each subscriber, the number of spectators that it was last sent.
        self._rooms: dict[str, dict[Subscriber, int]] = {}
        self.is_watched: Callable[[str], bool] = self._rooms.__contains__
        """True if anybody watches the room with this id. The host asks after every command."""
        # Those who are connected to the room as a player or a spectator: all but previews.
        self._players: Counter[tuple[str, str]] = Counter()
        self._previews: dict[str, set[Subscriber]] = {}
        self._silent: Counter[tuple[str, str]] = Counter()
        """Of the players' connections, the number that are silent."""

    def add(self, room_id: str, subscribers: Iterable[Subscriber], previews: Collection[Subscriber] = ()) -> None:
        """``subscribers`` watch the room from now on, some of them as ``previews``.

        Adding one twice changes nothing, except that a preview ends.
        """
        members = self._rooms.get(room_id, {})
        begins, counted = not members, False
        for subscriber in subscribers:
            preview = subscriber in previews
            subscriber.behind.discard(room_id)
            if subscriber not in members:
                members[subscriber] = UNKNOWN
                subscriber.rooms.add(room_id)
            elif preview or not self._end_preview(room_id, subscriber):
                continue
            if preview:
                self._previews.setdefault(room_id, set()).add(subscriber)
            else:
                key = room_id, subscriber.player.id
                self._players[key] = self._players.get(key, 0) + 1
                if subscriber.silent:
                    self._silent[key] += 1
                counted = True
        if members:
            self._rooms[room_id] = members
        if counted:
            self.on_change(room_id)
        if begins and members:
            for on_watched in self.on_watched:
                on_watched(room_id)

    def remove(self, room_id: str, subscriber: Subscriber) -> bool:
        """``subscriber`` no longer watches the room. True if it did."""
        members = self._rooms.get(room_id, {})
        if subscriber not in members:
            return False
        del members[subscriber]
        subscriber.rooms.discard(room_id)
        subscriber.behind.discard(room_id)
        if not members:
            del self._rooms[room_id]
        if not self._end_preview(room_id, subscriber):
            key = (room_id, subscriber.player.id)
            self._players[key] -= 1
            if subscriber.silent:
                self._silent[key] -= 1
            if not self._players[key]:
                del self._players[key], self._silent[key]
        self.on_change(room_id)
        return True

    def _end_preview(self, room_id: str, subscriber: Subscriber) -> bool:
        """``subscriber`` no longer has a preview of the room. True if it did."""
        previews = self._previews.get(room_id)
        if previews is None or subscriber not in previews:
            return False
        previews.discard(subscriber)
        if not previews:
            del self._previews[room_id]
        return True

    def remove_all(self, room_id: str) -> list[Subscriber]:
        """Nobody watches the room any more. Returns those who did."""
        removed = list(self._rooms.pop(room_id, ()))
        self._previews.pop(room_id, None)
        for subscriber in removed:
            subscriber.rooms.discard(room_id)
            subscriber.behind.discard(room_id)
            self._players.pop((room_id, subscriber.player.id), None)
            self._silent.pop((room_id, subscriber.player.id), None)
        self.on_change(room_id)
        return removed

    def of(self, room_id: str) -> list[Subscriber]:
        """Everybody who watches the room."""
        return list(self._rooms.get(room_id, ()))

    def mute(self, subscriber: Subscriber, *, silent: bool) -> None:
        """``subscriber`` is silent from now on, or no longer. Call it when that changes."""
        subscriber.silent = silent
        for room_id in subscriber.rooms:
            if not self.is_preview(room_id, subscriber):
                self._silent[room_id, subscriber.player.id] += 1 if silent else -1

    def is_preview(self, room_id: str, subscriber: Subscriber) -> bool:
        """True if ``subscriber`` sees the room only as a small board in a list."""
        return subscriber in self._previews.get(room_id, ())

    def previews(self, room_id: str) -> frozenset[Subscriber]:
        """Those who see the room only as a small board in a list."""
        return frozenset(self._previews.get(room_id, ()))

    def connections_of(self, player: str, room_id: str) -> int:
        """The number of subscribers of the room that are this player, without previews and those that are silent."""
        key = room_id, player
        return self._players.get(key, 0) - self._silent.get(key, 0)

    def spectators(self, room: Room) -> int:
        """The number of subscribers of the room without a seat, on this node, without previews."""
        room_id, seated = room.id, 0
        for seat in (room.first, room.second):
            if seat is not None:
                seated += self._players.get((room_id, seat.id), 0)
        return len(self._rooms.get(room_id, ())) - len(self._previews.get(room_id, ())) - seated

    def on_update(self, update: RoomUpdate) -> None:
        """Send the update to everybody who watches its room and keeps up."""
        room_id = update.room.id
        members = self._rooms.get(room_id)
        if not members:
            return
        frame = short = b""
        joined = update.event.player.id if isinstance(update.event, Joined) else None
        for subscriber in members:
            if joined is not None and joined == subscriber.player.id and room_id in subscriber.joining:
                # A client that joins gets the whole room after its answer instead; if it is refused, by this.
                subscriber.behind.add(room_id)
                self.resend(subscriber, room_id)
            elif subscriber.paused or room_id in subscriber.behind:
                subscriber.behind.add(room_id)
            elif subscriber.legal_moves:
                frame = frame or framed(update.data)
                subscriber.push(frame)
            else:
                short = short or framed(update.short)
                subscriber.push(short)
        if joined is not None:
            self.on_change(room_id)

    def catch_up(self, subscriber: Subscriber) -> None:
        """Send a slow reader that has caught up each room in which it missed something."""
        # A room stays held back until it is sent whole: an update before that would leave a gap.
        for room_id in sorted(subscriber.behind):
            self.resend(subscriber, room_id)

    def spectators_sent(self, room_id: str, subscribers: Iterable[Subscriber], count: int) -> None:
        """Note that ``subscribers`` were sent this number of spectators."""
        members = self._rooms.get(room_id, {})
        for subscriber in subscribers:
            if subscriber in members:
                members[subscriber] = count

    def send_spectators(self, room_id: str, count: int) -> bool:
        """Send the number of spectators to every subscriber that knows a different one; False if there is none."""
        members = self._rooms.get(room_id, {})
        frame, sent = b"", False
        for subscriber, known in members.items():
            if known == count or not subscriber.connected:
                continue
            frame = frame or framed(to_json({"type": "spectators", "room": room_id, "count": count}))
            if subscriber.paused or room_id in subscriber.behind:
                subscriber.behind.add(room_id)
            else:
                members[subscriber] = count
                subscriber.push(frame)
                sent = True
        return sent

    def side(self, room: Room, *, players: bool) -> list[Subscriber]:
        """The players or the spectators who watch the room, without previews."""
        seated, previews = _seated(room), self._previews.get(room.id, ())
        return [
            subscriber
            for subscriber in self._rooms.get(room.id, ())
            if (subscriber.player.id in seated) is players and subscriber not in previews
        ]


def _seated(room: Room) -> set[str]:
    return {seat.id for seat in (room.first, room.second) if seat is not None}
