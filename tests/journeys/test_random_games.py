"""200 games of each game over the protocol, by random players who take back, claim, resign and come back."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import AsyncExitStack
from functools import reduce

import pytest

from noughts.games import GAMES, Game
from noughts.games.catalogue import game_named
from noughts_client.requests import game_terms
from support.client import Client, Json, connected
from support.server import running_server

pytestmark = pytest.mark.slow

EACH = 200
MOST_PLIES = 120
"""Then somebody resigns: random players of chess find no end."""

SET_UP = ("breakthrough?size=5", "kalah?seeds=3", "dots?size=2", "morris?flying=no")


class Player:
    """A player who may come back on another connection. ``state`` is the newest of the room."""

    client: Client
    state: Json
    version = 0

    def __init__(self, url: str, name: str) -> None:
        self._url, self._who = url, {"name": name}
        self._stack = AsyncExitStack()

    async def connect(self, room: str = "") -> None:
        """Connect, and ask for what has happened in ``room`` since."""
        await self._stack.aclose()
        self.client = await self._stack.enter_async_context(connected(self._url, **{"name": None, **self._who}))
        self._who = {"token": self.client.token}
        if room:
            await self.client.ok(type="watch", room=room, since=self.version)

    async def see(self, room: str, version: int) -> None:
        """Take in what is pushed about ``room`` up to ``version``; no update may be missing."""
        while self.version < version:
            message = await self.client.push()
            if message["type"] in ("room", "update") and message["room"] == room:
                assert message["type"] == "room" or message["version"] <= self.version + 1
                if message["version"] > self.version:
                    self.version, self.state = message["version"], message["state"]

    async def close(self) -> None:
        await self._stack.aclose()


async def play(name: str, chance: random.Random, people: list[Player], counts: Counter[str]) -> None:
    """Play a game to its end, and count what happened in it."""
    first, second = chance.sample(people, 2)
    alone = chance.random() < 0.1
    seats = {"first": "me", "second": "computer:easy" if alone else "open"}
    room = (await first.client.ok(type="create", **game_terms(name), seats=seats))["room"]
    players = {"first": first} if alone else {"first": first, "second": second}
    if not alone:
        await second.client.ok(type="join", room=room)
    for player in players.values():
        player.version = 0
        await player.see(room, (await player.client.ok(type="watch", room=room))["version"])
    while first.state["status"] == "playing":
        state, side = first.state, first.state["to_move"]
        if side not in players:
            await first.see(room, first.version + 1)
            continue
        mover, others = players[side], [player for key, player in players.items() if key != side]
        kind = chance.random()
        if kind < 0.01:
            await mover.connect(room)
            counts["reconnects"] += 1
        request: Json = {"type": "play", "turn": state["turn"], "move": chance.choice(state["legal_moves"])}
        if len(state["moves"]) >= MOST_PLIES or kind > 0.997:
            request = {"type": "resign"}
        elif "claim_draw" in state and kind > 0.5:
            request = {"type": "claim_draw"}
        elif others and 0.95 < kind < 0.97:
            request = {"type": "offer_takeback"}
        answer = await mover.client.request(room=room, **request)
        if answer["type"] == "ok" and request["type"] == "offer_takeback":
            answer = await others[0].client.request(type="accept_takeback", room=room)
        assert answer["type"] == "ok" or request["type"] == "offer_takeback", (
            answer
        )  # there may be nothing to take back
        if answer["type"] == "ok":
            counts[request["type"]] += 1
            for player in players.values():
                await player.see(room, answer["version"])
    assert all(player.state["outcome"] == first.state["outcome"] for player in players.values())
    await follows_the_rules(first, room, game_named(name))
    counts[first.state["outcome"]["reason"]] += 1
    for player in players.values():
        await player.client.ok(type="leave", room=room)
        player.client.pushed.clear()


async def follows_the_rules(player: Player, room: str, game: Game) -> None:
    """Read the whole game again: each state is that of its moves by the rules, and the last has the outcome."""
    player.client.pushed.clear()
    last = (await player.client.ok(type="watch", room=room, since=0))["version"]
    for version in range(1, last + 1):
        update = await player.client.push("update")
        assert update["version"] == version
        state = update["state"]
        position = reduce(lambda at, move: at.play(move), state["moves"], game.start)
        assert (state["rows"], state["ply"]) == (list(position.rows), position.ply)
        if state["status"] == "playing":
            assert (state["to_move"], state["legal_moves"]) == (position.to_move, list(position.legal_moves))
        assert {key: state.get(key) for key in game.counted(position)} == game.counted(position)
        if position.outcome is not None and state["outcome"] is not None:
            assert (state["outcome"]["winner"], state["outcome"]["reason"]) == (
                position.outcome.winner,
                position.outcome.reason,
            )


@pytest.mark.parametrize("name", [*GAMES, *SET_UP])
async def test_random_games_follow_the_rules(name: str) -> None:
    chance, counts = random.Random(name), Counter[str]()
    async with running_server(think_s=0.02) as url, AsyncExitStack() as stack:
        people = [Player(url, f"player-{number}") for number in range(3)]
        for player in people:
            await player.connect()
            stack.push_async_callback(player.close)
        for _ in range(EACH):
            await play(name, chance, people, counts)
    print(name, dict(counts))  # -s shows it: bench/results.md has the figures
    assert min(counts[each] for each in ("reconnects", "offer_takeback", "resign")) > 0
