"""The bus over MQTT: several nodes, one broker.

A room has a topic, which the nodes that follow the room subscribe to. Each asks there who else does, and the others
answer, so that it knows to whom it tells the room's events: mostly to nobody, as players are mostly at one node. Each
message costs, so the events of one turn of its loop for one node are one message. Whenever two nodes have found each
other, they read the journal, as what was stored before was not told. The node that leads publishes the events of all
rooms, and the others gather theirs for it. While no other node is known, nothing is sent and no room subscribed to: a
node that joins reads the journal.

The broker should let only nodes read and write ``bus/...``. Hints are signed in any case, so that a node ignores what
anybody else writes there.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from noughts.bus.base import Appended, Follows, Hint, Leaves, topic_of
from noughts.mqtt.link import Link
from noughts.mqtt.membership import Membership, Status
from noughts.mqtt.signer import Rejected, Signer
from noughts.mqtt.subscriptions import Received
from noughts.timing import Timing

MAX_AGE_MS = 60_000  # more than any useful delay, and than the clocks of nodes differ
WARN_INTERVAL_S = 60

GATHER_S = 0.02
"""The time for which subscriptions to rooms are gathered: alone, one costs this process 90 us, and together 15."""

MANY = 3
"""The number of rooms, for each other node, beyond which a node asks all nodes in one message: one about a room that
nobody else follows costs the cluster 26 us; one to all nodes costs each of them 47, and 3 for each room.
"""

ASKED_AT_ONCE = 100
"""The number of rooms that a node asks about before other tasks get a turn."""

LINGER_S = 2.0
"""The time a room that is not followed any more stays subscribed to: often it is followed again."""

_LOBBY = "bus/lobby"
"""The topic of hints for all nodes."""

_LEADER = "bus/appended"
"""The topic of the events of all rooms, for the node that leads."""

_NODES = "bus/nodes/"
_ROOMS = "bus/rooms/"
_NO_ROOM = f"{_ROOMS}-"

log = logging.getLogger(__name__)


class MqttBus:
    """A :class:`~noughts.bus.base.Bus` on ``link``, whose owner starts and closes it.

    ``key``: 32 random bytes that all nodes share. The owner calls ``start``, and ``on_connect`` and ``on_disconnect``
    when the link comes up and goes down. ``on_appended`` is called with each event of another node, whichever rooms
    this one follows, while this node leads (:meth:`lead`).
    """

    def __init__(self, link: Link, key: bytes, timing: Timing = Timing()) -> None:
        self.node = link.node
        self.listeners: list[Callable[[Hint], None]] = []
        self.on_node_left: list[Callable[[str], None]] = []
        self.on_followed: list[Callable[[Sequence[str]], None]] = []
        self.on_appended: Callable[[Appended], None] = lambda _: None
        self._link = link
        self._signer = Signer(key)
        self._rejected: Counter[str] = Counter()
        self._warned_at = float("-inf")
        self._own_topic = _NODES + self.node
        self._rooms: dict[str, set[str]] = {}  # that this node follows, each with the others that do
        self._changed: set[str] = set()
        self._left: set[str] = set()
        self._leads: bool | None = None  # None: nobody publishes the events of all rooms
        self._outgoing: dict[str, list[Hint]] = {}
        self._events: dict[str, list[Hint]] = {}
        self._gathered: list[Hint] = []
        self._gather_s = timing.view_gather_s
        self._open = False
        self._membership = Membership(link, self._node_joined, self._node_left, timing)
        link.on_subscribed.append(self._subscribed)

    def start(self) -> None:
        """Subscribe to what all nodes and this one receive."""
        self._open = True
        for topic in (_LOBBY, self._own_topic):
            self._link.subscribe(topic, self._receive)
        self._membership.start()

    @property
    def connected(self) -> bool:
        return self._link.connected

    def send(self, hint: Hint) -> None:
        if self._membership.alone or not (self._open and self._link.connected):
            return
        if isinstance(hint, Appended):
            self._flush_soon()
            self._events.setdefault(hint.room, []).append(hint)
        else:
            self._send_to(f"bus/{topic_of(hint)}", hint)

    def follow(self, room: str) -> None:
        again = room in self._rooms or room in self._left  # it may be subscribed to
        self._left.discard(room)
        self._rooms.setdefault(room, set())
        if not self._membership.alone:
            self._subscribe_soon(room)
            if again:
                self._ask([room])

    def unfollow(self, room: str) -> None:
        if self._rooms.pop(room, None) is not None:
            self._changed.discard(room)
            if not self._left:
                asyncio.get_running_loop().call_later(LINGER_S, self._unsubscribe)
            self._left.add(room)

    def lead(self, *, leads: bool) -> None:
        """Receive the events of all rooms, or gather those of this node for the node that does."""
        if leads and not self._leads:
            self._link.subscribe(_LEADER, self._receive)
        elif self._leads and not leads:
            self._link.unsubscribe(_LEADER)
        self._leads = leads

    def _subscribe_soon(self, *rooms: str) -> None:
        if not self._changed:
            asyncio.get_running_loop().call_later(GATHER_S, self._subscribe)
        self._changed.update(rooms)

    def _subscribe(self) -> None:
        changed, self._changed = self._changed, set()
        if self._open:
            for room in changed:
                self._link.subscribe(_ROOMS + room, self._receive)

    def _unsubscribe(self) -> None:
        left, self._left = self._left, set()
        for room in left:
            self._link.unsubscribe(_ROOMS + room)

    def _subscribed(self, filters: Sequence[str]) -> None:
        """The broker sends the hints of these rooms from now on. Those before may be lost."""
        rooms = [one.removeprefix(_ROOMS) for one in filters if one.startswith(_ROOMS)]
        if rooms and self._open:
            self._call_followed(rooms)
            self._ask(rooms)

    def _call_followed(self, rooms: Sequence[str]) -> None:
        for on_followed in self.on_followed:
            on_followed(rooms)

    def _ask(self, rooms: Sequence[str]) -> None:
        """Ask who else follows ``rooms``."""
        all_nodes = len(rooms) > MANY * max(1, self._membership.others)
        for room in rooms[:ASKED_AT_ONCE]:
            self._send_to(_LOBBY if all_nodes else _ROOMS + room, Follows(room, asks=True))
        if len(rooms) > ASKED_AT_ONCE:
            asyncio.get_running_loop().call_soon(self._ask, rooms[ASKED_AT_ONCE:])

    def _learn(self, hint: Follows | Leaves, node: str) -> None:
        """Another node follows a room, or does not."""
        nodes = self._rooms.get(hint.room)
        if nodes is None:
            return
        if isinstance(hint, Leaves):
            nodes.discard(node)
            return
        # To an ask, and to an answer: what this node has stored since it asked, it told nobody, so the other reads it.
        if hint.asks or node not in nodes:
            self._send_to(_NODES + node, Follows(hint.room, asks=False))
        nodes.add(node)
        self._call_followed([hint.room])

    def announce(self, status: Status) -> None:
        """Publish what this node is doing."""
        self._membership.announce(status)

    async def close(self) -> None:
        if self._open:
            self._flush()
            self._flush_gathered()
            self._open = False
            for topic in (_LOBBY, self._own_topic, _LEADER, *(_ROOMS + room for room in self._rooms)):
                self._link.unsubscribe(topic)
            self._membership.close()

    def on_connect(self) -> None:
        """Announce this node, and find out what the broker denies it."""
        if not self._open:
            return
        # Hints go at QoS 0, for which the broker reports no denial. So send one message at QoS 1 to each sort of
        # topic; the link logs the denials.
        for topic in (_LOBBY, self._own_topic, _LEADER, _NO_ROOM):
            self._link.publish(topic, self._signer.sign_empty(topic, self.node, _now()))
        self._membership.on_connect()
        self._ask([*self._rooms])

    def on_disconnect(self) -> None:
        """Report nobody as gone: this node cannot know."""
        self._membership.on_disconnect()

    def _send_to(self, topic: str, hint: Hint) -> None:
        """Send ``hint`` with the others of this turn."""
        if self._open and self._link.connected:
            self._flush_soon()
            self._outgoing.setdefault(topic, []).append(hint)

    def _flush_soon(self) -> None:
        if not self._outgoing and not self._events:
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        """Send the hints of this turn."""
        events, self._events = self._events, {}
        outgoing, self._outgoing = self._outgoing, {}
        if self._leads is False:
            self._gather([event for of_room in events.values() for event in of_room])
        for topic, hints in (*self._addressed(events).items(), *outgoing.items()):
            self._publish(topic, hints)

    def _addressed(self, events: Mapping[str, list[Hint]]) -> dict[str, list[Hint]]:
        """The events of rooms by topic, in as few messages as reach the nodes that follow them, as far as is known."""
        unknown: dict[str, list[Hint]] = {}
        by_room: dict[str, list[Hint]] = {}
        by_node: dict[str, list[Hint]] = {}
        for room, of_room in events.items():
            nodes = self._rooms.get(room)
            if nodes is None:
                unknown[_ROOMS + room] = of_room
            elif nodes:
                by_room[_ROOMS + room] = of_room
                for node in nodes:
                    by_node.setdefault(_NODES + node, []).extend(of_room)
        return unknown | (by_node if len(by_node) <= len(by_room) else by_room)

    def _gather(self, events: Sequence[Hint]) -> None:
        """Send ``events`` to the node that leads, soon."""
        if events and not self._gathered:
            asyncio.get_running_loop().call_later(self._gather_s, self._flush_gathered)
        self._gathered.extend(events)

    def _flush_gathered(self) -> None:
        gathered, self._gathered = self._gathered, []
        self._publish(_LEADER, gathered)

    def _publish(self, topic: str, hints: Sequence[Hint]) -> None:
        for message in self._signer.sign(topic, hints, self.node, _now()):
            self._link.publish(topic, message, qos=0)

    def _receive(self, received: Received) -> None:
        try:
            hints, by, at = self._signer.verify(received.topic, received.payload)
            if abs(_now() - at) > MAX_AGE_MS:
                raise Rejected("of another time")
        except Rejected as rejected:
            self._count_rejected(str(rejected))
            return
        if not self._open or by == self.node:
            return
        if self._leads and received.topic in (_LEADER, _LOBBY):
            for hint in hints:
                if isinstance(hint, Appended):
                    self.on_appended(hint)
        if received.topic != _LEADER:  # those of followed rooms arrive by another topic, too
            for hint in hints:
                topic = f"bus/{topic_of(hint)}"
                room = topic.removeprefix(_ROOMS)
                if isinstance(hint, Follows | Leaves):
                    self._learn(hint, by)
                elif topic in (_LOBBY, self._own_topic) or room in self._rooms:
                    self._pass_on(hint)
                elif received.topic == self._own_topic and room not in self._left:
                    self._send_to(_NODES + by, Leaves(room))

    def _pass_on(self, hint: Hint) -> None:
        for on_hint in self.listeners:
            try:
                on_hint(hint)
            except Exception:  # the other hints of the message must not be lost
                log.exception("a listener of hints failed")

    def _node_joined(self) -> None:
        self._subscribe_soon(*self._rooms)

    def _node_left(self, node: str) -> None:
        for on_node_left in self.on_node_left:
            on_node_left(node)

    def _count_rejected(self, why: str) -> None:
        self._rejected[why] += 1
        if time.monotonic() - self._warned_at > WARN_INTERVAL_S:
            self._warned_at = time.monotonic()
            log.warning(
                "rejected messages on the bus: %s (do all nodes share one journal, and are their clocks right?)",
                ", ".join(f"{count} {why}" for why, count in self._rejected.items()),
            )
            self._rejected.clear()


def _now() -> int:
    return time.time_ns() // 1_000_000
