"""Settings as options of a command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from noughts.cli.arguments import number_in_words
from noughts.cli.output import say
from noughts.config import Settings

NO_SETTINGS = ("TOKEN", "SITE", "NODES", "HTTP_PORT", "HTTPS_PORT", "MQTT")
"""Variables of the environment that are for bots, and for the files in deploy/."""

SECTIONS = {
    "host": "Address, storage and cluster",
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

    ``grouped`` lists them under the titles of their ``SECTIONS``.
    """
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
    """The settings, from the environment and from ``options``, which lose these names. Exits with 2 on a bad value."""
    warn_of_misspelt(command)
    given = {name: options.pop(name) for name in names if name in options}
    try:
        return Settings(**given)
    except ValidationError as error:
        for problem in error.errors(include_url=False):
            name = str(problem["loc"][0])
            option = "NODE" if name == "node" and command == "drain" else f"--{name.replace('_', '-')}"
            source = option if name in given else f"NOUGHTS_{name.upper()}"
            say(f"noughts {command}: {source}: {_refusal(name, problem['msg'])}", to_stderr=True)
        sys.exit(2)


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
