"""Requests about rooms: the order of answers, the limits, and what clients get when the journal fails."""

from __future__ import annotations

import asyncio

from noughts.timing import Timing
from support.client import connected, farewell
from support.eventually import soon
from support.faulty import Faulty, FaultyPut
from support.journals import MemoryJournal
from support.server import running_gateway, running_server

QUICK = Timing(journal_retries_s=(0.01, 0.01), sweep_s=0.05, room_recheck_s=0.05)


# --- the order of answers


async def test_create_join_and_watch_are_answered_before_the_room_is_sent() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await ann.send(type="create", id="c", game="tictactoe", seats={"first": "me", "second": "open"})
        answer, room = await ann.receive(), await ann.receive()
        assert (answer["type"], answer["id"], answer["seat"]) == ("ok", "c", "first")
        assert (room["type"], room["room"], room["version"]) == ("room", answer["room"], 1)
        await ben.send(type="watch", id="w", room=room["room"])
        assert [(await ben.receive())["type"] for _ in range(2)] == ["ok", "room"]
        await ben.send(type="join", id="j", room=room["room"])
        answer, joined = await ben.receive(), await ben.receive()
        assert (answer["type"], answer["id"], answer["seat"]) == ("ok", "j", "second")
        assert (joined["type"], joined["version"]) == ("room", 2)
        await ben.quiet()
        await ann.push("spectators")
        assert (await ann.push("update"))["event"]["kind"] == "joined"


async def test_leave_does_not_overtake_watch() -> None:
    journal = MemoryJournal()
    read = Faulty(journal, "read")
    async with (
        running_gateway(journal) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "eve") as eve,
    ):
        room = await ann.create()
        await ann.ok(type="leave", room=room)
        read.slow_s = 0.05
        await eve.send(type="watch", id="w", room=room)
        await eve.send(type="leave", id="l", room=room)
        answers = [await eve.receive() for _ in range(3)]
        assert [answer.get("id", answer["type"]) for answer in answers] == ["w", "room", "l"]
        await ann.request(type="ping")
        assert len(node.host) == 0


# --- limits


async def test_a_client_can_watch_only_so_many_rooms() -> None:
    async with running_server(rooms_per_connection=2) as url, connected(url, "ann") as ann, connected(url) as eve:
        rooms = [await ann.create("open", "open") for _ in range(2)]
        async with connected(url, "ben") as ben:
            third = await ben.create()
        for room in rooms:
            await eve.ok(type="watch", room=room)
        for request in ("watch", "join"):
            assert await eve.refused(type=request, room=third) == "room_limit"
        assert await eve.refused(type="create", game="tictactoe") == "room_limit"
        await eve.ok(type="join", room=rooms[0])  # which it watches already
        await eve.ok(type="leave", room=rooms[1])
        await eve.ok(type="watch", room=third)


async def test_rooms_joined_at_once_count_before_they_are_entered() -> None:
    journal = MemoryJournal()
    append = FaultyPut(journal).faulty
    async with (
        running_gateway(journal, rooms_per_connection=2) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "eve") as eve,
    ):
        rooms = [await ann.create("open", "open") for _ in range(2)]
        async with connected(node.url, "ben") as ben:
            rooms.append(await ben.create("open", "open"))
        append.gate.clear()
        for number, room in enumerate(rooms):
            await eve.send(type="join", id=number, room=room)
        refusal = await eve.receive()
        assert (refusal["id"], refusal["code"]) == (2, "room_limit")
        append.gate.set()
        answers = [await eve.push("ok") for _ in range(2)]
        assert {answer["id"] for answer in answers} == {0, 1}


# --- when the journal fails


async def test_an_unknown_outcome_ends_the_connection_with_1013() -> None:
    journal = MemoryJournal()
    append = FaultyPut(journal).faulty
    async with (
        running_gateway(journal, timing=QUICK) as node,
        connected(node.url, "ann") as ann,
        connected(node.url, "ben") as ben,
    ):
        room = await ann.create()
        await ben.join(room)
        append.faults = ["lost"] * 2 + ["answer lost"]
        assert await ann.refused(type="play", room=room, turn=0, move="5") == "overloaded"
        assert (await farewell(ann))[1:] == (1013, "try again later")
        assert (await ben.push("update"))["event"]["move"] == "5", "it was stored after all"
        async with connected(node.url, token=ann.token) as again:
            assert (await again.play(room, 0, "5"))["version"] == 3


async def test_in_an_outage_requests_do_not_wait_for_each_other() -> None:
    journal = MemoryJournal()
    append = FaultyPut(journal).faulty
    async with running_gateway(journal, timing=QUICK) as node, connected(node.url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        append.faults = ["lost"] * 100
        for _ in range(30):
            await ann.send(type="play", room=room, turn=0, move="5")
        messages, close_code, _ = await farewell(ann)
        assert ({message["code"] for message in messages}, close_code) == ({"overloaded"}, 1013)
        assert len(append.calls) < 30, "thirty moves that were each retried would take ninety attempts"


async def test_a_player_who_returns_while_noted_as_gone_is_online() -> None:
    journal = MemoryJournal()
    read = Faulty(journal, "read")
    timing = Timing(presence_answer_s=0.01)
    async with running_gateway(journal, timing=timing, away_s=0.05) as node, connected(node.url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        await ann.ok(type="leave", room=room)
        read.gate.clear()
        await ann.send(type="watch", id="w", room=room)
        await asyncio.sleep(0.15)  # the room is being loaded, and meanwhile the time is up
        read.gate.set()
        assert (await ann.receive())["id"] == "w"
        await soon(lambda: _is_online(node.host.room(room)))
        await asyncio.sleep(0.1)
        ann.pushed.clear()
        await ann.ok(type="watch", room=room)
        while (message := await ann.push())["type"] != "room":
            pass
        assert message["state"]["seats"]["first"]["online"] is True


def _is_online(room: object) -> bool:
    return room is not None and not getattr(room, "away", None)


async def test_the_strongest_computer_is_best_in_every_game() -> None:
    async with running_server() as url, connected(url, None) as player:
        for game, level in (("tictactoe", "perfect"), ("reversi", "best")):
            seats = {"first": "me", "second": "computer:best"}
            room = (await player.ok(type="create", game=game, seats=seats))["room"]
            snapshot = await player.push("room")
            assert snapshot["room"] == room
            seat = snapshot["state"]["seats"]["second"]
            assert (seat["id"], seat["name"]) == (f"computer:{level}", "computer")
