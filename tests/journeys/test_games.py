"""Whole games over real sockets: people, the computer, two computers, and many spectators."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.client import Client, Json, connected
from support.proxy import proxied
from support.server import QUICK, ServerProcess, running_server

BUSY_LOBBY = replace(QUICK, lobby_changes_s=0.1)
"""Tells of changes in the lobby ten times a second."""


async def play_to_the_end(client: Client, room: str, snapshot: Json, rng: random.Random) -> list[Json]:
    """Play whenever it is our turn. Returns all updates."""
    seats = snapshot["state"]["seats"]
    side = next(side for side, seat in seats.items() if seat and seat["id"] == client.id)
    message, updates = snapshot, []
    while message["state"]["status"] != "over":
        state = message["state"]
        if state["to_move"] == side:
            answer = await client.play(room, state["turn"], rng.choice(state["legal_moves"]))
            assert answer["type"] == "ok", answer
            # The mover's update comes before the answer.
            assert answer["version"] in [update["version"] for update in client.pushed if update["type"] == "update"]
        message = await client.push("update")
        assert message["room"] == room
        updates.append(message)
    return updates


async def follow(client: Client, room: str, **since: Any) -> list[Json]:
    """Watch a room to its end. Returns the first snapshot or update and all updates after it."""
    answer = await client.ok(type="watch", room=room, **since)
    seen: list[Json] = []
    while not seen or seen[-1]["state"]["status"] != "over":
        if (message := await client.push())["type"] != "spectators":
            seen.append(message)
    assert seen[0]["version"] <= answer["version"]
    return seen


def assert_in_order(seen: list[Json]) -> None:
    versions = [message["version"] for message in seen]
    assert versions == list(range(versions[0], versions[0] + len(versions)))


@pytest.mark.parametrize("loop", ["asyncio", pytest.param("uvloop", marks=[pytest.mark.slow, pytest.mark.smoke])])
async def test_people_computers_and_fifty_spectators(loop: str, tmp_path: Path) -> None:
    """Two people with 50 spectators, a person against the computer and two computers, all at once."""
    async with AsyncExitStack() as stack:
        if loop == "asyncio":
            url = await stack.enter_async_context(running_server(journal=str(tmp_path / "journal")))
        else:
            server = ServerProcess(tmp_path / "journal", tmp_path / "log")
            url = (await stack.enter_async_context(server)).url

        async def enter(name: str) -> Client:
            return await stack.enter_async_context(connected(url, name))

        ann, ben, cleo = await enter("ann"), await enter("ben"), await enter("cleo")
        room = await ann.create()
        early = [asyncio.create_task(follow(await enter(f"s{i}"), room, since=0)) for i in range(25)]
        snapshot = await ben.join(room)
        at_join = await ann.push("update")
        assert at_join["event"]["kind"] == "joined"
        assert at_join["version"] == snapshot["version"] == 2

        solo = await cleo.create(second="computer:perfect")
        solo_room = await cleo.ok(type="watch", room=solo)
        assert solo_room["seat"] == "first"
        solo_snapshot = await cleo.push("room")
        machines = await (await enter("dan")).ok(
            type="create",
            game="tictactoe",
            seats={"first": "computer:easy", "second": "computer:perfect"},
        )

        rng = random.Random(7)
        games = asyncio.gather(
            play_to_the_end(ann, room, at_join, rng),
            play_to_the_end(ben, room, snapshot, rng),
            play_to_the_end(cleo, solo, solo_snapshot, rng),
            follow(await enter("eve"), machines["room"], since=0),
        )
        # Some spectators join during the game, some resume, and some join after its end.
        late = [asyncio.create_task(follow(await enter(f"l{i}"), room, since=i % 3 or None)) for i in range(20)]
        by_ann, by_ben, by_cleo, of_machines = await games
        later = [asyncio.create_task(follow(await enter(f"x{i}"), room, since=2)) for i in range(5)]
        spectated = await asyncio.gather(*early, *late, *later)

        updates = {message["version"]: message for message in spectated[0]}
        assert by_ann == by_ben == [updates[version] for version in sorted(updates) if version > 2]
        assert list(updates) == list(range(1, 3 + len(by_ann)))
        for seen in spectated:
            assert_in_order(seen)
            assert seen[-1]["version"] == max(updates)
            for message in seen:
                if message["type"] == "update":
                    assert message == updates[message["version"]]
                else:
                    assert message["state"] == updates[message["version"]]["state"]
        assert by_cleo[-1]["state"]["outcome"]["winner"] != "first", "the perfect computer lost"
        assert_in_order(by_cleo)
        assert_in_order(of_machines)
        assert of_machines[-1]["state"]["outcome"]["winner"] != "first", "the perfect computer lost"
        assert len(of_machines[-1]["state"]["moves"]) >= 5


async def test_a_private_room_can_be_joined_only_by_its_id() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await ben.ok(type="lobby", watch=True)
        public = await ann.create()
        private = await ann.create(private=True)
        changes = await ben.push("lobby")
        assert [listed["room"] for listed in changes["rooms"]] == [public]
        listed = await ben.ok(type="lobby")
        assert [entry["room"] for entry in listed["rooms"]] == [public]
        assert (await ben.join(private))["options"]["private"] is True


async def test_the_lobby_lists_rooms_that_open_start_and_end() -> None:
    async with running_server(timing=BUSY_LOBBY) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        assert (await ben.ok(type="lobby", watch=True, game="tictactoe"))["rooms"] == []
        assert await ann.refused(type="lobby", watch=True, game="shogi") == "unknown_game"
        room = await ann.create()
        (opened,) = (await ben.push("lobby"))["rooms"]
        assert (opened["room"], opened["status"]) == (room, "waiting")
        assert opened["seats"]["second"] is None
        snapshot = await ben.join(room)
        (started,) = (await ben.push("lobby"))["rooms"]
        assert started["status"] == "playing"
        assert started["seats"] == snapshot["state"]["seats"]
        await ann.play(room, 0, "5")
        await ann.ok(type="resign", room=room)
        (over,) = (await ben.push("lobby"))["rooms"]
        assert (over["status"], over["outcome"]["reason"]) == ("over", "resignation")
        assert (await ben.ok(type="lobby"))["rooms"] == [over]
        assert [message["type"] for message in ann.pushed] == ["update"] * 3


async def test_a_rematch_swaps_sides_and_keeps_all_clients() -> None:
    async with (
        running_server() as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
        connected(url, "eve") as eve,
        connected(url, "fay") as fay,
    ):
        room = await ann.create()
        await ben.join(room)
        for spectator in (eve, fay):
            await spectator.ok(type="watch", room=room)
        await fay.ok(type="leave", room=room)
        await ann.ok(type="resign", room=room)
        await ann.ok(type="offer_rematch", room=room)
        await ben.push("update")
        offered = await ben.push("update")
        assert offered["state"]["offers"] == [{"side": "first", "offer": "rematch"}]
        await ben.ok(type="accept_rematch", room=room)
        for member in (ann, ben, eve):
            while (last := await member.push("update"))["event"]["kind"] != "rematched":
                pass
            following = await member.push("room")
            assert following["room"] == last["event"]["next"] == last["state"]["next"]
            assert following["previous"] == room
            assert following["state"]["seats"]["first"]["name"] == "ben"
            assert following["state"]["seats"]["second"]["name"] == "ann"
            assert following["state"]["status"] == "playing"
        fay.pushed.clear()
        await fay.quiet()
        assert (await ben.play(following["room"], 0, "5"))["type"] == "ok"
        assert (await eve.push("update"))["state"]["rows"] == ["...", ".x.", "..."]


async def test_the_computer_agrees_to_a_rematch_and_begins_it() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        await ann.ok(type="resign", room=room)
        await ann.ok(type="offer_rematch", room=room)
        following = await ann.push("room")
        assert following["state"]["seats"]["first"]["kind"] == "computer"
        assert (await ann.push("update"))["event"]["side"] == "first"


async def test_a_player_without_a_connection_counts_as_away_until_it_returns() -> None:
    async with running_server(away_s=0.2) as url, connected(url, "ann") as ann:
        async with connected(url, "ben") as ben:
            room = await ann.create()
            await ben.join(room)
            token = ben.token
        await ann.push("update")
        left = await ann.push("update")
        assert left["event"] == {"kind": "disconnected", "side": "second"}
        assert left["state"]["seats"]["second"]["online"] is False
        async with connected(url, token=token) as again:
            answer = await again.ok(type="watch", room=room, since=left["version"])
            assert answer["seat"] == "second"
            back = await ann.push("update")
            assert back["event"] == {"kind": "returned", "side": "second"}
            assert (await again.push("update")) == back


async def test_a_player_whose_network_is_dead_counts_as_away_until_it_is_heard_again() -> None:
    """No connection ends: what is sent reaches nobody, as after the loss of a phone's signal."""
    async with (
        running_server(timing=replace(QUICK, keepalive_s=2)) as url,
        connected(url, "ann") as ann,
        proxied(url) as proxy,
        connected(proxy.url, "ben") as ben,
    ):
        room = await ann.create()
        await ben.join(room)
        await ann.push("update")
        proxy.frozen = True
        assert (await ann.push("update"))["event"] == {"kind": "disconnected", "side": "second"}
        proxy.frozen = False
        await ben.ok(type="watch", room=room)
        assert (await ann.push("update"))["event"] == {"kind": "returned", "side": "second"}


async def test_players_learn_of_an_opponent_that_leaves_after_the_end() -> None:
    async with running_server(away_s=0.1) as url, connected(url, "ann") as ann:
        async with connected(url, "ben") as ben:
            room = await ann.create()
            await ben.join(room)
            await ben.ok(type="resign", room=room)
        while (last := await ann.push("update"))["event"]["kind"] != "disconnected":
            pass
        assert last["state"]["status"] == "over"
        await ann.ok(type="leave", room=room)
        await asyncio.sleep(0.3)
        async with connected(url, "eve") as eve:
            await eve.ok(type="watch", room=room)
            assert (await eve.push("room"))["version"] == last["version"], "her absence is not recorded"


async def test_a_waiting_room_is_not_listed_while_its_player_is_away() -> None:
    async with (
        running_server(timing=BUSY_LOBBY, away_s=0.1) as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
    ):
        await ben.ok(type="lobby", watch=True)
        room = await ann.create()
        await ben.push("lobby")
        await ann.ok(type="leave", room=room)
        (away,) = (await ben.push("lobby"))["rooms"]
        assert away["seats"]["first"]["online"] is False
        assert (await ben.ok(type="lobby", watch=True))["rooms"] == []
        await ann.ok(type="watch", room=room)
        (back,) = (await ben.push("lobby"))["rooms"]
        assert back["seats"]["first"]["online"] is True
        assert [listed["room"] for listed in (await ben.ok(type="lobby"))["rooms"]] == [room]


async def test_a_game_that_all_clients_left_is_not_listed() -> None:
    async with running_server(away_s=0.1) as url, connected(url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        machines = await ann.create("computer:easy", "open")
        assert {listed["room"] for listed in (await ann.ok(type="lobby"))["rooms"]} == {room, machines}
        await ann.ok(type="leave", room=room)
        await asyncio.sleep(0.3)
        assert [listed["room"] for listed in (await ann.ok(type="lobby"))["rooms"]] == [machines]


async def test_a_player_who_disconnects_while_joining_counts_as_away() -> None:
    async with running_server(away_s=0.1) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.send(type="join", room=room)
        ben.socket.transport.abort()
        assert (await ann.push("update"))["event"]["kind"] == "joined"
        assert (await ann.push("update"))["event"] == {"kind": "disconnected", "side": "second"}


async def test_rematches_do_not_use_up_the_limit_of_rooms() -> None:
    async with running_server(rooms_per_connection=2) as url, connected(url, "ann") as ann:
        room = await ann.create(second="computer:easy")
        for _ in range(3):
            await ann.ok(type="resign", room=room)
            await ann.ok(type="offer_rematch", room=room)
            room = (await ann.push("room"))["room"]
        await ann.create()


async def test_a_player_who_reconnects_in_time_never_counts_as_away(caplog: pytest.LogCaptureFixture) -> None:
    async with running_server(away_s=0.5) as url, connected(url, "ann") as ann:
        room = await ann.create(second="computer:perfect")
        await ann.ok(type="leave", room=room)
        async with connected(url, token=ann.token) as again:
            await again.ok(type="watch", room=room, since=0)
            await asyncio.sleep(0.8)
            assert (await again.push("update"))["event"]["kind"] == "opened"
            assert (await again.push())["type"] == "spectators"
            await again.quiet()
    assert caplog.records == []


@pytest.mark.parametrize(
    ("setting", "opponent", "clock", "reason"),
    [
        ({"waiting_s": 0.1}, "open", None, "aborted"),
        ({"first_move_s": 0.3}, "computer:easy", {"initial_s": 60, "increment_s": 0}, "aborted"),
        ({"sleeping_days": 0.2 / 86_400}, "computer:easy", None, "abandonment"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
async def test_a_room_where_nothing_happens_is_closed(
    setting: dict[str, Any], opponent: str, clock: Json | None, reason: str
) -> None:
    async with running_server(**setting) as url, connected(url) as ann:
        await ann.create(second=opponent, clock=clock)
        update = await ann.push("update")
        assert update["state"]["outcome"] == {"winner": None, "reason": reason, "cells": []}
