"""A client's views of the rooms that it watches: the whole room, when it comes and when it fell behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from noughts.gateway.client import Client, Result, Subscriber
from noughts.gateway.connection import framed
from noughts.gateway.presence import Presence
from noughts.gateway.replies import CloseCode
from noughts.gateway.spectators import Spectators
from noughts.gateway.subscribers import Subscribers
from noughts.host import Done, Host, RoomUpdate
from noughts.protocol.render import snapshot_json
from noughts.rooms import Room

Send = Callable[[bytes], None]


class Views:
    """Has subscribers watch rooms, and shows rooms to them."""

    def __init__(self, host: Host, subscribers: Subscribers, spectators: Spectators, presence: Presence) -> None:
        self._host = host
        self._subscribers = subscribers
        self._spectators = spectators
        self._presence = presence

    def watch(self, subscriber: Subscriber, room: Room, *, preview: bool = False) -> None:
        """``subscriber`` watches the room from now on, unless it is gone; as a ``preview`` it does not count."""
        if not subscriber.open:
            return
        self._subscribers.add(room.id, (subscriber,), (subscriber,) if preview else ())
        if not preview:
            self._presence.arrived(room, subscriber.player.id)
        subscriber.on_watch(room)

    def unwatch(self, subscriber: Subscriber, room_id: str) -> None:
        """``subscriber`` no longer watches the room."""
        preview = self._subscribers.is_preview(room_id, subscriber)
        if self._subscribers.remove(room_id, subscriber):
            room = self._host.room(room_id)
            if room is not None and not preview:
                self._presence.left(room, subscriber.player.id)
            self._host.release(room_id)

    def mute(self, subscriber: Subscriber, *, silent: bool) -> None:
        """``subscriber``, which plays, is silent from now on, or no longer."""
        self._subscribers.mute(subscriber, silent=silent)
        for room_id in list(subscriber.rooms):
            room = self._host.room(room_id)
            if room is None or self._subscribers.is_preview(room_id, subscriber):
                continue
            if silent:
                self._presence.fell_silent(room, subscriber.player.id)
            else:
                self._presence.arrived(room, subscriber.player.id)

    def show(self, subscriber: Subscriber, room: Room, send: Send | None = None) -> None:
        """Send the whole room, by ``send`` if it goes elsewhere than to the subscriber's connection.

        A slow reader gets it once it has caught up.
        """
        if subscriber.paused:
            subscriber.behind.add(room.id)
            return
        spectators, now = self._spectators.count(room), self._host.journal.now()
        (send or subscriber.send_encoded)(snapshot_json(room, now, spectators, legal_moves=subscriber.legal_moves))
        self._subscribers.spectators_sent(room.id, (subscriber,), spectators)

    def replay(self, client: Client, room: Room, missed: Sequence[RoomUpdate]) -> None:
        """Send the updates that a client has missed, and the number of spectators.

        If it falls behind meanwhile, it gets the whole room later instead of the rest.
        """
        subscriber = client.subscriber
        for update in missed:
            if subscriber.paused:
                subscriber.behind.add(room.id)
                return
            client.send_encoded(update.data if subscriber.legal_moves else update.short)
        spectators = self._spectators.count(room)
        client.send({"type": "spectators", "room": room.id, "count": spectators})
        self._subscribers.spectators_sent(room.id, (subscriber,), spectators)

    def enter(self, subscriber: Subscriber, room: Room) -> None:
        """Have ``subscriber`` watch the room, and show it."""
        self.watch(subscriber, room)
        self.show(subscriber, room)

    def bring(self, subscriber: Subscriber, room_id: str) -> None:
        """Have ``subscriber`` enter a room that may have to be loaded first."""

        def reply(result: Result) -> None:
            if not isinstance(result, Done):
                _send_away(subscriber)
            elif subscriber.open:
                self.enter(subscriber, result.room)

        self._host.submit(room_id, None, reply)

    def resend(self, subscriber: Subscriber, room_id: str) -> None:
        """Show the room to a slow reader that has caught up."""

        def reply(result: Result) -> None:
            if not isinstance(result, Done):
                _send_away(subscriber)
            elif subscriber.open and room_id in subscriber.behind:
                subscriber.behind.discard(room_id)
                self.show(subscriber, result.room)

        self._host.submit(room_id, None, reply)

    def lose(self, room_id: str) -> None:
        """Have everybody who watches the room reconnect: the journal no longer holds what they were shown."""
        for subscriber in self._subscribers.of(room_id):
            _send_away(subscriber)

    def on_update(self, update: RoomUpdate) -> None:
        """Take everybody who watches a room along to its rematch. The old room has nothing more to tell."""
        room, previous = update.room, update.room.previous
        if previous is None or not self._subscribers.is_watched(previous):
            return
        previews = self._subscribers.previews(previous)
        subscribers = self._subscribers.remove_all(previous)

        def reply(result: Result) -> None:
            if isinstance(result, Done):
                self._show_all(subscribers, previews, result.room)
            else:
                for subscriber in subscribers:
                    _send_away(subscriber)

        opened = self._host.room(room.id) if update.ours else None
        if opened is not None:
            self._show_all(subscribers, previews, opened)
        else:
            self._host.submit(room.id, None, reply)
        self._host.release(previous)

    def _show_all(self, subscribers: Sequence[Subscriber], previews: frozenset[Subscriber], room: Room) -> None:
        """Have ``subscribers`` watch the room, some as ``previews``, and send it whole, encoded once for all alike.

        An update before it would be a gap.
        """
        subscribers = [subscriber for subscriber in subscribers if subscriber.open]
        self._subscribers.add(room.id, subscribers, previews)
        spectators, now, frames = self._spectators.count(room), self._host.journal.now(), dict[bool, bytes]()
        self._subscribers.spectators_sent(room.id, [each for each in subscribers if not each.paused], spectators)
        for subscriber in subscribers:
            if subscriber not in previews:
                self._presence.arrived(room, subscriber.player.id)
            subscriber.on_watch(room)
            if subscriber.paused:
                subscriber.behind.add(room.id)
            else:
                wanted = subscriber.legal_moves
                if wanted not in frames:
                    frames[wanted] = framed(snapshot_json(room, now, spectators, legal_moves=wanted))
                subscriber.push(frames[wanted])


def _send_away(subscriber: Subscriber) -> None:
    subscriber.close(CloseCode.TRY_AGAIN_LATER, "room unavailable")
