"""We do not share the flaws of the best-known tutorial server for this job.

The tutorial of `websockets` builds a Connect Four server and says that it is not robust. Each test is about one flaw.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.client import Client, connected
from support.server import ServerProcess, running_server


async def play_all(one: Client, two: Client, room: str, moves: str) -> None:
    for turn, move in enumerate(moves):
        assert (await (two if turn % 2 else one).play(room, turn, move))["type"] == "ok"


async def state_of(client: Client, room: str) -> object:
    """The room's state in a new snapshot."""
    await client.ok(type="watch", room=room)
    while (message := await client.push("room"))["room"] != room:
        pass
    return message["state"]


async def test_an_invitation_admits_one_player() -> None:
    """There, the join key lets in any number of people, who all play the second side."""
    async with (
        running_server(away_s=0.05) as url,
        connected(url, "one") as one,
        connected(url, "three") as three,
    ):
        room = await one.create(private=True)
        async with connected(url, "two") as two:
            await two.join(room)
            assert await three.refused(type="join", room=room) == "seat_taken"
            assert await three.refused(type="join", room=room, seat="second") == "seat_taken"
            await one.play(room, 0, "5")
            assert await three.refused(type="play", room=room, turn=1, move="1") == "not_seated"
            assert (await two.play(room, 1, "1"))["type"] == "ok"
        # The seat stays taken when its player has lost the connection.
        while (await one.push("update"))["event"]["kind"] != "disconnected":
            pass
        assert await three.refused(type="join", room=room) == "seat_taken"
        async with connected(url, token=two.token) as again:
            assert (await again.ok(type="join", room=room))["seat"] == "second"


async def test_no_move_after_the_end() -> None:
    """There, players can move after a win, and every further move announces the win again."""
    async with running_server() as url, connected(url, "one") as one, connected(url, "two") as two:
        room = await one.create()
        await two.join(room)
        await play_all(one, two, room, "14253")
        over = await state_of(one, room)
        for player in (one, two):
            for turn in (4, 5, 6):
                assert await player.refused(type="play", room=room, turn=turn, move="6") == "game_over"
        assert await state_of(one, room) == over


async def test_a_move_is_played_whole_or_not_at_all() -> None:
    """There, column -1 fails after it was stored: the player gets an error, but has moved."""
    async with running_server() as url, connected(url, "one") as one, connected(url, "two") as two:
        room = await one.create()
        await two.join(room)
        await play_all(one, two, room, "51")
        before = await state_of(two, room)
        moves: list[object] = [None, 3, 3.0, True, "1", "5", "0", "10", "-1", "x", "", [], {}, "3" * 1000]
        for move in moves:
            assert (await one.request(type="play", room=room, turn=2, move=move))["type"] == "error"
            assert await state_of(two, room) == before
        assert (await one.play(room, 2, "3"))["type"] == "ok"
        update = await two.push("update")
        while update["state"]["turn"] < 3:
            update = await two.push("update")
        assert (update["state"]["rows"], update["state"]["moves"]) == (["o.x", ".x.", "..."], ["5", "1", "3"])


async def test_bad_json_gets_an_error_and_keeps_the_connection() -> None:
    """There, invalid JSON raises in the handler, which closes the connection."""
    async with running_server() as url, connected(url, "one") as one:
        for frame in ("", "x", "{", "[" * 10_000, '{"type":"play"}', "null"):
            await one.socket.send(frame)
            assert (await one.receive())["code"] in ("bad_json", "bad_message")
        assert (await one.request(type="ping"))["type"] == "pong"


async def test_a_room_outlives_its_first_players_connection() -> None:
    """There, the key is deleted with the first player's connection, so nobody can join later."""
    async with running_server() as url, connected(url, "two") as two:
        async with connected(url, "one") as one:
            room = await one.create()
        joined = await two.join(room)
        assert joined["state"]["status"] == "playing"
        async with connected(url, token=one.token) as again:
            assert (await again.ok(type="watch", room=room))["seat"] == "first"
            await play_all(again, two, room, "14253")
        assert joined["room"] == room


async def test_a_draw_ends_the_game() -> None:
    """There, a full board is not a win, so the game never ends."""
    async with running_server() as url, connected(url, "one") as one, connected(url, "two") as two:
        room = await one.create()
        await two.join(room)
        await play_all(one, two, room, "123546879")
        for player in (one, two):
            while (update := await player.push("update"))["state"]["status"] != "over":
                pass
            assert update["state"]["outcome"] == {"winner": None, "reason": "draw", "cells": []}
            assert update["event"]["outcome"] == update["state"]["outcome"]
        assert await one.refused(type="play", room=room, turn=9, move="1") == "game_over"


@pytest.mark.slow
async def test_a_restart_loses_nothing(tmp_path: Path) -> None:
    """There, games are in a dictionary, and lost with the process."""
    server = ServerProcess(tmp_path / "journal", tmp_path / "log")
    async with server:
        async with connected(server.url, "one") as one, connected(server.url, "two") as two:
            room = await one.create()
            await two.join(room)
            await play_all(one, two, room, "142")
            before = await state_of(one, room)
            await server.kill()
        await server.start()
        async with connected(server.url, token=one.token) as one, connected(server.url, token=two.token) as two:
            assert await state_of(one, room) == before
            assert (await two.play(room, 3, "5"))["type"] == "ok"
            assert (await one.play(room, 4, "3"))["type"] == "ok"
            assert await two.refused(type="play", room=room, turn=5, move="6") == "game_over"
