"""``noughts admin``: manage players, games and ratings, in the journal itself, while servers may be using it.

What is done is noted there, too: servers log it, and carry on from it.
"""

from __future__ import annotations

import argparse
import getpass
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
from noughts.games import GAMES
from noughts.gateway.address import bannable
from noughts.gateway.guests import new_player
from noughts.journal import FOREVER, Journal, StoredPlayer, StoredReport
from noughts.journal.talk import REPORTS
from noughts.opening import journal_of
from noughts.personal import data_of
from noughts.players.ids import log_name
from noughts.players.names import DELETED_NAME, is_invisible, is_reserved
from noughts.players.tokens import code_hash, device_id, new_recovery_code, new_token, token_hash
from noughts.protocol.fields import Line, Name, Text
from noughts.protocol.render import timestamp
from noughts.protocol.room_messages import ChatLine, Listing
from noughts.ratings import UnreadableRooms, recompute
from noughts.rooms import DRAW

Action = Callable[[Journal, dict[str, Any]], Awaitable[None]]
"""The function of an action, given its own options. Raises what :func:`~noughts.cli.run.run` reports."""

LISTED = 100
"""The number of lines a list has, unless more are asked for."""

LOOPBACK = {4: ip_network("127.0.0.0/8"), 6: ip_network("::1/128")}
OWN_MACHINE = (
    "{} has addresses of the server's own machine: nobody there can play now and, if a proxy there is not in"
    " --trusted-proxies, nobody at all. To undo it: noughts admin unban {}"
)

INVITED_MS = 14 * 86_400_000
"""The time for which an invitation is valid, unless the operator says otherwise."""

EMPTY = {
    "players": "No player has a registered name.",
    "bans": "Nobody is banned or muted now.",
    "games": "All games are over.",
    "invitations": "No invitation can be used now.",
    "reports": "No player has been reported.",
    "acts": "Nothing has been done by noughts admin.",
}
"""The words for an empty list, on stderr: a program that reads the list gets no line."""

_NAME: TypeAdapter[str] = TypeAdapter(Name)
_LINE: TypeAdapter[str] = TypeAdapter(Line)
_LABEL: TypeAdapter[str] = TypeAdapter(Text)


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
        rename := add("rename", _rename, "give a player another name, which is registered"),
        add("export", _export, "print all that is stored about a player, as JSON"),
        delete := add("delete", _delete, "delete a player: nothing shows the name any more"),
    ]
    for each in of_a_player:
        each.add_argument("player", metavar="PLAYER", help="the player's id or registered name")
    rename.add_argument("name", metavar="NAME", type=_name, help="1 to 32 characters")
    delete.add_argument("--yes", action="store_true", help="do it: it cannot be undone")
    ban = add("ban", _ban, "ban a player, an address or a network")
    for each in (ban, add("unban", _unban, "lift the ban of a player, an address or a network")):
        each.add_argument(
            "player",
            metavar="PLAYER|ADDRESS",
            help="a player's id or registered name, an address, or a network such as 203.0.113.0/24",
        )
    invite = add("invite", _invite, "make an invitation to a server for invited players, and print its code")
    invite.add_argument("label", metavar="FOR", nargs="?", default="", type=_label, help="whom it is for")
    invite.add_argument("--uses", metavar="N", type=whole(1), default=1, help="for so many players (default: 1)")
    for each, default in ((mute, "forever"), (ban, "forever"), (invite, "two weeks")):
        each.add_argument(
            "--for",
            dest="ms",
            metavar="TIME",
            type=duration,
            help=f"such as 30m, 1h, 2d or 1w (default: {default}; past the year 9999: forever)",
        )
    uninvite = add("uninvite", _uninvite, "end an invitation; those who have come by it stay")
    uninvite.add_argument("code", metavar="CODE", help="its code, or its id in noughts admin list invitations")
    announce = add("announce", _announce, "tell something to everybody who is connected")
    announce.add_argument("text", metavar="TEXT", type=_line, help="a line of 1 to 280 characters")
    listed = add("list", _list, "list players, bans, unfinished games, invitations, reports, or what was done here")
    listed.add_argument("what", choices=list(EMPTY), metavar="|".join(EMPTY), help="what to list")
    listed.add_argument(
        "--limit", metavar="N", type=whole(), default=LISTED, help=f"at most this many (default: {LISTED})"
    )
    report = add("report", _report, "show a report by a player, with the chat that went with it")
    report.add_argument("number", metavar="NUMBER", type=whole(), help="its number; see noughts admin list reports")
    closing = add("close-rooms", _close_rooms, "close a room, or all that a player opened, without a result")
    closing.add_argument("which", metavar="ROOM-OR-PLAYER", help="the room's id, or the player's id or registered name")
    adjudicate = add("adjudicate", _adjudicate, "end a game under way as you decide")
    adjudicate.add_argument("room", metavar="ROOM", help="the room's id")
    adjudicate.add_argument(
        "verdict", metavar="WINNER|draw", help="first or second, the side's name, the player's id or name; or draw"
    )
    add("recompute", _recompute, "compute all results and ratings again from the records of the games")


def _run(action: Action, options: dict[str, Any]) -> int:
    settings = take_settings("admin", options, JOURNAL_SETTINGS)
    place = {"journal": settings.journal, "public_url": settings.public_url}
    return run("admin", _act(action, settings, {**options, **place}))


async def _act(action: Action, settings: Settings, options: dict[str, Any]) -> None:
    async with journal_of(settings, beside=True) as journal:
        await action(journal, options)


async def _note(journal: Journal, kind: str, subject: str = "", detail: str = "") -> None:
    """Note what was done: for the servers, their logs, and ``noughts admin list acts``."""
    try:
        who = getpass.getuser()
    except (OSError, KeyError, ImportError):  # an account without a name, as in a container
        who = str(os.getuid()) if hasattr(os, "getuid") else "somebody"
    await journal.acts.put(who, kind, subject, detail)


def _name(text: str) -> str:
    with suppress(ValidationError):
        name = _NAME.validate_python(text)
        if not is_invisible(name):
            return name
    message = "a name has 1 to 32 visible characters and does not begin or end with a space"
    raise argparse.ArgumentTypeError(message)


def _line(text: str) -> str:
    with suppress(ValidationError):
        return _LINE.validate_python(text)
    raise argparse.ArgumentTypeError("an announcement is a line of 1 to 280 visible characters")


def _label(text: str) -> str:
    with suppress(ValidationError):
        return _LABEL.validate_python(text)
    raise argparse.ArgumentTypeError("whom an invitation is for is said in at most 64 characters")


async def _bot(journal: Journal, options: dict[str, Any]) -> None:
    player, token = await create_bot(journal, options["name"])
    await _note(journal, "bot", player.id, player.name)
    _print_token(token, f"Created the bot {_described(player)}.")


async def _token(journal: Journal, options: dict[str, Any]) -> None:
    player = await _find(journal, options)
    token = new_token()
    await _change(journal.tokens.reset(player.id, token_hash(token), "noughts admin"))
    await _note(journal, "token", player.id)
    _print_token(token, f"{_described(player)} has a new token; the old ones and all codes no longer work.")


async def _revoke(journal: Journal, options: dict[str, Any]) -> None:
    player = await _find(journal, options)
    await _change(journal.tokens.reset(player.id))
    await _note(journal, "revoke", player.id)
    say(f"{_described(player)} no longer has a token or a code. To create a new one: noughts admin token {player.id}")


async def _mute(journal: Journal, options: dict[str, Any]) -> None:
    player, until = await _find(journal, options), _until(journal, options)
    await _change(journal.people.mute(player.id, until))
    await _note(journal, "mute", player.id, _in_words(until))
    say(f"{_described(player)} is muted {_in_words(until)}.")


async def _unmute(journal: Journal, options: dict[str, Any]) -> None:
    player = await _find(journal, options)
    if player.muted_until <= journal.now():
        raise CommandFailed(f"{_described(player)} is not muted; see noughts admin list bans")
    await _change(journal.people.mute(player.id, 0))
    await _note(journal, "unmute", player.id)
    say(f"{_described(player)} is no longer muted.")


async def _ban(journal: Journal, options: dict[str, Any]) -> None:
    network, until = bannable(options["player"]), _until(journal, options)
    if network is not None:
        if network.endswith("/0"):
            raise CommandFailed(f"{network} is everybody")
        await journal.bans.put(network, until)
        await _note(journal, "ban", network, _in_words(until))
        say(f"{network} is banned {_in_words(until)}.")
        if ip_network(network).overlaps(LOOPBACK[ip_network(network).version]):
            say(OWN_MACHINE.format(network, network), to_stderr=True)
        return
    player = await _find(journal, options)
    await _change(journal.people.ban(player.id, until))
    await _note(journal, "ban", player.id, _in_words(until))
    say(f"{_described(player)} is banned {_in_words(until)}.")


async def _unban(journal: Journal, options: dict[str, Any]) -> None:
    network = bannable(options["player"])
    if network is not None:
        if not await journal.bans.lift(network):
            raise CommandFailed(f"{network} is not banned itself; see noughts admin list bans")
        await _note(journal, "unban", network)
        say(f"{network} is no longer banned.")
        return
    player = await _find(journal, options)
    if player.banned_until <= journal.now():
        raise CommandFailed(f"{_described(player)} is not banned; see noughts admin list bans")
    await _change(journal.people.ban(player.id, 0))
    await _note(journal, "unban", player.id)
    say(f"{_described(player)} is no longer banned.")


async def _rename(journal: Journal, options: dict[str, Any]) -> None:
    player, name = await _find(journal, options), options["name"]
    taken = CommandFailed(f"the name {name} is taken or reserved, or looks like one that is")
    if is_reserved(name) or not await journal.people.rename(player.id, name):
        raise taken
    await _note(journal, "rename", player.id, f"from {player.name} to {name}")
    say(f"{_described(player)} is {name} now, and owns that name. Games that were begun before keep the old one.")


async def _export(journal: Journal, options: dict[str, Any]) -> None:
    player = await _find(journal, options)
    async for part in data_of(journal, player):
        sys.stdout.write(part)
    say("")
    await _note(journal, "export", player.id)


async def _delete(journal: Journal, options: dict[str, Any]) -> None:
    player = await _find(journal, options)
    if not options["yes"]:
        raise CommandFailed(
            f"nothing was changed: --yes deletes {_described(player)} for good. To keep a copy of what is stored: "
            f"noughts admin export {player.id} >FILE"
        )
    ended = await _end_games(journal, player)
    await _change(journal.people.delete(player.id))
    await _note(journal, "delete", player.id)
    games = f" The opponents win the {ended} games under way." if ended > 1 else ""
    games = " The opponent wins the game under way." if ended == 1 else games
    say(f"{player.id} is deleted: the name, tokens, ratings and seeks.{games} Records show {DELETED_NAME!r}.")
    say("The journal and its backups still hold the name, in the records of the games.", to_stderr=True)


async def _end_games(journal: Journal, player: StoredPlayer) -> int:
    """Let the opponents of ``player`` win, and close the rooms that wait for one; how many are won."""
    ended, after = 0, None
    while page := await journal.games.unfinished(player.id, after, LISTED):
        for room, listing in page:
            shown: Listing = from_json(listing)
            first = shown["seats"]["first"]
            if shown["status"] == "playing":
                ended += await journal.index.request_end(
                    room, "second" if first and first["id"] == player.id else "first"
                )
            else:
                await journal.index.request_close(room)
        after = page[-1][0]
    return ended


async def _invite(journal: Journal, options: dict[str, Any]) -> None:
    code, until = new_recovery_code(), _until(journal, options)
    if options["ms"] is None:
        until = journal.now() + INVITED_MS
    uses, label = options["uses"], options["label"]
    await journal.passes.put(code_hash(code), label, until, uses)
    await _note(journal, "invite", device_id(code_hash(code)), label)
    sys.stdout.flush()
    players = "one player" if uses == 1 else f"{uses} players"
    say(f"An invitation for {players}, valid {_in_words(until)}. It is shown only once:", to_stderr=True)
    url = options["public_url"]
    say(f"{url.rstrip('/')}/#invitation={code}" if url else code)


async def _uninvite(journal: Journal, options: dict[str, Any]) -> None:
    code = options["code"].strip()
    for each in await journal.passes.valid():
        if (each.hash == code_hash(code) or device_id(each.hash) == code) and await journal.passes.end(each.hash):
            await _note(journal, "uninvite", device_id(each.hash), each.label)
            say("Nobody else can come by that invitation.")
            return
    raise CommandFailed("there is no such invitation that can be used; see noughts admin list invitations")


async def _announce(journal: Journal, options: dict[str, Any]) -> None:
    await _note(journal, "announce", detail=options["text"])
    say("Servers show this within a second, for ten minutes to those who come later, and when they start.")


async def _adjudicate(journal: Journal, options: dict[str, Any]) -> None:
    room, words = options["room"], options["verdict"]
    listing = (await journal.index.listings([room])).get(room)
    shown: Listing | None = None if listing is None else from_json(listing)
    if shown is None or shown["status"] != "playing":
        raise CommandFailed(f"no game is under way in the room {room!r}; see noughts admin list games")
    verdict = _verdict(shown, words)
    if not await journal.index.request_end(room, verdict):
        raise CommandFailed(f"the game in the room {room} has just ended")
    await _note(journal, "adjudicate", log_name(journal.secret, room), verdict)
    say(*table([_game_row(journal, shown)]))
    won = "A server ends this game as a draw" if verdict == DRAW else f"A server lets {verdict} win this game"
    say(f"{won} within a second, or when it starts.", to_stderr=True)


def _verdict(shown: Listing, words: str) -> str:
    """The side that ``words`` name, or ``draw``."""
    meant = words.casefold()
    if meant == DRAW:
        return DRAW
    game, seats = GAMES.get(shown["game"]), shown["seats"]
    found = []
    for side, seat, style in (
        ("first", seats["first"], None if game is None else game.first),
        ("second", seats["second"], None if game is None else game.second),
    ):
        names = {side, "" if style is None else style.name, *(() if seat is None else (seat["id"], seat["name"]))}
        if meant in map(str.casefold, names):
            found.append(side)
    if len(found) != 1:
        raise CommandFailed(f"{words!r} is {'both players' if found else 'neither player'}; say first, second or draw")
    return found[0]


async def _player(journal: Journal, options: dict[str, Any]) -> None:
    player, now = await _find(journal, options), journal.now()
    devices = await journal.tokens.of(player.id)
    say(
        f"id          {player.id}",
        f"name        {player.name}{', registered' if player.registered else ''}",
        f"kind        {player.kind}",
        f"muted       {_in_words(player.muted_until) if player.muted_until > now else 'no'}",
        f"banned      {_in_words(player.banned_until) if player.banned_until > now else 'no'}",
        f"invited     {'yes' if player.invited else 'no'}",
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
        case "invitations":
            rows = [
                (device_id(each.hash), f"{each.used} of {each.uses} used", _in_words(each.until), each.label)
                for each in await journal.passes.valid()
            ]
        case "reports":
            reports = await journal.talk.reports(limit + 1)
            rows = [(str(each.number), *await _report_row(journal, each)) for each in reports]
        case "acts":
            rows = [
                (timestamp(each.at), each.who, each.kind, each.subject, each.detail)
                for each in await journal.acts.last(limit + 1)
            ]
        case _:
            rows = [_game_row(journal, from_json(listing)) for listing in await journal.index.unfinished(limit + 1)]
    if not rows:
        say(EMPTY[options["what"]], to_stderr=True)
    say(*table(rows[:limit]))
    if len(rows) > limit:
        say(f"There are more than {limit}; --limit N shows N.", to_stderr=True)


async def _report_row(journal: Journal, report: StoredReport) -> tuple[str, ...]:
    """The time, the room, the player, the author and the reason of a report."""
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
    await _note(journal, "close-rooms", player.id if player else log_name(journal.secret, which))
    say(*table(rooms))
    what = "this room" if len(rooms) == 1 else f"these {len(rooms)} rooms"
    say(f"A server closes {what} within a second, or when it starts.", to_stderr=True)


async def _recompute(journal: Journal, _: dict[str, Any]) -> None:
    try:
        results, rated = await recompute(journal)
    except UnreadableRooms as error:
        raise CommandFailed(f"nothing was changed: {error}") from None
    await _note(journal, "recompute")
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
    await _note(journal, "class", detail=f"{made} bots")
    say(
        f"Created {made} bots in the journal {options['journal']}, which stores hashes of the tokens only. A server "
        f"that uses this journal knows them. Each student gets one of the files in {folder}."
    )
    if refused:
        raise CommandFailed(
            f"{len(refused)} of {len(students)} not created: {'; '.join(refused)}. For a student whose bot is in this "
            "journal, noughts admin token NAME makes a new token"
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
