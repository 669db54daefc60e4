"""60 clients that keep to the default limits: players, some with clocks, and spectators."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from typing import Any

import uvloop
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from attacks.bystander import ADDRESS
from support.client import Client, Json

PAIRS, SOLITARY, SPECTATORS = 20, 10, 10
THINK_S = (0.3, 1.5)
RECONNECT = 0.02
"""The probability that a client reconnects before a move."""

LOST = (OSError, TimeoutError, WebSocketException)


class Honest:
    """A client that keeps to the limits, and adds what it sees to ``seen``. It comes back when it is cut off."""

    def __init__(self, url: str, name: str, seen: dict[str, Any]) -> None:
        self._url, self._name, self._seen = url, name, seen
        self._token: str | None = None
        self.client: Client
        self.room: str | None = None

    async def connect(self) -> None:
        """Connect, and watch the room again."""
        while True:
            try:
                socket = await connect(self._url, compression=None, local_addr=(ADDRESS, 0))
                self.client = Client(socket)
                who = {"token": self._token} if self._token else {"name": self._name}
                self.client.welcome = await self.client.request(type="hello", protocol=1, **who)
                self._token = self.client.token
                break
            except (*LOST, KeyError) as error:
                self._seen["errors"].append(f"connecting: {error!r}")
                await asyncio.sleep(1)
        if self.room:
            await self.ask(type="watch", room=self.room)

    async def reconnect(self) -> None:
        """Close the connection and come back."""
        await self.client.socket.close()
        await self.connect()

    async def ask(self, **message: Any) -> Json:
        """The answer to a request."""
        began = time.monotonic()
        try:
            answer = await self.client.request(**message)
        except LOST as error:
            self._seen["errors"].append(f"{message['type']}: {error!r}")
            await self.connect()
            return {"type": "error"}
        self._seen["waits"].append(time.monotonic() - began)
        if answer["type"] == "error":
            self._seen["errors"].append(f"{message['type']}: {answer['code']}: {answer['message']}")
        return answer

    async def play(self, *, counts: bool) -> None:
        """Play to the end of the game in the room. One client of each room ``counts`` what happens there."""
        played = -1
        while self.room:
            try:
                message = await self.client.push()
            except LOST as error:
                self._seen["errors"].append(f"playing: {error!r}")
                await self.connect()
                continue
            if message.get("room") != self.room or "state" not in message:
                continue
            state, event = message["state"], message.get("event", {})
            if counts and event.get("kind") == "paused":
                self._seen["paused"].append([event.get("cause", "outage"), event["ms"]])
            if state["status"] == "over":
                self._seen["ended"] += [state["outcome"]["reason"]] * counts
                await self.ask(type="leave", room=self.room)
                self.room = None
            elif state["to_move"] and state["turn"] > played and self._is_at(state):
                await asyncio.sleep(random.uniform(*THINK_S))
                if random.random() < RECONNECT:
                    await self.reconnect()  # which brings the state again
                    continue
                move = random.choice(state["legal_moves"])
                answer = await self.ask(type="play", room=self.room, turn=state["turn"], move=move)
                if answer["type"] == "ok":
                    played = state["turn"]

    def _is_at(self, state: Json) -> bool:
        return bool(state["seats"][state["to_move"]]["id"] == self.client.id)


async def play_on_and_on(players: list[Honest], **options: Any) -> None:
    """Have two players, or one and the computer, play one game after the other."""
    for player in players:
        await player.connect()
    while True:
        opened = await players[0].ask(
            type="create", game=random.choice(["connect4", "tictactoe", "reversi"]), **options
        )
        if opened["type"] == "ok":
            for player in players:
                player.room = opened["room"]
            for player in players[1:]:
                await player.ask(type="join", room=opened["room"])
            await asyncio.gather(*(player.play(counts=player is players[0]) for player in players))
        await asyncio.sleep(1)


async def watch(spectator: Honest, players: list[Honest]) -> None:
    """Look at the lobby and at games."""
    await spectator.connect()
    while True:
        await spectator.ask(type="lobby", watch=random.random() < 0.5)
        room = random.choice(players).room
        if room and (await spectator.ask(type="watch", room=room))["type"] == "ok":
            for _ in range(20):
                await spectator.ask(type="ping")
                spectator.client.pushed.clear()
                await asyncio.sleep(0.5)
            await spectator.ask(type="leave", room=room)
        if random.random() < 10 * RECONNECT:
            await spectator.reconnect()
        await asyncio.sleep(1)


async def honest(urls: Sequence[str]) -> None:
    """Be the honest clients, opponents on different nodes, and print what they saw for each line of stdin."""
    seen: dict[str, Any] = {"waits": [], "errors": [], "paused": [], "ended": []}
    clients = [Honest(urls[n % len(urls)], f"honest-{n}", seen) for n in range(2 * PAIRS + SOLITARY + SPECTATORS)]
    players, alone, spectators = clients[: 2 * PAIRS], clients[2 * PAIRS : -SPECTATORS], clients[-SPECTATORS:]
    work = []
    for n in range(PAIRS):
        clock = {"initial_s": 60, "increment_s": 2} if n % 2 else None
        work.append(play_on_and_on(players[2 * n : 2 * n + 2], clock=clock, private=n % 4 == 0))
    for n, player in enumerate(alone):
        seats = {"first": "me", "second": f"computer:{('easy', 'medium', 'hard')[n % 3]}"}
        work.append(play_on_and_on([player], seats=seats))
    tasks = [asyncio.create_task(each) for each in [*work, *(watch(spectator, players) for spectator in spectators)]]
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while await lines.readline():
        seen["errors"] += [repr(task.exception()) for task in tasks if task.done()]
        print(json.dumps(seen), flush=True)
        for values in seen.values():
            values.clear()


if __name__ == "__main__":
    uvloop.run(honest(sys.argv[1:]))
