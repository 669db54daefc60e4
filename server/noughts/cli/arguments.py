"""The arguments of commands: how they are parsed, their types, and how a wrong one is refused."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, tzinfo
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from noughts_client.bots.program import BotSpec

Subparsers: TypeAlias = "argparse._SubParsersAction[Any]"
"""The parsers to which a module adds its commands. Each sets ``command`` to a function of the options that returns the
status."""


T = TypeVar("T")

UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}


def number_in_words(
    kind: type, *, least: float | None = None, above: float | None = None, most: float | None = None
) -> str:
    """Such as ``a whole number from 1 to 10000``: an int or a float (``kind``) from ``least``, or ``above`` it."""
    noun = "a whole number" if kind is int else "a number"
    upper = "" if most is None else f"{most:.15g}"
    if least is not None:
        return f"{noun} from {least:.15g} to {upper}" if upper else f"{noun} of at least {least:.15g}"
    if above is not None:
        return f"{noun} greater than {above:.15g}{' and at most ' * bool(upper)}{upper}"
    return f"{noun}{' of at most ' * bool(upper)}{upper}"


def whole(least: int | None = 1, most: int | None = None) -> Callable[[str], int]:
    """The type of an argument that is a whole number from ``least`` to ``most``; None is no bound."""
    words = number_in_words(int, least=least, most=most)

    def read(text: str) -> int:
        number = int(text) if re.fullmatch("-?[0-9]{1,18}", text) else None
        if number is None or (least is not None and number < least) or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"must be {words}, not {text!r}")
        return number

    return read


def seconds(most: float = math.inf) -> Callable[[str], float]:
    """The type of an argument that is a duration in seconds, greater than 0 and at most ``most``."""
    words = number_in_words(float, above=0, most=None if most == math.inf else most)

    def read(text: str) -> float:
        with suppress(ValueError):
            if 0 < float(text) <= most and float(text) != math.inf:
                return float(text)
        raise argparse.ArgumentTypeError(f"must be {words}, not {text!r}")

    return read


def duration(text: str) -> int:
    """A duration such as ``2d``, in ms. Raises ArgumentTypeError."""
    match = re.fullmatch(r"([1-9]\d{0,5})([mhdw])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"must be a time such as 30m, 1h, 2d or 1w, not {text!r}")
    return int(match[1]) * UNITS_MS[match[2]]


def moment(zone: tzinfo | None = None) -> Callable[[str], datetime]:
    """The type of an argument that is a date, or a date and a time, in ``zone`` (None: local) unless it has its own."""

    def read(text: str) -> datetime:
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            words = "a date such as 2026-11-24 or 2026-11-24T18:30"
            raise argparse.ArgumentTypeError(f"must be {words}, not {text!r}") from None
        return found.astimezone() if zone is None else found.replace(tzinfo=found.tzinfo or zone)

    return read


def parsed(parse: Callable[[str], T]) -> Callable[[str], T]:
    """The type of an argument that ``parse`` reads, whose ValueError says what is wrong with a bad one."""

    def read(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def game_key(text: str) -> str:
    """The key of a game that is installed here. Raises ArgumentTypeError."""
    from noughts.games import GAMES
    from noughts.games.sentences import no_such_game

    if text not in GAMES:
        raise argparse.ArgumentTypeError(no_such_game(text, GAMES))
    return text


def game_name(text: str) -> str:
    """The name of a game that is installed here, such as ``breakthrough?size=6``. Raises ArgumentTypeError."""
    from noughts.games.catalogue import BadSetup, UnknownGame, game_named, name_of

    try:
        return name_of(game_named(text))
    except (UnknownGame, BadSetup) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


@parsed
def clock(text: str) -> str:
    """A time control in its shortest words, such as ``3+2`` or ``none``. Raises ArgumentTypeError."""
    from noughts_client.time_control import format_time_control, parse_time_control

    control = parse_time_control(text)
    return "none" if control is None else format_time_control(control)


@parsed
def server(text: str) -> str:
    """The URL of the server at an address as people write it. Raises ArgumentTypeError."""
    from noughts_client.address import server_url

    return server_url(text)


@parsed
def farm(text: str) -> str:
    """The address of a scheduler of Dask. Raises ArgumentTypeError."""
    from noughts.config import scheduler_of

    return scheduler_of(text)


@parsed
def bot(text: str) -> BotSpec:
    """A bot as people name it, such as ``my_bot.py`` or ``computer:easy``. Raises ArgumentTypeError."""
    from noughts_client.bots.program import parse_spec

    return parse_spec(text)


def add_url(command: argparse.ArgumentParser) -> None:
    """Add ``--url``, which takes the address of a server as people write it.

    If ``NOUGHTS_PORT`` is set for ``noughts serve``, the default is the server on that port.
    """
    port = os.environ.get("NOUGHTS_PORT")
    command.add_argument(
        "--url",
        type=server,
        default=None if port is None else f"127.0.0.1:{port}",
        metavar="ADDRESS",
        help="the server: example.org, 192.168.1.5:8000 or a URL (default: 127.0.0.1, port NOUGHTS_PORT or 8765)",
    )


class Parser(argparse.ArgumentParser):
    """Accepts options before, between and after the positional arguments, and reports unknown arguments itself.

    Left to argparse, an unknown argument would be reported with the usage of ``noughts``, not of the command.
    """

    _nested = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._nested:  # parse_known_intermixed_args calls this method
            return super().parse_known_args(args, namespace)
        self._nested = True
        try:
            # argparse cannot mix options and positional arguments where subcommands follow.
            parse = super().parse_known_args if self._subparsers else self.parse_known_intermixed_args
            known, unknown = parse(args, namespace)
        finally:
            self._nested = False
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown[0])}")
        return known, unknown

    def _meant(self, word: str) -> str:
        """The option that an unknown one may stand for, or the argument without a name."""
        option = word.partition("=")[0]
        if option.removeprefix("--") in {str(action.metavar).lower() for action in self._get_positional_actions()}:
            name = option.removeprefix("--").upper()
            return f". The {name.lower()} has no option: {self.format_usage().removeprefix('usage: ').splitlines()[0]}"
        close = get_close_matches(option, self._option_string_actions, n=1) if option.startswith("--") else []
        return f". Did you mean {close[0]}?" if close else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, and name the one that was probably meant."""
        if action.choices is None or value in action.choices:
            return
        names = [str(choice) for choice in action.choices]
        close = get_close_matches(str(value), names, n=1)
        meant = f" Did you mean {close[0]}?" if close else ""
        if isinstance(action, argparse._SubParsersAction):
            kind = str(action.metavar).lower()
            raise argparse.ArgumentError(None, f"there is no {kind} {value!r}.{meant} For all: {self.prog} --help")
        raise argparse.ArgumentError(action, f"not one of {', '.join(names)}: {value!r}.{meant}")
