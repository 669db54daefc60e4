"""Who a connection speaks for: guests by name, found again by their token."""

from __future__ import annotations

import base64
import hashlib
import secrets

from noughts.journal import Journal, StoredPlayer


def new_id() -> str:
    """An unguessable id: 13 characters of base32 that stand for 65 random bits."""
    return _base32(secrets.token_bytes(9))


def room_id_for(token_hash: bytes, key: str) -> str:
    """The id of the room that the holder of a token opens with ``key``: the same every time, known to nobody else."""
    return _base32(hashlib.sha256(b"room\0" + token_hash + key.encode()).digest())


def token_hash(token: str) -> bytes:
    """What is kept of a token: its SHA-256. Tokens are 256 random bits, so nothing slower is needed."""
    return hashlib.sha256(token.encode()).digest()


async def welcome(journal: Journal, name: str | None, *, bot: bool) -> tuple[StoredPlayer, str]:
    """A new guest, who is known on every node from now on, and the token for it. Raises JournalError."""
    token = secrets.token_urlsafe(32)
    player_id = new_id()
    player = StoredPlayer(
        id=f"p-{player_id}",
        name=name or f"guest-{player_id[:4]}",
        kind="bot" if bot else "human",
        token_hash=token_hash(token),
    )
    await journal.people.greet(player)
    return player, token


async def find(journal: Journal, token: str) -> StoredPlayer | None:
    """Who holds ``token``, or None. Raises JournalError."""
    return await journal.people.holder(token_hash(token))


def _base32(random: bytes) -> str:
    return base64.b32encode(random).decode().lower()[:13]
