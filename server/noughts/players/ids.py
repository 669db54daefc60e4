"""Ids of players, rooms and seeks."""

from __future__ import annotations

import base64
import hmac
import secrets


def new_id() -> str:
    """An unguessable id: 13 characters of base32, 65 random bits."""
    return _base32(secrets.token_bytes(9))


def new_player_id() -> str:
    """An unguessable id for a player, which begins with ``p-``."""
    return f"p-{new_id()}"


def room_id_for(secret: bytes, player_id: str, key: str) -> str:
    """The id of the room that a player opens with ``key``: always the same, and nobody else can work it out.

    ``secret`` is the journal's. The token is not part of it, so the room stays the same after a renewal.
    """
    return _base32(hmac.digest(secret, f"room\0{player_id}\0{key}".encode(), "sha256"))


def _base32(random: bytes) -> str:
    return base64.b32encode(random).decode().lower()[:13]
