"""Settings of a command: from its options, the environment and a file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from noughts.cli.arguments import number_in_words
from noughts.cli.output import say
from noughts.config import BadFile, Settings, default_files, settings_in

NO_SETTINGS = ("CONFIG", "TOKEN", "SITE", "NODES", "HTTP_PORT", "HTTPS_PORT", "MQTT")
"""Variables of the environment that name the file with the settings, or are for bots and for the files in deploy/."""

SECTIONS = {
    "host": "Address, storage and cluster",
    "server_name": "What the server is called, who may play, and what",
    "log_level": "Log, metrics and web page",
    "message_bytes": "Limits on what clients may do",
    "waiting_s": "Waits in rooms",
    "search_workers": "The computer, and analyses",
}
"""The titles of the options' groups, each with the first setting of its group."""

JOURNAL_SETTINGS = ("journal", "journal_password_file")

BESIDE = "where games are stored: the path of a file, or postgresql://USER@HOST/DATABASE"
"""The journal of a command that is not a server: one in memory is out of its reach."""


def add_settings(parser: argparse.ArgumentParser, names: Collection[str], *, grouped: bool = False) -> None:
    """Add an option for each of these settings. One that is not given is absent from the parsed options.

    ``grouped`` lists them under the titles of their ``SECTIONS``. Before them comes the option for their file.
    """
    parser.add_argument(
        "--config",
        dest="config",
        metavar="PATH",
        type=Path,
        default=argparse.SUPPRESS,
        help="file with settings (default: noughts.toml here, or else in your data directory)",
    )
    group: argparse._ActionsContainer = parser
    for name in names:
        if grouped and name in SECTIONS:
            group = parser.add_argument_group(SECTIONS[name])
        field = Settings.model_fields[name]
        switch = field.annotation is bool
        alone: dict[str, Any] = {"nargs": "?", "const": "true"} if switch else {}
        described = BESIDE if name == "journal" and "host" not in names else field.description
        value = "N" if field.annotation in (int, float) else name.rsplit("_", 1)[-1].upper()
        group.add_argument(
            f"--{name.replace('_', '-')}",
            **alone,
            dest=name,
            metavar="true|false" if switch else value,
            default=argparse.SUPPRESS,
            help=f"{described} ({'; '.join(filter(None, (range_of(name), f'default: {default_of(name)}')))})",
        )
        if switch and field.default:
            option = name.replace("_", "-")
            group.add_argument(
                f"--no-{option}",
                dest=name,
                action="store_const",
                const=False,
                default=argparse.SUPPRESS,
                help=f"stands for --{option} false",
            )


def default_of(name: str) -> str:
    """The default of a setting, in words."""
    default = "a file in your data directory" if name == "journal" else Settings.model_fields[name].default
    return "none" if default is None else str(default).lower() if isinstance(default, bool) else str(default)


def range_of(name: str) -> str:
    """The values that a setting may have: "0 to 9", "1 or more", "more than 0"; empty if they are not limited."""
    limits = Settings.model_fields[name].metadata
    above, least, most = (
        next((getattr(each, limit) for each in limits if hasattr(each, limit)), None) for limit in ("gt", "ge", "le")
    )
    low = f"more than {above}" if above is not None else "" if least is None else str(least)
    if most is not None:
        return f"{low}, at most {most}" if above is not None else f"{low} to {most}"
    return f"{low} or more" if least is not None else low


def warn_of_misspelt(command: str) -> None:
    """Warn of variables of the environment that look like settings and are none."""
    known = [name.upper() for name in Settings.model_fields]
    for name in sorted(os.environ):
        prefix, _, rest = name.upper().partition("_")
        if prefix == "NOUGHTS" and rest not in (*known, *NO_SETTINGS):
            close = get_close_matches(rest, known, n=1)
            meant = f"; did you mean NOUGHTS_{close[0]}?" if close else ""
            say(f"noughts {command}: {name} is not a setting and is ignored{meant}", to_stderr=True)


def take_settings(command: str, options: dict[str, Any], names: Iterable[str]) -> Settings:
    """The settings, from ``options``, which lose these names, else from the environment, else from the file.

    Exits with 2 if a value is bad, or the file has something else.
    """
    warn_of_misspelt(command)
    given = {name: options.pop(name) for name in names if name in options}
    path = _file(options.pop("config", None))
    try:
        stored = {} if path is None else settings_in(path)
    except BadFile as error:
        _refuse(command, [str(error)])
    if path is not None and command == "serve":
        say(f"Settings are read from {path}")
    variables = {name.lower() for name in os.environ}
    stored = {name: value for name, value in stored.items() if f"noughts_{name}" not in variables}
    try:
        return Settings(**{**stored, **given})
    except ValidationError as error:
        lines = []
        for problem in error.errors(include_url=False):
            name = str(problem["loc"][0])
            option = "NODE" if name == "node" and command == "drain" else f"--{name.replace('_', '-')}"
            file = f"{path}: {name}" if name in stored else f"NOUGHTS_{name.upper()}"
            lines.append(f"{option if name in given else file}: {_refusal(name, problem['msg'])}")
        _refuse(command, lines)


def _refuse(command: str, problems: Iterable[str]) -> NoReturn:
    say(*(f"noughts {command}: {problem}" for problem in problems), to_stderr=True)
    sys.exit(2)


def _file(given: Path | None) -> Path | None:
    """The file with settings: the one that is named, or the first of those that are looked for, if it is there."""
    named = given or (Path(os.environ["NOUGHTS_CONFIG"]) if os.environ.get("NOUGHTS_CONFIG") else None)
    return named or next((path for path in default_files() if path.is_file()), None)


def _refusal(name: str, message: str) -> str:
    """The error for a bad value of a setting, in the words of all arguments rather than of pydantic."""
    field = Settings.model_fields[name]
    if field.annotation is bool:
        return "must be true or false"
    if field.annotation not in (int, float):
        return message.removeprefix("Value error, ").replace("Input should be", "must be")
    kind = int if field.annotation is int else float
    bounds = {key: getattr(bound, key) for bound in field.metadata for key in ("ge", "gt", "le") if hasattr(bound, key)}
    words = number_in_words(kind, least=bounds.get("ge"), above=bounds.get("gt"), most=bounds.get("le"))
    return f"must be {words}"
