"""Processes of ``noughts`` that share a database and a broker."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from support.broker import Broker
from support.postgres import Postgres, database
from support.server import ServerProcess


@dataclass
class Shared:
    """The settings that the nodes of a test have in common."""

    journal: str
    options: dict[str, Any]

    def arguments(self) -> list[str]:
        """The settings as options of a command."""
        options = {"journal": self.journal, **self.options}
        return [f"--{key.replace('_', '-')}={value}" for key, value in options.items()]


@asynccontextmanager
async def shared_by_nodes(postgres: Postgres, broker: Broker) -> AsyncIterator[Shared]:
    """A new database and a topic prefix that no other test uses."""
    async with database(postgres) as url:
        yield Shared(url, {"bus": broker.url, "bus_prefix": f"test/{uuid4().hex}"})


@asynccontextmanager
async def noughts(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """``noughts`` in a process that is killed at the end; stdout and stderr in one."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "noughts", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@asynccontextmanager
async def node(shared: Shared, name: str, log: Path) -> AsyncIterator[ServerProcess]:
    """A node that is ready."""
    async with ServerProcess(shared.journal, log, node=name, **shared.options) as server:
        await nodes_at(server.url, {name})
        yield server


async def node_at(url: str) -> str:
    """The node that answers a new connection."""
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /readyz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return str(json.loads(answer.partition(b"\r\n\r\n")[2])["node"])


async def nodes_at(url: str, expected: set[str]) -> set[str]:
    """The nodes that answer new connections: waits a while for the ``expected`` ones."""
    found: set[str] = set()
    for _ in range(400):
        with suppress(ConnectionError, IndexError, ValueError):  # a node that is ending
            found.add(await node_at(url))
        if found == expected:
            break
        await asyncio.sleep(0.05)
    return found
