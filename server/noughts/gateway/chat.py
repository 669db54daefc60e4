"""Chat in rooms: delivered at once, remembered for a while, stored nowhere."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import TypeVar

from pydantic_core import from_json, to_json

from noughts.bus import Hint, Said
from noughts.gateway import replies
from noughts.gateway.client import Client, refuse
from noughts.gateway.costs import Costs
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.replies import Problem, answer, ok
from noughts.gateway.subscribers import Subscribers
from noughts.host import Host
from noughts.journal import FOREVER, StoredPlayer
from noughts.protocol import requests
from noughts.protocol.messages import ChatLine
from noughts.protocol.render import timestamp
from noughts.rooms import Room

R = TypeVar("R", requests.Chat, requests.ChatHistory)

REMEMBERED = 1000
"""How many lines of other nodes are remembered, because the bus may deliver one twice."""


HISTORY_LINES = 50
"""How many of a room's last lines are remembered for its players, and as many for its spectators."""

HISTORY_BYTES = 8_000_000
"""How much memory the lines may take in all: one has up to 2 KB. The rooms that were silent longest go first."""

SIDE_BYTES, LINE_BYTES = 1200, 48
"""What Python needs for each side of a room, and for each line beside its text."""


class History:
    """The last lines of the rooms in which somebody has talked of late: in memory, the same on every node that heard
    them. Pure; does no I/O.

    ``held`` is the memory that they take, in bytes, by estimate.
    """

    def __init__(self, lines: int = HISTORY_LINES, most_bytes: int = HISTORY_BYTES) -> None:
        self._lines = lines
        self._most_bytes = most_bytes
        self.held = 0
        self._rooms: OrderedDict[str, dict[bool, deque[bytes]]] = OrderedDict()

    def add(self, room_id: str, line: bytes, *, players: bool) -> None:
        """Remember ``line``, of the players or the spectators."""
        sides = self._rooms.setdefault(room_id, {})
        if players not in sides:
            sides[players] = deque()
            self.held += SIDE_BYTES
        side = sides[players]
        self._rooms.move_to_end(room_id)
        side.append(line)
        self.held += LINE_BYTES + len(line)
        if len(side) > self._lines:
            self.held -= LINE_BYTES + len(side.popleft())
        while self.held > self._most_bytes:
            _, sides = self._rooms.popitem(last=False)
            self.held -= sum(SIDE_BYTES + sum(LINE_BYTES + len(line) for line in lines) for lines in sides.values())

    def of(self, room_id: str, *, players: bool) -> list[bytes]:
        """The lines of the players or the spectators, the oldest first."""
        return list(self._rooms.get(room_id, {}).get(players, ()))


class Chat:
    """Carries lines: a seated player's to the players, everybody else's to the spectators.

    ``per_player`` limits the lines of one player on this node. ``per_room`` limits all spectators of a room together,
    since every line goes to all of them. Each is a rate per second and a burst.
    """

    def __init__(
        self,
        host: Host,
        subscribers: Subscribers,
        costs: Costs,
        per_player: tuple[float, int] = (1.0, 5),
        per_room: tuple[float, int] = (5.0, 20),
    ) -> None:
        self._host = host
        self._subscribers = subscribers
        self._costs = costs
        self.history = History()
        self._by_player = TokenBuckets(*per_player)
        self._by_room = TokenBuckets(*per_room)
        self._delivered: OrderedDict[bytes, None] = OrderedDict()
        self._last_at = 0
        self._time = asyncio.get_running_loop().time

    def handle_chat(self, client: Client, request: requests.Chat) -> None:
        """Deliver what the client says in a room that it watches."""
        if request.room in client.subscriber.rooms:
            self._say(client, request)
        else:  # its ``watch`` may still be under way
            self._host.after(request.room, lambda: _or_refuse(self._say, client, request))

    def handle_history(self, client: Client, request: requests.ChatHistory) -> None:
        """Answer with the last lines of the client's side in a room that it watches."""
        self._costs.check_reader(client)
        if request.room in client.subscriber.rooms:
            self._tell_history(client, request)
        else:
            self._host.after(request.room, lambda: _or_refuse(self._tell_history, client, request))

    def on_hint(self, hint: Hint) -> None:
        """Deliver a line of another node."""
        if not isinstance(hint, Said) or hint.line in self._delivered:
            return
        self._delivered[hint.line] = None
        if len(self._delivered) > REMEMBERED:
            self._delivered.popitem(last=False)
        players = from_json(hint.line)["to"] == "players"
        self.history.add(hint.room, hint.line, players=players)
        room = self._host.room(hint.room)
        if room is not None:
            self._subscribers.send_to_side(room, hint.line, players=players)

    def _watched(self, client: Client, room_id: str) -> Room:
        """The room, which the client must watch, and not only as a preview."""
        subscriber = client.subscriber
        room = self._host.room(room_id) if room_id in subscriber.rooms else None
        if room is None or self._subscribers.is_preview(room_id, subscriber):
            raise Problem(replies.NOT_WATCHING)
        return room

    def _tell_history(self, client: Client, request: requests.ChatHistory) -> None:
        room = self._watched(client, request.room)
        lines = self.history.of(room.id, players=room.side_of(client.player.id) is not None)
        head = to_json(answer("chat_history", request.id, {"room": room.id}))[:-1]
        client.send_encoded(b'%b,"lines":[%b]}' % (head, b",".join(lines)))
        self._costs.settle(client)

    def _say(self, client: Client, request: requests.Chat) -> None:
        player, now = client.player, self._host.journal.now()
        room = self._watched(client, request.room)
        check_muted(player, now)
        seated = room.side_of(player.id) is not None
        wait_s = self._by_player.of(player.id).take(self._time())
        if not wait_s and not seated:
            wait_s = self._by_room.of(room.id).take(self._time())
        if wait_s:
            client.monitor.limit("chat", client.who, "refused a chat line")
            raise Problem(replies.TOO_MUCH_CHAT, retry_after_s=wait_s)
        self._last_at = max(now, self._last_at + 1)  # so that no two lines of a node are the same
        line: ChatLine = {
            "type": "chat",
            "room": room.id,
            "id": player.id,
            "name": player.name,
            "text": request.text,
            "at": timestamp(self._last_at),
            "to": "players" if seated else "spectators",
        }
        data = to_json(line)
        self.history.add(room.id, data, players=seated)
        self._subscribers.send_to_side(room, data, players=seated)
        self._host.bus.send(Said(room.id, data))
        client.send(ok(request.id))


def _or_refuse(handle: Callable[[Client, R], None], client: Client, request: R) -> None:
    try:
        handle(client, request)
    except Problem as problem:
        refuse(client, request.id, problem)


def check_muted(player: StoredPlayer, now: int) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` if the player is muted at ``now``, ms since the epoch."""
    if player.muted_until > now:
        until = "permanently" if player.muted_until >= FOREVER else f"until {timestamp(player.muted_until)}"
        raise Problem(replies.MUTED, until=until)
