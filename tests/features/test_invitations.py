from __future__ import annotations

import asyncio
import secrets

import pytest

from gateway.test_subscribers import read_again, shrink_kernel_buffers, slow_reader, stop_reading
from noughts.bus import Hub, Invited, MemoryBus
from noughts.features.invitations import Invitations
from noughts.journal import FOREVER
from support.broker import Broker
from support.client import Client, Json, connected
from support.eventually import soon
from support.journals import MemoryJournal
from support.postgres import Postgres, database
from support.server import Node, running_gateway, running_server


async def invitations(client: Client) -> list[Json]:
    """Those that the client has got since the last call."""
    assert (await client.request(type="ping"))["type"] == "pong"
    messages, client.pushed = client.pushed, []
    return [message for message in messages if message["type"] == "invitation"]


async def test_an_invited_player_hears_of_it_on_every_connection_and_joins() -> None:
    async with (
        running_server() as url,
        connected(url, "ann") as ann,
        connected(url, "ben", bot=True) as ben,
        connected(url, token=ben.token) as also_ben,
        connected(url, "eve") as eve,
    ):
        room = await ann.create(private=True)
        answer = await ann.request(type="invite", room=room, player=ben.id)
        assert answer == {"type": "ok", "id": answer["id"]}
        (invitation,) = await invitations(ben)
        assert invitation == {
            "type": "invitation",
            "room": room,
            "game": "tictactoe",
            "seats": {"first": {"id": ann.id, "name": "ann", "kind": "human", "online": True}, "second": None},
            "options": {"private": True, "rated": False, "clock": None},
            "by": {"id": ann.id, "name": "ann", "kind": "human"},
        }
        assert await invitations(also_ben) == [invitation]
        assert await invitations(eve) == await invitations(ann) == []
        assert (await also_ben.join(room))["state"]["status"] == "playing"


async def test_who_opened_a_room_can_fill_it_without_a_seat() -> None:
    async with (
        running_server() as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
        connected(url, "cid") as cid,
    ):
        room = await ann.create("open", "open")
        for player in (ben, cid):
            await ann.ok(type="invite", room=room, player=player.id)
            assert len(await invitations(player)) == 1
            await player.join(room)


async def test_an_invitation_needs_a_room_of_ones_own_with_an_open_seat() -> None:
    async with (
        running_server() as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
        connected(url, "eve") as eve,
    ):
        room = await ann.create()
        assert await ann.refused(type="invite", room="nowhere", player=ben.id) == "unknown_room"
        await eve.ok(type="watch", room=room)
        assert await eve.refused(type="invite", room=room, player=ben.id) == "not_allowed"
        await ben.join(room)
        for player in (ann, ben):
            assert await player.refused(type="invite", room=room, player=eve.id) == "seat_taken"
        await ann.ok(type="abort", room=room)
        assert await ann.refused(type="invite", room=room, player=eve.id) == "game_over"
        assert await invitations(eve) == await invitations(ben) == []


async def test_a_room_that_nobody_watches_is_read() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann, connected(node.url, "ben") as ben:
        room = await ann.create()
        await ann.ok(type="leave", room=room)
        await soon(lambda: room not in node.host.at_hand)
        await ann.ok(type="invite", room=room, player=ben.id)
        assert [each["room"] for each in await invitations(ben)] == [room]


async def test_a_muted_player_cannot_invite() -> None:
    journal = MemoryJournal()
    async with running_gateway(journal) as node, connected(node.url, "ann") as ann, connected(node.url, "ben") as ben:
        room = await ann.create()
        await journal.people.mute(ann.id, FOREVER)
        async with connected(node.url, token=ann.token) as muted:
            refusal = await muted.request(type="invite", room=room, player=ben.id)
            assert (refusal["code"], refusal["message"]) == ("not_allowed", "You are muted permanently.")
        assert await invitations(ben) == []


def limit(node: Node, **limits: tuple[float, int]) -> None:
    """Give the invitations of ``node`` other limits, each a rate per second and a burst."""
    mine, other = node.part(Invitations), Invitations(node.server, **limits)
    mine._by, mine._from, mine._to = other._by, other._from, other._to


async def test_a_player_sends_and_gets_a_limited_number() -> None:
    async with (
        running_gateway() as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "ben") as ben,
        connected(node.url, "cid") as cid,
    ):
        rooms = {client: await client.create() for client in (ann, ben)}
        limit(node, by_player=(0.001, 2), to_player=(0.001, 3))
        for _ in range(2):
            await ann.ok(type="invite", room=rooms[ann], player=cid.id)
        refusal = await ann.request(type="invite", room=rooms[ann], player=ben.id)
        assert (refusal["code"], 990 < refusal["retry_after_s"] <= 1000) == ("rate_limited", True)
        await ben.ok(type="invite", room=rooms[ben], player=cid.id)
        assert await ben.refused(type="invite", room=rooms[ben], player=cid.id) == "rate_limited"
        assert len(await invitations(cid)) == 3
        assert node.host.monitor.limited["invitations"] == 2


async def test_players_of_one_address_share_what_it_may_send() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann, connected(node.url, "ben") as ben:
        rooms = {client: await client.create() for client in (ann, ben)}
        limit(node, by_address=(0.001, 2))
        await ann.ok(type="invite", room=rooms[ann], player="p-1")
        await ann.ok(type="invite", room=rooms[ann], player="p-2")
        refusal = await ben.request(type="invite", room=rooms[ben], player="p-3")
        assert (refusal["code"], 990 < refusal["retry_after_s"] <= 1000) == ("rate_limited", True)


async def test_a_client_that_reads_too_slowly_is_sent_none() -> None:
    async with running_gateway(update_backlog_bytes=4096) as node, connected(node.url, "ann") as ann:
        shrink_kernel_buffers(node.url)
        limit(node, by_player=(1e6, 10_000), by_address=(1e6, 10_000), to_player=(1e6, 10_000))
        async with slow_reader(node.url) as slow:
            room = await ann.create()
            stop_reading(slow)
            while not node.host.monitor.limited["update_backlog_bytes"]:
                await ann.ok(type="invite", room=room, player=slow.id)
            for _ in range(300):
                await ann.ok(type="invite", room=room, player=slow.id)
            read_again(slow)
            # It was sent what filled its buffers, and nothing after that.
            unread = len(await invitations(slow))
            assert 0 < unread < node.host.monitor.requests["invite"] - 200


async def test_an_invitation_goes_to_other_nodes_and_comes_from_them() -> None:
    hub = Hub()
    other = MemoryBus("other", hub)
    sent: list[object] = []
    other.listeners.append(sent.append)
    async with (
        running_gateway(bus=MemoryBus("node", hub)) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "ben") as ben,
    ):
        room = await ann.create()
        await ann.ok(type="invite", room=room, player="p-elsewhere")
        await soon(lambda: any(isinstance(hint, Invited) and hint.player == "p-elsewhere" for hint in sent))
        other.send(Invited(ben.id, b'{"type":"invitation","room":"theirs"}'))
        assert await ben.push("invitation") == {"type": "invitation", "room": "theirs"}


@pytest.mark.services
async def test_an_invitation_reaches_a_player_at_another_node(broker: Broker, postgres: Postgres) -> None:
    prefix = f"tests/{secrets.token_hex(8)}"
    async with (
        database(postgres) as journal,
        running_server(journal=journal, bus=broker.url, bus_prefix=prefix) as one,
        running_server(journal=journal, bus=broker.url, bus_prefix=prefix) as two,
        connected(one, "ann") as ann,
        connected(two, "ben") as ben,
    ):
        room = await ann.create()

        async def invite() -> None:
            while True:  # the nodes may not know each other yet
                await ann.ok(type="invite", room=room, player=ben.id)
                await asyncio.sleep(1)

        inviting = asyncio.create_task(invite())
        assert (await ben.push("invitation"))["room"] == room
        inviting.cancel()
        assert (await ben.join(room))["state"]["status"] == "playing"
