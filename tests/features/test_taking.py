"""An open seek is taken by one player, at once, on the terms that its player asked for."""

from __future__ import annotations

import asyncio

import pytest

from noughts.bus import Hub, MemoryBus
from noughts.features.lobby import Lobby
from noughts.features.matchmaking import Matchmaker
from noughts.journal.steady_clock import system_time
from noughts.protocol.contract import MESSAGES
from noughts.timing import Timing
from support.client import Client, Json, connected
from support.eventually import soon
from support.faulty import Faulty
from support.journals import MemoryJournal
from support.server import Node, running_gateway

BLITZ = {"initial_s": 180, "increment_s": 2}


async def seeks(client: Client, game: str | None = None) -> list[Json]:
    """The open seeks in the lobby."""
    answer = await client.ok(type="lobby", game=game)
    MESSAGES.validate_python(answer)
    found: list[Json] = answer["seeks"]
    return found


async def seek_of(client: Client, watcher: Client, **terms: object) -> str:
    """Have ``client`` seek; the id of its seek."""
    await client.ok(type="seek", **{"game": "tictactoe", **terms})
    (name,) = [one["seek"] for one in await seeks(watcher) if one["player"]["id"] == client.id]
    return str(name)


def players(room: Json) -> set[str]:
    return {seat["id"] for seat in room["state"]["seats"].values()}


def pending(node: Node) -> set[str]:
    """The players who seek on this node."""
    return set(node.part(Matchmaker)._seeks)


async def test_a_taker_plays_the_seeker_on_the_seekers_terms() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann, connected(node.url, "bob") as bob:
        name = await seek_of(ann, bob, game="reversi", clock=BLITZ)
        answer = await bob.ok(type="take", seek=name)
        one, other = await ann.push("room"), await bob.push("room")
        assert answer["room"] == one["room"] == other["room"]
        assert (one["game"], one["state"]["status"]) == ("reversi", "playing")
        assert one["options"] == {"private": False, "rated": False, "clock": BLITZ}
        assert players(one) == {ann.id, bob.id}
        assert await seeks(bob) == []
        assert not pending(node)
        assert (await bob.ok(type="take", seek=name))["room"] == one["room"], "the answer may have been lost"
        assert (await bob.push("room"))["room"] == one["room"]
        await ann.quiet()


async def test_the_seek_is_shown_with_its_terms_and_without_its_key() -> None:
    async with running_gateway() as node, connected(node.url, "ann", bot=True) as ann, connected(node.url) as bob:
        await ann.ok(type="seek", game="connect4", clock={"per_move_s": 10}, key="secret of ann")
        (shown,) = await seeks(bob)
        assert "secret" not in str(shown)
        assert shown["player"] == {"id": ann.id, "name": "ann", "kind": "bot"}
        assert (shown["game"], shown["clock"], shown["rated"]) == ("connect4", {"per_move_s": 10}, False)
        assert [one["seek"] for one in await seeks(bob, "connect4")] == [shown["seek"]]
        assert await seeks(bob, "tictactoe") == []


async def test_of_two_takers_one_gets_the_game_and_the_other_goes_on_seeking() -> None:
    journal = MemoryJournal()
    async with (
        running_gateway(journal) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        connected(node.url, "eve") as eve,
    ):
        name = await seek_of(ann, bob)
        for client, game in ((bob, "reversi"), (eve, "gomoku")):
            await client.ok(type="seek", game=game)
        pair = Faulty(journal.seeks, "pair")
        pair.gate.clear()
        for client in (bob, eve):
            await client.send(type="take", id="take", seek=name)
        await soon(lambda: len(pair.calls) == 2)
        pair.gate.set()
        answers = {client: await client.receive() for client in (bob, eve)}
        (winner,) = [client for client, answer in answers.items() if answer["type"] == "ok"]
        (loser,) = [client for client, answer in answers.items() if answer.get("code") == "unknown_seek"]
        assert players(await ann.push("room")) == players(await winner.push("room")) == {ann.id, winner.id}
        assert pending(node) == {loser.id}
        assert [one["player"]["id"] for one in await seeks(loser)] == [loser.id]
        await loser.quiet()


async def test_a_seek_taken_while_the_taker_seeks_too_ends_the_takers_seek() -> None:
    async with (
        running_gateway() as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        connected(node.url, token=bob.token) as tablet,
    ):
        name = await seek_of(ann, bob)
        await tablet.ok(type="seek", game="reversi", key="mine")
        await bob.ok(type="take", seek=name)
        assert await tablet.push() == {"type": "seek_ended", "key": "mine", "game": "reversi"}
        assert not pending(node)
        assert await seeks(bob) == []


async def test_what_cannot_be_taken_is_refused_and_a_seek_goes_on() -> None:
    async with running_gateway() as node, connected(node.url, "ann") as ann, connected(node.url, "bob") as bob:
        await ann.ok(type="register")
        name = await seek_of(ann, bob, clock=BLITZ, rated=True)
        await bob.ok(type="seek", game="reversi")
        assert await ann.refused(type="take", seek=name) == "not_allowed"
        assert await bob.refused(type="take", seek=name) == "not_allowed", "rated, and not registered"
        for odd in ("", "x", f"{ann.id}.", f"{ann.id}.aaaaaaaaaaaaa", f"{name}x", "p-nobody.aaaaaaaaaaaaa"):
            assert await bob.refused(type="take", seek=odd) == "unknown_seek"
        assert pending(node) == {ann.id, bob.id}
        await ann.ok(type="seek", game="reversi")  # other terms: another seek
        assert await bob.refused(type="take", seek=name) == "unknown_seek"
        other = await seek_of(ann, bob)
        await node.host.journal.people.ban(ann.id, 2**50)
        assert await bob.refused(type="take", seek=other) == "unknown_seek"
        assert [one["player"]["name"] for one in await seeks(bob)] == ["bob"]
        await bob.quiet()


async def test_a_taker_needs_room_for_one_more_game() -> None:
    async with running_gateway(rooms_per_player=1) as node, connected(node.url) as ann, connected(node.url) as bob:
        name = await seek_of(ann, bob)
        await bob.create()
        assert await bob.refused(type="take", seek=name) == "room_limit"
        assert pending(node) == {ann.id}


class Shared(MemoryJournal):
    """A journal that several nodes share."""

    shared = True

    def __init__(self) -> None:
        super().__init__(system_time)


async def test_a_taker_whose_own_seek_was_just_taken_enters_that_room_instead() -> None:
    journal = Shared()
    async with (
        running_gateway(journal, MemoryBus("here", alone=False)) as here,
        running_gateway(journal, MemoryBus("there", alone=False)) as there,
        connected(here.url, "ann") as ann,
        connected(there.url, "bob") as bob,
        connected(there.url, "eve") as eve,
    ):
        name, other = await seek_of(ann, bob), await seek_of(eve, bob, game="reversi")
        room = (await bob.ok(type="take", seek=name))["room"]
        await ann.quiet()  # her node does not know yet
        assert await ann.refused(type="take", seek=other) == "not_allowed"
        assert (await ann.push("room"))["room"] == room
        assert [one["seek"] for one in await seeks(bob)] == [other]


@pytest.mark.parametrize("alone", [False, True], ids=["with a bus", "without a bus"])
async def test_a_seek_of_another_node_can_be_taken(alone: bool) -> None:
    hub, journal = Hub(), Shared()
    timing = Timing(lobby_list_s=0, seek_round_s=0.02, seek_batch_s=0.005, seek_renew_s=0.02)
    one_bus, other_bus = (
        (MemoryBus("here", alone=False), MemoryBus("there", alone=False))
        if alone
        else (MemoryBus("here", hub), MemoryBus("there", hub))
    )
    async with (
        running_gateway(journal, one_bus, timing=timing) as here,
        running_gateway(journal, other_bus, timing=timing) as there,
        connected(here.url, "ann") as ann,
        connected(there.url, "bob") as bob,
    ):
        rounds = [asyncio.create_task(node.part(Matchmaker).run()) for node in (here, there)]
        name = await seek_of(ann, bob, clock=BLITZ)
        room = (await bob.ok(type="take", seek=name))["room"]
        assert (await bob.push("room"))["room"] == (await ann.push("room"))["room"] == room
        for task in rounds:
            task.cancel()


async def test_watchers_of_the_lobby_are_told_of_seeks_that_come_and_go() -> None:
    timing = Timing(lobby_list_s=60, lobby_changes_s=0.01)
    async with (
        running_gateway(timing=timing) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "bob") as bob,
        connected(node.url, "eve") as eve,
    ):
        running = asyncio.create_task(node.part(Lobby).run())
        await ann.ok(type="seek", game="reversi")
        assert [one["player"]["name"] for one in (await bob.ok(type="lobby", watch=True))["seeks"]] == ["ann"]
        await eve.ok(type="lobby", watch=True, game="gomoku")
        await ann.ok(type="seek", game="tictactoe")
        changes = await bob.push("lobby")
        MESSAGES.validate_python(changes)
        assert (changes["rooms"], [one["game"] for one in changes["seeks"]], len(changes["gone"])) == (
            [],
            ["tictactoe"],
            1,
        )
        await ann.ok(type="unseek")
        gone = await bob.push("lobby")
        assert (gone["seeks"], gone["gone"]) == ([], [changes["seeks"][0]["seek"]])
        assert (await ann.ok(type="lobby", watch=True))["seeks"] == [], "an old list of rooms, but the seeks of now"
        await eve.quiet()
        await bob.ok(type="lobby", watch=False)
        await ann.ok(type="lobby", watch=False)
        await eve.ok(type="lobby", watch=False)
        asked = Faulty(node.host.journal.seeks, "open")
        await asyncio.sleep(0.05)
        assert asked.calls == [], "nobody looks"
        running.cancel()
