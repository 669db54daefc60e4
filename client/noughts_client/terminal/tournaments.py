"""``noughts tournament``: open, enter and run tournaments, and follow the standings."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any, cast

from noughts.columns import printable, table
from noughts.protocol.room_messages import PlayerInfo
from noughts.protocol.tournament_files import round_in_words
from noughts.protocol.tournament_messages import StandingRow, TournamentInfo, TournamentList, TournamentListing
from noughts_client.address import id_in
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.credentials import registration_at, sign_in
from noughts_client.terminal.download import NoDownload, download
from noughts_client.terminal.options import DEFAULT_URL, CommandError
from noughts_client.terminal.printing import tell
from noughts_client.terminal.table import display_name

ACTS = ("enter", "start", "pause", "resume", "end")
"""The acts of players and organisers that need no more words."""

KINDS = ("json", "csv", "games.csv", "trf")
"""The files of a tournament that a server offers: see :mod:`noughts.protocol.tournament_files`."""

FORMATS = {"round_robin": "round robin", "swiss": "Swiss", "arena": "arena", "gauntlet": "gauntlet", "ladder": "ladder"}


def tournament_id(text: str) -> str:
    """The id of a tournament, which may stand at the end of a link. Raises ValueError."""
    found = id_in(text)
    if found is None:
        raise ValueError(f"{text!r} is not the id of a tournament")
    return found


async def tournaments(url: str | None) -> int:
    """Print the list of tournaments. Returns the exit status."""

    async def show(connection: Connection) -> None:
        answer = cast(TournamentList, await connection.request({"type": "tournaments"}))
        tell(*list_lines(answer["tournaments"]))

    return await _at(url, show, named=False)


async def opened(url: str | None, terms: Mapping[str, Any]) -> int:
    """Open a tournament and print its id. ``terms`` are the fields of the request. Returns the exit status."""

    async def open_it(connection: Connection) -> None:
        answer = await connection.request({"type": "open_tournament", **terms})
        tournament = answer["tournament"]
        if terms["format"] == "ladder":
            enter = f"noughts bot BOT --token TOKEN --tournament {tournament}"
            tell(f"The ladder {tournament} goes on from now on. A registered bot enters with: {enter}")
        else:
            tell(
                f"Tournament {tournament} is open. To enter: noughts tournament enter {tournament}",
                f"When all are there: noughts tournament start {tournament}",
            )

    return await _at(url, open_it)


async def act(url: str | None, act: str, tournament: str, player: str | None = None) -> int:
    """Enter a tournament, withdraw, or do as its organiser what ``act`` says. Returns the exit status.

    After entering, it shows each game that the player is called to, until it is interrupted or the tournament is over.
    """

    async def do_it(connection: Connection) -> None:
        if act == "withdraw":
            request = {"type": "withdraw", "tournament": tournament}
            await connection.request({**request, "player": player} if player is not None else request)
        else:
            await connection.request({"type": f"{act}_tournament", "tournament": tournament})
        if act == "enter":
            tell("You have entered. Leave this open: it tells you of your games.")
            await _follow_calls(connection, tournament)
        else:
            tell(*info_lines(await _shown(connection, tournament))[:2])

    return await _at(url, do_it)


async def adjudicated(url: str | None, tournament: str, room: str, result: str) -> int:
    """Decide a game as the organiser. Returns the exit status."""

    async def decide(connection: Connection) -> None:
        await connection.request({"type": "adjudicate", "tournament": tournament, "room": room, "result": result})

    return await _at(url, decide)


async def shown(url: str | None, tournament: str, *, follow: bool, cross: bool) -> int:
    """Print the standings, ``cross``: with what each did in each round; again after each change if ``follow``.

    Returns the exit status.
    """

    async def show(connection: Connection) -> None:
        info = await _shown(connection, tournament, watch=follow, results=cross)
        tell(*info_lines(info))
        messages = aiter(connection)
        while follow and info["tournament"]["status"] != "finished":
            message = await anext(messages)
            if message["type"] == "tournament" and message["tournament"]["tournament"] == tournament:
                # What is pushed has no cross table.
                info = await _shown(connection, tournament, watch=True, results=True) if cross else message
                tell("", *info_lines(info))
            elif message["type"] == "connection" and message["state"] == "restored":
                info = await _shown(connection, tournament, watch=True, results=cross)

    return await _at(url, show, named=False)


async def exported(url: str | None, tournament: str, kind: str) -> int:
    """Write a tournament as a file to stdout: ``kind`` is one of :data:`KINDS`. Returns the exit status."""

    async def export(connection: Connection) -> None:
        sys.stdout.write((await download(connection.url, f"tournaments/{tournament}.{kind}")).decode())

    return await _at(url, export, named=False)


def list_lines(listed: list[TournamentListing]) -> list[str]:
    """The tournaments, line by line."""
    if not listed:
        return ["There is no tournament. Open one with: noughts tournament open NAME"]
    rows = [
        (
            each["status"],
            FORMATS[each["format"]],
            each["game"],
            f"{each['players']} players",
            printable(each["name"]),
            f"by {display_name(each['by'])}",
            each["tournament"],
        )
        for each in listed
    ]
    return table(rows)


def info_lines(info: TournamentInfo) -> list[str]:
    """A tournament, line by line: its name, its state, the standings, and the games under way."""
    listed = info["tournament"]
    lines = [
        f"{printable(listed['name'])}: {FORMATS[listed['format']]}, {listed['game']}, {listed['players']} players",
        _state(info),
    ]
    if rows := info["standings"]:
        breaks = [name for name in TIE_BREAKS if any(name in row for row in rows)]
        rounds = max((len(row.get("results", ())) for row in rows), default=0)
        number = ("no.",) if rounds else ()
        head = (
            "",
            *number,
            "player",
            "won-drawn-lost" if listed["format"] == "ladder" else "points",
            *(TIE_BREAKS[name] for name in breaks),
            *map(str, range(1, rounds + 1)),
        )
        body = [_row(row, breaks, rounds) for row in rows]
        numbers = range(len(number) + 2, len(number) + 3 + len(breaks))
        lines += ["", *table([head, *body], right=[*range(len(number) + 1), *numbers])]
    playing = [game for game in info["games"] if game["points"] is None]
    if playing:
        lines += ["", "Playing now:"]
        lines += table(
            (f"{display_name(game['first'])} - {display_name(game['second'])}", game["room"]) for game in playing
        )
    return lines


TIE_BREAKS = {
    "buchholz": "Buchholz",
    "sonneborn_berger": "Sonneborn-B.",
    "direct_encounter": "direct",
    "performance": "performance",
    "rating": "rating",
    "deviation": "deviation",
}
"""The tie-breaks by their fields, with the rating on a ladder, and the titles of their columns."""


RESTS = {"budget": " (no games left today)", "absent": " (did not come to its games)"}
"""The reasons for which a bot on a ladder is not paired."""


def _state(info: TournamentInfo) -> str:
    listed = info["tournament"]
    match listed["status"]:
        case "open":
            return f"Open for entries{', starts at ' + listed['starts_at'] if 'starts_at' in listed else ''}."
        case "finished":
            return "Over."
    paused = ", paused" if info["paused"] else ""
    if "ends_at" in listed:
        return f"Under way until {listed['ends_at']}{paused}."
    if listed["format"] == "ladder":
        return f"Without end{paused}. Games a day for each bot, and for each address of bots: {listed['budget']}."
    if not listed["round"]:
        return f"Started, rounds: {listed['rounds']}{paused}."
    return f"Round {listed['round']} of {listed['rounds']}{paused}."


def _row(row: StandingRow, breaks: list[str], rounds: int) -> tuple[str, ...]:
    left = f" ({row['withdrawn']})" if "withdrawn" in row else RESTS.get(row.get("rests", ""), "")
    points = f"{row['won']}-{row['drawn']}-{row['lost']}" if "deviation" in row else f"{row['points']:g}"
    values = [cast(Mapping[str, float | int], row).get(name) for name in breaks]
    results = [round_in_words(each) for each in row.get("results", ())]
    return (
        f"{row['place']}.",
        *([str(row["number"])] if rounds else []),
        f"{_who(row['player'])}{left}",
        points,
        *("" if value is None else f"{value:g}" for value in values),
        *results,
        *[""] * (rounds - len(results)),
    )


def _who(player: PlayerInfo) -> str:
    return f"{display_name(player)}{', a bot' if player['kind'] == 'bot' else ''}"


async def _shown(connection: Connection, tournament: str, **more: bool) -> TournamentInfo:
    return cast(TournamentInfo, await connection.request({"type": "tournament", "tournament": tournament, **more}))


async def _follow_calls(connection: Connection, tournament: str) -> None:
    """Tell of each game to which the player is called, until the tournament is over."""
    info = await _shown(connection, tournament, watch=True)
    if info["tournament"]["status"] == "finished":
        return
    async for message in connection:
        if message["type"] == "tournament_game" and message["tournament"] == tournament:
            tell(
                f"Round {message['round']}: you play {_who(message['opponent'])}, and "
                f"{'move first' if message['seat'] == 'first' else 'move second'}.",
                f"In another terminal: noughts play {message['room']}",
            )
        elif message["type"] == "tournament" and message["tournament"]["tournament"] == tournament:
            if message["tournament"]["status"] == "finished":
                tell(*info_lines(message))
                return
        elif message["type"] == "connection" and message["state"] == "restored":
            await _shown(connection, tournament, watch=True)


async def _at(url: str | None, do: Any, *, named: bool = True) -> int:
    """Call ``do`` with a connection to the server, as the player who is registered there; the exit status."""
    url = url or DEFAULT_URL
    try:
        if named and registration_at(url) is None:
            raise CommandError(f"You have no name at {url}. Run: noughts register NAME")
        async with AsyncExitStack() as stack:
            await do(await sign_in(stack, url, None))
    except RequestError as error:
        return _fail(error.message)
    except (CommandError, ConnectionLost, NoDownload) as error:
        return _fail(str(error))
    except asyncio.CancelledError:
        return 130
    return 0


def _fail(message: str) -> int:
    tell(f"noughts tournament: {printable(message)}", error=True)
    return 1
