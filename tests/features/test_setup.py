"""Games that are set up by whoever opens a room, seeks, or asks for a trace or a replay, over a real socket."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from noughts.protocol.contract import MESSAGES
from support.client import Client, Json, connected
from support.server import running_server

ENDING = "8/8/4k3/8/8/4K3/8/R7 w - - 100 80"
SMALL_GAME = {"game": "breakthrough", "setup": {"size": 5}}


def checked(message: Json) -> Json:
    MESSAGES.validate_python(message, strict=True)
    return message


async def test_a_room_shows_how_it_is_set_up_to_all() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = (await ann.ok(type="create", **SMALL_GAME))["room"]
        own = checked(await ann.push("room"))
        assert own["options"]["setup"] == {"size": 5}
        assert [len(row) for row in own["layout"]] == [5] * 5
        assert own["board"] == {"shape": "squares", "look": "checkered", "bottom": "first"}
        (listed,) = checked(await ben.ok(type="lobby"))["rooms"]
        assert listed["options"]["setup"] == {"size": 5}
        joined = checked(await ben.join(room))
        assert joined["layout"] == own["layout"]
        (mine,) = checked(await ben.request(type="games"))["games"]
        assert mine["options"]["setup"] == {"size": 5}
        assert (await ann.play(room, 0, "a2a4"))["code"] == "malformed_move"
        assert (await ann.play(room, 0, "a2a3"))["type"] == "ok"
        await ann.ok(type="resign", room=room)
        await ann.ok(type="offer_rematch", room=room)
        await ben.ok(type="accept_rematch", room=room)
        again = checked(await ben.push("room"))
        assert again["options"]["setup"] == {"size": 5}
        assert again["layout"] == own["layout"]
        history = [event async for event in updates(ben, room)]
        assert history[0]["event"]["kind"] == "opened"
        assert history[0]["event"]["layout"] == own["layout"]
        assert history[0]["event"]["board"] == own["board"]
        assert history[0]["event"]["options"]["setup"] == {"size": 5}


async def updates(client: Client, room: str) -> Any:
    """The updates of the room, from the first."""
    await client.ok(type="watch", room=room, since=0)
    await client.request(type="ping")
    for message in [one for one in client.pushed if one["type"] == "update" and one["room"] == room]:
        yield checked(message)


async def test_defaults_are_the_game_as_usual() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await ann.ok(type="create", game="kalah", setup={"pits": 6, "seeds": "4"})
        shown = await ann.push("room")
        assert "setup" not in shown["options"]
        assert "board" not in shown


async def test_names_of_moves_are_read_and_told() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = (await ann.ok(type="create", game="chess"))["room"]
        await ben.join(room)
        assert (await ann.play(room, 0, "e4"))["type"] == "ok"
        assert (await ben.play(room, 1, "Nf6"))["type"] == "ok"
        assert (await ben.play(room, 1, "Nf6"))["version"] == (await ben.play(room, 1, "g8f6"))["version"]
        state = checked((await ann.request(type="watch", room=room)) and await last_update(ann))["state"]
        assert (state["moves"], state["names"]) == (["e2e4", "g8f6"], ["e4", "Nf6"])


async def last_update(client: Client) -> Json:
    await client.request(type="ping")
    return [one for one in client.pushed if one["type"] in ("update", "room")][-1]


async def test_a_draw_is_claimed_by_the_side_to_move_while_the_rules_allow_it() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = (await ann.ok(type="create", game="chess", setup={"start": ENDING}))["room"]
        shown = await ben.join(room)
        assert shown["state"]["claim_draw"] == "fifty_moves"
        assert await ben.refused(type="claim_draw", room=room) == "not_your_turn"
        await ann.ok(type="claim_draw", room=room)
        over = checked(await last_update(ann))
        assert over["state"]["outcome"] == {"winner": None, "reason": "fifty_moves", "cells": []}
        assert "claim_draw" not in over["state"]
        assert await ann.refused(type="claim_draw", room=room) == "game_over"
        other = await ann.create()
        assert await ann.refused(type="claim_draw", room=other) == "not_allowed"


async def test_an_open_seek_shows_its_setup_and_is_taken_with_it() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        await ann.ok(type="seek", game="breakthrough", setup={"size": 6})
        (shown,) = checked(await ben.ok(type="lobby"))["seeks"]
        assert (shown["game"], shown["setup"]) == ("breakthrough", {"size": 6})
        assert [one["seek"] for one in (await ben.ok(type="lobby", game="breakthrough"))["seeks"]] == [shown["seek"]]
        await ben.ok(type="take", seek=shown["seek"])
        for client in (ann, ben):
            room = checked(await client.push("room"))
            assert room["options"]["setup"] == {"size": 6}
            assert len(room["layout"]) == 6


async def test_only_seeks_with_the_same_setup_are_paired() -> None:
    async with (
        running_server() as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
        connected(url, "eve") as eve,
    ):
        await ann.ok(type="seek", game="breakthrough", setup={"size": 6})
        await ben.ok(type="seek", game="breakthrough")
        await asyncio.sleep(0.3)
        await ann.quiet()
        await eve.ok(type="seek", game="breakthrough", setup={"size": "6"})
        one, other = await ann.push("room"), await eve.push("room")
        assert one["room"] == other["room"]
        assert one["options"]["setup"] == {"size": 6}
        await ben.quiet()


async def test_traces_and_replays_follow_the_setup() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        answer = checked(await ann.request(type="replay", **SMALL_GAME, moves=["a2a3", "e4e3"]))
        assert answer["positions"][0]["rows"] == ["bbbbb", "bbbbb", ".....", "wwwww", "wwwww"]
        assert len(answer["positions"]) == 3
        moves = ["a2a3", "e4e3"]  # the second is a move on the small board alone
        traced = checked(await ann.request(type="trace", **SMALL_GAME, moves=moves, depth=1))
        assert (traced["type"], traced["game"], traced["moves"]) == ("trace", "breakthrough", moves)


BAD = [
    ({"nothing": 1}, "not_allowed", "Breakthrough has no option 'nothing'. Its options are size."),
    ({"size": 4}, "not_allowed", "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
    ({"size": 10**300}, "not_allowed", "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
    ({"size": "x" * 200}, "not_allowed", "Breakthrough: Size of the board is one of 5, 6, 7, 8."),
    ({"size": "x" * 201}, "bad_message", "setup: an object of at most 16 options"),
    ({"size": [5]}, "bad_message", "setup: an object of at most 16 options"),
    ({"size": {"size": 5}}, "bad_message", "setup: an object of at most 16 options"),
    ({"size": True}, "bad_message", "setup: an object of at most 16 options"),
    ("size", "bad_message", "setup: an object of at most 16 options"),
    ({str(number): number for number in range(1000)}, "bad_message", "setup: an object of at most 16 options"),
]


@pytest.mark.parametrize(
    "request_",
    [
        {"type": "create"},
        {"type": "seek"},
        {"type": "trace", "moves": []},
        {"type": "replay", "moves": []},
    ],
    ids=lambda request: request["type"],
)
async def test_a_bad_setup_is_answered_to_its_sender(request_: Json) -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        for setup, code, words in BAD:
            answer = await ann.request(**request_, game="breakthrough", setup=setup)
            assert (answer["type"], answer["code"]) == ("error", code), setup
            assert answer["message"].startswith(words)
            assert len(answer["message"]) < 300
        assert (await ann.request(**request_, game="shogi", setup={"size": 5}))["code"] == "unknown_game"
        await ann.quiet()


async def test_a_rated_game_is_not_set_up() -> None:
    async with running_server() as url, connected(url, "ann") as ann:
        await ann.ok(type="register", name="ann")
        for kind in ("create", "seek"):
            more = {
                "type": kind,
                "game": "breakthrough",
                "setup": {"size": 6},
                "rated": True,
                "clock": {"per_move_s": 9},
            }
            answer = await ann.request(**more)
            assert (answer["code"], answer["message"]) == ("not_allowed", "A rated game is set up as usual.")
