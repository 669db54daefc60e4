"""``noughts admin``: manage players and ratings, in the journal itself, while servers may be using it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from noughts.cli.arguments import Parser, Subparsers, duration, whole
from noughts.cli.output import say
from noughts.cli.run import CommandFailed, run
from noughts.cli.settings import JOURNAL_SETTINGS, add_settings, take_settings
from noughts.columns import printable, table
from noughts.config import Settings
from noughts.gateway.address import bannable
from noughts.gateway.guests import new_player
from noughts.journal import FOREVER, Journal, StoredPlayer, StoredReport
from noughts.journal.talk import REPORTS
from noughts.opening import journal_of
from noughts.players.ids import log_name
from noughts.players.names import is_invisible, is_reserved
from noughts.players.tokens import new_token, token_hash
from noughts.protocol.messages import ChatLine, Listing
from noughts.protocol.render import timestamp
from noughts.protocol.requests import Name
from noughts.ratings import UnreadableRooms, recompute

Action = Callable[[Journal, dict[str, Any]], Awaitable[None]]
"""The function of an action, given its own options. Raises what :func:`~noughts.cli.run.run` reports."""

LISTED = 100
"""The number of lines a list has, unless more are asked for."""

LOOPBACK = {4: ip_network("127.0.0.0/8"), 6: ip_network("::1/128")}
OWN_MACHINE = (
    "{} has addresses of the server's own machine: nobody there can play now and, if a proxy there is not in"
    " --trusted-proxies, nobody at all. To undo it: noughts admin unban {}"
)

EMPTY = {
    "players": "No player has a registered name.",
    "bans": "Nobody is banned or muted now.",
    "games": "All games are over.",
    "reports": "No player has been reported.",
}
"""The words for an empty list, on stderr: a program that reads the list gets no line."""

_NAME: TypeAdapter[str] = TypeAdapter(Name)


def add_commands(commands: Subparsers) -> None:
    """Add the command, with its actions."""
    parser = commands.add_parser(
        "admin",
        description="Manage players in the journal itself. Servers that use it notice within a second.",
    )
    add_settings(parser, JOURNAL_SETTINGS)  # they may come before the action, too
    actions = parser.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)

    def add(name: str, action: Action, words: str) -> argparse.ArgumentParser:
        description = f"{words[0].upper()}{words[1:]}."
        added: argparse.ArgumentParser = actions.add_parser(name, help=words, description=description)
        added.set_defaults(command=lambda options: _run(action, options))
        add_settings(added, JOURNAL_SETTINGS)
        return added

    bot = add("bot", _bot, "create a bot with a registered name, and print its token")
    bot.add_argument("name", metavar="NAME", type=_name, help="1 to 32 characters")
    school = add("class", create_class, "create a bot for each student of a roster, and a file with each token")
    school.add_argument("roster", metavar="ROSTER", type=Path, help="a CSV file with the columns student and name")
    school.add_argument("folder", metavar="FOLDER", type=Path, help="where to put the files")
    of_a_player = [
        add("player", _player, "show what is stored about a player"),
        add("token", _token, "print a new token for a player; the old ones and all codes stop working"),
        add("revoke", _revoke, "revoke all tokens and codes of a player"),
        mute := add("mute", _mute, "stop a player from chatting"),
        add("unmute", _unmute, "let a player chat again"),
    ]
    for each in of_a_player:
        each.add_argument("player", metavar="PLAYER", help="the player's id or registered name")
    ban = add("ban", _ban, "ban a player, an address or a network")
    for each in (ban, add("unban", _unban, "lift the ban of a player, an address or a network")):
        each.add_argument(
            "player",
            metavar="PLAYER|ADDRESS",
            help="a player's id or registered name, an address, or a network such as 203.0.113.0/24",
        )
    for each in (mute, ban):
        each.add_argument(
            "--for",
            dest="ms",
            metavar="TIME",
            type=duration,
            help="such as 30m, 1h, 2d or 1w (default, and past the year 9999: forever)",
        )
    listed = add("list", _list, "list registered players, who is banned or muted, games that are not over, or reports")
    listed.add_argument("what", choices=list(EMPTY), metavar="|".join(EMPTY), help="what to list")
    listed.add_argument(
        "--limit", metavar="N", type=whole(), default=LISTED, help=f"at most this many (default: {LISTED})"
    )
    report = add("report", _report, "show a report by a player, with the chat that went with it")
    report.add_argument("number", metavar="NUMBER", type=whole(), help="its number; see noughts admin list reports")
    closing = add("close-rooms", _close_rooms, "close a room, or all that a player opened, without a result")
    closing.add_argument("which", metavar="ROOM-OR-PLAYER", help="the room's id, or the player's id or registered name")
    add("recompute", _recompute, "compute all results and ratings again from the records of the games")


def _run(action: Action, options: dict[str, Any]) -> int:
    settings = take_settings("admin", options, JOURNAL_SETTINGS)
    return run("admin", _act(action, settings, {**options, "journal": settings.journal}))


async def _act(action: Action, settings: Settings, options: dict[str, Any]) -> None:
    async with journal_of(settings, beside=True) as journal:
        await action(journal, options)


def _name(text: str) -> str:
    with suppress(ValidationError):
        name = _NAME.validate_python(text)
        if not is_invisible(name):
            return name
    message = "a name has 1 to 32 visible characters and does not begin or end with a space"
    raise argparse.ArgumentTypeError(message)


async def _bot(journal: Journal, options: dict[str, Any]) -> None:
    player, token = await create_bot(journal, options["name"])
    _print_token(token, f"Created the bot {_described(player)}.")


async def _token(journal: Journal, options: dict[str, Any]) -> None:
    player = await _find(journal, options)
    token = new_token()
    await _change(journal.tokens.reset(player.id, token_hash(token), "noughts admin"))
    _print_token(token, f"{_described(player)} has a new token; the old ones and all codes no longer work.")


async def _revoke(journal: Journal, options: dict[str, Any]) -> None:
    player = await _find(journal, options)
    await _change(journal.tokens.reset(player.id))
    say(f"{_described(player)} no longer has a token or a code. To create a new one: noughts admin token {player.id}")


async def _mute(journal: Journal, options: dict[str, Any]) -> None:
    player, until = await _find(journal, options), _until(journal, options)
    await _change(journal.people.mute(player.id, until))
    say(f"{_described(player)} is muted {_in_words(until)}.")


async def _unmute(journal: Journal, options: dict[str, Any]) -> None:
    player = await _find(journal, options)
    if player.muted_until <= journal.now():
        raise CommandFailed(f"{_described(player)} is not muted; see noughts admin list bans")
    await _change(journal.people.mute(player.id, 0))
    say(f"{_described(player)} is no longer muted.")


async def _ban(journal: Journal, options: dict[str, Any]) -> None:
    network, until = bannable(options["player"]), _until(journal, options)
    if network is not None:
        if network.endswith("/0"):
            raise CommandFailed(f"{network} is everybody")
        await journal.bans.put(network, until)
        say(f"{network} is banned {_in_words(until)}.")
        if ip_network(network).overlaps(LOOPBACK[ip_network(network).version]):
            say(OWN_MACHINE.format(network, network), to_stderr=True)
        return
    player = await _find(journal, options)
    await _change(journal.people.ban(player.id, until))
    say(f"{_described(player)} is banned {_in_words(until)}.")


async def _unban(journal: Journal, options: dict[str, Any]) -> None:
    network = bannable(options["player"])
    if network is not None:
        if not await journal.bans.lift(network):
            raise CommandFailed(f"{network} is not banned itself; see noughts admin list bans")
        say(f"{network} is no longer banned.")
        return
    player = await _find(journal, options)
    if player.banned_until <= journal.now():
        raise CommandFailed(f"{_described(player)} is not banned; see noughts admin list bans")
    await _change(journal.people.ban(player.id, 0))
    say(f"{_described(player)} is no longer banned.")


async def _player(journal: Journal, options: dict[str, Any]) -> None:
    player, now = await _find(journal, options), journal.now()
    devices = await journal.tokens.of(player.id)
    say(
        f"id          {player.id}",
        f"name        {player.name}{', registered' if player.registered else ''}",
        f"kind        {player.kind}",
        f"muted       {_in_words(player.muted_until) if player.muted_until > now else 'no'}",
        f"banned      {_in_words(player.banned_until) if player.banned_until > now else 'no'}",
        f"devices     {len(devices)}",
        f"open rooms  {await journal.index.open_rooms(player.id)}",
    )


async def _list(journal: Journal, options: dict[str, Any]) -> None:
    limit: int = options["limit"]
    rows: list[tuple[str, ...]]
    match options["what"]:
        case "players":
            rows = [(each.id, each.kind, each.name) for each in await journal.people.registered(limit + 1)]
        case "bans":
            now = journal.now()
            rows = [
                (ban.network, _restriction("banned", ban.until, now), "", "") for ban in await journal.bans.in_force()
            ]
            rows += [
                (
                    each.id,
                    _restriction("banned", each.banned_until, now),
                    _restriction("muted", each.muted_until, now),
                    each.name,
                )
                for each in await journal.people.restricted(limit + 1)
            ]
        case "reports":
            reports = await journal.talk.reports(limit + 1)
            rows = [(str(each.number), *await _report_row(journal, each)) for each in reports]
        case _:
            rows = [_game_row(journal, from_json(listing)) for listing in await journal.index.unfinished(limit + 1)]
    if not rows:
        say(EMPTY[options["what"]], to_stderr=True)
    say(*table(rows[:limit]))
    if len(rows) > limit:
        say(f"There are more than {limit}; --limit N shows N.", to_stderr=True)


async def _report_row(journal: Journal, report: StoredReport) -> tuple[str, ...]:
    """When, in which room, which player, by whom, and why."""
    names = []
    for player in (report.player, report.reporter):
        found = await journal.people.find(player)
        names.append(player if found is None else _described(found))
    return timestamp(report.at), report.room, names[0], f"by {names[1]}", report.reason


async def _report(journal: Journal, options: dict[str, Any]) -> None:
    number = options["number"]
    report = next((one for one in await journal.talk.reports(REPORTS) if one.number == number), None)
    if report is None:
        raise CommandFailed(f"there is no report {number}; see noughts admin list reports")
    at, room, player, by, reason = await _report_row(journal, report)
    say(f"player  {player}", f"room    {room}, {log_name(journal.secret, room)} in the log", f"at      {at}, {by}")
    say(f"reason  {printable(reason)}", "")
    chat: list[ChatLine] = from_json(report.lines)
    say(*table([(one["at"], f"{one['name']} ({one['id']})", one["text"]) for one in chat]))


def _restriction(word: str, until: int, now: int) -> str:
    return f"{word} {_in_words(until)}" if until > now else ""


def _game_row(journal: Journal, shown: Listing) -> tuple[str, ...]:
    """The room's id, its name in the log, the game, its status, and who has the seats."""
    seats = (shown["seats"][side] for side in ("first", "second"))
    names = " against ".join("nobody" if seat is None else f"{seat['name']} ({seat['id']})" for seat in seats)
    private = "private" if shown["options"]["private"] else "public"
    return shown["room"], log_name(journal.secret, shown["room"]), shown["game"], shown["status"], private, names


async def _close_rooms(journal: Journal, options: dict[str, Any]) -> None:
    which = options["which"]
    player = await journal.people.find(which)
    rooms = [
        _game_row(journal, from_json(row)) for row in await journal.index.request_close(player.id if player else which)
    ]
    if not rooms:
        raise CommandFailed(
            f"no room that is not over has the id {which!r}, or was opened by a player of that name or id"
        )
    say(*table(rooms))
    what = "this room" if len(rooms) == 1 else f"these {len(rooms)} rooms"
    say(f"A server closes {what} within a second, or when it starts.", to_stderr=True)


async def _recompute(journal: Journal, _: dict[str, Any]) -> None:
    try:
        results, rated = await recompute(journal)
    except UnreadableRooms as error:
        raise CommandFailed(f"nothing was changed: {error}") from None
    say(f"Recomputed {results} results and the ratings of {rated} rated games.")


def _described(player: StoredPlayer) -> str:
    return f"{player.name} ({player.id})"


async def _find(journal: Journal, options: dict[str, Any]) -> StoredPlayer:
    player = await journal.people.find(options["player"])
    if player is None:
        raise CommandFailed(f"no player has the id or registered name {options['player']!r}")
    return player


async def _change(change: Awaitable[bool]) -> None:
    if not await change:  # a guest who was forgotten in the meantime
        raise CommandFailed("that player no longer exists")


def _until(journal: Journal, options: dict[str, Any]) -> int:
    return FOREVER if options["ms"] is None else min(journal.now() + int(options["ms"]), FOREVER)


def _in_words(until: int) -> str:
    return "forever" if until >= FOREVER else f"until {timestamp(until)}"


def _print_token(token: str, words: str) -> None:
    """Print ``token`` alone on stdout, so that it can be redirected to a file, and the words on stderr."""
    sys.stdout.flush()
    say(words, "The token is shown only once; the journal stores its hash:", to_stderr=True)
    say(token)


ALL = "tokens.txt"
"""The file with all tokens, for ``noughts league --tokens``."""


async def create_bot(journal: Journal, name: str) -> tuple[StoredPlayer, str]:
    """A new bot with a registered name, and its token. Raises :class:`CommandFailed` if the name cannot be had."""
    taken = CommandFailed(f"the name {name} is taken or reserved, or looks like one that is")
    if is_reserved(name):
        raise taken
    created = await new_player(journal, name, bot=True)
    if created is None or not await journal.people.register(created[0].id, name):
        raise taken
    return created


async def create_class(journal: Journal, options: dict[str, Any]) -> None:
    """Create a bot for each student of a roster, and write a file with the token for each, and one with all.

    ``options`` has the journal's name for people.
    """
    from noughts.classes.folder import ClassError
    from noughts.classes.roster import Student
    from noughts.cli.classes import read_students

    folder: Path = options["folder"]
    try:
        students: Sequence[Student] = read_students(options["roster"])
    except ClassError as error:
        raise CommandFailed(str(error)) from None
    try:
        _prepare(folder)
        refused = []
        for student in students:
            try:
                _, token = await create_bot(journal, student.id)
            except CommandFailed as error:
                refused.append(str(error))
                continue
            _append(folder / ALL, f"{student.id} {token}\n")
            _append(folder / f"{student.id}.txt", _letter(student.name, student.id, token))
    except OSError as error:
        raise CommandFailed(f"cannot write {error.filename}: {error.strerror}") from None
    made = len(students) - len(refused)
    say(
        f"Created {made} bots in the journal {options['journal']}, which stores hashes of the tokens only. A server "
        f"that uses this journal knows them. Each student gets one of the files in {folder}."
    )
    if refused:
        raise CommandFailed(
            f"{len(refused)} were not created: {'; '.join(refused)}. For a student whose bot is in this journal, "
            "noughts admin token NAME makes a new token"
        )


def _prepare(folder: Path) -> None:
    if (folder / ALL).exists():
        raise CommandFailed(
            f"{folder} has tokens already. For another journal, name another folder; for a student who has lost the "
            "token, noughts admin token NAME makes a new one"
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _letter(name: str, key: str, token: str) -> str:
    return (
        f"{name}, this is the token of your bot {key}. Whoever has it plays as you: keep it to yourself.\n\n"
        f"{token}\n\n"
        "Put it into the environment variable NOUGHTS_TOKEN, and your bot plays under its name:\n\n"
        f"    Linux, macOS   export NOUGHTS_TOKEN={token}\n"
        f'    Windows        $env:NOUGHTS_TOKEN = "{token}"\n'
    )


def _append(path: Path, text: str) -> None:
    """Add to a file that only its owner can read."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
