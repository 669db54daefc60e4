"""A server on which a bot that connects by itself is watched: all that it sends and gets goes through here."""

from __future__ import annotations

import asyncio
import json
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from noughts import embed
from noughts.conformance.messages import Json
from noughts.conformance.peer import Peer, greeted
from noughts.conformance.report import Fault
from noughts_client.bots.game_bot import TRUSTED
from noughts_client.bots.process import Process
from noughts_client.bots.program import command_program

STDERR_LINES = 10
"""The number of the last lines of the bot's output that a fault quotes."""


MOST = 65_536
"""The length of a line that does not end that is kept, in bytes."""


@dataclass
class Wire:
    """One connection of the bot: every frame that it sent (``sent``), and what it got, both as they were."""

    number: int
    socket: ServerConnection
    sent: list[str] = field(default_factory=list)
    got: list[str] = field(default_factory=list)
    token: str | None = None

    def quotes(self, *last: str) -> list[str]:
        """The last messages that the bot got, and what it last sent."""
        return [f"> {frame}" for frame in self.got[-2:]] + [f"< {frame}" for frame in last or self.sent[-1:]]


@dataclass
class Stage:
    """The connections between the bot and the server.

    ``on_sent`` sees each frame of the bot, and says whether it goes on to the server; ``on_got``
    sees each message of the server and returns what the bot gets.
    """

    wires: list[Wire] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    on_sent: Callable[[Wire, Json], bool] | None = None
    on_got: Callable[[Wire, Json], list[Json]] | None = None
    output: deque[str] = field(default_factory=lambda: deque(maxlen=STDERR_LINES))
    ended: int | None = None
    _rest: bytes = b""
    _answers: set[asyncio.Task[None]] = field(default_factory=set)

    async def until(self, holds: Callable[[], bool], patience_s: float, otherwise: str) -> None:
        """Wait until ``holds``, at most ``patience_s`` after the bot last sent anything. Raises Fault."""
        while not holds():
            self.changed.clear()
            try:
                async with asyncio.timeout(patience_s):
                    await self.changed.wait()
            except TimeoutError:
                raise self.fault(f"{otherwise} within {patience_s:g} s") from None
            if self.ended is not None and not holds():
                hint = "" if self.wires else "; does it use its argument {url}?"
                raise self.fault(f"{otherwise}: it ended with the exit status {self.ended}{hint}")

    def fault(self, problem: str, *quotes: str) -> Fault:
        """A fault that quotes the last messages, and the end of the bot's output."""
        shown = list(quotes) or (self.wires[-1].quotes() if self.wires else [])
        return Fault(problem, [*shown, *(f"! {line}" for line in self.output)])

    def answer(self, wire: Wire, request: Json, **fields: Any) -> None:
        """Answer a request of the bot with an error, in the server's place."""
        identified = {"id": request["id"]} if "id" in request else {}
        text = json.dumps({"type": "error", **identified, **fields})
        wire.got.append(text)
        self._answers.add(task := asyncio.create_task(wire.socket.send(text)))
        task.add_done_callback(self._answers.discard)

    async def serve(self, target: str, client: ServerConnection) -> None:
        """Carry one connection of the bot to the server at ``target``."""
        wire = Wire(len(self.wires), client)
        self.wires.append(wire)
        self.changed.set()
        async with connect(target, compression=None, max_size=None) as server:

            async def back() -> None:
                with suppress(ConnectionClosed):
                    async for frame in server:
                        message = json.loads(frame)
                        wire.token = message.get("token", wire.token) if message["type"] == "welcome" else wire.token
                        for each in [message] if self.on_got is None else self.on_got(wire, message):
                            text = json.dumps(each, ensure_ascii=False, separators=(",", ":"))
                            wire.got.append(text)
                            await client.send(text)
                        self.changed.set()
                await client.close(server.close_code or 1011)

            answers = asyncio.create_task(back())
            with suppress(ConnectionClosed):
                async for frame in client:
                    text = frame if isinstance(frame, str) else repr(frame)
                    wire.sent.append(text)
                    message = _object(text)
                    self.changed.set()
                    if self.on_sent is None or self.on_sent(wire, message):
                        await server.send(frame)
            answers.cancel()

    def hear(self, said: bytes) -> None:
        """Keep the end of the bot's output."""
        *lines, self._rest = (self._rest[-MOST:] + said).split(b"\n")
        self.output.extend(line.decode(errors="replace").rstrip("\r") for line in lines)

    async def run(self, command: str, url: str) -> None:
        """Run the bot until it ends or this is cancelled."""
        program = command_program(command.replace("{url}", url))
        process = await Process.start(program, containment=None, limits=TRUSTED, heard=self.hear, asked=False)
        try:
            self.ended = await process.ending()
            self.hear(b"\n" if self._rest else b"")
            self.changed.set()
        finally:
            process.kill()
            await process.close()


def _object(text: str) -> Json:
    with suppress(ValueError):
        if isinstance(message := json.loads(text), dict):
            return message
    return {}


@asynccontextmanager
async def staged(command: str, stage: Stage) -> AsyncIterator[Stage]:
    """Run the bot on a server of its own, with somebody who takes every open seat and seek and plays at random.

    ``{url}`` in ``command`` is the server's address. Raises ValueError if there is no such program.
    """
    command_program(command)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(embed.server(limits=True, search_workers=1))
        proxy = await stack.enter_async_context(
            serve(lambda client: stage.serve(server.url, client), "127.0.0.1", 0, compression=None, max_size=1 << 20)
        )
        partner = await stack.enter_async_context(greeted(server.url, name="check"))
        url = f"ws://127.0.0.1:{next(iter(proxy.sockets)).getsockname()[1]}/ws"
        tasks = [asyncio.create_task(_play_along(partner)), asyncio.create_task(stage.run(command, url))]
        try:
            yield stage
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _play_along(peer: Peer) -> None:
    """Take each open seat and seek of the lobby, and play at random there."""
    choose, me = random.Random(3), peer.welcome["player"]["id"]
    offers = await peer.ok(type="lobby", watch=True)
    while True:
        for room in offers.get("rooms", ()):
            if room["status"] == "waiting":
                await peer.request(type="join", room=room["room"])
        for seek in offers.get("seeks", ()):
            await peer.request(type="take", seek=seek["seek"])
        offers = {}
        while not offers:
            _, message = await peer.next()
            if message["type"] == "lobby":
                offers = message
            elif "state" in message:
                state = message["state"]
                mine = state["seats"].get(state["to_move"] or "") or {}
                if mine.get("id") == me:
                    move = choose.choice(state["legal_moves"])
                    await peer.request(type="play", room=message["room"], turn=state["turn"], move=move)
