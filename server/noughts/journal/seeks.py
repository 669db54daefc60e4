"""What a journal keeps of who looks for an opponent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from noughts.journal.base import Append
    from noughts.journal.people import StoredPlayer

PAIRED_MS = 3_600_000
"""How long a seek names the room that it was paired in, at least."""


@dataclass(frozen=True, slots=True)
class Seek:
    """A player who looks for an opponent; each has one seek at most.

    ``key`` tells it from the player's other seeks. ``terms`` is what both must want alike, text. ``rating`` and
    ``deviation`` are the player's there, ``since`` is when it was begun, ms since the epoch.
    """

    player: StoredPlayer
    key: str
    game: str
    terms: str
    rating: float
    deviation: float
    since: int


class Seeks(Protocol):
    """The seeks. Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A seek waits until it is paired, withdrawn, or not kept for longer than was said. Once paired it names its room
    for an hour, so that who missed that can ask again.
    """

    async def put(self, seek: Seek, until: int) -> str | None:
        """Have a player wait until ``until``, ms since the epoch, in place of any seek with another key.

        Where the one with this key is there already, it is kept; when it has been paired, the answer is its room.
        Raises :class:`UnknownPlayer`, with nothing changed, for a player who is not.
        """

    async def withdraw(self, player: str) -> bool:
        """The player waits no more, for whatever it was. False when no seek of it waits: it may have been paired."""

    async def renew(self, seeks: Sequence[tuple[str, str]], until: int) -> dict[str, str | None]:
        """Have those seeks, by player and key, that wait still wait until ``until``, which may be now: to wait no more.

        One that was not kept for too long waits again. What became of each that is there, by player: the room that it
        was paired in, or None while it waits.
        """

    async def waiting(self, game: str, terms: str, now: int, limit: int) -> list[Seek]:
        """At most ``limit`` seeks of that game on those terms that wait at ``now``, the longest waiting first.

        Players are as they are stored; those of who is banned then are left out.
        """

    async def pair(self, one: Seek, other: Seek, write: Append) -> bool:
        """Open the room of ``write`` for these two, who then wait no more; all in one transaction.

        False, with nothing changed, unless both seeks wait and the room is not there yet. Raises JournalError when
        the outcome is unknown. So nobody is paired twice, on however many servers.
        """

    async def forget(self, before: int) -> None:
        """Drop the seeks that have waited no more since before that time, ms since the epoch, and those long paired."""
