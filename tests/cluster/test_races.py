"""Two nodes receive conflicting requests at the same time: one wins, and both tell the same."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.client import connected
from support.cluster import cluster
from support.postgres import Postgres

pytestmark = pytest.mark.slow

ROUNDS = 20


async def test_two_moves_at_the_same_version_on_two_nodes(tmp_path: Path, postgres: Postgres) -> None:
    async with (
        cluster(tmp_path, postgres, nodes=2) as target,
        connected(target.entries[0], "ann") as ann,
        connected(target.entries[1], token=ann.token) as twin,
        connected(target.entries[1], "ben") as ben,
    ):
        taken: list[str] = []
        for _ in range(ROUNDS):
            room = await ann.create()
            await ben.join(room)
            one, two, out_of_turn = await asyncio.gather(
                ann.play(room, 0, "1"), twin.play(room, 0, "2"), ben.play(room, 0, "3")
            )
            assert sorted([one["type"], two["type"]]) == ["error", "ok"]
            accepted, refused, move = (one, two, "1") if one["type"] == "ok" else (two, one, "2")
            assert (accepted["version"], refused["code"]) == (3, "stale")
            assert out_of_turn["code"] in ("not_your_turn", "stale")
            # Both nodes send the same update.
            assert (await ann.push("update"))["event"]["kind"] == "joined"
            for client in (ann, ben):
                update = await client.push("update")
                assert (update["version"], update["event"]["move"]) == (3, move)
            taken.append(move)
        assert set(taken) == {"1", "2"}, "each node was first at least once"


async def test_the_same_move_sent_to_two_nodes_is_one_event(tmp_path: Path, postgres: Postgres) -> None:
    async with (
        cluster(tmp_path, postgres, nodes=2) as target,
        connected(target.entries[0], "ann") as ann,
        connected(target.entries[1], token=ann.token) as twin,
        connected(target.entries[1], "ben") as ben,
    ):
        for _ in range(ROUNDS):
            room = await ann.create()
            await ben.join(room)
            answers = await asyncio.gather(ann.play(room, 0, "5"), twin.play(room, 0, "5"))
            assert [(answer["type"], answer["version"]) for answer in answers] == [("ok", 3)] * 2
            assert (await ben.play(room, 1, "1"))["version"] == 4
            assert [(await ben.push("update"))["version"] for _ in range(2)] == [3, 4]
            await ben.quiet()


async def test_two_rivals_for_one_seat_on_two_nodes(tmp_path: Path, postgres: Postgres) -> None:
    async with cluster(tmp_path, postgres, nodes=2) as target, AsyncExitStack() as stack:
        entries = target.entries
        opener, *rivals = [
            await stack.enter_async_context(connected(entries[node], name))
            for node, name in ((0, "opener"), (0, "ann"), (1, "ben"))
        ]
        for _ in range(ROUNDS):
            room = await opener.create()
            answers = await asyncio.gather(*(rival.request(type="join", room=room) for rival in rivals))
            assert sorted(answer.get("code", "ok") for answer in answers) == ["ok", "seat_taken"]
            seated = next(rival for rival, answer in zip(rivals, answers, strict=True) if answer["type"] == "ok")
            event = (await opener.push("update"))["event"]
            assert (event["kind"], event["player"]["id"]) == ("joined", seated.id)
            await opener.quiet()
            for rival in rivals:
                rival.pushed.clear()


async def test_a_player_and_a_private_room_are_known_to_all_nodes(tmp_path: Path, postgres: Postgres) -> None:
    async with (
        cluster(tmp_path, postgres, nodes=2) as target,
        connected(target.entries[0], "ann") as ann,
        connected(target.entries[1], token=ann.token) as again,
    ):
        assert again.id == ann.id
        room = await ann.create(private=True)
        await again.ok(type="watch", room=room)
        assert (await again.push("room"))["state"]["seats"]["first"]["id"] == ann.id
