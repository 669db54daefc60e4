"""The parser of a command's arguments."""

from __future__ import annotations

import argparse
import os
from difflib import get_close_matches
from typing import Any, TypeAlias

Subparsers: TypeAlias = "argparse._SubParsersAction[Any]"
"""What a module adds its commands to. Each sets ``command`` to a function of the options that returns the status."""


def add_url(command: argparse.ArgumentParser) -> None:
    """Add ``--url``, which takes the address of a server as people write it.

    If ``NOUGHTS_PORT`` is set for ``noughts serve``, the default is the server on that port.
    """
    port = os.environ.get("NOUGHTS_PORT")
    command.add_argument(
        "--url",
        type=_url,
        default=None if port is None else f"127.0.0.1:{port}",
        metavar="ADDRESS",
        help="the server: example.org, 192.168.1.5:8000 or a URL (default: 127.0.0.1, port NOUGHTS_PORT or 8765)",
    )


def _url(text: str) -> str:
    from noughts_client.address import server_url

    try:
        return server_url(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def game_key(text: str) -> str:
    """The key of a game that is installed here. Raises ArgumentTypeError."""
    from noughts.games import GAMES
    from noughts.games.sentences import no_such_game

    if text not in GAMES:
        raise argparse.ArgumentTypeError(no_such_game(text, GAMES))
    return text


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
        """The option that an unknown one may stand for."""
        option = word.partition("=")[0]
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
