"""A cluster for tests: node processes with one PostgreSQL and one broker, behind a load balancer."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import asyncpg

from support.balancer import Balancer, balanced
from support.broker import Broker
from support.noise import Noise, noisy
from support.postgres import Postgres, database
from support.proxy import Proxy, proxied
from support.server import ServerProcess
from support.standby import Pair, pair

NOUGHTS = ("-m", "noughts")

Wiring = Literal["direct", "proxies", "noise", "standby"]
"""``proxies``: each node reaches the broker and the database, and is reached by clients, through proxies of its own.
``noise``: each node reaches the broker through a proxy that can disturb messages. ``standby``: the database is a pair.
"""


@dataclass(frozen=True)
class Node:
    """A node of the cluster, with its proxies in the wiring ``proxies``."""

    name: str
    process: ServerProcess
    to_broker: Proxy | None = None
    to_database: Proxy | None = None
    to_clients: Proxy | None = None

    @property
    def entry(self) -> str:
        """The URL for clients."""
        return self.to_clients.url if self.to_clients else self.process.url


@dataclass(frozen=True)
class Cluster:
    """Running nodes, and the services they use. In the wiring ``standby`` the database is on ``pair``."""

    directory: Path
    nodes: Sequence[Node]
    broker: Broker
    postgres: Postgres
    database: str
    balancer: Balancer
    noise: Sequence[Noise] = ()
    pair: Pair | None = None

    @property
    def url(self) -> str:
        """The load balancer's URL."""
        return f"ws://127.0.0.1:{self.balancer.port}/ws"

    @property
    def entries(self) -> list[str]:
        """The nodes' own URLs."""
        return [node.entry for node in self.nodes]

    async def query(self, sql: str, *arguments: object) -> list[asyncpg.Record]:
        """Query the database."""
        connection = await asyncpg.connect(self.database, timeout=10, command_timeout=60)
        try:
            return list(await connection.fetch(sql, *arguments))
        finally:
            await connection.close()

    def logged_errors(self) -> list[str]:
        """Log lines that no node should ever write, whatever happens to it."""
        return [
            f"{node.name} has logged: {line}"
            for node in self.nodes
            for line in node.process.output().splitlines()
            if re.search(r"Traceback|CRITICAL|ERROR|Task exception|never awaited|Segmentation", line)
        ]


@asynccontextmanager
async def cluster(
    directory: Path,
    postgres: Postgres,
    *,
    nodes: int = 3,
    wiring: Wiring = "direct",
    programs: Sequence[tuple[str, ...]] = (NOUGHTS,),
    broker_lines: Sequence[str] = (),
    rng: random.Random | None = None,
    **settings: object,
) -> AsyncIterator[Cluster]:
    """A cluster with its own database at ``postgres``, or on its own pair, and its own broker.

    Its files are in ``directory``.

    The nodes run ``programs`` in a cycle.
    """
    rng = rng or random.Random()
    broker = Broker(directory, broker_lines)
    async with AsyncExitStack() as stack:
        both = await stack.enter_async_context(pair()) if wiring == "standby" else None
        address = await stack.enter_async_context(database(both or postgres))
        stack.callback(broker.kill)
        broker.start()
        noises: list[Noise] = []
        members: list[Node] = []
        for number in range(nodes):
            journal, bus_port, to_broker, to_database, to_clients = address, broker.port, None, None, None
            if wiring == "proxies":
                to_broker = await stack.enter_async_context(proxied(f"mqtt://127.0.0.1:{broker.port}"))
                to_database = await stack.enter_async_context(proxied(address))
                bus_port = _port(to_broker.url)
                journal = address.replace(f":{postgres.port}/", f":{_port(to_database.url)}/")
            elif wiring == "noise":
                noise, bus_port = await stack.enter_async_context(noisy(broker.port, random.Random(rng.random())))
                noises.append(noise)
            name = f"node-{number}"
            process = ServerProcess(
                journal,
                directory / f"{name}.log",
                programs[number % len(programs)],
                bus=f"mqtt://127.0.0.1:{bus_port}",
                node=name,
                **{"search_workers": 1, **settings},
            )
            if wiring == "proxies":
                to_clients = await stack.enter_async_context(proxied(process.url))
            members.append(Node(name, process, to_broker, to_database, to_clients))
        await asyncio.gather(*(stack.enter_async_context(node.process) for node in members))
        ports = [_port(node.entry) for node in members]
        balancer = await stack.enter_async_context(balanced(ports, random.Random(rng.random())))
        yield Cluster(directory, members, broker, postgres, address, balancer, noises, both)


def _port(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None
    return port
