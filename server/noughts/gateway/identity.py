"""Who a connection speaks for: players by name, found again by their token."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import replace

from noughts.journal import Journal, StoredPlayer
from noughts.players.names import guest_name, name_key

COMPUTER = "minimax"
"""What the computer is called in its seats."""

NO_NAME = "name: 1 to 32 characters that can be seen, with no blank at either end"
"""What is said of a name that shows nothing."""

_NOBODYS = (COMPUTER, "computer:", "guest-", "p-")


def new_id() -> str:
    """An unguessable id: 13 characters of base32 that stand for 65 random bits."""
    return _base32(secrets.token_bytes(9))


def new_token() -> str:
    """An unguessable token: 43 characters that stand for 256 random bits."""
    return secrets.token_urlsafe(32)


def room_id_for(secret: bytes, player_id: str, key: str) -> str:
    """The id of the room that a player opens with ``key``: the same every time, and to be told by nobody else.

    ``secret`` is the journal's. The token has no part in it, so that the room is the same after a renewal.
    """
    return _base32(hmac.digest(secret, f"room\0{player_id}\0{key}".encode(), "sha256"))


def token_hash(token: str) -> bytes:
    """What is kept of a token: its SHA-256. Tokens are 256 random bits, so nothing slower is needed."""
    return hashlib.sha256(token.encode()).digest()


def no_token() -> bytes:
    """A hash that no token has: what is kept of who is to have none."""
    return secrets.token_bytes(32)


def reserved(name: str) -> bool:
    """Whether nobody may have ``name`` for good: it looks like that of the computer or of a guest, or like an id."""
    return name_key(name).startswith(_NOBODYS)


def shows_nothing(name: str) -> bool:
    """Whether ``name`` is made of what cannot be seen alone: it would be no name, and the same as any other such."""
    return not name_key(name)


async def welcome(journal: Journal, name: str | None, *, bot: bool) -> tuple[StoredPlayer, str] | None:
    """A new guest, who is known on every node from now on, and the token for it.

    None when the name is another player's for good. Raises JournalError.
    """
    token = new_token()
    player_id = f"p-{new_id()}"
    player = StoredPlayer(
        id=player_id,
        name=name or guest_name(player_id),
        kind="bot" if bot else "human",
        token_hash=token_hash(token),
    )
    return (player, token) if await journal.people.add_guest(player) else None


async def keep(journal: Journal, player: StoredPlayer) -> StoredPlayer:
    """Have a player who has been let in be stored, and so known on every node: a guest may have been forgotten since.

    The answer is ``player``, but for the name where another has registered that meanwhile. Raises JournalError.
    """
    if not await journal.people.add_guest(player):
        player = replace(player, name=guest_name(player.id))
        await journal.people.add_guest(player)  # nobody can have registered that name
    return player


async def find(journal: Journal, token: str) -> StoredPlayer | None:
    """Who holds ``token``, or None. Raises JournalError."""
    return await journal.people.find_by_token(token_hash(token))


def _base32(random: bytes) -> str:
    return base64.b32encode(random).decode().lower()[:13]
