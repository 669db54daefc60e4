"""Chat in rooms: kept with the room, delivered to whoever watches and has not muted the speaker; and reports."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from contextlib import suppress
from weakref import WeakValueDictionary

from pydantic_core import from_json, to_json

from noughts.bus import Said
from noughts.gateway.client import Client, check_muted
from noughts.gateway.connection import framed
from noughts.gateway.feature import Feature, Handling
from noughts.gateway.replies import Error, Problem, answer, ok, player_info
from noughts.gateway.server import Server
from noughts.journal import JournalError, StoredPlayer
from noughts.journal.talk import MUTES
from noughts.protocol import requests
from noughts.protocol.render import timestamp
from noughts.protocol.room_messages import ChatLine
from noughts.rooms import Room

log = logging.getLogger(__name__)

NOT_WATCHING = Error("not_allowed", "Watch the room before you chat there.")
TOO_MUCH_CHAT = Error("rate_limited", "Too much chat. Wait before the next line.")
NOT_YOURSELF = Error("not_allowed", "You cannot mute or report yourself.")
MUTED_TOO_MANY = Error("not_allowed", "You have muted {players}. Hear one of them again first.")
NOT_THERE = Error("not_allowed", "That player neither has a seat in the room nor has said anything there.")
TOO_MANY_REPORTS = Error("rate_limited", "Too many reports. Wait before the next.")
NO_SUCH_PLAYER = Error("unknown_player", "There is no such player.")

PER_PLAYER, PER_ROOM = (1.0, 5), (5.0, 20)
"""The number of lines a second, and at once: of one player on this node, and of all spectators of a room together,
since every line goes to all of them."""

REPORTS_PER_S, REPORTS_AT_ONCE = 1 / 60, 5
"""The number of reports of one player on this node."""

STOPS = {
    "chat": "a player who chats too much, or all spectators of a room together: {:g} line a second, {} at once; "
    "spectators {:g}, and {}".format(*PER_PLAYER, *PER_ROOM),
    "mutes": f"a player who has muted {MUTES} others, and mutes another",
    "reports": f"a player who reports too often: 1 a minute, {REPORTS_AT_ONCE} at once",
}
"""By the name of a limit without a setting, whom it stops and where; ``scripts/generate.py`` documents it."""

REMEMBERED = 1000
"""The number of lines of other nodes remembered, because the bus may deliver one twice; and how many may wait."""

REPORTED_LINES = 20
"""The number of lines go with a report."""


def feature(server: Server) -> Feature:
    """Chat in rooms, for who watches them."""
    chat = Chat(server)
    return Feature(
        requests={
            requests.Chat: chat.say,
            requests.ChatHistory: chat.tell_history,
            requests.Mute: chat.mute,
            requests.ListMuted: chat.tell_muted,
            requests.Report: chat.report,
        },
        hints={Said: chat.on_said},
    )


class Chat:
    """Carries lines: a seated player's to the players, everybody else's to the spectators."""

    def __init__(
        self,
        server: Server,
        per_player: tuple[float, int] = PER_PLAYER,
        per_room: tuple[float, int] = PER_ROOM,
        reports: tuple[float, int] = (REPORTS_PER_S, REPORTS_AT_ONCE),
    ) -> None:
        self._server = server
        self._host = server.host
        self._talk = server.host.journal.talk
        self._subscribers = server.subscribers
        self._costs = server.costs
        self._by_player = server.limit("chat", *per_player, "refused a chat line")
        self._by_room = server.limit("chat", *per_room, "refused a chat line")
        self._reports = server.limit("reports", *reports, "refused a report")
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._seen: OrderedDict[bytes, None] = OrderedDict()
        self._heard: deque[Said] = deque(maxlen=REMEMBERED)
        self._delivering = False
        self._last_at = 0

    def say(self, client: Client, request: requests.Chat) -> Handling:
        """Store what the client says in a room that it watches, and then deliver it."""
        return self._server.when_watched(client, request, self._say)

    def _say(self, client: Client, request: requests.Chat) -> Handling:
        room = self._watched(client, request.room)
        player, now = client.player, self._host.journal.now()
        check_muted(player, now)
        seated = room.side_of(player.id) is not None
        self._by_player.take(player.id, client.who, TOO_MUCH_CHAT)
        if not seated:
            self._by_room.take(room.id, client.who, TOO_MUCH_CHAT)
        self._costs.check_write(client)
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
        return self._store(client, request, to_json(line), players=seated)

    async def _store(self, client: Client, request: requests.Chat, line: bytes, *, players: bool) -> None:
        room = request.room
        async with self._turns.setdefault(room, asyncio.Lock()):  # the lines of a room stay in order
            await self._talk.put(room, client.player.id, line, players=players)
            client.written += len(line)
            self._host.bus.send(Said(room, line))
            await self._deliver(room, line)
        if client.open:
            client.send(ok(request.id))
            self._costs.settle(client)

    def tell_history(self, client: Client, request: requests.ChatHistory) -> Handling:
        """Answer with the last lines of the client's side in a room that it watches."""
        self._costs.check_reader(client)
        return self._server.when_watched(client, request, self._tell_history)

    async def _tell_history(self, client: Client, request: requests.ChatHistory) -> None:
        room = self._watched(client, request.room)
        self._costs.charge_list(client)
        player = client.player.id
        lines = await self._talk.lines(room.id, player, players=room.side_of(player) is not None)
        if client.open:
            head = to_json(answer("chat_history", request.id, {"room": room.id}))[:-1]
            client.send_encoded(b'%b,"lines":[%b]}' % (head, b",".join(lines)))
            self._costs.settle(client)

    async def mute(self, client: Client, request: requests.Mute) -> None:
        """Have the client's player hear nothing more from another one, or hear that one again."""
        player = client.player.id
        self._costs.check_reader(client)
        self._costs.charge_list(client)
        if not request.muted:
            other = await self._host.journal.people.find(request.player)
            await self._talk.unmute(player, request.player if other is None else other.id)
        elif not await self._talk.mute(player, (await self._other(client, request.player)).id):
            client.monitor.limit("mutes", client.who, "refused to mute another player")
            raise Problem(MUTED_TOO_MANY, players=f"{MUTES} players")
        if client.open:
            client.send(ok(request.id))

    async def tell_muted(self, client: Client, request: requests.ListMuted) -> None:
        """Answer with the players whom the client's player has muted."""
        self._costs.check_reader(client)
        self._costs.charge_list(client)
        muted = [player_info(player) for player in await self._talk.muted(client.player.id)]
        if client.open:
            client.send(answer("muted", request.id, {"players": muted}))
            self._costs.settle(client)

    def report(self, client: Client, request: requests.Report) -> Handling:
        """Store what the client says of a player in a room that it watches, and log that it did."""
        self._costs.check(client)
        self._costs.check_write(client)
        return self._server.when_watched(client, request, self._report)

    async def _report(self, client: Client, request: requests.Report) -> None:
        room = self._watched(client, request.room)
        reported, player = await self._other(client, request.player), client.player.id
        heard = await self._talk.lines(room.id, "", players=room.side_of(player) is not None)
        said = any(from_json(line)["id"] == reported.id for line in heard)
        if not said and room.side_of(reported.id) is None:
            raise Problem(NOT_THERE)
        self._reports.take(player, client.who, TOO_MANY_REPORTS)
        lines = b"[%b]" % b",".join(heard[-REPORTED_LINES:])
        number = await self._talk.report(room.id, reported.id, player, request.reason, lines)
        client.written += len(lines) + len(request.reason)
        what = f"report {number}: player {player} reports player {reported.id}; see noughts admin list reports"
        log.warning("room %s: %s", self._host.log_name(room.id), what)
        if client.open:
            client.send(ok(request.id))
            self._costs.settle(client)

    def on_said(self, hint: Said) -> None:
        """Deliver a line of another node, once and in the order in which they come."""
        if hint.line in self._seen:
            return
        self._seen[hint.line] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        if self._host.room(hint.room) is None:
            return  # nobody watches it here
        self._heard.append(hint)
        if not self._delivering:
            self._delivering = True
            self._server.tasks.spawn(self._deliver_heard())

    async def _deliver_heard(self) -> None:
        while self._heard:
            hint = self._heard.popleft()
            with suppress(JournalError):  # it was logged; the history has the line
                await self._deliver(hint.room, hint.line)
        self._delivering = False

    async def _deliver(self, room_id: str, line: bytes) -> None:
        """Send ``line`` to its side of the room, but not to slow readers and who has muted the speaker.

        Raises JournalError.
        """
        shown: ChatLine = from_json(line)
        players, room = shown["to"] == "players", self._host.room(room_id)
        if room is None:
            return
        others = {one.player.id for one in self._subscribers.side(room, players=players)} - {shown["id"]}
        deaf = await self._talk.who_muted(shown["id"], sorted(others)) if others else set()
        frame = framed(line)
        for subscriber in self._subscribers.side(room, players=players):
            if subscriber.player.id not in deaf and not subscriber.paused:
                subscriber.push(frame)

    def _watched(self, client: Client, room_id: str) -> Room:
        """The room, which the client must watch, and not only as a preview."""
        subscriber = client.subscriber
        room = self._host.room(room_id) if room_id in subscriber.rooms else None
        if room is None or self._subscribers.is_preview(room_id, subscriber):
            raise Problem(NOT_WATCHING)
        return room

    async def _other(self, client: Client, player: str) -> StoredPlayer:
        """The player with this id or registered name, who must be another than the client's."""
        found = await self._host.journal.people.find(player)
        if found is None:
            raise Problem(NO_SUCH_PLAYER)
        if found.id == client.player.id:
            raise Problem(NOT_YOURSELF)
        return found
