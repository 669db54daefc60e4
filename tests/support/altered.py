"""A server that is wrong on purpose: one that keeps to the protocol, behind a proxy that changes what it says."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

Json = dict[str, Any]

Alter = Callable[[Json, Json], Iterable[Json]]
"""The messages that a client gets instead of one. The second argument is its connection's own memory."""


@asynccontextmanager
async def altered(
    target: str,
    alter: Alter = lambda message, _: [message],
    *,
    close: Callable[[int], int] = lambda code: code,
    pages: dict[str, str] | None = None,
) -> AsyncIterator[str]:
    """The URL of a proxy in front of ``target``. ``close`` changes close codes, ``pages`` what paths answer."""
    count = 0

    async def forward(client: ServerConnection, server: ClientConnection) -> None:
        nonlocal count
        count += 1
        memory: Json = {"connection": count}
        with suppress(ConnectionClosed):
            async for frame in server:
                for message in alter(json.loads(frame), memory):
                    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
                    await client.send(text)

    async def handle(client: ServerConnection) -> None:
        async with connect(target, compression=None, max_size=None) as server:
            back = asyncio.create_task(forward(client, server))
            there = asyncio.create_task(_pump(client, server))
            await asyncio.wait({back, there}, return_when=asyncio.FIRST_COMPLETED)
            there.cancel()
            if server.close_code is not None:
                await client.close(close(server.close_code))
        await back

    def get(path: str) -> tuple[int, bytes]:
        site = target.replace("ws:", "http:").removesuffix("/ws")
        try:
            with urllib.request.urlopen(site + path, timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    async def respond(_: ServerConnection, request: Request) -> Response | None:
        if request.path == "/ws":
            return None
        if pages is not None and request.path in pages:
            status, body = 200, pages[request.path].encode()
        else:
            status, body = await asyncio.to_thread(get, request.path)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
        return Response(status, HTTPStatus(status).phrase, Headers(headers), body)

    async with serve(
        handle, "127.0.0.1", 0, compression=None, max_size=None, process_request=respond, close_timeout=5
    ) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"


async def _pump(client: ServerConnection, server: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        async for frame in client:
            await server.send(frame)
