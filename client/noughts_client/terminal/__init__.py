"""The terminal client: ``noughts play``, ``watch``, ``register`` and ``devices``. See docs/playing.md."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from noughts.columns import printable
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.credentials import keep_seat, register
from noughts_client.terminal.devices import devices
from noughts_client.terminal.explainer import ExplainFile
from noughts_client.terminal.join import seek
from noughts_client.terminal.options import DEFAULT_URL, CommandError, Options, OwnServer
from noughts_client.terminal.printing import tell
from noughts_client.terminal.replay import ReplayViewer
from noughts_client.terminal.screen import Screen, fitting_screen
from noughts_client.terminal.setup import set_up_play, set_up_watch
from noughts_client.terminal.table import Table
from noughts_client.terminal.viewer import TableViewer

__all__ = ["DEFAULT_URL", "Options", "OwnServer", "devices", "play", "register", "watch"]

SetUp = Callable[[AsyncExitStack, Screen, OwnServer], Awaitable[tuple[Connection, Table] | ReplayViewer]]


async def play(options: Options, own_server: OwnServer) -> int:
    """Play as ``options`` say, on a server from ``own_server`` if no URL is given and none runs at the default one.

    Returns the exit status: 0, 1 after an error, which is printed, or 130 after a signal.
    """
    return await _run(options, lambda stack, screen, own: set_up_play(stack, screen, options, own), own_server)


async def watch(options: Options, own_server: OwnServer, explain: ExplainFile) -> int:
    """Watch as ``options`` say: a room, a file, two computers, or a game chosen in the lobby.

    Two computers play on a server from ``own_server`` if no URL is given and none runs at the default one. ``explain``
    explains the game in a file. Returns the exit status, as :func:`play` does.
    """
    return await _run(
        options, lambda stack, screen, own: set_up_watch(stack, screen, options, own, explain), own_server
    )


async def _run(options: Options, set_up: SetUp, own_server: OwnServer) -> int:
    try:
        return await _run_on_screen(options, set_up, own_server)
    except BrokenPipeError:
        # Nobody reads the output. The interpreter must not try to flush it either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


async def _run_on_screen(options: Options, set_up: SetUp, own_server: OwnServer) -> int:
    _cancel_on_signals()
    screen = fitting_screen()
    own_urls: list[str] = []

    @asynccontextmanager
    async def noted() -> AsyncIterator[str]:
        async with own_server() as url:
            own_urls.append(url)
            yield url

    status, last_words, game = 0, "Goodbye.", None
    async with AsyncExitStack() as stack:
        try:
            found = await set_up(stack, screen, noted)
            if isinstance(found, ReplayViewer):
                await found.run()
            else:
                connection, table = found
                game = TableViewer(connection, screen, table)
                while await game.run() and (terms := game.table.seek):
                    await _leave_for_another(connection, game.table)
                    game = TableViewer(connection, screen, await seek(connection, screen, options, terms))
        except EOFError:
            pass
        except asyncio.CancelledError:
            status = 130
        except (CommandError, ConnectionLost, RequestError) as error:
            status, last_words = 1, _error_message(error, seated=game is not None)
            if not isinstance(error, ConnectionLost) and not _is_forgotten(error):
                game = None  # there is no seat to return to
        finally:
            seat_notice = _keep_seat(game, own_urls) if game is not None else ""
            await screen.close()
        if seat_notice:
            last_words = f"{last_words}\n{seat_notice}" if status == 1 else seat_notice
        tell(last_words, error=status == 1)
    return status


async def _leave_for_another(connection: Connection, table: Table) -> None:
    """Leave a game that is over, and decline the opponent's rematch offer or withdraw one's own, if there is one."""
    if table.rematch_offered_by:
        with suppress(RequestError):  # it was withdrawn or declined, or the opponent is gone
            await connection.request({"type": "decline_rematch", "room": table.room})
    await connection.request({"type": "leave", "room": table.room})


def _error_message(error: CommandError | ConnectionLost | RequestError, *, seated: bool) -> str:
    if not isinstance(error, RequestError):
        return printable(str(error))
    if seated and _is_forgotten(error):
        return "The server no longer knows this game: it was restarted without its journal. If that is restored, go on."
    return printable(error.sentence)


def _is_forgotten(error: Exception) -> bool:
    """True if the server does not know the player any more. Its journal may still be found."""
    return isinstance(error, RequestError) and error.code == "bad_token"


def _keep_seat(game: TableViewer, own_urls: list[str]) -> str:
    """Keep the seat of a game that goes on, if its server is none of ``own_urls``. Returns the notice about it."""
    table, connection = game.table, game.connection
    if table.side is None or table.state["status"] != "playing":
        return ""
    if connection.url in own_urls:
        return "The game has ended with its server."
    try:
        keep_seat(connection.url, table.room, connection.welcome["token"])
    except OSError as error:
        return f"Your seat could not be kept: {error}"
    return f"Your seat is kept. Return with: noughts play --room {table.room}{Options(connection.url).server}"


def _cancel_on_signals() -> None:
    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            with suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
