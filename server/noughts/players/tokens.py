"""Tokens, by which a player is recognised, and codes, by which a device gets one. Only their hashes are stored.

Tokens and codes are random, and too many to try, so a plain SHA-256 will do. They are looked up by their hashes: how
long that takes tells nothing about the others.
"""

from __future__ import annotations

import base64
import hashlib
import secrets


def new_token() -> str:
    """An unguessable token: 43 characters, 256 random bits."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> bytes:
    """The SHA-256 of a token, for the journal."""
    return hashlib.sha256(token.encode()).digest()


def device_id(hashed: bytes) -> str:
    """The name of a token for its player's devices, from its hash: 16 characters, from which nobody gets to the
    token."""
    return _base32(hashed[:10])


def new_join_code() -> str:
    """A code for another device: 16 characters, 80 random bits. It is valid for minutes, and once."""
    return _base32(secrets.token_bytes(10))


def new_recovery_code() -> str:
    """A code to write down: 24 characters in groups of four, 120 random bits."""
    code = _base32(secrets.token_bytes(15))
    return "-".join(code[at : at + 4] for at in range(0, 24, 4))


def code_hash(code: str) -> bytes:
    """The SHA-256 of a code, for the journal, however it was typed: blanks, dashes and case do not count."""
    return hashlib.sha256("".join(code.lower().replace("-", "").split()).encode()).digest()


def _base32(data: bytes) -> str:
    return base64.b32encode(data).decode().lower()
