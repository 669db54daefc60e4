"""The command line's options, and the error that ends a command."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from noughts.columns import printable
from noughts_client.address import room_link, shortest

DEFAULT_URL = "ws://127.0.0.1:8765/ws"

OwnServer = Callable[[], AbstractAsyncContextManager[str]]
"""Starts a server for this game alone, and yields its URL."""


class CommandError(Exception):
    """The command cannot go on. The message, in full sentences, tells the user why."""


@dataclass(frozen=True)
class Options:
    """The options of the command line. The user is asked about options that are None, or a default applies. ``against``
    is ``friend``, ``anybody`` or a computer's level. ``side`` is ``first``, ``second``, ``random`` or the game's name
    for a side. ``room`` is the id of a room, the link of its page or, for ``watch``, a file. ``clock`` is written as
    :func:`noughts_client.time_control.parse_time_control` reads it. ``setup`` is what is chosen of the game's own
    options, each by its key. ``between`` are the levels of two computers to watch. ``values`` shows what each move is
    worth from the start. ``from_ply`` is the number of moves after which a replay starts. ``addresses``, which is not
    on the command line, gives the addresses of this machine.
    """

    url: str | None = None
    name: str | None = None
    game: str | None = None
    side: str | None = None
    against: str | None = None
    room: str | None = None
    clock: str | None = None
    rated: bool = False
    setup: tuple[tuple[str, str], ...] = ()
    between: tuple[str, str] | None = None
    numpad: bool = False
    values: bool = False
    from_ply: int | None = None
    addresses: Callable[[], list[str]] = list

    def followed(self) -> Options:
        """These options with the server and the room of a link, if ``room`` is one.

        Raises CommandError for a link to another server, and for what is neither a link nor an id.
        """
        found = room_link(self.room or "")
        if found is None:
            if self.room and not set(self.room).isdisjoint(":/"):
                raise CommandError(
                    f"{printable(self.room)} is neither a room's id nor the link of a room's page, which ends with"
                    " /rooms/ and the id. To choose a server, use --url."
                )
            return self
        url, room = found
        if self.url not in (None, url):
            raise CommandError(f"The link leads to the server {shortest(url)}: leave out --url.")
        return replace(self, url=url, room=room)

    @property
    def server(self) -> str:
        """The end of a suggested command that leads to the same server."""
        return "" if self.url in (None, DEFAULT_URL) else f" --url {shortest(self.url)}"
