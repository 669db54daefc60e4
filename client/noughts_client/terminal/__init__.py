"""The terminal client: ``noughts play`` and ``noughts watch``. See docs/playing.md."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress

from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError
from noughts_client.terminal.options import DEFAULT_URL, Options, OwnServer
from noughts_client.terminal.screen import Screen, fitting_screen
from noughts_client.terminal.setup import to_play, to_watch
from noughts_client.terminal.sitting import Closed, Sitting
from noughts_client.terminal.table import Table, printable

__all__ = ["DEFAULT_URL", "Options", "OwnServer", "play", "watch"]

Find = Callable[[AsyncExitStack, Screen], Awaitable[tuple[Connection, Table]]]


async def play(options: Options, own_server: OwnServer) -> int:
    """Play as ``options`` say, on a server from ``own_server`` when no URL is given and none runs at the default.

    Returns the exit status: 0, 1 after an error that was told, 130 when interrupted.
    """
    return await _visit(lambda stack, screen: to_play(stack, screen, options, own_server))


async def watch(options: Options, own_server: OwnServer) -> int:
    """Watch as ``options`` say: a room, two computers, or a game that is chosen from the lobby.

    ``own_server`` is for two computers when no server is given and none runs. Returns the exit status.
    """
    return await _visit(lambda stack, screen: to_watch(stack, screen, options, own_server))


async def _visit(find: Find) -> int:
    """Find a table and stay there; the terminal is then left as it was, with a word of goodbye."""
    try:
        return await _stay(find)
    except BrokenPipeError:
        # Nobody reads what we print; neither must the interpreter try at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


async def _stay(find: Find) -> int:
    _let_signals_cancel()
    screen = fitting_screen()
    status, last_word = 0, "Goodbye."
    async with AsyncExitStack() as stack:
        try:
            connection, table = await find(stack, screen)
            await Sitting(connection, screen, table).last()
        except EOFError:
            pass
        except asyncio.CancelledError:
            status = 130
        except (Closed, ConnectionLost, RequestError) as error:
            status, last_word = 1, printable(error.message if isinstance(error, RequestError) else str(error))
        finally:
            await screen.close()
        print(last_word, file=sys.stderr if status == 1 else sys.stdout, flush=True)
    return status


def _let_signals_cancel() -> None:
    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            with suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
