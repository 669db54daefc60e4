"""Heeding a connection and a keyboard at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from noughts_client.connection import Connection, Pushed
from noughts_client.dial import ConnectionLost
from noughts_client.terminal.screen import Screen

T = TypeVar("T")


async def attend(
    connection: Connection,
    screen: Screen,
    told: Callable[[Pushed], Awaitable[T | None]],
    typed: Callable[[str], Awaitable[T | None]],
) -> T:
    """The first thing but None that comes of a message ``told`` or of a line ``typed``.

    Raises what these raise, EOFError and ConnectionLost.
    """

    async def listen() -> T:
        async for message in connection:
            if (found := await told(message)) is not None:
                return found
        raise ConnectionLost("The connection has ended.")

    async def read() -> T:
        while True:
            if (found := await typed(await screen.line())) is not None:
                return found

    tasks = [asyncio.create_task(listen()), asyncio.create_task(read())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task.done()).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
