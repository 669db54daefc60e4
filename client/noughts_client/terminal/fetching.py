"""The record of a game that is over, from the server's web address."""

from __future__ import annotations

import asyncio
from http.client import HTTPException
from io import BytesIO
from urllib.parse import quote, urlsplit, urlunsplit
from urllib.request import ProxyHandler, build_opener

from noughts_client.dial import LOOPBACK

PATIENCE_S = 5.0

LONGEST = 16 * 1024 * 1024
"""No room's record comes near it, in bytes."""


async def fetch(url: str, room: str) -> list[bytes] | None:
    """The lines of the record of ``room`` at the server whose WebSocket is at ``url``; None where there is none."""
    return await asyncio.to_thread(_fetch, record_url(url, room))


def record_url(url: str, room: str) -> str:
    """Where the record of a room is, beside the WebSocket at ``url``."""
    parts = urlsplit(url)
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
    above = parts.path.rpartition("/")[0]
    return urlunsplit((scheme, parts.netloc, f"{above}/games/{quote(room, safe='')}.jsonl", "", ""))


def _fetch(url: str) -> list[bytes] | None:
    here = urlsplit(url).hostname in LOOPBACK
    opener = build_opener(ProxyHandler({})) if here else build_opener()
    try:
        with opener.open(url, timeout=PATIENCE_S) as answer:
            content: bytes = answer.read(LONGEST)
    except (OSError, HTTPException, ValueError):
        return None
    return list(BytesIO(content))
