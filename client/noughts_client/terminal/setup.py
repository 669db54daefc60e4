"""How a table is come by: what is said on the command line, asked, looked for or chosen."""

from __future__ import annotations

import random
from contextlib import AsyncExitStack
from dataclasses import replace

from noughts.protocol.messages import SideName
from noughts_client.connection import Connection
from noughts_client.control import Control
from noughts_client.terminal.arriving import come_back, connect, first_look, join, look_ahead, with_invitation
from noughts_client.terminal.choosing import choose_room
from noughts_client.terminal.names import connect_as_oneself
from noughts_client.terminal.options import DEFAULT_URL, Options, OwnServer
from noughts_client.terminal.questions import OPPONENTS, ask, choose, clock_of, which_clock, which_game, which_side
from noughts_client.terminal.replaying import NO_VALUES, Replaying, file_named, of_file, of_room
from noughts_client.terminal.screen import Screen
from noughts_client.terminal.seeking import seek
from noughts_client.terminal.sitting import Closed
from noughts_client.terminal.table import SIDES, Table, Wanted, other, printable

PEOPLE = ("friend", "anybody", "room")


async def to_play(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer
) -> tuple[Connection, Table]:
    """Ask what ``options`` leave open, connect, and sit down; what is opened is left to ``stack``.

    Raises EOFError when whoever is asked leaves, and ConnectionLost, RequestError or Closed when there is no
    playing as wanted.
    """
    clock_of(options.clock)
    against = "room" if options.room else options.against or await choose(screen, "Who do you play against?", OPPONENTS)
    _require_sense(options, against)
    room = options.room
    if against == "room" and not room:
        room = await ask(screen, "What is the room's id?")
    if room and (returned := await come_back(stack, options, room)):
        return returned
    if room and options.name is None:
        await look_ahead(options, room)
    # Nobody can be met on a server of one's own but whom one invites, so there is no use in one then.
    alone = None if against in ("anybody", "room") else own_server
    connection, note = await connect(stack, screen, options, alone, named=against in PEOPLE)
    if room:
        await join(connection, room, options)
    else:
        # A script is asked nothing more; who looks for anybody meets only those who want the same.
        asking = options.against is None or (against == "anybody" and not screen.patient)
        game = await which_game(connection.welcome["games"], screen, options.game, ask=asking)
        levels = game["levels"]
        if against == "computer":
            against = await choose(screen, "How strong?", [(level, level) for level in levels])
        elif against not in (*PEOPLE, *levels):
            raise Closed(f"There is no opponent {printable(against)!r} here, but friend, anybody, {', '.join(levels)}.")
        if against == "anybody":
            clock = _rated_or_not(await which_clock(screen, options.clock, ask_for=asking), options)
            return connection, await seek(connection, screen, options, Wanted(game["key"], clock, options.rated))
        side = await which_side(screen, game, options.side)
        clock = _rated_or_not(await which_clock(screen, options.clock, ask_for=asking), options)
        mine: SideName = random.choice(SIDES) if side is None else side
        seats = {mine: "me", other(mine): "open" if against in PEOPLE else f"computer:{against}"}
        request = {"type": "create", "game": game["key"], "seats": seats, "private": against == "friend"}
        room = (await connection.request({**request, "clock": clock, "rated": options.rated}))["room"]
    table = await first_look(connection, room, options)
    return connection, with_invitation(replace(table, note=note), connection.url)


def _require_sense(options: Options, against: str) -> None:
    """Raise Closed for what cannot be, before more is asked."""
    if against == "anybody" and options.side not in (None, "random"):
        raise Closed("Who begins against anybody is drawn by lot: leave out --side.")
    if against == "friend" and options.rated:
        raise Closed(
            "A rated game is public, and a friend is invited in private: leave out --rated or --against friend."
        )
    if options.against not in (None, "anybody") and options.clock is None:
        _rated_or_not(None, options)


def _rated_or_not(clock: Control | None, options: Options) -> Control | None:
    """The clock, which a rated game needs. Raises Closed."""
    if options.rated and clock is None:
        raise Closed("A rated game needs a clock: say --clock 3+2, for one.")
    return clock


async def to_watch(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer
) -> tuple[Connection, Table] | Replaying:
    """Look at what ``options`` name: two computers, a file, or a room, by default one of the lobby's.

    A game that is over, or is wanted from some move on, is replayed. Raises like :func:`to_play`.
    """
    if options.from_ply is not None and options.from_ply < 0:
        raise Closed("A replay begins after 0 moves or more: --from 0 is the whole game.")
    if options.between is not None and (options.room or options.from_ply is not None):
        raise Closed("Two computers begin a new game: leave out the room and --from, or --between.")
    if options.values and (options.from_ply is not None or file_named(options.room)):
        raise Closed(NO_VALUES)
    if options.between is not None:
        return await _two_computers(stack, screen, options, own_server, options.between)
    if path := file_named(options.room):
        return await of_file(screen, path, options)
    connection = await connect_as_oneself(stack, options.url or DEFAULT_URL, options.name)
    room, over = options.room, False
    if not room:
        listing = await choose_room(connection, screen, options)
        room, over = listing["room"], listing["status"] == "over"
    if over or options.from_ply is not None:
        return await of_room(screen, connection, room, options)
    await connection.request({"type": "watch", "room": room})
    return connection, await first_look(connection, room, options)


async def _two_computers(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer, levels: tuple[str, str]
) -> tuple[Connection, Table]:
    connection, note = await connect(stack, screen, options, own_server, named=False)
    game = await which_game(connection.welcome["games"], screen, options.game, ask=False)
    for level in levels:
        if level not in game["levels"]:
            raise Closed(f"There is no level {printable(level)!r} here, but {', '.join(game['levels'])}.")
    seats = {side: f"computer:{level}" for side, level in zip(SIDES, levels, strict=True)}
    answer = await connection.request({"type": "create", "game": game["key"], "seats": seats})
    return connection, replace(await first_look(connection, answer["room"], options), note=note)
