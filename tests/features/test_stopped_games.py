"""Games that cannot go on because the server has new rules for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts.games import GAMES
from noughts.protocol.words import RULES_CHANGED
from support.client import Client, connected
from support.heaps import LESS, heap
from support.server import running_server


@pytest.fixture(autouse=True)
def game() -> Iterator[None]:
    """The game in version 1 of its rules."""
    GAMES["heap"] = heap()
    yield
    del GAMES["heap"]


async def played(ann: Client, ben: Client, moves: str, **options: object) -> str:
    """A room in which these moves were played."""
    room = str((await ann.ok(type="create", game="heap", **options))["room"])
    await ben.ok(type="join", room=room)
    for turn, move in enumerate(moves):
        await (ben if turn % 2 else ann).ok(type="play", room=room, turn=turn, move=move)
    return room


async def test_a_game_that_the_new_rules_do_not_allow_is_shown_and_can_be_closed(tmp_path: Path) -> None:
    journal = str(tmp_path / "journal.db")
    async with running_server(journal=journal) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        stopped, finished, agreed = [await played(ann, ben, moves) for moves in ("132", "333", "12")]
    GAMES["heap"] = heap(2, takes=LESS)
    async with running_server(journal=journal) as url, connected(url, token=ann.token) as again:
        assert again.welcome["words"]["rules_changed"] == RULES_CHANGED
        await again.ok(type="watch", room=stopped)
        state = (await again.push("room"))["state"]
        assert (state["rules_changed"], state["moves"], state["turn"]) == ({"from": 1, "at_ply": 1}, ["1"], 3)
        refused = await again.play(stopped, 3, "1")
        assert (refused["code"], refused["message"][:22]) == ("not_allowed", "The rules have changed")
        await again.ok(type="abort", room=stopped)
        assert (await again.push("update"))["state"]["outcome"]["reason"] == "rules"

        await again.ok(type="watch", room=finished)
        state = (await again.push("room"))["state"]
        assert state["outcome"] == {"winner": "first", "reason": "count", "cells": []}
        assert (state["rules_changed"], state["moves"]) == ({"from": 1, "at_ply": 0}, [])
        refused = await again.request(type="review", room=finished)
        assert refused["message"] == "The game was played under other rules, so it cannot be reviewed."

        await again.ok(type="play", room=agreed, turn=2, move="2")
        assert (await again.play(agreed, 3, "2"))["code"] == "not_your_turn"


async def test_a_server_with_older_rules_refuses_the_room(tmp_path: Path) -> None:
    journal = str(tmp_path / "journal.db")
    GAMES["heap"] = heap(2)
    async with running_server(journal=journal) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        room = await played(ann, ben, "1")
    GAMES["heap"] = heap()
    async with running_server(journal=journal) as url, connected(url, token=ann.token) as again:
        refused = await again.request(type="watch", room=room)
    assert refused["code"] == "internal"
    assert refused["message"] == (
        "This room cannot run here: the room was opened under version 2 of the rules of Heap, and this server has "
        "version 1."
    )
