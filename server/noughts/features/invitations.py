"""Invitations to open seats: delivered at once to players who are connected, stored nowhere; and links as QR codes."""

from __future__ import annotations

import asyncio

from pydantic_core import to_json

from noughts.bus import Invited
from noughts.gateway.client import Client, check_muted, load_room
from noughts.gateway.feature import Feature
from noughts.gateway.replies import Error, Problem, answer, ok, player_info
from noughts.gateway.server import Server
from noughts.protocol import requests
from noughts.protocol.qr import qr_rows
from noughts.protocol.render import listing
from noughts.protocol.room_messages import Invitation

TOO_MANY_INVITATIONS = Error("rate_limited", "Too many invitations, from you or your address or to that player. Wait.")
NOT_YOUR_ROOM = Error("not_allowed", "Only its players, and who opened it, may invite somebody to a room.")
NO_OPEN_SEAT = Error("seat_taken", "There is no open seat.")
NOTHING_TO_JOIN = Error("game_over", "The game is over.")

BY_PLAYER, BY_ADDRESS, TO_PLAYER = (2.0, 50), (5.0, 100), (10.0, 200)
"""The number of invitations a second, and at once: of one player, from one address, and to one player, on this node.
One address cannot use up what one player may get."""

STOPS = {
    "invitations": "a player who invites too often, an address that does, or a player who is invited too often: "
    "{:g} a second, {} at once; {:g}, and {}; {:g}, and {}".format(*BY_PLAYER, *BY_ADDRESS, *TO_PLAYER)
}


def feature(server: Server) -> Feature:
    """Invitations by players, and QR codes of links."""
    invitations = Invitations(server)

    async def make_qr(client: Client, request: requests.QrCode) -> None:
        """Answer with the QR code of a link, which nobody but the sender sees."""
        server.check_page(client)
        rows = await asyncio.to_thread(qr_rows, request.link)
        if client.open:
            client.send(answer("qr", request.id, {"rows": rows}))
            server.costs.settle(client)

    return Feature(
        requests={requests.Invite: invitations.invite, requests.QrCode: make_qr},
        hints={Invited: invitations.on_invited},
    )


class Invitations:
    """Carries invitations to the connections of a player, on all nodes."""

    def __init__(
        self,
        server: Server,
        *,
        by_player: tuple[float, int] = BY_PLAYER,
        by_address: tuple[float, int] = BY_ADDRESS,
        to_player: tuple[float, int] = TO_PLAYER,
    ) -> None:
        self._host = server.host
        self._costs = server.costs
        self._sessions = server.sessions
        did = "refused an invitation"
        self._by = server.limit("invitations", *by_player, did)
        self._from = server.limit("invitations", *by_address, did)
        self._to = server.limit("invitations", *to_player, did)

    async def invite(self, client: Client, request: requests.Invite) -> None:
        """Invite a player to a room of the client's."""
        check_muted(client.player, self._host.journal.now())
        known = request.room in self._host.at_hand
        if not known:
            self._costs.check(client)
        room = await self._costs.loaded(client, load_room(self._host, request.room, client), known=known)
        if room.by != client.player.id and room.side_of(client.player.id) is None:
            raise Problem(NOT_YOUR_ROOM)
        if room.status == "over":
            raise Problem(NOTHING_TO_JOIN)
        if room.status != "waiting":
            raise Problem(NO_OPEN_SEAT)
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

    def on_invited(self, hint: Invited) -> None:
        """Deliver an invitation of another node. The bus may deliver one twice, which does no harm."""
        self._sessions.tell(hint.player, hint.line)

    def _limit(self, client: Client, player: str) -> None:
        for limit, key in ((self._by, client.player.id), (self._from, client.address), (self._to, player)):
            limit.take(key, client.who, TOO_MANY_INVITATIONS)
