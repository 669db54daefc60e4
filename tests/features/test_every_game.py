"""A room's requests in every game: clocks, takebacks, values, replays, traces and reviews."""

from __future__ import annotations

import random

import pytest

from noughts.games import GAMES, Game
from noughts.protocol.contract import MESSAGES
from support.client import Client, Json, connected
from support.server import running_server

PLIES = 4


async def state_of(client: Client, room: str) -> Json:
    """The newest state of a room."""
    client.pushed.clear()
    await client.ok(type="watch", room=room)
    state: Json = (await client.push("room"))["state"]
    return state


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
async def test_every_feature_of_a_room_works(game: Game) -> None:
    chance, position, moves = random.Random(4), game.start, list[str]()
    clock = {"initial_s": 600, "increment_s": 2}
    async with (
        running_server(analyse_s=0.1, review_s=0.1) as url,
        connected(url, "ann") as ann,
        connected(url, "ben") as ben,
    ):
        room = (await ann.ok(type="create", game=game.key, clock=clock))["room"]
        await ben.ok(type="join", room=room)
        for turn in range(PLIES):
            mover, other = (ann, ben) if position.to_move == "first" else (ben, ann)
            moves.append(chance.choice(position.legal_moves))
            await mover.ok(type="play", room=room, turn=turn, move=moves[-1])
            position = position.play(moves[-1])
        state = await state_of(ann, room)
        assert (state["moves"], state["rows"]) == (moves, list(position.rows))
        assert state["clock"]["running"] == position.to_move

        await mover.ok(type="offer_takeback", room=room)
        await other.ok(type="accept_takeback", room=room)
        state = await state_of(ann, room)
        assert state["moves"] == moves[: len(state["moves"])] != moves

        await ann.ok(type="resign", room=room)
        answers = [
            await ann.request(type="replay", game=game.key, moves=moves),
            await ann.request(type="analyse", room=room, ply=len(state["moves"])),
            await ann.request(type="trace", game=game.key, moves=moves, depth=1),
            await ann.request(type="review", room=room),
        ]
    for answer in answers:
        MESSAGES.validate_python(answer, strict=True)
    assert [answer["type"] for answer in answers] == ["replay", "analysis", "trace", "review"]
