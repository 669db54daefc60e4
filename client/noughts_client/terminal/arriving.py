"""How a server is reached, and a seat there."""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from urllib.parse import urlsplit

from noughts.protocol import Snapshot
from noughts_client.connection import Connection
from noughts_client.dial import LOOPBACK, ConnectionLost, RequestError
from noughts_client.terminal.kept import kept
from noughts_client.terminal.names import NAME_TAKEN, connect_as_oneself, own_name
from noughts_client.terminal.options import DEFAULT_URL, Options, OwnServer
from noughts_client.terminal.questions import ask
from noughts_client.terminal.screen import Screen, steady_ms
from noughts_client.terminal.sitting import Closed
from noughts_client.terminal.table import SIDES, Table, printable

BAD_NAME = "A name has 1 to 32 characters, all of them visible, and no blank at either end."
NO_URL = "On another machine it takes --url too, with an address that the server printed."
LOOPBACK_URL = "On another machine --url must be an address of the server that is reached from there."
NO_SERVER = f"No server answers at {DEFAULT_URL}. Start one with: noughts serve"


async def connect(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer | None, *, named: bool
) -> tuple[Connection, str]:
    """A connection, left to ``stack``, and a word on where it leads if that was our doing.

    With ``named`` a name is asked for, unless it was said or one is one's own there. Raises EOFError, ConnectionLost,
    RequestError, Closed.
    """
    url, note = options.url or DEFAULT_URL, ""
    name, name_note = options.name, ""
    asking = named and name is None
    while True:
        if asking and own_name(url) is None:
            name = await ask(screen, "What is your name? (Enter for a guest's)", name_note) or None
            asking = False
        try:
            return await connect_as_oneself(stack, url, name), note
        except ConnectionLost as error:
            if options.url is not None or note:
                raise
            if own_server is None:
                raise Closed(NO_SERVER) from error
            url = await stack.enter_async_context(own_server())
            note = f"No server runs here, so this game has one of its own, in memory: {url}"
        except RequestError as error:
            if error.code not in ("bad_message", "name_taken"):
                raise
            name_note = BAD_NAME if error.code == "bad_message" else NAME_TAKEN
            if options.name is not None:
                raise Closed(name_note) from error
            asking = True


async def come_back(stack: AsyncExitStack, options: Options, room: str) -> tuple[Connection, Table] | None:
    """The seat in ``room`` that was left from here, if there is one.

    A seat that leads nowhere where it was left is forgotten; another server may just be the wrong one.
    """
    url = options.url or DEFAULT_URL
    for seat in kept(room):
        connection = Connection(url, name=options.name, token=seat.token)
        try:
            await stack.enter_async_context(connection)
            answer = await connection.request({"type": "watch", "room": room})
        except RequestError as error:
            if error.code not in ("bad_token", "unknown_room"):
                raise
        except ConnectionLost:
            return None
        else:
            if answer["seat"] is not None:
                table = await first_look(connection, room, options)
                if seat.give_up():
                    return connection, table
        if seat.url == url:
            seat.give_up()
        await connection.close()
    return None


async def look_ahead(options: Options, room: str) -> None:
    """Raise Closed, RequestError or ConnectionLost where there is no seat to be had: then no name need be asked for."""
    try:
        async with Connection(options.url or DEFAULT_URL) as connection:
            await connection.request({"type": "watch", "room": room})
            status = (await first_look(connection, room, options)).state["status"]
    except ConnectionLost as error:
        if options.url is None:
            raise Closed(NO_SERVER) from error
        raise
    if status != "waiting":
        over = status == "over"
        raise _no_seat("The game is over." if over else "Both seats are taken.", room, options, over=over)


async def join(connection: Connection, room: str, options: Options) -> None:
    """Sit down in ``room``. Raises Closed with the way to watch it where that cannot be, RequestError."""
    wanted = options.side if options.side in SIDES else None
    try:
        await connection.request({"type": "join", "room": room, "seat": wanted})
    except RequestError as error:
        if error.code in ("seat_taken", "game_over"):
            raise _no_seat(error.message, room, options, over=error.code == "game_over") from error
        raise


def _no_seat(why: str, room: str, options: Options, *, over: bool) -> Closed:
    begin = " --from 0" if over else ""
    return Closed(f"{why} You can watch it: noughts watch {printable(room)}{begin}{options.address}")


async def first_look(connection: Connection, room: str, options: Options) -> Table:
    """The table in ``room``, whose snapshot is under way. Raises Closed, ConnectionLost."""
    with suppress(StopAsyncIteration):
        while True:
            message = await anext(connection)
            if message["type"] == "room" and message["room"] == room:
                return table_of(connection, message, options)
            if message["type"] == "gone":
                break
    raise Closed("The room is gone.")


def table_of(connection: Connection, snapshot: Snapshot, options: Options) -> Table:
    """The table of which ``snapshot`` has just come."""
    table = Table(
        game=next(game for game in connection.welcome["games"] if game["key"] == snapshot["game"]),
        me=connection.welcome["player"]["id"],
        room=snapshot["room"],
        version=snapshot["version"],
        options=snapshot["options"],
        state=snapshot["state"],
        numpad=options.numpad,
        values=options.values,
    )
    return table.anew(snapshot, steady_ms())


def with_invitation(table: Table, url: str) -> Table:
    """The table with the words that bring somebody to its open seat, if it has one."""
    if table.state["status"] != "waiting":
        return table
    address = "" if url == DEFAULT_URL else f" --url {url}"
    note = table.note
    if urlsplit(url).hostname in LOOPBACK:
        elsewhere = LOOPBACK_URL if address else NO_URL
        note = f"{note} Only this machine reaches it." if note else elsewhere
    return replace(table, invitation=f"noughts play --room {table.room}{address}", note=note)
