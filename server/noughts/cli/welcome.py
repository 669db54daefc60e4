"""What ``noughts serve`` prints when it listens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from noughts.cli.output import say
from noughts.config import Settings, masked
from noughts.engine import has_kernel
from noughts.engine.engines import kernel_of
from noughts.games import GAMES


def welcome(settings: Settings, urls: Iterable[str], port: int, node: str | None = None) -> None:
    """Print where to connect, where games are stored and how to play; in a cluster also which ``node`` this is."""
    urls = list(urls)
    say("Noughts is listening. Connect to", *(f"    {url}" for url in urls))
    if settings.page:
        say(f"or open {urls[0].replace('ws', 'http', 1).removesuffix('ws')} in a browser")
    slow = [game.title for game in GAMES.values() if kernel_of(game) and not has_kernel(game)]
    if slow:
        say(slow_games(slow))
    place = "in memory, until the server stops" if settings.journal == "memory" else f"in {masked(settings.journal)}"
    say(f"Games are kept {place}")
    url = "" if port == Settings.model_fields["port"].default else f" --url {urls[0]}"
    say(f"Play in another terminal with:  noughts play{url}")
    if node is not None and settings.bus is not None:
        say(f"This is node {node} on the bus {masked(settings.bus)}")


def slow_games(titles: Sequence[str]) -> str:
    """What to tell the operator about games, one or more, whose fast kernels are not installed."""
    *others, last = titles
    games = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return f"{games} searched slowly, without numba. Install it from the project's directory: pip install '.[fast]'"
