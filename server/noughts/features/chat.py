"""Chat in rooms: delivered at once, remembered for a while, stored nowhere."""

from __future__ import annotations

from collections import OrderedDict, deque

from pydantic_core import from_json, to_json

from noughts.bus import Said
from noughts.gateway.client import Client, check_muted
from noughts.gateway.feature import Feature, Reading
from noughts.gateway.replies import Error, Problem, answer, ok
from noughts.gateway.server import Server
from noughts.protocol import requests
from noughts.protocol.messages import ChatLine
from noughts.protocol.render import timestamp
from noughts.rooms import Room

NOT_WATCHING = Error("not_allowed", "Watch the room before you chat there.")
TOO_MUCH_CHAT = Error("rate_limited", "Too much chat. Wait before the next line.")

PER_PLAYER, PER_ROOM = (1.0, 5), (5.0, 20)
"""The number of lines a second, and at once: of one player on this node, and of all spectators of a room together,
since every line goes to all of them."""

STOPS = {
    "chat": "a player who chats too much, or all spectators of a room together: {:g} line a second, {} at once; "
    "spectators {:g}, and {}".format(*PER_PLAYER, *PER_ROOM)
}
"""By the name of a limit without a setting, whom it stops and where; ``scripts/generate.py`` documents it."""

REMEMBERED = 1000
"""The number of lines of other nodes remembered, because the bus may deliver one twice."""


HISTORY_LINES = 50
"""The number of a room's last lines that are remembered for its players, and as many for its spectators."""

HISTORY_BYTES = 8_000_000
"""The memory that the lines may take in all: one has up to 2 KB. The rooms that were silent longest go first."""

SIDE_BYTES, LINE_BYTES = 1200, 48
"""The bytes that Python needs for each side of a room, and for each line beside its text."""


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


def feature(server: Server) -> Feature:
    """Chat in rooms, for who watches them."""
    chat = Chat(server)
    return Feature(
        requests={requests.Chat: chat.say, requests.ChatHistory: chat.tell_history},
        hints={Said: chat.on_said},
        readings=(Reading("chat_bytes", "Memory that remembered chat takes, by estimate.", lambda: chat.history.held),),
    )


class Chat:
    """Carries lines: a seated player's to the players, everybody else's to the spectators."""

    def __init__(
        self, server: Server, per_player: tuple[float, int] = PER_PLAYER, per_room: tuple[float, int] = PER_ROOM
    ) -> None:
        self._server = server
        self._host = server.host
        self._subscribers = server.subscribers
        self._costs = server.costs
        self.history = History()
        self._by_player = server.limit("chat", *per_player, "refused a chat line")
        self._by_room = server.limit("chat", *per_room, "refused a chat line")
        self._delivered: OrderedDict[bytes, None] = OrderedDict()
        self._last_at = 0

    def say(self, client: Client, request: requests.Chat) -> None:
        """Deliver what the client says in a room that it watches."""
        self._server.when_watched(client, request, self._say)

    def tell_history(self, client: Client, request: requests.ChatHistory) -> None:
        """Answer with the last lines of the client's side in a room that it watches."""
        self._costs.check_reader(client)
        self._server.when_watched(client, request, self._tell_history)

    def on_said(self, hint: Said) -> None:
        """Deliver a line of another node."""
        if hint.line in self._delivered:
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
            raise Problem(NOT_WATCHING)
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
        self._by_player.take(player.id, client.who, TOO_MUCH_CHAT)
        if not seated:
            self._by_room.take(room.id, client.who, TOO_MUCH_CHAT)
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
