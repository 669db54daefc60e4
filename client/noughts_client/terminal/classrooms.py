"""``noughts classroom``: make a class on a server, join one, and follow what its students do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, cast

from noughts.columns import printable, table
from noughts.protocol.class_messages import (
    ClassGamesInfo,
    ClassInfo,
    ClassList,
    SimulOpened,
    Student,
    StudentPlayer,
)
from noughts_client.connection import Connection
from noughts_client.handshake import ConnectionLost, RequestError
from noughts_client.terminal.credentials import registration_at, sign_in
from noughts_client.terminal.options import DEFAULT_URL, CommandError
from noughts_client.terminal.printing import tell
from noughts_client.terminal.table import display_name

Do = Callable[[Connection], Awaitable[None]]


async def classes(url: str | None) -> int:
    """Print the classes of the player. Returns the exit status."""

    async def show(connection: Connection) -> None:
        answer = cast(ClassList, await connection.request({"type": "classes"}))
        if not answer["classes"]:
            return tell("You have no class. Make one with: noughts classroom make TITLE ROSTER")
        rows = [
            (
                printable(each["title"]),
                f"you are {printable(each['name'])}" if "name" in each else f"{each['names']} students",
                f"by {display_name(each['by'])}",
                each["class_id"],
            )
            for each in answer["classes"]
        ]
        return tell(*table(rows))

    return await _at(url, show)


async def made(url: str | None, title: str, names: Sequence[str]) -> int:
    """Make a class, and print its id. Returns the exit status."""

    async def make(connection: Connection) -> None:
        answer = await _request(connection, {"type": "make_class", "title": title, "names": list(names)})
        name = answer["listing"]["class_id"]
        tell(
            f"Class {name} has {len(names)} names. Students join in the browser, at /classes/{name} of the server,",
            f"or in a terminal: noughts classroom join {name} NAME",
            f"To see what they do: noughts classroom show {name} --follow",
        )

    return await _at(url, make)


async def changed(url: str | None, name: str, changes: Mapping[str, Any]) -> int:
    """Change a class as its organiser, and print it. ``changes`` are fields of the request; returns the exit status."""

    async def change(connection: Connection) -> None:
        tell(*info_lines(await _request(connection, {"type": "change_class", "class_id": name, **changes})))

    return await _at(url, change)


async def shown(url: str | None, name: str, *, follow: bool) -> int:
    """Print a class, again after each change if ``follow``. Returns the exit status."""

    async def show(connection: Connection) -> None:
        info = await _request(connection, {"type": "class", "class_id": name, "watch": follow})
        tell(*info_lines(info))
        if not follow or "students" not in info:
            return
        async for message in connection:
            if message["type"] == "class" and message["listing"]["class_id"] == name:
                info = message
            elif message["type"] == "class_changes" and message["class_id"] == name:
                changed = {row["name"]: row for row in message["students"]}
                info = {**info, "students": [changed.get(row["name"], row) for row in info.get("students", [])]}
            elif message["type"] == "connection" and message["state"] == "restored":
                info = await _request(connection, {"type": "class", "class_id": name, "watch": True})
            else:
                continue
            tell("", *info_lines(info))

    return await _at(url, show)


async def joined(url: str | None, name: str, who: str) -> int:
    """Take a name in a class, and hear of games of a simul until interrupted. Returns the exit status."""

    async def join(connection: Connection) -> None:
        answer = await _request(connection, {"type": "join_class", "class_id": name, "name": who})
        tell(
            f"You are {printable(answer['listing'].get('name', who))} in {printable(answer['listing']['title'])}.",
            "Leave this open: it tells you of your games.",
        )
        async for message in connection:
            if message["type"] == "simul_game" and message["class_id"] == name:
                tell(
                    f"You play {display_name(message['opponent'])}, and move {message['seat']}.",
                    f"In another terminal: noughts play {message['room']}",
                )

    return await _at(url, join)


async def act(url: str | None, request: Mapping[str, Any]) -> int:
    """Send a request that is answered in a word: leave or delete a class, or free a name. Returns the exit status."""

    async def do_it(connection: Connection) -> None:
        await connection.request(dict(request))
        tell("Done.")

    return await _at(url, do_it)


async def games(url: str | None, name: str, who: str) -> int:
    """Print the last games of a student, as the organiser. Returns the exit status."""

    async def show(connection: Connection) -> None:
        request = {"type": "class_games", "class_id": name, "name": who}
        answer = cast(ClassGamesInfo, await connection.request(request))
        rows = [
            (
                game["ended_at"][:16].replace("T", " "),
                game["result"],
                game["game"],
                f"against {printable(game['name'])}" if "name" in game else "",
                "the bot" if "bot" in game else "",
                "reviewed" if "reviewed" in game else "",
                game["room"],
            )
            for game in answer["games"]
        ]
        tell(*(table(rows) or ["No game yet."]))

    return await _at(url, show)


async def simul(url: str | None, request: Mapping[str, Any]) -> int:
    """Open a game against each student who is there, and print the rooms. Returns the exit status."""

    async def open_it(connection: Connection) -> None:
        answer = cast(SimulOpened, await connection.request(dict(request)))
        tell(*(f"noughts play {room}" for room in answer["rooms"]))

    return await _at(url, open_it)


def info_lines(info: ClassInfo) -> list[str]:
    """A class, line by line: its title, and what each student does and has done."""
    listing = info["listing"]
    lines = [f"{printable(listing['title'])}: {listing['names']} students, by {display_name(listing['by'])}"]
    if "name" in listing:
        return [*lines, f"You are {printable(listing['name'])}."]
    if "free" in info:
        return [*lines, "Free names:", *(f"  {printable(each)}" for each in info["free"])]
    students = info.get("students", [])
    here = sum(row.get("person", NOBODY)["here"] for row in students)
    solves = f" of {info['solves']}" if "solves" in info else ""
    head = ("student", "now", "won-drawn-lost", f"puzzles{solves}", "reviews", "bot")
    rows = [head, *(_row(row) for row in students)]
    return [*lines, f"{here} here.", "", *table(rows)]


NOBODY: StudentPlayer = {"here": False, "games": [], "won": 0, "drawn": 0, "lost": 0, "form": "", "reviewed": 0}


def _row(row: Student) -> tuple[str, ...]:
    person, bot = row.get("person"), row.get("bot")
    played = "" if person is None else f"{person['won']}-{person['drawn']}-{person['lost']}"
    reviewed = "" if person is None else str(person["reviewed"])
    handed_in = "" if bot is None or "player" not in bot else f"{_now(bot)}, {bot['won']}-{bot['drawn']}-{bot['lost']}"
    return printable(row["name"]), _now(person), played, str(row["puzzles"]), reviewed, handed_in


def _now(one: StudentPlayer | None) -> str:
    if one is None or "player" not in one:
        return "not joined"
    if not one["here"]:
        return "away"
    if one.get("asks"):
        return "asks for help"
    for game in one["games"]:
        if "opponent" in game:
            return f"plays {printable(game.get('name', '')) or display_name(game['opponent'])}"
    if one["games"]:
        return "waits for an opponent"
    return "reads a review" if one.get("reads") else "here"


async def _request(connection: Connection, request: dict[str, Any]) -> ClassInfo:
    return cast(ClassInfo, await connection.request(request))


async def _at(url: str | None, do: Do) -> int:
    """Call ``do`` with a connection to the server, as the player who is registered there; the exit status."""
    url = url or DEFAULT_URL
    try:
        if registration_at(url) is None:
            raise CommandError(f"You have no name at {url}. Run: noughts register NAME")
        async with AsyncExitStack() as stack:
            await do(await sign_in(stack, url, None))
    except RequestError as error:
        return _fail(error.message)
    except (CommandError, ConnectionLost) as error:
        return _fail(str(error))
    except asyncio.CancelledError:
        return 130
    return 0


def _fail(message: str) -> int:
    tell(f"noughts classroom: {printable(message)}", error=True)
    return 1
