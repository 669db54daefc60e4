"""Chat in rooms: delivered at once, stored nowhere."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from pydantic_core import from_json, to_json

from noughts.bus import Hint, Said
from noughts.gateway import replies
from noughts.gateway.client import Client, refuse
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.replies import Problem, ok
from noughts.gateway.subscribers import Subscribers
from noughts.host import Host
from noughts.journal import FOREVER, StoredPlayer
from noughts.protocol import requests, timestamp
from noughts.protocol.messages import ChatLine

REMEMBERED = 1000
"""How many lines of other nodes are remembered, because the bus may deliver one twice."""


class Chat:
    """Carries lines: a seated player's to the players, everybody else's to the spectators.

    ``per_player`` limits the lines of one player on this node. ``per_room`` limits all spectators of a room together,
    since every line goes to all of them. Each is a rate per second and a burst.
    """

    def __init__(
        self,
        host: Host,
        subscribers: Subscribers,
        per_player: tuple[float, int] = (1.0, 5),
        per_room: tuple[float, int] = (5.0, 20),
    ) -> None:
        self._host = host
        self._subscribers = subscribers
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
            self._host.after(request.room, lambda: self._say_or_refuse(client, request))

    def on_hint(self, hint: Hint) -> None:
        """Deliver a line of another node."""
        if not isinstance(hint, Said) or hint.line in self._delivered:
            return
        self._delivered[hint.line] = None
        if len(self._delivered) > REMEMBERED:
            self._delivered.popitem(last=False)
        room = self._host.room(hint.room)
        if room is not None:
            self._subscribers.send_to_side(room, hint.line, players=from_json(hint.line)["to"] == "players")

    def _say_or_refuse(self, client: Client, request: requests.Chat) -> None:
        try:
            self._say(client, request)
        except Problem as problem:
            refuse(client, request.id, problem)

    def _say(self, client: Client, request: requests.Chat) -> None:
        player, now = client.player, self._host.journal.now()
        room = self._host.room(request.room) if request.room in client.subscriber.rooms else None
        if room is None:
            raise Problem(replies.NOT_WATCHING)
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
        self._subscribers.send_to_side(room, data, players=seated)
        self._host.bus.send(Said(room.id, data))
        client.send(ok(request.id))


def check_muted(player: StoredPlayer, now: int) -> None:
    """Raise :class:`~noughts.gateway.replies.Problem` if the player is muted at ``now``, ms since the epoch."""
    if player.muted_until > now:
        until = "permanently" if player.muted_until >= FOREVER else f"until {timestamp(player.muted_until)}"
        raise Problem(replies.MUTED, until=until)
