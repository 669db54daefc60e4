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
from noughts_client.terminal.kept import keep
from noughts_client.terminal.names import register
from noughts_client.terminal.options import DEFAULT_URL, Options, OwnServer
from noughts_client.terminal.replaying import Replaying
from noughts_client.terminal.screen import Screen, fitting_screen
from noughts_client.terminal.seeking import seek
from noughts_client.terminal.setup import to_play, to_watch
from noughts_client.terminal.sitting import Closed, Sitting
from noughts_client.terminal.table import Table, printable

__all__ = ["DEFAULT_URL", "Options", "OwnServer", "play", "register", "watch"]

Find = Callable[[AsyncExitStack, Screen], Awaitable[tuple[Connection, Table] | Replaying]]


async def play(options: Options, own_server: OwnServer) -> int:
    """Play as ``options`` say, on a server from ``own_server`` when no URL is given and none runs at the default.

    Returns the exit status: 0, 1 after an error that was told, 130 when interrupted.
    """
    return await _visit(options, lambda stack, screen: to_play(stack, screen, options, own_server))


async def watch(options: Options, own_server: OwnServer) -> int:
    """Watch as ``options`` say: a room, a file, two computers, or a game that is chosen from the lobby.

    ``own_server`` is for two computers when no server is given and none runs. Returns the exit status.
    """
    return await _visit(options, lambda stack, screen: to_watch(stack, screen, options, own_server))


async def _visit(options: Options, find: Find) -> int:
    """Find a table and stay there; the terminal is then left as it was, with a word of goodbye."""
    try:
        return await _stay(options, find)
    except BrokenPipeError:
        # Nobody reads what we print; neither must the interpreter try at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


async def _stay(options: Options, find: Find) -> int:
    _let_signals_cancel()
    screen = fitting_screen()
    status, last_words, sitting = 0, "Goodbye.", None
    async with AsyncExitStack() as stack:
        try:
            found = await find(stack, screen)
            if isinstance(found, Replaying):
                await found.last()
            else:
                connection, table = found
                sitting = Sitting(connection, screen, table)
                while await sitting.last() and (wanted := sitting.table.sought):
                    await _turn_away(connection, sitting.table)
                    sitting = Sitting(connection, screen, await seek(connection, screen, options, wanted))
        except EOFError:
            pass
        except asyncio.CancelledError:
            status = 130
        except (Closed, ConnectionLost, RequestError) as error:
            status, last_words = 1, _complaint(error, seated=sitting is not None)
            if not isinstance(error, ConnectionLost):
                sitting = None  # there is nothing to come back to
        finally:
            left_behind = _left_behind(options, sitting) if sitting is not None else ""
            await screen.close()
        if left_behind:
            last_words = f"{last_words}\n{left_behind}" if status == 1 else left_behind
        last_lines = map(printable, last_words.split("\n"))
        print(*last_lines, sep="\n", file=sys.stderr if status == 1 else sys.stdout, flush=True)
    return status


async def _turn_away(connection: Connection, table: Table) -> None:
    """Leave a game that is over for another opponent; who offers a rematch is to know."""
    if table.offered_to_me:
        with suppress(RequestError):  # the offer was taken back, or the player is gone
            await connection.request({"type": "decline_rematch", "room": table.room})
    await connection.request({"type": "leave", "room": table.room})


def _complaint(error: Closed | ConnectionLost | RequestError, *, seated: bool) -> str:
    if not isinstance(error, RequestError):
        return printable(str(error))
    if seated and error.code == "bad_token":
        return "The server does not know this game any more; it has been started anew."
    return printable(error.message)


def _left_behind(options: Options, sitting: Sitting) -> str:
    """What becomes of the seat in a game that goes on; it is kept where there is a way back to it."""
    table, connection = sitting.table, sitting.connection
    if table.side is None or table.state["status"] != "playing":
        return ""
    if connection.url != (options.url or DEFAULT_URL):
        return "The game has ended with its server."
    try:
        keep(connection.url, table.room, connection.welcome["token"])
    except OSError as error:
        return f"Your seat could not be kept: {error}"
    return f"Your seat is kept. Come back with: noughts play --room {table.room}{options.address}"


def _let_signals_cancel() -> None:
    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            with suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
