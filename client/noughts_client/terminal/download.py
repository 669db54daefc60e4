"""Files that a server offers over HTTP, next to its WebSocket."""

from __future__ import annotations

import asyncio
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import ProxyHandler, build_opener

from noughts_client.address import LOOPBACK

FETCH_S = 5.0
"""The time that the request may take."""

MAX_BYTES = 16 * 1024 * 1024
"""Far above the size of any record."""


class NoDownload(Exception):
    """The server does not answer, or not with this; the message is for people."""


async def download(url: str, path: str) -> bytes:
    """The content at ``path`` of the server whose WebSocket is at ``url``. Raises :class:`NoDownload`."""
    return await asyncio.to_thread(_download, http_url(url, path))


def http_url(url: str, path: str) -> str:
    """The HTTP address of ``path``, next to the WebSocket at ``url``."""
    parts = urlsplit(url)
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
    return urlunsplit((scheme, parts.netloc, f"{parts.path.rpartition('/')[0]}/{path}", "", ""))


def _download(url: str) -> bytes:
    local = urlsplit(url).hostname in LOOPBACK
    opener = build_opener(ProxyHandler({})) if local else build_opener()
    try:
        with opener.open(url, timeout=FETCH_S) as answer:
            content: bytes = answer.read(MAX_BYTES)
    except HTTPError as error:
        raise NoDownload(error.read(500).decode(errors="replace").strip() or str(error)) from error
    except (OSError, HTTPException, ValueError) as error:
        raise NoDownload(f"{url}: {error}") from error
    return content
