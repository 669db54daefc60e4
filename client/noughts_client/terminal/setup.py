"""What is asked before a game, and how a table is come by."""

from __future__ import annotations

import random
import shutil
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from noughts.protocol.messages import GameInfo, Listing, SideName
from noughts_client.connection import Connection
from noughts_client.dial import LOOPBACK, ConnectionLost, RequestError
from noughts_client.terminal.board import Fragments
from noughts_client.terminal.kept import kept
from noughts_client.terminal.options import DEFAULT_URL, Options, OwnServer
from noughts_client.terminal.screen import Page, Screen
from noughts_client.terminal.sitting import Closed
from noughts_client.terminal.table import Table, called, other, printable
from noughts_client.terminal.view import fit, text

SIDES: tuple[SideName, SideName] = ("first", "second")
BAD_NAME = "A name has 1 to 32 characters, all of them visible, and no blank at either end."
AROUND = 4
"""How many lines of a window are needed around a list of games: for the question, the entry and a note."""
NO_URL = "On another machine it takes --url too, with an address that the server printed."
LOOPBACK_URL = "On another machine --url must be an address of the server that is reached from there."
NO_SERVER = f"No server answers at {DEFAULT_URL}. Start one with: noughts serve"
PEOPLE = ("friend", "anybody", "room")


async def to_play(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer
) -> tuple[Connection, Table]:
    """Ask what ``options`` leave open, connect, and sit down; what is opened is left to ``stack``.

    Raises EOFError when whoever is asked leaves, and ConnectionLost, RequestError or Closed when there is no
    playing as wanted.
    """
    against = "room" if options.room else options.against or await choose(screen, "Who do you play against?", OPPONENTS)
    room = options.room
    if against == "room" and not room:
        room = await ask(screen, "What is the room's id?")
    if room and (returned := await _come_back(stack, options, room)):
        return returned
    if room and options.name is None:
        await _look_ahead(options, room)
    # Nobody can be met on a server of one's own but whom one invites, so there is no use in one then.
    alone = None if against in ("anybody", "room") else own_server
    connection, note = await _connect(stack, screen, options, alone, named=against in PEOPLE)
    if room:
        await _join(connection, room, options)
    else:
        game = await _game(connection, screen, options.game, ask=options.against is None)
        levels = game["levels"]
        if against == "computer":
            against = await choose(screen, "How strong?", [(level, level) for level in levels])
        elif against not in (*PEOPLE, *levels):
            raise Closed(f"There is no opponent {printable(against)!r} here, but friend, anybody, {', '.join(levels)}.")
        side = await _side(screen, game, options.side)
        room = await _open(connection, game["key"], side, against)
    table = replace(await first_look(connection, room), numpad=options.numpad, values=options.values, note=note)
    if table.state["status"] == "waiting":
        address = "" if connection.url == DEFAULT_URL else f" --url {connection.url}"
        table = replace(table, invitation=f"noughts play --room {room}{address}")
        if urlsplit(connection.url).hostname in LOOPBACK:
            elsewhere = LOOPBACK_URL if address else NO_URL
            table = replace(table, note=f"{note} Only this machine reaches it." if note else elsewhere)
    return connection, table


async def to_watch(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer
) -> tuple[Connection, Table]:
    """Connect and look at the room of ``options``, at two computers, or at one of the lobby's rooms.

    Raises like :func:`to_play`.
    """
    if options.between is not None:
        return await _two_computers(stack, screen, options, own_server, options.between)
    connection = await stack.enter_async_context(Connection(options.url or DEFAULT_URL, name=options.name))
    room = options.room
    if not room:
        listings = (await connection.request({"type": "lobby", "game": options.game})).get("rooms", [])
        if not listings:
            raise Closed(
                f"No public game is under way. Start one with: noughts play --against anybody{options.address}"
            )
        fitting = max(1, shutil.get_terminal_size().lines - AROUND)
        rooms = [(listing["room"], _described(connection, listing)) for listing in listings[:fitting]]
        more = f" (the newest {fitting} of {len(listings)})" if len(listings) > fitting else ""
        room = await choose(screen, f"Which game?{more}", rooms)
    await connection.request({"type": "watch", "room": room})
    return connection, replace(await first_look(connection, room), numpad=options.numpad, values=options.values)


async def _two_computers(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer, levels: tuple[str, str]
) -> tuple[Connection, Table]:
    connection, note = await _connect(stack, screen, options, own_server, named=False)
    game = await _game(connection, screen, options.game, ask=False)
    for level in levels:
        if level not in game["levels"]:
            raise Closed(f"There is no level {printable(level)!r} here, but {', '.join(game['levels'])}.")
    seats = {side: f"computer:{level}" for side, level in zip(SIDES, levels, strict=True)}
    answer = await connection.request({"type": "create", "game": game["key"], "seats": seats})
    table = await first_look(connection, answer["room"])
    return connection, replace(table, numpad=options.numpad, values=options.values, note=note)


async def first_look(connection: Connection, room: str) -> Table:
    """The table in ``room``, whose snapshot is under way."""
    async for message in connection:
        if message["type"] == "room" and message["room"] == room:
            game = next(game for game in connection.welcome["games"] if game["key"] == message["game"])
            me = connection.welcome["player"]["id"]
            return Table(game=game, me=me, room=room, version=message["version"], state=message["state"])
        if message["type"] == "gone":
            break
    raise Closed("The room is gone.")


# --- questions

OPPONENTS = [
    ("computer", "the computer"),
    ("friend", "a friend, by invitation"),
    ("anybody", "anybody"),
    ("room", "whoever has sent me the id of a room"),
]


async def choose(screen: Screen, asked: str, choices: list[tuple[str, str]]) -> str:
    """The value of the choice taken from (value, label), the first if nothing is typed. Raises EOFError."""
    note = ""
    while True:
        screen.show(Page(partial(_choices, asked, choices), "[1] > ", note))
        line = (await screen.line()).strip().casefold()
        if line in ("q", "quit"):
            raise EOFError
        for number, (value, label) in enumerate(choices, 1):
            if line in (str(number), value.casefold(), label.casefold()) or (not line and number == 1):
                return value
        note = f"Type a number, 1 to {len(choices)}, or q to leave."


async def ask(screen: Screen, asked: str, note: str = "") -> str:
    """What is typed. Raises EOFError."""
    screen.show(Page(partial(text, asked, style="bold"), "> ", note))
    return (await screen.line()).strip()


def _choices(asked: str, choices: list[tuple[str, str]], width: int) -> list[Fragments]:
    labels = [fit(f"  {number}  {label}", width) for number, (_, label) in enumerate(choices, 1)]
    return text(asked, width, "bold") + [[("", label)] for label in labels]


async def _game(connection: Connection, screen: Screen, wanted: str | None, *, ask: bool) -> GameInfo:
    """The game that is wanted; the first where none is, and there is nothing to ``ask``."""
    games = {game["key"]: game for game in connection.welcome["games"]}
    if wanted is None and ask and len(games) > 1:
        wanted = await choose(screen, "Which game?", [(key, game["title"]) for key, game in games.items()])
    if wanted is None:
        wanted = next(iter(games))
    if wanted not in games:
        raise Closed(f"There is no game {printable(wanted)!r} here, but {', '.join(games)}.")
    return games[wanted]


async def _side(screen: Screen, game: GameInfo, wanted: str | None) -> SideName | None:
    """The side to take, None for either."""
    names = {side: game["sides"][side]["name"] for side in SIDES}
    if wanted is None:
        choices = [("first", f"{names['first']}, who begins"), ("second", names["second"]), ("random", "either")]
        wanted = await choose(screen, "Which side do you take?", choices)
    for side in SIDES:
        if wanted.casefold() in (side, names[side].casefold()):
            return side
    if wanted != "random":
        raise Closed(f"There is no side {printable(wanted)!r}, but {', '.join(names.values())}, random.")
    return None


# --- seats


async def _connect(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer | None, *, named: bool
) -> tuple[Connection, str]:
    """A connection, and a word on where it leads if that was our doing."""
    url, note = options.url or DEFAULT_URL, ""
    name, name_note = options.name, ""
    asking = named and name is None
    while True:
        if asking:
            name = await ask(screen, "What is your name? (Enter for a guest's)", name_note) or None
            asking = False
        try:
            return await stack.enter_async_context(Connection(url, name=name)), note
        except ConnectionLost as error:
            if options.url is not None or note:
                raise
            if own_server is None:
                raise Closed(NO_SERVER) from error
            url = await stack.enter_async_context(own_server())
            note = f"No server runs here, so this game has one of its own, in memory: {url}"
        except RequestError as error:
            if error.code != "bad_message":
                raise
            if options.name is not None:
                raise Closed(BAD_NAME) from error
            asking, name_note = True, BAD_NAME


async def _come_back(stack: AsyncExitStack, options: Options, room: str) -> tuple[Connection, Table] | None:
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
                table = replace(await first_look(connection, room), numpad=options.numpad, values=options.values)
                if seat.give_up():
                    return connection, table
        if seat.url == url:
            seat.give_up()
        await connection.close()
    return None


async def _look_ahead(options: Options, room: str) -> None:
    """Raise Closed, RequestError or ConnectionLost where there is no seat to be had: then no name need be asked for."""
    try:
        async with Connection(options.url or DEFAULT_URL) as connection:
            await connection.request({"type": "watch", "room": room})
            status = (await first_look(connection, room)).state["status"]
    except ConnectionLost as error:
        if options.url is None:
            raise Closed(NO_SERVER) from error
        raise
    if status != "waiting":
        raise _no_seat("The game is over." if status == "over" else "Both seats are taken.", room, options)


def _no_seat(why: str, room: str, options: Options) -> Closed:
    return Closed(f"{why} You can watch it: noughts watch {printable(room)}{options.address}")


async def _join(connection: Connection, room: str, options: Options) -> None:
    wanted = options.side if options.side in SIDES else None
    try:
        await connection.request({"type": "join", "room": room, "seat": wanted})
    except RequestError as error:
        if error.code in ("seat_taken", "game_over"):
            raise _no_seat(error.message, room, options) from error
        raise


async def _open(connection: Connection, game: str, side: SideName | None, against: str) -> str:
    """The room in which the viewer has sat down: a new one, or for ``anybody`` one that waits in the lobby."""
    if against == "anybody":
        listings = (await connection.request({"type": "lobby", "game": game})).get("rooms", [])
        for listing in listings:
            for seat in [side] if side else SIDES:
                if listing["status"] == "waiting" and listing["seats"][seat] is None:
                    try:
                        await connection.request({"type": "join", "room": listing["room"], "seat": seat})
                    except RequestError:
                        continue  # somebody was faster
                    return listing["room"]
    mine: SideName = random.choice(SIDES) if side is None else side
    seats = {mine: "me", other(mine): "open" if against in PEOPLE else f"computer:{against}"}
    answer = await connection.request({"type": "create", "game": game, "seats": seats, "private": against == "friend"})
    return answer["room"]


def _described(connection: Connection, listing: Listing) -> str:
    titles = {game["key"]: game["title"] for game in connection.welcome["games"]}
    seats = [listing["seats"][side] for side in SIDES]
    names = " - ".join(called(seat) + ("" if seat["online"] else " (away)") if seat else "(open)" for seat in seats)
    return f"{names}, {titles.get(listing['game'], listing['game'])}, {listing['status']}"
