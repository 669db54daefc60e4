"""``noughts serve``: a server in this process."""

from __future__ import annotations

from typing import Any

from noughts.cli.arguments import Subparsers
from noughts.cli.process import serve
from noughts.cli.settings import add_settings, take_settings
from noughts.cli.welcome import welcome
from noughts.config import Settings


def add_commands(commands: Subparsers) -> None:
    """Add the command, with an option for every setting."""
    parser = commands.add_parser(
        "serve",
        usage="noughts serve [options]",
        description="Run a server. Each option is also an environment variable: --log-level is NOUGHTS_LOG_LEVEL.",
    )
    parser.set_defaults(command=_run)
    add_settings(parser, Settings.model_fields, grouped=True)


def _run(options: dict[str, Any]) -> int:
    settings = take_settings("serve", options, Settings.model_fields)
    return serve(settings, lambda server: welcome(settings, server.urls, server.port, server.node))
