"""The lines that ``noughts serve`` prints when it listens."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from noughts.cli.output import say
from noughts.config import Settings, masked
from noughts.engine import has_kernel
from noughts.engine.engines import NO_NUMBA, kernel_of
from noughts.games import GAMES
from noughts.protocol.qr import QUIET, qr_rows, qr_terminal


def welcome(settings: Settings, urls: Iterable[str], port: int, node: str | None = None) -> None:
    """Print where to connect, where games are stored and how to play; in a cluster also which ``node`` this is."""
    from noughts_client.address import shortest

    here, others = [url for url in urls if _is_here(url)], [url for url in urls if not _is_here(url)]
    listed = others + [f"{url}  (from this machine)" for url in here] if others else here
    say("Noughts is listening. Connect to", *(f"    {url}" for url in listed))
    if others:
        say(*invitation(others[0], page=settings.page))
    elif settings.page:
        say(f"or open {_page(here[0])} in a browser")
    slow = [game.title for game in GAMES.values() if kernel_of(game) and not has_kernel(game)]
    if slow:
        say(slow_games(slow))
    place = "in memory, until the server stops" if settings.journal == "memory" else f"in {masked(settings.journal)}"
    say(f"Games are kept {place}")
    url = "" if port == Settings.model_fields["port"].default and here else f" --url {shortest([*here, *others][0])}"
    say(f"Play in another terminal{' of this machine' if others else ''} with:  noughts play{url}")
    if node is not None and settings.bus is not None:
        say(f"This is node {node} on the bus {masked(settings.bus)}")


def invitation(url: str, *, page: bool) -> list[str]:
    """An invitation to other people in the network to a server at ``url``, for the board of a classroom.

    The QR code of the ``page`` follows if stdout is a terminal with room for it.
    """
    from noughts_client.address import shortest

    lines = ["Others in this network join"]
    link = _page(url)
    if page:
        lines.append(f"    in a browser:    {link}")
    lines.append(f"    in a terminal:   noughts play --url {shortest(url)}")
    lines.append(f"    with a bot:      noughts bot my_bot.py --url {shortest(url)}")
    return [*lines, *_code(link)] if page else lines


def _code(link: str) -> list[str]:
    """The QR code of ``link``, or nothing where it does not fit."""
    try:
        columns, height = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):  # no terminal
        return []
    rows = qr_rows(link)
    lines = qr_terminal(rows)
    return lines if len(rows) + 2 * QUIET <= columns and len(lines) < height else []


def _page(url: str) -> str:
    """The web page of the server at ``url``."""
    return url.replace("ws", "http", 1).removesuffix("ws")


def _is_here(url: str) -> bool:
    """True if only programs of this machine can use ``url``."""
    return (urlsplit(url).hostname or "").startswith(("127.", "::1", "localhost"))


def slow_games(titles: Sequence[str]) -> str:
    """A warning to the operator about games, one or more, whose fast kernels are not installed."""
    *others, last = titles
    games = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return f"{games} searched slowly, as {NO_NUMBA}"
