"""A client for tests that shows every message."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Json = dict[str, Any]

PATIENCE_S = 60.0


class Client:
    """A connection that returns the answer to each request and keeps other messages in ``pushed``."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.pushed: list[Json] = []
        self.welcome: Json = {}
        self._next_id = 0

    @property
    def id(self) -> str:
        """The player's id."""
        return str(self.welcome["player"]["id"])

    @property
    def token(self) -> str:
        """The player's token."""
        return str(self.welcome["token"])

    async def send(self, **message: Any) -> None:
        """Send a message unchanged."""
        await self.socket.send(json.dumps(message))

    async def receive(self) -> Json:
        """The next message of any kind."""
        async with asyncio.timeout(PATIENCE_S):
            message: Json = json.loads(await self.socket.recv())
        return message

    async def request(self, **message: Any) -> Json:
        """Send a request. Returns its answer; other messages go to ``pushed``."""
        self._next_id += 1
        await self.send(id=self._next_id, **message)
        while True:
            answer = await self.receive()
            if answer.get("id") == self._next_id:
                return answer
            self.pushed.append(answer)

    async def ok(self, **message: Any) -> Json:
        """Send a request that must succeed. Returns the answer."""
        answer = await self.request(**message)
        assert answer["type"] == "ok", answer
        return answer

    async def refused(self, **message: Any) -> str:
        """Send a request that must be refused. Returns the error code."""
        answer = await self.request(**message)
        assert answer["type"] == "error", answer
        return str(answer["code"])

    async def push(self, kind: str | None = None) -> Json:
        """The next pushed message, or the next of a type; skipped messages are dropped."""
        while True:
            message = self.pushed.pop(0) if self.pushed else await self.receive()
            if kind is None or message["type"] == kind:
                return message

    async def quiet(self) -> None:
        """Assert that nothing was pushed, after a round trip."""
        assert (await self.request(type="ping"))["type"] == "pong"
        assert self.pushed == []

    async def create(self, first: str = "me", second: str = "open", **more: Any) -> str:
        """Open a tic-tac-toe room and drop its snapshot. Returns its id."""
        answer = await self.ok(type="create", game="tictactoe", seats={"first": first, "second": second}, **more)
        await self.push("room")
        return str(answer["room"])

    async def join(self, room: str) -> Json:
        """Take a seat. Returns the snapshot."""
        await self.ok(type="join", room=room)
        return await self.push("room")

    async def play(self, room: str, turn: int, move: str) -> Json:
        """Play a move. Returns the answer."""
        return await self.request(type="play", room=room, turn=turn, move=move)


async def farewell(client: Client) -> tuple[list[Json], int | None, str]:
    """The messages that a client got before its connection was closed, the close code, and the reason."""
    messages = client.pushed
    with suppress(ConnectionClosed):
        while True:
            messages.append(await client.receive())
    return messages, client.socket.close_code, client.socket.close_reason or ""


@asynccontextmanager
async def connected(
    url: str, name: str | None = "player-1", *, at: str | None = None, **hello: Any
) -> AsyncIterator[Client]:
    """A client that has said hello. Leaving takes no longer than a second, even if it has not read its messages.

    ``at`` is the address from which it comes to a server that trusts a proxy on this machine.
    """
    forwarded = None if at is None else {"X-Forwarded-For": at}
    async with connect(url, compression=None, close_timeout=1, additional_headers=forwarded) as socket:
        client = Client(socket)
        client.welcome = await client.request(type="hello", protocol=1, name=name, **hello)
        assert client.welcome["type"] == "welcome", client.welcome
        yield client


async def turned_away(url: str, **hello: Any) -> str:
    """Send a hello that must be refused. Returns the error code."""
    async with connect(url, compression=None) as socket:
        return await Client(socket).refused(type="hello", protocol=1, **hello)
