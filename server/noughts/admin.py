"""``noughts admin``: what an operator does about players and ratings, beside the servers that use the journal."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter, ValidationError

from noughts.app import journal_of
from noughts.config import Settings, UnusableSetting
from noughts.gateway import identity
from noughts.journal import FOREVER, Journal, JournalError, JournalInUse, StoredPlayer
from noughts.protocol import timestamp
from noughts.protocol.requests import Name
from noughts.ratings import UnreadableRooms, recompute
from noughts.serve import advice, say, set_log

Act = Callable[[Journal, dict[str, Any]], Awaitable[None]]
"""What an action does, by the options that are its own. Raises :class:`Undone` besides what the journal does."""

_UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
_NAME: TypeAdapter[str] = TypeAdapter(Name)


class Undone(Exception):
    """It could not be done; the text says why."""


def run(settings: Settings, options: dict[str, Any]) -> int:
    """Carry out the action that ``options`` hold as ``act``, with the others; the exit status."""
    act: Act = options.pop("act")
    set_log("WARNING")
    try:
        asyncio.run(_run(settings, act, options))
    except (Undone, JournalError, JournalInUse, UnusableSetting) as error:
        say(f"noughts admin: {error}{advice(error)}", to_stderr=True)
        return 1
    return 0


async def _run(settings: Settings, act: Act, options: dict[str, Any]) -> None:
    async with journal_of(settings, beside=True) as journal:
        await act(journal, options)


def add_actions(actions: argparse._SubParsersAction[Any]) -> Iterator[argparse.ArgumentParser]:
    """Add the actions; each as it is added."""
    bot = actions.add_parser(
        "bot",
        help="make a bot, and print its token",
        description="Make a player who is a bot, with a name that is its own for good, and print its token.",
    )
    bot.set_defaults(act=_bot)
    bot.add_argument("name", metavar="NAME", type=_name, help="1 to 32 characters")
    yield bot
    for word, act, words in (
        ("player", _player, "tell what is kept of a player"),
        ("token", _token, "give a player a new token, and print it; the one before is good for nothing from then on"),
        ("revoke", _revoke, "take a player's token away"),
        ("mute", _mute, "let a player chat no more"),
        ("unmute", _unmute, "let a player chat again"),
        ("ban", _ban, "let a player in no more"),
        ("unban", _unban, "let a player in again"),
    ):
        action = actions.add_parser(word, help=words, description=f"{words[0].upper()}{words[1:]}.")
        action.set_defaults(act=act)
        action.add_argument("player", metavar="PLAYER", help="the player's id, or the name if it is registered")
        if word in ("mute", "ban"):
            action.add_argument(
                "--for",
                dest="ms",
                metavar="TIME",
                type=_duration,
                help="such as 30m, 1h, 2d or 1w (default, and past the year 9999: for good)",
            )
        yield action
    words = "make all results and ratings anew from the records"
    anew = actions.add_parser("recompute", help=words, description=f"{words[0].upper()}{words[1:]}.")
    anew.set_defaults(act=_recompute)
    yield anew


def _name(typed: str) -> str:
    with suppress(ValidationError):
        name = _NAME.validate_python(typed)
        if not identity.shows_nothing(name):
            return name
    text = "a name has 1 to 32 characters that can be seen, with no blank at either end"
    raise argparse.ArgumentTypeError(text)


def _duration(typed: str) -> int:
    match = re.fullmatch(r"([1-9]\d{0,5})([mhdw])", typed)
    if match is None:
        raise argparse.ArgumentTypeError(f"not a time such as 30m, 1h, 2d or 1w: {typed!r}")
    return int(match[1]) * _UNITS_MS[match[2]]


async def _bot(journal: Journal, options: dict[str, Any]) -> None:
    name = options["name"]
    taken = Undone(f"the name {name} is another's, or could be the computer's, a guest's or an id")
    if identity.reserved(name):
        raise taken
    came = await identity.welcome(journal, name, bot=True)
    if came is None or not await journal.people.register(came[0].id, name):
        raise taken
    player, token = came
    _hand_out(token, f"{called(player)} is a bot, and has that name for good.")


async def _token(journal: Journal, options: dict[str, Any]) -> None:
    player = await _found(journal, options)
    token = identity.new_token()
    await _done(journal.people.change_token(player.id, None, identity.token_hash(token)))
    _hand_out(token, f"{called(player)} has a new token; the one before is good for nothing.")


async def _revoke(journal: Journal, options: dict[str, Any]) -> None:
    player = await _found(journal, options)
    await _done(journal.people.change_token(player.id, None, identity.no_token()))
    say(f"{called(player)} has no token any more. A new one is made by: noughts admin token {player.id}")


async def _mute(journal: Journal, options: dict[str, Any]) -> None:
    player, until = await _found(journal, options), _until(journal, options)
    await _done(journal.people.mute(player.id, until))
    say(f"{called(player)} may not chat {_in_words(until)}.")


async def _unmute(journal: Journal, options: dict[str, Any]) -> None:
    player = await _found(journal, options)
    await _done(journal.people.mute(player.id, 0))
    say(f"{called(player)} may chat.")


async def _ban(journal: Journal, options: dict[str, Any]) -> None:
    player, until = await _found(journal, options), _until(journal, options)
    await _done(journal.people.ban(player.id, until))
    say(f"{called(player)} is banned {_in_words(until)}.")


async def _unban(journal: Journal, options: dict[str, Any]) -> None:
    player = await _found(journal, options)
    await _done(journal.people.ban(player.id, 0))
    say(f"{called(player)} may come in.")


async def _player(journal: Journal, options: dict[str, Any]) -> None:
    player, now = await _found(journal, options), journal.now()
    say(
        f"id          {player.id}",
        f"name        {player.name}{', registered' if player.registered else ''}",
        f"kind        {player.kind}",
        f"muted       {_in_words(player.muted_until) if player.muted_until > now else 'no'}",
        f"banned      {_in_words(player.banned_until) if player.banned_until > now else 'no'}",
        f"open rooms  {await journal.open_rooms(player.id)}",
    )


async def _recompute(journal: Journal, _: dict[str, Any]) -> None:
    try:
        results, rated = await recompute(journal)
    except UnreadableRooms as error:
        raise Undone(f"nothing was changed: {error}") from None
    say(f"There are {results} results, and the ratings are those of {rated} rated games.")


def called(player: StoredPlayer) -> str:
    """A player as an operator is told of it."""
    return f"{player.name} ({player.id})"


async def _found(journal: Journal, options: dict[str, Any]) -> StoredPlayer:
    player = await journal.people.find(options["player"])
    if player is None:
        raise Undone(f"there is no player of the id or registered name {options['player']!r}")
    return player


async def _done(change: Awaitable[bool]) -> None:
    if not await change:  # a guest who has been forgotten since
        raise Undone("there is no such player any more")


def _until(journal: Journal, options: dict[str, Any]) -> int:
    return FOREVER if options["ms"] is None else min(journal.now() + int(options["ms"]), FOREVER)


def _in_words(until: int) -> str:
    return "for good" if until >= FOREVER else f"until {timestamp(until)}"


def _hand_out(token: str, words: str) -> None:
    """Print ``token`` alone on standard output, so that it can be led into a file."""
    sys.stdout.flush()
    say(words, "This is its token, which is shown once and kept only as a hash:", to_stderr=True)
    say(token)
