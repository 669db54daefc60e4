"""The choice of what to play or watch: from the command line, from questions, or chosen in the lobby."""

from __future__ import annotations

import random
from contextlib import AsyncExitStack
from dataclasses import replace

from noughts.columns import printable
from noughts.games import GAMES
from noughts.games.sentences import level_of, no_such_game, no_such_level
from noughts.protocol.messages import GameInfo
from noughts.protocol.room_messages import SideName
from noughts_client.address import room_link
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost
from noughts_client.terminal.credentials import sign_in
from noughts_client.terminal.explainer import ExplainFile
from noughts_client.terminal.greeting import offered_games
from noughts_client.terminal.invitation import with_invitation
from noughts_client.terminal.join import (
    attend,
    connect,
    join,
    require_open_seat,
    return_to_seat,
    seek,
    wait_for_table,
)
from noughts_client.terminal.lobby import choose_room
from noughts_client.terminal.my_games import continue_line, return_to, unfinished
from noughts_client.terminal.options import DEFAULT_URL, CommandError, Options, OwnServer
from noughts_client.terminal.prompts import ask, choose, choose_level
from noughts_client.terminal.recordings import as_file, replay_file, replay_room
from noughts_client.terminal.replay import ReplayViewer
from noughts_client.terminal.screen import Screen
from noughts_client.terminal.table import SIDES, SeekTerms, Table, other
from noughts_client.terminal.text import HELP_WORDS
from noughts_client.time_control import TimeControl, parse_time_control

OPPONENTS = [
    ("computer", "the computer"),
    ("friend", "a friend you invite"),
    ("anybody", "anybody"),
    ("room", "somebody who sent me the link or id of a room"),
]
PEOPLE = ("friend", "anybody", "room")

CLOCK = (
    "With a clock? 3+2 is 3 minutes, and 2 s more with each move; 10/move is 10 s a move, 3d/move 3 days."
    " (Enter for none, h for help, q to leave)"
)
CLOCK_HELP = (
    "With 3+2 each side has 3 minutes for the whole game, and gets 2 more seconds with each of its moves; 30s+0.3 is"
    " 30 seconds, and 0.3 more. With 10/move it has 10 seconds for each move. A player who runs out of time loses."
    " With 3d/move it has 3 days for each move: nobody has to stay, and noughts games shows whose turn it is."
)


async def set_up_play(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer
) -> tuple[Connection, Table]:
    """Ask what ``options`` leave open, connect, and take a seat. ``stack`` closes what is opened.

    Raises EOFError when the user leaves, and ConnectionLost, RequestError or CommandError if it is not possible.
    """
    parse_clock(options.clock)
    options = options.followed()
    if options.game is not None and options.game not in GAMES and options.room is None:
        await _require_game(options, options.game)
    if options.room is None and options.against is None and not screen.scripted:
        known = {f"continue {number}": one for number, one in enumerate(await unfinished(options.url or DEFAULT_URL))}
        choices = [(value, continue_line(one)) for value, one in known.items()] + OPPONENTS
        against = await choose(screen, "Who do you play against?", choices)
        if against in known:
            return await return_to(stack, options, known[against])
    else:
        against = (
            "room" if options.room else options.against or await choose(screen, "Who do you play against?", OPPONENTS)
        )
    _require_consistency(options, against)
    room = options.room
    if against == "room" and not room:
        options = replace(options, room=await ask(screen, "What is the room's id or link? (q to leave)")).followed()
        room = options.room
    if room and (returned := await return_to_seat(stack, options, room)):
        return returned
    side = None
    if room and (options.name is None or options.side is not None):
        game = await require_open_seat(options, room)
        side = None if options.side is None else await choose_side(screen, game, options.side)
    # On a server of its own, a player meets nobody but friends who are invited.
    allowed_server = None if against in ("anybody", "room") else own_server
    connection, notice = await connect(stack, screen, options, allowed_server, ask_name=against in PEOPLE)
    if room:
        await join(connection, room, side, options)
    else:
        # A complete command asks nothing more. A seek asks, since it only finds players who want the same.
        asking = options.against is None or (against == "anybody" and not screen.scripted)
        game = await choose_game(offered_games(connection.welcome), screen, options.game, ask=asking)
        levels = game["levels"]
        if against == "computer":
            against = await choose_level(screen, levels)
        elif against not in PEOPLE and level_of(against, levels) is None:
            raise CommandError(f"{no_such_level(game['title'], against, levels)} Or play against a friend or anybody.")
        if against == "anybody":
            clock = _clock_if_rated(await choose_clock(screen, options.clock, ask=asking), options)
            terms = SeekTerms(game["key"], clock, options.rated, options.setup)
            return connection, await seek(connection, screen, options, terms)
        side = await choose_side(screen, game, options.side)
        clock = _clock_if_rated(await choose_clock(screen, options.clock, ask=asking), options)
        mine: SideName = random.choice(SIDES) if side is None else side
        seats = {mine: "me", other(mine): "open" if against in PEOPLE else f"computer:{level_of(against, levels)}"}
        request = {"type": "create", "game": game["key"], "seats": seats, "private": against == "friend"}
        wanted = {"setup": dict(options.setup), "clock": clock, "rated": options.rated}
        room = (await connection.request({**request, **wanted}))["room"]
    table = await wait_for_table(connection, room, options)
    page = connection.welcome.get("page", False)
    table = await with_invitation(replace(table, notice=notice), connection.url, options.addresses, page=page)
    return connection, table


async def _require_game(options: Options, key: str) -> None:
    """Raise CommandError, before any question, for a game that neither the server has nor, without one, this machine.

    A server may have games that this machine has not.
    """
    games = list(GAMES)
    async with AsyncExitStack() as stack:
        try:
            connection = await sign_in(stack, options.url or DEFAULT_URL, None)
        except ConnectionLost:
            if options.url is not None:
                raise
        else:
            games = [game["key"] for game in offered_games(connection.welcome)]
    if key not in games:
        raise CommandError(no_such_game(key, games))


def _require_consistency(options: Options, against: str) -> None:
    """Raise CommandError for options that contradict each other, before asking anything else."""
    if against == "anybody" and options.side not in (None, "random"):
        raise CommandError("The side against anybody is random: leave out --side.")
    if against == "friend" and options.rated:
        raise CommandError(
            "A rated game is public, and a game with a friend is private: leave out --rated or --against friend."
        )
    if options.against not in (None, "anybody") and options.clock is None:
        _clock_if_rated(None, options)


def _clock_if_rated(clock: TimeControl | None, options: Options) -> TimeControl | None:
    """The clock, which a rated game needs. Raises CommandError."""
    if options.rated and clock is None:
        raise CommandError("A rated game needs a clock: add for example --clock 3+2.")
    return clock


async def set_up_watch(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer, explain: ExplainFile
) -> tuple[Connection, Table] | ReplayViewer:
    """Watch what ``options`` name: two computers, a file, or a room, by default one chosen in the lobby.

    A game that is over is replayed, and so is one for which ``options`` name a ply; ``explain`` explains the game in a
    file. Raises like :func:`set_up_play`.
    """
    if options.between is not None and (options.room or options.from_ply is not None):
        raise CommandError("Two computers begin a new game: leave out the room and --from, or --between.")
    if options.between is not None:
        return await _two_computers(stack, screen, options, own_server, options.between)
    path = None if room_link(options.room or "") else as_file(options.room)
    if path is not None:
        return await replay_file(screen, path, options, explain)
    options = options.followed()
    connection = await sign_in(stack, options.url or DEFAULT_URL, options.name)
    attend(connection, screen)
    room, over = options.room, False
    if not room:
        listing = await choose_room(connection, screen, options)
        room, over = listing["room"], listing["status"] == "over"
    if over or options.from_ply is not None:
        return await replay_room(screen, connection, room, options)
    await connection.request({"type": "watch", "room": room})
    return connection, await wait_for_table(connection, room, options)


async def _two_computers(
    stack: AsyncExitStack, screen: Screen, options: Options, own_server: OwnServer, levels: tuple[str, str]
) -> tuple[Connection, Table]:
    connection, notice = await connect(stack, screen, options, own_server, ask_name=False)
    game = await choose_game(offered_games(connection.welcome), screen, options.game, ask=False)
    for level in levels:
        if level_of(level, game["levels"]) is None:
            raise CommandError(no_such_level(game["title"], level, game["levels"]))
    seats = {side: f"computer:{level_of(level, game['levels'])}" for side, level in zip(SIDES, levels, strict=True)}
    request = {"type": "create", "game": game["key"], "setup": dict(options.setup), "seats": seats}
    answer = await connection.request(request)
    return connection, replace(await wait_for_table(connection, answer["room"], options), notice=notice)


async def choose_game(known: list[GameInfo], screen: Screen, key: str | None, *, ask: bool) -> GameInfo:
    """The game with this key; without one the first, or with ``ask`` the user's choice.

    Raises CommandError, EOFError.
    """
    games = {game["key"]: game for game in known}
    if key is None and ask and len(games) > 1:
        key = await choose(screen, "Which game?", [(key, game["title"]) for key, game in games.items()])
    if key is None:
        key = next(iter(games))
    if key not in games:
        raise CommandError(no_such_game(key, games))
    return games[key]


async def choose_side(screen: Screen, game: GameInfo, name: str | None) -> SideName | None:
    """The side with this name, or the user's choice; None for a random side. Raises CommandError, EOFError."""
    names = {side: game["sides"][side]["name"] for side in SIDES}
    if name is None:
        choices = [("first", f"{names['first']}, moves first"), ("second", names["second"]), ("random", "random")]
        name = await choose(screen, "Which side do you take?", choices)
    for side in SIDES:
        if name.casefold() in (side, names[side].casefold()):
            return side
    if name.casefold() != "random":
        sides = _any_of([*names.values(), "random"])
        raise CommandError(f"No side {printable(name)!r} in {game['title']}. Choose {sides}.")
    return None


def parse_clock(text: str | None) -> TimeControl | None:
    """The time control given as an option. Raises CommandError."""
    try:
        return parse_time_control(text or "")
    except ValueError as error:
        raise CommandError(str(error)) from error


async def choose_clock(screen: Screen, text: str | None, *, ask: bool) -> TimeControl | None:
    """The time control given as an option; without one none, or with ``ask`` the user's choice.

    Raises CommandError, EOFError.
    """
    if text is not None:
        return parse_clock(text)
    return await _ask_clock(screen) if ask else None


async def _ask_clock(screen: Screen) -> TimeControl | None:
    notice = ""
    while True:
        text = await ask(screen, CLOCK, notice)
        if text.casefold() in HELP_WORDS:
            notice = CLOCK_HELP
            continue
        try:
            return parse_time_control(text)
        except ValueError as error:
            notice = str(error)


def _any_of(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
