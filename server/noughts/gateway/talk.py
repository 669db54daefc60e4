"""What is said in rooms: told at once to those whom it is for, and kept nowhere."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from pydantic_core import from_json, to_json

from noughts.bus import Hint, Said
from noughts.gateway.answers import error, ok
from noughts.gateway.audience import Audience
from noughts.gateway.limits import TokenBuckets
from noughts.host import Host
from noughts.journal import FOREVER
from noughts.protocol import requests, timestamp
from noughts.protocol.messages import ChatLine

if TYPE_CHECKING:
    from noughts.gateway.conversation import Conversation

LINES_PER_S, LINES_AT_ONCE = 1.0, 5
"""How many lines one player may say, over all connections to this node together."""

CROWD_PER_S, CROWD_AT_ONCE = 5.0, 20
"""How many all spectators of a room on this node may say together: each line goes to all of them."""

HEARD = 1000
"""How many lines of other nodes are remembered, so that none is told twice: what comes by the bus may be doubled."""


class Talk:
    """Carries lines: from who has a seat to the players, from everybody else who looks at a room to its spectators."""

    def __init__(self, host: Host, audience: Audience) -> None:
        self._host = host
        self._audience = audience
        self._by_player = TokenBuckets(LINES_PER_S, LINES_AT_ONCE)
        self._by_crowd = TokenBuckets(CROWD_PER_S, CROWD_AT_ONCE)
        self._heard: OrderedDict[bytes, None] = OrderedDict()
        self._last_at = 0
        self._time = asyncio.get_running_loop().time
        host.bus.listeners.append(self.hear)

    def say(self, client: Conversation, request: requests.Chat) -> None:
        """Tell what ``client`` says, and answer it."""
        if request.room in client.rooms:
            self._say(client, request)
        else:  # it may have asked to look at the room just now
            self._host.after(request.room, lambda: self._say(client, request))

    def hear(self, message: Hint) -> None:
        """Another node tells what was said there."""
        if not isinstance(message, Said) or message.line in self._heard:
            return
        self._heard[message.line] = None
        if len(self._heard) > HEARD:
            self._heard.popitem(last=False)
        room = self._host.room(message.room)
        if room is not None:
            self._audience.tell_side(room, message.line, players=from_json(message.line)["to"] == "players")

    def _say(self, client: Conversation, request: requests.Chat) -> None:
        player, now = client.player, self._host.journal.now()
        room = self._host.room(request.room) if request.room in client.rooms else None
        if room is None:
            client.send(error(request.id, "not_allowed", "Only who looks at a room may speak there; watch it first."))
            return
        if player.muted_until > now:
            until = "for good" if player.muted_until >= FOREVER else f"until {timestamp(player.muted_until)}"
            client.send(error(request.id, "not_allowed", f"You are muted {until}."))
            return
        seated = room.side_of(player.id) is not None
        wait = self._by_player.of(player.id).take(self._time())
        if not wait and not seated:
            wait = self._by_crowd.of(room.id).take(self._time())
        if wait:
            text = "Too much is said; wait before the next line."
            client.send(error(request.id, "rate_limited", text, retry_after_s=round(wait, 3)))
            return
        self._last_at = max(now, self._last_at + 1)  # no two lines of a node are the same
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
        self._audience.tell_side(room, data, players=seated)
        self._host.bus.send(Said(room.id, data))
        client.send(ok(request.id))
