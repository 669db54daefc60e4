"""Rated games for tests: registered players, and games between them with a given result."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Literal

from support.client import Client, Json, connected

BLITZ: Json = {"initial_s": 300, "increment_s": 0}

End = Literal["first", "second", "draw"]


@asynccontextmanager
async def registered(*urls: str, bot: bool = False) -> AsyncIterator[list[Client]]:
    """A client at each of ``urls``, with the registered names player-1, player-2 and so on."""
    async with AsyncExitStack() as stack:
        clients = []
        for number, url in enumerate(urls, 1):
            client = await stack.enter_async_context(connected(url, f"player-{number}", bot=bot))
            await client.ok(type="register")
            clients.append(client)
        yield clients


async def rated_game(
    first: Client, second: Client, end: End, *, game: str = "tictactoe", clock: Json = BLITZ, moves: int = 2
) -> str:
    """Play a rated game of ``moves`` moves that ends by resignation or agreement. Returns the room."""
    seats = {"first": "me", "second": "open"}
    room = str((await first.ok(type="create", game=game, seats=seats, clock=clock, rated=True))["room"])
    await second.ok(type="join", room=room)
    for turn, move in enumerate("1234"[:moves]):
        await (second if turn % 2 else first).ok(type="play", room=room, turn=turn, move=move)
    match end:
        case "first":
            await second.ok(type="resign", room=room)
        case "second":
            await first.ok(type="resign", room=room)
        case "draw":
            await first.ok(type="offer_draw", room=room)
            await second.ok(type="accept_draw", room=room)
    for client in (first, second):
        await client.ok(type="leave", room=room)
        client.pushed.clear()
    return room
