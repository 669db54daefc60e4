"""The parser of a command's arguments."""

from __future__ import annotations

import argparse
import os
from typing import Any, TypeAlias

Subparsers: TypeAlias = "argparse._SubParsersAction[Any]"
"""What a module adds its commands to. Each sets ``command`` to a function of the options that returns the status."""


def add_url(command: argparse.ArgumentParser) -> None:
    """Add ``--url``, which takes the address of a server as people write it.

    Who has set the port for ``noughts serve`` in the environment means the server there.
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
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown
