"""Invitations to open seats: delivered at once to players who are connected, stored nowhere."""

from __future__ import annotations

import asyncio

from pydantic_core import to_json

from noughts.bus import Hint, Invited
from noughts.gateway import replies
from noughts.gateway.chat import check_muted
from noughts.gateway.client import Client, load_room
from noughts.gateway.costs import Costs
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.registry import SessionRegistry
from noughts.gateway.replies import Problem, ok, player_info
from noughts.host import Host
from noughts.protocol import requests
from noughts.protocol.messages import Invitation
from noughts.protocol.render import listing


class Invitations:
    """Carries invitations to the connections of a player, on all nodes.

    ``by_player`` limits those of one player, ``by_address`` those from one address, ``to_player`` those to one player,
    on this node: a rate per second and a burst. One address cannot use up what one player may get.
    """

    def __init__(
        self,
        host: Host,
        costs: Costs,
        sessions: SessionRegistry,
        *,
        by_player: tuple[float, int] = (2.0, 50),
        by_address: tuple[float, int] = (5.0, 100),
        to_player: tuple[float, int] = (10.0, 200),
    ) -> None:
        self._host = host
        self._costs = costs
        self._sessions = sessions
        self._by = TokenBuckets(*by_player)
        self._from = TokenBuckets(*by_address)
        self._to = TokenBuckets(*to_player)
        self._time = asyncio.get_running_loop().time

    async def handle_invite(self, client: Client, request: requests.Invite) -> None:
        """Invite a player to a room of the client's."""
        check_muted(client.player, self._host.journal.now())
        known = request.room in self._host.at_hand
        if not known:
            self._costs.check(client)
        room = await self._costs.loaded(client, load_room(self._host, request.room, client), known=known)
        if room.by != client.player.id and room.side_of(client.player.id) is None:
            raise Problem(replies.NOT_YOUR_ROOM)
        if room.status == "over":
            raise Problem(replies.NOTHING_TO_JOIN)
        if room.status != "waiting":
            raise Problem(replies.NO_OPEN_SEAT)
        self._limit(client, request.player)
        shown = listing(room)
        invitation: Invitation = {
            "type": "invitation",
            "room": room.id,
            "game": shown["game"],
            "seats": shown["seats"],
            "options": shown["options"],
            "by": player_info(client.player),
        }
        line = to_json(invitation)
        self._sessions.tell(request.player, line)
        self._host.bus.send(Invited(request.player, line))
        client.send(ok(request.id))

    def on_hint(self, hint: Hint) -> None:
        """Deliver an invitation of another node. The bus may deliver one twice, which does no harm."""
        if isinstance(hint, Invited):
            self._sessions.tell(hint.player, hint.line)

    def _limit(self, client: Client, player: str) -> None:
        now = self._time()
        wait_s = (
            self._by.of(client.player.id).take(now)
            or self._from.of(client.address).take(now)
            or self._to.of(player).take(now)
        )
        if wait_s:
            client.monitor.limit("invitations", client.who, "refused an invitation")
            raise Problem(replies.TOO_MANY_INVITATIONS, retry_after_s=wait_s)
