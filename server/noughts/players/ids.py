"""Ids of players, rooms and seeks."""

from __future__ import annotations

import hmac
import secrets
from functools import lru_cache


def new_id() -> str:
    """An unguessable id: 13 characters of base32, 65 random bits."""
    return secrets.token_bytes(13).translate(_LETTERS).decode()


def new_player_id() -> str:
    """An unguessable id for a player, which begins with ``p-``."""
    return f"p-{new_id()}"


def room_id_for(secret: bytes, player_id: str, key: str) -> str:
    """The id of the room that a player opens with ``key``: always the same, and nobody else can work it out.

    ``secret`` is the journal's. The token is not part of it, so the room stays the same after a renewal.
    """
    return _base32(hmac.digest(secret, f"room\0{player_id}\0{key}".encode(), "sha256"))


def seek_id(secret: bytes, player_id: str, key: str) -> str:
    """The public id of a player's seek with this key: the player's id, a dot, and what tells it from others.

    ``secret`` is the journal's, so a seek has the same id on every node, and the key stays its player's.
    """
    name = _base32(hmac.digest(secret, f"seek\0{player_id}\0{key}".encode(), "sha256"))
    return f"{player_id}.{name}"


def seeker_of(seek: str) -> str:
    """The id of the player of a seek, by the id of the seek; empty if it is none."""
    return seek.rpartition(".")[0]


@lru_cache(4096)  # every rematch asks
def opener_of(secret: bytes, address: str) -> bytes:
    """Stands for the address from which a room is opened. Without ``secret``, the journal's, it tells nothing."""
    return hmac.digest(secret, f"opener\0{address}".encode(), "sha256")[:16]


@lru_cache(4096)
def origin_hash(secret: bytes, address: str) -> bytes:
    """Stands for the address from which a player asks for a rated game, and has nothing in common with its opener."""
    return hmac.digest(secret, f"origin\0{address}".encode(), "sha256")[:16]


def log_name(secret: bytes, room_id: str) -> str:
    """The log's name for a room, since the id of a private room admits anyone: 8 characters of base32, 40 bits.

    ``secret`` is the journal's, so a room has the same name on every node and after a restart.
    """
    return _base32(hmac.digest(secret, f"log\0{room_id}".encode(), "sha256"))[:8]


_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # RFC 4648's, in lower case
_LETTERS = bytes(ord(_ALPHABET[byte & 31]) for byte in range(256))
_BYTES = 9
_SHIFTS = range(8 * _BYTES - 5, 8 * _BYTES - 5 * 14, -5)


def _base32(random: bytes) -> str:
    """The first 13 characters of ``random``; several times as fast as the standard library's, which is Python too."""
    number = int.from_bytes(random[:_BYTES], "big")
    return "".join([_ALPHABET[number >> shift & 31] for shift in _SHIFTS])
