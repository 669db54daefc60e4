"""What can be said on the command line instead of being asked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

DEFAULT_URL = "ws://127.0.0.1:8765/ws"

OwnServer = Callable[[], AbstractAsyncContextManager[str]]
"""Starts a server for this game alone, and gives its URL."""


@dataclass(frozen=True)
class Options:
    """What is None is asked for, or found out.

    ``against`` is ``friend``, ``anybody`` or a computer's level; ``side`` is ``first``, ``second``, ``random`` or
    what the game calls a side; ``room`` the id of a room, or to watch also a file. ``clock`` is written as
    :func:`noughts_client.control.time_control` reads it. ``between`` are the levels of two computers to watch. With
    ``values`` it is shown from the start what each move is worth; ``from_ply`` is how many moves into a game it is to
    be replayed from.
    """

    url: str | None = None
    name: str | None = None
    game: str | None = None
    side: str | None = None
    against: str | None = None
    room: str | None = None
    clock: str | None = None
    rated: bool = False
    between: tuple[str, str] | None = None
    numpad: bool = False
    values: bool = False
    from_ply: int | None = None

    @property
    def address(self) -> str:
        """What a command that is told must end with to lead to the same server."""
        return f" --url {self.url}" if self.url else ""
