"""Which bot's file this process is loading: a file that only defines a bot must not start a game then."""

from __future__ import annotations

file = ""
"""The name of the file while it is loaded, else empty."""


class StartsGame(Exception):
    """A bot's file starts a game when it is loaded. The text says what to do."""


def refuse_to_start() -> None:
    """Raise :class:`StartsGame` while a bot's file is loaded."""
    if file:
        raise StartsGame(f'{file} starts a game when it is loaded; put run(...) under if __name__ == "__main__":')
