"""How the command line names a bot: ``my_bot.py``, ``exec:./c_bot``, ``uci:stockfish``, ``computer:hard``."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

BotKind = Literal["python", "exec", "uci", "gtp", "gomocup", "computer"]

COMMANDS: tuple[BotKind, ...] = ("exec", "uci", "gtp", "gomocup")
"""The kinds whose target is a command line."""

INTERPRETERS = {".js": "node", ".mjs": "node", ".sh": "sh", ".rb": "ruby", ".pl": "perl", ".lua": "lua"}
"""What runs a program, by the ending of its file."""

_NAMED = re.compile(r"(?P<name>\w[\w .-]{0,31})=(?P<rest>.+)", re.DOTALL)


@dataclass(frozen=True)
class BotSpec:
    """A bot as named by a person. ``target`` is a file, a command line, or a level of the computer."""

    kind: BotKind
    target: str
    name: str


def parse_spec(text: str) -> BotSpec:
    """The bot that ``text`` names. ``NAME=`` before it gives it a name of at most 32 characters.

    Without one it is called by its file, program or level: ``my_bot``, ``c_bot``, ``hard``. Raises ValueError, which
    says what is wrong.
    """
    named = _NAMED.fullmatch(text)
    name, rest = (named["name"], named["rest"]) if named else ("", text)
    kind, colon, target = rest.partition(":")
    if colon and kind in COMMANDS:
        return BotSpec(kind, target, name or _stem(_words(rest, target)[0]))
    if colon and kind == "computer":
        if not target:
            raise ValueError(f"{text!r} names no level: write computer:LEVEL")
        return BotSpec("computer", target, name or target)
    if rest.casefold().endswith(".py"):
        return BotSpec("python", rest, name or _stem(rest))
    if (interpreter := INTERPRETERS.get(PurePath(rest).suffix.casefold())) and not colon:
        raise ValueError(f"{text!r} is not a Python file: write {shlex.quote(f'exec:{interpreter} {rest}')}")
    raise ValueError(
        f"{text!r} is not a bot: write FILE.py, {', '.join(f'{kind}:COMMAND' for kind in COMMANDS)} or computer:LEVEL"
    )


def _stem(path: str) -> str:
    """A file's name without its ending, as a player can be called."""
    return "".join(each if each.isprintable() else "_" for each in PurePath(path).stem[:32]).strip() or "bot"


def _words(text: str, command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a command: {str(error).lower()}") from None
    if not words:
        raise ValueError(f"{text!r} has no command")
    return words
