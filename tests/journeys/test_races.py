"""Conflicting requests at the same time: one wins, and the others are refused."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from support.client import Json, connected
from support.server import running_server


async def test_two_players_race_for_a_seat() -> None:
    async with running_server() as url, AsyncExitStack() as stack:
        host, *rivals = [await stack.enter_async_context(connected(url, name)) for name in ("ann", "ben", "cleo")]
        for _ in range(20):
            room = await host.create()
            answers = await asyncio.gather(*(rival.request(type="join", room=room) for rival in rivals))
            assert sorted(answer.get("code", "ok") for answer in answers) == ["ok", "seat_taken"]
            assert (await host.push("update"))["event"]["kind"] == "joined"
            await host.quiet()
            for rival in rivals:
                rival.pushed.clear()


async def test_one_player_races_for_both_seats_with_two_connections() -> None:
    async with (
        running_server() as url,
        connected(url, "host") as host,
        connected(url, "ann") as ann,
        connected(url, token=ann.token) as twin,
    ):
        room = await host.create("open", "open")
        first, second = await asyncio.gather(
            ann.request(type="join", room=room, seat="first"), twin.request(type="join", room=room, seat="second")
        )
        assert sorted([first.get("code", "ok"), second.get("code", "ok")]) == ["not_allowed", "ok"]


async def test_both_players_move_at_the_same_turn() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        for turn, move in enumerate("12"):
            by_ann, by_ben = await asyncio.gather(ann.play(room, turn, move), ben.play(room, turn, move))
            mover, other = (by_ann, by_ben) if turn % 2 == 0 else (by_ben, by_ann)
            assert mover["type"] == "ok"
            assert other["code"] in ("not_your_turn", "stale")
        assert [(await ann.push("update"))["version"] for _ in range(3)] == [2, 3, 4]
        await ann.quiet()


async def test_a_move_sent_a_hundred_times_is_played_once() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        for number in range(100):
            await ann.send(type="play", id=f"n{number}", room=room, turn=0, move="5")
        answers: list[Json] = []
        while len(answers) < 100:
            message = await ann.receive()
            if "id" in message:
                answers.append(message)
        assert {(answer["type"], answer["version"]) for answer in answers} == {("ok", 3)}
        assert (await ben.push("update"))["version"] == 3
        await ben.quiet()
        assert await ann.refused(type="play", room=room, turn=0, move="6") == "stale"


async def test_a_client_that_goes_away_in_the_middle_changes_nothing() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await ann.create()
        await ben.join(room)
        await ann.send(type="play", room=room, turn=0, move="5")
        ann.socket.transport.abort()
        assert (await ben.push("update"))["event"]["move"] == "5"
        assert (await ben.play(room, 1, "1"))["type"] == "ok"
