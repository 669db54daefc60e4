"""Tokens, by which a player is recognised. Only their hashes are stored."""

from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """An unguessable token: 43 characters, 256 random bits."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> bytes:
    """The SHA-256 of a token, for the journal. A token is 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(token.encode()).digest()


def unusable_hash() -> bytes:
    """A hash that no token has, for a player whose token is revoked."""
    return secrets.token_bytes(32)
