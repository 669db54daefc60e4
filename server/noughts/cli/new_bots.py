"""New registered bots: one, or one for each student of a roster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from noughts.cli.output import say
from noughts.cli.run import CommandFailed
from noughts.gateway.guests import new_player
from noughts.journal import Journal, StoredPlayer
from noughts.players.names import is_reserved

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
