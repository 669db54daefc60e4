"""What a journal keeps of the players: who they are, whose name is theirs for good, and what they may not do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

FOREVER = 253_402_300_800_000
"""As a time, in ms since the epoch, this or any later: never to end. It is the first that no calendar here can tell."""

RENAMED_AT_ONCE = 1000
"""How many of those who bear a name that another has registered are renamed in one transaction."""


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player as kept: ``token_hash`` is the SHA-256 of the token, 32 bytes; the token itself is not kept.

    ``registered``: the name is this player's for good, and nobody else can have it. ``muted_until``: until then the
    player may not chat, ``banned_until``: nor do anything at all; both in ms since the epoch, 0 for who may.
    """

    id: str
    name: str
    kind: str
    token_hash: bytes
    registered: bool = False
    muted_until: int = 0
    banned_until: int = 0


class UnknownPlayer(Exception):
    """The journal knows no such player: a guest may have been forgotten. Greet it again."""


class People(Protocol):
    """The players. Every method may wait, none blocks the event loop; all raise :class:`JournalError`.

    A token belongs to one player at most, and so does a registered name, by :func:`name_key`, whatever happens at
    once on however many servers.
    """

    async def add_guest(self, player: StoredPlayer) -> bool:
        """Store somebody new, durably, until they are forgotten; storing the same player again changes nothing.

        False, with nothing stored, when the name is another player's for good.
        """

    async def find_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        """Who holds this token, or None."""

    async def find(self, who: str) -> StoredPlayer | None:
        """The player of that id, or else the one whose registered name it is, or None."""

    async def register(self, player: str, name: str) -> bool:
        """Make ``name`` that of the player with this id for good, and keep the player for good.

        False, with nothing changed, when it is another's already, when the player has another for good, by
        :func:`name_key`, or there is no such player.

        Others who bear that name without having registered it are called :func:`guest_name` from then on. They are
        renamed after it, ``RENAMED_AT_ONCE`` at a time: where that fails, the name is the player's nevertheless, and
        to register it again goes on with them.
        """

    async def change_token(self, player: str, before: bytes | None, after: bytes) -> bool:
        """Put the hash ``after`` in place of ``before``, or of whatever is there when that is None.

        False, with nothing changed, when the player's is not ``before``, or there is no such player.
        """

    async def mute(self, player: str, until: int) -> bool:
        """Let a player chat no more before ``until``, ms since the epoch; whether there is such a player."""

    async def ban(self, player: str, until: int) -> bool:
        """Let a player in no more before ``until``, ms since the epoch; whether there is such a player."""

    async def changed(self, since: int, among: Sequence[str]) -> list[StoredPlayer]:
        """Of the players with the ids ``among`` those whose name, token or rights changed at ``since`` or later.

        ``since`` is in ms since the epoch. They come in no order.
        """
