"""Each game over real sockets: played, stored and read back, by people and by the computer."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from noughts.games import GAMES, Game, Outcome, Reason, Side
from support.client import Client, Json, connected
from support.server import running_server

LONG = 30
"""A game in which positions may come up again is played no longer."""

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


async def opened(client: Client, game: Game, **more: Any) -> str:
    return str((await client.ok(type="create", game=game.key, **more))["room"])


async def seen(client: Client, room: str) -> list[Json]:
    """All updates of a finished room."""
    await client.ok(type="watch", room=room, since=0)
    updates = [await client.push("update")]
    while updates[-1]["state"]["status"] != "over":
        updates.append(await client.push("update"))
    return updates


@every_game
async def test_a_game_is_stored_and_another_server_sends_the_same_updates(game: Game, tmp_path: Path) -> None:
    rng = random.Random(game.key)
    position = game.start
    async with (
        running_server(journal=str(tmp_path / "journal")) as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
    ):
        room = await opened(ann, game)
        await ben.ok(type="join", room=room)
        turn = 0
        while position.legal_moves and not (game.repeats and turn == LONG):
            move, mover = rng.choice(position.legal_moves), ann if position.to_move is Side.FIRST else ben
            assert (await mover.play(room, turn, move))["type"] == "ok"
            position, turn = position.play(move), turn + 1
        if position.outcome is None:
            await ann.ok(type="resign", room=room)
        async with connected(url) as watcher:
            updates = await seen(watcher, room)
    async with running_server(journal=str(tmp_path / "journal")) as url, connected(url) as watcher:
        assert await seen(watcher, room) == updates
    outcome = position.outcome or Outcome(Side.SECOND, Reason.RESIGNATION)
    assert game.repeats or outcome.reason != Reason.RESIGNATION
    state = updates[-1]["state"]
    assert state["rows"] == list(position.rows)
    assert state["legal_moves"] == []
    assert state["outcome"] == {
        "winner": outcome.winner,
        "reason": outcome.reason,
        "cells": list(outcome.cells),
    }
    replayed = game.start
    for number, update in enumerate(updates):
        if update["event"]["kind"] == "played":
            replayed = replayed.play(update["event"]["move"])
            assert update["state"]["rows"] == list(replayed.rows), number
            assert update["state"]["legal_moves"] == list(replayed.legal_moves)
            assert update["state"]["ply"] == replayed.ply
            assert {key: update["state"].get(key) for key in game.counted(replayed)} == game.counted(replayed)


@every_game
async def test_two_computers_play_to_the_end_or_for_long(game: Game) -> None:
    async with running_server(think_s=0.005) as url, connected(url) as watcher:
        room = await opened(watcher, game, seats={"first": "computer:easy", "second": "computer:medium"})
        await watcher.ok(type="watch", room=room)
        state = (await watcher.push())["state"]
        while state["status"] != "over" and not (game.repeats and state["ply"] >= LONG):
            state = (await watcher.push())["state"]


@every_game
async def test_the_computer_plays_only_at_the_levels_of_the_game(game: Game) -> None:
    async with running_server() as url, connected(url) as ann:
        levels = {info["key"]: info["levels"] for info in ann.welcome["games"]}
        assert levels[game.key][-1] == "easy"
        for level in ann.welcome["levels"]:
            request: Json = {"type": "create", "game": game.key, "key": level}
            for seats in (
                {"first": "me", "second": f"computer:{level}"},
                {"first": f"computer:{level}", "second": "open"},
            ):
                if level == "best" or level in levels[game.key]:  # best is the strongest in every game
                    await ann.ok(**request, seats=seats)
                else:
                    answer = await ann.request(**request, seats=seats)
                    assert answer["code"] == "not_allowed"
                    assert ", ".join(levels[game.key]) in answer["message"]
        assert {level for each in levels.values() for level in each} == set(ann.welcome["levels"])
