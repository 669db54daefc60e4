"""A feature that the server does not know: 30 lines of a test file add a request, a hint, a listener and a loop."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import pytest

from noughts.bus import Drain, MemoryBus
from noughts.gateway.client import Client
from noughts.gateway.feature import Feature, Reading
from noughts.gateway.gateway import Gateway
from noughts.gateway.replies import Error, Problem, answer
from noughts.gateway.server import Server
from noughts.host import GameOver, Host, RoomUpdate
from noughts.protocol.fields import Request
from noughts.protocol.requests import Ping
from support.client import connected
from support.eventually import soon
from support.journals import MemoryJournal
from support.server import Node, server_over

NOT_YET = Error("not_allowed", "No game has ended yet.")


class Tally(Request):
    """Get how many games have ended by each reason."""

    type: Literal["tally"]


def feature(server: Server) -> Feature:
    """The ends of games that this node has seen."""
    ended: Counter[str] = Counter()
    seen: list[str] = []

    def tell(client: Client, request: Tally) -> None:
        if not ended:
            raise Problem(NOT_YET)
        client.send(answer("tally", request.id, {"ended": dict(ended), "seen": seen}))

    def on_end(update: RoomUpdate) -> None:
        assert update.room.outcome is not None
        ended[update.room.outcome.reason] += 1

    async def look() -> None:
        seen.append("looked")

    return Feature(
        requests={Tally: tell},
        updates={GameOver: on_end},
        hints={Drain: lambda hint: seen.append(hint.to)},
        on_client_gone=lambda client: seen.append(client.player.name),
        loops=(look,),
        drain=lambda: seen.append("drained"),
        readings=(Reading("ends_total", "Games that ended.", ended.total),),
    )


async def test_a_feature_is_added_from_outside() -> None:
    host = Host(MemoryJournal(), MemoryBus("node"))
    server = server_over(host)
    server.use([feature(server)])
    gateway = Gateway(server)
    async with gateway.serving() as listening:
        node = Node(f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}/ws", gateway)
        for loop in server.features[-1].loops:
            await loop()
        host.bus.listeners[0](Drain("other"))
        async with connected(node.url, "ann") as ann:
            refusal = await ann.request(type="tally")
            assert (refusal["code"], refusal["message"]) == ("not_allowed", "No game has ended yet.")
            room = await ann.create()
            await ann.ok(type="abort", room=room)
            assert (await ann.request(type="tally"))["ended"] == {"aborted": 1}
            assert "tally?" in (await ann.request(type="taly"))["message"]
        async with connected(node.url, "ben") as ben:
            await soon(lambda: server.host.room(room) is None)
            assert (await ben.request(type="tally"))["seen"] == ["looked", "other", "ann"]
            assert await ben.refused(type="tally", room=room) == "bad_message"
        await soon(lambda: not gateway.entrance.clients)
    await server.close()
    (reading,) = server.features[-1].readings
    assert (reading.name, reading.read()) == ("ends_total", 1)


async def test_two_features_cannot_take_one_request() -> None:
    server = server_over(Host(MemoryJournal(), MemoryBus("node")))
    with pytest.raises(ValueError, match="Ping has two handlers"):
        server.use([Feature(requests={Ping: lambda _client, _request: None})])
