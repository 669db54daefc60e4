"""Heeding a connection and a keyboard at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NoReturn, TypeVar

from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost
from noughts_client.pushed import Pushed
from noughts_client.terminal.screen import Screen

T = TypeVar("T")


async def attend(
    connection: Connection,
    screen: Screen,
    told: Callable[[Pushed], Awaitable[T | None]],
    typed: Callable[[str], Awaitable[T | None]],
    asking: Coroutine[Any, Any, NoReturn],
) -> T:
    """The first thing but None that comes of a message ``told`` or of a line ``typed``, while there is ``asking``.

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

    tasks: list[asyncio.Task[T]] = [asyncio.create_task(part) for part in (listen(), read(), asking)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task.done()).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


class Repeated:
    """Something to be asked, and again whenever it was lost."""

    def __init__(self, ask: Callable[[], Awaitable[None]]) -> None:
        self._ask = ask
        self._wanted = asyncio.Event()

    def again(self) -> None:
        """Ask once, or once more."""
        self._wanted.set()

    async def asking(self) -> NoReturn:
        """Ask whenever it is wanted. Raises what asking raises."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await self._ask()
