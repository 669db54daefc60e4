"""The command and the link with which somebody else takes the open seat of a room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from noughts_client.address import LOOPBACK, PORT, link_of_room, shortest, with_host
from noughts_client.terminal.options import DEFAULT_URL
from noughts_client.terminal.table import Table

PROBE_S = 0.5
"""The time the server may take to answer at one of this machine's addresses."""

HERE_ONLY = "Only this machine can reach the server. For others, start it with: noughts serve --host 0.0.0.0"

CERTIFICATE_ONLY = "The link is for this machine: the server's certificate is for no other name."


async def with_invitation(
    table: Table, url: str, own_addresses: Callable[[], list[str]], *, page: bool = False
) -> Table:
    """The table with the command that brings an opponent to its open seat, if it has one.

    If the server has the web ``page``, the command has the link of the room there, which a browser opens too. Where
    ``url`` leads to this machine from itself alone, another address of this machine takes its place: the first at which
    the server answers. If there is none, or if the certificate would be for another name, the notice says so.
    """
    if table.state["status"] != "waiting":
        return table
    notice = table.notice
    where = urlsplit(url)
    if where.scheme == "wss" and where.hostname in LOOPBACK:
        notice = notice or CERTIFICATE_ONLY
    elif where.hostname in LOOPBACK:
        addresses, port = own_addresses(), where.port or PORT
        answer = await asyncio.gather(*(_answers(address, port) for address in addresses))
        reached = [address for address, answers in zip(addresses, answer, strict=True) if answers]
        if reached:
            url = with_host(url, reached[0])
        else:
            notice = f"{notice} Only this machine can reach it." if notice else HERE_ONLY
    link = link_of_room(url, table.room) if page else None
    server = "" if url == DEFAULT_URL else f" --url {shortest(url)}"
    command = f"noughts play {link}" if link else f"noughts play --room {table.room}{server}"
    return replace(table, invitation=command, link=link, notice=notice)


async def _answers(address: str, port: int) -> bool:
    """True if anything listens there; on this machine that is the same server."""
    try:
        async with asyncio.timeout(PROBE_S):
            _, writer = await asyncio.open_connection(address, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
