"""Clients that do without legal moves in states, and ask for them."""

from __future__ import annotations

from typing import Any

import pytest

from support.client import Client, Json, connected
from support.server import running_server


def bare(message: Json) -> Json:
    """The message without the legal moves in its state, which it must have."""
    return {**message, "state": {key: value for key, value in message["state"].items() if key != "legal_moves"}}


async def pushed(client: Client, *kinds: str) -> list[Json]:
    """The next messages of these types."""
    return [await client.push(kind) for kind in kinds]


async def test_updates_and_rooms_are_those_of_everybody_without_legal_moves() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, "ben", legal_moves=False) as ben:
        room = await ann.create()
        await ben.ok(type="join", room=room)
        (joined,) = await pushed(ben, "room")
        await ann.ok(type="watch", room=room)
        (shown,) = await pushed(ann, "room")
        assert bare(shown)["state"] == joined["state"]
        await ann.play(room, 0, "5")
        await ben.play(room, 1, "1")
        for _ in range(2):
            (full,), (short,) = await pushed(ann, "update"), await pushed(ben, "update")
            while full["event"]["kind"] != "played":  # ben joined
                (full,) = await pushed(ann, "update")
            assert "legal_moves" in full["state"]
            assert short == bare(full)


async def test_updates_that_are_sent_again_have_no_legal_moves_either() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, legal_moves=False) as eve:
        room = await ann.create()
        async with connected(url, "ben") as ben:
            await ben.join(room)
        await ann.play(room, 0, "5")
        await eve.ok(type="watch", room=room, since=1)
        joined, played = await pushed(eve, "update", "update")
        assert [each["version"] for each in (joined, played)] == [2, 3]
        assert not any("legal_moves" in each["state"] for each in (joined, played))


async def test_a_rematch_is_shown_to_each_as_it_wishes() -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, legal_moves=False) as eve:
        room = await ann.create("me", "computer:easy")
        await eve.ok(type="watch", room=room)
        await eve.push("room")
        await ann.ok(type="resign", room=room)
        await ann.ok(type="offer_rematch", room=room)
        (whole,), (rest,) = await pushed(ann, "room"), await pushed(eve, "room")
        assert whole["previous"] == rest["previous"] == room
        assert rest["state"] == bare(whole)["state"]


@pytest.mark.parametrize("wish", [{}, {"legal_moves": False}])
async def test_anybody_may_ask_for_them(wish: dict[str, Any]) -> None:
    async with running_server() as url, connected(url, "ann") as ann, connected(url, **wish) as eve:
        room = await ann.create()
        waiting = await eve.request(type="legal_moves", room=room)
        assert waiting == {"type": "legal_moves", "id": waiting["id"], "room": room, "turn": 0, "moves": []}
        async with connected(url, "ben") as ben:
            await ben.join(room)
        await ann.play(room, 0, "5")
        told = await eve.request(type="legal_moves", room=room)
        assert (told["turn"], told["moves"]) == (1, ["1", "2", "3", "4", "6", "7", "8", "9"])
        await ann.ok(type="abort", room=room)
        assert (await eve.request(type="legal_moves", room=room))["moves"] == []
        assert await eve.refused(type="legal_moves", room="aaaaaaaaaaaaa") == "unknown_room"
