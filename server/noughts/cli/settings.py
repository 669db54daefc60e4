"""Settings as options of a command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from noughts.cli.output import say
from noughts.config import Settings

JOURNAL_SETTINGS = ("journal", "journal_password_file")


def add_settings(parser: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """Add an option for each of these settings. One that is not given is absent from the parsed options."""
    for name in names:
        field = Settings.model_fields[name]
        default = "a file in your data directory" if name == "journal" else field.default
        default = "none" if default is None else default
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            dest=name,
            metavar="N" if field.annotation in (int, float) else name.rsplit("_", 1)[-1].upper(),
            default=argparse.SUPPRESS,
            help=f"{field.description} (default: {default})",
        )
        if field.annotation is bool:
            option = name.replace("_", "-")
            parser.add_argument(
                f"--no-{option}",
                dest=name,
                action="store_const",
                const=False,
                default=argparse.SUPPRESS,
                help=f"stands for --{option} false",
            )


def take_settings(command: str, options: dict[str, Any], names: Iterable[str]) -> Settings:
    """The settings, from the environment and from ``options``, which lose these names. Exits with 2 on a bad value."""
    given = {name: options.pop(name) for name in names if name in options}
    try:
        return Settings(**given)
    except ValidationError as error:
        for problem in error.errors(include_url=False):
            name = str(problem["loc"][0])
            option = "NODE" if name == "node" and command == "drain" else f"--{name.replace('_', '-')}"
            source = option if name in given else f"NOUGHTS_{name.upper()}"
            say(f"noughts {command}: {source}: {problem['msg'].removeprefix('Value error, ')}", to_stderr=True)
        sys.exit(2)
